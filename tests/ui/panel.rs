//! The panel of one object, as a person uses it: by keys, pointer and link, against a real
//! kube-apiserver and against the demo's living fleet.

use anyhow::{Context, Result, ensure};
use cluster::ControlPlane;
use serde_json::json;
use testkit::browser::Look;
use testkit::input::{ENTER, ESCAPE, To, click, drag};
use testkit::{page, planes};

use crate::rig::Rig;

const OBJECTS: &str = r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart, labels: {app: cart}}
spec:
  replicas: 1
  selector: {matchLabels: {app: cart}}
  template:
    metadata: {labels: {app: cart}}
    spec:
      containers:
      - name: app
        image: registry.example.com/cart:1.0
        env: [{name: TOKEN, value: canary-4711}]
"#;

/// A page of the objects above, in a namespace of their own.
struct Panel {
    plane: &'static ControlPlane,
    namespace: &'static str,
    rig: Rig,
}

impl Panel {
    async fn start(namespace: &'static str) -> Result<Self> {
        let plane = planes::with_namespace(namespace)?;
        plane.kubectl_with_input(&["apply", "-n", namespace, "-f", "-"], OBJECTS)?;
        Ok(Self { plane, namespace, rig: Rig::of_plane(plane, Look::default()).await? })
    }

    /// By its link, as another person sent it; `NS` stands for the namespace.
    async fn open(&self, rest: &str) -> Result<()> {
        let (kind, rest) = rest.split_once('/').context("a kind")?;
        self.rig.visit(&format!("/v/{kind}@/{}", rest.replace("NS", self.namespace))).await
    }

    async fn shows(&self, what: &str) -> Result<()> {
        let expression = format!("shown('#panel').includes({})", json!(what.replace("NS", self.namespace)));
        self.rig.browser.until(&format!("the panel says {what}"), &expression).await
    }

    fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        self.plane.kubectl_output(&[&["-n", self.namespace], arguments].concat())
    }

    async fn close(self) -> Result<()> {
        self.rig.browser.close().await
    }
}

#[tokio::test]
async fn a_panel_opens_by_key_and_by_link_and_follows_its_object() -> Result<()> {
    let panel = Panel::start("panel-opens").await?;
    let browser = &panel.rig.browser;
    panel.open("deployments.apps/NS").await?;
    browser.until("the row", "rowOf('cart')").await?;
    browser.run(&format!("{} rowOf('cart').focus()", page::DEEP), Vec::new()).await?;
    browser.press(&ENTER.to_string()).await?;
    for fact in ["Deployment in NS", "Live", "1 desired", "registry.example.com/cart:1.0", "app=cart"] {
        panel.shows(fact).await?;
    }
    let address = panel.rig.address().await?;
    assert!(address.ends_with(&format!("?o={}/cart", panel.namespace)), "{address}");
    // Conditions follow, trouble first.
    let status = json!({"status": {"observedGeneration": 1, "conditions": [
        {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated", "message": "m"},
        {"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable", "message": "none is ready"},
    ]}});
    let patch = ["patch", "deployment", "cart", "--subresource=status", "--type=merge", "-p"];
    panel.kubectl(&[&patch[..], &[&status.to_string()]].concat())?;
    panel.shows("MinimumReplicasUnavailable none is ready").await?;
    let first = "deep('.list-conditions [role=row]')[1].textContent.startsWith('Available')";
    browser.until("what is False stands first", first).await?;
    // One step back, and by the browser's own way forward again.
    browser.press(&ESCAPE.to_string()).await?;
    browser.until("it is closed", "deep('#panel').length === 0").await?;
    assert!(!panel.rig.address().await?.contains("o="));
    browser.run("history.back()", Vec::new()).await?;
    panel.shows("Deployment in NS").await?;
    // A link opens its tab; a key goes to another, which the link says, too.
    panel.open("deployments.apps/NS?o=NS/cart&tab=yaml").await?;
    panel.shows("apiVersion: apps/v1").await?;
    browser.run(&format!("{} deep('#panel')[0].focus()", page::DEEP), Vec::new()).await?;
    browser.press("t").await?;
    panel.shows("What came before wasn't seen").await?;
    assert!(panel.rig.address().await?.ends_with("&tab=timeline"));
    panel.close().await
}

#[tokio::test]
async fn the_timeline_names_the_field_and_its_writer_and_two_versions_are_compared() -> Result<()> {
    let panel = Panel::start("panel-timeline").await?;
    let browser = &panel.rig.browser;
    panel.open("deployments.apps/NS?o=NS/cart&tab=timeline").await?;
    panel.shows("no change since").await?;
    browser.until("it is live", "shown('#panel .pill').includes('Live')").await?;
    panel.kubectl(&["scale", "deployment", "cart", "--replicas=3"])?;
    let change = |path: &str, was: &str, now: &str| {
        format!(
            "deep('.chg').some((line) => line.querySelector('.chg-path').textContent === '{path}'
              && line.querySelector('.chg-was')?.textContent === '{was}'
              && line.querySelector('.chg-now').textContent === '{now}')"
        )
    };
    browser.until("the field that changed", &change("spec.replicas", "1", "3")).await?;
    let writer = "deep('.tl-item').some((entry) => entry.textContent.includes('spec.replicas')
        && entry.querySelector('.tl-by').textContent === 'kubectl scale')";
    browser.until("who wrote it", writer).await?;
    panel.kubectl(&["label", "deployment", "cart", "tier=api"])?;
    browser.until("a label", "shown('.chg-path').includes('metadata.labels.tier')").await?;
    // A predicate hides what isn't asked for.
    click(browser, "deep('.seg button').find((button) => button.textContent.startsWith('Spec'))").await?;
    browser
        .until(
            "the spec alone",
            "!shown('.chg-path').includes('metadata.labels') && shown('.chg-path').includes('spec.replicas')",
        )
        .await?;
    click(browser, "deep('.seg button')[0]").await?;
    browser.until("all again", "shown('.chg-path').includes('metadata.labels.tier')").await?;
    // Any two versions: the first and the last.
    click(browser, "deep('.tl-note .tl-pick')[0]").await?;
    click(browser, "deep('.tl-item .tl-pick')[0]").await?;
    browser.until("the comparison", "shown('.diff-del').includes('replicas: 1') && shown('.diff-add').includes('replicas: 3') && shown('.diff-add').includes('tier: api')").await?;
    let address = panel.rig.address().await?;
    ensure!(address.contains("&a=") && address.contains("&b="), "{address}");
    panel.close().await
}

#[tokio::test]
async fn yaml_is_searched_and_folded_and_what_is_masked_stays_so() -> Result<()> {
    let panel = Panel::start("panel-yaml").await?;
    let browser = &panel.rig.browser;
    panel.open("deployments.apps/NS?o=NS/cart&tab=yaml").await?;
    panel.shows("apiVersion: apps/v1").await?;
    panel.shows("Masked: 1 env value.").await?;
    click(browser, "deep('#yaml-find')[0]").await?;
    browser.press("canary").await?;
    browser.until("a masked value isn't found", "shown('#yaml-matches') === 'no match'").await?;
    browser.press(&ESCAPE.to_string()).await?;
    browser
        .until("the panel is still open", "shown('#yaml-matches') === '' && deep('#panel').length === 1")
        .await?;
    click(browser, "deep('#fold-all')[0]").await?;
    browser.until("all is folded", "!shown('.y').includes('TOKEN')").await?;
    click(browser, "deep('#yaml-find')[0]").await?;
    browser.press("token").await?;
    browser
        .until(
            "a match opens what hides it",
            "shown('.y-here').includes('TOKEN') && shown('#yaml-matches') === '1 of 1'",
        )
        .await?;
    browser.until("its value is a mask", "deep('.masked').some((mask) => mask.getAttribute('aria-label') === 'masked by the gateway' && mask.textContent === '••••••••')").await?;
    // A fold is the field's and stays when the object changes above it.
    click(
        browser,
        "deep('.y').find((line) => line.textContent.includes('metadata:')).querySelector('button')",
    )
    .await?;
    panel.kubectl(&["scale", "deployment", "cart", "--replicas=2"])?;
    browser
        .until(
            "what changed is marked",
            "deep('.y-new').some((line) => line.textContent.includes('replicas: 2'))",
        )
        .await?;
    let everything = browser.run(&format!("{} return document.documentElement.outerHTML + deep('*').filter((e) => e.shadowRoot).map((e) => e.shadowRoot.innerHTML).join('')", page::DEEP), Vec::new()).await?;
    ensure!(
        !everything.to_string().contains("canary-4711"),
        "the value of an environment variable is on the page"
    );
    panel.close().await
}

#[tokio::test]
async fn what_is_deleted_or_refused_is_told_in_words() -> Result<()> {
    let panel = Panel::start("panel-words").await?;
    let browser = &panel.rig.browser;
    // Its last state stays, with the time of its end.
    panel.open("deployments.apps/NS?o=NS/cart").await?;
    panel.shows("app=cart").await?;
    panel.kubectl(&["delete", "deployment", "cart"])?;
    panel.shows("Deleted at").await?;
    panel.shows("app=cart").await?;
    // An object that isn't there yet appears by itself.
    panel.open("configmaps/NS?o=NS/later").await?;
    panel.shows("It isn't there.").await?;
    panel.kubectl(&["create", "configmap", "later", "--from-literal=a=b"])?;
    browser.until("its data", "shown('#data').includes('1 B')").await?;
    // Secrets aren't shown at all, by no link.
    panel.kubectl(&["create", "secret", "generic", "hidden", "--from-literal=key=canary-0815"])?;
    panel.open("secrets/NS?o=NS/hidden&tab=yaml").await?;
    panel.shows("You may not get secrets").await?;
    browser.until("no value", "!shown('#panel').includes('canary') && deep('.y').length === 0").await?;
    panel.close().await
}

#[tokio::test]
async fn in_the_demo_a_deployment_shows_what_belongs_to_it_and_a_pod_its_owners() -> Result<()> {
    let rig = Rig::of_demo().await?;
    let browser = &rig.browser;
    rig.go("/v/deployments.apps@/*").await?;
    browser.until("rows", "rows().length > 3").await?;
    click(browser, "rows()[2]").await?;
    browser
        .until(
            "its ReplicaSets and their Pods",
            "['ReplicaSet', 'Pod'].every((kind) => shown('.tree-kind').includes(kind))",
        )
        .await?;
    // Down the tree to a pod, by its link; up again by the names of its owners.
    click(
        browser,
        "deep('.tree-row').filter((row) => row.textContent.startsWith('Pod'))[0].querySelector('a')",
    )
    .await?;
    browser
        .until(
            "the pod",
            "shown('.panel-kind').startsWith('Pod in') && shown('#containers').includes('Running')",
        )
        .await?;
    browser.until("its owners", "shown('.tree-kind').startsWith('Deployment | ReplicaSet | Pod')").await?;
    browser
        .until(
            "where it runs",
            "deep('#facts a').some((link) => link.getAttribute('href').includes('/v/nodes@'))",
        )
        .await?;
    browser.until("its events, or that there are none", "shown('#events').length > 20").await?;
    // Wider by the pointer and by a key, and as wide the next time.
    let width = "Math.round(deep('#panel')[0].getBoundingClientRect().width)";
    let before = browser.read(width).await?;
    drag(browser, "deep('.panel-grip')[0]", To::Right(-100.0)).await?;
    browser.until("a wider panel", &format!("{width} > {before} + 80")).await?;
    let dragged = browser.read(width).await?;
    browser.read("deep('.panel-grip')[0].focus()").await?;
    browser.press("[").await?;
    browser.until("wider still", &format!("{width} > {dragged}")).await?;
    let wide = browser.read(width).await?;
    browser.run("location.reload()", Vec::new()).await?;
    browser.until("the panel, as wide as it was", &format!("{width} === {wide}")).await?;
    rig.browser.close().await
}

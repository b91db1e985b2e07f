//! The panel of one object against a real kube-apiserver: what the server and the gateway decide, as it is drawn.

use anyhow::{Result, ensure};
use cluster::ControlPlane;
use testkit::browser::Look;
use testkit::{page, planes};

use crate::rig::UiRig;

const NAMESPACE: &str = "panel";
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
---
apiVersion: v1
kind: Secret
metadata: {name: hidden}
stringData: {key: canary-0815}
"#;

#[tokio::test]
async fn a_panel_names_writers_masks_values_and_shows_no_secret() -> Result<()> {
    let plane = planes::with_namespace(NAMESPACE)?;
    plane.kubectl_with_input(&["apply", "-n", NAMESPACE, "-f", "-"], OBJECTS)?;
    let rig = UiRig::of_plane(plane, Look::default()).await?;
    let browser = &rig.browser;
    let of_cart = |tab: &str| format!("/v/deployments.apps@/{NAMESPACE}?o={NAMESPACE}/cart&tab={tab}");

    rig.visit(&of_cart("timeline")).await?;
    browser.until("it is live", "shown('#panel .pill').includes('Live')").await?;
    browser.until("nothing yet", "shown('#panel').includes('no change since')").await?;
    plane.kubectl_output(&["-n", NAMESPACE, "scale", "deployment", "cart", "--replicas=3"])?;
    let change = "deep('.chg').some((line) => {
        const text = (selector) => line.querySelector(selector)?.textContent;
        return text('.chg-path') === 'spec.replicas' && text('.chg-was') === '1' && text('.chg-now') === '3';
      })";
    browser.until("the field that changed", change).await?;
    let writer = "deep('.tl-item').some((entry) => entry.textContent.includes('spec.replicas')
        && entry.querySelector('.tl-writer').textContent === 'kubectl scale')";
    browser.until("its writer", writer).await?;
    browser.click(".tl-note .tl-pick").await?;
    browser.click(".tl-item .tl-pick").await?;
    let compared = "shown('.diff-del').includes('replicas: 1') && shown('.diff-add').includes('replicas: 3')";
    browser.until("both versions compared", compared).await?;

    a_rollout_is_one_entry_with_its_pod_below_it(&rig, plane, &of_cart("timeline")).await?;

    rig.visit(&of_cart("yaml")).await?;
    browser.until("what is masked", "shown('#panel').includes('Masked: 1 env value.')").await?;
    // The value stands below the window of the YAML: a match brings it into sight.
    browser.click("#yaml-find").await?;
    browser.press("token").await?;
    let mask = "deep('.masked').some((mask) => mask.textContent === '••••••••'
        && mask.getAttribute('aria-label') === 'masked by the gateway')";
    browser.until("a mask in place of the value", mask).await?;
    ensure_absent(&rig, "canary-4711").await?;

    rig.visit(&format!("/v/secrets@/{NAMESPACE}?o={NAMESPACE}/hidden&tab=yaml")).await?;
    browser.until("a refusal", "shown('#panel').includes('hidden by this gateway')").await?;
    browser.until("no YAML", "deep('.y').length === 0").await?;
    ensure_absent(&rig, "canary-0815").await?;
    rig.browser.close().await
}

const DEFINITION: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.panel.example.com}
spec:
  group: panel.example.com
  scope: Namespaced
  names: {kind: Gear, listKind: GearList, plural: gears, singular: gear}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"#;

/// There are no controllers, so what a gear owns is made here.
#[tokio::test]
async fn a_custom_kind_shows_its_fields_and_its_children_and_a_config_map_what_uses_it() -> Result<()> {
    let namespace = "panel-gears";
    let plane = planes::with_namespace(namespace)?;
    let apply = |objects: &str| plane.kubectl_with_input(&["apply", "-n", namespace, "-f", "-"], objects);
    apply(DEFINITION)?;
    let definition = "crd/gears.panel.example.com";
    plane.kubectl_output(&["wait", "--for=condition=Established", definition, "--timeout=30s"])?;
    apply("{apiVersion: panel.example.com/v1, kind: Gear, metadata: {name: main}, spec: {teeth: 12}}")?;
    let path = "jsonpath={.metadata.uid}";
    let uid = plane.kubectl_output(&["-n", namespace, "get", "gears", "main", "-o", path])?;
    let owners = format!(
        "ownerReferences: [{{apiVersion: panel.example.com/v1, kind: Gear, name: main, uid: {uid}}}]"
    );
    apply(&format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: settings, {owners}}}}}"))?;
    let uses = "containers: [{name: app, image: a, envFrom: [{configMapRef: {name: settings}}]}]";
    apply(&format!("{{apiVersion: v1, kind: Pod, metadata: {{name: user, {owners}}}, spec: {{{uses}}}}}"))?;
    let rig = UiRig::of_plane(plane, Look::default()).await?;
    let browser = &rig.browser;
    rig.visit(&format!("/v/gears.panel.example.com@/{namespace}?o={namespace}/main")).await?;
    browser.until("its fields", "/teeth\\s*12/.test(shown('#spec'))").await?;
    let named = |part: &str, rows: &str| {
        format!("{rows}.every((row) => shown('{part}').replace(/\\s+/g, ' ').includes(row))")
    };
    browser.until("what it owns", &named("#tree", "['ConfigMap settings', 'Pod user']")).await?;
    rig.visit(&format!("/v/configmaps@/{namespace}?o={namespace}/settings")).await?;
    browser.until("what uses it", &named("#panel", "['Used by', 'Pod user']")).await?;
    rig.browser.close().await
}

/// An object of `kind` that another one controls.
fn owned(kind: &str, name: &str, owner: &str, spec: &str) -> String {
    let api_version = if kind == "Pod" { "v1" } else { "apps/v1" };
    format!(
        "{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: {name}, labels: {{app: cart, of: {name}}},
          ownerReferences: [{owner}]}}, spec: {spec}}}"
    )
}

/// There are no controllers, so what they write comes from here.
async fn a_rollout_is_one_entry_with_its_pod_below_it(
    rig: &UiRig,
    plane: &ControlPlane,
    timeline: &str,
) -> Result<()> {
    let browser = &rig.browser;
    let kubectl = |arguments: &[&str]| plane.kubectl_output(&[&["-n", NAMESPACE], arguments].concat());
    let owner = |kind: &str, name: &str| -> Result<String> {
        let uid = kubectl(&["get", kind, name, "-o", "jsonpath={.metadata.uid}"])?;
        Ok(format!("{{apiVersion: apps/v1, kind: {kind}, name: {name}, uid: {uid}, controller: true}}"))
    };
    let apply = |object: String| plane.kubectl_with_input(&["apply", "-n", NAMESPACE, "-f", "-"], &object);
    let says = |reason: &str| {
        let status = format!(
            r#"{{"status": {{"observedGeneration": 9, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3,
              "conditions": [{{"type": "Progressing", "status": "True", "reason": "{reason}"}}]}}}}"#
        );
        kubectl(&["patch", "deployment", "cart", "--subresource=status", "--type=merge", "-p", &status])
    };
    let containers = "{containers: [{name: app, image: registry.example.com/cart:2.0}]}";
    let set = format!(
        "{{replicas: 0, selector: {{matchLabels: {{app: cart, of: cart-7d9}}}},
          template: {{metadata: {{labels: {{app: cart, of: cart-7d9}}}}, spec: {containers}}}}}"
    );
    apply(owned("ReplicaSet", "cart-7d9", &owner("Deployment", "cart")?, &set))?;
    says("ReplicaSetUpdated")?;
    rig.visit(timeline).await?;
    browser.until("it is live", "shown('#panel .pill').includes('Live')").await?;
    browser.until("its log", "shown('#panel').includes('All below is from the record')").await?;
    kubectl(&["set", "image", "deployment/cart", "app=registry.example.com/cart:2.0"])?;
    browser.until("it goes on", "shown('.tl-story').includes('Rollout to cart:2.0, 3 of 3 so far')").await?;
    apply(owned("Pod", "cart-7d9-x2k", &owner("ReplicaSet", "cart-7d9")?, containers))?;
    browser.until("two changes", "shown('.tl-more').includes('2 changes')").await?;
    says("NewReplicaSetAvailable")?;
    let ended = "/Rollout to cart:2\\.0, (\\d+s, )?3 of 3(?! so far)/.test(shown('.tl-story'))";
    browser.until("it is over", ended).await?;
    browser.click(".tl-more").await?;
    let pod = "deep('.tl-steps .tl-item').some((step) => /Pod …-7d9-x2k\\s*Created/.test(step.textContent))";
    browser.until("its pod below it", pod).await?;
    browser.click("#tab-overview").await?;
    let top = "[...deep('#rollout, #tree, #facts')].map((part) => part.getBoundingClientRect().top)";
    let order = format!("{top}.length === 3 && {top}.every((top, at, all) => at === 0 || top > all[at - 1])");
    browser.until("the rollout, its pods, the facts", &order).await?;
    browser.until("a bar of three pods", "deep('.roll-bar rect').length === 3").await
}

async fn ensure_absent(rig: &UiRig, value: &str) -> Result<()> {
    let everything = format!(
        "{} return document.documentElement.outerHTML
           + deep('*').filter((e) => e.shadowRoot).map((e) => e.shadowRoot.innerHTML).join('')",
        page::DEEP
    );
    let everything = rig.browser.run(&everything, Vec::new()).await?;
    ensure!(!everything.to_string().contains(value), "{value} is on the page");
    Ok(())
}

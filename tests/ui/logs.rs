//! The tab with the logs of containers, before the playground: lines, search, pause, what is written to deceive, and a right
//! that is missing.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use testkit::load::refused;

use crate::rig::{UiRig, of_bearers_for, sign_in};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::page;

/// Whether a line on the screen has this text.
fn a_line(text: &str) -> String {
    format!("deep('#logs .lg-text').some((line) => line.textContent.includes({text:?}))")
}

#[tokio::test]
async fn a_pod_that_crashes_says_why_and_its_workload_has_the_lines_of_all_its_pods() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    rig.go("/v/pods@/payments?q=settlement-import").await?;
    browser.until("its pod", "rows().length === 1").await?;
    browser.enter_table().await?;
    browser.press("i").await?;
    browser.until("why it crashes", &a_line("has no column \"currency\"")).await?;
    let colours = "deep('#logs .lg-error').some((line) => line.textContent.includes('ERROR'))";
    browser.until("how bad a line is", colours).await?;
    ensure!(browser.text("shown('#logs-state')").await? == "Following", "it follows");
    let role = "deep('#logs')[0].getAttribute('role') + deep('#logs')[0].getAttribute('aria-live')";
    ensure!(browser.text(role).await? == "logoff", "no line is read aloud by itself");

    // The keys are those of the log while something is looked for.
    browser.press("/").await?;
    browser.press("currency").await?;
    browser.until("hits", "/^\\d[\\d,]* of \\d/.test(shown('#logs-hits'))").await?;
    browser
        .until("a mark on them", "deep('.lg-here .lg-hit').some((hit) => hit.textContent === 'currency')")
        .await?;
    let hit = browser.text("shown('#logs-hits')").await?;
    browser.click("#logs").await?;
    browser.press("n").await?;
    browser.until("the next hit", &format!("shown('#logs-hits') !== {hit:?}")).await?;
    browser.press("N").await?;
    browser.until("the hit before", &format!("shown('#logs-hits') === {hit:?}")).await?;
    browser.until("the link has it", "location.search.includes('tab=logs&log=find:currency')").await?;

    browser.click("#logs-filter").await?;
    browser.press("level>=error !currency").await?;
    let filtered = "deep('#logs .lg-text').length > 0
        && deep('#logs .lg-line:not(.lg-mark):not(.lg-probe)').every((line) => line.matches('.lg-error')
          && !line.textContent.includes('currency'))";
    browser.until("only errors", filtered).await?;

    rig.visit("/v/deployments.apps@/shop?o=shop/catalog&tab=logs").await?;
    browser
        .until(
            "names beside the lines",
            "new Set(deep('#logs .lg-pod').map((pod) => pod.textContent)).size > 1",
        )
        .await?;
    let pods = browser.read("Number(/(\\d+) pods/.exec(shown('#logs-choose'))[1])").await?;
    ensure!(pods.as_u64().is_some_and(|pods| pods > 1), "{pods}");
    browser.click("#logs").await?;
    browser.press(" ").await?;
    browser.until("what waits", "/Paused\\s*[1-9]\\d* lines? pending/.test(shown('.lg-foot'))").await?;
    browser.press(" ").await?;
    browser.until("it goes on", "shown('#logs-state') === 'Following'").await?;
    ensure!(browser.console_errors().await?.is_empty(), "no error");
    rig.browser.close().await
}

/// A pod whose only container runs this image.
fn pod(name: &str, namespace: &str, image: &str) -> Value {
    let started = json!({"startedAt": "2026-01-02T03:04:05Z"});
    let status = json!({"name": "app", "image": image, "containerID": "containerd://1", "ready": true,
        "restartCount": 0, "state": {"running": started}});
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "app", "image": image}]},
        "status": {"phase": "Running", "containerStatuses": [status]},
    })
}

/// r_log_2: what a program writes is shown, and obeyed by nothing.
#[tokio::test]
async fn r_log_2_escapes_in_a_log_are_signs_on_the_page() -> Result<()> {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
    let odd = pod("odd", "shop", "registry.example.com/tests/secret:1");
    let playground = crate::rig::playground_of(vec![namespace, odd]).await?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    let title = browser.text("document.title").await?;
    rig.visit("/v/pods@/shop?o=shop/odd&tab=logs&log=from:start").await?;
    browser.click("#logs").await?;
    browser.press("\u{e011}").await?;
    let shown = a_line("\u{241b}]0;title\u{2407}starts");
    browser.until("the escape as a sign", &shown).await?;
    let red = "deep('#logs .an-1').some((part) => part.textContent === 'starts')";
    browser.until("colours are colours", red).await?;
    browser.until("a sign looks like one", "deep('#logs .lg-unseen').length > 0").await?;
    browser
        .until(
            "credentials are masked",
            "deep('#logs .lg-text').some((line) => line.textContent.includes('canary-4711'))",
        )
        .await?;
    ensure!(!browser.text("shown('#logs')").await?.contains("hunter2"), "a password is shown");
    ensure!(browser.text("document.title").await? != "title" && title != "title", "the title is the page's");
    rig.browser.close().await
}

#[tokio::test]
async fn a_log_that_its_reader_may_not_read_is_one_sentence_and_opens_with_the_right() -> Result<()> {
    let (playground, dogwatch): (_, Dogwatch) = of_bearers_for(&["--logs"]).await?;
    let create = |object: Value| playground.create(object).map(drop).map_err(refused);
    let rbac = "rbac.authorization.k8s.io";
    let role = |name: &str, resource: &str| -> Result<()> {
        create(json!({"apiVersion": format!("{rbac}/v1"), "kind": "Role",
            "metadata": {"name": name, "namespace": "team-a"},
            "rules": [{"apiGroups": [""], "resources": [resource], "verbs": ["get", "list", "watch"]}]}))?;
        create(json!({"apiVersion": format!("{rbac}/v1"), "kind": "RoleBinding",
            "metadata": {"name": name, "namespace": "team-a"},
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": name},
            "subjects": [{"apiGroup": rbac, "kind": "User", "name": "alice"}]}))
    };
    create(pod("writes", "team-a", "registry.example.com/tests/busy:1"))?;
    role("sees-pods", "pods")?;
    let browser = Browser::start(Look::default()).await?;
    browser.open(&dogwatch.origin()).await?;
    sign_in(&browser, "token-of-alice").await?;
    page::until_pill(&browser, "Forbidden").await.or_else(|_| Ok::<_, anyhow::Error>(()))?;
    let cluster = page::cluster(&browser).await?;
    let of_pod = format!("{}/v/pods@{cluster}/team-a?o=team-a/writes&tab=logs", dogwatch.origin());
    browser.open(&of_pod).await?;
    browser
        .until(
            "why there are no lines",
            "/pods\\/log|logs/.test(shown('.lg-empty')) && deep('#logs .lg-text').length === 0",
        )
        .await?;
    role("reads-logs", "pods/log")?;
    browser.open(&of_pod).await?;
    browser
        .until("its lines", "deep('#logs .lg-text').some((line) => line.textContent.startsWith('line '))")
        .await?;
    browser.close().await
}

//! The tab with the logs of containers, before the playground: lines, search, filter and pause, what is written to
//! deceive, and a right that is missing.

use anyhow::{Result, ensure};
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use testkit::browser::{Browser, Look};
use testkit::load::refused;

use crate::rig::{UiRig, of_bearers_for, playground_of, sign_in};

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
    browser.press(testkit::input::ENTER).await?;
    // The overview begins with it.
    let last = "deep('#tabpanel')[0]?.firstElementChild?.id === 'last-lines'
        && deep('#last-lines .lg-error').some((line) => line.textContent.includes('has no column \"currency\"'))";
    browser.until("its last lines", last).await?;
    browser.click("#last-all").await?;
    browser.until("why it crashes", &a_line("has no column \"currency\"")).await?;
    browser.until("the tab is in the link", "location.search.includes('tab=logs')").await?;
    let colours = "deep('#logs .lg-error').some((line) => line.textContent.includes('ERROR'))";
    browser.until("how bad a line is", colours).await?;
    browser.until("it follows", "shown('#logs-state') === 'Following'").await?;
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
    // Few lines are left, so that the mark is on the screen.
    let event = "deep('#logs .lg-mark').some((mark) => mark.textContent.includes('Event BackOff: Back-off'))";
    browser.until("an Event between the lines", event).await?;
    browser.click("#logs-events").await?;
    browser.until("none", &format!("!({event}) && location.search.includes('$noevents')")).await?;
    browser.click("#logs-events").await?;
    browser.until("it is back", event).await?;

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

#[tokio::test]
async fn in_a_narrow_view_lines_and_events_wrap_and_a_time_is_a_link() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    browser.resize(480, 800, 1).await?;
    rig.go("/v/pods@/payments?q=settlement-import").await?;
    browser.until("its pod", "rows().length === 1").await?;
    browser.enter_table().await?;
    browser.press(testkit::input::ENTER).await?;
    browser.until("the tab", "deep('#tab-logs').length === 1").await?;
    browser.click("#tab-logs").await?;
    browser.until("why it crashes", &a_line("has no column \"currency\"")).await?;
    browser.click("#logs").await?;
    browser.press("w").await?;
    let wrapped = "deep('#logs .lg-part > .lg-text').length > 0 && deep('#logs .lg-mark.lg-part').length > 0";
    browser.until("lines and an Event of several rows", wrapped).await?;
    let cut = "deep('#logs .lg-text, #logs .lg-mark > .cut').filter((text) => text.scrollWidth > text.clientWidth + 1)
        .map((text) => text.textContent)";
    ensure!(browser.read(cut).await? == json!([]), "{}", browser.read(cut).await?);
    let title = "deep('#logs .lg-link')[0].title";
    ensure!(browser.text(title).await?.ends_with("Link to this line (a)"), "{title}");
    browser.press("a").await?;
    browser.until("a link to a line", "location.search.includes('line:settlement-import')").await?;
    browser.until("it is pointed out", "deep('#logs .lg-here').length > 0").await?;
    rig.browser.close().await
}

/// A pod whose only container has run this image for a few seconds.
fn pod(name: &str, namespace: &str, image: &str) -> Result<Value> {
    let started = Timestamp::now().checked_sub(5.seconds())?.to_string();
    let status = json!({"name": "app", "image": image, "containerID": "containerd://1", "ready": true,
        "restartCount": 0, "state": {"running": {"startedAt": started}}});
    Ok(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
        "spec": {"nodeName": "node", "containers": [{"name": "app", "image": image}]},
        "status": {"phase": "Running", "containerStatuses": [status]},
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn r_log_2_escapes_in_a_log_are_signs_on_the_page() -> Result<()> {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
    let playground = playground_of(vec![namespace]).await?;
    playground.create(pod("odd", "shop", "registry.example.com/tests/secret:1")?).map_err(refused)?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    rig.visit("/v/pods@/shop?o=shop/odd&tab=logs").await?;
    let masked = "deep('#logs .lg-text').some((line) => line.textContent.includes('canary-4711'))";
    browser.until("its lines", masked).await?;
    ensure!(!browser.text("shown('#logs')").await?.contains("hunter2"), "a password is shown");
    browser.click("#logs").await?;
    browser.press(testkit::input::HOME).await?;
    browser.until("the escape as a sign", &a_line("\u{241b}]0;title\u{2407}starts")).await?;
    let red = "deep('#logs .an-1').some((part) => part.textContent === 'starts')";
    browser.until("colours are colours", red).await?;
    browser.until("a sign looks like one", "deep('#logs .lg-unseen').length > 0").await?;
    ensure!(browser.text("document.title").await? != "title", "the title is the page's");
    rig.browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn r_log_1_a_log_that_its_reader_may_not_read_is_one_sentence_and_opens_with_the_right() -> Result<()> {
    let (playground, dogwatch) = of_bearers_for(&["--logs"]).await?;
    let create = |object: Value| playground.create(object).map(drop).map_err(refused);
    let may = |name: &str, resource: &str| -> Result<()> {
        let group = "rbac.authorization.k8s.io";
        let metadata = json!({"name": name, "namespace": "team-a"});
        create(json!({"apiVersion": format!("{group}/v1"), "kind": "Role", "metadata": metadata,
            "rules": [{"apiGroups": [""], "resources": [resource], "verbs": ["get", "list", "watch"]}]}))?;
        create(json!({"apiVersion": format!("{group}/v1"), "kind": "RoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": name},
            "subjects": [{"apiGroup": group, "kind": "User", "name": "alice"}]}))
    };
    create(pod("writes", "team-a", "registry.example.com/tests/busy:1")?)?;
    may("sees-pods", "pods")?;
    let browser = Browser::start(Look::default()).await?;
    let link = format!("{}/v/pods@dogwatch/team-a?o=team-a/writes&tab=logs", dogwatch.origin());
    browser.open(&link).await?;
    sign_in(&browser, "token-of-alice").await?;
    browser
        .until("why there are no lines", "shown('.lg-empty').startsWith('You may not get the log of pods')")
        .await?;
    ensure!(browser.read("deep('#logs .lg-text').length").await? == json!(0), "no line is shown");
    may("reads-logs", "pods/log")?;
    browser.open(&link).await?;
    sign_in(&browser, "token-of-alice").await?;
    let lines = "deep('#logs .lg-text').some((line) => line.textContent.startsWith('line '))";
    browser.until("its lines", lines).await?;
    browser.close().await
}

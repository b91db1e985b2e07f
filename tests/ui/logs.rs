//! The tab with the logs of containers, before the playground: lines, search, filter and pause.

use anyhow::{Result, ensure};

use crate::rig::UiRig;

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

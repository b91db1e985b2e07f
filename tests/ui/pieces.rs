//! The pieces of the program that are fetched after the first rows, when one can't be had.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::rig::UiRig;

/// A gateway that is behind a broken proxy for a while: the panel's file can't be had, the table stays live, and the
/// panel opens as soon as the file comes.
#[tokio::test]
async fn a_panel_whose_file_cannot_be_fetched_says_so_and_opens_when_it_comes() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    browser.devtools("Network.enable", json!({})).await?;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": ["*split_panel*"] })).await?;
    rig.go_to_pods().await?;
    let name = browser.text("rows()[0].querySelector('.td-name').textContent").await?;
    browser.click_on("rows()[0].querySelector('.td-ready')").await?;
    browser
        .until("why there is no panel", "shown('.piece-missing').includes(\"couldn't be fetched\")")
        .await?;
    ensure!(browser.read("deep('#panel').length").await?.as_u64() == Some(0), "no panel");
    ensure!(browser.text("shown('.pill')").await?.contains("Live"), "the table stays live");
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await?;
    browser.click(".piece-missing button").await?;
    browser.until("the panel", &format!("shown('#panel').includes('{name}')")).await?;
    ensure!(browser.read("deep('.piece-missing').length").await?.as_u64() == Some(0), "nothing is missing");
    rig.browser.close().await
}

/// Keeps what the page's sockets say and hear. A message changes the document, which is looked at when it changes.
const LISTENED: &str = "
window.said = []; window.heard = []; window.sockets = 0;
window.WebSocket = class extends WebSocket {
  constructor(...all) {
    super(...all);
    sockets += 1;
    this.addEventListener('message', ({ data }) => { document.documentElement.dataset.heard = heard.push(data); });
  }
  send(text) { said.push(text); super.send(text); }
};";

/// The program takes the socket over with what came on it, so that no round trip waits for the program.
#[tokio::test]
async fn the_gateway_is_greeted_before_the_program_is_there() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": LISTENED })).await?;
    browser.devtools("Network.enable", json!({})).await?;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": ["*/assets/frontend-*.wasm"] })).await?;
    rig.visit("/v/pods@/*").await?;
    let welcome = "heard.some((data) => typeof data === 'string' && data.startsWith('{\"welcome\"'))";
    browser.until("a welcome without a program", welcome).await?;
    let said = "shown('.bar-missing').includes(\"couldn't be had (frontend-\")";
    browser.until("why there is no program", said).await?;
    let errors = browser.console_errors().await?;
    ensure!(errors.iter().all(|error| error.contains("Failed to fetch")), "{errors:#?}");
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await?;
    rig.go_to_pods().await?;
    ensure!(browser.read("sockets").await? == json!(1), "the program opened another socket");
    let hellos = browser.read("said.filter((text) => text.startsWith('{\"hello\"')).length").await?;
    ensure!(hellos == json!(1), "{hellos} times hello");
    rig.browser.close().await
}

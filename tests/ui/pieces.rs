//! The pieces of the program that are fetched after the first rows, when one can't be had.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::rig::Rig;

/// A gateway that is behind a broken proxy for a while: the panel's file can't be had, the table stays live, and the
/// panel opens as soon as the file comes.
#[tokio::test]
async fn a_panel_whose_file_cannot_be_fetched_says_so_and_opens_when_it_comes() -> Result<()> {
    let rig = Rig::of_demo().await?;
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

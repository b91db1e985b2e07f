//! A page that can't start because its gateway and that of its files are of two versions.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::rig::UiRig;

/// A file that another one imports, the start itself, a style sheet, without which the program does start, and the program.
#[tokio::test]
async fn a_page_whose_files_are_another_versions_says_so_and_starts_by_itself_when_they_are_there()
-> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    browser.devtools("Network.enable", json!({})).await?;
    browser.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await?;
    for file in ["greeting", "start", "tokens", "frontend-*.wasm"] {
        browser.devtools("Network.setBlockedURLs", json!({ "urls": [format!("*/assets/{file}*")] })).await?;
        rig.visit("/v/pods@/*").await?;
        let said = "shown('.bar-missing').includes('loaded again until all its files are there')";
        browser.until(&format!("that {file} is missing"), said).await?;
        ensure!(browser.read("deep('[role=alert]').length").await? == json!(1), "one sentence");
        browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await?;
        let is_over = "deep('.bar-missing').length === 0 && shown('.pill').includes('Live')";
        browser.until("the whole page", is_over).await?;
        // The next wait is the first again.
        browser.run("sessionStorage.removeItem('dogwatch-missing')", Vec::new()).await?;
    }
    let errors = browser.console_errors().await?;
    ensure!(errors.iter().all(|error| error.contains("Failed to fetch")), "{errors:#?}");
    rig.browser.close().await
}

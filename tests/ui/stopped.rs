//! What the page says when its program can't go on.

use anyhow::Result;
use testkit::browser::Look;
use testkit::dogwatch::Dogwatch;
use testkit::page;

/// What a browser reports when wasm traps: nothing in a page that works does so.
const TRAP: &str =
    "dispatchEvent(new ErrorEvent('error', { error: new WebAssembly.RuntimeError('unreachable') }))";

#[tokio::test]
async fn a_page_whose_program_broke_says_so_and_claims_nothing() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    browser.run(TRAP, Vec::new()).await?;
    browser
        .until("that it stopped", "shown('[role=alert]').includes('Nothing here is live any more')")
        .await?;
    for claim in [".pill", "#health"] {
        let visibility = format!("getComputedStyle(deep('{claim}')[0]).visibility === 'hidden'");
        browser.until("that nothing is called live", &visibility).await?;
    }
    browser.click(".bar-stopped button").await?;
    browser.until("a new page", "!document.documentElement.hasAttribute('data-stopped')").await?;
    page::until_pill(&browser, "Live").await?;
    browser.close().await
}

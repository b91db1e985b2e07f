//! The page in several tabs of one browser: signed in once, each with its own views over its own socket;
//! what is kept of a reader is kept for all of them, and none undoes what another one kept.

use anyhow::{Result, ensure};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::page;

const PINNED: &str = "deep('.nav-tree [role=group]').find((group) => group.textContent.startsWith('Pinned'))";

#[tokio::test]
async fn tabs_share_who_is_signed_in_and_what_is_kept_and_nothing_else() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = Browser::start(Look::default()).await?;
    let first = browser.client().window().await?;
    browser.open(&dogwatch.origin()).await?;
    browser.until("nobody is signed in", "deep('.login').length === 1").await?;

    // Signing in in one tab signs in the others.
    let second = browser.open_window().await?;
    browser.look_at(&second).await?;
    browser.open(dogwatch.url()).await?;
    page::until_pill(&browser, "Live").await?;
    browser.open(&format!("{}/v/nodes@playground/-", dogwatch.origin())).await?;
    page::until_pill(&browser, "Live").await?;
    browser.look_at(&first).await?;
    page::until_pill(&browser, "Live").await?;

    // What is held in one is live in the other.
    browser.open(&format!("{}/v/pods@playground/*", dogwatch.origin())).await?;
    browser.until("pods", "rows().length > 5").await?;
    browser.enter_table().await?;
    browser.press(" ").await?;
    page::until_pill(&browser, "Paused").await?;
    browser.look_at(&second).await?;
    ensure!(browser.read("shown('.pill').includes('Live')").await?.as_bool() == Some(true), "nodes are live");
    ensure!(browser.text("location.pathname").await? == "/v/nodes@playground/-", "its address is its own");

    // A theme and a pin, each chosen in another tab: both are kept, and seen in both.
    browser.click("#theme").await?;
    browser.until("a theme", "document.body.dataset.theme !== undefined").await?;
    let theme = browser.text("document.body.dataset.theme").await?;
    browser.look_at(&first).await?;
    browser.until("the same theme", &format!("document.body.dataset.theme === '{theme}'")).await?;
    browser
        .read("deep('.nav-item[href*=\"configmaps\"]')[0].parentElement.querySelector('.nav-pin').click()")
        .await?;
    let pinned = format!("{PINNED}?.textContent.includes('configmaps')");
    browser.until("the pin", &pinned).await?;
    browser.look_at(&second).await?;
    browser.until("the same pin", &pinned).await?;
    browser.click("#theme").await?;
    browser.until("another theme", &format!("document.body.dataset.theme !== '{theme}'")).await?;
    browser.open(&format!("{}/v/pods@playground/*", dogwatch.origin())).await?;
    page::until_pill(&browser, "Live").await?;
    browser.until("the pin is kept", &pinned).await?;
    browser.look_at(&first).await?;
    page::until_pill(&browser, "Paused").await?;
    browser.close().await
}

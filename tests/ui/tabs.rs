//! The page in two tabs of one browser: signed in once, and what is kept of a reader is kept for both.

use anyhow::{Result, ensure};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::page;

const PINNED: &str = "deep('.nav-tree [role=group]').find((group) => group.textContent.startsWith('Pinned'))";

#[tokio::test]
async fn tabs_share_who_is_signed_in_and_what_is_kept() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = Browser::start(Look::default()).await?;
    let first = browser.client().window().await?;
    browser.open(&dogwatch.origin()).await?;
    browser.until("nobody is signed in", "deep('.login').length === 1").await?;
    let second = browser.open_window().await?;
    browser.open(&dogwatch.origin()).await?;
    browser.until("nobody is signed in here either", "deep('.login').length === 1").await?;
    // The other tab hears of it.
    browser.open(dogwatch.url()).await?;
    page::until_pill(&browser, "Live").await?;
    browser.look_at(&first).await?;
    page::until_pill(&browser, "Live").await?;

    // A pause is the tab's own.
    browser.enter_table().await?;
    browser.press(" ").await?;
    page::until_pill(&browser, "Paused").await?;
    browser.look_at(&second).await?;
    page::until_pill(&browser, "Live").await?;
    browser.look_at(&first).await?;
    page::until_pill(&browser, "Paused").await?;
    browser.press(" ").await?;
    page::until_pill(&browser, "Live").await?;

    // One chooses a pin, the other a theme: both are kept, and seen in both.
    browser
        .read("deep('.nav-item[href*=\"configmaps\"]')[0].parentElement.querySelector('.nav-pin').click()")
        .await?;
    let pinned = format!("{PINNED}?.textContent.includes('configmaps')");
    browser.until("the pin", &pinned).await?;
    browser.look_at(&second).await?;
    browser.until("the same pin", &pinned).await?;
    browser.click("#theme").await?;
    browser.until("a theme", "document.body.dataset.theme !== undefined").await?;
    let theme = browser.text("document.body.dataset.theme").await?;
    browser.look_at(&first).await?;
    browser.until("the same theme", &format!("document.body.dataset.theme === '{theme}'")).await?;
    browser.run("location.reload()", Vec::new()).await?;
    page::until_pill(&browser, "Live").await?;
    browser.until("the pin is kept", &pinned).await?;
    ensure!(browser.text("document.body.dataset.theme").await? == theme, "the theme is kept");
    browser.close().await
}

//! A browser that keeps nothing, has no room left, or holds what another version wrote.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::page;

const DENIED: &str = "Object.defineProperty(window, 'localStorage', \
    { get() { throw new DOMException('denied', 'SecurityError'); } });";
const FULL: &str =
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };";
const NO_DATABASE: &str = "Object.defineProperty(window, 'indexedDB', \
    { get() { throw new DOMException('denied', 'SecurityError'); } });";
const UNREADABLE: &str =
    "Storage.prototype.getItem = () => { throw new DOMException('broken', 'UnknownError'); };";

#[tokio::test]
async fn a_browser_that_keeps_nothing_shows_the_page_all_the_same() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    for script in [DENIED, FULL, UNREADABLE] {
        let browser = Browser::start(Look::default()).await?;
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await?;
        browser.open(&dogwatch.fresh_url()?).await?;
        page::until_pill(&browser, "Live").await?;
        // What would be kept works for as long as the page is open.
        browser.until("rows", "rows().length > 5").await?;
        browser.click("[aria-label='Pin nodes'], [aria-label='Pin services']").await?;
        browser.until("it is pinned", "shown('.nav-group').startsWith('Pinned')").await?;
        browser.click("#theme").await?;
        browser.until("another theme", "document.body.dataset.theme !== undefined").await?;
        browser.click("a[href*='/v/services@']").await?;
        browser.until("another view", "location.pathname.startsWith('/v/services@')").await?;
        page::until_pill(&browser, "Live").await?;
        // The key is kept elsewhere.
        browser.run("location.reload()", Vec::new()).await?;
        page::until_pill(&browser, "Live").await?;
        browser.close().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_browser_that_keeps_no_key_says_so() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = Browser::start(Look::default()).await?;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": NO_DATABASE })).await?;
    browser.open(dogwatch.url()).await?;
    browser.until("why", "shown('.login').includes('IndexedDB')").await?;
    ensure!(browser.text("location.hash").await?.is_empty(), "the address is clean");
    browser.close().await
}

#[tokio::test]
async fn what_another_version_kept_is_read_as_far_as_it_can_be() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let cluster = page::cluster(&browser).await?;
    for (kept, theme) in [
        (
            json!({"theme": "dark", "pinned": ["nodes"], "columns": {"pods": "age,name"}, "boards": [1, 2]}),
            "dark",
        ),
        (
            json!({"theme": "sepia", "pinned": ["unicorns.example.com", "<b>", ""], "columns": {"pods": "x:.[,,,%"}}),
            "",
        ),
        (json!({"theme": {"day": "light"}, "pinned": "nodes"}), ""),
        (json!([1, 2, 3]), ""),
        (json!("x".repeat(300 * 1024)), ""),
    ] {
        let keep = format!("localStorage.setItem('dogwatch.1', {})", json!(kept.to_string()));
        browser.run(&keep, Vec::new()).await?;
        browser.open(&format!("{}/v/pods@{cluster}/*", dogwatch.origin())).await?;
        page::until_pill(&browser, "Live").await?;
        browser.until("rows", "rows().length > 5 && cells(rows()[0]).length > 1").await?;
        let shown = browser.text("document.body.dataset.theme ?? ''").await?;
        ensure!(shown == theme, "{kept} makes the theme {shown:?}");
    }
    browser.close().await
}

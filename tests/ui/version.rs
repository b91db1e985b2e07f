//! A gateway of another version: the page says so, claims nothing, and offers to load itself anew.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::Look;
use testkit::dogwatch::Dogwatch;
use testkit::page;

use crate::element::{import, visit};

/// The page speaks a version that this gateway has never heard of: it answers as it would.
pub const A_PAGE_OF_TOMORROW: &str = r"
const plain = window.WebSocket;
window.WebSocket = class extends plain {
  constructor(url, protocol) { super(url, protocol.replace('dogwatch.v2', 'dogwatch.v9')); }
  send(text) { super.send(text.replace('dogwatch.v2', 'dogwatch.v9')); }
};";

/// The gateway was replaced behind an open page: its welcome names another version.
const A_GATEWAY_OF_TOMORROW: &str = r"
const plain = window.WebSocket;
window.WebSocket = class extends plain {
  set onmessage(react) {
    super.onmessage = react && ((event) => {
      const isWelcome = typeof event.data === 'string' && event.data.startsWith('{\x22welcome\x22');
      react(isWelcome ? new MessageEvent('message', { data: event.data.replace('dogwatch.v2', 'dogwatch.v9') }) : event);
    });
  }
};";

#[tokio::test]
async fn a_gateway_of_another_version_is_named_and_the_page_can_be_loaded_anew() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    for script in [A_PAGE_OF_TOMORROW, A_GATEWAY_OF_TOMORROW] {
        let browser = page::signed_in(Look::default(), &dogwatch.fresh_url()?).await?;
        let source = json!({ "source": script });
        let added = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source).await?;
        browser.run("location.reload()", Vec::new()).await?;
        browser.until("what is wrong", "/speaks? dogwatch/.test(shown('#bar'))").await?;
        browser.until("why there are no rows", "shown('.blank').includes('another version')").await?;
        browser
            .until("nothing is called live or on its way", "!/live|syncing/i.test(shown('.pill, #health'))")
            .await?;
        // A page that is loaded anew is the gateway's own.
        let identifier = json!({ "identifier": added["identifier"] });
        browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier).await?;
        let reload = "deep('button').find((button) => /reload/i.test(button.textContent))";
        browser.until("a way out", reload).await?;
        browser.click_on(reload).await?;
        page::until_pill(&browser, "Live").await?;
        browser.close().await?;
    }
    Ok(())
}

#[tokio::test]
async fn r_emb_7_an_element_of_another_version_says_so_in_its_place_and_asks_for_a_reload() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let heard = "
      window.states = [];
      addEventListener('state', ({ detail }) => states.push(detail));
    ";
    let is_told = "states.at(-1)?.state === 'other-version' && states.at(-1).reason === 'Version' && deep('dogwatch-table:state(other-version)').length === 1";
    let error = "heard.filter(([name, detail]) => name === 'error' && detail.reason === 'Version').length";

    // The gateway is replaced behind an element with rows: they stay, and say what they are.
    visit(&browser, &dogwatch).await?;
    browser.run(heard, Vec::new()).await?;
    import(&browser, "/element.js").await?;
    browser.run("add('dogwatch-table', { resource: 'services' });", Vec::new()).await?;
    page::until_pill(&browser, "Live").await?;
    browser.run(&format!("{A_GATEWAY_OF_TOMORROW} opened[0].close();"), Vec::new()).await?;
    browser.until("its state", is_told).await?;
    let line = "rows().length > 0 && shown('.notice-text').includes('dogwatch.v9') && deep('.notice button').some((button) => button.textContent === 'Reload the page')";
    browser.until("the rows of before, and a button", line).await?;
    ensure!(
        browser.read(&format!("{error} === 1 && deep('[part=error]').length === 0")).await? == json!(true),
        "once"
    );

    // An element that is added then: there is nothing to show but that.
    browser
        .devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": A_PAGE_OF_TOMORROW }))
        .await?;
    visit(&browser, &dogwatch).await?;
    browser.run(heard, Vec::new()).await?;
    import(&browser, "/element.js").await?;
    browser.run("add('dogwatch-table', { resource: 'services' });", Vec::new()).await?;
    browser.until("its state", is_told).await?;
    let place = "/dogwatch\\.v.*Reload this page\\./.test(shown('[part=error]')) && getComputedStyle(deep('.dw-host')[0]).display === 'none'";
    browser.until("what is wrong, and what helps", place).await?;
    ensure!(browser.read(&format!("{error} === 1")).await? == json!(true), "once");
    browser.close().await
}

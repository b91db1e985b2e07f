//! A plain HTML page with two `<dogwatch-table>` elements, in Chromium: both are live, over one socket;
//! neither takes the page's keys or title, and one that leaves gives its rows back.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::page;

use crate::element::{import, visit};
use crate::rig::UiRig;
use crate::third_party_page::third_party;

#[tokio::test]
async fn two_elements_of_a_plain_page_are_live_over_one_socket() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    // A session on this origin exists already.
    let browser = page::signed_in(Look { width: 1200, height: 1100, dark: false }, dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    let script = "
      document.title = 'A plain page';
      for (const link of ['/v/deployments.apps', '/v/pods?sort=-restarts']) add('dogwatch-table', { link });
    ";
    browser.run(script, Vec::new()).await?;
    let live =
        "deep('.pill').length === 2 && deep('.pill').every((pill) => pill.textContent.includes('Live'))";
    browser.until("both are live", live).await?;
    browser
        .until(
            "both have rows",
            "deep('[role=grid]').every((grid) => Number(grid.getAttribute('aria-rowcount')) > 5)",
        )
        .await?;
    ensure!(browser.read("opened.length").await? == json!(1), "one socket for both");
    let title = browser.text("document.title").await?;
    ensure!(title == "A plain page", "the title is the page's own: {title}");
    let address = browser.text("location.pathname + location.search").await?;
    ensure!(address == "/healthz", "the address is the page's own: {address}");

    // A key of the page is the page's, until an element has the focus.
    browser.press("/").await?;
    ensure!(
        browser.read("document.activeElement === document.body").await?.as_bool() == Some(true),
        "a key was taken"
    );
    browser.enter_table().await?;
    browser.press("j").await?;
    browser
        .until("the second row", "Number(deep('.tr-focus')[0]?.getAttribute('aria-rowindex')) >= 3")
        .await?;

    // An element has no panel: a click on a row asks for none, and the page's address stays.
    browser.click_on("deep('[data-row] .td-ready')[0]").await?;
    browser.until("no panel", "deep('#panel').length === 0 && location.search === ''").await?;

    // Another link, another theme; and an element that leaves.
    browser.read("document.querySelector('dogwatch-table').setAttribute('link', '/v/nodes')").await?;
    browser.until("nodes", "shown('.view-title').includes('nodes')").await?;
    browser.read("document.querySelector('dogwatch-table').setAttribute('theme', 'dark')").await?;
    browser
        .until(
            "it alone is dark",
            "deep('.dw-host').map((host) => host.dataset.theme ?? 'auto').sort().join(' ') === 'auto dark'",
        )
        .await?;
    browser.read("document.querySelector('dogwatch-table').setAttribute('link', 'garbage')").await?;
    browser
        .until("what is wrong with its link", "shown('[part=error]').includes('link=\"garbage\"')")
        .await?;
    browser.read("document.querySelector('dogwatch-table').remove()").await?;
    browser
        .until("one is left, and live", "deep('.pill').length === 1 && shown('.pill').includes('Live')")
        .await?;
    browser
        .read("document.body.append(Object.assign(document.createElement('dogwatch-table'), { id: 'late' }))")
        .await?;
    browser.read("document.querySelector('#late').setAttribute('link', '/v/services?q=kube')").await?;
    browser.until("one that came later", "shown('.view-title').includes('services') && deep('.pill').every((pill) => pill.textContent.includes('Live'))").await?;
    ensure!(browser.read("opened.length").await? == json!(1), "still one socket");
    browser.close().await
}

/// What the page offers as HTML, in a document that holds nothing else.
#[tokio::test]
async fn the_html_that_the_page_offers_shows_the_same_view() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    for (link, tag) in [
        ("/v/pods@/*?q=a&sort=-name&cols=name,status", "dogwatch-table"),
        ("/log/pods@/*?lq=status", "dogwatch-changes"),
    ] {
        rig.go(link).await?;
        browser.click_on("deep('#export')[0]").await?;
        browser.until("the HTML", "shown('#html').includes('element.js')").await?;
        let html = browser.text("shown('#html')").await?;
        ensure!(html.contains(&format!("<{tag} ")), "{html}");
        let shown = "[deep('.view')[0].getAttribute('aria-label'), deep('[role=columnheader]').map((title) => title.textContent.trim())]";
        let in_page = browser.read(shown).await?;
        browser.open(&format!("{}/healthz", rig.dogwatch.origin())).await?;
        let frame =
            browser.devtools("Page.getFrameTree", json!({})).await?["frameTree"]["frame"]["id"].clone();
        browser.devtools("Page.setDocumentContent", json!({ "frameId": frame, "html": html })).await?;
        // Content that is set like this runs no script, and defines no element.
        import(browser, &browser.text("document.scripts[0].src").await?).await?;
        let copied =
            "document.body.replaceChildren(document.importNode(document.body.firstElementChild, true));";
        browser.run(copied, Vec::new()).await?;
        page::until_pill(browser, "Live").await?;
        let is_same = format!("JSON.stringify({shown}) === JSON.stringify({in_page})");
        browser.until("the same view", &is_same).await?;
    }
    rig.browser.close().await
}

/// The gateway of an element is the one that its program came from, not the page's server. It has no session there.
#[tokio::test]
async fn an_element_of_another_origin_dials_the_gateway_that_it_came_from() -> Result<()> {
    let portal = format!("http://{}", third_party().await?);
    let dogwatch = Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0", "--allowed-origin", &portal])?;
    let browser = Browser::start(Look::default()).await?;
    browser.open(&portal).await?;
    let script = "
      const gateway = arguments[0];
      window.said = [];
      console.warn = (...all) => { said.push(all.join(' ')); };
      document.body.append(Object.assign(document.createElement('script'), { type: 'module', src: `${gateway}/element.js` }));
      const element = document.createElement('dogwatch-table');
      element.setAttribute('link', '/v/pods');
      document.body.append(element);
    ";
    browser.run(script, vec![json!(dogwatch.origin())]).await?;
    browser.until("the gateway's answer", "shown('.blank-title').includes('Not signed in')").await?;
    // The console tells the page's author what the gateway lacks, and the log tells the operator.
    browser.until("what would help", "said.some((line) => line.includes('--auth bearer'))").await?;
    ensure!(dogwatch.stderr().contains("give --auth bearer"), "{}", dogwatch.stderr());
    browser.close().await
}

//! The elements of the package `element/` whose attributes or gateway are wrong: what they say, that they don't look alive
//! meanwhile, and that they say it no longer than it is so.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::page;

use crate::element::{import, visit};
use crate::rig::of_bearers;

/// The table is live, and nothing is said in its place.
const IS_LIVE: &str =
    "deep('[part=error]').length === 0 && shown('.pill').includes('Live') && table.matches(':state(live)')";

/// A framework may bring an attribute after the element was connected.
#[tokio::test]
async fn an_attribute_that_is_not_read_hides_the_rows_whenever_it_comes_until_it_is_mended() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    browser.run("window.table = add('dogwatch-table', { resource: 'pods' });", Vec::new()).await?;
    for (wrong, right) in [
        ("labelselector", "label-selector"),
        ("label_selector", "label-selector"),
        ("selector", "label-selector"),
        ("fieldselector", "field-selector"),
        ("field_selector", "field-selector"),
        ("namespace", "namespaces"),
    ] {
        let value = if right == "namespaces" { "default" } else { "" };
        browser.until(&format!("it is live before {wrong}"), IS_LIVE).await?;
        browser
            .run("table.setAttribute(arguments[0], arguments[1]);", vec![json!(wrong), json!(value)])
            .await?;
        let is_said = format!(
            "shown('[part=error]').includes('{wrong} isn\\'t read: write {right}') && rows().every((row) => row.offsetParent === null)"
        );
        browser.until(&format!("{wrong} is refused"), &is_said).await?;
        let stands = browser.run("return [table.matches(':state(live)'), table.export('csv')];", Vec::new());
        ensure!(stands.await? == json!([false, null]), "{wrong}: it has no view");
        browser.run("table.removeAttribute(arguments[0]);", vec![json!(wrong)]).await?;
    }
    browser.until("it is live after all", IS_LIVE).await?;
    let mended =
        "table.setAttribute('labelselector', 'app=web'); table.setAttribute('label-selector', 'app=web');";
    browser.run(mended, Vec::new()).await?;
    browser.until("the right one counts", IS_LIVE).await?;
    let listens = "window.errors = []; table.addEventListener('error', (event) => errors.push(event.detail)); \
        table.setAttribute('sort', 'nosuch');";
    browser.run(listens, Vec::new()).await?;
    let is_said = "errors.some((error) => error.reason === 'BadRequest' && error.message.includes('nosuch'))";
    browser.until("a column that isn't there is told to the page", is_said).await?;
    browser.until("the rows are shown all the same", IS_LIVE).await?;
    let object =
        "add('dogwatch-object', { resource: 'pods', name: 'web-0' }).setAttribute('namespaces', 'shop');";
    browser.run(object, Vec::new()).await?;
    let is_said = "shown('[part=error]').includes('namespaces isn\\'t read: write namespace')";
    browser.until("an object is in one namespace", is_said).await?;
    browser.close().await
}

/// A template whose variable has no value leaves an empty attribute.
#[tokio::test]
async fn an_attribute_that_would_show_more_than_was_meant_is_refused_and_its_element_is_not_live()
-> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    browser.run("window.table = add('dogwatch-table', { resource: 'pods' });", Vec::new()).await?;
    for (name, value, said) in [
        ("namespaces", " ", "namespaces=\" \": it is empty"),
        ("cluster", " ", "cluster=\" \": it is empty"),
        ("label-selector", "", "label-selector=\"\": it is empty"),
        ("field-selector", " ", "field-selector=\" \": it is empty"),
        ("filter", "/(/", "filter=\"/(/\""),
        ("link", "/b?v=pods&v=nodes", "a board has several views"),
        ("label-selector", "app=\u{fffd}", "label-selector=\"app=\u{fffd}\""),
        ("density", "cosy", "density=\"cosy\""),
    ] {
        browser.until(&format!("it is live before {name}"), IS_LIVE).await?;
        // Half of a character can't be sent to the browser.
        let script = "table.setAttribute(arguments[0], arguments[1].replace('\\ufffd', '\\ud800'));";
        browser.run(script, vec![json!(name), json!(value)]).await?;
        let is_said = format!("shown('[part=error]').includes({})", json!(said));
        browser.until(said, &is_said).await?;
        let stands = browser.run("return [table.matches(':state(live)'), table.export('csv')];", Vec::new());
        ensure!(stands.await? == json!([false, null]), "{name}: it has no view");
        browser.run("table.removeAttribute(arguments[0]);", vec![json!(name)]).await?;
    }
    browser.until("it is live after all", IS_LIVE).await?;
    ensure!(
        browser.run("return table.export('csv').name;", Vec::new()).await? == json!("pods.csv"),
        "its rows"
    );
    browser.close().await
}

#[tokio::test]
async fn what_was_said_of_a_gateway_goes_when_an_element_moves_to_another_one() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    // A page's content policy lets no other origin in, and below this path is no program.
    let script = "
      const gateway = `${location.origin}/nothing`;
      window.all = ['table', 'connection', 'table'].map((tag) => add(`dogwatch-${tag}`, { gateway, resource: 'pods' }));
    ";
    browser.run(script, Vec::new()).await?;
    browser
        .until(
            "all say what is wrong",
            "deep('[part=error]').filter(({ textContent }) => textContent.includes('can\\'t be had')).length === 3",
        )
        .await?;
    browser.run("all[2].gateway = location.origin;", Vec::new()).await?;
    browser.until("the first is live", "all[2].matches(':state(live)')").await?;
    browser.run("for (const element of all) element.gateway = location.origin;", Vec::new()).await?;
    browser
        .until(
            "all are",
            "deep('[part=error]').length === 0 && all[0].matches(':state(live)') && all[1].matches(':state(open)')",
        )
        .await?;

    browser.run("for (const element of all) element.gateway = 'ftp://a.test';", Vec::new()).await?;
    browser.until("all say what is wrong now", "deep('[part=error]').length === 3").await?;
    let script = "
      const [table, connection] = all;
      return [
        table.matches(':state(live)'), table.export('csv'), connection.matches(':state(open)'),
        connection.shadowRoot.querySelectorAll('[part=state]').length,
      ];
    ";
    let stands = browser.run(script, Vec::new()).await?;
    ensure!(stands == json!([false, null, false, 0]), "(live, rows, open, words): {stands}");
    browser.run("for (const element of all) element.gateway = location.origin;", Vec::new()).await?;
    browser
        .until(
            "all are back",
            "deep('[part=error]').length === 0 && all[0].matches(':state(live)') && shown('[part=state]') === 'Connected'",
        )
        .await?;
    browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_begins_while_the_api_server_is_away_says_what_the_gateway_said() -> Result<()> {
    let (playground, dogwatch) = of_bearers().await?;
    drop(playground);
    let browser = Browser::start(Look::default()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    let script = "add('dogwatch-table', { resource: 'configmaps', namespaces: 'team-a', tokenProvider: () => 'token-of-alice' });";
    browser.run(script, Vec::new()).await?;
    browser.until("an error", "deep('[part=error]').length === 1").await?;
    let said = browser.text("shown('[part=error]')").await?;
    ensure!(!said.contains("--allowed-origin"), "the gateway was reached: {said}");
    let reason = browser.read("heard.find(([name]) => name === 'error')[1].reason").await?;
    ensure!(reason == json!("ServiceUnavailable"), "{reason}: {said}");
    browser.close().await
}

//! The page of a gateway below a base path, as a reverse proxy passes it on: every address that it makes or reads is
//! below the path.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::Look;
use testkit::dogwatch::Home;
use testkit::page;

const BASE: &str = "/dogwatch";

/// Every file and every page that was asked for, with its status.
const ASKED: &str = "JSON.stringify([...performance.getEntriesByType('navigation'), \
    ...performance.getEntriesByType('resource')].map((entry) => [new URL(entry.name).pathname, entry.responseStatus]))";

#[tokio::test]
async fn a_page_below_a_path_is_left_and_found_again_by_link_reload_and_back() -> Result<()> {
    let dogwatch = Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0", "--base-path", BASE])?;
    let origin = dogwatch.origin();
    ensure!(dogwatch.url().starts_with(&format!("{origin}{BASE}/open/v/pods/")), "{}", dogwatch.url());
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let at = |path: &'static str| format!("location.pathname.startsWith('{BASE}{path}')");
    browser.until("the first view", &at("/v/pods")).await?;

    // Another kind by its link, which is a link of the browser's as well; and then the browser's own ways.
    let links = "JSON.stringify([...new Set(deep('a[href]').map((link) => new URL(link.href).pathname.split('/')[1]))])";
    let links = browser.text(links).await?;
    ensure!(!links.contains("\"v\"") && links.contains("\"dogwatch\""), "links lead to {links}");
    browser.click(".nav-item[href*='/v/deployments']").await?;
    browser.until("deployments", &at("/v/deployments.apps")).await?;
    browser.client().refresh().await?;
    page::until_pill(&browser, "Live").await?;
    browser.until("they are still there", &at("/v/deployments.apps")).await?;
    browser.client().back().await?;
    browser.until("pods again", &at("/v/pods")).await?;
    page::until_pill(&browser, "Live").await?;

    // A panel, and a link in it.
    browser.click_on("deep('[data-row] .td-ready')[0]").await?;
    browser
        .until("the panel", "deep('#panel a[href*=\"/v/\"]').length > 0 && location.search.includes('o=')")
        .await?;
    let owner = "deep('#panel a[href*=\"/v/\"]')[0]";
    ensure!(
        browser.read(&format!("{owner}.pathname.startsWith('{BASE}/v/')")).await? == json!(true),
        "its link"
    );
    let before = browser.text("location.href").await?;
    browser.click_on(owner).await?;
    browser.until("another object", &format!("location.href !== '{before}' && {}", at("/v/"))).await?;
    page::until_pill(&browser, "Live").await?;

    // What was asked for is there, and all of it is below the path.
    let asked: Vec<(String, u16)> = serde_json::from_str(&browser.text(ASKED).await?)?;
    ensure!(asked.len() > 5, "{asked:?}");
    let is_fine = |(path, status): &(String, u16)| path.starts_with(BASE) && *status < 400;
    ensure!(asked.iter().all(is_fine), "{asked:?}");

    // The live table of other pages comes from below the path, too.
    browser.open(&format!("{origin}{BASE}/embed?resource=pods")).await?;
    page::until_pill(&browser, "Live").await?;
    browser.close().await
}

#[tokio::test]
async fn two_renewals_at_once_ask_once_and_a_gateway_at_another_path_has_its_own() -> Result<()> {
    let dogwatch = Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0", "--base-path", BASE])?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let script = r"
      const done = arguments[arguments.length - 1];
      const key = document.querySelector('link[rel=modulepreload][href*=key]').href;
      // As a page of a gateway at the root of this origin leaves it.
      localStorage.setItem('dogwatch.renewed', String(Date.now()));
      const asked = [];
      const plain = window.fetch;
      window.fetch = (url, ...rest) => {
        // The page's own program fetches its pieces when there is time, by their whole addresses.
        if (url instanceof URL) return plain(url, ...rest);
        asked.push(url);
        return Promise.resolve(new Response('{}'));
      };
      import(key)
        .then(({ renew }) => Promise.all([renew(), renew()]))
        .then((said) => done([said, asked]), (error) => done(String(error)));
    ";
    let seen = browser.client().execute_async(script, Vec::new()).await?;
    ensure!(seen == json!([["done", "done"], [format!("{BASE}/login/renew")]]), "{seen}");
    browser.close().await
}

//! Reads the page as a person does: the cells on screen, the pill, the notice line. Through every
//! shadow root, by roles and texts; never through the page's own code.

use anyhow::{Context, Result};

use crate::browser::{Browser, Look};
use crate::kubectl_table::Table;

pub use crate::browser::DEEP;

/// A browser that was let in by a printed URL, and whose first view is live.
pub async fn signed_in(look: Look, url: &str) -> Result<Browser> {
    let browser = Browser::start(look).await?;
    browser.open(url).await?;
    until_pill(&browser, "Live").await?;
    Ok(browser)
}

/// The table on screen. The first column is the gutter, which kubectl doesn't have, nor the columns of what is used.
pub async fn table(browser: &Browser) -> Result<Table> {
    const READ: &str = r"
      const titles = deep('[role=grid] [role=columnheader]:not(.th-polled)').slice(1).map((title) => title.textContent.trim());
      return [titles, rows().map((row) => cells(row))];
    ";
    let read = browser.run(&format!("{DEEP}{READ}"), Vec::new()).await?;
    let (columns, rows): (Vec<String>, Vec<Vec<String>>) =
        serde_json::from_value(read).context("the page has titles and cells")?;
    Ok(Table { columns, rows })
}

/// The cluster that the page shows, by its name in the address.
pub async fn cluster(browser: &Browser) -> Result<String> {
    let path = browser.text("location.pathname").await?;
    Ok(cluster_of(&path)?.to_owned())
}

/// The cluster that a page's path names.
pub fn cluster_of(path: &str) -> Result<&str> {
    let cluster = path.split('@').nth(1).and_then(|rest| rest.split('/').next());
    cluster.context("the page's address names the cluster")
}

/// A link's query for the columns and the order in which kubectl prints a kind. Without it Events stand with the last
/// seen first.
pub fn as_printed(kind: &str) -> String {
    let is_events = kind == "events" || kind.starts_with("events.");
    format!("wide=1{}", if is_events { "&sort=namespace" } else { "" })
}

/// The wide table of a kind as a link, on the cluster that the page shows; `*` is all namespaces.
pub async fn link(browser: &Browser, origin: &str, kind: &str, namespaces: &str) -> Result<String> {
    Ok(format!("{origin}/v/{kind}@{}/{namespaces}?wide=1", cluster(browser).await?))
}

/// Waits for the pill's word, such as `Live`.
pub async fn until_pill(browser: &Browser, word: &str) -> Result<()> {
    browser.until(&format!("the pill says {word}"), &format!("shown('.pill').includes('{word}')")).await
}

//! Takes the pictures of the documents from the running demo: light and dark, wide and narrow, live
//! and stale. Writes to the folder given, else to target/pictures; those of the documents are copied from there.

use std::path::PathBuf;

use anyhow::Result;
use tests::browser::{Browser, Look};
use tests::dogwatch::{Dogwatch, Home};
use tests::page;

/// Names on the left, what a person did on the right.
const PICTURES: [(&str, Look); 4] = [
    ("table-light", Look { width: 1440, height: 900, dark: false }),
    ("table-dark", Look { width: 1440, height: 900, dark: true }),
    ("table-1100", Look { width: 1100, height: 800, dark: false }),
    ("table-narrow", Look { width: 500, height: 844, dark: false }),
];

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("target/pictures"), PathBuf::from);
    let home = Home::new()?;
    let dogwatch = home.serve(&["--demo", "--listen", "127.0.0.1:0"])?;
    for (name, look) in PICTURES {
        let browser = pods(&dogwatch, look).await?;
        browser.screenshot(&folder.join(format!("{name}.png"))).await?;
        browser.close().await?;
    }
    for kind in ["events", "certificates.cert-manager.io", "nodes"] {
        let browser = pods(&dogwatch, Look::default()).await?;
        browser.open(&page::link(&browser, &dogwatch.origin(), kind, "*").await?).await?;
        browser.until("rows", "shown('.pill').includes('Live') && rows().length > 0").await?;
        let short = kind.split('.').next().unwrap_or(kind);
        browser.screenshot(&folder.join(format!("{short}.png"))).await?;
        browser.close().await?;
    }
    let browser = pods(&dogwatch, Look::default()).await?;
    dogwatch.kill()?;
    page::until_pill(&browser, "Stale").await?;
    browser.screenshot(&folder.join("stale.png")).await?;
    browser.close().await
}

/// Pods of all namespaces, wide, with a few changes seen.
async fn pods(dogwatch: &Dogwatch, look: Look) -> Result<Browser> {
    let browser = Browser::start(look).await?;
    browser.open(&dogwatch.fresh_url()?).await?;
    page::until_pill(&browser, "Live").await?;
    browser.open(&page::link(&browser, &dogwatch.origin(), "pods", "*").await?).await?;
    page::until_pill(&browser, "Live").await?;
    browser.until("a change", "shown('.gutter').includes('modified')").await?;
    Ok(browser)
}

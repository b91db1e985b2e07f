//! What a load brings and how long it takes: into a browser that was never here, and into one that has
//! the files.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use testkit::browser::Browser;
use testkit::spread::Spread;

use super::rig::{PageBenchRig, open};

/// Browsers that were never here.
const COLD_LOADS: usize = 3;
/// Loads of the last of them that come after these; Chromium keeps compiled code from the second on.
const LOADS_BEFORE: usize = 2;
const CACHED_LOADS: usize = 3;

/// Times, and the browser with all pods on its page.
pub async fn loads(rig: &PageBenchRig) -> Result<(Value, Browser)> {
    let (mut cold, mut last) = (Vec::new(), None);
    for _ in 0..COLD_LOADS {
        let browser = rig.browser().await?;
        cold.push(open(&browser, &rig.link_with_code()?).await?);
        if let Some(former) = last.replace(browser) {
            former.close().await?;
        }
    }
    let browser: Browser = last.context("a browser")?;
    let (mut cached, link) = (Vec::new(), rig.link(&browser).await?);
    for load in 0..LOADS_BEFORE + CACHED_LOADS {
        let seen = open(&browser, &link).await?;
        if load >= LOADS_BEFORE {
            cached.push(seen);
        }
    }
    let median = |loads: &[Value], key: &str| {
        Spread::of(loads.iter().filter_map(|seen| seen[key].as_f64()).collect()).p50
    };
    let report = json!({
        "rows": rig.pods,
        "paint_ms": median(&cold, "paint_ms"),
        "cold_ms": median(&cold, "exact_ms"),
        "cached_rows_ms": median(&cached, "rows_ms"),
        "cached_ms": median(&cached, "exact_ms"),
        "socket_bytes": median(&cached, "exact_bytes"),
        "all": { "cold": cold, "cached": cached },
    });
    Ok((report, browser))
}

/// What a browser that was never here is sent over HTTP, as it is transferred.
pub async fn files(rig: &PageBenchRig) -> Result<Value> {
    let browser = rig.browser().await?;
    open(&browser, &rig.link_with_code()?).await?;
    let files = browser.run(FILES, Vec::new()).await?;
    browser.close().await?;
    Ok(files)
}

/// Bodies as they were encoded; the heads on top make `transferSize`.
const FILES: &str = r"
const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
return entries.map((entry) => ({
  path: new URL(entry.name).pathname,
  kind: entry.initiatorType,
  body: entry.encodedBodySize,
  transferred: entry.transferSize,
  decoded: entry.decodedBodySize,
}));
";

//! `cargo xtask bench elements [--rounds 5]`: twenty elements with five different views on a page beside one alone, in
//! turns: from the import of the script until every view is exact, and what the page holds then. Browsers that were never
//! here, before a gateway with the demo's cluster. Never asserts: it measures.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use testkit::arguments::number;
use testkit::browser::Look;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::metrics::Metrics;
use testkit::page;
use testkit::spread::Spread;

use crate::page::memory::{keep_memories, memory};

const ROUNDS: usize = 5;
const LEAVES_WITHIN: Duration = Duration::from_secs(30);
const COUNTS: [usize; 2] = [1, 20];

pub async fn run() -> Result<()> {
    let rounds = number("rounds", ROUNDS)?;
    let metrics = Metrics::at_free_port()?;
    let flags = ["--demo", "--listen", "127.0.0.1:0", "--metrics-listen", &metrics.address()];
    let dogwatch = Home::new()?.serve(&flags)?;
    let mut seen: [Vec<Value>; 2] = Default::default();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        for (count, seen) in COUNTS.into_iter().zip(&mut seen) {
            seen.push(elements(&dogwatch, &metrics, count).await?);
        }
    }
    println!("{:>8} {:>10} {:>9} {:>9} {:>6}", "elements", "exact, ms", "JS, MiB", "wasm, MiB", "nodes");
    for (count, seen) in COUNTS.into_iter().zip(&seen) {
        let median = |key: &str| Spread::of(seen.iter().filter_map(|seen| seen[key].as_f64()).collect()).p50;
        println!(
            "{count:>8} {:>10.0} {:>9.1} {:>9.1} {:>6.0}",
            median("exact_ms"),
            median("js_mib"),
            median("wasm_mib"),
            median("dom_nodes")
        );
    }
    Ok(())
}

/// As many elements in a browser of their own, each with the next of the views.
async fn elements(dogwatch: &Dogwatch, metrics: &Metrics, count: usize) -> Result<Value> {
    let browser = page::signed_in(Look::default(), &dogwatch.fresh_url()?).await?;
    browser.devtools("Network.clearBrowserCache", json!({})).await?;
    keep_memories(&browser).await?;
    browser.open(&format!("{}/healthz", dogwatch.origin())).await?;
    let left = Instant::now();
    while metrics.count("dogwatch_sessions")? > 0 {
        ensure!(left.elapsed() < LEAVES_WITHIN, "the page that signed in doesn't leave");
    }
    let answer = browser.client().execute_async(EXACT, vec![json!(count), json!(VIEWS)]).await?;
    let mut seen = memory(&browser).await?;
    seen["exact_ms"] = answer;
    let subscriptions = metrics.count("dogwatch_subscriptions")?;
    let sessions = metrics.count("dogwatch_sessions")?;
    // What pods use is a subscription of its own.
    let expected = count.min(VIEWS.len()) as u64 + 1;
    ensure!(subscriptions == expected, "{subscriptions} subscriptions for {count} elements");
    ensure!(sessions == 1, "{sessions} sockets for {count} elements");
    browser.close().await?;
    Ok(seen)
}

const VIEWS: [&str; 5] = ["pods", "services", "replicasets.apps", "configmaps", "deployments.apps"];

/// An element tells of each proof by an event `sync`; a view is exact with its first one.
const EXACT: &str = "
const [count, views, done] = arguments;
const exact = new Set();
const begin = performance.now();
for (let at = 0; at < count; at += 1) {
  const element = document.createElement('dogwatch-table');
  element.setAttribute('resource', views[at % views.length]);
  element.style.height = '300px';
  element.addEventListener('sync', () => {
    exact.add(at);
    if (exact.size === count) requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
  });
  document.body.append(element);
}
import('/element.js').catch((error) => done(String(error)));
";

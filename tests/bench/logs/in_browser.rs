//! A browser that holds 100,000 lines of ten pods that have ended: a key in the search, from its `input` event until the
//! frame after the one that shows what it finds, and scrolling as a wheel does.

use std::time::Instant;

use anyhow::Result;
use jiff::{Timestamp, ToSpan};
use playground::{Options, Playground};
use serde_json::json;
use testkit::browser::Look;
use testkit::dogwatch::Dogwatch;
use testkit::input::BACKSPACE;
use testkit::page::{DEEP, signed_in};
use testkit::spread::Spread;

use super::{fill, second};
use crate::page::frames::scroll_over;
use crate::page::keystrokes::{listen, one};

/// The kubelet has 10,000 lines of each still.
const PODS: usize = 10;
const WORDS: [&str; 4] = ["line", "4711", "none", "/7$/"];

pub async fn run() -> Result<()> {
    let now = Timestamp::now();
    let ended = json!({ "terminated": {
        "exitCode": 0, "reason": "Completed", "containerID": "containerd://ended",
        "startedAt": second(now.checked_sub(90.seconds())?), "finishedAt": second(now.checked_sub(5.seconds())?),
    } });
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, &ended)?;
    let dogwatch = Dogwatch::of_playground(&playground)?;
    let browser = signed_in(Look::default(), dogwatch.url()).await?;
    let origin = browser.text("location.origin").await?;
    let began = Instant::now();
    browser.open(&format!("{origin}/v/services@/busy?o=busy/busy&tab=logs&log=from:start")).await?;
    browser.until("all lines", "shown('.lg-foot').includes('100,000 lines')").await?;
    println!("100,000 lines of {PODS} pods: there after {:.1} s", began.elapsed().as_secs_f64());
    listen(&browser).await?;
    browser.click("#logs-find").await?;
    let mut all = Vec::new();
    for word in WORDS {
        let mut typed = Vec::new();
        for key in word.chars() {
            typed.push(one(&browser, &key.to_string()).await?);
        }
        let hits = browser.text("shown('#logs-hits')").await?;
        for _ in word.chars() {
            typed.push(one(&browser, BACKSPACE).await?);
        }
        let spread = Spread::of(typed.clone());
        println!(
            "a key of {word:?} in the search, ms: p50 {:.1}, most {:.1}; {hits}",
            spread.p50, spread.max
        );
        all.extend(typed);
    }
    let spread = Spread::of(all);
    println!("{} keys, ms: p50 {:.1}, p99 {:.1}", spread.count, spread.p50, spread.p99);
    browser.run(&format!("{DEEP} deep('#logs')[0].scrollTop = 0"), Vec::new()).await?;
    println!("scrolling: {:#}", scroll_over(&browser, "#logs").await?);
    browser.close().await?;
    playground.stop().await;
    Ok(())
}

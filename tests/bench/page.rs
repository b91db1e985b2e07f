//! `cargo xtask bench page [--pods 1000]`: what the page costs the browser that keeps it open, in
//! Chromium against a playground: bytes of a first load, time to the first exact table, work of the
//! main thread while 1,000 objects change a second, a key in the filter, memory. Prints a table for
//! people, or JSON with `--json`; with `--profile=FOLDER` says by function where the time goes. Never
//! asserts: it measures.

pub mod frames;
pub mod keystrokes;
mod load;
mod memory;
mod print;
mod profile;
mod rig;

use anyhow::Result;
use serde_json::json;
use testkit::arguments::{is_given, number};

use rig::PageBenchRig;

/// `--pods` leaves the larger ones out. Frames and keystrokes are those of the largest.
const PODS: [usize; 3] = [1_000, 10_000, 100_000];
const CHANGES_PER_S: usize = 1_000;

pub async fn run() -> Result<()> {
    let most = number("pods", 100_000)?;
    let mut report = json!({ "changes_per_s": CHANGES_PER_S, "loads": [] });
    let sizes: Vec<usize> = PODS.into_iter().filter(|pods| *pods <= most).collect();
    for pods in &sizes {
        eprintln!("{pods} pods");
        let rig = PageBenchRig::start(*pods).await?;
        let (mut loads, browser) = load::loads(&rig).await?;
        loads["memory"] = memory::memory(&browser).await?;
        if let Some(list) = report["loads"].as_array_mut() {
            list.push(loads);
        }
        if Some(pods) == sizes.last() {
            report["files"] = load::files(&rig).await?;
            let mut writer = rig.writer(CHANGES_PER_S);
            report["keystrokes"] = keystrokes::keystrokes(&rig, &browser, &mut writer).await?;
            report["frames"] = frames::frames(&rig, &browser, &mut writer).await?;
            report["memory_at_end"] = memory::memory(&browser).await?;
            if let Some(folder) = profile::folder() {
                profile::profiles(&folder, &rig, &browser, &mut writer).await?;
            }
        }
        browser.close().await?;
    }
    if is_given("json") {
        println!("{report}");
    } else {
        print::print_table(&report);
    }
    Ok(())
}

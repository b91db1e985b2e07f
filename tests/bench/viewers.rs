//! `cargo xtask bench viewers`: what viewers of 1,000 pods at 200 changes a second cost the gateway and the API
//! server, beside as many raw watches. The writer is the playground's own, because a real API server doesn't sustain
//! that rate on two cores beside everything else. Never asserts: it measures.

use std::time::Instant;

use anyhow::{Context, Result};
use kube::Client;
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use testkit::api;
use testkit::arguments::is_given;
use testkit::client::{Client as FrameClient, all_pods};
use testkit::dogwatch::Dogwatch;
use testkit::load::{Size, Writer, fill};
use testkit::process::{cpu_s, resident_mib};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

const PODS: usize = 1_000;
const VIEWERS: [usize; 4] = [1, 10, 50, 100];
const CHANGES: usize = 2_000;
const CHANGES_PER_S: f64 = 200.0;

pub async fn run() -> Result<()> {
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, Size::Whole)?;
    let dogwatch = Dogwatch::of_playground(&playground)?;
    let client = api::client(&dogwatch.home().kubeconfig_of(&playground)?).await?;

    let mut writer = Writer::new(PODS, CHANGES_PER_S);
    let mut report = Vec::new();
    for viewers in VIEWERS {
        report.push(with_viewers(&playground, &mut writer, &dogwatch, viewers).await?);
        eprintln!("{viewers} viewers done");
    }
    let raw = raw_watch(&playground, &mut writer, &client).await?;
    // A feed goes on for a minute without viewers.
    let left = Instant::now();
    playground.wait_for_watches("pods", 0).await;
    let watched_s = left.elapsed().as_secs_f64();
    let before = cpu_s(dogwatch.pid())?;
    writer.write(&playground, CHANGES).await?;
    let idle = json!({ "watched_s": watched_s, "cpu_s": (cpu_s(dogwatch.pid())? - before) });
    let report =
        json!({ "pods": PODS, "changes": CHANGES, "viewers": report, "raw": raw, "without_viewers": idle });
    if is_given("json") {
        println!("{report}");
    } else {
        print_table(&report);
    }
    playground.stop().await;
    Ok(())
}

async fn with_viewers(
    playground: &Playground,
    writer: &mut Writer,
    dogwatch: &Dogwatch,
    viewers: usize,
) -> Result<Value> {
    let (say_last, last) = watch::channel(String::new());
    let mut reading = JoinSet::new();
    for _ in 0..viewers {
        let mut viewer = dogwatch.connect().await?;
        viewer.subscribe(1, all_pods()?, None).await?;
        viewer.until_sync().await?;
        reading.spawn(read_to(viewer, last.clone()));
    }
    let watches = playground.open_watches("pods");
    let (cpu_before, began) = (cpu_s(dogwatch.pid())?, Instant::now());
    writer.write(playground, CHANGES).await?;
    let wrote_s = began.elapsed().as_secs_f64();
    say_last.send(playground.revision().to_string())?;
    let bytes: Vec<u64> = reading.join_all().await.into_iter().collect::<Result<_>>()?;
    let cpu_s = cpu_s(dogwatch.pid())? - cpu_before;
    Ok(json!({
        "viewers": viewers,
        "changes_per_s": CHANGES as f64 / wrote_s,
        "upstream_watches": watches,
        "cpu_s_per_10000_changes": cpu_s * 10_000.0 / CHANGES as f64,
        "bytes_per_change": bytes.iter().sum::<u64>() as f64 / (viewers * CHANGES) as f64,
        "memory_mib": resident_mib(dogwatch.pid())?,
    }))
}

/// The bytes that came until the last change had: a frame that is late is repeated by the next `sync`.
async fn read_to(mut viewer: FrameClient, last: watch::Receiver<String>) -> Result<u64> {
    let first = viewer.bytes;
    loop {
        let version = match viewer.next().await?.0 {
            ServerFrame::Rows(rows) => rows.resource_version,
            ServerFrame::Sync(sync) => sync.resource_version,
            _ => continue,
        };
        if *last.borrow() == version.as_str() {
            return Ok(viewer.bytes - first);
        }
    }
}

/// The same changes, read by one raw watch: what each viewer would cost without Dogwatch.
async fn raw_watch(playground: &Playground, writer: &mut Writer, client: &Client) -> Result<Value> {
    let (seen, mut arrivals) = mpsc::unbounded_channel();
    let watch = api::watch(client, seen, "raw").await?;
    writer.write(playground, CHANGES).await?;
    let mut bytes = 0;
    for _ in 0..CHANGES {
        bytes += arrivals.recv().await.context("the raw watch ended")?.bytes;
    }
    watch.abort();
    Ok(json!({ "bytes_per_change": bytes as f64 / CHANGES as f64 }))
}

fn print_table(report: &Value) {
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64).unwrap_or_default();
    println!("{PODS} pods, {CHANGES} changes");
    println!(
        "{:>8} {:>10} {:>9} {:>16} {:>14} {:>8}",
        "viewers", "changes/s", "watches", "CPU s per 10,000", "bytes/change", "MiB"
    );
    for row in report["viewers"].as_array().into_iter().flatten() {
        let of = |key: &str| number(row, key);
        println!(
            "{:>8} {:>10.0} {:>9} {:>16.2} {:>14.1} {:>8.1}",
            of("viewers"),
            of("changes_per_s"),
            of("upstream_watches"),
            of("cpu_s_per_10000_changes"),
            of("bytes_per_change"),
            of("memory_mib"),
        );
    }
    println!("raw watch: {:.0} bytes a change and viewer", number(&report["raw"], "bytes_per_change"));
    let idle = &report["without_viewers"];
    println!(
        "the upstream watch ended {:.0} s after the last viewer; then {:.2} s of CPU for the changes",
        number(idle, "watched_s"),
        number(idle, "cpu_s")
    );
}

//! `cargo xtask bench viewers`: what viewers of 1,000 pods cost the gateway and the API server at `--rate` changes a
//! second (200), beside a proxy that copies as many watches and a watch that is only read. The writer is the playground's own, because a real API server doesn't sustain
//! that rate on two cores beside everything else. Never asserts: it measures.

mod beside;

use std::pin::pin;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use futures_util::{AsyncBufRead, AsyncBufReadExt};
use kube::{Client, Config};
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use testkit::api;
use testkit::arguments::{self, is_given};
use testkit::client::{Client as FrameClient, all_pods};
use testkit::dogwatch::Dogwatch;
use testkit::load::{Size, Writer, fill};
use testkit::process::{cpu_s, resident_mib};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use beside::{Beside, Running};

const PODS: usize = 1_000;
const VIEWERS: [usize; 4] = [1, 10, 50, 100];
const CHANGES: usize = 2_000;
const CHANGES_PER_S: usize = 200;
/// How many viewers the proxy has, in turns with the gateway.
const PROXIED: [usize; 2] = [1, 50];

pub async fn run() -> Result<()> {
    if let Some((beside, kubeconfig)) = Beside::asked() {
        return beside.run(&kubeconfig).await;
    }
    let rate = arguments::number("rate", CHANGES_PER_S)?;
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, Size::Whole)?;
    let dogwatch = Dogwatch::of_playground(&playground)?;
    let kubeconfig = dogwatch.home().kubeconfig_of(&playground)?;
    let client = api::client(&kubeconfig).await?;

    let mut writer = Writer::new(PODS, rate as f64);
    let (mut report, mut proxied) = (Vec::new(), Vec::new());
    for viewers in VIEWERS {
        report.push(with_viewers(&playground, &mut writer, &dogwatch, viewers).await?);
        if PROXIED.contains(&viewers) {
            let proxy = Beside::CopyingProxy.start(&kubeconfig)?;
            proxied.push(through_proxy(&playground, &mut writer, &proxy, viewers).await?);
        }
        eprintln!("{viewers} viewers done");
    }
    let reading = read_alone(&playground, &mut writer, Beside::ReadingAlone.start(&kubeconfig)?).await?;
    let raw = raw_watch(&playground, &mut writer, &client).await?;
    // A feed goes on for a minute without viewers.
    let left = Instant::now();
    playground.wait_for_watches("pods", 0).await;
    let watched_s = left.elapsed().as_secs_f64();
    let before = cpu_s(dogwatch.pid())?;
    writer.write(&playground, CHANGES).await?;
    let idle = json!({ "watched_s": watched_s, "cpu_s": (cpu_s(dogwatch.pid())? - before) });
    let report = json!({ "pods": PODS, "changes": CHANGES, "rate": rate, "viewers": report, "proxy": proxied,
            "reading": reading, "raw": raw, "without_viewers": idle });
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
        "cpu_s_per_10000_changes": per_10000(cpu_s),
        "bytes_per_change": bytes.iter().sum::<u64>() as f64 / (viewers * CHANGES) as f64,
        "memory_mib": resident_mib(dogwatch.pid())?,
    }))
}

async fn read_alone(playground: &Playground, writer: &mut Writer, reading: Running) -> Result<Value> {
    let before = cpu_s(reading.pid())?;
    writer.write(playground, CHANGES).await?;
    Ok(json!({ "cpu_s_per_10000_changes": per_10000(cpu_s(reading.pid())? - before) }))
}

/// The bytes of as many lines as there are changes.
async fn count(watch: impl AsyncBufRead) -> Result<u64> {
    let (mut watch, mut lines, mut bytes) = (pin!(watch), 0, 0);
    while lines < CHANGES {
        let read = watch.fill_buf().await?;
        if read.is_empty() {
            bail!("the watch ended");
        }
        let length = read.len();
        lines += memchr::memchr_iter(b'\n', read).count();
        bytes += length as u64;
        watch.as_mut().consume(length);
    }
    Ok(bytes)
}

fn per_10000(cpu_s: f64) -> f64 {
    cpu_s * 10_000.0 / CHANGES as f64
}

/// The same viewers, each with a watch of its own behind the proxy.
async fn through_proxy(
    playground: &Playground,
    writer: &mut Writer,
    proxy: &Running,
    viewers: usize,
) -> Result<Value> {
    let client = Client::try_from(Config::new(proxy.line.parse()?))?;
    let mut reading = JoinSet::new();
    for _ in 0..viewers {
        let watch = api::open_watch(&client).await?;
        reading.spawn(count(watch));
    }
    let before = cpu_s(proxy.pid())?;
    writer.write(playground, CHANGES).await?;
    let bytes: u64 = reading.join_all().await.into_iter().sum::<Result<u64>>()?;
    let cpu_s = cpu_s(proxy.pid())? - before;
    Ok(json!({
        "viewers": viewers,
        "cpu_s_per_10000_changes": per_10000(cpu_s),
        "bytes_per_change": bytes as f64 / (viewers * CHANGES) as f64,
        "memory_mib": resident_mib(proxy.pid())?,
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
    println!("{PODS} pods, {CHANGES} changes, {} a second", report["rate"]);
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
    for row in report["proxy"].as_array().into_iter().flatten() {
        println!(
            "a copying proxy, {} viewers: {:.2} s of CPU per 10,000, {:.0} bytes a change and viewer",
            row["viewers"],
            number(row, "cpu_s_per_10000_changes"),
            number(row, "bytes_per_change")
        );
    }
    println!("one watch, read alone: {:.2} s", number(&report["reading"], "cpu_s_per_10000_changes"));
    println!("raw watch: {:.0} bytes a change and viewer", number(&report["raw"], "bytes_per_change"));
    let idle = &report["without_viewers"];
    println!(
        "the upstream watch ended {:.0} s after the last viewer; then {:.2} s of CPU for the changes",
        number(idle, "watched_s"),
        number(idle, "cpu_s")
    );
}

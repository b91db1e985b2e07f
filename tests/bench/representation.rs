//! `cargo xtask bench representation`: what a feed costs that asks for whole objects, and one that asks
//! for their metadata alone. Each in a process of its own: the feed and its hub, as the gateway has
//! them, before a playground of 10,000 and of 100,000 pods. Never asserts: it measures.

use std::io::{BufRead, BufReader, Lines};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use gateway::cluster::{Cluster, Source};
use gateway::feed::{Change, FeedKey, FeedOptions, FeedOutput, Representation, drive};
use gateway::hub::{Hub, Identity};
use gateway::limits::{FEED_OUTPUTS_MAX, OUTPUTS_PER_TURN};
use http::Request;
use kube::Client;
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::name::ClusterName;
use shared::resource::Resource;
use tests::dogwatch::Home;
use tests::paced::{Size, Writer, argument, fill};
use tests::process::{cpu_s, resident_mib};
use tests::raw;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const PODS: [usize; 2] = [10_000, 100_000];
const NAMES: [&str; 2] = ["Object", "Metadata"];
/// In turns, so that both meet the same machine; of each figure the least counts.
const ROUNDS: usize = 3;
const CHANGES: usize = 2_000;
const CHANGES_PER_S: f64 = 200.0;
/// This program again, as a feed.
const FEED: &str = "--feed";

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, kubeconfig] = arguments.as_slice()
        && flag == FEED
    {
        return follow(name, Path::new(kubeconfig)).await;
    }
    let rounds = argument("rounds", ROUNDS)?;
    let only = argument("pods", 0)?;
    let mut report = Vec::new();
    for pods in PODS.into_iter().filter(|pods| only == 0 || *pods == only) {
        report.push(measure(pods, rounds).await?);
        eprintln!("{pods} pods done");
    }
    if arguments.iter().any(|argument| argument == "--json") {
        println!("{}", Value::from(report));
    } else {
        report.iter().for_each(print_table);
    }
    Ok(())
}

async fn measure(pods: usize, rounds: usize) -> Result<Value> {
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, pods, Size::Whole)?;
    let home = Home::new()?;
    let kubeconfig = home.path().join("kubeconfig");
    playground.write_kubeconfig(&kubeconfig)?;
    let client = raw::client(&kubeconfig).await?;
    let mut writer = Writer::new(pods, CHANGES_PER_S);
    let mut best = [Value::Null, Value::Null];
    for _ in 0..rounds {
        for (name, best) in NAMES.iter().zip(&mut best) {
            let mut feed = Feed::start(name, &kubeconfig)?;
            let mut seen = feed.line()?;
            writer.write(&playground, CHANGES).await?;
            merge(&mut seen, feed.line()?);
            least(best, seen);
        }
    }
    for (name, best) in NAMES.iter().zip(&mut best) {
        merge(best, json!({ "bytes_per_object": object_bytes(&client, name).await? }));
    }
    playground.stop().await;
    Ok(json!({ "pods": pods, "Object": best[0], "Metadata": best[1] }))
}

/// Of one row of the list, without what the list itself has.
async fn object_bytes(client: &Client, name: &str) -> Result<usize> {
    let mut bytes = [0; 2];
    for (limit, bytes) in (1..).zip(&mut bytes) {
        let path = format!("/api/v1/pods?includeObject={name}&limit={limit}");
        let request = Request::get(path).header("accept", raw::TABLE).body(Vec::new())?;
        *bytes = client.request_text(request).await?.len();
    }
    Ok(bytes[1] - bytes[0])
}

fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}

fn least(best: &mut Value, seen: Value) {
    let (Some(best), Some(new)) = (best.as_object_mut(), seen.as_object()) else { return *best = seen };
    for (key, value) in new {
        if value.as_f64() < best.get(key).and_then(Value::as_f64) {
            best.insert(key.clone(), value.clone());
        }
    }
}

/// The feed's process; ended with its owner.
struct Feed {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Feed {
    fn start(name: &str, kubeconfig: &Path) -> Result<Self> {
        let own: PathBuf = std::env::current_exe()?;
        let mut child =
            Command::new(own).arg(FEED).arg(name).arg(kubeconfig).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("stdout is piped")?;
        Ok(Self { child, lines: BufReader::new(stdout).lines() })
    }

    /// The playground answers on other threads meanwhile.
    fn line(&mut self) -> Result<Value> {
        let line = tokio::task::block_in_place(|| self.lines.next()).context("the feed ended")??;
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Says one line when the table is exact, and one after so many changes.
async fn follow(name: &str, kubeconfig: &Path) -> Result<()> {
    let cluster =
        Cluster::connect(Source::Kubeconfig { path: Some(kubeconfig.to_owned()), context: None }).await;
    let cluster = cluster.map_err(|problem| anyhow::anyhow!("{problem:?}"))?;
    let key = FeedKey {
        representation: match name {
            "Object" => Representation::Object,
            "Metadata" => Representation::Metadata,
            _ => bail!("{name:?} is neither of {NAMES:?}"),
        },
        ..FeedKey::of(ClusterName::parse("playground")?, Resource::parse("", "v1", "pods")?)
    };
    let (sender, mut outputs) = mpsc::channel(FEED_OUTPUTS_MAX);
    let (_commands, receiver) = mpsc::channel(1);
    let cancel = CancellationToken::new();
    let pid = std::process::id();
    let (began, cpu_before, memory_before) = (Instant::now(), cpu_s(pid)?, resident_mib(pid)?);
    tokio::spawn(drive(key, cluster, FeedOptions::default(), None, sender, receiver, cancel.clone()));

    let mut hub = Hub::new(Identity { cluster: "bench".into() }, 1);
    let mut first_rows_ms = None;
    while !hub.is_synced() {
        take(&mut hub, &mut outputs).await?;
        if hub.object_count() > 0 {
            first_rows_ms.get_or_insert_with(|| began.elapsed().as_millis() as u64);
        }
    }
    let cpu_synced = cpu_s(pid)?;
    println!(
        "{}",
        json!({
            "first_rows_ms": first_rows_ms,
            "exact_ms": began.elapsed().as_millis() as u64,
            "cpu_s": cpu_synced - cpu_before,
            "memory_mib": resident_mib(pid)? - memory_before,
        })
    );
    let mut left = CHANGES;
    while left > 0 {
        left = left.saturating_sub(take(&mut hub, &mut outputs).await?);
    }
    let cpu = (cpu_s(pid)? - cpu_synced) * 10_000.0 / CHANGES as f64;
    println!("{}", json!({ "cpu_s_per_10000_changes": cpu }));
    cancel.cancel();
    Ok(())
}

/// As the owner of a hub does in one turn; the number of changed objects.
async fn take(hub: &mut Hub, outputs: &mut mpsc::Receiver<FeedOutput>) -> Result<usize> {
    let first = outputs.recv().await.context("the feed ended")?;
    let rest = iter::from_fn(|| outputs.try_recv().ok()).take(OUTPUTS_PER_TURN - 1);
    let mut changed = 0;
    for output in iter::once(first).chain(rest) {
        changed += usize::from(matches!(output, FeedOutput::Change(Change::Put(_))));
        hub.apply(output);
    }
    hub.tick();
    Ok(changed)
}

fn print_table(report: &Value) {
    println!("{} pods", report["pods"]);
    println!(
        "{:<10} {:>12} {:>14} {:>11} {:>8} {:>11} {:>20}",
        "", "bytes/object", "first rows, ms", "exact, ms", "CPU, s", "memory, MiB", "CPU s per 10,000"
    );
    for name in NAMES {
        let number = |key: &str| report[name][key].as_f64().unwrap_or_default();
        println!(
            "{name:<10} {:>12} {:>14} {:>11} {:>8.2} {:>11.1} {:>20.2}",
            number("bytes_per_object"),
            number("first_rows_ms"),
            number("exact_ms"),
            number("cpu_s"),
            number("memory_mib"),
            number("cpu_s_per_10000_changes"),
        );
    }
}

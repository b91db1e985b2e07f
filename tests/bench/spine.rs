//! The benchmark of the whole way: Dogwatch beside the raw watch, on the same kube-apiserver, in one
//! run. Prints a table for people, or JSON with `--json`. With `--playground` a
//! playground stands in the API server's place, for numbers of pods that no etcd on this machine holds
//! (`--pods`). Never asserts: it measures.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use cluster::ControlPlane;
use futures_util::{StreamExt, TryStreamExt, stream};
use kube::Client;
use playground::Playground;
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use testkit::api::{self, Cost, Seen};
use testkit::arguments::{is_given, number};
use testkit::client::{Client as FrameClient, all_pods};
use testkit::dogwatch::Home;
use testkit::exemplar;
use testkit::load::{Size, fill};
use testkit::process::resident_mib;
use testkit::spread::Spread;
use testkit::viewer::Viewer;
use tokio::sync::mpsc;

const PODS: usize = 10_000;
const WRITERS: usize = 16;
/// Latencies are best read at 20/s: far from what the API server can do.
const CHANGES: usize = 400;
const CHANGE_INTERVAL: Duration = Duration::from_millis(50);
/// While a viewer is away.
const MISSED: usize = 20;

pub async fn run() -> Result<()> {
    let pods = number("pods", PODS)?;
    let home = Home::new()?;
    eprintln!("creating {pods} pods");
    let upstream = Upstream::start(is_given("playground"), home.path(), pods).await?;
    let kubeconfig = upstream.kubeconfig();
    let client = api::client(&kubeconfig).await?;

    let dogwatch = home.serve_cluster(&kubeconfig, 0)?;
    let socket = dogwatch.socket()?;
    let memory_empty = resident_mib(dogwatch.pid())?;

    let mut viewer = FrameClient::connect(&socket).await?;
    let cold = first_cut(&mut viewer, 1).await?;
    let mut second = FrameClient::connect(&socket).await?;
    let warm = first_cut(&mut second, 1).await?;
    let memory_full = resident_mib(dogwatch.pid())?;
    let list = api::list_cost(&client, false).await?;
    let table = api::list_cost(&client, true).await?;
    let watch_list = api::watch_list_cost(&client, false).await?;
    let compressed = api::watch_list_cost(&client, true).await?;
    drop(second);

    eprintln!("{CHANGES} changes at {} a second", 1_000 / CHANGE_INTERVAL.as_millis());
    let change = change_costs(&client, viewer, pods).await?;
    let back = reconnect_costs(&client, &socket, pods).await?;

    let report = json!({
        "pods": pods,
        "pod_bytes": list.bytes / pods.max(1) as u64,
        "first_view": {
            "dogwatch_cold": { "bytes": cold.bytes, "ms": cold.elapsed.as_millis() as u64 },
            "dogwatch_warm": { "bytes": warm.bytes, "ms": warm.elapsed.as_millis() as u64 },
            "raw_list": { "bytes": list.bytes, "ms": list.elapsed.as_millis() as u64 },
            "raw_table": { "bytes": table.bytes, "ms": table.elapsed.as_millis() as u64 },
            "raw_watch_list": { "bytes": watch_list.bytes, "ms": watch_list.elapsed.as_millis() as u64 },
            "raw_watch_list_gzip": { "bytes": compressed.bytes, "ms": compressed.elapsed.as_millis() as u64 },
        },
        "memory_mib": { "empty": memory_empty, "with_pods": memory_full },
        "change": change,
        "reconnect": back,
    });
    if is_given("json") {
        println!("{report}")
    } else {
        print_table(&report)
    }
    Ok(())
}

/// The API server of this run; ended with its owner.
enum Upstream {
    Real(Box<ControlPlane>),
    Playground { _running: Playground, kubeconfig: PathBuf },
}

impl Upstream {
    /// With the pods in it.
    async fn start(is_playground: bool, folder: &Path, pods: usize) -> Result<Self> {
        if is_playground {
            let running = Playground::start(playground::Options::empty()).await?;
            let kubeconfig = folder.join("kubeconfig");
            running.write_kubeconfig(&kubeconfig)?;
            fill(&running, pods, Size::Whole)?;
            return Ok(Self::Playground { _running: running, kubeconfig });
        }
        let plane = ControlPlane::start(cluster::Options::default())?;
        create(&api::client(&plane.kubeconfig()).await?, pods).await?;
        Ok(Self::Real(Box::new(plane)))
    }

    fn kubeconfig(&self) -> PathBuf {
        match self {
            Self::Real(plane) => plane.kubeconfig(),
            Self::Playground { kubeconfig, .. } => kubeconfig.clone(),
        }
    }
}

async fn create(client: &Client, pods: usize) -> Result<()> {
    api::post(client, "/api/v1/namespaces", &json!({ "metadata": { "name": exemplar::NAMESPACE } })).await?;
    stream::iter(0..pods)
        .map(|number| async move {
            let path = format!("/api/v1/namespaces/{}/pods", exemplar::NAMESPACE);
            api::post(client, &format!("{path}?fieldManager=controller"), &exemplar::pod(number)).await?;
            patch(client, number, 0).await.map(drop)
        })
        .buffer_unordered(WRITERS)
        .try_collect()
        .await
}

async fn patch(client: &Client, number: usize, restarts: u64) -> Result<String> {
    let path = format!(
        "/api/v1/namespaces/{}/pods/{}/status?fieldManager=kubelet",
        exemplar::NAMESPACE,
        exemplar::name(number)
    );
    let answer: Value = api::merge(client, &path, &exemplar::status(number, restarts)).await?;
    let version = answer.pointer("/metadata/resourceVersion").and_then(Value::as_str);
    Ok(version.context("a patched pod has a resourceVersion")?.to_owned())
}

/// Subscribes and reads to the first exact cut.
async fn first_cut(viewer: &mut FrameClient, id: u32) -> Result<Cost> {
    let (start, bytes) = (Instant::now(), viewer.bytes);
    viewer.subscribe(id, all_pods()?, None).await?;
    let mut rows = 0;
    loop {
        match viewer.next().await?.0 {
            ServerFrame::Rows(frame) => rows += frame.put.len(),
            // `live` or a proof says that the rows so far are all.
            ServerFrame::Sync(_) if rows > 0 => break,
            _ => continue,
        }
    }
    Ok(Cost { bytes: viewer.bytes - bytes, elapsed: start.elapsed() })
}

/// One writer, one raw watch, one viewer. Each event is known by its resourceVersion.
async fn change_costs(client: &Client, mut viewer: FrameClient, pods: usize) -> Result<Value> {
    let (seen, mut arrivals) = mpsc::unbounded_channel::<Seen>();
    let watch = api::watch(client, seen.clone(), "raw").await?;
    let viewing = tokio::spawn(async move {
        while let Ok((frame, bytes)) = viewer.next().await {
            let ServerFrame::Rows(rows) = frame else { continue };
            let version = rows.resource_version.to_string();
            if seen.send(Seen { by: "dogwatch", version, at: Instant::now(), bytes }).is_err() {
                return;
            }
        }
    });
    let mut acknowledged: Vec<(u64, Instant)> = Vec::new();
    let mut ticks = tokio::time::interval(CHANGE_INTERVAL);
    for change in 0..CHANGES {
        ticks.tick().await;
        let version = patch(client, change * 7 % pods, change as u64 + 1).await?;
        acknowledged.push((version.parse()?, Instant::now()));
    }
    let mut latencies: HashMap<&str, Vec<f64>> = HashMap::new();
    let mut bytes: HashMap<&str, u64> = HashMap::new();
    // A frame that comes late holds all changes up to its version.
    let mut next: HashMap<&str, usize> = [("raw", 0), ("dogwatch", 0)].into();
    while next.values().any(|next| *next < CHANGES) {
        let waited = tokio::time::timeout(Duration::from_secs(30), arrivals.recv()).await;
        let seen = waited.context("not every change arrived")?.context("a reader ended")?;
        let Ok(version) = seen.version.parse::<u64>() else { continue };
        if acknowledged.first().is_some_and(|(first, _)| version < *first) {
            continue;
        }
        let next = next.entry(seen.by).or_default();
        while let Some((_, at)) = acknowledged.get(*next).filter(|(written, _)| *written <= version) {
            latencies.entry(seen.by).or_default().push(ms_after(*at, seen.at));
            *next += 1;
        }
        *bytes.entry(seen.by).or_default() += seen.bytes;
    }
    watch.abort();
    viewing.abort();
    let of = |who: &str| {
        let ms = Spread::of(latencies.get(who).cloned().unwrap_or_default());
        let bytes = bytes.get(who).copied().unwrap_or_default() / ms.count.max(1) as u64;
        json!({ "p50_ms": ms.p50, "p99_ms": ms.p99, "bytes": bytes })
    };
    Ok(json!({ "raw": of("raw"), "dogwatch": of("dogwatch") }))
}

/// Negative for what was seen before the write was acknowledged.
fn ms_after(acknowledged: Instant, at: Instant) -> f64 {
    let late_s = at
        .checked_duration_since(acknowledged)
        .map_or_else(|| -acknowledged.duration_since(at).as_secs_f64(), |late| late.as_secs_f64());
    late_s * 1_000.0
}

/// A viewer goes away, misses some changes, and comes back with its token.
async fn reconnect_costs(client: &Client, socket: &Path, pods: usize) -> Result<Value> {
    let mut viewer = Viewer::open(socket, all_pods()?);
    viewer.until_sync().await?;
    let mut version = String::new();
    for change in 0..MISSED {
        version = patch(client, change * 11 % pods, (2 * CHANGES + change) as u64).await?;
    }
    let start = Instant::now();
    let mut viewer = viewer.come_back(socket).await;
    viewer.until(&version).await?;
    Ok(json!({
        "missed": MISSED,
        "ms": start.elapsed().as_secs_f64() * 1_000.0,
        "welcome_bytes": viewer.received.welcome_bytes,
        "bytes": viewer.received.bytes,
        "rows": viewer.table().len(),
    }))
}

fn print_table(report: &Value) {
    let at = |path: &str| report.pointer(path).cloned().unwrap_or_default();
    println!("{} pods of {} bytes", at("/pods"), at("/pod_bytes"));
    println!("{:<28} {:>14} {:>10}", "first view", "bytes", "ms");
    for name in
        ["dogwatch_cold", "dogwatch_warm", "raw_list", "raw_table", "raw_watch_list", "raw_watch_list_gzip"]
    {
        let (bytes, ms) = (at(&format!("/first_view/{name}/bytes")), at(&format!("/first_view/{name}/ms")));
        println!("{name:<28} {bytes:>14} {ms:>10}");
    }
    println!("{:<28} {:>14} {:>10} {:>10}", "one-cell change", "bytes", "p50 ms", "p99 ms");
    for name in ["raw", "dogwatch"] {
        let number = |key: &str| at(&format!("/change/{name}/{key}")).as_f64().unwrap_or_default();
        println!("{name:<28} {:>14} {:>10.2} {:>10.2}", number("bytes"), number("p50_ms"), number("p99_ms"));
    }
    let memory = |key: &str| at(&format!("/memory_mib/{key}")).as_f64().unwrap_or_default();
    println!("gateway memory, MiB: {:.1} empty, {:.1} with the pods", memory("empty"), memory("with_pods"));
    println!(
        "back after {MISSED} changes: {} bytes and a welcome of {}, {:.1} ms from the connection",
        at("/reconnect/bytes"),
        at("/reconnect/welcome_bytes"),
        at("/reconnect/ms").as_f64().unwrap_or_default()
    );
}

//! `cargo xtask bench clients`: what `--readers` (50) of client-go cost a real API server at `--rate` changes a second
//! (200), when they read it directly and when they read through a gateway. `--informers` (5) of them are informers; the
//! others read without decoding. Never asserts: it measures.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use cluster::{ControlPlane, Options};
use futures_util::StreamExt;
use http::Request;
use kube::Client;
use serde_json::{Value, json};
use testkit::api;
use testkit::arguments::{self, is_given};
use testkit::clients::{Program, in_go};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::exemplar;
use testkit::load::make_small;
use testkit::process::{cpu_s, resident_mib};
use testkit::spread::Spread;
use tokio::task::{JoinSet, block_in_place};
use tokio::time::{Instant, interval};

const PODS: usize = 500;
const READERS: usize = 50;
const INFORMERS: usize = 5;
const CHANGES: usize = 6_000;
const CHANGES_PER_S: usize = 200;
/// The writer has so many requests on their way at most.
const WRITES_AT_ONCE: usize = 16;
const PATH: &str = "/api/v1/namespaces/shop/pods";
const ASK_AGAIN: Duration = Duration::from_millis(200);
const LATEST: Duration = Duration::from_secs(120);

struct Rig {
    plane: ControlPlane,
    client: Client,
    gateway: Dogwatch,
    readers: usize,
    informers: usize,
    rate: usize,
}

pub async fn run() -> Result<()> {
    let (informers, rate) =
        (arguments::number("informers", INFORMERS)?, arguments::number("rate", CHANGES_PER_S)?);
    let readers = arguments::number("readers", READERS)?;
    let plane = block_in_place(|| ControlPlane::start(Options::default()))?;
    plane.kubectl_output(&["create", "namespace", "shop"])?;
    let client = api::client(&plane.kubeconfig()).await?;
    let home = Home::new()?;
    let gateway = home.serve_cluster(&plane.kubeconfig(), 0)?;
    let through = home.path().join("through.kubeconfig");
    let written = home.command().args(["kubeconfig", "--output"]).arg(&through).output()?;
    ensure!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let rig = Rig { plane, client, gateway, readers, informers, rate };
    rig.fill().await?;
    let direct = rig.plane.kubeconfig();
    // What is the same for all, such as caches that fill, isn't measured.
    rig.write(CHANGES / 6).await?;
    let mut rows = Vec::new();
    for (name, kubeconfig) in [("none", None), ("direct", Some(&direct)), ("gateway", Some(&through))] {
        rows.push(rig.measure(name, kubeconfig.map(|path| path.as_path())).await?);
        eprintln!("{name} done");
    }
    let report = json!({"pods": PODS, "readers": readers, "informers": informers, "changes": CHANGES, "rate": rate, "rows": rows});
    if is_given("json") {
        println!("{report}");
    } else {
        print_table(&report);
    }
    Ok(())
}

impl Rig {
    async fn fill(&self) -> Result<()> {
        let pods = futures_util::stream::iter(0..PODS).map(async |number| {
            let mut pod = exemplar::pod(number);
            // A write of a whole one takes the API server 5 ms, and there are two processors.
            make_small(&mut pod);
            pod["metadata"]["namespace"] = json!("shop");
            api::post(&self.client, PATH, &pod).await.map(drop)
        });
        let mut pods = std::pin::pin!(pods.buffer_unordered(WRITES_AT_ONCE));
        while let Some(made) = pods.next().await {
            made?;
        }
        Ok(())
    }

    /// So many changes at an even rate; returns how many were made in a second.
    async fn write(&self, changes: usize) -> Result<f64> {
        let (began, mut ticks) = (Instant::now(), interval(Duration::from_secs_f64(1.0 / self.rate as f64)));
        let (client, mut writing) = (Arc::new(self.client.clone()), JoinSet::new());
        for number in 0..changes {
            ticks.tick().await;
            if writing.len() == WRITES_AT_ONCE {
                writing.join_next().await.context("a write")???;
            }
            let (client, name) = (client.clone(), exemplar::name(number * 7 % PODS));
            writing.spawn(async move {
                let at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros().to_string();
                let patch = json!({"metadata": {"annotations": {"example.com/written": at}}});
                api::merge(&client, &format!("{PATH}/{name}"), &patch).await.map(drop)
            });
        }
        while let Some(written) = writing.join_next().await {
            written??;
        }
        Ok(changes as f64 / began.elapsed().as_secs_f64())
    }

    async fn measure(&self, name: &str, kubeconfig: Option<&Path>) -> Result<Value> {
        let mut program = match kubeconfig {
            None => None,
            Some(kubeconfig) => {
                let mut command = in_go("many", kubeconfig, "shop")?;
                command.env("READERS", self.readers.to_string()).env("INFORMERS", self.informers.to_string());
                let mut program = Program::start(name, command)?;
                let first = program.line(Instant::now() + LATEST).await?;
                Some((first["ms"].clone(), program.ask().await?, program))
            }
        };
        let pid = program.as_ref().and_then(|(.., program)| program.pid());
        let before = self.used(pid)?;
        let rate = self.write(CHANGES).await?;
        let (mut late, mut bytes) = (Vec::new(), 0);
        let watches = self.watches().await?;
        if let Some((_, first, program)) = &mut program {
            let (wanted, mut ticks, until) =
                (CHANGES * self.informers, interval(ASK_AGAIN), Instant::now() + LATEST);
            while late.len() < wanted && Instant::now() < until {
                ticks.tick().await;
                let answer = program.ask().await?;
                let part = answer["late_us"].as_array().into_iter().flatten();
                late.extend(part.filter_map(Value::as_f64).map(|us| us / 1_000.0));
                bytes = answer["bytes"].as_u64().unwrap_or_default()
                    - first["bytes"].as_u64().unwrap_or_default();
            }
        }
        let after = self.used(pid)?;
        let used = |at: usize| (after[at] - before[at]) * 10_000.0 / CHANGES as f64;
        Ok(json!({
            "read": name,
            "watches": watches,
            "synced_ms": program.as_ref().map(|(ms, ..)| ms.clone()),
            "api_server_cpu_s": used(0),
            "gateway_cpu_s": used(1),
            "readers_cpu_s": used(2),
            "gateway_mib": resident_mib(self.gateway.pid())?,
            "bytes": bytes as f64 / (CHANGES * self.readers) as f64,
            "late_ms": Spread::of(late).json(),
            "written_per_s": rate,
        }))
    }

    /// Seconds of a processor so far: the API server's, the gateway's, the readers'.
    fn used(&self, readers: Option<u32>) -> Result<[f64; 3]> {
        let api_server = *self.plane.pids().get(1).context("an API server")?;
        Ok([cpu_s(api_server)?, cpu_s(self.gateway.pid())?, readers.map_or(Ok(0.0), cpu_s)?])
    }

    /// The watches of pods that the API server serves, as it says itself; its own one is among them.
    async fn watches(&self) -> Result<f64> {
        let text = self.client.request_text(Request::get("/metrics").body(Vec::new())?).await?;
        let lines = text.lines().filter(|line| line.starts_with("apiserver_longrunning_requests{"));
        let of_pods =
            lines.filter(|line| line.contains("resource=\"pods\"") && line.contains("verb=\"WATCH\""));
        Ok(of_pods.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum())
    }
}

fn print_table(report: &Value) {
    println!(
        "{PODS} pods, {} readers of which {} are informers, {CHANGES} changes, {} a second",
        report["readers"], report["informers"], report["rate"]
    );
    println!(
        "{:>8} {:>8} {:>10} {:>14} {:>12} {:>12} {:>8} {:>10} {:>12}  late, ms",
        "read",
        "watches",
        "synced, ms",
        "API server CPU",
        "gateway CPU",
        "readers' CPU",
        "MiB",
        "bytes",
        "written/s"
    );
    for row in report["rows"].as_array().into_iter().flatten() {
        let of = |key: &str| row[key].as_f64().unwrap_or_default();
        println!(
            "{:>8} {:>8} {:>10} {:>14.2} {:>12.2} {:>12.2} {:>8.1} {:>10.0} {:>12.1}  {}",
            row["read"].as_str().unwrap_or_default(),
            of("watches"),
            of("synced_ms"),
            of("api_server_cpu_s"),
            of("gateway_cpu_s"),
            of("readers_cpu_s"),
            of("gateway_mib"),
            of("bytes"),
            of("written_per_s"),
            row["late_ms"]
        );
    }
    println!(
        "CPU: seconds for 10,000 changes; bytes: of one change to one reader, as they came from the socket"
    );
}

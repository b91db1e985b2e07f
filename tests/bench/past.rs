//! `cargo xtask bench past`: what the record costs a gateway at `--rate` changes a second (200). Gateways without a record, in
//! memory, in a folder and in PostgreSQL stand beside each other, with ten viewers each, and hear the same changes. With
//! `--beside=PATH` another release's gateways stand there as well, and none in PostgreSQL. Never asserts: it measures.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use playground::{Options, Playground};
use postgres_server::PostgresServer;
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use testkit::arguments::{self, is_given};
use testkit::client::{Client, all_pods};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::load::{Size, Writer, fill};
use testkit::process::{cpu_s, resident_mib};
use testkit::spread::Spread;
use tokio::sync::watch;
use tokio::task::JoinSet;

const PODS: usize = 1_000;
const VIEWERS: usize = 10;
const CHANGES: usize = 6_000;
const CHANGES_PER_S: usize = 200;

/// When a viewer had which revision.
pub(super) type Arrivals = BTreeMap<u64, Instant>;

struct Recording {
    place: String,
    gateway: Dogwatch,
}

/// What one gateway cost.
struct Cost {
    cpu_s: f64,
    memory_mib: f64,
    arrivals: Vec<Arrivals>,
}

pub async fn run() -> Result<()> {
    let rate = arguments::number("rate", CHANGES_PER_S)?;
    let beside = arguments::text("beside").map(PathBuf::from);
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, Size::Whole)?;
    let folder = tempfile::tempdir()?;
    let database = PostgresServer::start()?;
    database.create("past")?;
    let in_folder = |name: &str| folder.path().join(name).display().to_string();
    let own = [("none", "none".to_owned()), ("memory", "memory".to_owned()), ("folder", in_folder("record"))];
    let mut places: Vec<_> =
        own.into_iter().map(|(place, history)| (place.to_owned(), history, None)).collect();
    match &beside {
        None => {
            places.insert(1, ("none again".to_owned(), "none".to_owned(), None));
            places.push(("PostgreSQL".to_owned(), database.url("past"), None));
        }
        Some(path) => {
            let theirs = [
                ("none", "none".to_owned()),
                ("memory", "memory".to_owned()),
                ("folder", in_folder("theirs")),
            ];
            let theirs = theirs.map(|(place, history)| (format!("{place} there"), history, Some(path)));
            places.extend(theirs);
        }
    }
    let mut recordings = Vec::new();
    for (place, history, release) in places {
        let home = release.map_or_else(Home::new, |path| Home::of_release(path))?;
        let kubeconfig = home.kubeconfig_of(&playground)?.display().to_string();
        let flags = ["--kubeconfig", &kubeconfig, "--listen=127.0.0.1:0", "--history", &history];
        recordings.push(Recording { place, gateway: home.serve(&flags)? });
    }
    let mut writer = Writer::new(PODS, rate as f64);
    // What is the same for each gateway, such as its first list, isn't measured.
    measure(&playground, &mut writer, &recordings, CHANGES / 4).await?;
    let costs = measure(&playground, &mut writer, &recordings, CHANGES).await?;
    let report = report(&recordings, &costs, rate);
    if is_given("json") {
        println!("{report}")
    } else {
        print_table(&report)
    }
    playground.stop().await;
    Ok(())
}

async fn measure(
    playground: &Playground,
    writer: &mut Writer,
    recordings: &[Recording],
    changes: usize,
) -> Result<Vec<Cost>> {
    let (say_last, last) = watch::channel(0);
    let mut reading = Vec::new();
    for recording in recordings {
        let mut viewers = JoinSet::new();
        for _ in 0..VIEWERS {
            let mut viewer = recording.gateway.connect().await?;
            viewer.subscribe(1, all_pods()?, None).await?;
            viewer.until_sync().await?;
            viewers.spawn(read_to(viewer, last.clone()));
        }
        reading.push(viewers);
    }
    let pids = recordings.iter().map(|recording| recording.gateway.pid());
    let before: Vec<f64> = pids.clone().map(cpu_s).collect::<Result<_>>()?;
    writer.write(playground, changes).await?;
    say_last.send(playground.revision())?;
    let mut costs = Vec::new();
    for ((viewers, pid), before) in reading.into_iter().zip(pids).zip(before) {
        let arrivals = viewers.join_all().await.into_iter().collect::<Result<_>>()?;
        costs.push(Cost { cpu_s: cpu_s(pid)? - before, memory_mib: resident_mib(pid)?, arrivals });
    }
    Ok(costs)
}

/// The time of each frame until the last change had come: a frame that is late is repeated by the next `sync`.
pub(super) async fn read_to(mut viewer: Client, last: watch::Receiver<u64>) -> Result<Arrivals> {
    let mut arrivals = Arrivals::new();
    loop {
        let version = match viewer.next().await?.0 {
            ServerFrame::Rows(rows) => rows.resource_version,
            ServerFrame::Sync(sync) => sync.resource_version,
            ServerFrame::Problem(frame) => bail!("{}", frame.problem.message),
            _ => continue,
        };
        let revision: u64 = version.as_str().parse()?;
        arrivals.entry(revision).or_insert_with(Instant::now);
        if *last.borrow() != 0 && revision >= *last.borrow() {
            return Ok(arrivals);
        }
    }
}

/// How much later each revision came to viewers of one gateway than to those of another, in milliseconds.
fn later_ms(these: &[Arrivals], those: &[Arrivals]) -> Vec<f64> {
    let of_viewer = |(these, those): (&Arrivals, &Arrivals)| {
        let came = |arrivals: &Arrivals, revision: u64| arrivals.range(revision..).next().map(|(_, at)| *at);
        let revisions: Vec<u64> = those.keys().copied().collect();
        let later = revisions.into_iter().filter_map(|revision| {
            let (this, that) = (came(these, revision)?, came(those, revision)?);
            let after = this.saturating_duration_since(that).as_secs_f64();
            Some((after - that.saturating_duration_since(this).as_secs_f64()) * 1_000.0)
        });
        later.collect::<Vec<f64>>()
    };
    these.iter().zip(those).flat_map(of_viewer).collect()
}

fn report(recordings: &[Recording], costs: &[Cost], rate: usize) -> Value {
    let none = &costs[0];
    let rows = recordings.iter().zip(costs).map(|(recording, cost)| {
        json!({
            "history": recording.place,
            "cpu_s_per_10000_changes": cost.cpu_s * 10_000.0 / CHANGES as f64,
            "cpu_more": cost.cpu_s / none.cpu_s - 1.0,
            "memory_mib": cost.memory_mib,
            "memory_more_mib": cost.memory_mib - none.memory_mib,
            "later_ms": Spread::of(later_ms(&cost.arrivals, &none.arrivals)).json(),
        })
    });
    json!({ "pods": PODS, "viewers": VIEWERS, "changes": CHANGES, "rate": rate, "rows": rows.collect::<Vec<_>>() })
}

fn print_table(report: &Value) {
    println!(
        "{PODS} pods, {VIEWERS} viewers of each gateway, {CHANGES} changes, {} a second",
        report["rate"]
    );
    println!(
        "{:>12} {:>16} {:>7} {:>8} {:>7}  later, ms",
        "history", "CPU s per 10,000", "more", "MiB", "more"
    );
    for row in report["rows"].as_array().into_iter().flatten() {
        let of = |key: &str| row[key].as_f64().unwrap_or_default();
        println!(
            "{:>12} {:>16.2} {:>6.0}% {:>8.1} {:>7.1}  {}",
            row["history"].as_str().unwrap_or_default(),
            of("cpu_s_per_10000_changes"),
            of("cpu_more") * 100.0,
            of("memory_mib"),
            of("memory_more_mib"),
            row["later_ms"]
        );
    }
}

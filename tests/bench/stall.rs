//! `cargo xtask bench stall [--seconds 60]`: a viewer that stops reading while 1,000 changes a second go on: what it
//! costs the gateway, whether the others notice, and how soon it is exact again. Before and after it the same is
//! measured with all viewers reading, on the same gateway. It asserts nothing.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use kube::Client;
use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::api;
use testkit::arguments::{is_given, number};
use testkit::client::{Subscriber, all_pods};
use testkit::dogwatch::Dogwatch;
use testkit::load::{Size, Writer, fill};
use testkit::oracle::Fresh;
use testkit::process::resident_mib;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::lateness;

const PODS: usize = 10_000;
const VIEWERS: usize = 10;
const CHANGES_PER_S: usize = 1_000;
const SECONDS: usize = 60;
/// The writer goes on while the stalled one catches up.
const SECONDS_AFTER: usize = 5;
const MEMORY_EVERY: Duration = Duration::from_millis(100);

pub async fn run() -> Result<()> {
    let seconds = number("seconds", SECONDS)?;
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, Size::Small)?;
    let dogwatch = Dogwatch::of_playground(&playground)?;
    let client = api::client(&dogwatch.home().kubeconfig_of(&playground)?).await?;
    let bench = Bench { playground: Arc::new(playground), client, dogwatch: &dogwatch, seconds };
    let mut writer = Writer::new(PODS, CHANGES_PER_S as f64);
    let mut report = Vec::new();
    for stalls in [false, true, false] {
        report.push(bench.run(&mut writer, stalls).await?);
        eprintln!("{} done", if stalls { "one stalled:" } else { "all read:" });
    }
    let report = json!({ "pods": PODS, "viewers": VIEWERS, "seconds": seconds, "runs": report });
    if is_given("json") {
        println!("{report}");
    } else {
        print_table(&report);
    }
    Ok(())
}

struct Bench<'a> {
    playground: Arc<Playground>,
    client: Client,
    dogwatch: &'a Dogwatch,
    seconds: usize,
}

struct Reader(Subscriber);

/// What the viewer that stopped saw when it read again.
struct CaughtUp {
    after: Duration,
    bytes: u64,
}

impl Bench<'_> {
    async fn run(&self, writer: &mut Writer, stalls: bool) -> Result<Value> {
        let socket = self.dogwatch.socket()?;
        let mut readers = Vec::new();
        for _ in 0..VIEWERS {
            readers.push(Reader::open(&socket).await?);
        }
        let last_one = readers.pop().context("there are viewers")?;
        let (say_last, last) = watch::channel(u64::MAX);
        let (say_resume, resume) = watch::channel(0);
        let mut others = JoinSet::new();
        readers.into_iter().for_each(|reader| drop(others.spawn(reader.read_to(last.clone()))));
        let last_one = match stalls {
            true => tokio::spawn(last_one.stall(resume, last)),
            false => tokio::spawn(async move { Ok((last_one.read_to(last).await?, None)) }),
        };

        let memory = Memory::watch(self.dogwatch.pid())?;
        let began = Instant::now();
        writer.write(&self.playground, self.seconds * CHANGES_PER_S).await?;
        let per_s = (self.seconds * CHANGES_PER_S) as f64 / began.elapsed().as_secs_f64();
        say_resume.send_replace(self.playground.revision());
        writer.write(&self.playground, SECONDS_AFTER * CHANGES_PER_S).await?;
        say_last.send_replace(self.playground.revision());

        let (last_one, caught_up) = last_one.await??;
        let others: Vec<Reader> = others.join_all().await.into_iter().collect::<Result<_>>()?;
        let [before, highest, end] = memory.end(self.dogwatch.pid())?;
        let fresh = Fresh::list(&self.client, "/api/v1/pods").await?;
        let exact = others.iter().chain([&last_one]).filter(|reader| reader.is_exact(&fresh)).count();
        Ok(json!({
            "stalled": stalls,
            "changes_per_s": per_s,
            "memory_mib": { "before": before, "highest": highest, "end": end },
            "others": lateness::of(others.iter().map(|reader| &*reader.0.received.ranges)),
            "exact_tables": exact,
            "exact_after_ms": caught_up.as_ref().map(|it| it.after.as_millis() as u64),
            "caught_up_with_bytes": caught_up.map(|it| it.bytes),
        }))
    }
}

impl Reader {
    async fn open(socket: &Path) -> Result<Self> {
        let mut subscriber = Subscriber::open(socket, all_pods()?);
        subscriber.until_sync().await?;
        subscriber.received.ranges.clear();
        Ok(Self(subscriber))
    }

    /// Reads until the table is exact at this version or a later one.
    async fn until(&mut self, wanted: impl Fn() -> u64) -> Result<()> {
        loop {
            // A playground's resourceVersions are numbers.
            let exact = self.0.step().await?.map(|exact| exact.version().parse::<u64>()).transpose()?;
            if exact.is_some_and(|version| version >= wanted()) {
                return Ok(());
            }
        }
    }

    /// A frame that came before the last change was announced is repeated by the next `sync`.
    async fn read_to(mut self, last: watch::Receiver<u64>) -> Result<Self> {
        self.until(|| *last.borrow()).await?;
        Ok(self)
    }

    /// Reads nothing until it is told; then up to what was true at that moment, and on to the end.
    async fn stall(
        mut self,
        mut resume: watch::Receiver<u64>,
        last: watch::Receiver<u64>,
    ) -> Result<(Self, Option<CaughtUp>)> {
        resume.changed().await?;
        let (wanted, began, before) = (*resume.borrow(), Instant::now(), self.0.received.bytes);
        self.until(|| wanted).await?;
        let caught_up = CaughtUp { after: began.elapsed(), bytes: self.0.received.bytes - before };
        Ok((self.read_to(last).await?, Some(caught_up)))
    }

    fn is_exact(&self, fresh: &Fresh) -> bool {
        let difference = fresh.difference(self.0.table());
        difference.iter().for_each(|what| eprintln!("a table isn't exact: {what}"));
        difference.is_none()
    }
}

/// The gateway's resident memory, looked at throughout.
struct Memory {
    before: f64,
    highest: watch::Receiver<f64>,
    task: tokio::task::JoinHandle<()>,
}

impl Memory {
    fn watch(pid: u32) -> Result<Self> {
        let before = resident_mib(pid)?;
        let (say, highest) = watch::channel(before);
        let task = tokio::spawn(async move {
            let mut ticks = tokio::time::interval(MEMORY_EVERY);
            while let Ok(now) = resident_mib(pid) {
                say.send_modify(|highest| *highest = highest.max(now));
                ticks.tick().await;
            }
        });
        Ok(Self { before, highest, task })
    }

    /// Before, at its highest, and now.
    fn end(self, pid: u32) -> Result<[f64; 3]> {
        self.task.abort();
        let highest = *self.highest.borrow();
        Ok([self.before, highest, resident_mib(pid)?])
    }
}

fn print_table(report: &Value) {
    println!(
        "{} pods, {} viewers, {} s at {CHANGES_PER_S} changes a second",
        report["pods"], report["viewers"], report["seconds"]
    );
    println!(
        "{:<12} {:>9} {:>24} {:>8} {:>9} {:>11} {:>7} {:>7} {:>6} {:>9} {:>9}",
        "",
        "changes/s",
        "MiB before/highest/end",
        "ticks",
        "in time",
        "late by one",
        "later",
        "latest",
        "exact",
        "after, ms",
        "bytes"
    );
    for run in report["runs"].as_array().into_iter().flatten() {
        let memory = |key: &str| run["memory_mib"][key].as_f64().unwrap_or_default();
        let others = &run["others"];
        println!(
            "{:<12} {:>9.0} {:>24} {:>8} {:>9} {:>11} {:>7} {:>7} {:>6} {:>9} {:>9}",
            if run["stalled"] == true { "one stalled" } else { "all read" },
            run["changes_per_s"].as_f64().unwrap_or_default(),
            format!("{:.1} / {:.1} / {:.1}", memory("before"), memory("highest"), memory("end")),
            others["ticks"].to_string(),
            others["in_time"].to_string(),
            others["late_by_one"].to_string(),
            others["later"].to_string(),
            others["latest"].to_string(),
            run["exact_tables"].to_string(),
            run["exact_after_ms"].to_string(),
            run["caught_up_with_bytes"].to_string(),
        );
    }
}

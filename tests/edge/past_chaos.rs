//! A record under faults, beside all that the API server acknowledged: watches that are cut and forgotten, answers that fail
//! or stand still, a gateway that is killed. Then each version is there, or lies in a time that the record says it missed.
//! `DOGWATCH_PAST_CHAOS_S=600` has it last ten minutes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use gateway::feed::row_of_uid;
use playground::{Fault, Options, Playground, Rule};
use postgres_server::PostgresServer;
use serde_json::{Value, json};
use shared::frame::server::History;
use shared::frame::timeline::{Entry, EntryType};
use shared::past::Unrecorded;
use simulation::chance::Chance;
use tempfile::tempdir;
use testkit::dogwatch::Home;
use testkit::load::refused;
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};

use crate::past::{Viewer, serve};

const LASTS: &str = "DOGWATCH_PAST_CHAOS_S";
const LASTS_USUAL_S: u64 = 6;
/// Few enough changes of each that every version is kept.
const PODS: usize = 24;
const CHANGE_MS: u64 = 85;
const FAULT_MS: u64 = 450;
/// How long a record may take until it has all, after the last fault.
const PATIENCE: Duration = Duration::from_secs(60);
/// A gateway knows of a change so long after it.
const LATE_MS: i64 = 2_000;

/// What the API server acknowledged of one object, in its order.
type Acknowledged = BTreeMap<String, Vec<Version>>;

struct Version {
    resource_version: String,
    is_deletion: bool,
    number: Option<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn each_version_that_was_acknowledged_under_faults_is_in_the_folder_or_in_a_gap() -> Result<()> {
    let folder = tempdir()?;
    chaos(&folder.path().join("record").display().to_string(), 1).await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_version_that_was_acknowledged_under_faults_is_in_the_database_or_in_a_gap() -> Result<()> {
    let database = PostgresServer::start()?;
    database.create("past")?;
    chaos(&database.url("past"), 2).await
}

async fn chaos(history: &str, seed: u64) -> Result<()> {
    let lasts_s = std::env::var(LASTS).ok().and_then(|text| text.parse().ok()).unwrap_or(LASTS_USUAL_S);
    let (lasts, mut chance) = (Duration::from_secs(lasts_s), Chance::new(seed, 0));
    let playground = Arc::new(Playground::start(Options::quiet()).await?);
    let flags = ["--history", history];
    let mut gateway = serve(&Home::new()?, &playground, &flags)?;
    Viewer::open(&gateway).await?.until_recorded().await?;
    let writer = write(Arc::clone(&playground), lasts, seed);
    let (began, mut kills) = (Instant::now(), 0);
    let mut faults = interval(Duration::from_millis(FAULT_MS));
    while began.elapsed() < lasts {
        faults.tick().await;
        playground.clear_faults();
        match chance.below(9) {
            0 | 1 => playground.cut_watches(Some("pods")),
            2 => {
                playground.compact(Some("pods"));
                playground.cut_watches(Some("pods"));
            }
            3 => set(&playground, Fault::GoneEvent),
            4 => {
                set(&playground, Fault::Unavailable { retry_after_s: 1 });
                playground.cut_watches(Some("pods"));
            }
            5 => {
                set(&playground, Fault::InternalError);
                playground.cut_watches(Some("pods"));
            }
            6 => set(&playground, Fault::SlowBytes { chunk_bytes: 4_000, pause_ms: 5 }),
            _ => {
                kills += 1;
                let (home, _) = gateway.kill()?;
                gateway = serve(&home, &playground, &flags)?;
            }
        }
    }
    playground.clear_faults();
    let acknowledged = writer.await??;
    let mut viewer = Viewer::open(&gateway).await?;
    // The record has all of it when it has what came after.
    let last = playground.create(pod("last", "0")).map_err(refused)?;
    let last = last.pointer("/metadata/uid").and_then(Value::as_str).context("a uid")?;
    let whole = timeout(PATIENCE, async {
        while viewer.whole_history(row_of_uid(last)).await?.entries.is_empty() {}
        anyhow::Ok(())
    });
    if whole.await.is_err() {
        let recorded = viewer.recorded(0, i64::MAX).await?;
        let said = (recorded.problem, recorded.until_ms, recorded.unrecorded, recorded.now_ms);
        anyhow::bail!("the record doesn't go on: {said:?}\n{}", gateway.stderr());
    }
    let (mut versions, mut kept, mut gaps) = (0, 0, Vec::new());
    for (uid, acknowledged) in &acknowledged {
        let history = viewer.whole_history(row_of_uid(uid)).await?;
        versions += acknowledged.len();
        kept += check(uid, acknowledged, &history)?;
        gaps = history.unrecorded;
    }
    println!("{history}: {versions} versions, {kept} kept, {kills} kills, {} gaps", gaps.len());
    // A busy machine takes longer to start a gateway than until its next kill.
    ensure!(kept * 10 > versions, "{kept} of {versions} are kept, and {gaps:?} is missing");
    Ok(())
}

/// For requests about pods alone: what a gateway asks to begin with is answered.
fn set(playground: &Playground, fault: Fault) {
    let rule: Rule = serde_json::from_value(json!({ "fault": fault, "resource": "pods" })).expect("a rule");
    playground.fault(rule).expect("there is room for a rule");
}

/// Creates, changes and deletes pods, and keeps what the server acknowledged.
fn write(playground: Arc<Playground>, lasts: Duration, seed: u64) -> JoinHandle<Result<Acknowledged>> {
    tokio::spawn(async move {
        let (mut chance, mut all, mut there) = (Chance::new(seed, 1), Acknowledged::new(), BTreeMap::new());
        let (began, mut number) = (Instant::now(), 0);
        let mut ticks = interval(Duration::from_millis(CHANGE_MS));
        while began.elapsed() < lasts {
            ticks.tick().await;
            number += 1;
            let name = format!("chaos-{}", number % PODS);
            let said = number.to_string();
            let object = match there.get(&name) {
                Some(uid) if chance.percent(8) => {
                    playground.delete("pods", "default", &name).map_err(refused)?;
                    let resource_version = playground.revision().to_string();
                    let deletion = Version { resource_version, is_deletion: true, number: None };
                    all.entry(String::clone(uid)).or_default().push(deletion);
                    there.remove(&name);
                    continue;
                }
                Some(_) => {
                    let patch = json!({ "metadata": { "labels": { "number": said } } });
                    playground.patch("pods", "default", &name, patch).map_err(refused)?
                }
                None => playground.create(pod(&name, &said)).map_err(refused)?,
            };
            let text = |at: &str| object.pointer(at).and_then(Value::as_str).map(str::to_owned);
            let uid = text("/metadata/uid").context("a uid")?;
            let resource_version = text("/metadata/resourceVersion").context("a version")?;
            let version =
                Version { resource_version, is_deletion: false, number: text("/metadata/labels/number") };
            all.entry(uid.clone()).or_default().push(version);
            there.insert(name, uid);
        }
        Ok(all)
    })
}

fn pod(name: &str, number: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": name, "namespace": "default", "labels": { "number": number } },
        "spec": { "containers": [{ "name": "a", "image": "a.example/a:1" }] },
    })
}

/// How many of the versions are kept. Each other one is between two that are, in a time that is missing.
fn check(uid: &str, acknowledged: &[Version], history: &History) -> Result<usize> {
    let is_missing = |from_ms: i64, to_ms: i64| {
        let overlaps =
            |gap: &Unrecorded| gap.from_ms <= to_ms && gap.to_ms >= from_ms.saturating_sub(LATE_MS);
        history.unrecorded.iter().any(overlaps)
    };
    // The oldest first.
    let entries: Vec<&Entry> = history.entries.iter().rev().collect();
    let (mut place, mut kept) = (0, 0);
    let mut before_ms = i64::MIN;
    for entry in &entries {
        let is_deletion = entry.kind == EntryType::Deleted;
        let version = entry.resource_version.as_ref().map_or("", |version| version.as_str());
        let found = acknowledged.iter().skip(place).position(|it| {
            it.is_deletion == is_deletion
                && (it.resource_version == version || (is_deletion && entry.relisted))
        });
        let missed = found.with_context(|| {
            let known: Vec<&str> = acknowledged.iter().map(|it| &*it.resource_version).collect();
            let told: Vec<_> =
                entries.iter().map(|it| (it.time_ms, &it.resource_version, it.kind, it.relisted)).collect();
            let gaps = &history.unrecorded;
            format!("{uid}: {version} was never acknowledged after {place}, or came twice: {known:?}, told {told:?}, missing {gaps:?}")
        })?;
        let is_counted = usize::try_from(entry.skipped)? == missed;
        ensure!(
            is_counted || is_missing(before_ms, entry.time_ms),
            "{uid}: {missed} versions before {version} are missing, {} counted: {:?}, {:?} of {:?}",
            entry.skipped,
            (history.since_ms, &history.unrecorded),
            entries
                .iter()
                .map(|it| (it.time_ms, &it.resource_version, it.kind, it.relisted))
                .collect::<Vec<_>>(),
            acknowledged.iter().map(|it| (&it.resource_version, it.is_deletion)).collect::<Vec<_>>(),
        );
        (place, kept, before_ms) = (place + missed + 1, kept + 1, entry.time_ms);
    }
    let rest = &acknowledged[place..];
    ensure!(
        rest.is_empty() || is_missing(before_ms, i64::MAX),
        "{uid}: {} versions at the end are missing, since {:?}; the record has {:?} and misses {:?}",
        rest.len(),
        rest.first().map(|it| (&it.resource_version, &it.number)),
        entries.iter().map(|it| (it.time_ms, &it.resource_version)).collect::<Vec<_>>(),
        history.unrecorded
    );
    Ok(kept)
}

//! The record of a fleet that lives on a real control plane, beside watches of its API server in which no gateway has a
//! part: at each of many times, every kind is as those had it. `DOGWATCH_PAST_FLEET_S=3600` has it live for an hour.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow, bail, ensure};
use cluster::{ControlPlane, Fleet, Options};
use futures_util::{AsyncBufReadExt, TryStreamExt};
use http::Request;
use kube::Client;
use serde_json::Value;
use shared::past::PastState;
use shared::problem::Reason;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use tempfile::tempdir;
use testkit::api;
use testkit::dogwatch::Home;
use tokio::task::JoinSet;
use tokio::time::interval;

use crate::past::Viewer;

const LASTS: &str = "DOGWATCH_PAST_FLEET_S";
const LASTS_USUAL_S: u64 = 24;
/// So many times are looked at.
const TIMES: u32 = 6;
const TIMES_OF_AN_HOUR: u32 = 50;
/// So many times faster than for people who watch.
const SPEED: u32 = 10;
/// The gateway and the watches beside it hear of a change so far apart at most.
const APART_MS: i64 = 3_000;
/// A version in so long is kept of an object with more of them in a minute, and not each.
const A_MINUTE_MAX: usize = 50;
const BUSY_MS: i64 = 5_500;

/// What is recorded where no kinds are named, as far as the cluster serves it: group, version, plural.
const KINDS: [(&str, &str, &str); 18] = [
    ("", "v1", "configmaps"),
    ("", "v1", "events"),
    ("", "v1", "namespaces"),
    ("", "v1", "nodes"),
    ("", "v1", "persistentvolumeclaims"),
    ("", "v1", "pods"),
    ("", "v1", "replicationcontrollers"),
    ("", "v1", "services"),
    ("apps", "v1", "daemonsets"),
    ("apps", "v1", "deployments"),
    ("apps", "v1", "replicasets"),
    ("apps", "v1", "statefulsets"),
    ("argoproj.io", "v1alpha1", "rollouts"),
    ("autoscaling", "v2", "horizontalpodautoscalers"),
    ("batch", "v1", "cronjobs"),
    ("batch", "v1", "jobs"),
    ("networking.k8s.io", "v1", "ingresses"),
    ("policy", "v1", "poddisruptionbudgets"),
];

/// What the API server told of one object.
#[derive(Debug)]
struct Told {
    at_ms: i64,
    uid: String,
    /// `None`: it is gone.
    object: Option<Value>,
}

/// What the API server told of one kind, in its order.
#[derive(Default)]
struct Watched {
    told: Vec<Told>,
}

type Kinds = BTreeMap<&'static str, Arc<Mutex<Watched>>>;

#[tokio::test(flavor = "multi_thread")]
async fn what_the_record_of_a_living_fleet_says_of_a_time_is_what_the_api_server_had_then() -> Result<()> {
    let lasts_s = std::env::var(LASTS).ok().and_then(|text| text.parse().ok()).unwrap_or(LASTS_USUAL_S);
    let times = if lasts_s > 10 * LASTS_USUAL_S { TIMES_OF_AN_HOUR } else { TIMES };
    let start = || {
        let fleet = Some(Fleet { speed: SPEED, ..Fleet::default() });
        ControlPlane::start(Options { fleet, ..Options::default() })
    };
    let plane = tokio::task::spawn_blocking(start).await??;
    let folder = tempdir()?;
    let record = folder.path().join("record");
    let kubeconfig = plane.kubeconfig().display().to_string();
    let history = record.display().to_string();
    let flags = ["--kubeconfig", &kubeconfig, "--listen", "127.0.0.1:0", "--history", &history];
    let (client, mut watches, mut kinds) =
        (api::client(&plane.kubeconfig()).await?, JoinSet::new(), Kinds::new());
    for (group, version, plural) in KINDS {
        let watched = kinds.entry(plural).or_default();
        watches.spawn(follow(client.clone(), path(group, version, plural), Arc::clone(watched)));
    }
    let mut gateway = Home::new()?.serve(&flags)?;
    let mut viewer = Viewer::open(&gateway).await?;
    until_all_are_recorded(&mut viewer).await?;
    let (mut looks, mut seen) = (interval(Duration::from_secs(lasts_s) / times), Vec::new());
    for time in 0..times {
        tokio::select! {
            _ = looks.tick() => {}
            Some(ended) = watches.join_next() => bail!("a watch beside the gateway ended: {ended:?}"),
        }
        seen.push(now_ms()?);
        if time == times / 2 {
            // Killed, it goes on where its record ends.
            let (home, _) = gateway.kill()?;
            gateway = home.serve(&flags)?;
            viewer = Viewer::open(&gateway).await?;
            until_all_are_recorded(&mut viewer).await?;
        }
    }
    // What was on its way at the last time is there.
    until(&mut looks, now_ms()? + APART_MS).await?;
    watches.abort_all();
    let compared = compare(&mut viewer, &kinds, &seen).await?;
    let told: usize = kinds.values().map(|watched| watched.lock().expect("no panic").told.len()).sum();
    println!(
        "{told} versions were told beside the record, {compared} objects compared in {} times",
        seen.len()
    );
    ensure!(compared > 1_000, "the fleet lived: {compared}");
    Ok(())
}

async fn until(looks: &mut tokio::time::Interval, at_ms: i64) -> Result<()> {
    while now_ms()? < at_ms {
        looks.tick().await;
    }
    Ok(())
}

fn now_ms() -> Result<i64> {
    Ok(i64::try_from(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis())?)
}

fn path(group: &str, version: &str, plural: &str) -> String {
    if group.is_empty() {
        format!("/api/{version}/{plural}")
    } else {
        format!("/apis/{group}/{version}/{plural}")
    }
}

fn scope(group: &str, version: &str, plural: &str) -> Result<Scope> {
    let resource = Resource::parse(group, version, plural)?;
    Ok(Scope { cluster: None, resource, namespaces: Namespaces::All, name: None, labels: None, fields: None })
}

async fn until_all_are_recorded(viewer: &mut Viewer) -> Result<()> {
    let mut looks = interval(Duration::from_millis(200));
    for (group, version, plural) in KINDS {
        let scope = scope(group, version, plural)?;
        let is_known = |(state, _): (PastState, _)| state.unrecorded.is_none();
        while !viewer.objects_as_of(scope.clone(), now_ms()?).await?.is_ok_and(is_known) {
            looks.tick().await;
        }
    }
    Ok(())
}

/// Watches a kind from a list on, for as long as it can.
async fn follow(client: Client, path: String, watched: Arc<Mutex<Watched>>) -> Result<()> {
    let list: Value = client.request(Request::get(&path).body(Vec::new())?).await?;
    let text = |object: &Value, at: &str| object.pointer(at).and_then(Value::as_str).map(str::to_owned);
    let mut version = text(&list, "/metadata/resourceVersion").context("a list has one")?;
    let note = |object: Value, is_there: bool| -> Result<()> {
        let uid = text(&object, "/metadata/uid").context("a uid")?;
        let told = Told { at_ms: now_ms()?, uid, object: is_there.then(|| meaning(object)) };
        watched.lock().expect("no panic").told.push(told);
        Ok(())
    };
    for item in list["items"].as_array().context("items")? {
        note(item.clone(), true)?;
    }
    loop {
        let watch = format!("{path}?watch=1&allowWatchBookmarks=true&resourceVersion={version}");
        let lines = client.request_stream(Request::get(watch).body(Vec::new())?).await?.lines();
        let mut lines = std::pin::pin!(lines);
        // Such a stream may break; the next one goes on after what this one told.
        while let Ok(Some(line)) = lines.try_next().await {
            let mut event: Value = serde_json::from_str(&line)?;
            let object = event["object"].take();
            let kind = event["type"].as_str().unwrap_or_default();
            ensure!(kind != "ERROR", "{path}: {object}");
            version = text(&object, "/metadata/resourceVersion").context("a version")?;
            if kind != "BOOKMARK" {
                note(object, kind != "DELETED")?;
            }
        }
    }
}

/// An object without what a record leaves out, and what changes without meaning anything.
fn meaning(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        metadata.remove("resourceVersion");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
            annotations.remove("control-plane.alpha.kubernetes.io/leader");
        }
        metadata.retain(|name, value| name != "annotations" || *value != Value::Object(Default::default()));
    }
    if let Some(object) = object.as_object_mut() {
        // The items of a list don't have them.
        object.remove("apiVersion");
        object.remove("kind");
    }
    let conditions = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        condition.remove("lastHeartbeatTime");
        condition.remove("lastProbeTime");
    }
    object
}

/// Every kind at every time. How many objects were compared.
async fn compare(viewer: &mut Viewer, kinds: &Kinds, times: &[i64]) -> Result<usize> {
    let mut compared = 0;
    for (group, version, plural) in KINDS {
        for at_ms in times {
            let (state, objects) = objects_of(viewer, scope(group, version, plural)?, *at_ms).await?;
            // A feed that listed again on a busy machine claims nothing until its next proof is written.
            if state.unrecorded.is_some() {
                continue;
            }
            compared += objects.len();
            let told = &kinds[plural].lock().expect("no panic").told;
            is_a_state(told, *at_ms, objects).with_context(|| format!("{plural} at {at_ms}: {state:?}"))?;
        }
    }
    Ok(compared)
}

/// Asks again for as long as there were too many questions.
async fn objects_of(viewer: &mut Viewer, scope: Scope, at_ms: i64) -> Result<(PastState, Vec<Value>)> {
    loop {
        match viewer.objects_as_of(scope.clone(), at_ms).await? {
            Err(problem) if problem.reason == Reason::Limit => {}
            found => return found.map_err(|problem| anyhow!("{at_ms}: {}", problem.message)),
        }
    }
}

/// Whether these objects are a state that the kind was in at about a time.
fn is_a_state(told: &[Told], at_ms: i64, objects: Vec<Value>) -> Result<()> {
    let mut recorded = BTreeMap::new();
    for object in objects {
        let uid = object.pointer("/metadata/uid").and_then(Value::as_str).context("a uid")?.to_owned();
        recorded.insert(uid, meaning(object));
    }
    let is_same = |told: &Told| match (recorded.get(&told.uid), &told.object) {
        (Some(recorded), Some(object)) => is_masked_or_same(recorded, object),
        (recorded, object) => recorded.is_none() && object.is_none(),
    };
    let busy = busy(told, at_ms);
    for uid in &busy {
        // Some of its versions are counted and not kept.
        let of_it: Vec<&Told> = told.iter().filter(|told| told.uid == **uid).collect();
        let mut about = of_it.iter().enumerate().filter(|(place, told)| {
            let next_ms = of_it.get(place + 1).map_or(i64::MAX, |next| next.at_ms);
            told.at_ms <= at_ms + APART_MS && next_ms >= at_ms - BUSY_MS - APART_MS
        });
        ensure!(about.any(|(_, told)| is_same(told)), "{uid} is what it never was: {:?}", recorded.get(*uid));
    }
    let mut differ: BTreeSet<&str> = recorded.keys().map(String::as_str).collect();
    differ.retain(|uid| !busy.contains(uid));
    let mut closest: Option<BTreeSet<&str>> = None;
    let until = told.partition_point(|told| told.at_ms <= at_ms + APART_MS);
    for place in 0..=until {
        if let Some(told) = place.checked_sub(1).and_then(|place| told.get(place))
            && !busy.contains(&*told.uid)
        {
            if is_same(told) {
                differ.remove(&*told.uid)
            } else {
                differ.insert(&told.uid)
            };
        }
        let is_about = told.get(place).is_none_or(|next| next.at_ms >= at_ms - APART_MS);
        if is_about && closest.as_ref().is_none_or(|closest| differ.len() < closest.len()) {
            closest = Some(differ.clone());
        }
    }
    let Some(uid) = closest.iter().flatten().next() else { return Ok(()) };
    let last = told[..until].iter().rfind(|told| told.uid == **uid);
    bail!("the API server had never {:?}, but {last:?}: {closest:?}", recorded.get(*uid))
}

/// Objects of which so much happened in the minute before that not every version is kept.
fn busy(told: &[Told], at_ms: i64) -> BTreeSet<&str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let minute = at_ms - 60_000 - APART_MS..=at_ms + APART_MS;
    for told in told.iter().filter(|told| minute.contains(&told.at_ms)) {
        *counts.entry(&told.uid).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > A_MINUTE_MAX).map(|(uid, _)| uid).collect()
}

const MASK: &str = "••••••••";

/// Whether a recorded value is the server's, but for what is masked in it.
fn is_masked_or_same(recorded: &Value, server: &Value) -> bool {
    match (recorded, server) {
        (Value::String(text), _) if text.contains(MASK) => true,
        (Value::Object(recorded), Value::Object(server)) => {
            let is_same = |(name, value): (&String, &Value)| {
                server.get(name).is_some_and(|server| is_masked_or_same(value, server))
            };
            recorded.len() == server.len() && recorded.iter().all(is_same)
        }
        (Value::Array(recorded), Value::Array(server)) => {
            let mut pairs = recorded.iter().zip(server);
            recorded.len() == server.len()
                && pairs.all(|(recorded, server)| is_masked_or_same(recorded, server))
        }
        _ => recorded == server,
    }
}

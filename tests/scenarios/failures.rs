//! The failures that Kubernetes' sources name (`tests/fixtures/failures.json`), written as the states of objects into a
//! real API server: the gateway's rows say the class that the list says, and rules tell a webhook of those that fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context, Result, ensure};
use cluster::{ControlPlane, Options};
use jiff::Timestamp;
use serde_json::{Value, json};
use shared::health::{Health, HealthClass};
use shared::resource::Resource;
use shared::scope::Scope;
use testkit::client::all_pods;
use testkit::dogwatch::Home;
use testkit::viewer::Viewer;
use testkit::webhook::Webhook;
use tokio::time::timeout;

const LIST: &str = include_str!("../fixtures/failures.json");
/// Longer than every time of the list.
const OLD_S: i64 = 3600;
const TOLD_WITHIN: Duration = Duration::from_secs(40);
/// The aggregator of the API server writes their states itself: it finds that there is no such service.
const AGGREGATED: &str = "apiservices.apiregistration.k8s.io";
const AGGREGATOR_SAYS: &str = "Available False ServiceNotFound";

/// An object of a kind, and what its row must say.
struct State {
    word: String,
    resource: String,
    object: Value,
    /// When it began. `None`: it has no time of its own, so it began with the object.
    began_s: Option<i64>,
    /// What it is so long after it began.
    expected: Vec<(i64, HealthClass)>,
}

impl State {
    fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// The seconds after which it fails.
    fn fails_after(&self) -> Option<i64> {
        let failing = self.expected.iter().find(|(_, class)| *class == HealthClass::Failing);
        failing.map(|(after_s, _)| after_s - self.expected.first().map_or(0, |(first_s, _)| *first_s))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failure_that_kubernetes_names_is_said_of_the_row_of_its_object() -> Result<()> {
    // Its API services would break the discovery of other tests.
    let plane = ControlPlane::start(Options::default())?;
    let now_s = Timestamp::now().as_second();
    let mut states: BTreeMap<String, Vec<State>> = BTreeMap::new();
    for state in read(now_s)? {
        states.entry(state.resource.clone()).or_default().push(state);
    }
    thread::scope(|scope| {
        let written: Vec<_> =
            states.iter().map(|(kind, states)| scope.spawn(|| write(&plane, kind, states))).collect();
        written.into_iter().try_for_each(|written| written.join().expect("no panic"))
    })?;
    let mut webhook = Webhook::start().await?;
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("dogwatch.yaml");
    fs::write(&config, rules(&webhook.receiver(folder.path())?, states.keys())?)?;
    let (kubeconfig, config) = (plane.kubeconfig().display().to_string(), config.display().to_string());
    let flags = ["--kubeconfig", &kubeconfig, "--config", &config, "--listen=127.0.0.1:0"];
    let dogwatch = Home::new()?.serve(&flags)?;
    let mut wrong = Vec::new();
    for (kind, states) in &states {
        wrong.extend(wrongly_said(&dogwatch.socket()?, kind, states).await?);
    }
    ensure!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let failing = states.values().flatten().filter_map(|state| Some((state.name(), state.fails_after()?)));
    let (now, later): (Vec<_>, Vec<_>) = failing.partition(|(_, after_s)| *after_s == 0);
    let mut untold: BTreeSet<&str> = now.iter().map(|(name, _)| *name).collect();
    ensure!(untold.len() > 80, "{} fail", untold.len());
    while !untold.is_empty() {
        let event = timeout(TOLD_WITHIN, webhook.events.recv()).await;
        let event = event.with_context(|| format!("untold: {untold:?}"))?.context("a webhook")?;
        for object in event["data"]["objects"].as_array().context("objects")? {
            let name = object["name"].as_str().context("a name")?;
            let is_due = untold.remove(name) || later.iter().any(|(later, _)| *later == name);
            ensure!(is_due, "{name} doesn't fail, or is told twice: {event}");
        }
    }
    Ok(())
}

/// A rule of each of these kinds.
fn rules<'k>(receiver: &str, kinds: impl Iterator<Item = &'k String>) -> Result<String> {
    let mut text = format!("receivers:\n{receiver}rules:\n");
    for (number, kind) in kinds.enumerate() {
        writeln!(text, "- {{name: r{number}, kind: {kind}, when: health=failing}}")?;
    }
    Ok(text)
}

/// Each failure as one that began an hour ago; one that becomes another with time, also as it begins.
fn read(now_s: i64) -> Result<Vec<State>> {
    let list: Value = serde_json::from_str(LIST)?;
    let mut states = Vec::new();
    for section in list["sections"].as_array().context("sections")? {
        let template = section["object"].to_string();
        for failure in section["failures"].as_array().context("failures")? {
            let text = |name: &str| failure[name].as_str().unwrap_or_default();
            let resource = section["resource"].as_str().context("a resource")?;
            if resource == AGGREGATED && text("word") != AGGREGATOR_SAYS {
                continue;
            }
            let steps = steps(text("health"))?;
            let (_, last) = *steps.last().context("a class")?;
            let has_time = template.contains("TIME");
            let mut add = |began_s: i64, expected| {
                let filled = [
                    ("NAME", format!("failure-{}", states.len())),
                    ("TYPE", text("type").to_owned()),
                    ("STATUS", text("status").to_owned()),
                    ("REASON", text("reason").to_owned()),
                    ("TIME", Timestamp::from_second(began_s)?.to_string()),
                ];
                let object =
                    filled.iter().fold(template.clone(), |text, (place, word)| text.replace(place, word));
                let object = serde_json::from_str(&object)?;
                let word = format!("{}, {}", section["name"], text("word"));
                let began_s = has_time.then_some(began_s);
                states.push(State { word, resource: resource.to_owned(), object, began_s, expected });
                anyhow::Ok(())
            };
            if has_time {
                add(now_s - OLD_S, vec![(OLD_S, last)])?;
            }
            if steps.len() > 1 || !has_time {
                add(now_s, steps)?;
            }
        }
    }
    Ok(states)
}

/// `changing, not-ready 60`.
fn steps(text: &str) -> Result<Vec<(i64, HealthClass)>> {
    let step = |text: &str| {
        let (class, after_s) = text.split_once(' ').unwrap_or((text, "0"));
        anyhow::Ok((after_s.parse()?, serde_json::from_value(json!(class))?))
    };
    text.split(", ").map(step).collect()
}

/// Creating an object drops its status, so a second request writes it, as its controller would.
fn write(plane: &ControlPlane, kind: &str, states: &[State]) -> Result<()> {
    let objects: Vec<&Value> = states.iter().map(|state| &state.object).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    plane.kubectl_with_input(&["create", "-f", "-"], &list)?;
    if kind != AGGREGATED {
        plane.kubectl_with_input(&["replace", "--subresource=status", "-f", "-"], &list)?;
    }
    Ok(())
}

async fn wrongly_said(socket: &Path, kind: &str, states: &[State]) -> Result<Vec<String>> {
    let (plural, group) = kind.split_once('.').unwrap_or((kind, ""));
    let version = states.iter().find_map(|state| state.object["apiVersion"].as_str()).context("a version")?;
    let version = version.rsplit('/').next().unwrap_or_default();
    let resource = Resource::parse(group, version, plural)?;
    let mut viewer = Viewer::open(socket, Scope { resource, ..all_pods()? });
    viewer.until_sync().await?;
    if kind == AGGREGATED {
        let is_judged = |viewer: &Viewer| viewer.table().rows().any(|row| row.health().is_some());
        viewer.until_state("an API service without its service", is_judged).await?;
    }
    let mut wrong = Vec::new();
    for state in states {
        let name = state.object["metadata"]["name"].as_str().context("a name")?;
        let row = viewer.table().rows().find(|row| *row.name == *name);
        let row = row.with_context(|| format!("no row of {}", state.word))?;
        let began_s = state.began_s.or(row.created).context("when it was created")?;
        let health = row.health();
        let class =
            |after_s| health.map_or(HealthClass::Fine, |health: &Health| health.at(began_s + after_s));
        let is_said = state.expected.iter().all(|(after_s, expected)| class(*after_s) == *expected);
        if !is_said || health.is_some_and(|health| health.reason.is_empty()) {
            wrong.push(format!("{}: {health:?}, not {:?}", state.word, state.expected));
        }
    }
    Ok(wrong)
}

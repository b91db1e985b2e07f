//! What an object says of itself in a few words: the same facts for every kind, then those that
//! `kubectl describe` is opened for, kind by kind. A kind that isn't known has the general ones; its
//! own words stand in the row's columns and in the YAML.

mod cluster;
mod container;
mod pod;
#[cfg(test)]
mod tests;
mod workload;

use serde_json::Value;

use super::read::{self, Now};
use super::reference::Reference;
use crate::messages;

pub use container::{Container, Role, containers};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fact {
    /// Empty where it continues the one above.
    pub label: &'static str,
    pub value: String,
    /// Fainter, behind the value.
    pub note: String,
    pub is_mono: bool,
    /// As wide as two.
    pub is_wide: bool,
    pub link: Option<Reference>,
}

/// Names and values as they stand, for the parts that list them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    pub facts: Vec<Fact>,
    pub containers: Vec<Container>,
    pub annotations: Vec<(String, String)>,
    pub finalizers: Vec<String>,
    /// The keys of a ConfigMap or a Secret, each with the size of its value.
    pub data: Vec<(String, String)>,
}

/// Each of two facts in one line has room for so many characters.
const HALF_CHARACTERS_MAX: usize = 26;

#[must_use]
pub fn overview(object: &Value, now: Now) -> Overview {
    let mut facts = going(object, now);
    facts.extend(own(object, now));
    facts.extend(general(object, now));
    for fact in &mut facts {
        fact.is_wide |= fact.value.chars().count() + fact.note.chars().count() > HALF_CHARACTERS_MAX;
    }
    Overview {
        facts,
        containers: containers(object, now),
        annotations: read::pairs(object, "/metadata/annotations"),
        finalizers: read::list(object, "/metadata/finalizers").iter().map(read::scalar).collect(),
        data: data(object),
    }
}

/// An object that is being deleted says so before all else.
fn going(object: &Value, now: Now) -> Vec<Fact> {
    let Some(since) = read::time(object, "/metadata/deletionTimestamp") else { return Vec::new() };
    // The timestamp is when the grace ends.
    let grace = read::whole(object, "/metadata/deletionGracePeriodSeconds").unwrap_or(0);
    vec![Fact::of(messages::DELETING, now.clock_and_age(since.saturating_sub(grace))).wide()]
}

fn own(object: &Value, now: Now) -> Vec<Fact> {
    let kind = read::raw(object, "/kind").unwrap_or_default();
    let api_version = read::raw(object, "/apiVersion").unwrap_or_default();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let facts = match (group, kind) {
        ("", "Pod") => pod::facts(object, now),
        ("apps", "Deployment") => workload::deployment(object),
        ("apps", "ReplicaSet") | ("", "ReplicationController") => workload::replica_set(object),
        ("apps", "StatefulSet") => workload::stateful_set(object),
        ("apps", "DaemonSet") => workload::daemon_set(object),
        ("batch", "Job") => workload::job(object, now),
        ("batch", "CronJob") => workload::cron_job(object, now),
        ("autoscaling", "HorizontalPodAutoscaler") => workload::autoscaler(object),
        ("", "Service") => cluster::service(object),
        ("networking.k8s.io", "Ingress") => cluster::ingress(object),
        ("", "Node") => cluster::node(object),
        ("", "PersistentVolumeClaim") => cluster::claim(object),
        ("", "PersistentVolume") => cluster::volume(object),
        ("", "Secret") => vec![Fact::some(messages::TYPE, read::text(object, "/type")).map(Fact::mono)],
        _ => Vec::new(),
    };
    facts.into_iter().flatten().collect()
}

fn general(object: &Value, now: Now) -> Vec<Fact> {
    let created = read::time(object, "/metadata/creationTimestamp").map(|at| now.clock_and_age(at));
    let generation = read::whole(object, "/metadata/generation");
    let observed = read::whole(object, "/status/observedGeneration");
    // Shown if the controller hasn't seen the newest spec.
    let behind = generation
        .zip(observed)
        .filter(|(generation, observed)| observed < generation)
        .map(|(generation, observed)| messages::observed_generation(observed, generation));
    let labels = Some(read::joined(&read::pairs(object, "/metadata/labels"))).filter(|text| !text.is_empty());
    [
        Fact::some(messages::CREATED, created),
        Fact::some(messages::GENERATION, behind),
        Fact::some(messages::LABELS, labels).map(|fact| fact.mono().wide()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Values aren't shown here: their size says whether there is one.
fn data(object: &Value) -> Vec<(String, String)> {
    let sized = |pointer: &str| -> Vec<(String, String)> {
        let members = object.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
        let size =
            |value: &Value| u64::try_from(value.as_str().unwrap_or_default().len()).unwrap_or(u64::MAX);
        members
            .map(|(key, value)| (crate::cells::shown(key).into_owned(), messages::bytes(size(value))))
            .collect()
    };
    if !matches!(read::raw(object, "/kind"), Some("ConfigMap" | "Secret")) {
        return Vec::new();
    }
    [sized("/data"), sized("/binaryData")].concat()
}

impl Fact {
    pub(super) fn of(label: &'static str, value: String) -> Self {
        Self { label, value, note: String::new(), is_mono: false, is_wide: false, link: None }
    }

    /// Nothing where there is no value.
    pub(super) fn some(label: &'static str, value: Option<String>) -> Option<Self> {
        value.filter(|value| !value.is_empty()).map(|value| Self::of(label, value))
    }

    pub(super) fn mono(self) -> Self {
        Self { is_mono: true, ..self }
    }

    pub(super) fn wide(self) -> Self {
        Self { is_wide: true, ..self }
    }

    pub(super) fn noted(self, note: String) -> Self {
        Self { note, ..self }
    }

    pub(super) fn linked(self, link: Reference) -> Self {
        Self { link: Some(link), ..self }
    }
}

/// One line each, under one label.
pub(super) fn lines(label: &'static str, lines: Vec<(String, String)>) -> Vec<Option<Fact>> {
    let mut label = Some(label);
    lines
        .into_iter()
        .map(|(value, note)| {
            let fact = Fact::some(label.unwrap_or_default(), Some(value))?.mono().wide().noted(note);
            label = Some("");
            Some(fact)
        })
        .collect()
}

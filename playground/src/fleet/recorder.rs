//! Events: one for each message about an object, counted where the message comes again, and deleted
//! after a while. Real ones live an hour; here the newest ones live.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::kinds::kind_of;
use super::{Change, Mutation};
use crate::json::{set, text};
use crate::random::mix;

/// Events that live at once.
pub(super) const EVENTS_MAX: usize = 60;
/// Those of them that aren't of pods and their sets, which have so many that a rollout's own would be gone before it ends.
const OF_OTHERS_MAX: usize = EVENTS_MAX / 2;

/// The content of an Event.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventText<'a> {
    pub(super) resource: &'a str,
    pub(super) object: &'a Value,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    pub(super) source: Source<'a>,
}

/// The component that records an Event, and where it saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) component: &'static str,
    pub(super) field_path: &'a str,
    pub(super) host: &'a str,
}

#[derive(Clone, Debug)]
struct Known {
    hash: u64,
    is_of_many: bool,
    namespace: String,
    name: String,
    count: i64,
}

impl Known {
    fn mutation(&self, manager: &'static str, change: Change) -> Mutation {
        let (namespace, name) = (self.namespace.clone(), self.name.clone());
        Mutation { resource: "events", namespace, name, manager, change }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    /// Oldest first.
    known: VecDeque<Known>,
    serial: u64,
}

impl Recorder {
    pub(super) fn record(&mut self, event: &EventText<'_>, now: &str, due: &mut VecDeque<Mutation>) {
        let (uid, manager) = (text(event.object, "/metadata/uid"), event.source.component);
        let hash = hash_of(&[uid, event.source.field_path, event.reason, event.message]);
        if let Some(at) = self.known.iter().position(|found| found.hash == hash)
            && let Some(mut found) = self.known.remove(at)
        {
            found.count += 1;
            let patch = json!({"count": found.count, "lastTimestamp": now});
            due.push_back(found.mutation(manager, Change::Patch(patch)));
            self.known.push_back(found);
            return;
        }
        self.serial += 1;
        let namespace = match text(event.object, "/metadata/namespace") {
            "" => "default",
            namespace => namespace,
        };
        let name = format!("{}.{:016x}", text(event.object, "/metadata/name"), mix(self.serial ^ hash) >> 4);
        due.push_back(Mutation::create("events", manager, object_of(event, namespace, &name, now)));
        let is_of_many = matches!(event.resource, "pods" | "replicasets.apps");
        self.known.push_back(Known { hash, is_of_many, namespace: namespace.to_owned(), name, count: 1 });
        if let Some(outlived) = self.outlived() {
            due.push_back(outlived.mutation(manager, Change::Delete { grace_s: 0 }));
        }
    }

    /// Takes out the one that makes room, if there are too many.
    fn outlived(&mut self) -> Option<Known> {
        if self.known.len() <= EVENTS_MAX {
            return None;
        }
        let of_others = self.known.iter().filter(|one| !one.is_of_many).count();
        let goes = |one: &Known| one.is_of_many == (of_others <= OF_OTHERS_MAX);
        self.known.iter().position(goes).and_then(|at| self.known.remove(at))
    }
}

fn is_warning(reason: &str) -> bool {
    const WARNINGS: &[&str] =
        &["BackOff", "BackoffLimitExceeded", "Failed", "FailedScheduling", "NodeNotReady", "Unhealthy"];
    WARNINGS.contains(&reason)
}

fn object_of(event: &EventText<'_>, namespace: &str, name: &str, now: &str) -> Value {
    let EventText { resource, object, reason, message, source: Source { component, field_path, host } } =
        *event;
    let (api_version, kind) = kind_of(resource);
    let mut involved = json!({
        "kind": kind, "apiVersion": api_version, "name": text(object, "/metadata/name"), "uid": text(object, "/metadata/uid"),
        "resourceVersion": text(object, "/metadata/resourceVersion"),
    });
    let mut source = json!({"component": component});
    for (into, field, word) in
        [(&mut involved, "namespace", text(object, "/metadata/namespace")), (&mut source, "host", host)]
    {
        if !word.is_empty() {
            set(into, &[field], json!(word));
        }
    }
    if !field_path.is_empty() {
        set(&mut involved, &["fieldPath"], json!(field_path));
    }
    json!({
        "metadata": {"name": name, "namespace": namespace}, "involvedObject": involved,
        "reason": reason, "message": message, "source": source, "count": 1,
        "firstTimestamp": now, "lastTimestamp": now, "eventTime": null,
        "type": if is_warning(reason) { "Warning" } else { "Normal" },
        "reportingComponent": component, "reportingInstance": host,
    })
}

pub(super) fn hash_of(words: &[&str]) -> u64 {
    words.iter().flat_map(|word| word.bytes().chain([0])).fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_of_many_pods_push_out_none_of_a_rollout_and_the_other_way_round() {
        let (mut recorder, mut due) = (Recorder::default(), VecDeque::new());
        let mut record = |resource: &str, name: String| {
            let object = json!({"metadata": {"name": name, "namespace": "shop", "uid": name}});
            let source = Source { component: "kubelet", field_path: "", host: "" };
            let event = EventText { resource, object: &object, reason: "R", message: "m", source };
            recorder.record(&event, "2026-01-01T00:00:00Z", &mut due);
        };
        record("deployments.apps", "web".to_owned());
        (0..200).for_each(|number| {
            record(if number % 2 == 0 { "pods" } else { "replicasets.apps" }, format!("web-{number}"))
        });
        (0..200).for_each(|number| record("jobs.batch", format!("job-{number}")));
        let count = |is_of_many| recorder.known.iter().filter(|one| one.is_of_many == is_of_many).count();
        assert_eq!((count(true), count(false)), (EVENTS_MAX - OF_OTHERS_MAX, OF_OTHERS_MAX));
        let deleted: Vec<&str> = due
            .iter()
            .filter(|mutation| matches!(mutation.change, Change::Delete { .. }))
            .filter_map(|mutation| mutation.name.split('.').next())
            .collect();
        assert_eq!(deleted.iter().position(|name| *name == "web"), Some(141 + 29), "it outlives 200 pods");
    }
}

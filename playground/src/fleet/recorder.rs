//! Events: one for each thing that is told of an object, counted where it is told again, and gone
//! after a while. Real ones live an hour; here so many live at once.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::Mutation;
use super::stage::{name_of, namespace_of};
use crate::json::text;
use crate::random::mix;

/// Events that live at once.
pub(super) const EVENTS_MAX: usize = 60;

/// What an Event says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'a> {
    pub(super) api_version: &'a str,
    pub(super) kind: &'a str,
    pub(super) object: &'a Value,
    pub(super) field_path: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    pub(super) component: &'static str,
    pub(super) host: &'a str,
}

#[derive(Debug)]
struct Known {
    what: u64,
    namespace: String,
    name: String,
    count: i64,
}

#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// Oldest first.
    known: VecDeque<Known>,
    serial: u64,
}

impl Recorder {
    pub(super) fn record(&mut self, told: &Told<'_>, now: &str, due: &mut VecDeque<Mutation>) {
        let what = hash_of(&[text(told.object, "/metadata/uid"), told.field_path, told.reason, told.message]);
        if let Some(at) = self.known.iter().position(|found| found.what == what)
            && let Some(mut found) = self.known.remove(at)
        {
            found.count += 1;
            due.push_back(Mutation::Patch {
                resource: "events",
                namespace: found.namespace.clone(),
                name: found.name.clone(),
                patch: json!({"count": found.count, "lastTimestamp": now}),
                manager: told.component,
            });
            self.known.push_back(found);
            return;
        }
        self.serial += 1;
        let namespace = match namespace_of(told.object) {
            "" => "default",
            namespace => namespace,
        };
        let name = format!("{}.{:016x}", name_of(told.object), mix(self.serial ^ what) >> 4);
        let value = event(told, namespace, &name, now);
        due.push_back(Mutation::Create { resource: "events", value, manager: told.component });
        self.known.push_back(Known { what, namespace: namespace.to_owned(), name, count: 1 });
        if self.known.len() > EVENTS_MAX
            && let Some(Known { namespace, name, .. }) = self.known.pop_front()
        {
            due.push_back(Mutation::Delete { resource: "events", namespace, name, grace_s: 0 });
        }
    }
}

fn is_warning(reason: &str) -> bool {
    const WARNINGS: &[&str] =
        &["BackOff", "BackoffLimitExceeded", "Failed", "FailedScheduling", "NodeNotReady", "Unhealthy"];
    WARNINGS.contains(&reason)
}

fn event(told: &Told<'_>, namespace: &str, name: &str, now: &str) -> Value {
    let mut involved = json!({
        "kind": told.kind, "apiVersion": told.api_version, "name": name_of(told.object),
        "uid": text(told.object, "/metadata/uid"), "resourceVersion": text(told.object, "/metadata/resourceVersion"),
    });
    let mut source = json!({"component": told.component});
    for (field, word) in [("namespace", namespace_of(told.object)), ("fieldPath", told.field_path)] {
        if !word.is_empty() {
            crate::json::set(&mut involved, &[field], json!(word));
        }
    }
    if !told.host.is_empty() {
        crate::json::set(&mut source, &["host"], json!(told.host));
    }
    json!({
        "metadata": {"name": name, "namespace": namespace},
        "involvedObject": involved,
        "reason": told.reason, "message": told.message, "source": source,
        "firstTimestamp": now, "lastTimestamp": now, "count": 1,
        "type": if is_warning(told.reason) { "Warning" } else { "Normal" },
        "eventTime": null, "reportingComponent": told.component, "reportingInstance": told.host,
    })
}

pub(super) fn hash_of(words: &[&str]) -> u64 {
    words.iter().flat_map(|word| word.bytes().chain([0])).fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

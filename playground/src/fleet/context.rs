//! What a component sees and may do: read the store, ask for one change, record an Event, be called again
//! later. It never writes by itself.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use fastrand::Rng;
use serde_json::{Value, json};

use super::kinds::kind_of;
use super::queue::{Queue, Work};
use super::recorder::{EventText, Recorder, Source};
use super::{Change, Mutation};
use crate::json::{condition, flag, list, text};
use crate::resource::GroupResource;
use crate::store::{Object, Store, key_of};

pub(super) const CONTROLLERS: &str = "kube-controller-manager";
pub(super) const KUBELET: &str = "kubelet";
pub(super) const SCHEDULER: &str = "kube-scheduler";
pub(super) const PEOPLE: &str = "kubectl-client-side-apply";

/// What isn't in the API: chance, timers, which kubelets are alive, how much traffic there is.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) chance: Rng,
    pub(super) tick: u64,
    pub(super) queue: Queue,
    /// Changes that belong to the last one, Events above all; one per step.
    pub(super) due: VecDeque<Mutation>,
    pub(super) recorder: Recorder,
    /// Nodes whose kubelet has gone silent.
    pub(super) silent: BTreeSet<String>,
    /// Percent of the autoscaled deployments' usual traffic.
    pub(super) traffic: i64,
    /// While the history before the start is made, no component waits and nothing fails.
    pub(super) is_settling: bool,
    pub(super) read: Reader,
    /// The revision of the filling's last restart, which no component follows.
    pub(super) restarted_revision: u64,
    alarms: BTreeMap<(String, &'static str), u64>,
}

/// Objects that were parsed lately, as the components' caches hold them: most are read many times
/// between two changes of theirs. There are two generations: when the newer one is full it becomes the older one, and
/// what the older one still held is dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader(RefCell<Parsed>);

#[derive(Clone, Debug, Default)]
struct Parsed {
    lately: BTreeMap<u64, Arc<Value>>,
    before: BTreeMap<u64, Arc<Value>>,
}

/// How many parsed objects are kept, twice. About 10 KB each.
const READ_MAX: usize = 512;

impl Reader {
    pub(super) fn value(&self, object: &Object) -> Arc<Value> {
        let parsed = &mut *self.0.borrow_mut();
        if let Some(value) = parsed.lately.get(&object.revision) {
            return Arc::clone(value);
        }
        let value = parsed.before.remove(&object.revision).unwrap_or_else(|| Arc::new(object.value()));
        if parsed.lately.len() >= READ_MAX {
            parsed.before = std::mem::take(&mut parsed.lately);
        }
        parsed.lately.insert(object.revision, Arc::clone(&value));
        value
    }

    /// The revisions went back: the same number may mean another object.
    pub(super) fn forget(&self) {
        *self.0.borrow_mut() = Parsed::default();
    }
}

impl Memory {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            chance: crate::random::seeded(seed),
            tick: 0,
            queue: Queue::default(),
            due: VecDeque::new(),
            recorder: Recorder::default(),
            silent: BTreeSet::new(),
            traffic: 100,
            is_settling: false,
            read: Reader::default(),
            restarted_revision: 0,
            alarms: BTreeMap::new(),
        }
    }
}

/// Alarms that can wait at once. Those of objects that went are the oldest.
const ALARMS_MAX: usize = 4_096;

#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) store: &'a Store,
    pub(super) now_s: i64,
    pub(super) now: &'a str,
    pub(super) memory: &'a mut Memory,
}

impl<'a> Context<'a> {
    pub(super) fn new(store: &'a Store, now_s: i64, now: &'a str, memory: &'a mut Memory) -> Self {
        Self { store, now_s, now, memory }
    }

    pub(super) fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let found = self.store.get(&GroupResource::of(resource), &key_of(namespace, name))?;
        Some(self.memory.read.value(found))
    }

    /// The objects of a namespace (of all if it is empty) that fit, judged before they are parsed.
    pub(super) fn list(
        &self,
        resource: &str,
        namespace: &str,
        fits: impl Fn(&Object) -> bool,
    ) -> Vec<Arc<Value>> {
        let found = self.store.objects(&GroupResource::of(resource), namespace);
        found.iter().filter(|object| fits(object)).map(|object| self.memory.read.value(object)).collect()
    }

    /// What an object controls. Owned names begin with the owner's.
    pub(super) fn owned(&self, resource: &str, owner: &Value) -> Vec<Arc<Value>> {
        let prefix = format!("{}-", name_of(owner));
        let uid = text(owner, "/metadata/uid");
        let found = self.store.named(&GroupResource::of(resource), namespace_of(owner), &prefix);
        let values = found.iter().map(|object| self.memory.read.value(object));
        values.filter(|value| controller(value).is_some_and(|found| text(found, "/uid") == uid)).collect()
    }

    fn write(&mut self, resource: &'static str, object: &Value, manager: &'static str, change: Change) {
        let (namespace, name) = (namespace_of(object).to_owned(), name_of(object).to_owned());
        self.memory.due.push_back(Mutation { resource, namespace, name, manager, change });
    }

    pub(super) fn create(&mut self, resource: &'static str, manager: &'static str, value: Value) {
        self.memory.due.push_back(Mutation::create(resource, manager, value));
    }

    pub(super) fn patch(
        &mut self,
        resource: &'static str,
        object: &Value,
        manager: &'static str,
        patch: Value,
    ) {
        self.write(resource, object, manager, Change::Patch(patch));
    }

    /// Merges into the status, and says whether that changes it.
    pub(super) fn status(
        &mut self,
        resource: &'static str,
        object: &Value,
        manager: &'static str,
        status: Value,
    ) -> bool {
        let after = merged(object.get("status"), status);
        let differs = object.get("status") != Some(&after);
        if differs {
            self.write(resource, object, manager, Change::Status(after));
        }
        differs
    }

    pub(super) fn delete(&mut self, resource: &'static str, object: &Value, grace_s: i64) {
        self.write(resource, object, CONTROLLERS, Change::Delete { grace_s });
    }

    /// An Event of this object.
    pub(super) fn record(
        &mut self,
        resource: &str,
        object: &Value,
        reason: &str,
        message: &str,
        component: &'static str,
    ) {
        self.record_at(resource, object, reason, message, Source { component, field_path: "", host: "" });
    }

    /// An Event of one field of this object, or from one host.
    pub(super) fn record_at(
        &mut self,
        resource: &str,
        object: &Value,
        reason: &str,
        message: &str,
        source: Source<'_>,
    ) {
        let memory = &mut *self.memory;
        if !memory.is_settling {
            let event = EventText { resource, object, reason, message, source };
            memory.recorder.record(&event, self.now, &mut memory.due);
        }
    }

    pub(super) fn look_at(&mut self, resource: &'static str, object: &Value) {
        self.memory.queue.push(Work::new(resource, namespace_of(object), name_of(object)));
    }

    /// Whether so many steps have passed since the first call for this purpose. If not, the object is queued
    /// for the step when they have.
    pub(super) fn passed(
        &mut self,
        resource: &'static str,
        object: &Value,
        purpose: &'static str,
        steps: u64,
    ) -> bool {
        if self.memory.is_settling {
            return true;
        }
        let tick = self.memory.tick;
        let alarms = &mut self.memory.alarms;
        let key = (text(object, "/metadata/uid").to_owned(), purpose);
        let due = *alarms.entry(key.clone()).or_insert(tick + steps);
        if due <= tick {
            alarms.remove(&key);
            return true;
        }
        if alarms.len() > ALARMS_MAX {
            alarms.retain(|_, due| *due >= tick);
        }
        self.memory.queue.push_at(due, Work::new(resource, namespace_of(object), name_of(object)));
        false
    }
}

/// A status with some fields replaced: conditions one by one, by type, other fields whole. Null removes a
/// field.
fn merged(before: Option<&Value>, new: Value) -> Value {
    let mut after = before.and_then(Value::as_object).cloned().unwrap_or_default();
    let Value::Object(fields) = new else {
        return Value::Object(after);
    };
    for (field, value) in fields {
        match (field.as_str(), value) {
            (_, Value::Null) => drop(after.remove(&field)),
            ("conditions", Value::Array(conditions)) => {
                let mut all = after.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
                for condition in conditions {
                    match all.iter_mut().find(|found| found.get("type") == condition.get("type")) {
                        Some(found) => *found = condition,
                        None => all.push(condition),
                    }
                }
                after.insert(field, Value::Array(all));
            }
            (_, value) => drop(after.insert(field, value)),
        }
    }
    Value::Object(after)
}

/// A number as Go writes it with `omitempty`: zero is null, which is left out.
pub(super) fn count<N: TryInto<i64>>(number: N) -> Value {
    match number.try_into() {
        Ok(0) | Err(_) => Value::Null,
        Ok(number) => json!(number),
    }
}

pub(super) fn name_of(object: &Value) -> &str {
    text(object, "/metadata/name")
}

pub(super) fn namespace_of(object: &Value) -> &str {
    text(object, "/metadata/namespace")
}

/// The owner that controls an object.
pub(super) fn controller(object: &Value) -> Option<&Value> {
    list(object, "/metadata/ownerReferences").iter().find(|owner| flag(owner, "/controller"))
}

/// What an owner writes into what it controls.
pub(super) fn owner_reference(resource: &str, owner: &Value) -> Value {
    let (api_version, kind) = kind_of(resource);
    json!([{
        "apiVersion": api_version, "kind": kind, "name": name_of(owner), "uid": text(owner, "/metadata/uid"),
        "controller": true, "blockOwnerDeletion": true,
    }])
}

pub(super) fn is_terminating(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

pub(super) fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|(status, _)| status == "True")
}

/// A pod that counts as a replica: neither terminating nor finished.
pub(super) fn is_active(pod: &Value) -> bool {
    !is_terminating(pod) && !matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// A condition that keeps the time of its last transition where its status stays.
pub(super) fn condition_of(
    object: &Value,
    kind: &str,
    status: &str,
    reason: &str,
    message: &str,
    now: &str,
) -> Value {
    let before = list(object, "/status/conditions").iter().find(|found| text(found, "/type") == kind);
    let since = before
        .filter(|found| text(found, "/status") == status)
        .map_or(now, |found| text(found, "/lastTransitionTime"));
    let mut condition = json!({"type": kind, "status": status, "lastTransitionTime": since});
    for (field, word) in [("reason", reason), ("message", message)] {
        if !word.is_empty() {
            crate::json::set(&mut condition, &[field], json!(word));
        }
    }
    condition
}

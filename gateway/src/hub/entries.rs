//! What an entry of a timeline says of a change: the fields, their old and new values, and the writers.
//! Bodies are redacted at ingest, so no masked value can come out here. A field whose old and new value are the same
//! changed behind its mask.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use shared::diff::{Difference, differences, keys};
use shared::frame::timeline::{Area, Entry, EntryType, Field, Writer};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::Row;
use shared::state::UnixMillis;

use super::store::Stored;
use crate::feed::masks::unmarked;
use crate::limits::{TIMELINE_FIELDS_MAX, TIMELINE_VALUE_BYTES_MAX};

/// One change of one object, as the hub applied it.
pub(super) struct Seen<'a> {
    pub(super) before: Option<&'a Stored>,
    pub(super) now: Option<&'a Stored>,
    pub(super) managed: &'a [u8],
    /// The version of the change, for a deletion has one of its own.
    pub(super) resource_version: &'a ResourceVersion,
    pub(super) time_ms: UnixMillis,
    pub(super) relisted: bool,
}

/// An entry as it is written, once for all logs. `None` for a value that can't be JSON; every entry can.
pub(super) fn written(entry: &Entry) -> Option<Arc<RawValue>> {
    to_raw_value(entry).ok().map(Arc::from)
}

/// One change is a different event in each view, by whether the object was and is a member. Each of these is
/// written once for all views.
pub(super) struct EntryWriter<'a> {
    seen: &'a Seen<'a>,
    are_events: bool,
    written: [Option<Arc<RawValue>>; 3],
}

impl<'a> EntryWriter<'a> {
    /// `are_events`: the objects of the logs are Events.
    pub(super) fn of(seen: &'a Seen<'a>, are_events: bool) -> Self {
        Self { seen, are_events, written: [None, None, None] }
    }

    /// `None`: the change isn't an event of that view.
    pub(super) fn entry(&mut self, was_member: bool, is_member: bool) -> Option<Arc<RawValue>> {
        let (place, kind) = match (was_member, is_member) {
            (false, true) => (0, EntryType::Added),
            (true, true) => (1, EntryType::Modified),
            (true, false) => (2, EntryType::Deleted),
            (false, false) => return None,
        };
        if self.written.get(place)?.is_none() {
            let entry = written(&self.write(kind)?);
            *self.written.get_mut(place)? = entry;
        }
        self.written.get(place)?.clone()
    }

    fn write(&self, kind: EntryType) -> Option<Entry> {
        let seen = self.seen;
        let row: &Row = &seen.now.or(seen.before)?.row;
        let mut changes = match kind {
            EntryType::Modified => changes(seen),
            _ => Entry::default(),
        };
        if self.are_events {
            changes.context.extend(event_context(seen.now.or(seen.before)?));
        }
        Some(Entry {
            kind,
            time_ms: seen.time_ms,
            resource_version: Some(seen.resource_version.clone()).filter(|version| !version.is_empty()),
            row: Some(row.id),
            namespace: row.namespace.clone(),
            name: Some(row.name.clone()),
            relisted: seen.relisted,
            ..changes
        })
    }
}

/// A recorded version of an object, for an entry of its timeline.
#[derive(Clone, Copy)]
pub struct PastEntry<'a> {
    pub kind: EntryType,
    pub row: &'a Row,
    /// `None`: the version before isn't known, or the object came or went.
    pub before: Option<&'a Value>,
    pub now: Option<&'a Value>,
    /// Those that wrote since the version before.
    pub writers: &'a [Writer],
    pub are_events: bool,
}

/// As the hub would have written it: the fields that changed from one version to the next, whose masked values are told
/// apart.
#[must_use]
pub fn past_entry(past: &PastEntry<'_>) -> Entry {
    let PastEntry { kind, row, before, now, writers, are_events } = *past;
    let mut entry = match (kind, before, now) {
        (EntryType::Modified, Some(before), Some(now)) => {
            // Several writers of one second can't be told apart by what each wrote.
            let by = |_: &Difference<'_>| writers.first().filter(|_| writers.len() == 1);
            changed_fields(before, now, by)
        }
        _ => Entry::default(),
    };
    if entry.writers.is_empty() && kind != EntryType::Deleted {
        entry.writers = writers.to_vec();
    }
    if let Some(now) = now.filter(|_| are_events) {
        entry.context.extend(context_of_event(now));
    }
    Entry { kind, row: Some(row.id), namespace: row.namespace.clone(), name: Some(row.name.clone()), ..entry }
}

/// The fields that changed, and their writers.
fn changes(seen: &Seen<'_>) -> Entry {
    let value = |stored: Option<&Stored>| stored?.marked();
    let (Some(old), Some(new)) = (value(seen.before), value(seen.now)) else { return Entry::default() };
    let managers = Managers::read(seen.managed);
    changed_fields(&old, &new, |difference| match difference.new {
        Some(_) => managers.of_field(&new, &difference.path),
        None => managers.latest(),
    })
}

/// The fields that differ. `writer_of`: who wrote a field, if that is known.
fn changed_fields<'a>(
    old: &Value,
    new: &Value,
    writer_of: impl Fn(&Difference<'_>) -> Option<&'a Writer>,
) -> Entry {
    let mut areas = BTreeSet::new();
    let mut changes = Entry::default();
    for difference in differences(old, new) {
        let Some(area) = Area::of(&difference.path) else { continue };
        areas.insert(area);
        if changes.fields.len() >= TIMELINE_FIELDS_MAX {
            changes.fields_more = changes.fields_more.saturating_add(1);
            continue;
        }
        add_context(new, &difference.path, &mut changes.context);
        let by = writer_of(&difference).and_then(|writer| index_of(writer, &mut changes.writers));
        changes.fields.push(field(&difference, by));
    }
    changes.changed = areas.into_iter().collect();
    changes
}

fn index_of(writer: &Writer, writers: &mut Vec<Writer>) -> Option<u16> {
    let index = writers.iter().position(|known| known == writer).unwrap_or_else(|| {
        writers.push(writer.clone());
        writers.len() - 1
    });
    u16::try_from(index).ok()
}

fn field(difference: &Difference<'_>, by: Option<u16>) -> Field {
    let ((old, old_bytes), (new, new_bytes)) = (bounded(difference.old), bounded(difference.new));
    Field { path: difference.path.as_str().into(), old, old_bytes, new, new_bytes, by }
}

/// What a reader wants to know of a list's element beside the field that changed in it.
const CONTEXT: [&str; 4] = ["/name", "/type", "/restartCount", "/lastState/terminated/exitCode"];

/// The context of each element of a list that the path leads through.
fn add_context(object: &Value, path: &str, context: &mut BTreeMap<Box<str>, Value>) {
    let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
    for element in ends.filter_map(|end| path.get(..end)) {
        let list = element.rsplit_once('/').and_then(|(list, _)| object.pointer(list));
        let is_element = list.is_some_and(Value::is_array);
        let Some(inside) = object.pointer(element).filter(|_| is_element) else { continue };
        for part in CONTEXT {
            if let (Some(value), _) = bounded(inside.pointer(part).filter(|value| !value.is_object())) {
                context.insert(format!("{element}{part}").into(), value);
            }
        }
    }
}

/// What an Event says, and of which object. The name of an Event is a hash.
const EVENT_CONTEXT: [&str; 11] = [
    "/type",
    "/reason",
    "/message",
    "/note",
    "/count",
    "/involvedObject/kind",
    "/involvedObject/name",
    "/involvedObject/namespace",
    "/regarding/kind",
    "/regarding/name",
    "/regarding/namespace",
];

#[must_use]
pub fn are_events(resource: &Resource) -> bool {
    resource.resource.as_str() == "events" && matches!(resource.group.as_str(), "" | "events.k8s.io")
}

pub(super) fn event_context(stored: &Stored) -> BTreeMap<Box<str>, Value> {
    stored.marked().map(|event| context_of_event(&event)).unwrap_or_default()
}

fn context_of_event(event: &Value) -> BTreeMap<Box<str>, Value> {
    let is_scalar = |value: &&Value| !value.is_object() && !value.is_array() && !value.is_null();
    let part = |path: &str| Some((path.into(), shortened(unmarked(event.pointer(path).filter(is_scalar)?))));
    EVENT_CONTEXT.into_iter().filter_map(part).collect()
}

/// A text is cut where it is too long: the beginning of a message says most.
fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > TIMELINE_VALUE_BYTES_MAX => {
            let end = text.floor_char_boundary(TIMELINE_VALUE_BYTES_MAX);
            Value::String(format!("{}…", text.get(..end).unwrap_or_default()))
        }
        value => value,
    }
}

/// The value, or its size if it is too large.
fn bounded(value: Option<&Value>) -> (Option<Value>, Option<u32>) {
    let Some(value) = value else { return (None, None) };
    let value = unmarked(value);
    let bytes = serde_json::to_string(&value).map_or(0, |json| json.len());
    if bytes <= TIMELINE_VALUE_BYTES_MAX {
        (Some(value), None)
    } else {
        (None, Some(u32::try_from(bytes).unwrap_or(u32::MAX)))
    }
}

/// An entry of an object's managedFields, whose fields are read as `F`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ManagedEntry<F> {
    #[serde(default)]
    manager: Box<str>,
    #[serde(default)]
    operation: Box<str>,
    #[serde(default)]
    subresource: Box<str>,
    #[serde(default)]
    time: Option<Box<str>>,
    #[serde(default)]
    fields_v1: F,
}

impl<F> ManagedEntry<F> {
    pub(super) fn writer(self) -> (Writer, F) {
        let time = self.time.as_deref().and_then(shared::instant::seconds);
        let (manager, operation, subresource) = (self.manager, self.operation, self.subresource);
        (Writer { manager, operation, subresource, time }, self.fields_v1)
    }
}

/// The writers of an object's fields, as managedFields name them
/// (<https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>). They are read when an entry
/// of a timeline is written, and not kept. `fieldsV1` never leaves this module.
struct Managers(Vec<(Writer, Map<String, Value>)>);

impl Managers {
    /// No writer is known if it can't be read.
    fn read(managed_fields: &[u8]) -> Self {
        let entries: Vec<ManagedEntry<Map<String, Value>>> =
            serde_json::from_slice(managed_fields).unwrap_or_default();
        Self(entries.into_iter().map(ManagedEntry::writer).collect())
    }

    /// The manager of the field. If several apply the same value, the last writer.
    fn of_field(&self, object: &Value, path: &str) -> Option<&Writer> {
        let path: Vec<String> = keys(path).collect();
        let depth = |fields| covered(fields, object, &path, 0);
        self.0
            .iter()
            .filter_map(|(writer, fields)| Some((depth(fields)?, writer.time, writer)))
            .max_by_key(|(depth, time, _)| (*depth, *time))
            .map(|(_, _, writer)| writer)
    }

    /// The last writer, for no entry names the writer that removed a field.
    fn latest(&self) -> Option<&Writer> {
        self.0.iter().map(|(writer, _)| writer).max_by_key(|writer| writer.time)
    }
}

/// How deep the managed fields follow the path. `None`: they don't lead to it. A set that ends before the
/// path covers everything below (an atomic list, a map taken whole).
fn covered(fields: &Map<String, Value>, object: &Value, path: &[String], depth: usize) -> Option<usize> {
    let Some((key, rest)) = path.split_first() else { return Some(depth) };
    if fields.keys().all(|key| key == ".") {
        return (depth > 0).then_some(depth);
    }
    let child = match object {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
        _ => object.get(key).unwrap_or(&Value::Null),
    };
    let next = match object {
        Value::Array(_) => fields.iter().find(|(name, _)| is_element(name, child, key))?.1,
        _ => fields.get(&format!("f:{key}"))?,
    };
    covered(next.as_object()?, child, rest, depth + 1)
}

/// `k:{"type":"Ready"}` by its keys, `v:"x"` by its value, `i:3` by its index.
fn is_element(name: &str, item: &Value, index: &str) -> bool {
    match name.split_once(':') {
        Some(("k", keys)) => serde_json::from_str::<Map<String, Value>>(keys)
            .is_ok_and(|keys| keys.iter().all(|(key, value)| item.get(key) == Some(value))),
        Some(("v", value)) => serde_json::from_str::<Value>(value).is_ok_and(|value| value == *item),
        Some(("i", named)) => named == index,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_its_managers_whatever_leads_to_it() {
        let managed = json!([
            {"manager": "kubectl", "operation": "Apply", "time": "2026-11-21T02:43:01Z", "fieldsV1": {
                "f:spec": {"f:replicas": {}, "f:template": {}},
                "f:metadata": {"f:labels": {"f:app.kubernetes.io/name": {}}, "f:finalizers": {"v:\"a\"": {}}},
            }},
            {"manager": "hpa", "operation": "Update", "subresource": "scale", "time": "2026-11-21T02:44:01Z",
                "fieldsV1": {"f:spec": {"f:replicas": {}}}},
            {"manager": "kubelet", "operation": "Update", "subresource": "status", "time": "2026-11-21T02:42:01Z",
                "fieldsV1": {"f:status": {"f:conditions": {".": {}, "k:{\"type\":\"Ready\"}": {".": {}, "f:status": {}}}}}},
        ]);
        let managers = Managers::read(managed.to_string().as_bytes());
        let object = json!({
            "metadata": {"labels": {"app.kubernetes.io/name": "x"}, "finalizers": ["b", "a"]},
            "spec": {"replicas": 2, "template": {"a": {"b": 1}}},
            "status": {"conditions": [{"type": "Started", "status": "True"}, {"type": "Ready", "status": "True"}]},
        });
        for (path, expected) in [
            ("/spec/replicas", Some("hpa")),
            ("/spec/template/a/b", Some("kubectl")),
            ("/spec/other", None),
            ("/metadata/labels/app.kubernetes.io~1name", Some("kubectl")),
            ("/metadata/finalizers/1", Some("kubectl")),
            ("/metadata/finalizers/0", None),
            ("/status/conditions/1/status", Some("kubelet")),
            ("/status/conditions/1", Some("kubelet")),
            ("/status/conditions/0/status", None),
            ("/status/conditions/7", None),
        ] {
            let found = managers.of_field(&object, path).map(|writer| &*writer.manager);
            assert_eq!(found, expected, "{path}");
        }
        assert_eq!(managers.latest().map(|writer| &*writer.manager), Some("hpa"));
        assert_eq!(managers.latest().and_then(|writer| writer.time), Some(1_795_229_041));
    }

    #[test]
    fn managed_fields_that_cannot_be_read_name_no_writer() {
        for text in ["", "{}", "[1]", "[{\"fieldsV1\":3}]"] {
            assert!(Managers::read(text.as_bytes()).latest().is_none(), "{text}");
        }
    }
}

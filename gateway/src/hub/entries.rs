//! What an entry of a timeline says of a change: the fields, their old and new values, and the writers.
//! Bodies are redacted at ingest, so no masked value can come out here. A field whose old and new value are the same
//! changed behind its mask.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use shared::diff::{Difference, differences};
use shared::frame::timeline::{Area, Entry, EntryType, Field, Writer};
use shared::resource_version::ResourceVersion;
use shared::row::Row;
use shared::state::UnixMillis;

use super::store::Stored;
use super::writers::Managers;
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
    written: [Option<Arc<RawValue>>; 3],
}

impl<'a> EntryWriter<'a> {
    pub(super) fn of(seen: &'a Seen<'a>) -> Self {
        Self { seen, written: [None, None, None] }
    }

    /// `None`: the change isn't an event of that view.
    pub(super) fn entry(&mut self, was_member: bool, is_member: bool) -> Option<Arc<RawValue>> {
        let (place, kind) = match (was_member, is_member) {
            (false, true) => (0, EntryType::Added),
            (true, true) => (1, EntryType::Modified),
            (true, false) => (2, EntryType::Deleted),
            (false, false) => return None,
        };
        let seen = self.seen;
        let known = self.written.get_mut(place)?;
        if known.is_none() {
            *known = written(&Self::write(seen, kind)?);
        }
        known.clone()
    }

    fn write(seen: &Seen<'_>, kind: EntryType) -> Option<Entry> {
        let row: &Row = &seen.now.or(seen.before)?.row;
        let changes = match kind {
            EntryType::Modified => changes(seen),
            _ => Entry::default(),
        };
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

/// The fields that changed, and their writers.
fn changes(seen: &Seen<'_>) -> Entry {
    let value = |stored: Option<&Stored>| stored?.marked();
    let (Some(old), Some(new)) = (value(seen.before), value(seen.now)) else { return Entry::default() };
    let managers = Managers::read(seen.managed);
    let mut areas = BTreeSet::new();
    let mut changes = Entry::default();
    for difference in differences(&old, &new) {
        let Some(area) = Area::of(&difference.path) else { continue };
        areas.insert(area);
        if changes.fields.len() >= TIMELINE_FIELDS_MAX {
            changes.fields_more = changes.fields_more.saturating_add(1);
            continue;
        }
        let writer = match difference.new {
            Some(_) => managers.of_field(&new, &difference.path),
            None => managers.latest(),
        };
        add_context(&new, &difference.path, &mut changes.context);
        let by = writer.and_then(|writer| index_of(writer, &mut changes.writers));
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

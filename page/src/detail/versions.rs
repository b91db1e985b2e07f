//! The versions of an object that can be compared: those that arrived whole since the panel was opened, and those
//! between them, computed from the fields in the log. Bounded: a version that was dropped can't be compared.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use shared::frame::timeline::{Entry, EntryType, Field};
use shared::patch::{self, Operation};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use crate::limits::{PANEL_VERSIONS_BYTES_MAX, PANEL_VERSIONS_MAX};

#[derive(Debug, Default)]
pub struct Versions {
    kept: VecDeque<Kept>,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    resource_version: ResourceVersion,
    value: Arc<Value>,
    bytes: usize,
    seen_ms: UnixMillis,
}

impl Versions {
    /// Keeps the object's current version.
    pub fn keep(&mut self, value: &Arc<Value>, now_ms: UnixMillis) {
        let Some(resource_version) = version_of(value) else { return };
        if self.kept(&resource_version).is_some() {
            return;
        }
        let bytes = size_of(value);
        self.kept.push_back(Kept { resource_version, value: Arc::clone(value), bytes, seen_ms: now_ms });
        self.bytes += bytes;
        // The newest stays whatever its size, because it is shown.
        while self.kept.len() > 1
            && (self.kept.len() > PANEL_VERSIONS_MAX || self.bytes > PANEL_VERSIONS_BYTES_MAX)
        {
            self.bytes -= self.kept.pop_front().map_or(0, |kept| kept.bytes);
        }
    }

    /// Drops the oldest versions until the others take no more than this.
    pub fn shrink_to(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max {
            let Some(oldest) = self.kept.pop_front() else { return };
            self.bytes -= oldest.bytes;
        }
    }

    /// The oldest kept version, and when it arrived.
    pub fn oldest(&self) -> Option<(&ResourceVersion, UnixMillis)> {
        self.kept.front().map(|kept| (&kept.resource_version, kept.seen_ms))
    }

    /// When the version arrived.
    pub fn seen_ms(&self, resource_version: &ResourceVersion) -> Option<UnixMillis> {
        Some(self.kept(resource_version)?.seen_ms)
    }

    /// A version as it arrived, or computed from the nearest one that did. `entries`: the log, oldest first.
    pub fn at<'a>(
        &self,
        resource_version: &ResourceVersion,
        entries: impl Iterator<Item = &'a Entry>,
    ) -> Option<Arc<Value>> {
        if let Some(kept) = self.kept(resource_version) {
            return Some(Arc::clone(&kept.value));
        }
        let entries: Vec<&Entry> = entries.filter(|entry| entry.kind != EntryType::Bookmark).collect();
        let place =
            entries.iter().position(|entry| entry.resource_version.as_ref() == Some(resource_version))?;
        self.forward(&entries, place).or_else(|| self.backward(&entries, place)).map(Arc::new)
    }

    fn kept(&self, resource_version: &ResourceVersion) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.resource_version == *resource_version)
    }

    /// From an earlier version, by the entries after that one.
    fn forward(&self, entries: &[&Entry], place: usize) -> Option<Value> {
        let (first, base) = (0..place).rev().find_map(|before| {
            let entry = entries.get(before)?;
            Some((before + 1, self.kept(entry.resource_version.as_ref()?)?))
        })?;
        let mut value = base.value.as_ref().clone();
        for entry in entries.get(first..=place)? {
            value = applied(&value, entry, &operations(entry, false)?)?;
        }
        Some(value)
    }

    /// From a later version, by undoing the entries up to that one.
    fn backward(&self, entries: &[&Entry], place: usize) -> Option<Value> {
        let (last, base) = (place + 1..entries.len()).find_map(|after| {
            let entry = entries.get(after)?;
            Some((after, self.kept(entry.resource_version.as_ref()?)?))
        })?;
        let mut value = base.value.as_ref().clone();
        for at in (place + 1..=last).rev() {
            value = applied(&value, entries.get(at - 1)?, &operations(entries.get(at)?, true)?)?;
        }
        Some(value)
    }
}

/// The patched value, with the resourceVersion of the entry.
fn applied(value: &Value, at: &Entry, operations: &[Operation]) -> Option<Value> {
    let mut value = patch::apply(value, operations).ok()?;
    let version = at.resource_version.as_ref()?.to_string();
    *value.pointer_mut("/metadata/resourceVersion")? = Value::String(version);
    Some(value)
}

/// `None` if the entry isn't a change, or doesn't have all of it.
fn operations(entry: &Entry, is_undo: bool) -> Option<Vec<Operation>> {
    let is_whole = entry.kind == EntryType::Modified
        && entry.fields_more == 0
        && entry.fields.iter().all(|field| field.old_bytes.is_none() && field.new_bytes.is_none());
    if !is_whole {
        return None;
    }
    let fields = entry.fields.iter();
    if is_undo {
        fields.rev().map(|field| operation(field, field.new.is_some(), field.old.as_ref())).collect()
    } else {
        fields.map(|field| operation(field, field.old.is_some(), field.new.as_ref())).collect()
    }
}

fn operation(field: &Field, was_there: bool, value: Option<&Value>) -> Option<Operation> {
    let path = field.path.clone();
    Some(match (was_there, value) {
        (true, Some(value)) => Operation::Replace { path, value: value.clone() },
        (false, Some(value)) => Operation::Add { path, value: value.clone() },
        (true, None) => Operation::Remove { path },
        (false, None) => return None,
    })
}

pub fn version_of(object: &Value) -> Option<ResourceVersion> {
    object.pointer("/metadata/resourceVersion")?.as_str().map(ResourceVersion::from)
}

/// About how many bytes it takes in memory.
fn size_of(value: &Value) -> usize {
    const NODE: usize = 48;
    match value {
        Value::String(text) => NODE + text.len(),
        Value::Array(items) => NODE + items.iter().map(size_of).sum::<usize>(),
        Value::Object(members) => {
            NODE + members.iter().map(|(key, value)| NODE + key.len() + size_of(value)).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => NODE,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::diff::differences;

    use super::*;

    fn version(number: u32, spec: Value) -> Arc<Value> {
        Arc::new(json!({"metadata": {"name": "a", "resourceVersion": number.to_string()}, "spec": spec}))
    }

    /// The entry that the gateway would write.
    fn entry(old: &Value, new: &Value) -> Entry {
        let fields = differences(old, new)
            .into_iter()
            .filter(|difference| difference.path != "/metadata/resourceVersion")
            .map(|difference| Field {
                path: difference.path.into(),
                old: difference.old.cloned(),
                old_bytes: None,
                new: difference.new.cloned(),
                new_bytes: None,
                by: None,
            })
            .collect();
        Entry { fields, resource_version: version_of(new), ..Entry::of(EntryType::Modified, 1) }
    }

    fn story() -> [Arc<Value>; 5] {
        [
            version(1, json!({"a": 1, "list": ["x", "y", "z"]})),
            version(2, json!({"a": 2, "list": ["x", "z"]})),
            version(3, json!({"b": {"c": null}, "list": ["w", "x", "z", "q"]})),
            version(4, json!({"b": {"c": 4}, "list": []})),
            version(5, json!({"list": [1, 2, 3]})),
        ]
    }

    fn entries(story: &[Arc<Value>]) -> Vec<Entry> {
        story.windows(2).map(|pair| entry(&pair[0], &pair[1])).collect()
    }

    #[test]
    fn every_version_between_two_that_came_whole_is_worked_out_exactly() {
        let story = story();
        let entries = entries(&story);
        for kept in [vec![4], vec![1, 3], vec![0, 4], vec![2]] {
            let mut versions = Versions::default();
            kept.iter().for_each(|place| versions.keep(&story[*place], 1));
            // The version that the panel was opened with has no entry of its own.
            for (place, expected) in story.iter().enumerate().skip(1) {
                let found = versions.at(&version_of(expected).expect("a version"), entries.iter());
                assert_eq!(found.as_ref(), Some(expected), "version {} from {kept:?}", place + 1);
            }
        }
    }

    #[test]
    fn what_the_log_does_not_say_in_full_is_not_made_up() {
        let story = story();
        let mut entries = entries(&story);
        entries[1].fields_more = 3;
        let mut versions = Versions::default();
        versions.keep(&story[1], 1);
        assert_eq!(versions.at(&"3".into(), entries.iter()), None);
        assert_eq!(versions.at(&"9".into(), entries.iter()), None);
        assert_eq!(versions.at(&"2".into(), entries.iter()).as_ref(), Some(&story[1]));
        // A version that the log leads to by way of a deletion isn't one.
        entries[1] = Entry { kind: EntryType::Deleted, ..entries[1].clone() };
        assert_eq!(versions.at(&"3".into(), entries.iter()), None);
    }

    #[test]
    fn only_so_many_versions_are_kept_and_the_newest_always() {
        let mut versions = Versions::default();
        let count = u32::try_from(PANEL_VERSIONS_MAX).expect("small") + 5;
        (0..count).for_each(|number| versions.keep(&version(number, json!(1)), i64::from(number)));
        assert_eq!(versions.oldest().map(|(_, at)| at), Some(5));
        assert!(versions.kept(&"4".into()).is_none() && versions.kept(&"5".into()).is_some());
        let big = version(count, json!("x".repeat(PANEL_VERSIONS_BYTES_MAX + 1)));
        versions.keep(&big, 9);
        assert_eq!(versions.oldest().map(|(version, _)| version.to_string()), Some(count.to_string()));
    }
}

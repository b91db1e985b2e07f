//! Every event as it came, with the changed fields and their writers. Positions count the entries of one view.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::rows::{Gap, ViewId};
use crate::duration::UnixSeconds;
use crate::health::Health;
use crate::json::{self, Malformed, Read, Reader, fields, words};
use crate::problem::Problem;
use crate::resource_version::ResourceVersion;
use crate::row::RowId;
use crate::state::UnixMillis;

/// `to` is `from` plus the number of entries; a gap with `lost` counts as that number, and not as one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineFrame<E = Entry> {
    pub view: ViewId,
    pub from: u64,
    pub to: u64,
    pub entries: Vec<E>,
    /// The client forgets its position and begins at `from`: the entries between aren't known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
}

/// One event of a timeline, or a `GAP` or an `ERROR` in its place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(rename = "type")]
    pub kind: EntryType,
    /// When the gateway heard of it.
    pub time_ms: UnixMillis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<ResourceVersion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Box<str>>,
    /// Which parts of the object changed: what predicates are evaluated on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Area>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Values that identify the list elements which the fields lie in, by JSON Pointer: the `name` or `type` of an
    /// element, and the restarts and the last end of a container. They are those of the new version, changed or not.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub context: BTreeMap<Box<str>, Value>,
    /// The number of other fields that changed.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub fields_more: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writers: Vec<Writer>,
    /// So many versions before this one were counted by the recorder, and not kept.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub skipped: u32,
    /// A list showed the change; the gateway saw no event.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relisted: bool,
    /// It happened before the gateway began this log: the object's last change, of which it knows no fields.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub earlier: bool,
    /// In a recorded history: how the object stood then, unless it was fine or gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Box<Health>>,
    /// For a `GAP`: the interval in which the gateway saw nothing, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Gap>,
    /// For a `GAP`: the number of entries that were dropped before this client read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// For an `ERROR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EntryType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
    /// Entries are missing here.
    Gap,
    /// A type that only a newer gateway knows.
    #[default]
    #[serde(other)]
    Unknown,
}

/// A part of an object. An entry whose only area is `Status` changed the status alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    Spec,
    Status,
    Labels,
    Annotations,
    /// The rest of the metadata; never its resourceVersion, which every change moves.
    Metadata,
    /// What kinds without a spec have: `data`, `rules`, …
    Other,
}

/// A value that is too large isn't sent; its size in bytes is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// A JSON Pointer (RFC 6901).
    pub path: Box<str>,
    /// Absent, and no `old_bytes`: the field was added.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "even_null")]
    pub old: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_bytes: Option<u32>,
    /// Absent, and no `new_bytes`: the field was removed.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "even_null")]
    pub new: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_bytes: Option<u32>,
    /// Its place in `writers`; absent if no manager of the field is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u16>,
}

/// An entry of managedFields.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Writer {
    pub manager: Box<str>,
    /// `Apply` or `Update`.
    pub operation: Box<str>,
    /// `status`, `scale`, …
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub subresource: Box<str>,
    /// When it wrote last, by the cluster's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<UnixSeconds>,
}

impl Entry {
    /// With nothing in it but its type and time.
    pub fn of(kind: EntryType, time_ms: UnixMillis) -> Self {
        Self { kind, time_ms, ..Self::default() }
    }
}

impl Area {
    /// The area that a JSON Pointer into an object leads to; `None` for fields that every change moves.
    pub fn of(path: &str) -> Option<Self> {
        let mut keys = path.split('/').skip(1);
        match (keys.next().unwrap_or_default(), keys.next().unwrap_or_default()) {
            ("metadata", "resourceVersion") => None,
            ("metadata", "labels") => Some(Self::Labels),
            ("metadata", "annotations") => Some(Self::Annotations),
            ("metadata", _) => Some(Self::Metadata),
            ("spec", _) => Some(Self::Spec),
            ("status", _) => Some(Self::Status),
            _ => Some(Self::Other),
        }
    }
}

/// Reads null as a value: the field exists.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

fields! { TimelineFrame: view, from, to, entries; reset }
fields! {
    Entry: kind "type", time_ms;
    resource_version, row, namespace, name, changed, fields, context, fields_more, writers, skipped, relisted, earlier,
    health, gap, lost, problem
}
words! {
    EntryType: "ADDED" => Added, "MODIFIED" => Modified, "DELETED" => Deleted, "BOOKMARK" => Bookmark,
    "ERROR" => Error, "GAP" => Gap; else Unknown
}
words! {
    Area: "spec" => Spec, "status" => Status, "labels" => Labels, "annotations" => Annotations,
    "metadata" => Metadata, "other" => Other
}
fields! { Writer: manager, operation; subresource, time }

impl Read for Field {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let (mut path, mut old, mut old_bytes, mut new, mut new_bytes, mut by) =
            (None, None, None, None, None, None);
        // Null is a value here: the field exists.
        json.object(&mut |json, name| match name {
            "path" => json.field(&mut path),
            "old" => json.field(&mut old),
            "old_bytes" => json.field(&mut old_bytes),
            "new" => json.field(&mut new),
            "new_bytes" => json.field(&mut new_bytes),
            "by" => json.field(&mut by),
            _ => json.skip(),
        })?;
        let (old_bytes, new_bytes) = (old_bytes.unwrap_or_default(), new_bytes.unwrap_or_default());
        Ok(Self { path: path.ok_or(Malformed)?, old, old_bytes, new, new_bytes, by: by.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_became_null_is_not_one_that_was_removed() {
        for json in [
            r#"{"path":"/a","old":null,"new":1}"#,
            r#"{"path":"/a","old":1,"new":null}"#,
            r#"{"path":"/a","new":1,"by":0}"#,
            r#"{"path":"/a","old_bytes":600,"new":1}"#,
        ] {
            let field: Field = serde_json::from_str(json).expect(json);
            assert_eq!(serde_json::to_string(&field).expect("json"), json);
        }
    }

    #[test]
    fn a_type_of_a_newer_gateway_is_an_entry_all_the_same() {
        let entry: Entry = serde_json::from_str(r#"{"type":"MOVED","time_ms":1}"#).expect("an entry");
        assert_eq!(entry.kind, EntryType::Unknown);
    }

    #[test]
    fn a_path_belongs_to_one_part_of_an_object() {
        for (path, area) in [
            ("/spec/replicas", Some(Area::Spec)),
            ("/status", Some(Area::Status)),
            ("/metadata/labels/app", Some(Area::Labels)),
            ("/metadata/annotations", Some(Area::Annotations)),
            ("/metadata/generation", Some(Area::Metadata)),
            ("/metadata/resourceVersion", None),
            ("/data/key", Some(Area::Other)),
            ("", Some(Area::Other)),
        ] {
            assert_eq!(Area::of(path), area, "{path}");
        }
    }
}

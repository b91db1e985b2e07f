//! The answers to questions about the past. A client reads one where it uses it, so that a page has the code for it in
//! a piece that is fetched then.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::client::{ChangesEnd, SubscriptionId};
use super::timeline::{Entry, EntryType};
use crate::cell::Cell;
use crate::column::Column;
use crate::duration::UnixSeconds;
use crate::json::{self, Malformed, Read, Reader, fields};
use crate::past::{Removed, Unrecorded};
use crate::problem::Problem;
use crate::resource_version::ResourceVersion;
use crate::row::{Extra, Row, RowId};
use crate::state::UnixMillis;

/// An answer that isn't read yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PastAnswer {
    pub id: SubscriptionId,
    answer: Box<RawValue>,
    /// Where changes that have more go on, for the gateway that made the answer. It isn't written.
    #[serde(skip)]
    pub goes_on: Option<ChangesEnd>,
}

impl PastAnswer {
    /// `None`: it can't be written, which every answer can.
    #[must_use]
    pub fn of(id: SubscriptionId, past: &Past) -> Option<Self> {
        Some(Self { id, answer: serde_json::value::to_raw_value(past).ok()?, goes_on: None })
    }

    /// The answer to a question for changes. It is written apart, because few clients ask for it.
    #[must_use]
    pub fn of_changes(id: SubscriptionId, changes: Changes) -> Option<Self> {
        let goes_on = changes.more.then_some(changes.end);
        let answer = serde_json::value::to_raw_value(&ChangesAnswer { changes }).ok()?;
        Some(Self { id, answer, goes_on })
    }

    /// `None`: it isn't the answer to a question for changes.
    #[must_use]
    pub fn read_changes(&self) -> Option<Changes> {
        json::read::<ChangesAnswer>(self.answer.get()).ok().map(|answer| answer.changes)
    }

    /// `None`: it isn't an answer that this version knows.
    #[must_use]
    pub fn read(&self) -> Option<Past> {
        json::read(self.answer.get()).ok()
    }
}

impl PartialEq for PastAnswer {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.answer.get() == other.answer.get()
    }
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Past {
    Recorded(Recorded),
    History(History),
    Version(RecordedVersion),
    Events(RecordedEvents),
    Found(Found),
}

/// What was recorded of a view in a time, as far as the viewer may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    pub from_ms: UnixMillis,
    /// Since when the kind is recorded, and until when. Absent: nothing is recorded of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<UnixMillis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<UnixMillis>,
    /// The length of a part.
    pub slot_ms: i64,
    /// The number of changes in each part.
    pub changes: Vec<u32>,
    /// The number of those among them that were to trouble, or within it.
    pub trouble: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<Unrecorded>,
    /// What was removed afterwards of what was recorded in this time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
    /// Why nothing of the kind is recorded now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// The gateway's clock.
    pub now_ms: UnixMillis,
}

/// Recorded versions of one object, the newest first, as entries of a timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    pub entries: Vec<Entry>,
    /// Older ones are asked for with this number. Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// Since when the kind is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<UnixMillis>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<Unrecorded>,
    /// What was removed of the kind afterwards, where it may have been of this object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
}

/// A recorded version of an object, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedVersion {
    pub row: RowId,
    /// When the gateway heard of the version.
    pub time_ms: UnixMillis,
    /// When the object was deleted, if this is its last version. Absent: it isn't known to be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_ms: Option<UnixMillis>,
    /// A list showed the deletion, at an unknown time after it happened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relisted: bool,
    pub object: Value,
}

/// Recorded Events about one object, each once, as it was last; the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEvents {
    pub events: Vec<RecordedEvent>,
    /// Older ones are asked for with this number. An Event of this answer may be in that one too, as it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// Since when Events are recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<UnixMillis>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<Unrecorded>,
}

/// What an Event said last. Its texts are masked as those of any object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEvent {
    pub row: RowId,
    pub name: Box<str>,
    /// When the gateway heard of it last.
    pub time_ms: UnixMillis,
    /// When it happened last, by the Event itself and so by the cluster's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<UnixSeconds>,
    #[serde(rename = "type", default, skip_serializing_if = "str::is_empty")]
    pub kind: Box<str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reason: Box<str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub message: Box<str>,
    /// How often it happened. Absent: the Event doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct ChangesAnswer {
    changes: Changes,
}

/// Recorded versions of the objects of a scope, the oldest first, as far as the viewer may see them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// Those of all `changes` here.
    pub columns: Vec<Column>,
    pub changes: Vec<Changed>,
    /// Where the next question goes on.
    pub end: ChangesEnd,
    /// There is more now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Since when the kind is recorded. Absent: nothing is recorded of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<UnixMillis>,
    /// The times without a record that weren't over before this answer, as far as it goes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<Unrecorded>,
    /// The time without a record that lasts still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub still: Option<Unrecorded>,
    /// What was removed of the record since, of the time that this answer goes over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
    /// The gateway's clock.
    pub now_ms: UnixMillis,
}

/// A recorded version of an object. At its end it has the cells that it had before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    #[serde(rename = "type")]
    pub kind: EntryType,
    pub time_ms: UnixMillis,
    pub row: RowId,
    pub resource_version: ResourceVersion,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<UnixSeconds>,
    pub cells: Vec<Cell>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Box<Extra>>,
    /// What changed is, at least in part, behind a mask.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// So many versions before this one were counted by the recorder, and not kept.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub skipped: u32,
    /// A list showed the change; the gateway saw no event.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relisted: bool,
}

impl Changed {
    #[must_use]
    pub fn of(kind: EntryType, time_ms: UnixMillis, row: Row) -> Self {
        let Row { id, resource_version, namespace, name, created, cells, extra } = row;
        let (masked, skipped, relisted) = Default::default();
        Self {
            kind,
            time_ms,
            row: id,
            resource_version,
            namespace,
            name,
            created,
            cells,
            extra,
            masked,
            skipped,
            relisted,
        }
    }

    #[must_use]
    pub fn into_row(self) -> Row {
        let Self { row: id, resource_version, namespace, name, created, cells, extra, .. } = self;
        Row { id, resource_version, namespace, name, created, cells, extra }
    }
}

/// The objects that had a word, in the order in which they had it first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub objects: Vec<FoundObject>,
    /// There are more objects than are told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Until then it was looked for. Earlier than was asked: more happened than one answer goes through.
    pub until_ms: UnixMillis,
    /// Since when the kind is recorded. Absent: it isn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<UnixMillis>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<Unrecorded>,
    /// What was removed afterwards of what was recorded in the time that was asked for: the word may have been there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
}

/// An object that had the word, when, and where it stood first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundObject {
    pub row: RowId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub times: Vec<FoundTime>,
    /// The JSON Pointer of the field, and what stood there, cut where it is long.
    pub path: Box<str>,
    pub text: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundTime {
    /// When the gateway heard of it. The begin of what was asked for: it had it by then.
    pub from_ms: UnixMillis,
    /// Absent: it had it until the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ms: Option<UnixMillis>,
}

fields! { Recorded: from_ms, slot_ms, changes, trouble, now_ms; since_ms, until_ms, unrecorded, removed, problem }
fields! { History: entries; before, since_ms, unrecorded, removed }
fields! { RecordedVersion: row, time_ms, object; deleted_ms, relisted }
fields! { RecordedEvents: events; before, since_ms, unrecorded }
fields! { RecordedEvent: row, name, time_ms; seen, kind "type", reason, message, count }
fields! { ChangesAnswer: changes; }
fields! { Changes: columns, changes, end, now_ms; more, since_ms, unrecorded, still, removed }
fields! {
    Changed: kind "type", time_ms, row, resource_version, name, cells;
    namespace, created, extra, masked, skipped, relisted
}
fields! { Found: objects, until_ms; more, since_ms, unrecorded, removed }
fields! { FoundObject: row, name, times, path, text; namespace }
fields! { FoundTime: from_ms; to_ms }

impl Read for PastAnswer {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let (mut id, mut answer) = (None, None);
        json.object(&mut |json, name| match name {
            "id" => json.field(&mut id),
            "answer" => json.field(&mut answer),
            _ => json.skip(),
        })?;
        Ok(Self { id: id.ok_or(Malformed)?, answer: answer.ok_or(Malformed)?, goes_on: None })
    }
}

impl Read for Past {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let mut past = None;
        json.object(&mut |json, name| {
            let read = match name {
                _ if past.is_some() => return Err(Malformed),
                "recorded" => Self::Recorded(Read::read(json)?),
                "history" => Self::History(Read::read(json)?),
                "version" => Self::Version(Read::read(json)?),
                "events" => Self::Events(Read::read(json)?),
                "found" => Self::Found(Read::read(json)?),
                _ => return Err(Malformed),
            };
            past = Some(read);
            Ok(())
        })?;
        past.ok_or(Malformed)
    }
}

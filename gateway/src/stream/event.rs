//! What a stream says, in the words of `docs/PROTOCOL.md`. Never how it is written.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use shared::frame::server::Place;
use shared::resource_version::ResourceVersion;
use shared::row::{RowId, WholeObject};
use shared::state::UnixMillis;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    Subscribed,
    Added,
    Modified,
    Deleted,
    /// In a timeline: a bookmark of the watch.
    Bookmark,
    Reset,
    Gap,
    /// In the past: nothing was recorded in a time.
    Unrecorded,
    /// In the past: something was removed of the record.
    Purged,
    /// In logs: a container whose lines are told, and its state.
    Source,
    Line,
    /// In logs: what happened between two lines.
    Mark,
    Sync,
    State,
    Auth,
    Problem,
    End,
}

impl EventType {
    pub const ALL: [(Self, &str, &str); 17] = [
        (
            Self::Subscribed,
            "subscribed",
            "the first event, and again when columns or namespaces change: what is shown, and its state",
        ),
        (
            Self::Added,
            "added",
            "an object that this stream has not named before; after a resume it may be one that you have",
        ),
        (Self::Modified, "modified", "an object that it has named before, as it is now"),
        (Self::Deleted, "deleted", "an object that was deleted, or is no longer selected"),
        (Self::Bookmark, "bookmark", "in a timeline: how far the watch is"),
        (
            Self::Reset,
            "reset",
            "forget what you hold (of these namespaces, where some are named): what is there comes anew",
        ),
        (
            Self::Gap,
            "gap",
            "between these instants events weren't seen, or so many were lost; what is shown is exact all the same",
        ),
        (
            Self::Unrecorded,
            "unrecorded",
            "with since: between these instants nothing was recorded, and why; what follows is what was there after it",
        ),
        (
            Self::Purged,
            "purged",
            "with since: of what was recorded between these instants something was removed; what follows is what is left",
        ),
        (Self::Source, "source", "in logs: a container whose lines are told, and what became of it"),
        (Self::Line, "line", "in logs: a line, with its pod, its container and its time"),
        (Self::Mark, "mark", "in logs: what happened between two lines of a container"),
        (
            Self::Sync,
            "sync",
            "the proof, every 5 s, that all up to here was sent and is current; in logs once: what was there already was sent",
        ),
        (Self::State, "state", "how fresh it is, whenever that changes, and again while it isn't current"),
        (Self::Auth, "auth", "the login ends at this time"),
        (Self::Problem, "problem", "something of it can't be had; the stream goes on"),
        (Self::End, "end", "the last event, and why"),
    ];

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(kind, ..)| *kind == self).map_or("", |(_, word, _)| word)
    }

    /// Whether it says how one object is, and not how the stream is.
    pub fn is_of_object(self) -> bool {
        matches!(self, Self::Added | Self::Modified | Self::Deleted)
    }
}

/// What is written as one line, or sent as one message.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamEvent {
    pub kind: EventType,
    pub about: Option<About>,
    /// When it happened, if that isn't now.
    pub time_ms: Option<UnixMillis>,
    pub fields: Map<String, Value>,
    pub object: Option<WholeObject>,
    /// The token that the next stream begins with. It comes only after events that add up to a state that the cluster
    /// was in.
    pub resume: Option<String>,
}

/// The object that an event is about.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    pub id: RowId,
    pub place: Place,
    pub version: ResourceVersion,
}

impl StreamEvent {
    pub fn of(kind: EventType) -> Self {
        Self { kind, about: None, time_ms: None, fields: Map::new(), object: None, resume: None }
    }

    /// With the fields of this, if it is an object.
    pub fn with(mut self, fields: &impl Serialize) -> Self {
        if let Ok(Value::Object(fields)) = serde_json::to_value(fields) {
            self.fields.extend(fields);
        }
        self
    }
}

impl Serialize for StreamEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind.word())?;
        if let Some(About { id, place: (namespace, name), version }) = &self.about {
            if let Some(namespace) = namespace {
                map.serialize_entry("namespace", namespace)?;
            }
            map.serialize_entry("name", name)?;
            map.serialize_entry("row", id)?;
            map.serialize_entry("resource_version", version)?;
        }
        for (name, value) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        if let Some(object) = &self.object {
            map.serialize_entry("object", object)?;
        }
        if let Some(resume) = &self.resume {
            map.serialize_entry("resume", resume)?;
        }
        map.end()
    }
}

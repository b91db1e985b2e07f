//! What a view of the past says of itself, and what is missing in a record.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::{self, Malformed, Read, Reader, fields};
use crate::millis::UnixMillis;
use crate::problem::Reason;

/// How a view as of a time stands. It is never the present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct PastState {
    /// The time that was asked for.
    pub at_ms: UnixMillis,
    /// The last change or proof before that time: as of then the rows are what the cluster had.
    pub recorded_ms: UnixMillis,
    /// The last change of the kind at or before that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_ms: Option<UnixMillis>,
    /// The change before that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_ms: Option<UnixMillis>,
    /// The next change after that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<UnixMillis>,
    /// Nothing was recorded at that time: the rows are those of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrecorded: Option<Unrecorded>,
    /// What was removed afterwards of what was recorded of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<Box<Removed>>,
}

/// Read from a value: a derived reader would be a hundredth of the page's program, for a frame that is seldom.
impl From<Value> for PastState {
    fn from(value: Value) -> Self {
        let ms = |key: &str| value.get(key).and_then(Value::as_i64);
        let unrecorded = value.get("unrecorded").and_then(|value| {
            let ms = |key: &str| value.get(key).and_then(Value::as_i64);
            let why = value.get("why").map(Why::of).unwrap_or(Why::Down);
            Some(Unrecorded { from_ms: ms("from_ms")?, to_ms: ms("to_ms")?, why })
        });
        Self {
            at_ms: ms("at_ms").unwrap_or_default(),
            recorded_ms: ms("recorded_ms").unwrap_or_default(),
            changed_ms: ms("changed_ms"),
            before_ms: ms("before_ms"),
            after_ms: ms("after_ms"),
            unrecorded,
            removed: value.get("removed").and_then(Removed::of).map(Box::new),
        }
    }
}

/// What was removed of a record after it was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// From the first version that something was removed of, until the last of them was replaced.
    pub from_ms: UnixMillis,
    pub to_ms: UnixMillis,
    /// When it was removed.
    pub removed_ms: UnixMillis,
    /// Absent: of all namespaces, or of one that isn't named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Box<str>>,
    /// The value at this path. Absent, and not `masked`: versions as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Box<str>>,
    /// What the gateway's settings masked then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
}

impl Removed {
    /// Whether something of this time was removed.
    #[must_use]
    pub fn is_within(&self, from_ms: UnixMillis, to_ms: UnixMillis) -> bool {
        self.from_ms < to_ms && self.to_ms > from_ms
    }

    fn of(value: &Value) -> Option<Self> {
        let ms = |key: &str| value.get(key).and_then(Value::as_i64);
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(Box::from);
        Some(Self {
            from_ms: ms("from_ms")?,
            to_ms: ms("to_ms")?,
            removed_ms: ms("removed_ms")?,
            namespace: text("namespace"),
            path: text("path"),
            masked: value.get("masked").and_then(Value::as_bool).unwrap_or_default(),
        })
    }
}

/// A time in which nothing of a kind was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unrecorded {
    pub from_ms: UnixMillis,
    pub to_ms: UnixMillis,
    pub why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The feed lost events.
    Missed(Reason),
    /// The gateway didn't run, or didn't record this kind.
    Down,
    /// A kind that is recorded for its viewers alone had none.
    NoViewers,
    /// A file is shown that doesn't have it.
    NotInFile,
    /// The store took no more, as a sentence.
    Failed(Box<str>),
    /// More happened than the store could take.
    TooFast,
}

impl Why {
    fn of(value: &Value) -> Self {
        let named = |key: &str| value.get(key);
        if let Some(reason) = named("missed") {
            return Self::Missed(reason.as_str().map_or(Reason::InternalError, Reason::of_name));
        }
        if let Some(why) = named("failed").and_then(Value::as_str) {
            return Self::Failed(why.into());
        }
        match value.as_str() {
            Some("no_viewers") => Self::NoViewers,
            Some("too_fast") => Self::TooFast,
            Some("not_in_file") => Self::NotInFile,
            // Also what a later gateway may know.
            _ => Self::Down,
        }
    }
}

fields! { Unrecorded: from_ms, to_ms, why; }
fields! { Removed: from_ms, to_ms, removed_ms; namespace, path, masked }

impl Read for PastState {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        Value::read(json).map(Self::from)
    }
}

impl Read for Why {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        if json.peek() == Some(b'"') {
            return Ok(match &*json.text()? {
                "down" => Self::Down,
                "no_viewers" => Self::NoViewers,
                "not_in_file" => Self::NotInFile,
                "too_fast" => Self::TooFast,
                _ => return Err(Malformed),
            });
        }
        let mut why = None;
        json.object(&mut |json, name| {
            why = Some(match name {
                "missed" if why.is_none() => Self::Missed(Read::read(json)?),
                "failed" if why.is_none() => Self::Failed(Read::read(json)?),
                _ => return Err(Malformed),
            });
            Ok(())
        })?;
        why.ok_or(Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_reads_back_as_it_was_written() {
        let reasons = [
            Why::Missed(Reason::Expired),
            Why::Down,
            Why::NoViewers,
            Why::Failed("the disk is full".into()),
            Why::TooFast,
            Why::NotInFile,
        ];
        for why in reasons {
            let (namespace, path) = (Some("shop".into()), Some(".spec.badge".into()));
            let masked = why == Why::Down;
            let removed = Removed { from_ms: 7, to_ms: 8, removed_ms: 9, namespace, path, masked };
            let removed = Some(Box::new(removed));
            let unrecorded = Some(Unrecorded { from_ms: 1, to_ms: 2, why });
            let (changed_ms, before_ms, after_ms) = (Some(3), None, Some(5));
            let (at_ms, recorded_ms) = (6, 4);
            let state =
                PastState { at_ms, recorded_ms, changed_ms, before_ms, after_ms, unrecorded, removed };
            let json = serde_json::to_string(&state).expect("JSON");
            assert_eq!(serde_json::from_str::<PastState>(&json).expect("a state"), state, "{json}");
        }
    }
}

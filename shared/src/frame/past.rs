//! The answers to questions about the past. A client reads one where it uses it, so that a page has the code for it in
//! a piece that is fetched then.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::client::SubscriptionId;
use super::timeline::Entry;
use crate::past::Unrecorded;
use crate::problem::Problem;
use crate::state::UnixMillis;

/// An answer that isn't read yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PastAnswer {
    pub id: SubscriptionId,
    answer: Box<RawValue>,
}

impl PastAnswer {
    /// `None`: it can't be written, which every answer can.
    #[must_use]
    pub fn of(id: SubscriptionId, past: &Past) -> Option<Self> {
        Some(Self { id, answer: serde_json::value::to_raw_value(past).ok()? })
    }

    /// `None`: it isn't an answer that this version knows.
    #[must_use]
    pub fn read(&self) -> Option<Past> {
        serde_json::from_str(self.answer.get()).ok()
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
}

//! What a view of the past says of itself, and what is missing in a record.

use serde::{Deserialize, Serialize};

use crate::millis::UnixMillis;
use crate::problem::Reason;

/// How a view as of a time stands. It is never the present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The store took no more, as a sentence.
    Failed(Box<str>),
    /// More happened than the store could take.
    TooFast,
}

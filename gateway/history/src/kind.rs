//! What a history is of, and what is missing in it.

use serde::{Deserialize, Serialize};
use shared::problem::Reason;
use shared::resource::Resource;
use shared::state::UnixMillis;

/// A kind in one cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindKey {
    /// The cluster's id, which stays when its name changes.
    pub cluster: Box<str>,
    pub resource: Resource,
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
    /// More was told than the store could take.
    TooFast,
}

//! What a cluster is made of that was recorded elsewhere.

use std::sync::Arc;

use serde_json::Value;
use shared::cell::Cell;
use shared::column::Column;
use shared::resource::Kind;

/// What was recorded. Kinds that aren't in it aren't served.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The time at which it stands, in milliseconds since 1970.
    pub at_ms: i64,
    /// The version at `/version`.
    pub git_version: String,
    pub kinds: Vec<RecordedKind>,
}

#[derive(Clone, Debug)]
pub struct RecordedKind {
    pub kind: Kind,
    pub columns: Arc<[Column]>,
    /// The resourceVersion of its list.
    pub revision: u64,
    /// Each with its cells.
    pub objects: Vec<(Value, Vec<Cell>)>,
}

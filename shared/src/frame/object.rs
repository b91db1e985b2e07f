//! One whole object, and then its changes. Only the latest state is sent, as for rows.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::client::SubscriptionId;
use super::rows::{Gap, ViewId};
use crate::json::fields;
use crate::patch::Operation;
use crate::resource_version::ResourceVersion;
use crate::row::RowId;

/// Exactly one of `object`, `patch` and `deleted` says how the object stands at `to`; a frame with none
/// only moves the position. `O` is how the object is held: the gateway writes its JSON as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectFrame<O = Value> {
    /// The `get` that this frame answers; such a frame opens no subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<SubscriptionId>,
    pub view: ViewId,
    pub from: u64,
    pub to: u64,
    /// The hub's resourceVersion at `to`, as in `rows`; the object's own is in the object.
    pub resource_version: ResourceVersion,
    /// Absent where there is no object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowId>,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub object: Option<O>,
    /// The changes of the object that the client has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patch: Vec<Operation>,
    /// There is no such object, or it was deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// Events between these instants weren't seen; the object is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Gap>,
    /// Forget the position and begin at `from`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
}

fields! { ObjectFrame: view, from, to, resource_version; id, row, object, patch, deleted, gap, reset }

//! The decoded answers of the API server. Types only.

use std::sync::Arc;

use shared::column::Column;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;

use super::{LeftOut, Object};
use crate::cluster::Refusal;

/// One value of a watch.
#[derive(Clone, Debug)]
pub struct Event {
    /// Only in the first event of a watch.
    pub columns: Option<Arc<[Column]>>,
    /// Empty if the API has none.
    pub resource_version: ResourceVersion,
    /// The server calls it `MODIFIED` or `DELETED`, so it happened after the watch began: an initial set has only
    /// `ADDED`.
    pub is_change: bool,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    /// Added or modified: a watch that begins anew calls both `ADDED`.
    Put(Object),
    Deleted(RowId),
    /// Everything up to its resourceVersion has been sent. It isn't an object.
    Bookmark {
        /// `k8s.io/initial-events-end`: the initial set is complete.
        ends_initial: bool,
    },
    Error(Refusal),
    LeftOut(LeftOut),
    /// An object that the gateway doesn't show was put. No subscriber may hear of it.
    Hidden,
    /// A type that Kubernetes doesn't have, which is an error of the stream.
    Unknown,
}

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page {
    pub columns: Arc<[Column]>,
    pub objects: Vec<Result<Object, LeftOut>>,
    /// The same for all pages of a list.
    pub resource_version: ResourceVersion,
    pub next: Option<String>,
    /// How many objects follow, if the server says.
    pub remaining: Option<u64>,
}

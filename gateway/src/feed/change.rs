//! What a feed and its hub tell each other. Types only.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use history::PackedBody;
use shared::column::Column;
use shared::frame::server::Gap;
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::{StateReport, UnixMillis};

use super::health::Verdict;
use super::labels::Labels;
use super::masks::Masks;

/// In the order of events; the hub applies each output as it arrives.
#[derive(Clone, Debug)]
pub enum FeedOutput {
    Change(Change),
    /// The feed's state, whenever it changes.
    State(StateReport),
    Proof(Proof),
}

/// What a hub tells its feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedCommand {
    /// A viewer wants the next try now.
    Retry,
    /// Whether the hub has viewers, whenever that changes.
    Viewers(bool),
    /// A viewer came back whose last position was this, in this hub or in another gateway's.
    StandsAt(ResourceVersion),
}

/// When the API server last confirmed what the hub holds, and the two clocks at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// By the gateway's clock.
    pub at_ms: UnixMillis,
    /// The cluster's clock minus the gateway's, from the `Date` of its answers.
    pub cluster_ahead_ms: i64,
}

#[derive(Clone, Debug)]
pub enum Change {
    /// The columns, before the first object. When they change under a running watch, a new epoch begins.
    Columns(Arc<[Column]>),
    /// resourceVersions went back, as after a restored etcd: a new epoch begins.
    Rewound,
    /// A list begins. The hub shows the objects of the first list as they come; those of a later list
    /// it puts aside and compares at the end.
    ListStart,
    Listed(Object),
    /// The list is complete: an object that it doesn't contain is gone.
    ListEnd {
        resource_version: ResourceVersion,
        gap: Option<Gap>,
    },
    /// The list broke off: the hub drops what it put aside.
    ListAborted,
    Put(Object),
    /// Also between `ListStart` and `ListEnd`: a WatchList sends changes while it lists, so an object
    /// that was put aside may be deleted again.
    Delete {
        id: RowId,
        resource_version: ResourceVersion,
    },
    /// The stream ended with this error.
    Error(Problem),
    /// Everything up to here has been sent.
    Bookmark(ResourceVersion),
    LeftOut(LeftOut),
}

/// An object that is too large or can't be read. The other objects stay exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// `namespace/name`, as far as it is known.
    pub object: Box<str>,
    pub problem: Problem,
}

/// One object, redacted, as it is kept.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its cells are in the order of the columns.
    pub row: Row,
    pub labels: Labels,
    /// The JSON of the object without what is dropped, and with masked values.
    pub body: ObjectBody,
    pub masks: Masks,
    /// Its managedFields, read for the writers of a timeline entry and then dropped.
    pub managed: Managed,
    /// What the rules of its kind say; `None` if it is fine.
    pub verdict: Option<Box<Verdict>>,
}

/// The JSON of an object, or what it is made of.
#[derive(Clone, Debug)]
pub enum ObjectBody {
    Json(Bytes),
    /// As a record keeps it. Most bodies of a view of the past are never read.
    Kept(Arc<PackedBody>),
}

impl ObjectBody {
    /// The JSON, where it is at hand.
    #[must_use]
    pub fn bytes(&self) -> Option<&Bytes> {
        match self {
            Self::Json(json) => Some(json),
            Self::Kept(_) => None,
        }
    }

    /// `None`: the record of it can't be read any more.
    #[must_use]
    pub fn json(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Json(json) => Some(Cow::Borrowed(json)),
            Self::Kept(packed) => packed.unpack().map(Cow::Owned),
        }
    }
}

impl<T: Into<Bytes>> From<T> for ObjectBody {
    fn from(json: T) -> Self {
        Self::Json(json.into())
    }
}

/// managedFields as a slice of the bytes that were read: most are never used, so they aren't copied.
/// They may contain values that are masked elsewhere, so they are never printed.
#[derive(Clone, Default)]
pub struct Managed(pub Bytes);

impl fmt::Debug for Managed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Managed(hidden)")
    }
}

//! What a feed tells its hub. Types only.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use shared::column::Column;
use shared::frame::server::Gap;
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::{StateReport, UnixMillis};

/// In the order in which it happened; the hub applies it as it comes.
#[derive(Clone, Debug)]
pub enum FeedOutput {
    Change(Change),
    /// How the feed stands, whenever that changes.
    State(StateReport),
    Proof(Proof),
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
    /// Before the first object, and when they change under a running watch: a new epoch then.
    Columns(Arc<[Column]>),
    /// resourceVersions went back (an etcd was restored): a new epoch.
    Rewound,
    /// A list begins. On the first one the hub shows objects as they come; on a later one it puts
    /// them aside and compares at the end.
    ListStart,
    Listed(Object),
    /// All are here: what wasn't listed is gone.
    ListEnd {
        resource_version: ResourceVersion,
        gap: Option<Gap>,
    },
    /// The list broke off: what was put aside is void.
    ListAborted,
    Put(Object),
    /// Between `ListStart` and `ListEnd` too: a WatchList goes on while it lists, and what was put
    /// aside is then gone again.
    Delete {
        id: RowId,
        resource_version: ResourceVersion,
    },
    /// The stream said that it can't go on.
    Error(Problem),
    /// Everything up to here has been sent.
    Bookmark(ResourceVersion),
    /// An object that is too large or can't be read, by `namespace/name`; the rest stays exact.
    LeftOut {
        object: Box<str>,
        problem: Problem,
    },
}

/// One object, redacted, as it is kept.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its cells are in the order of the columns.
    pub row: Row,
    pub labels: Arc<[(Box<str>, Box<str>)]>,
    /// The JSON of the object without managedFields, last-applied and masked values.
    pub body: Bytes,
    /// Its managedFields: read when somebody asks who wrote a field, and not kept.
    pub managed: Managed,
}

/// managedFields as they came, a part of what was read: nobody looks at most of them, so they aren't
/// copied. They have held what is masked elsewhere, so they aren't printed.
#[derive(Clone, Default)]
pub struct Managed(pub Bytes);

impl fmt::Debug for Managed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Managed(hidden)")
    }
}

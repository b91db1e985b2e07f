//! What is known of one subscription beside its rows: how it stands with the gateway, and its proofs.
//! Never rows, never a socket.

use shared::custom_column::CustomColumns;
use shared::frame::client::{Projection, SubscriptionId};
use shared::frame::server::{Gap, Sync, ViewId};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, UnixMillis};

use crate::client::ViewKey;

#[derive(Clone, Debug)]
pub struct Subscription {
    pub(crate) scope: Scope,
    pub(crate) projection: Projection,
    /// Of an object that a table shows.
    pub(crate) row: Option<RowId>,
    /// Shown beyond the server's.
    pub(crate) columns: CustomColumns,
    pub(crate) phase: Phase,
    /// When this view began to wait for its first word.
    pub(crate) asked_ms: UnixMillis,
    /// As the gateway said last; its instants by the gateway's clock.
    pub(crate) report: Option<StateReport>,
    pub(crate) proof: Option<Proof>,
    /// The latest stretch of unseen events, until the reader waves it away.
    pub(crate) gap: Option<Gap>,
    pub(crate) mends: Mends,
    /// The namespaces that the viewer really gets, where those aren't the ones that were asked for.
    pub(crate) granted: Option<Namespaces>,
}

/// How the gateway and this subscription stand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Phase {
    /// Not asked for on this connection.
    Unasked,
    /// `subscribe` was sent; rows that come before the answer belong to what was before.
    Asked {
        id: SubscriptionId,
    },
    Subscribed {
        id: SubscriptionId,
        view: ViewId,
    },
    /// It is to begin again, but not before this instant.
    Mending {
        at_ms: UnixMillis,
    },
    /// The gateway ended it, and said why.
    Ended {
        problem: Problem,
        at_ms: UnixMillis,
    },
    /// Given back while the page is hidden.
    Parked,
    /// It may not be had as a whole: these ask for a namespace each.
    Split {
        parts: Vec<ViewKey>,
    },
}

/// The last `sync`.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// When it was said, by the viewer's clock: before it came, where it was held up.
    pub heard_ms: UnixMillis,
    /// When the API server last confirmed the view, by the viewer's clock.
    pub proven_ms: UnixMillis,
    /// The cluster's clock minus the viewer's.
    pub cluster_ahead_ms: i64,
    pub resource_version: ResourceVersion,
    pub at: u64,
    /// Whether it came on the connection that stands now.
    pub current: bool,
    /// The last comparison of digests, by the viewer's clock.
    pub equal_ms: Option<UnixMillis>,
}

/// How often rows had to be loaded anew, and why last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mends {
    pub differed: u32,
    pub broken: u32,
    pub last_ms: Option<UnixMillis>,
    /// The last digest that differed: since when, and when the rows were equal again.
    pub differed_ms: Option<UnixMillis>,
    pub equal_again_ms: Option<UnixMillis>,
}

impl Subscription {
    pub(crate) fn new(scope: Scope, now_ms: UnixMillis) -> Self {
        Self {
            scope,
            projection: Projection::Rows,
            row: None,
            columns: CustomColumns::default(),
            phase: Phase::Unasked,
            asked_ms: now_ms,
            report: None,
            proof: None,
            gap: None,
            mends: Mends::default(),
            granted: None,
        }
    }

    pub(crate) fn showing(self, projection: Projection, row: Option<RowId>) -> Self {
        Self { projection, row, ..self }
    }

    pub(crate) fn with_columns(self, columns: CustomColumns) -> Self {
        Self { columns, ..self }
    }

    /// Whether both would get the same view.
    pub(crate) fn asks_as(&self, other: &Self) -> bool {
        (&self.scope, self.projection, self.row, &self.columns)
            == (&other.scope, other.projection, other.row, &other.columns)
    }

    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// What was asked for beyond the server's columns.
    #[must_use]
    pub fn columns(&self) -> &CustomColumns {
        &self.columns
    }

    #[must_use]
    pub fn report(&self) -> Option<&StateReport> {
        self.report.as_ref()
    }

    #[must_use]
    pub fn proof(&self) -> Option<&Proof> {
        self.proof.as_ref()
    }

    #[must_use]
    pub fn gap(&self) -> Option<&Gap> {
        self.gap.as_ref()
    }

    #[must_use]
    pub fn granted(&self) -> Option<&Namespaces> {
        self.granted.as_ref()
    }

    #[must_use]
    pub fn mends(&self) -> Mends {
        self.mends
    }

    #[must_use]
    pub fn asked_ms(&self) -> UnixMillis {
        self.asked_ms
    }

    /// Why the gateway ended this subscription.
    #[must_use]
    pub fn ended(&self) -> Option<&Problem> {
        match &self.phase {
            Phase::Ended { problem, .. } => Some(problem),
            _ => None,
        }
    }

    /// When that was.
    #[must_use]
    pub fn ended_ms(&self) -> Option<UnixMillis> {
        match &self.phase {
            Phase::Ended { at_ms, .. } => Some(*at_ms),
            _ => None,
        }
    }

    /// What asks in its place, where it may not be had as a whole.
    pub(crate) fn parts(&self) -> &[ViewKey] {
        match &self.phase {
            Phase::Split { parts } => parts,
            _ => &[],
        }
    }

    #[must_use]
    pub(crate) fn wire_id(&self) -> Option<SubscriptionId> {
        match self.phase {
            Phase::Asked { id, .. } | Phase::Subscribed { id, .. } => Some(id),
            _ => None,
        }
    }

    pub(crate) fn is_of(&self, view: ViewId) -> bool {
        matches!(self.phase, Phase::Subscribed { view: ours, .. } if ours == view)
    }

    pub(crate) fn heard(&mut self, sync: &Sync, now_ms: UnixMillis) {
        let proof_age_ms = sync.now_ms.saturating_sub(sync.proof_ms).max(0);
        let equal_ms = self.proof.as_ref().and_then(|proof| proof.equal_ms);
        self.proof = Some(Proof {
            heard_ms: now_ms,
            proven_ms: now_ms.saturating_sub(proof_age_ms),
            cluster_ahead_ms: sync.cluster_now_ms.saturating_sub(now_ms),
            resource_version: sync.resource_version.clone(),
            at: sync.at,
            current: true,
            equal_ms,
        });
    }

    /// The connection is gone: what was proven is of a former one.
    pub(crate) fn disconnected(&mut self) {
        if !matches!(self.phase, Phase::Parked) {
            self.phase = Phase::Unasked;
        }
        if let Some(proof) = &mut self.proof {
            proof.current = false;
        }
    }
}

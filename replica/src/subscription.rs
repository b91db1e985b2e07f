//! What is known of one subscription beside its rows: how the gateway answered it, and its proofs.

use litemap::LiteMap;
use shared::custom_column::CustomColumns;
use shared::frame::client::{Projection, RowDetail, Subscribe, SubscriptionId};
use shared::frame::server::{Gap, Sync, ViewId};
use shared::name::{ClusterName, Namespace};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, UnixMillis, ViewState};
use shared::token::Token;

use crate::events::ViewKey;
use crate::origin::Origin;

/// One subscription of a view: what is asked for, how far the gateway has answered it (`phase`), and what it said of it:
/// its state, its proofs, what was granted and what was missed. It has no rows: those are its view's, beside it. The views
/// of the client move it, and the page and `tail` read from it what they say about a view.
#[derive(Clone, Debug)]
pub struct Subscription {
    pub scope: Scope,
    /// All clusters of a view of several, which has a subscription for each, in the order of their columns.
    pub clusters: Vec<ClusterName>,
    pub(crate) projection: Projection,
    /// The object, where it is one that a table shows.
    pub(crate) row: Option<RowId>,
    /// The columns that were asked for beyond the server's.
    pub columns: CustomColumns,
    /// Whether rows come with their whole objects.
    pub(crate) rows: RowDetail,
    /// Whether each event comes by itself.
    pub(crate) each_event: bool,
    /// Only rows that aren't simply fine.
    pub(crate) trouble: bool,
    /// A timeline begins with what the gateway still has.
    pub(crate) earlier: bool,
    /// As of this time, by the gateway's clock. `None`: the present.
    pub at_ms: Option<UnixMillis>,
    /// As of when what is held is.
    pub(crate) held: HeldTime,
    pub(crate) phase: Phase,
    /// When this view began to wait for its first frame.
    pub asked_ms: UnixMillis,
    /// As the gateway said last; its instants by the gateway's clock.
    pub report: Option<StateReport>,
    /// When the gateway said it, by the viewer's clock.
    pub(crate) reported_ms: UnixMillis,
    pub proof: Option<Proof>,
    pub(crate) origin: Origin,
    /// The latest gap in the events, until the reader dismisses it.
    pub gap: Option<Gap>,
    pub resyncs: Resyncs,
    /// The namespaces that the viewer really gets, where those aren't the ones that were asked for.
    pub granted: Option<Namespaces>,
    /// The latest namespaces that the viewer may not see any more, until the reader dismisses it.
    pub withdrawn: Option<Withdrawn>,
}

/// The time of what is held, which stays until what was asked for of another time is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldTime {
    /// By the gateway's clock. `None`: the present.
    pub(crate) at_ms: Option<UnixMillis>,
    /// What comes next is marked as changes of what is held: the reader went on by one change.
    pub(crate) is_step: bool,
}

impl HeldTime {
    /// What is held is of the time that is asked for.
    pub(crate) fn set(&mut self, at_ms: Option<UnixMillis>) {
        *self = Self { at_ms, is_step: false };
    }
}

/// Namespaces that left a view, because the viewer's rights to them ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    pub namespaces: Vec<Namespace>,
    /// How many rows of theirs there were.
    pub rows: usize,
    /// By the viewer's clock.
    pub at_ms: UnixMillis,
}

/// Where the viewer may list what a view shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// In all namespaces, or a kind that has none.
    Everywhere,
    /// In these namespaces, of all. Empty: in none, or a kind that has none.
    Only(Vec<Namespace>),
    /// Whether each namespace that was asked for is allowed, if it was answered.
    Each(Vec<(Namespace, bool)>),
}

/// How far the gateway and this subscription are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Phase {
    /// Not asked for on this connection.
    Unasked,
    /// `subscribe` was sent; rows that come before the answer belong to the subscription before.
    Asked {
        id: SubscriptionId,
    },
    Subscribed {
        id: SubscriptionId,
        view: ViewId,
    },
    /// It begins again, but not before this instant.
    Resyncing {
        at_ms: UnixMillis,
    },
    /// The gateway ended it, and said why.
    Ended {
        problem: Problem,
        at_ms: UnixMillis,
    },
    /// Given back while the page is hidden.
    Parked,
    /// The view may not be read as a whole: each part asks for one namespace, or for one cluster.
    Split {
        parts: Vec<ViewKey>,
        of_all: OfAll,
    },
}

impl Phase {
    pub(crate) fn ended(&self) -> Option<&Problem> {
        match self {
            Self::Ended { problem, .. } => Some(problem),
            _ => None,
        }
    }

    pub(crate) fn parts(&self) -> &[ViewKey] {
        match self {
            Self::Split { parts, .. } => parts,
            _ => &[],
        }
    }

    pub(crate) fn wire_id(&self) -> Option<SubscriptionId> {
        match self {
            Self::Asked { id } | Self::Subscribed { id, .. } => Some(*id),
            _ => None,
        }
    }

    /// The number on the wire of what a split view asks for beside its parts.
    pub(crate) fn of_all(&self) -> Option<SubscriptionId> {
        match self {
            Self::Split { of_all: OfAll::Asked { id }, .. } => Some(*id),
            _ => None,
        }
    }

    /// Whether it has to be asked for on a new connection.
    pub(crate) fn is_unasked(&self) -> bool {
        matches!(self, Self::Unasked | Self::Parked | Self::Split { of_all: OfAll::Unasked, .. })
    }

    pub(crate) fn receives(&self, view: ViewId) -> bool {
        matches!(self, Self::Subscribed { view: ours, .. } if *ours == view)
    }

    /// It is asked for from now on, as a whole or beside its parts.
    fn ask(&mut self, id: SubscriptionId) {
        match self {
            Self::Split { of_all, .. } => *of_all = OfAll::Asked { id },
            phase => *phase = Self::Asked { id },
        }
    }

    /// The gateway has what is asked for beside the parts no longer: it is given back, or the connection is gone.
    pub(crate) fn give_back_of_all(&mut self) -> Option<SubscriptionId> {
        let id = self.of_all()?;
        if let Self::Split { of_all, .. } = self {
            *of_all = OfAll::Unasked;
        }
        Some(id)
    }
}

/// What a view that is split asks for beside its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfAll {
    /// Nothing: the reader named its namespaces.
    Nothing,
    /// All namespaces, which the gateway answers with those that the viewer may see, whenever they change.
    Unasked,
    Asked {
        id: SubscriptionId,
    },
}

/// The last `sync`.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// When the gateway said it, by the viewer's clock: earlier than it came, where it was held up.
    pub synced_ms: UnixMillis,
    /// When the API server last confirmed the view, by the viewer's clock.
    pub proven_ms: UnixMillis,
    /// The cluster's clock minus the viewer's.
    pub cluster_ahead_ms: i64,
    pub resource_version: ResourceVersion,
    pub at: u64,
    /// Whether it came on the connection that is open now.
    pub current: bool,
    /// The last equal digest, by the viewer's clock.
    pub equal_ms: Option<UnixMillis>,
}

/// How often rows had to be loaded anew, and why last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resyncs {
    /// Digests that differed.
    pub differed: u32,
    /// Frames that didn't continue what was here.
    pub broken: u32,
    pub last_ms: Option<UnixMillis>,
    /// The last digest that differed: since when, and when the rows were equal again.
    pub differed_ms: Option<UnixMillis>,
    pub equal_again_ms: Option<UnixMillis>,
}

impl Proof {
    /// Its connection is closed.
    fn expire(proof: &mut Option<Self>) {
        if let Some(proof) = proof {
            proof.current = false;
        }
    }
}

impl Subscription {
    pub(crate) fn new(scope: Scope, now_ms: UnixMillis) -> Self {
        Self {
            scope,
            clusters: Vec::new(),
            projection: Projection::Rows,
            row: None,
            columns: CustomColumns::default(),
            rows: RowDetail::Changes,
            each_event: false,
            trouble: false,
            earlier: false,
            at_ms: None,
            held: HeldTime::default(),
            phase: Phase::Unasked,
            asked_ms: now_ms,
            report: None,
            reported_ms: now_ms,
            proof: None,
            origin: Origin::default(),
            gap: None,
            resyncs: Resyncs::default(),
            granted: None,
            withdrawn: None,
        }
    }

    /// The frame that asks for it, from now on under this number.
    pub(crate) fn ask(&mut self, id: SubscriptionId, token: Option<Token>) -> Subscribe {
        self.phase.ask(id);
        Subscribe {
            id,
            scope: self.scope.clone(),
            projection: self.projection,
            row: self.row,
            columns: self.columns.clone(),
            rows: self.rows,
            each_event: self.each_event,
            trouble: self.trouble,
            earlier: self.earlier && token.is_none(),
            at_ms: self.at_ms,
            token,
        }
    }

    /// The gateway shows `now` of what was asked for. `counts`: how many rows each namespace has. Returns whether
    /// namespaces were withdrawn.
    pub(crate) fn grant(
        &mut self,
        now: &Namespaces,
        counts: &LiteMap<Namespace, usize>,
        now_ms: UnixMillis,
    ) -> bool {
        let before: Vec<&Namespace> = match self.granted.as_ref().unwrap_or(&self.scope.namespaces) {
            Namespaces::These(names) => names.iter().collect(),
            // Only those with rows are known.
            Namespaces::All => counts.keys().collect(),
        };
        let namespaces: Vec<Namespace> = match now {
            Namespaces::All => Vec::new(),
            Namespaces::These(names) => {
                before.into_iter().filter(|name| !names.as_slice().contains(name)).cloned().collect()
            }
        };
        let are_fewer = !namespaces.is_empty();
        if are_fewer {
            let rows = namespaces.iter().filter_map(|name| counts.get(name)).sum();
            self.withdrawn = Some(Withdrawn { namespaces, rows, at_ms: now_ms });
        }
        self.granted = (*now != self.scope.namespaces).then(|| now.clone());
        are_fewer
    }

    /// Whether both would get the same view.
    pub(crate) fn is_same_request(&self, other: &Self) -> bool {
        (&self.scope, &self.clusters, self.projection, self.row)
            == (&other.scope, &other.clusters, other.projection, other.row)
            && (&self.columns, self.rows, self.each_event) == (&other.columns, other.rows, other.each_event)
            && (self.trouble, self.at_ms) == (other.trouble, other.at_ms)
    }

    /// The gateway, whose clock is `ahead_ms` of the viewer's, says how the view is from now on.
    pub(crate) fn told(&mut self, report: &StateReport, ahead_ms: i64, now_ms: UnixMillis) {
        self.reported_ms = now_ms;
        let is_refused = matches!(report.state, ViewState::Forbidden { .. });
        if let Some(proof) = self.proof.as_ref().filter(|_| is_refused) {
            self.origin.refused(proof.proven_ms, ahead_ms);
        }
        match self.report.replace(report.clone()).map(|before| before.state) {
            Some(ViewState::Stale { since_ms } | ViewState::Resuming { since_ms }) => {
                self.origin.dated(since_ms.saturating_sub(ahead_ms));
            }
            // What was proven then left with the right. Others come, and until then those that are held are as old.
            Some(ViewState::Forbidden { .. }) if !is_refused => {
                let proof = self.proof.take();
                self.origin.allowed(proof.map(|proof| proof.proven_ms), self.asked_ms);
                self.asked_ms = now_ms;
            }
            _ => {}
        }
    }

    /// What is held is a state that the gateway holds. Returns the gap before it; `told`: the one that the gateway told
    /// with it.
    pub(crate) fn cut(&mut self, told: Option<Gap>, now_ms: UnixMillis) -> Option<Gap> {
        if matches!(self.state(), Some(ViewState::Forbidden { .. })) {
            return told.map(|gap| self.origin.told(gap));
        }
        let unseen = self.origin.cut(now_ms);
        told.or(unseen)
    }

    pub(crate) fn state(&self) -> Option<&ViewState> {
        Some(&self.report.as_ref()?.state)
    }

    /// What the gateway says is wrong.
    pub(crate) fn problem(&self) -> Option<Problem> {
        self.report.as_ref()?.problem.clone()
    }

    /// Why the gateway ended this subscription.
    #[must_use]
    pub fn ended(&self) -> Option<&Problem> {
        self.phase.ended()
    }

    /// The rows that were held are gone, and with them what was proven of them.
    pub(crate) fn begin_anew(&mut self, now_ms: UnixMillis) {
        (self.proof, self.asked_ms) = (None, now_ms);
        self.origin.begin_anew();
    }

    /// `said_ms`: when the gateway said it, by the viewer's clock.
    pub(crate) fn sync(&mut self, sync: &Sync, said_ms: UnixMillis) {
        let proof_age_ms = sync.now_ms.saturating_sub(sync.proof_ms).max(0);
        self.proof = Some(Proof {
            synced_ms: said_ms,
            proven_ms: said_ms.saturating_sub(proof_age_ms),
            cluster_ahead_ms: sync.cluster_now_ms.saturating_sub(said_ms),
            resource_version: sync.resource_version.clone(),
            at: sync.at,
            current: true,
            equal_ms: self.proof.as_ref().and_then(|proof| proof.equal_ms),
        });
    }

    /// `None`: the digests stand at different positions.
    pub(crate) fn compared(&mut self, agrees: Option<bool>, now_ms: UnixMillis) {
        let resyncs = &mut self.resyncs;
        match agrees {
            Some(true) => {
                if let Some(proof) = &mut self.proof {
                    proof.equal_ms = Some(now_ms);
                }
                if resyncs.differed_ms.is_some() {
                    resyncs.equal_again_ms.get_or_insert(now_ms);
                }
            }
            Some(false) => {
                resyncs.differed += 1;
                resyncs.differed_ms = Some(now_ms);
                resyncs.equal_again_ms = None;
            }
            None => {}
        }
    }

    /// What was proven on a connection that is closed proves nothing any more.
    pub(crate) fn disconnected(&mut self) {
        if !matches!(self.phase, Phase::Parked) {
            self.phase = Phase::Unasked;
        }
        Proof::expire(&mut self.proof);
    }

    pub(crate) fn park(&mut self) {
        self.phase = Phase::Parked;
        Proof::expire(&mut self.proof);
    }
}

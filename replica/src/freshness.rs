//! How fresh a view is, decided once for the page and `tail`: by the gateway's word, the age of the last
//! `sync` and the link, and never fresher than any of the three says.
//!
//! # How a view becomes stale
//!
//! A view is live only while it is proven. The feed and the client decide, the hub passes the feed's state on, and the
//! most cautious one wins.
//!
//! - **The feed** (`gateway/src/feed/machine/proof.rs` and `report.rs`) asks the API server every 4.8 s, while a watch is
//!   open, for a consistent list with `limit=1`. A whole list of the present is a proof as well, and the only one of a polled resource. A view
//!   is proven if the request was answered, the watch's connection is healthy, and the watch said something
//!   within 90 s and has reached the answer of 90 s before, if its stream has bookmarks (from the second one on). So the next proof after 90 s finds a watch that
//!   the API server silently stopped feeding; without bookmarks, the watch is found when it is opened again, every 5
//!   minutes. After 15 s without a proof the feed reports `stale`, but not during a first list that makes progress.
//! - **The hub** passes the feed's state on. It sends `sync` only to a subscriber at a cut of a view that is current.
//!   Both wait for credit, as every delivery does.
//! - **The client**, in this file, calls a view stale after 12 s without a `sync`, when the last proof is 15 s old
//!   (polled views excepted), or when its login is refused. A refusal of the gateway (forbidden, gone, failed), an ended
//!   subscription and another version of the protocol come before that.
//!
//! A view as of a time is neither live nor stale, whatever becomes of the link: what was recorded stays as it was
//! (`past.rs`).
//!
//! In a view of several clusters each cluster has its own state and clock ([`of_clusters`]), and the page dims rows one
//! by one. The page shows the state of a view as its pill and its notice line, by dimmed rows whose ages stand still, in
//! the title and in the health of all views.

mod combine;
mod past;

use std::iter;

pub use past::{AsOf, Gap, Record};

use shared::duration::UnixSeconds;
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::state::{UnixMillis, ViewState, Whom};

use crate::client::Client;
use crate::client::part::Part;
use crate::connection::Link;
use crate::limits::{PROOF_MISSING_MS, SYNC_MISSING_MS};
use crate::object::{Existence, ObjectView};
use crate::observer::RowObserver;
use crate::subscription::{Phase, Proof, Subscription};
use crate::view::{Source, View, cluster_now_of, cluster_now_s};

/// The state of a view, with its instants by the viewer's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    Live {
        proven_ms: UnixMillis,
    },
    Polled {
        proven_ms: UnixMillis,
        every_s: u32,
    },
    /// Nothing complete has come yet.
    Syncing {
        n: u64,
        of: Option<u64>,
        asked_ms: UnixMillis,
    },
    /// The chain is being continued, and the last proof is young.
    Resuming {
        from_ms: UnixMillis,
        cause: Break,
    },
    Stale {
        since_ms: UnixMillis,
        cause: Cause,
    },
    Forbidden {
        to: Whom,
        problem: Option<Problem>,
    },
    Gone {
        since_ms: UnixMillis,
        problem: Option<Problem>,
    },
    Failed {
        since_ms: UnixMillis,
        problem: Option<Problem>,
    },
    /// Another version of the gateway: only a reload helps.
    OtherVersion {
        since_ms: UnixMillis,
        problem: Problem,
    },
    /// As of a time. What is said of it doesn't change.
    Past(Box<AsOf>),
    /// Its namespaces are in different states, and at least one shows its rows.
    Partly(Box<Partly>),
}

/// The state of a view whose namespaces, or whose clusters, have a subscription each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partly {
    pub worst: Freshness,
    /// The namespaces, or the clusters, in the worst state.
    pub names: Vec<Box<str>>,
    /// The worst state of the others; where the worst shows no rows, of those that do.
    pub rest: Freshness,
    /// How many namespaces, or clusters, there are.
    pub count: usize,
    /// Some of the rows that are shown may not be read as the present; in a view of several clusters all of them,
    /// because there each row says it of itself.
    pub is_stale: bool,
    /// Each cluster, in the order of the view; empty unless the view is of several clusters.
    pub clusters: Vec<(Box<str>, Freshness)>,
}

/// What was interrupted and is being continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// The gateway's connection to the API server, where it says why.
    Upstream { problem: Option<Problem> },
    /// Ours to the gateway, and it is back after so long.
    Gateway { gone_ms: Option<i64> },
    /// Ours to the gateway, still.
    GatewayNow,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The gateway says so.
    Upstream { problem: Option<Problem>, tries: u32, next_try_ms: Option<UnixMillis> },
    /// The gateway is out of reach.
    Gateway,
    /// The gateway doesn't take the viewer's login any more.
    Login,
    /// The link is open, but nothing confirms this view.
    Silence,
    /// The gateway loads the list anew, and what is shown is old.
    Relisting,
}

/// The state of a table.
#[must_use]
pub fn of<O: RowObserver>(client: &Client<O>, view: &View<O>, now_ms: UnixMillis) -> Freshness {
    if !view.subscription().clusters.is_empty() {
        let clusters = client.clusters_of(view);
        let states = clusters.map(|(name, part)| (name.as_str().into(), of_cluster(client, part, now_ms)));
        return combine::combine_clusters(states.collect());
    }
    let parts = client
        .parts(view)
        .filter_map(|part| Some((part.namespace()?.as_str().into(), of_part(client, part, now_ms))));
    combine::combine(parts.collect()).unwrap_or_else(|| of_held(client, &Held::of(view.source()), now_ms))
}

fn of_part<O: RowObserver>(client: &Client<O>, part: &Part, now_ms: UnixMillis) -> Freshness {
    let held = Held::of(&part.source);
    let state = of_held(client, &held, now_ms);
    // A cluster that was never reached says so.
    let may_say = part.cluster.is_some() && state.is_stale();
    let is_of_now = held.subscription.at_ms.is_none();
    let is_awaited = is_of_now && state.shows_rows() && !part.is_shown() && !may_say;
    if is_awaited { syncing(&held) } else { state }
}

/// A cluster may be split into its namespaces.
fn of_cluster<O: RowObserver>(client: &Client<O>, cluster: &Part, now_ms: UnixMillis) -> Freshness {
    let parts = client.parts_of(&cluster.source);
    let states =
        parts.filter_map(|part| Some((part.namespace()?.as_str().into(), of_part(client, part, now_ms))));
    combine::combine(states.collect()).unwrap_or_else(|| of_part(client, cluster, now_ms))
}

/// One cluster of a view of several.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterState {
    pub name: ClusterName,
    pub freshness: Freshness,
    pub rows: usize,
    pub proof: Option<Proof>,
    /// Its clock, for printing ages.
    pub now_s: UnixSeconds,
}

/// The clusters of a view of several; none where it is of one.
#[must_use]
pub fn of_clusters<O: RowObserver>(
    client: &Client<O>,
    view: &View<O>,
    now_ms: UnixMillis,
) -> Vec<ClusterState> {
    let state = |(name, cluster): (&ClusterName, &Part)| {
        let freshness = of_cluster(client, cluster, now_ms);
        let parts = client.parts_of(&cluster.source);
        let sources: Vec<&Source> = parts.map(|part| &part.source).collect();
        let sources = if sources.is_empty() { vec![&cluster.source] } else { sources };
        let shown = sources.iter().filter(|source| source.shows_rows() && source.table.is_whole());
        let rows = shown.map(|source| source.table.len()).sum();
        let proofs = sources.iter().filter_map(|source| source.subscription.proof.as_ref());
        let proof = proofs.min_by_key(|proof| proof.proven_ms).cloned();
        let changed_ms = sources.iter().filter_map(|source| source.changed_ms).max();
        let stale_ms = freshness.of_rows().stale_ms();
        let now_s = match cluster.source.subscription.held.at_ms {
            Some(_) => cluster_now_s(&cluster.source.subscription, changed_ms, now_ms, stale_ms),
            None => cluster_now_of(proof.as_ref(), changed_ms, now_ms, stale_ms),
        };
        ClusterState { name: name.clone(), freshness, rows, proof, now_s }
    };
    client.clusters_of(view).map(state).collect()
}

/// The last object that can't be shown in a view whose other rows are current.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut<'a> {
    /// Its cluster, in a view of several.
    pub cluster: Option<&'a ClusterName>,
    pub problem: &'a Problem,
}

#[must_use]
pub fn left_out<'a, O: RowObserver>(client: &'a Client<O>, view: &'a View<O>) -> Option<LeftOut<'a>> {
    let with_namespaces = |part: &'a Part| {
        iter::once(part).chain(client.parts_of(&part.source)).map(|it| (part.cluster.as_ref(), &it.source))
    };
    let whole = iter::once((None, view.source())).filter(|_| client.parts(view).next().is_none());
    whole.chain(client.parts(view).flat_map(with_namespaces)).find_map(|(cluster, source)| {
        let report = source.subscription.report.as_ref().filter(|report| report.state.is_current())?;
        Some(LeftOut { cluster, problem: report.problem.as_ref()? })
    })
}

/// The state of one object.
#[must_use]
pub fn of_object<O: RowObserver>(client: &Client<O>, object: &ObjectView, now_ms: UnixMillis) -> Freshness {
    let held = Held {
        subscription: &object.subscription,
        is_whole: object.existence != Existence::Unknown,
        is_of_gateway: object.subscription.origin.is_of_gateway() && object.chain.position().is_some(),
        count: 0,
        progress: None,
    };
    of_held(client, &held, now_ms)
}

/// What a subscription has brought, as far as its freshness depends on it.
struct Held<'a> {
    subscription: &'a Subscription,
    /// Something complete came once.
    is_whole: bool,
    /// It is what the gateway holds, so the gateway knows of when it is. Otherwise it came by an earlier connection.
    is_of_gateway: bool,
    count: usize,
    progress: Option<(u64, Option<u64>)>,
}

impl<'a> Held<'a> {
    fn of(source: &'a Source) -> Self {
        Self {
            subscription: &source.subscription,
            is_whole: source.table.is_whole(),
            is_of_gateway: source.subscription.origin.is_of_gateway()
                && source.table.position().is_some()
                && source.table.incoming_count().is_none(),
            count: source.table.len(),
            progress: source.progress(),
        }
    }
}

fn of_held<O: RowObserver>(client: &Client<O>, held: &Held<'_>, now_ms: UnixMillis) -> Freshness {
    let subscription = held.subscription;
    let asked_ms = subscription.asked_ms;
    let proven_ms = subscription.proof.as_ref().map_or(asked_ms, |proof| proof.proven_ms);
    if let Some(at_ms) = subscription.at_ms {
        return past::of_held(client, held, at_ms);
    }
    if let Link::OtherVersion { problem, .. } = client.connection().link() {
        return Freshness::OtherVersion { since_ms: proven_ms, problem: problem.clone() };
    }
    if let Phase::Ended { problem, at_ms } = &subscription.phase {
        return ended(problem, *at_ms);
    }
    if let Some(refused) = refused(client, subscription) {
        return refused;
    }
    // Rows of the past stand there until those of the present are whole.
    let is_of_now = held.is_whole && subscription.held.at_ms == subscription.at_ms;
    if is_of_now { with_rows(client, held, now_ms) } else { first_load(client, held, now_ms) }
}

/// The gateway says that there is nothing to show.
fn refused<O: RowObserver>(client: &Client<O>, subscription: &Subscription) -> Option<Freshness> {
    let problem = subscription.problem();
    Some(match subscription.state()? {
        ViewState::Forbidden { to } => Freshness::Forbidden { to: *to, problem },
        ViewState::Gone { since_ms } => Freshness::Gone { since_ms: client.local_ms(*since_ms), problem },
        ViewState::Failed { since_ms } => Freshness::Failed { since_ms: client.local_ms(*since_ms), problem },
        _ => return None,
    })
}

fn ended(problem: &Problem, since_ms: UnixMillis) -> Freshness {
    let (reason, problem) = (problem.reason, Some(problem.clone()));
    match reason {
        Reason::Forbidden | Reason::Hidden => Freshness::Forbidden { to: Whom::You, problem },
        Reason::NotFound | Reason::Gone => Freshness::Gone { since_ms, problem },
        _ => Freshness::Failed { since_ms, problem },
    }
}

fn first_load<O: RowObserver>(client: &Client<O>, held: &Held<'_>, now_ms: UnixMillis) -> Freshness {
    let asked_ms = held.subscription.asked_ms;
    let waited_ms = now_ms.saturating_sub(asked_ms);
    if !client.connection().is_open() && waited_ms >= SYNC_MISSING_MS {
        let since_ms = client.connection().lost_ms().unwrap_or(asked_ms);
        return Freshness::Stale { since_ms, cause: Cause::Gateway };
    }
    if let Some(ViewState::Stale { since_ms }) = held.subscription.state() {
        return Freshness::Stale { since_ms: client.local_ms(*since_ms), cause: upstream(client, held) };
    }
    syncing(held)
}

fn syncing(held: &Held<'_>) -> Freshness {
    let here = u64::try_from(held.count).unwrap_or(u64::MAX);
    let (n, of) = held.progress.unwrap_or((here, None));
    Freshness::Syncing { n, of, asked_ms: held.subscription.asked_ms }
}

fn with_rows<O: RowObserver>(client: &Client<O>, held: &Held<'_>, now_ms: UnixMillis) -> Freshness {
    let subscription = held.subscription;
    let Some(proof) = &subscription.proof else { return before_first_proof(client, held, now_ms) };
    let proven_ms = proof.proven_ms;
    let connected = client.connection().is_open();
    let silent = now_ms.saturating_sub(proof.synced_ms) >= SYNC_MISSING_MS;
    let unproven = now_ms.saturating_sub(proven_ms) >= PROOF_MISSING_MS;
    let state = subscription.state();
    if let Some(ViewState::Stale { since_ms }) = state
        && connected
    {
        let said_ms = client.local_ms(*since_ms).min(now_ms);
        let since_ms = if held.is_of_gateway { said_ms } else { said_ms.min(proven_ms) };
        return Freshness::Stale { since_ms, cause: upstream(client, held) };
    }
    let polled = match state {
        Some(ViewState::Polled { every_s }) => Some(*every_s),
        _ => None,
    };
    let is_refused = matches!(client.connection().link(), Link::Refused { .. });
    if silent || is_refused || (unproven && polled.is_none()) {
        let cause = match state {
            _ if is_refused => Cause::Login,
            _ if !connected => Cause::Gateway,
            Some(ViewState::Syncing { .. }) => Cause::Relisting,
            // The gateway reported trouble with the API server.
            Some(ViewState::Resuming { .. }) => upstream(client, held),
            _ if !silent => upstream(client, held),
            // It spoke of the view, and proves it next.
            _ if !is_unanswered(subscription, now_ms) => Cause::Relisting,
            _ => Cause::Silence,
        };
        return Freshness::Stale { since_ms: proven_ms, cause };
    }
    let current = proof.current && state.is_some_and(ViewState::is_current);
    if !connected || !current {
        let cause = match state {
            _ if !connected => Break::GatewayNow,
            Some(ViewState::Resuming { .. }) => Break::Upstream { problem: subscription.problem() },
            // The gateway was never away: it proved the view on this connection.
            _ if proof.current => Break::Upstream { problem: subscription.problem() },
            _ => Break::Gateway { gone_ms: client.connection().absence_ms() },
        };
        return Freshness::Resuming { from_ms: proven_ms, cause };
    }
    polled.map_or(Freshness::Live { proven_ms }, |every_s| Freshness::Polled { proven_ms, every_s })
}

/// All rows have come, and no `sync` yet. It is on its way, unless the gateway says that it can't ask the API server:
/// then the rows are as old as the gateway's last proof.
fn before_first_proof<O: RowObserver>(client: &Client<O>, held: &Held<'_>, now_ms: UnixMillis) -> Freshness {
    let asked_ms = held.subscription.asked_ms;
    let connected = client.connection().is_open();
    let is_refused = matches!(client.connection().link(), Link::Refused { .. });
    // What was held before: it is as old as its last proof, whatever the gateway says of what it holds itself.
    let before_ms = held.subscription.origin.before_ms();
    let latest_ms = if held.is_of_gateway { now_ms } else { before_ms.unwrap_or(asked_ms) };
    let said_ms = |since_ms: UnixMillis| client.local_ms(since_ms).min(latest_ms);
    let cause = match held.subscription.state() {
        _ if is_refused => Cause::Login,
        _ if !connected => Cause::Gateway,
        Some(ViewState::Stale { .. } | ViewState::Resuming { .. }) => upstream(client, held),
        _ if !is_unanswered(held.subscription, now_ms) => Cause::Relisting,
        _ => Cause::Silence,
    };
    match held.subscription.state() {
        Some(ViewState::Stale { since_ms }) => Freshness::Stale { since_ms: said_ms(*since_ms), cause },
        Some(ViewState::Resuming { since_ms }) => {
            let from_ms = said_ms(*since_ms);
            if is_refused || now_ms.saturating_sub(from_ms) >= PROOF_MISSING_MS {
                return Freshness::Stale { since_ms: from_ms, cause };
            }
            let problem = held.subscription.problem();
            if problem.is_none() && before_ms.is_none() {
                // Nothing broke: the gateway listed its objects at the position of another viewer, and proves them now.
                return syncing(held);
            }
            let cause = if connected { Break::Upstream { problem } } else { Break::GatewayNow };
            Freshness::Resuming { from_ms, cause }
        }
        // The gateway's first list isn't proven yet.
        Some(ViewState::Syncing { .. }) if connected && before_ms.is_none() => syncing(held),
        _ if !is_refused && before_ms.is_none() && now_ms.saturating_sub(asked_ms) < SYNC_MISSING_MS => {
            syncing(held)
        }
        _ => Freshness::Stale { since_ms: before_ms.unwrap_or(asked_ms), cause },
    }
}

/// Whether the gateway has said nothing of the view for too long.
fn is_unanswered(subscription: &Subscription, now_ms: UnixMillis) -> bool {
    let last_ms = subscription.asked_ms.max(subscription.reported_ms);
    now_ms.saturating_sub(last_ms) >= SYNC_MISSING_MS
}

fn upstream<O: RowObserver>(client: &Client<O>, held: &Held<'_>) -> Cause {
    let report = held.subscription.report.as_ref();
    Cause::Upstream {
        problem: held.subscription.problem(),
        tries: report.map_or(0, |report| report.tries),
        next_try_ms: report.and_then(|report| report.next_try_ms).map(|ms| client.local_ms(ms)),
    }
}

impl Partly {
    /// The namespaces in the worst state show no rows.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        !self.worst.shows_rows()
    }
}

impl Freshness {
    /// The state of the rows that are shown. A namespace without rows takes nothing from those of the others.
    #[must_use]
    pub fn of_rows(&self) -> &Self {
        match self {
            Self::Partly(partly) if partly.is_refused() => &partly.rest,
            whole => whole.worst(),
        }
    }

    /// The most severe state of all namespaces.
    #[must_use]
    pub fn worst(&self) -> &Self {
        match self {
            Self::Partly(partly) => &partly.worst,
            whole => whole,
        }
    }

    #[must_use]
    pub fn is_stale(&self) -> bool {
        match self {
            Self::Partly(partly) => partly.is_stale,
            whole => matches!(whole, Self::Stale { .. } | Self::OtherVersion { .. }),
        }
    }

    /// When the rows were last the present, where they aren't any more.
    #[must_use]
    pub fn stale_ms(&self) -> Option<UnixMillis> {
        match self {
            Self::Stale { since_ms, .. } | Self::OtherVersion { since_ms, .. } => Some(*since_ms),
            Self::Partly(partly) if partly.is_stale => {
                let clusters = partly.clusters.iter().map(|(_, state)| state);
                clusters.chain([&partly.worst, &partly.rest]).filter_map(Self::stale_ms).min()
            }
            _ => None,
        }
    }

    /// Whether rows may be read as the present.
    #[must_use]
    pub fn is_current(&self) -> bool {
        matches!(self.of_rows(), Self::Live { .. } | Self::Polled { .. })
    }

    /// Whether the table shows rows at all.
    #[must_use]
    pub fn shows_rows(&self) -> bool {
        match self {
            Self::Past(as_of) => as_of.shows_rows(),
            state => !matches!(state, Self::Forbidden { .. } | Self::Gone { .. } | Self::Failed { .. }),
        }
    }

    /// Whether rows are what the cluster has, or had at the time of the view.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_current() || self.past().is_some_and(|as_of| matches!(as_of.record, Record::Of { .. }))
    }

    /// The time of a view that is as of one.
    #[must_use]
    pub fn past(&self) -> Option<&AsOf> {
        match self.of_rows() {
            Self::Past(as_of) => Some(as_of),
            _ => None,
        }
    }

    /// The gateway's sentence, if it shows this to no viewer, so that neither waiting nor asking for rights helps.
    #[must_use]
    pub fn hidden(&self) -> Option<&Problem> {
        match self {
            Self::Forbidden { problem: Some(problem), .. } if problem.reason == Reason::Hidden => {
                Some(problem)
            }
            _ => None,
        }
    }
}

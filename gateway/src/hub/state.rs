//! All of one feed's state together: the outputs of the feed go in, and each subscriber pulls what it
//! has not seen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use shared::frame::server::{Gap, ViewId};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::{StateReport, UnixMillis, ViewState};

use super::bodies::Bodies;
use super::bounds::Bounds;
use super::columns::Columns;
use super::custom::CustomSets;
use super::epoch::Epoch;
use super::host::Host;
use super::log_budget::LogGrowth;
use super::permit::SubscriberKey;
use super::request::{Open, SubscriptionRequest};
use super::row_history::RowHistory;
use super::schedule::Schedule;
use super::store::{Store, Stored};
use super::subscriber::{Cursor, PendingNotices, StatusNotice, Subscriber, SubscriberState};
use super::view::{Previous, Tick, View, ViewKind};
use crate::feed::Proof;

mod change;
mod custom;
mod delivery;
mod list;
mod resume;
mod settle;
mod timeline;

pub struct Hub<H: Host = ()> {
    bounds: Bounds,
    /// The uid of `kube-system`, or a hash of server and CA.
    cluster: Box<str>,
    epoch: Epoch,
    columns: Columns,
    store: Store,
    history: RowHistory,
    bodies: Bodies,
    custom: CustomSets,
    /// Objects whose cells of other columns are to be read, for they came before the columns were asked
    /// for.
    unread: Vec<RowId>,
    listing: Listing,
    /// A new epoch begins at the end of the next list.
    restart: Option<Restart>,
    /// The first list is complete.
    is_loaded: bool,
    /// The first list was complete at the last tick.
    was_loaded: bool,
    sequence: u64,
    /// The first change of an epoch has a number above this one. It is random, so that no position tells how many
    /// objects there are outside of a viewer's scope.
    sequence_base: u64,
    /// Every change up to here is in a frame.
    head: u64,
    resource_version: ResourceVersion,
    /// The resourceVersion at the head.
    head_version: ResourceVersion,
    /// The objects that changed since the last tick, as they were then.
    touched: BTreeMap<RowId, Option<Previous>>,
    gaps: VecDeque<(u64, Gap)>,
    left_out: VecDeque<(Box<str>, Problem)>,
    /// Objects were left out before the list that runs, so an object that is new in it may be old.
    left_out_before: bool,
    report: StateReport,
    proof: Option<Proof>,
    /// The gateway's clock, as it was set last.
    now_ms: UnixMillis,
    /// How far reconnects are to be spread.
    spread_ms: u32,
    /// A log has entries that no subscriber was told of.
    is_logged: bool,
    log_growth: LogGrowth,
    // Ordered, so that the same history gives the same frames.
    views: BTreeMap<ViewId, View>,
    subscribers: BTreeMap<SubscriberKey, Subscriber<H::Session>>,
    schedule: Schedule,
    counts: HubCounts,
}

/// What happened since it was asked for last, for the gateway's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HubCounts {
    /// Changes went unseen, and a list showed what is there now.
    pub gaps: u64,
    /// Viewers with a token that got what had changed.
    pub continued: u64,
    /// Viewers with a token that got all rows.
    pub began_anew: u64,
}

/// Where listed objects go.
enum Listing {
    None,
    /// The first list, shown as it comes.
    Shown,
    /// A later list, put aside and compared at its end. `None`: the object is as the hub has it.
    Aside(BTreeMap<RowId, Option<Stored>>),
}

struct Restart {
    columns: Option<Columns>,
}

impl<H: Host> Hub<H> {
    /// `cluster` is the cluster's id in every answer and token, where links have its name; `seed` is the randomness of the epoch.
    #[must_use]
    pub fn new(cluster: &str, seed: u64) -> Self {
        Self::with_bounds(cluster, seed, Bounds::default())
    }

    #[must_use]
    pub fn with_bounds(cluster: &str, seed: u64, bounds: Bounds) -> Self {
        Self {
            bounds,
            cluster: cluster.into(),
            epoch: Epoch::first(seed),
            columns: Columns::unknown(),
            store: Store::with_budget(bounds.tombstones),
            history: RowHistory::new(bounds.remembered_changes),
            bodies: Bodies::new(),
            custom: CustomSets::default(),
            unread: Vec::new(),
            listing: Listing::None,
            restart: None,
            is_loaded: false,
            was_loaded: false,
            sequence: 0,
            sequence_base: 0,
            head: 0,
            resource_version: ResourceVersion::default(),
            head_version: ResourceVersion::default(),
            touched: BTreeMap::new(),
            gaps: VecDeque::new(),
            left_out: VecDeque::new(),
            left_out_before: false,
            report: StateReport::of(ViewState::Syncing { n: 0, of: None }),
            proof: None,
            now_ms: 0,
            spread_ms: 0,
            is_logged: false,
            log_growth: LogGrowth::default(),
            views: BTreeMap::new(),
            subscribers: BTreeMap::new(),
            schedule: Schedule::default(),
            counts: HubCounts::default(),
        }
    }

    /// Before the first change.
    #[must_use]
    pub fn counting_from(mut self, base: u32) -> Self {
        self.sequence_base = base.into();
        self
    }

    fn next_sequence(&mut self) {
        self.sequence = self.sequence.max(self.sequence_base) + 1;
    }

    pub fn take_counts(&mut self) -> HubCounts {
        std::mem::take(&mut self.counts)
    }

    #[must_use]
    pub fn is_stale(&self) -> bool {
        matches!(self.report.state, ViewState::Stale { .. })
    }

    /// Whether it has all objects, and a young proof of that.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.is_loaded && self.report.state.is_current()
    }

    #[must_use]
    pub fn object_count(&self) -> usize {
        self.store.len()
    }

    #[must_use]
    pub fn tombstone_count(&self) -> usize {
        self.store.tombstone_count()
    }

    #[must_use]
    pub fn subscriber_count(&self) -> usize {
        self.subscribers.len()
    }

    /// How a subscriber's session is reached.
    #[must_use]
    pub fn session(&self, key: SubscriberKey) -> Option<&H::Session> {
        Some(&self.subscribers.get(&key)?.session)
    }

    /// Whether the upstream may not list what this hub is to hold.
    fn is_forbidden(&self) -> bool {
        matches!(self.report.state, ViewState::Forbidden { .. })
    }

    /// Whether a tick would have something to seal.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.sequence > self.head || self.is_logged
    }

    /// What time it is by the gateway's clock, and how far reconnects are to be spread.
    pub fn set_clock(&mut self, now_ms: UnixMillis, spread_ms: u32) {
        (self.now_ms, self.spread_ms) = (now_ms, spread_ms);
    }

    /// Seals what changed since the last tick into one frame for each view.
    pub fn tick(&mut self) {
        self.is_logged = false;
        if self.sequence == self.head {
            return;
        }
        let touched = std::mem::take(&mut self.touched);
        let tick = Tick {
            from: self.head,
            to: self.sequence,
            resource_version: &self.resource_version,
            touched: &touched,
            more: !self.is_loaded,
            is_cut: !std::mem::replace(&mut self.was_loaded, self.is_loaded) && self.is_loaded,
            gap: self.gap_between(self.head, self.sequence),
        };
        let quiet: BTreeSet<ViewId> = self
            .views
            .iter_mut()
            .filter_map(|(key, view)| {
                (!view.tick(&self.store, &tick, self.bounds.frame_bytes)).then_some(*key)
            })
            .collect();
        // A subscriber that sees nothing of this tick stands at its end without a frame.
        for subscriber in self.subscribers.values_mut() {
            if let SubscriberState::Following(cursor) = &mut subscriber.state
                && cursor.is_whole()
                && cursor.at == self.head
                && quiet.contains(&subscriber.view)
            {
                cursor.at = self.sequence;
            }
        }
        self.head = self.sequence;
        self.find_waiting();
    }

    /// What the viewers of a view are told: the feed's state, and the objects that the live view doesn't show. Never the
    /// name of an object that isn't theirs to see, nor how many there are.
    fn shown_report(&self, view: ViewId, request: &SubscriptionRequest) -> StateReport {
        let mut report = self.report.clone();
        if let ViewState::Syncing { n, of } = &mut report.state
            && !request.is_of_all()
        {
            (*n, *of) = (self.views.get(&view).map_or(0, View::row_count), None);
        }
        let is_theirs = |object: &str| match object.split_once('/') {
            Some((namespace, name)) => request.scope.may_hold((Some(namespace), name)),
            // Of no namespace, or nothing is known of it but that it is there.
            None => true,
        };
        let mut left_out = self.left_out.iter().rev().filter(|(object, _)| is_theirs(object));
        if report.problem.is_none()
            && let Some((object, problem)) = left_out.next()
        {
            let more = left_out.count();
            let others = if more == 0 { String::new() } else { format!(" and {more} more") };
            let message = format!("{object}{others} can't be shown: {}", problem.message);
            report.problem = Some(Problem::new(problem.reason, message));
        }
        report
    }

    fn gap_between(&self, from: u64, to: u64) -> Option<Gap> {
        let mut within =
            self.gaps.iter().filter(|(at, _)| (from + 1..=to).contains(at)).map(|(_, gap)| gap.clone());
        let first = within.next()?;
        Some(within.fold(first, |all, gap| Gap { from_ms: all.from_ms.min(gap.from_ms), ..gap }))
    }

    /// Opens a subscription; it has something to pull at once.
    pub fn subscribe(&mut self, open: Open<H::Session>) {
        let Open { key, request, fresh_view, is_second, session, permit } = open;
        // A subscriber may not stand between two ticks.
        self.tick();
        let (view, refused) = match self.view_of(&request, fresh_view, is_second) {
            Ok(view) => (view, None),
            Err(problem) => (fresh_view, Some(problem)),
        };
        let state = match refused {
            Some(problem) => SubscriberState::Refused(problem),
            None if request.is_get => SubscriberState::Get,
            None => self.first_state(view, &request),
        };
        let forbidden = self.is_forbidden();
        let pending = PendingNotices { status: StatusNotice::Subscribed, sync: true, forbidden };
        let mut subscriber =
            Subscriber { request, view, session, permit, is_notified: false, pending, state };
        self.find(&mut subscriber, &mut BTreeMap::new());
        let is_timeline = matches!(subscriber.state, SubscriberState::Timeline(_));
        self.subscribers.insert(key, subscriber);
        if is_timeline {
            self.bound_logs();
        }
        self.notify();
    }

    fn first_state(&mut self, view: ViewId, request: &SubscriptionRequest) -> SubscriberState {
        let token = request.token.as_ref();
        if let Some(ViewKind::Timeline(log)) = self.views.get(&view).map(|view| &view.kind) {
            return SubscriberState::Timeline(self.reader_of(log, request));
        }
        if let Some(position) = token.and_then(|token| self.position_of(token, view)) {
            self.counts.continued += 1;
            return SubscriberState::Following(Cursor::continued(position));
        }
        if let Some(held) = self.held_by(request) {
            return SubscriberState::Waiting(held);
        }
        self.counts.began_anew += u64::from(token.is_some());
        SubscriberState::Following(Cursor::from_nothing(self.head, token.is_some()))
    }

    /// The next delivery of every subscriber ends with a `sync`.
    pub fn mark_sync_due(&mut self) {
        if self.is_loaded && !self.is_dirty() {
            // A quiet view moves to the head, so that its subscribers' tokens stay young.
            for view in self.views.values_mut() {
                view.frame_end = self.head;
            }
        }
        self.drop_idle_logs();
        self.drop_idle_columns();
        self.notify_all(|pending| pending.sync = true);
    }

    pub fn unsubscribe(&mut self, key: SubscriberKey) {
        let Some(subscriber) = self.subscribers.remove(&key) else { return };
        if let Some(view) = self.views.get_mut(&subscriber.view) {
            view.subscribers -= 1;
            if view.subscribers == 0 {
                if matches!(view.kind, ViewKind::Timeline(_)) {
                    view.idle_since_ms = Some(self.now_ms);
                } else {
                    if let Some(set) = view.set {
                        self.custom.leave(set, self.now_ms);
                    }
                    self.views.remove(&subscriber.view);
                }
            }
        }
    }

    fn view_of(
        &mut self,
        request: &Arc<SubscriptionRequest>,
        fresh: ViewId,
        is_second: bool,
    ) -> Result<ViewId, Problem> {
        let known = self.views.values().find(|view| !is_second && view.request.is_of_same_view(request));
        let key = match known.map(|view| view.id) {
            Some(known) => known,
            None => self.new_view(Arc::clone(request), fresh)?,
        };
        if let Some(view) = self.views.get_mut(&key) {
            view.subscribers += 1;
            view.idle_since_ms = None;
        }
        Ok(key)
    }

    fn new_view(&mut self, request: Arc<SubscriptionRequest>, fresh: ViewId) -> Result<ViewId, Problem> {
        let set = self.set_of(&request)?;
        let new_log = || self.new_log(&request, format!("{}.{fresh}", self.epoch.name_in(&request)).into());
        let view = View::new(fresh, Arc::clone(&request), set, &self.store, self.head, new_log);
        self.views.insert(fresh, view);
        self.look_for_unread();
        Ok(fresh)
    }

    fn notify_all(&mut self, add: impl Fn(&mut PendingNotices)) {
        for subscriber in self.subscribers.values_mut() {
            add(&mut subscriber.pending);
        }
    }
}

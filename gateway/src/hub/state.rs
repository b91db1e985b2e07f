//! All of one feed's state together: what the feed says goes in, and each subscriber pulls what it
//! has not seen. See the module's own words for the idea.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use shared::custom_column::CustomColumns;
use shared::frame::FRAME_BYTES_MAX;
use shared::frame::client::{Projection, SubscriptionId};
use shared::frame::server::{Gap, ViewId};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::scope::Scope;
use shared::state::{StateReport, UnixMillis, ViewState};
use shared::token::Token;

use super::bodies::Bodies;
use super::columns::Columns;
use super::custom::CustomSets;
use super::incarnation::Incarnation;
use super::log::{Log, LogBounds};
use super::past::Past;
use super::store::{Store, Stored};
use super::subscriber::{Subscriber, SubscriberId};
use super::view::{Filter, Former, Shows, Tick, View, ViewKey};
use crate::feed::Proof;
use crate::limits::{
    RESUME_CHANGES_MAX, TIMELINE_BYTES_MAX, TIMELINE_ENTRIES_MAX, TIMELINE_LINGER_MS, TOMBSTONES_MAX,
};

mod change;
mod custom;
mod delivery;
mod list;
mod resume;
mod timeline;

pub(super) use resume::Held;

/// What a hub says of itself in every answer to `subscribe`.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The uid of `kube-system`, or a hash of server and CA.
    pub cluster: Box<str>,
}

/// What bounds a hub; tests shrink it.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Deletes that can be slept through.
    pub tombstones: usize,
    /// Changes behind which another hub's viewer may stand.
    pub remembered_changes: usize,
    /// Frames are cut near this.
    pub frame_bytes: usize,
    /// Of each timeline.
    pub log: LogBounds,
}

impl Default for Bounds {
    fn default() -> Self {
        let log = LogBounds { entries: TIMELINE_ENTRIES_MAX, bytes: TIMELINE_BYTES_MAX };
        Self {
            tombstones: TOMBSTONES_MAX,
            remembered_changes: RESUME_CHANGES_MAX,
            frame_bytes: FRAME_BYTES_MAX,
            log,
        }
    }
}

/// A subscription as the session hands it over.
#[derive(Clone, Debug)]
pub struct Opening {
    pub subscription: SubscriptionId,
    pub scope: Scope,
    pub projection: Projection,
    pub row: Option<RowId>,
    /// Beyond the server's.
    pub columns: CustomColumns,
    /// It is a `get`: one object, once.
    pub is_get: bool,
    /// Its namespaces are those that it gets, not those that it asked for: it is told so, and what it had
    /// is replaced.
    pub is_granted: bool,
    pub token: Option<Token>,
    /// Taken if the view is new; unique in the gateway, for a session has views of many hubs.
    pub fresh_view: ViewId,
    /// The connection has this view already: another number keeps the two apart.
    pub is_second: bool,
}

pub struct Hub {
    bounds: Bounds,
    identity: Identity,
    incarnation: Incarnation,
    columns: Columns,
    store: Store,
    past: Past,
    bodies: Bodies,
    custom: CustomSets,
    /// Objects that came before somebody asked for other columns, whose cells are to be read.
    unread: Vec<RowId>,
    listing: Listing,
    /// A new epoch begins at the end of the next list.
    restart: Option<Restart>,
    /// The first list is complete.
    synced: bool,
    /// It was at the last tick.
    was_synced: bool,
    sequence: u64,
    /// Everything up to here is in a frame.
    head: u64,
    resource_version: ResourceVersion,
    /// What it was at the head: what has happened since is in no frame.
    head_version: ResourceVersion,
    /// Rows changed since the last tick, as they were then.
    touched: BTreeMap<RowId, Option<Former>>,
    gaps: VecDeque<(u64, Gap)>,
    left_out: VecDeque<(Box<str>, Problem)>,
    /// Before the list that runs: something that is new in it may be old.
    left_out_before: bool,
    report: StateReport,
    proof: Option<Proof>,
    /// The gateway's clock, as it was said last.
    now_ms: UnixMillis,
    /// A log has entries that nobody was told of.
    is_logged: bool,
    // In order, so that the same history gives the same frames.
    views: BTreeMap<ViewKey, View>,
    subscribers: BTreeMap<SubscriberId, (Subscriber, Scope)>,
    /// Timelines that nobody reads, and since when.
    idle_logs: BTreeMap<ViewKey, UnixMillis>,
    next_subscriber: SubscriberId,
}

/// Where listed objects go.
enum Listing {
    None,
    /// The first: they are shown as they come.
    Shown,
    /// A later one: put aside, compared at the end. `None`: as the hub has it.
    Aside(BTreeMap<RowId, Option<Stored>>),
}

struct Restart {
    columns: Option<Columns>,
}

impl Hub {
    /// `seed` is the randomness of the epoch.
    #[must_use]
    pub fn new(identity: Identity, seed: u64) -> Self {
        Self::with_bounds(identity, seed, Bounds::default())
    }

    #[must_use]
    pub fn with_bounds(identity: Identity, seed: u64, bounds: Bounds) -> Self {
        Self {
            bounds,
            identity,
            incarnation: Incarnation::first(seed),
            columns: Columns::unknown(),
            store: Store::with_budget(bounds.tombstones),
            past: Past::new(bounds.remembered_changes),
            bodies: Bodies::new(),
            custom: CustomSets::default(),
            unread: Vec::new(),
            listing: Listing::None,
            restart: None,
            synced: false,
            was_synced: false,
            sequence: 0,
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
            is_logged: false,
            views: BTreeMap::new(),
            subscribers: BTreeMap::new(),
            idle_logs: BTreeMap::new(),
            next_subscriber: 1,
        }
    }

    #[must_use]
    pub fn object_count(&self) -> usize {
        self.store.len()
    }

    /// Deletes that can be told to who slept.
    #[must_use]
    pub fn tombstone_count(&self) -> usize {
        self.store.tombstone_count()
    }

    #[must_use]
    pub fn subscriber_count(&self) -> usize {
        self.subscribers.len()
    }

    /// Whether the first list is complete.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.synced
    }

    /// Whether the upstream may not list what this is to hold.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        matches!(self.report.state, ViewState::Forbidden { .. })
    }

    /// Whether a tick would have something to seal.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.sequence > self.head || self.is_logged
    }

    /// What time it is: entries of a timeline carry it.
    pub fn set_clock(&mut self, now_ms: UnixMillis) {
        self.now_ms = now_ms;
    }

    /// The whole object of a row.
    #[must_use]
    pub fn object(&self, id: RowId) -> Option<Vec<u8>> {
        self.store.get(id)?.body.unpack()
    }

    /// Seals what changed since the last tick into one frame a view.
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
            more: !self.synced,
            is_cut: !std::mem::replace(&mut self.was_synced, self.synced) && self.synced,
            gap: self.gap_between(self.head, self.sequence),
        };
        let quiet: BTreeSet<ViewKey> = self
            .views
            .iter_mut()
            .filter_map(|(key, view)| {
                (!view.tick(&self.store, &tick, self.bounds.frame_bytes)).then_some(*key)
            })
            .collect();
        // Who sees nothing of this tick stands at its end without a frame.
        for (subscriber, _) in self.subscribers.values_mut() {
            if subscriber.is_whole && subscriber.cursor == self.head && quiet.contains(&subscriber.view) {
                subscriber.cursor = self.sequence;
            }
        }
        self.head = self.sequence;
        self.find_waiting();
    }

    /// What viewers are told: the feed's state, and what a live view doesn't show.
    fn told(&self) -> StateReport {
        let mut report = self.report.clone();
        if report.problem.is_none()
            && let Some((object, problem)) = self.left_out.back()
        {
            let more = self.left_out.len() - 1;
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
    pub fn subscribe(&mut self, opening: Opening) -> SubscriberId {
        let filter = Filter {
            row: opening.row,
            projection: opening.projection,
            columns: opening.columns.clone(),
            ..Filter::of(&opening.scope)
        };
        let (view, refused) = match self.view_of(filter, opening.fresh_view, opening.is_second) {
            Ok(view) => (view, None),
            Err(problem) => (opening.fresh_view, Some(problem)),
        };
        // A subscriber may not stand between two ticks.
        self.tick();
        let mut subscriber = Subscriber {
            subscription: opening.subscription,
            view,
            cursor: 0,
            told: 0,
            read: 0,
            resumed_at: None,
            is_get: opening.is_get,
            refused,
            start: self.head,
            held: None,
            reset: opening.token.is_some() || opening.is_granted,
            is_whole: false,
            at_cut: false,
            owed: super::subscriber::Owed {
                subscribed: true,
                scope: opening.is_granted,
                state: false,
                sync: true,
                digest: false,
            },
            digest_due_ms: 0,
        };
        match opening.token.as_ref().and_then(|token| self.position_of(token, view)) {
            Some(position) => subscriber.go_on(position),
            None => subscriber.held = self.held_by(&opening),
        }
        self.find(&mut subscriber, &mut BTreeMap::new());
        self.begin_reading(&mut subscriber, opening.token.as_ref());
        let id = self.next_subscriber;
        self.next_subscriber += 1;
        self.subscribers.insert(id, (subscriber, opening.scope));
        id
    }

    /// It is time to say that nothing else has happened.
    pub fn owe_sync(&mut self) {
        if self.synced && !self.is_dirty() {
            for view in self.views.values_mut() {
                view.move_to(self.head);
            }
        }
        self.drop_idle_logs();
        self.drop_idle_columns();
        self.owe(|owed| owed.sync = true);
    }

    pub fn unsubscribe(&mut self, id: SubscriberId) {
        let Some((subscriber, _)) = self.subscribers.remove(&id) else { return };
        if let Some(view) = self.views.get_mut(&subscriber.view) {
            view.subscribers -= 1;
            if view.subscribers == 0 {
                if matches!(view.shows, Shows::Timeline(_)) {
                    self.idle_logs.insert(subscriber.view, self.now_ms);
                } else {
                    let set = view.set;
                    self.views.remove(&subscriber.view);
                    self.leave_set(set);
                }
            }
        }
    }

    fn view_of(&mut self, filter: Filter, fresh: ViewId, is_second: bool) -> Result<ViewKey, Problem> {
        self.tick();
        let known = self.views.values().find(|view| view.filter == filter && !is_second).map(|view| view.id);
        let key = match known {
            Some(known) => known,
            None => self.new_view(filter, fresh)?,
        };
        self.idle_logs.remove(&key);
        if let Some(view) = self.views.get_mut(&key) {
            view.subscribers += 1;
        }
        Ok(key)
    }

    fn new_view(&mut self, filter: Filter, fresh: ViewId) -> Result<ViewKey, Problem> {
        let set = self.set_of(&filter.columns)?;
        let new_log = || Log::new(format!("{}.{fresh}", self.incarnation.epoch()).into(), self.bounds.log);
        let view = View::new(fresh, filter, set, &self.store, self.head, new_log);
        self.views.insert(fresh, view);
        self.look_for_unread();
        Ok(fresh)
    }

    fn owe(&mut self, add: impl Fn(&mut super::subscriber::Owed)) {
        for (subscriber, _) in self.subscribers.values_mut() {
            add(&mut subscriber.owed);
        }
    }
}

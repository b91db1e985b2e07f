//! All of one feed's state together: what the feed says goes in, and each subscriber pulls what it
//! has not seen. See the module's own words for the idea.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use shared::digest;
use shared::frame::client::SubscriptionId;
use shared::frame::server::{Gap, ViewId};
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::scope::Scope;
use shared::state::{StateReport, ViewState};
use shared::token::Token;

use super::bodies::Bodies;
use super::columns::Columns;
use super::incarnation::Incarnation;
use super::labels::Labels;
use super::store::{Store, Stored};
use super::subscriber::{Subscriber, SubscriberId};
use super::view::{Filter, Tick, View, ViewKey};
use crate::feed::{Change, FeedOutput, Object, Proof};

mod delivery;
mod list;

/// What a hub says of itself in every answer to `subscribe`.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The uid of `kube-system`, or a hash of server and CA.
    pub cluster: Box<str>,
}

/// A subscription as the session hands it over.
#[derive(Clone, Debug)]
pub struct Opening {
    pub subscription: SubscriptionId,
    pub scope: Scope,
    pub token: Option<Token>,
    /// Taken if the view is new; unique in the gateway, for a session has views of many hubs.
    pub fresh_view: ViewId,
}

pub struct Hub {
    identity: Identity,
    incarnation: Incarnation,
    columns: Columns,
    store: Store,
    bodies: Bodies,
    listing: Listing,
    /// A new epoch begins at the end of the next list.
    restart: Option<Restart>,
    /// The first list is complete.
    synced: bool,
    sequence: u64,
    /// Everything up to here is in a frame.
    head: u64,
    resource_version: ResourceVersion,
    /// Rows changed since the last tick, as they were then.
    touched: HashMap<RowId, Option<Arc<Row>>>,
    gaps: VecDeque<(u64, Gap)>,
    left_out: VecDeque<(Box<str>, Problem)>,
    report: StateReport,
    proof: Option<Proof>,
    views: HashMap<ViewKey, View>,
    subscribers: HashMap<SubscriberId, (Subscriber, Scope)>,
    next_subscriber: SubscriberId,
}

/// Where listed objects go.
enum Listing {
    None,
    /// The first: they are shown as they come.
    Shown,
    /// A later one: put aside, compared at the end.
    Aside(HashMap<RowId, Stored>),
}

struct Restart {
    columns: Option<Columns>,
}

/// What a person could still read in a notice line; older ones have been seen or missed by then.
const GAPS_MAX: usize = 16;
/// Enough to name; the count goes on.
const LEFT_OUT_MAX: usize = 64;

impl Hub {
    /// `seed` is the randomness of the epoch.
    #[must_use]
    pub fn new(identity: Identity, seed: u64) -> Self {
        Self {
            identity,
            incarnation: Incarnation::first(seed),
            columns: Columns::unknown(),
            store: Store::default(),
            bodies: Bodies::new(),
            listing: Listing::None,
            restart: None,
            synced: false,
            sequence: 0,
            head: 0,
            resource_version: ResourceVersion::default(),
            touched: HashMap::new(),
            gaps: VecDeque::new(),
            left_out: VecDeque::new(),
            report: StateReport::of(ViewState::Syncing { n: 0, of: None }),
            proof: None,
            views: HashMap::new(),
            subscribers: HashMap::new(),
            next_subscriber: 1,
        }
    }

    #[must_use]
    pub fn object_count(&self) -> usize {
        self.store.len()
    }

    #[must_use]
    pub fn subscriber_count(&self) -> usize {
        self.subscribers.len()
    }

    /// Whether a tick would have something to seal.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.sequence > self.head
    }

    /// The whole object of a row.
    #[must_use]
    pub fn object(&self, id: RowId) -> Option<Vec<u8>> {
        self.store.get(id)?.body.unpack()
    }

    /// One output of the feed, in its order.
    pub fn apply(&mut self, output: FeedOutput) {
        match output {
            FeedOutput::Change(change) => self.change(change),
            FeedOutput::State(report) => {
                self.report = report;
                self.owe(|owed| owed.state = true);
            }
            FeedOutput::Proof(proof) => {
                self.proof = Some(proof);
                self.owe(|owed| owed.sync = true);
            }
        }
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Columns(list) => self.set_columns(Columns::new(list)),
            Change::Rewound => {
                self.restart.get_or_insert(Restart { columns: None });
            }
            Change::ListStart => self.list_start(),
            Change::Listed(object) => self.listed(object),
            Change::ListEnd { resource_version, gap } => self.list_end(resource_version, gap),
            Change::ListAborted => self.listing = Listing::None,
            Change::Put(object) => {
                let version = object.row.resource_version.clone();
                self.listed(object);
                self.advance(version);
            }
            Change::Delete { id, resource_version } => {
                match &mut self.listing {
                    Listing::Aside(aside) => drop(aside.remove(&id)),
                    Listing::None | Listing::Shown => self.remove(id),
                }
                self.advance(resource_version);
            }
            Change::Bookmark(resource_version) => self.advance(resource_version),
            Change::LeftOut { object, problem } => self.leave_out(object, problem),
        }
    }

    /// Seals what changed since the last tick into one frame a view.
    pub fn tick(&mut self) {
        if !self.is_dirty() {
            return;
        }
        let touched = std::mem::take(&mut self.touched);
        let tick = Tick {
            from: self.head,
            to: self.sequence,
            resource_version: &self.resource_version,
            touched: &touched,
            more: !self.synced,
            gap: self.gap_between(self.head, self.sequence),
        };
        for view in self.views.values_mut() {
            view.tick(&self.store, &tick);
        }
        self.head = self.sequence;
    }

    fn set_columns(&mut self, columns: Columns) {
        if columns.hash == self.columns.hash {
            // The restart that was announced for other columns isn't needed any more.
            if self.restart.as_ref().is_some_and(|restart| restart.columns.is_some()) {
                self.restart = None;
            }
        } else if self.columns.hash.is_empty() {
            self.columns = columns;
            self.owe(|owed| owed.subscribed = true);
        } else {
            self.restart = Some(Restart { columns: Some(columns) });
        }
    }

    fn advance(&mut self, version: ResourceVersion) {
        if !version.is_empty() && !version.is_older_than(&self.resource_version) {
            self.resource_version = version;
        }
    }

    fn stored(&mut self, object: Object) -> Stored {
        Stored {
            hash: digest::row_hash(&object.row),
            labels: Labels::pack(&object.labels),
            body: self.bodies.pack(&object.body),
            row: Arc::new(object.row),
        }
    }

    /// An object that is as it was changes nothing.
    fn put(&mut self, id: RowId, stored: Stored) {
        let same = |known: &Stored| known.row == stored.row && known.labels == stored.labels;
        if self.store.get(id).is_some_and(same) {
            return;
        }
        self.sequence += 1;
        let before = self.store.put(id, stored, self.sequence);
        self.touch(id, before);
    }

    fn remove(&mut self, id: RowId) {
        if self.store.get(id).is_none() {
            return;
        }
        self.sequence += 1;
        let before = self.store.delete(id, self.sequence);
        self.touch(id, before);
    }

    fn touch(&mut self, id: RowId, before: Option<Stored>) {
        self.touched.entry(id).or_insert_with(|| before.map(|stored| stored.row));
    }

    fn leave_out(&mut self, object: Box<str>, problem: Problem) {
        self.left_out.retain(|(known, _)| *known != object);
        if self.left_out.len() >= LEFT_OUT_MAX {
            self.left_out.pop_front();
        }
        self.left_out.push_back((object, problem));
        self.owe(|owed| owed.state = true);
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
            report.problem = Some(Problem::new(Reason::TooLarge, message));
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
        let filter = Filter::of(&opening.scope);
        let view = self.view_of(filter, opening.fresh_view);
        // A subscriber may not stand between two ticks.
        self.tick();
        let resumed = opening.token.as_ref().and_then(|token| self.position_of(token));
        let subscriber = Subscriber {
            subscription: opening.subscription,
            view,
            cursor: resumed.unwrap_or_default(),
            start: if resumed.is_some() { 0 } else { self.head },
            reset: resumed.is_none() && opening.token.is_some(),
            at_cut: resumed.is_some(),
            owed: super::subscriber::Owed {
                subscribed: true,
                state: false,
                sync: true,
                digest: resumed.is_some(),
            },
            digest_due_ms: 0,
        };
        let id = self.next_subscriber;
        self.next_subscriber += 1;
        self.subscribers.insert(id, (subscriber, opening.scope));
        id
    }

    pub fn unsubscribe(&mut self, id: SubscriberId) {
        let Some((subscriber, _)) = self.subscribers.remove(&id) else { return };
        if let Some(view) = self.views.get_mut(&subscriber.view) {
            view.subscribers -= 1;
            if view.subscribers == 0 {
                self.views.remove(&subscriber.view);
            }
        }
    }

    fn view_of(&mut self, filter: Filter, fresh: ViewId) -> ViewKey {
        self.tick();
        let known = self.views.values().find(|view| view.filter == filter).map(|view| view.id);
        let key = known.unwrap_or(fresh);
        let view = self.views.entry(key).or_insert_with(|| View::new(fresh, filter, &self.store));
        view.subscribers += 1;
        key
    }

    /// Where a token stands; `None` when it can't be continued.
    fn position_of(&self, token: &Token) -> Option<u64> {
        let known = token.cluster == self.identity.cluster
            && token.columns == self.columns.hash
            && *token.epoch == *self.incarnation.epoch();
        let sequence = token.sequence().filter(|sequence| *sequence <= self.head)?;
        (known && self.store.horizon() <= sequence).then_some(sequence)
    }

    fn owe(&mut self, add: impl Fn(&mut super::subscriber::Owed)) {
        for (subscriber, _) in self.subscribers.values_mut() {
            add(&mut subscriber.owed);
        }
    }
}

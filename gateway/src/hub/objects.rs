//! The objects of a hub, as its feed tells them: what is there, in the order of the last changes, and what recent
//! changes replaced. The first list is shown as it comes; a later one is put aside and compared, so that a relist
//! resets no subscriber. Only other columns, or versions that went back, begin a new epoch. Views and subscribers are
//! not known here: each step says what it changed, and the hub tells them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use shared::digest;
use shared::duration::UnixSeconds;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;
use shared::token::Token;

use super::bodies::Bodies;
use super::columns::{ColumnSets, Columns, CustomHashes, SetId};
use super::host::{Bounds, Host};
use super::store::{Store, Stored};
use crate::feed::labels::Labels;
use crate::feed::{LeftOut, Managed, Object};
use crate::limits::LEFT_OUT_MAX;
use crate::subscription_request::SubscriptionRequest;

/// The objects of one feed, and what a token of theirs must agree with.
///
/// It owns the store and its history, the list that runs, and the names of what can't be shown. The hub calls it with
/// each change of the feed, in the order of the feed; everything else only reads it.
pub(super) struct Objects {
    epoch: Epoch,
    store: Store,
    history: RowHistory,
    bodies: Bodies,
    listing: Listing,
    /// A new epoch begins at the end of the next list.
    restart: Option<Restart>,
    /// The first list is complete.
    is_loaded: bool,
    resource_version: ResourceVersion,
    left_out: LeftOutObjects,
}

/// Where listed objects go.
enum Listing {
    None,
    /// The first list, shown as it comes.
    Shown,
    /// A later list, put aside and compared at its end.
    Aside(Aside),
}

/// The objects of a list. `None`: the object is as it is held.
type Aside = BTreeMap<RowId, Option<Stored>>;

struct Restart {
    columns: Option<Columns>,
}

/// One object changed, and the store has it by now.
pub(super) struct Touched {
    pub(super) id: RowId,
    /// As it was. `None`: it didn't exist.
    pub(super) before: Option<Stored>,
    /// The version of a deletion. An object that is there has its own.
    pub(super) deleted_at: Option<ResourceVersion>,
    pub(super) seen_by: SeenBy,
}

/// How a change was seen.
pub(super) enum SeenBy {
    Event(Told),
    /// A list showed it, at an unknown time after it happened.
    List,
}

/// What an event told and the store doesn't keep.
#[derive(Clone, Default)]
pub(super) struct Told {
    /// Which name the writers.
    pub(super) managed: Managed,
    /// The JSON as it was before it was compressed.
    pub(super) json: Option<Bytes>,
}

/// What became of an object that the feed told.
pub(super) enum Arrival {
    /// It is known already, or put aside with its list.
    Quiet,
    Touched(Touched),
    /// It can't be shown, and is named.
    LeftOut(Box<str>),
}

/// What a list says at its end.
pub(super) enum ListEnd {
    /// The first list: its objects were shown as they came.
    Shown,
    Differences(Differences),
    NewEpoch(NewEpoch),
}

/// What a list changes. The hub carries it out with [`Objects::differ`].
pub(super) struct Differences {
    gone: Vec<RowId>,
    listed: Aside,
}

/// Another history: the hub begins it with [`Objects::begin_anew`].
pub(super) struct NewEpoch {
    listed: Aside,
    restart: Restart,
}

impl Objects {
    pub(super) fn new(cluster: &str, seed: u64, bounds: &Bounds) -> Self {
        Self {
            epoch: Epoch { cluster: cluster.into(), seed, count: 0, columns: Columns::unknown() },
            store: Store::with_budget(bounds.tombstones),
            history: RowHistory::new(bounds.remembered_changes),
            bodies: Bodies::new(),
            listing: Listing::None,
            restart: None,
            is_loaded: false,
            resource_version: ResourceVersion::default(),
            left_out: LeftOutObjects::default(),
        }
    }

    /// Before the first change.
    pub(super) fn count_from(&mut self, base: u64) {
        self.store.count_from(base);
    }

    pub(super) fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Whether the first list is complete.
    pub(super) fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    pub(super) fn resource_version(&self) -> &ResourceVersion {
        &self.resource_version
    }

    /// Whether the columns are known now and weren't before.
    pub(super) fn set_columns(&mut self, columns: Columns) -> bool {
        let known = &self.epoch.columns.hash;
        if columns.hash == *known {
            // The former columns are back, so no new epoch is needed for them.
            if self.restart.as_ref().is_some_and(|restart| restart.columns.is_some()) {
                self.restart = None;
            }
            false
        } else if known.is_empty() {
            self.epoch.columns = columns;
            true
        } else {
            self.restart = Some(Restart { columns: Some(columns) });
            false
        }
    }

    /// The resourceVersions went back.
    pub(super) fn rewind(&mut self) {
        self.restart.get_or_insert(Restart { columns: None });
    }

    pub(super) fn start_list(&mut self) {
        let nothing_yet = !self.is_loaded && self.store.len() == 0 && self.restart.is_none();
        self.listing = if nothing_yet { Listing::Shown } else { Listing::Aside(BTreeMap::new()) };
        self.left_out.begin_list();
    }

    pub(super) fn abort_list(&mut self) {
        self.listing = Listing::None;
    }

    /// An object of a list, or of an event: [`Objects::advance`] follows then.
    /// `now_s`: by the cluster's clock. `is_watched`: what was in the meantime was seen.
    pub(super) fn arrive(
        &mut self,
        mut object: Object,
        columns: &mut ColumnSets,
        (now_ms, now_s, is_watched): (UnixMillis, UnixSeconds, bool),
    ) -> Arrival {
        let id = object.row.id;
        if self.restart.is_none() && self.collides(&object.row) {
            let problem = Problem::new(Reason::Conflict, "its row id is another object's");
            let key: Box<str> = object.row.order_key().into();
            self.left_out.add(key.clone(), problem);
            return Arrival::LeftOut(key);
        }
        if self.restart.is_none() && self.is_contradicted(&object.row) {
            self.restart = Some(Restart { columns: None });
        }
        let told = Told { managed: object.managed.clone(), json: object.body.bytes().cloned() };
        // Before a new epoch nothing that is held can be compared.
        let is_known = self.restart.is_none() && self.is_known(&object.row);
        if !is_known {
            self.judge(&mut object, now_s, is_watched);
        }
        let stored = (!is_known).then(|| self.stored(object, columns));
        match (&mut self.listing, stored) {
            (Listing::Aside(aside), stored) => {
                aside.insert(id, stored);
                Arrival::Quiet
            }
            (Listing::None | Listing::Shown, Some(stored)) => {
                Arrival::Touched(self.put(id, stored, SeenBy::Event(told), now_ms))
            }
            (Listing::None | Listing::Shown, None) => Arrival::Quiet,
        }
    }

    pub(super) fn delete<H: Host>(&mut self, id: RowId, version: ResourceVersion) -> Option<Touched> {
        // Neither the changes nor the version of a list that is put aside are told before its end.
        if let Listing::Aside(aside) = &mut self.listing {
            aside.remove(&id);
            return None;
        }
        let touched = self.remove::<H>(id, &version, SeenBy::Event(Told::default()));
        self.advance(version);
        touched
    }

    pub(super) fn advance(&mut self, version: ResourceVersion) {
        if !version.is_empty() && !version.is_older_than(&self.resource_version) {
            self.resource_version = version;
        }
    }

    /// If an object can no longer be shown, remove its row. In a list that is put aside, its end does so.
    pub(super) fn leave_out<H: Host>(&mut self, left_out: LeftOut) -> Option<Touched> {
        let LeftOut { object, problem } = left_out;
        let mut touched = None;
        if !matches!(self.listing, Listing::Aside(_)) {
            let found = self.store.iter().find(|(_, stored)| stored.row.order_key() == *object);
            if let Some(id) = found.map(|(id, _)| id) {
                let version = self.resource_version.clone();
                touched = self.remove::<H>(id, &version, SeenBy::Event(Told::default()));
            }
        }
        self.left_out.add(object, problem);
        touched
    }

    /// What the list says, for the hub to carry out. [`Objects::finish_list`] follows.
    pub(super) fn end_list(&mut self) -> ListEnd {
        match (std::mem::replace(&mut self.listing, Listing::None), self.restart.take()) {
            (Listing::Aside(listed), Some(restart)) => ListEnd::NewEpoch(NewEpoch { listed, restart }),
            (Listing::Aside(listed), None) => {
                let held = self.store.iter().map(|(id, _)| id);
                let gone = held.filter(|id| !listed.contains_key(id)).collect();
                ListEnd::Differences(Differences { gone, listed })
            }
            // Other columns came within the first list, so its rows have them already.
            (Listing::Shown | Listing::None, restart) => {
                self.restart = restart;
                ListEnd::Shown
            }
        }
    }

    /// One difference between a list and what is held. `None`: the object is gone.
    pub(super) fn differ<H: Host>(
        &mut self,
        id: RowId,
        listed: Option<Stored>,
        version: &ResourceVersion,
        now_ms: UnixMillis,
    ) -> Option<Touched> {
        match listed {
            Some(stored) => Some(self.put(id, stored, SeenBy::List, now_ms)),
            None => self.remove::<H>(id, version, SeenBy::List),
        }
    }

    /// Begins a new epoch. All positions before it are void.
    pub(super) fn begin_anew(&mut self, anew: NewEpoch) {
        let NewEpoch { listed, restart } = anew;
        if restart.columns.is_some() {
            self.bodies = Bodies::new();
        }
        self.epoch.next(restart.columns);
        let emptied = self.store.emptied();
        let former = std::mem::replace(&mut self.store, emptied);
        self.history.forget();
        for (id, stored) in listed {
            // `None`: the object is as it was.
            if let Some(stored) = stored.or_else(|| former.get(id).cloned()) {
                self.store.put(id, stored, None);
            }
        }
    }

    pub(super) fn finish_list(&mut self, version: ResourceVersion) {
        self.resource_version = version;
        self.is_loaded = true;
        // The cut takes a number of its own, so that an empty list ends in a frame as well.
        self.store.next_sequence();
        self.pack_again();
    }

    /// Packs the objects again that came before there was a dictionary.
    fn pack_again(&mut self) {
        let Self { store, bodies, .. } = self;
        for stored in store.iter_mut() {
            if bodies.is_outdated(&stored.body)
                && let Some(json) = stored.body.unpack()
            {
                stored.body = bodies.pack(&json);
            }
        }
    }

    /// Tells the row how its object stands. What lasts began when it was first seen.
    fn judge(&self, object: &mut Object, now_s: UnixSeconds, is_watched: bool) {
        let Some(verdict) = object.verdict.take() else { return };
        let known = self.store.get(object.row.id);
        let before = known.and_then(|known| known.row.extra.as_ref()?.health.as_ref());
        if let Some(mut health) = verdict.seen(before, known.is_none(), now_s) {
            // It may have been fine unseen.
            health.failed = health.failed.filter(|_| is_watched);
            object.row.extra.get_or_insert_default().health = Some(health);
        }
    }

    fn stored(&mut self, object: Object, columns: &mut ColumnSets) -> Stored {
        Stored {
            hash: digest::row_hash(&object.row),
            labels: object.labels,
            body: self.bodies.keep(&object.body),
            masks: object.masks,
            custom: columns.print(&object.row, &object.body),
            row: Arc::new(object.row),
        }
    }

    /// Whether this state of the object is held, or a younger one. An answer may be older than what the
    /// watch sent meanwhile, and a subscriber never goes back.
    fn is_known(&self, row: &Row) -> bool {
        self.store.get(row.id).is_some_and(|known| {
            row.resource_version == known.row.resource_version
                || row.resource_version.is_older_than(&known.row.resource_version)
        })
    }

    /// Whether two uids have the same 60 bits. It is not expected in a lifetime, but it must be reported.
    fn collides(&self, row: &Row) -> bool {
        let is_other = |known: &Row| known.namespace != row.namespace || known.name != row.name;
        self.store.get(row.id).is_some_and(|known| is_other(&known.row))
    }

    /// Whether the object shows that resourceVersions went back and have passed ours since: a list is of
    /// the present, so it can't contain an object that is older than here, or an old one that isn't here.
    fn is_contradicted(&self, row: &Row) -> bool {
        if !matches!(self.listing, Listing::Aside(_)) {
            return false;
        }
        let version = &row.resource_version;
        match self.store.get(row.id) {
            Some(known) => version.is_older_than(&known.row.resource_version),
            None if self.is_loaded => {
                !self.left_out.were_some_before
                    && matches!(
                        version.compare(&self.resource_version),
                        Some(Ordering::Less | Ordering::Equal)
                    )
            }
            // Before the first list is complete, its objects' versions tell nothing; but a deleted object
            // doesn't come back.
            None => self.store.may_have_deleted(row.id),
        }
    }

    fn put(&mut self, id: RowId, stored: Stored, seen_by: SeenBy, now_ms: UnixMillis) -> Touched {
        let before = self.store.put(id, stored, self.is_loaded.then_some(now_ms));
        self.remember(id, before.as_ref());
        Touched { id, before, deleted_at: None, seen_by }
    }

    /// `None`: there is no such object.
    fn remove<H: Host>(&mut self, id: RowId, version: &ResourceVersion, seen_by: SeenBy) -> Option<Touched> {
        let before = Some(self.store.delete::<H>(id)?);
        self.remember(id, before.as_ref());
        Some(Touched { id, before, deleted_at: Some(version.clone()), seen_by })
    }

    /// Before the first list is complete, no viewer can have stood at a position of this hub.
    fn remember(&mut self, id: RowId, before: Option<&Stored>) {
        if self.is_loaded {
            self.history.changed(self.store.sequence(), id, before);
        }
    }

    /// Reads cells of custom columns of so many objects, or of fewer if the turn is full.
    pub(super) fn read_cells(&mut self, columns: &mut ColumnSets, objects_max: usize) {
        for _ in 0..objects_max {
            let Some(id) = columns.next_unread() else { break };
            let is_read = self
                .store
                .get_mut(id)
                .is_none_or(|stored| columns.complete(&mut stored.custom, &stored.row, &stored.body));
            if is_read {
                columns.drop_unread();
            }
            if columns.is_turn_full() {
                break;
            }
        }
    }

    /// Drops the cells of columns that are not shown any more.
    pub(super) fn forget_unknown_cells(&mut self, columns: &ColumnSets) {
        let aside = match &mut self.listing {
            Listing::Aside(aside) => Some(aside.values_mut().flatten()),
            Listing::None | Listing::Shown => None,
        };
        for stored in self.store.iter_mut().chain(aside.into_iter().flatten()) {
            columns.keep_known(&mut stored.custom);
        }
    }

    /// The first of the objects that can't be shown and that a viewer of this request may know of, and how many
    /// there are beside it.
    pub(super) fn left_out_for(&self, request: &SubscriptionRequest) -> Option<(&str, &Problem, usize)> {
        self.left_out.named_to(request)
    }

    pub(super) fn left_out_names(&self) -> impl Iterator<Item = &str> {
        self.left_out.named.iter().map(|(object, _)| &**object)
    }

    /// Whether a subscriber at `cursor` that began at `start` may have missed deletes.
    pub(super) fn needs_reset<H: Host>(&self, cursor: u64, start: u64) -> bool {
        H::needs_reset(self.store.horizon(), cursor, start)
    }

    /// The position of a token of this view; `None` if it can't be continued. `columns`: the hash of the view's.
    pub(super) fn position_of(
        &self,
        token: &Token,
        view: &SubscriptionRequest,
        columns: &str,
        head: u64,
    ) -> Option<u64> {
        let is_known = token.cluster == self.epoch.cluster
            && *token.columns == *columns
            && token.epoch == self.epoch.name_in(view);
        let sequence = token.sequence().filter(|sequence| *sequence <= head)?;
        (is_known && self.store.horizon() <= sequence).then_some(sequence)
    }

    /// The position at which a view had the rows of a digest. `now`: its digest at the head, and the head.
    pub(super) fn position_with<H: Host>(
        &self,
        digest: u64,
        view: (&SubscriptionRequest, Option<SetId>),
        now: (u64, u64),
    ) -> Option<u64> {
        let position = self.history.position_of::<H>(digest, view, now, &self.store)?;
        (self.store.horizon() <= position).then_some(position)
    }
}

impl Differences {
    pub(super) fn is_empty(&self) -> bool {
        self.gone.is_empty() && !self.listed.values().any(Option::is_some)
    }

    /// First what is gone.
    pub(super) fn into_steps(self) -> impl Iterator<Item = (RowId, Option<Stored>)> {
        let gone = self.gone.into_iter().map(|id| (id, None));
        let changed = self.listed.into_iter().filter(|(_, stored)| stored.is_some());
        gone.chain(changed)
    }
}

impl NewEpoch {
    /// What differs from the former epoch, first what is gone: the object before, and now.
    pub(super) fn differences<'a>(
        &'a self,
        former: &'a Objects,
    ) -> impl Iterator<Item = (Option<&'a Stored>, Option<&'a Stored>)> {
        let is_gone = |id: &RowId| !self.listed.contains_key(id);
        let gone = former.store.iter().filter(move |(id, _)| is_gone(id));
        let changed = self.listed.iter().filter_map(|(id, stored)| {
            let (before, now) = (former.store.get(*id), stored.as_ref()?);
            let is_other = |before: &Stored| before.row.resource_version != now.row.resource_version;
            before.is_none_or(is_other).then_some((before, Some(now)))
        });
        gone.map(|(_, before)| (Some(before), None)).chain(changed)
    }
}

/// What a token must agree with to be continued: the cluster, the columns, and the history. Another epoch follows
/// when resourceVersions went back or the columns changed, because old rows can't be continued then.
pub(super) struct Epoch {
    /// The uid of `kube-system`, or a hash of server and CA.
    cluster: Box<str>,
    seed: u64,
    count: u64,
    columns: Columns,
}

impl Epoch {
    fn next(&mut self, columns: Option<Columns>) {
        self.count += 1;
        if let Some(columns) = columns {
            self.columns = columns;
        }
    }

    pub(super) fn cluster(&self) -> &str {
        &self.cluster
    }

    /// The server's columns.
    pub(super) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The name of the epoch in a view. Each view has its own, so a token can't be continued in another one: the
    /// rows that only the other one has would never be sent.
    pub(super) fn name_in(&self, view: &SubscriptionRequest) -> Box<str> {
        let which = serde_json::to_vec(&(&view.scope, view.row)).unwrap_or_default();
        let hash = Sha256::new().chain_update(self.seed.to_be_bytes()).chain_update(self.count.to_be_bytes());
        let hash = hash.chain_update(which).finalize();
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>().into()
    }
}

/// The names of objects that can't be shown, the oldest first.
#[derive(Default)]
struct LeftOutObjects {
    named: VecDeque<(Box<str>, Problem)>,
    /// Objects were left out before the list that runs, so an object that is new in it may be old.
    were_some_before: bool,
}

impl LeftOutObjects {
    /// This list names the objects that can't be shown again.
    fn begin_list(&mut self) {
        self.were_some_before = !self.named.is_empty();
        self.named.clear();
    }

    fn add(&mut self, object: Box<str>, problem: Problem) {
        self.named.retain(|(known, _)| *known != object);
        if self.named.len() >= LEFT_OUT_MAX {
            self.named.pop_front();
        }
        self.named.push_back((object, problem));
    }

    fn named_to(&self, request: &SubscriptionRequest) -> Option<(&str, &Problem, usize)> {
        let is_theirs = |object: &str| match object.split_once('/') {
            Some((namespace, name)) => request.scope.may_hold((Some(namespace), name)),
            // It has no namespace, or nothing is known of it but that it is there.
            None => true,
        };
        let mut named = self.named.iter().rev().filter(|(object, _)| is_theirs(object));
        let (object, problem) = named.next()?;
        Some((object, problem, named.count()))
    }
}

/// What the last changes replaced. It gives a view's digest at each recent position, and so the position of
/// a viewer that another hub served. It keeps no cells.
struct RowHistory {
    /// In order, up to the last change.
    changes: VecDeque<PreviousObject>,
    changes_max: usize,
}

/// How an object was until `sequence`.
struct PreviousObject {
    sequence: u64,
    id: RowId,
    /// `None`: the object didn't exist.
    object: Option<Remembered>,
}

/// What a view selects by, and what the object added to a digest.
struct Remembered {
    namespace: Option<Box<str>>,
    name: Box<str>,
    labels: Labels,
    is_trouble: bool,
    hash: u64,
    custom: CustomHashes,
}

impl RowHistory {
    fn new(changes_max: usize) -> Self {
        Self { changes: VecDeque::new(), changes_max }
    }

    fn forget(&mut self) {
        self.changes.clear();
    }

    fn changed(&mut self, sequence: u64, id: RowId, before: Option<&Stored>) {
        let object = before.map(|stored| Remembered {
            namespace: stored.row.namespace.clone(),
            name: stored.row.name.clone(),
            labels: stored.labels.clone(),
            is_trouble: stored.row.health().is_some(),
            hash: stored.hash,
            custom: stored.custom.hashes(),
        });
        if self.changes.len() >= self.changes_max {
            self.changes.pop_front();
        }
        self.changes.push_back(PreviousObject { sequence, id, object });
    }

    /// The last position at which the view had the rows of this digest. `now`: its digest at the head.
    fn position_of<H: Host>(
        &self,
        wanted: u64,
        (request, set): (&SubscriptionRequest, Option<SetId>),
        (now, head): (u64, u64),
        store: &Store,
    ) -> Option<u64> {
        if H::holds_same_rows(wanted, now) {
            return Some(head);
        }
        let mut digest = now;
        let mut later: HashMap<RowId, u64> = HashMap::new();
        for PreviousObject { sequence, id, object } in self.changes.iter().rev() {
            let is_of_view = |it: &&Remembered| {
                request.accepts(*id, (it.namespace.as_deref(), &it.name), &it.labels, it.is_trouble)
            };
            let before = object.as_ref().filter(is_of_view);
            // Before these columns were asked for, no viewer can have had their cells.
            let before = before.map_or(Some(0), |it| it.custom.hash_in(set, it.hash))?;
            let after = later.insert(*id, before).unwrap_or_else(|| {
                let now = store.get(*id).filter(|stored| request.matches(stored));
                now.and_then(|stored| stored.hash_in(set)).unwrap_or_default()
            });
            digest = digest.wrapping_sub(after).wrapping_add(before);
            if H::holds_same_rows(wanted, digest) {
                return Some(sequence - 1);
            }
        }
        None
    }
}

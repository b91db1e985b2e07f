//! What is told of a kind becomes entries. Pure: time is an argument, and nothing is written here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use shared::column::Column;
use shared::past::{Unrecorded, Why};
use shared::problem::Reason;
use shared::resource::Kind;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use crate::kind::KindKey;
use crate::kind_state::{Content, KindState, Known, LastProof, MINUTE_MS, WAITS_MS, Waiting};
use crate::open_list::{Behind, OpenList};
use crate::store::{Entry, ObjectEntry, VersionEntry};
use crate::texts::Texts;
use crate::version::{Head, Op, Version};

/// What is told of one kind, in the order of its feed.
#[derive(Clone, Debug)]
pub enum Told {
    /// How discovery describes the kind.
    Named(Arc<Kind>),
    /// A list of all objects begins. Each of them follows, then [`Told::Loaded`].
    Begun,
    Columns(Arc<[Column]>),
    Version(Box<Version>),
    Deleted {
        row: RowId,
        resource_version: ResourceVersion,
        relisted: bool,
    },
    /// The list is complete: what it didn't tell is gone.
    Loaded {
        resource_version: ResourceVersion,
    },
    /// The feed lost events.
    Missed {
        from_ms: UnixMillis,
        to_ms: UnixMillis,
        reason: Reason,
    },
    /// All up to here was told.
    Proof {
        resource_version: ResourceVersion,
    },
    /// Nothing more is told of the kind, until a list begins.
    Ended(Why),
}

/// A kind that nothing was told of for so long is in no further segment.
const FORGOTTEN_MS: i64 = 24 * 60 * MINUTE_MS;

/// Turns what it is told into [`Entry`]s: [`Recorder::tell`] adds to them, and [`Recorder::take_entries`] takes them.
///
/// It holds the last version of each object, compressed, to compare with the next one and to begin a segment with.
#[derive(Default)]
pub struct Recorder {
    /// Names this run of the gateway: hashes of masked values can be compared within it.
    run: u64,
    next_number: i64,
    /// Times in the record never go back, whatever a clock does.
    last_ms: UnixMillis,
    kinds: BTreeMap<KindKey, KindState>,
    /// The rows of the namespaces of each cluster that are there, as far as namespaces are recorded.
    namespaces: Namespaces,
    /// Where a segment's numbers of kinds and objects go on.
    numbers: Numbers,
    entries: Vec<Entry>,
    pub(crate) texts: Texts,
}

/// Rows of namespaces, by cluster and name.
pub(crate) type Namespaces = HashMap<(Box<str>, Box<str>), RowId>;

#[derive(Clone, Copy, Default)]
struct Numbers {
    kinds: i64,
    objects: i64,
}

impl Recorder {
    /// `run` is random; `next_number` and `last_ms`: where the record ended.
    #[must_use]
    pub fn new(run: u64, (next_number, last_ms): (i64, UnixMillis)) -> Self {
        Self { run, next_number: next_number.max(1), last_ms, ..Self::default() }
    }

    /// Goes on with what a segment ended with.
    pub fn resume(&mut self, entries: Vec<Entry>) {
        let mut keys: HashMap<i64, KindKey> = HashMap::new();
        let mut rows: HashMap<i64, (i64, RowId)> = HashMap::new();
        let mut last = Vec::new();
        for entry in entries {
            match entry {
                Entry::Kind { number, key } => {
                    self.numbers.kinds = self.numbers.kinds.max(number);
                    self.kinds.insert(key.clone(), KindState::new(number, Some(Why::Down)));
                    keys.insert(number, key);
                }
                Entry::Named { kind, named } => self.with(&keys, kind, |state| state.named = Some(named)),
                Entry::Model { kind, head, body } => {
                    let none = Content::default();
                    let model = Content { head, body }.unpack(&none);
                    self.with(&keys, kind, |state| state.model = model);
                }
                Entry::Columns { kind, at_ms, columns } => {
                    self.with(&keys, kind, |state| {
                        (state.columns, state.columns_ms) = (Some(columns), at_ms);
                    });
                }
                Entry::Object(object) => {
                    self.numbers.objects = self.numbers.objects.max(object.number);
                    rows.insert(object.number, (object.kind, object.row));
                    let kind = object.kind;
                    self.with(&keys, kind, |state| {
                        state.objects.insert(object.row, Known::new(object));
                    });
                }
                Entry::Version(version) => {
                    let Some((kind, row)) = rows.get(&version.object).copied() else { continue };
                    last.push((kind, row, version.at_ms, version.resource_version.clone(), version.op));
                    self.with(&keys, kind, |state| state.resume(row, version));
                }
                Entry::Proof { kind, at_ms, resource_version } => {
                    let proof = LastProof { at_ms, resource_version, written_ms: at_ms };
                    self.with(&keys, kind, |state| state.proof = Some(proof));
                }
                Entry::Unrecorded { .. } => {}
            }
        }
        for state in self.kinds.values_mut().filter(|state| state.has_new_columns()) {
            // The former run was killed before all objects were told with these columns.
            state.objects.values_mut().for_each(|known| known.is_printed_otherwise = true);
        }
        for (kind, row, at_ms, resource_version, op) in &last {
            self.with(&keys, *kind, |state| state.heard_before(*row, (*at_ms, resource_version), *op));
        }
        for (kind, _, _, resource_version, _) in last {
            self.with(&keys, kind, |state| state.torn_by(resource_version));
        }
        for state in self.kinds.values_mut() {
            // An object without a whole version was deleted, or its versions are damaged.
            state.objects.retain(|_, known| !known.packed.head.is_empty());
        }
        for (key, state) in self.kinds.iter().filter(|(key, _)| is_namespaces(key)) {
            let named = state.objects.values().map(|known| &known.object);
            let named = named.map(|object| ((key.cluster.clone(), object.name.clone()), object.row));
            self.namespaces.extend(named);
        }
    }

    fn with(&mut self, keys: &HashMap<i64, KindKey>, kind: i64, change: impl FnOnce(&mut KindState)) {
        if let Some(state) = keys.get(&kind).and_then(|key| self.kinds.get_mut(key)) {
            change(state);
        }
    }

    /// The position of each kind's feed when it was last proven: where a feed would lose nothing.
    pub(crate) fn positions(&self) -> HashMap<KindKey, ResourceVersion> {
        let known = self.kinds.iter().filter_map(|(key, state)| Some((key, state.proof.as_ref()?)));
        // Where something was removed from the record, all objects are listed again.
        let known = known.filter(|(_, proof)| !proof.resource_version.is_empty());
        known.map(|(key, proof)| (key.clone(), proof.resource_version.clone())).collect()
    }

    /// Nothing more is told of any kind: the last proofs are written.
    pub(crate) fn end(&mut self, now_ms: UnixMillis) {
        self.time(now_ms);
        for state in self.kinds.values_mut().filter(|state| state.ended.is_none()) {
            state.ended = Some(Why::Down);
            state.write_proof(&mut self.entries);
        }
    }

    /// The time that the record has for what happens at `now_ms`.
    pub fn time(&mut self, now_ms: UnixMillis) -> UnixMillis {
        self.last_ms = self.last_ms.max(now_ms);
        self.last_ms
    }

    pub fn tell(&mut self, key: &KindKey, told: Told, now_ms: UnixMillis) {
        let at_ms = self.time(now_ms);
        if !self.kinds.contains_key(key) {
            if matches!(told, Told::Ended(_)) {
                return;
            }
            self.numbers.kinds += 1;
            let number = self.numbers.kinds;
            self.entries.push(Entry::Kind { number, key: key.clone() });
            self.kinds.insert(key.clone(), KindState::new(number, None));
        }
        if self.goes_on_with(key, &told) {
            self.catch_up(key, at_ms);
        }
        let Some(state) = self.kinds.get_mut(key) else { return };
        match told {
            Told::Named(named) => state.name(named, &mut self.entries),
            Told::Begun => {
                let former = state.list.replace(OpenList::default());
                state.ended = state.ended.take().or(former.and_then(|list| list.behind).map(|it| it.why));
            }
            Told::Columns(columns) => {
                if state.ended.is_some() {
                    state.list.get_or_insert_default();
                }
                // A clock that was set back stands still here, and each time has its own columns.
                let is_later = state.columns.as_ref().is_some_and(|known| *known != columns);
                self.last_ms += i64::from(is_later);
                state.columns(columns, self.last_ms, &mut self.entries);
            }
            Told::Version(version) => self.told_version(key, *version, at_ms),
            Told::Deleted { row, resource_version, relisted } => {
                if let Some(list) = &mut state.list {
                    list.goes_on |= relisted;
                    // A list that broke off may have told it.
                    list.lost(row);
                    if list.behind.is_some() {
                        return list.moved(&resource_version);
                    }
                }
                // While a list runs, its own order isn't that of what happened.
                let relisted = relisted || state.list.is_some();
                state.has_listed |= relisted;
                if !relisted {
                    state.heard(at_ms, &resource_version);
                }
                self.delete(key, (row, &resource_version, relisted), at_ms);
            }
            Told::Loaded { resource_version } => self.loaded(key, resource_version, at_ms),
            Told::Missed { from_ms, to_ms, reason } => {
                // A clock may have been set back since, and the record's time never is.
                let known_ms = state.proof.as_ref().map_or(from_ms, |proof| proof.at_ms);
                let from_ms = from_ms.clamp(known_ms.min(at_ms), at_ms);
                let unrecorded = Unrecorded { from_ms, to_ms: to_ms.max(at_ms), why: Why::Missed(reason) };
                self.entries.push(Entry::Unrecorded { kind: state.number, unrecorded });
            }
            // The record is ahead of it still.
            Told::Proof { .. } if state.list.as_ref().is_some_and(|list| list.behind.is_some()) => {}
            Told::Proof { resource_version } => {
                // What a list told is known to be the cluster's state when a proof follows.
                let is_due = state.prove(at_ms, resource_version) || state.has_listed;
                if is_due {
                    state.write_proof(&mut self.entries);
                }
            }
            Told::Ended(why) => {
                let behind = state.list.take().and_then(|list| list.behind);
                if state.ended.is_none() {
                    state.ended = Some(behind.map_or(why, |behind| behind.why));
                    state.write_proof(&mut self.entries);
                }
            }
        }
    }

    /// Whether a list was older than the record's end, and this is the first that is told after it.
    fn goes_on_with(&mut self, key: &KindKey, told: &Told) -> bool {
        let Some(state) = self.kinds.get_mut(key) else { return false };
        let Some(behind) = state.list.as_mut().and_then(|list| list.behind.as_mut()) else { return false };
        let (resource_version, relisted) = match told {
            Told::Version(version) => (&version.row.resource_version, version.relisted),
            Told::Deleted { resource_version, relisted, .. } => (resource_version, *relisted),
            Told::Proof { resource_version } => (resource_version, false),
            // It follows what another list told.
            Told::Missed { .. } => return behind.is_listed_again,
            Told::Named(_) | Told::Begun | Told::Columns(_) | Told::Loaded { .. } | Told::Ended(_) => {
                return false;
            }
        };
        if relisted {
            // Another list takes the place of what would have followed: it belongs to the one before until it is whole.
            behind.is_listed_again = true;
            return false;
        }
        let is_before = state.end().is_some_and(|end| resource_version.is_older_than(end));
        let is_proof = matches!(told, Told::Proof { .. });
        let is_at_end = state.is_recorded(resource_version) && !is_before;
        match &mut state.list {
            Some(list) if is_proof => !is_before || list.proven(),
            _ => !is_before && !is_at_end,
        }
    }

    /// What was told since a list is what the record ended with, or the cluster has another history by now.
    fn catch_up(&mut self, key: &KindKey, at_ms: UnixMillis) {
        let Some(state) = self.kinds.get_mut(key) else { return };
        let Some(list) = state.list.take() else { return };
        let Some(Behind { why, at, is_listed_again, .. }) = &list.behind else { return };
        let is_other = list.contradicts(&state.objects);
        if (is_other || *is_listed_again || state.has_new_columns() || state.torn.is_some())
            && let Some(proof) = &state.proof
        {
            let unrecorded = Unrecorded { from_ms: proof.at_ms, to_ms: at_ms, why: why.clone() };
            self.entries.push(Entry::Unrecorded { kind: state.number, unrecorded });
        }
        (state.torn, state.has_listed) = (None, true);
        let at = at.clone();
        self.write_list(key, list, (is_other, &at), at_ms);
    }

    /// What a list says otherwise than the record. `with_deletions`: also what it didn't tell is gone.
    fn write_list(
        &mut self,
        key: &KindKey,
        list: OpenList,
        (with_deletions, resource_version): (bool, &ResourceVersion),
        at_ms: UnixMillis,
    ) {
        for version in list.earlier.into_values() {
            self.version(key, version, at_ms);
        }
        let Some(state) = self.kinds.get_mut(key).filter(|_| with_deletions) else { return };
        let gone: Vec<RowId> = state.objects.keys().filter(|row| !list.rows.contains(row)).copied().collect();
        for row in gone {
            self.delete(key, (row, resource_version, true), at_ms);
        }
    }

    /// Writes the last of the versions that have waited for long enough.
    pub fn tick(&mut self, now_ms: UnixMillis) {
        let at_ms = self.time(now_ms);
        let waiting = self.kinds.iter().filter(|(_, state)| !state.waiting.is_empty());
        let keys: Vec<KindKey> = waiting.map(|(key, _)| key.clone()).collect();
        for key in keys {
            let Some(state) = self.kinds.get_mut(&key) else { continue };
            let objects = &mut state.objects;
            let waits_since = |row: &RowId| Some(objects.get(row)?.waiting.as_ref()?.since_ms);
            let is_due = |row: &RowId| waits_since(row).is_none_or(|since_ms| at_ms - since_ms >= WAITS_MS);
            let due: Vec<RowId> = state.waiting.extract_if(is_due).collect();
            for row in due {
                let known = self.kinds.get_mut(&key).and_then(|state| state.objects.get_mut(&row));
                if let Some(waiting) = known.and_then(|known| known.waiting.take()) {
                    self.write(&key, &waiting.version, at_ms);
                }
            }
        }
    }

    /// No store took these: what they say of times without a record is said by the next segment, which has the rest.
    pub(crate) fn not_kept(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            if let Entry::Unrecorded { kind, unrecorded } = entry
                && let Some(state) = self.kinds.values_mut().find(|state| state.number == kind)
            {
                state.owe(unrecorded);
            }
        }
    }

    pub fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    fn loaded(&mut self, key: &KindKey, resource_version: ResourceVersion, at_ms: UnixMillis) {
        let Some(state) = self.kinds.get_mut(key) else { return };
        let mut list = state.list.take().unwrap_or_default();
        let former = state.ended.take();
        let is_second = former.is_some() || list.goes_on;
        if let Some(why) = former {
            if state.end().is_some_and(|end| resource_version.is_older_than(end)) {
                list.behind = Some(Behind::list(resource_version, why));
                state.list = Some(list);
                return;
            }
            // A feed that began where the record ended brings what happened between.
            if let Some(proof) = &state.proof
                && (proof.resource_version != resource_version
                    || list.contradicts(&state.objects)
                    || state.has_new_columns())
            {
                let unrecorded = Unrecorded { from_ms: proof.at_ms, to_ms: at_ms, why };
                self.entries.push(Entry::Unrecorded { kind: state.number, unrecorded });
            }
        }
        if is_second && state.proof.is_none() {
            // The record begins with this list, and so after what the one told that broke off: also where a clock that was
            // set back stands still here.
            self.last_ms += 1;
        }
        let at_ms = self.last_ms;
        state.torn = None;
        self.write_list(key, list, (true, &resource_version), at_ms);
        if let Some(state) = self.kinds.get_mut(key) {
            state.prove(at_ms, resource_version);
            state.write_proof(&mut self.entries);
        }
    }

    fn delete(
        &mut self,
        key: &KindKey,
        (row, resource_version, relisted): (RowId, &ResourceVersion, bool),
        at_ms: UnixMillis,
    ) {
        let number = self.next_number;
        let Some(state) = self.kinds.get_mut(key) else { return };
        let Some(known) = state.objects.remove(&row) else { return };
        self.texts.remove(known.keyframe);
        state.waiting.remove(&row);
        let place = (key.cluster.clone(), known.object.name.clone());
        if is_namespaces(key) && self.namespaces.get(&place) == Some(&row) {
            self.namespaces.remove(&place);
        }
        self.next_number += 1;
        self.entries.push(Entry::Version(VersionEntry {
            object: known.object.number,
            kind: state.number,
            number,
            at_ms,
            resource_version: resource_version.clone(),
            op: Op::Deleted { relisted },
            skipped: known.skipped + u32::from(known.waiting.is_some()),
            trouble: false,
            head: Vec::new(),
            body: Vec::new(),
            listed: state.list.is_some() || state.ended.is_some(),
        }));
    }

    /// A version of a list, or of an event.
    fn told_version(&mut self, key: &KindKey, mut version: Version, at_ms: UnixMillis) {
        let Some(state) = self.kinds.get_mut(key) else { return };
        let (row, resource_version) = (version.row.id, version.row.resource_version.clone());
        let is_recorded = state.is_recorded(&resource_version);
        let had_ended = state.ended.is_some();
        let is_as_known =
            state.objects.get(&row).is_some_and(|known| known.resource_version == resource_version);
        let is_printed_otherwise = state.objects.get(&row).is_some_and(|known| known.is_printed_otherwise);
        match &mut state.list {
            Some(list) => {
                let is_behind = list.behind.is_some();
                list.goes_on |= version.relisted;
                version.relisted |= !is_behind;
                list.moved(&resource_version);
                if is_as_known && !is_printed_otherwise {
                    return list.had(row, None);
                }
                if is_behind || (is_recorded && had_ended) {
                    return list.had(row, Some(version));
                }
                list.had(row, None);
            }
            None if !version.relisted => state.heard(at_ms, &resource_version),
            None => {}
        }
        state.has_listed |= version.relisted;
        self.version(key, version, at_ms);
    }

    fn version(&mut self, key: &KindKey, version: Version, at_ms: UnixMillis) {
        let Some(state) = self.kinds.get_mut(key) else { return };
        let row = version.row.id;
        // Most objects of a list after a restart are as they were, and needn't be read.
        let known = state.objects.get(&row);
        if known.is_some_and(|known| {
            known.resource_version == version.row.resource_version && !known.is_printed_otherwise
        }) {
            return;
        }
        let is_noise = known.is_some_and(|known| {
            known.waiting.is_none() && state.says_the_same(known, &version, &self.texts)
        });
        let Some(state) = self.kinds.get_mut(key) else { return };
        if let Some(known) = state.objects.get_mut(&row) {
            if is_noise {
                known.skipped += 1;
                known.resource_version = version.row.resource_version.clone();
                return;
            }
            if known.waits(at_ms) {
                let former = known.waiting.take();
                known.skipped += u32::from(former.is_some());
                let since_ms = former.map_or(at_ms, |former| former.since_ms);
                known.waiting = Some(Waiting { version: Box::new(version), since_ms });
                state.waiting.insert(row);
                return;
            }
            known.skipped += u32::from(known.waiting.take().is_some());
            state.waiting.remove(&row);
        } else {
            self.numbers.objects += 1;
            let object = ObjectEntry {
                number: self.numbers.objects,
                kind: state.number,
                row,
                namespace: version.row.namespace.clone(),
                namespace_row: None,
                name: version.row.name.clone(),
                about: version.about.or_else(|| owner_of(&version.row)),
            };
            state.objects.insert(row, Known::new(object));
        }
        self.write(key, &version, at_ms);
    }

    /// Writes a version of an object that is known.
    fn write(&mut self, key: &KindKey, version: &Version, at_ms: UnixMillis) {
        let namespace_row = self.namespace_row(key, &version.row);
        let Some(state) = self.kinds.get_mut(key) else { return };
        let written = state.write(version, (self.next_number, at_ms), namespace_row, (self.run, &self.texts));
        if let Some(written) = written {
            self.next_number += 1;
            self.entries.extend(written);
        }
        if is_namespaces(key) {
            self.name_namespace(&key.cluster, &version.row.name, version.row.id);
        }
    }

    /// The row of the namespace that an object is in, if that is known.
    fn namespace_row(&self, key: &KindKey, row: &Row) -> Option<RowId> {
        let namespace = row.namespace.clone()?;
        self.namespaces.get(&(key.cluster.clone(), namespace)).copied()
    }

    /// Objects that were told before their namespace get its row.
    pub(crate) fn name_namespace(&mut self, cluster: &str, name: &str, row: RowId) {
        if self.namespaces.insert((cluster.into(), name.into()), row) == Some(row) {
            return;
        }
        for (_, state) in self.kinds.iter_mut().filter(|(other, _)| *other.cluster == *cluster) {
            for known in state.objects.values_mut() {
                let object = &mut known.object;
                if object.namespace_row.is_none() && object.namespace.as_deref() == Some(name) {
                    object.namespace_row = Some(row);
                    self.entries.push(Entry::Object(object.clone()));
                }
            }
        }
    }

    /// The last version of each object, up to so many of a kind, until one of them is as `is_it` says: its kind.
    pub(crate) fn find_last(
        &self,
        of_kind: usize,
        is_it: impl Fn(&KindKey, &[Column], Head, Vec<u8>) -> bool,
    ) -> Option<KindKey> {
        let has_it = |(key, state): &(&KindKey, &KindState)| {
            let columns = state.columns.as_deref().unwrap_or_default();
            let contents = state.objects.values().take(of_kind).filter_map(|known| state.content(known));
            contents.into_iter().any(|content| {
                let head = serde_json::from_slice::<Head>(&content.head);
                head.is_ok_and(|head| is_it(key, columns, head, content.body))
            })
        };
        self.kinds.iter().find(has_it).map(|(key, _)| key.clone())
    }

    pub(crate) fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// Namespaces that another recorder is told of.
    pub(crate) fn adopt_namespaces(&mut self, namespaces: &Namespaces) {
        self.namespaces.retain(|place, row| namespaces.get(place) == Some(row));
        for ((cluster, name), row) in namespaces {
            self.name_namespace(cluster, name, *row);
        }
    }

    /// The entries that a segment begins with: every object as it is. [`Recorder::begin_segment`] follows if a store has
    /// taken them. Until then nothing here has changed.
    #[must_use]
    pub fn segment(&self) -> Segment {
        let mut next = Numbers::default();
        let mut entries = Vec::new();
        let mut kinds = BTreeMap::new();
        let mut number = self.next_number;
        let is_forgotten = |state: &KindState| {
            let proven_ms = state.proof.as_ref().map_or(UnixMillis::MIN / 2, |proof| proof.at_ms);
            // What a list tells now isn't forgotten.
            state.ended.is_some() && state.list.is_none() && self.last_ms - proven_ms > FORGOTTEN_MS
        };
        for (key, state) in self.kinds.iter().filter(|(_, state)| !is_forgotten(state)) {
            next.kinds += 1;
            entries.push(Entry::Kind { number: next.kinds, key: key.clone() });
            let mut fresh = KindState::new(next.kinds, None);
            if let Some(named) = &state.named {
                fresh.name(Arc::clone(named), &mut entries);
            }
            if let Some(columns) = &state.columns {
                fresh.columns(Arc::clone(columns), state.columns_ms.min(self.last_ms), &mut entries);
            }
            for (row, known) in &state.objects {
                let Some(content) = state.content(known) else { continue };
                next.objects += 1;
                let mut object = known.object.clone();
                (object.number, object.kind) = (next.objects, next.kinds);
                let mut moved = Known::new(object);
                moved.adopt(known);
                fresh.objects.insert(*row, moved);
                let written = fresh.write_content(*row, (content.text(), true), (number, self.last_ms), None);
                number += 1;
                entries.extend(written.into_iter().flatten());
            }
            let owed = state.owed.iter().cloned();
            entries.extend(owed.map(|unrecorded| Entry::Unrecorded { kind: next.kinds, unrecorded }));
            if let Some(proof) = &state.proof {
                fresh.proof = Some(proof.clone());
                fresh.write_proof(&mut entries);
            }
            kinds.insert(key.clone(), fresh);
        }
        Segment { entries, from_ms: self.last_ms, kinds, numbers: next, next_number: number }
    }

    /// The store has begun that segment. What was to be written before it is in it.
    pub fn begin_segment(&mut self, segment: Segment) {
        let Segment { kinds, numbers, next_number, .. } = segment;
        (self.numbers, self.next_number) = (numbers, next_number);
        self.kinds.retain(|key, _| kinds.contains_key(key));
        for (key, fresh) in kinds {
            if let Some(state) = self.kinds.get_mut(&key) {
                state.move_to(fresh);
            }
        }
        self.entries.clear();
    }

    /// Nothing is kept since a time: the next segment says so of each kind that was recorded then.
    #[must_use]
    pub fn unrecorded(&self, segment: &Segment, from_ms: UnixMillis, why: &Why) -> Vec<Entry> {
        let is_told_since = |state: &KindState| {
            state.ended.is_none() || state.proof.as_ref().is_some_and(|proof| proof.at_ms > from_ms)
        };
        let is_recorded = |key: &&KindKey| self.kinds.get(key).is_some_and(is_told_since);
        let unrecorded = Unrecorded { from_ms, to_ms: self.last_ms, why: why.clone() };
        let kinds = segment.kinds.iter().filter(|(key, _)| is_recorded(key));
        kinds
            .map(|(_, fresh)| Entry::Unrecorded { kind: fresh.number, unrecorded: unrecorded.clone() })
            .collect()
    }
}

/// What a segment begins with, and how the recorder goes on with it.
pub struct Segment {
    pub entries: Vec<Entry>,
    /// The time of all that is in it at first.
    pub from_ms: UnixMillis,
    kinds: BTreeMap<KindKey, KindState>,
    numbers: Numbers,
    next_number: i64,
}

pub(crate) fn is_namespaces(key: &KindKey) -> bool {
    key.resource.is_core() && key.resource.resource.as_str() == "namespaces"
}

fn owner_of(row: &Row) -> Option<RowId> {
    row.extra.as_ref()?.owner.as_ref()?.row
}

//! What is told of a kind becomes entries. Pure: time is an argument, and nothing is written here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use shared::column::Column;
use shared::frame::timeline::Writer;
use shared::health::HealthClass;
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use crate::kind::{KindKey, Unrecorded, Why};
use crate::noise::meaning;
use crate::pack::{pack, unpack};
use crate::store::{Entry, ObjectEntry, VersionEntry};
use crate::version::{Head, Op, Version};

/// What is told of one kind, in the order of its feed.
#[derive(Clone, Debug)]
pub enum Told {
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

/// A new keyframe at the latest after so many patches.
const PATCHES_MAX: u32 = 64;
/// A kind that nothing was told of for so long is in no further segment.
const FORGOTTEN_MS: i64 = 24 * 60 * MINUTE_MS;
/// An object that changes more often within a minute has every tenth version kept.
const A_MINUTE_MAX: u32 = 60;
const KEPT_BEYOND: u32 = 10;
const MINUTE_MS: i64 = 60_000;

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
    namespaces: HashMap<(Box<str>, Box<str>), RowId>,
    /// Where a segment's numbers of kinds and objects go on.
    numbers: Numbers,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Default)]
struct Numbers {
    kinds: i64,
    objects: i64,
}

struct KindState {
    number: i64,
    columns: Option<Arc<[Column]>>,
    model: Option<Content>,
    objects: HashMap<RowId, Known>,
    /// What the list that runs has told.
    listed: Option<HashSet<RowId>>,
    proof: Option<LastProof>,
    /// Why nothing is told of it since its last proof. `None`: it is recorded.
    ended: Option<Why>,
    /// Objects with a version that waits.
    waiting: HashSet<RowId>,
}

#[derive(Clone)]
struct LastProof {
    at_ms: UnixMillis,
    resource_version: ResourceVersion,
    written_ms: UnixMillis,
}

/// A head and a body, as texts or compressed.
#[derive(Clone, Default)]
struct Content {
    head: Vec<u8>,
    body: Vec<u8>,
}

/// The last version of an object.
struct Known {
    object: ObjectEntry,
    resource_version: ResourceVersion,
    /// `None` after a restart: what the stored version means isn't read again.
    meaning: Option<u64>,
    keyframe: i64,
    packed: Content,
    patch: Option<Content>,
    patches: u32,
    skipped: u32,
    trouble: bool,
    /// The newest time of a writer.
    written_s: i64,
    minute_ms: UnixMillis,
    in_minute: u32,
    /// A version beyond the bound of a minute, which is written if no other one follows soon.
    waiting: Option<Box<Version>>,
}

impl Content {
    fn of(head: &Head, body: &[u8]) -> Option<Self> {
        Some(Self { head: serde_json::to_vec(head).ok()?, body: body.to_vec() })
    }

    fn pack(&self, prefix: &Self) -> Option<Self> {
        Some(Self { head: pack(&self.head, &prefix.head)?, body: pack(&self.body, &prefix.body)? })
    }

    fn unpack(&self, prefix: &Self) -> Option<Self> {
        Some(Self { head: unpack(&self.head, &prefix.head)?, body: unpack(&self.body, &prefix.body)? })
    }

    fn len(&self) -> usize {
        self.head.len() + self.body.len()
    }
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
        for entry in entries {
            match entry {
                Entry::Kind { number, key } => {
                    self.numbers.kinds = self.numbers.kinds.max(number);
                    self.kinds.insert(key.clone(), KindState::new(number, Some(Why::Down)));
                    keys.insert(number, key);
                }
                Entry::Model { kind, head, body } => {
                    let none = Content::default();
                    let model = Content { head, body }.unpack(&none);
                    self.with(&keys, kind, |state| state.model = model);
                }
                Entry::Columns { kind, columns, .. } => {
                    self.with(&keys, kind, |state| state.columns = Some(columns));
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
                    self.with(&keys, kind, |state| state.resume(row, version));
                }
                Entry::Proof { kind, at_ms, resource_version } => {
                    let proof = LastProof { at_ms, resource_version, written_ms: at_ms };
                    self.with(&keys, kind, |state| state.proof = Some(proof));
                }
                Entry::Unrecorded { .. } => {}
            }
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

    /// The position of a kind's feed when it was last proven: where a feed would lose nothing.
    #[must_use]
    pub fn stood_at(&self, key: &KindKey) -> Option<&ResourceVersion> {
        Some(&self.kinds.get(key)?.proof.as_ref()?.resource_version)
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
        let Some(state) = self.kinds.get_mut(key) else { return };
        match told {
            Told::Begun => {
                state.listed = Some(HashSet::new());
            }
            Told::Columns(columns) => state.columns(columns, at_ms, &mut self.entries),
            Told::Version(version) => self.version(key, *version, at_ms),
            Told::Deleted { row, resource_version, relisted } => {
                self.delete(key, (row, &resource_version, relisted), at_ms);
            }
            Told::Loaded { resource_version } => self.loaded(key, resource_version, at_ms),
            Told::Missed { from_ms, to_ms, reason } => {
                let unrecorded = Unrecorded { from_ms, to_ms, why: Why::Missed(reason) };
                self.entries.push(Entry::Unrecorded { kind: state.number, unrecorded });
            }
            Told::Proof { resource_version } => {
                let is_due = state.prove(at_ms, resource_version);
                if is_due {
                    state.write_proof(&mut self.entries);
                }
            }
            Told::Ended(why) => {
                state.listed = None;
                if state.ended.is_none() {
                    state.ended = Some(why);
                    state.write_proof(&mut self.entries);
                }
            }
        }
    }

    /// Writes the versions that waited for a minute, after which a busy object may be written again.
    pub fn tick(&mut self, now_ms: UnixMillis) {
        let at_ms = self.time(now_ms);
        let keys: Vec<KindKey> = self.kinds.keys().cloned().collect();
        for key in keys {
            let Some(state) = self.kinds.get_mut(&key) else { continue };
            let objects = &mut state.objects;
            let is_due =
                |row: &RowId| objects.get(row).is_none_or(|known| at_ms - known.minute_ms >= MINUTE_MS);
            let due: Vec<RowId> = state.waiting.extract_if(is_due).collect();
            for row in due {
                let known = state_of(&mut self.kinds, &key).and_then(|state| state.objects.get_mut(&row));
                if let Some(version) = known.and_then(|known| known.waiting.take()) {
                    self.version(&key, *version, at_ms);
                }
            }
        }
    }

    pub fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    fn loaded(&mut self, key: &KindKey, resource_version: ResourceVersion, at_ms: UnixMillis) {
        let Some(state) = self.kinds.get_mut(key) else { return };
        let listed = state.listed.take().unwrap_or_default();
        let gone: Vec<RowId> = state.objects.keys().filter(|row| !listed.contains(row)).copied().collect();
        let number = state.number;
        if let (Some(why), Some(proof)) = (state.ended.take(), &state.proof)
            // A feed that began where the record ended brings what happened between.
            && proof.resource_version != resource_version
        {
            let unrecorded = Unrecorded { from_ms: proof.at_ms, to_ms: at_ms, why };
            self.entries.push(Entry::Unrecorded { kind: number, unrecorded });
        }
        for row in gone {
            self.delete(key, (row, &resource_version, true), at_ms);
        }
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
        }));
    }

    fn version(&mut self, key: &KindKey, mut version: Version, at_ms: UnixMillis) {
        let Some(state) = self.kinds.get_mut(key) else { return };
        let row = version.row.id;
        if let Some(listed) = &mut state.listed {
            listed.insert(row);
            version.relisted = true;
        }
        let means = meaning(&version);
        let namespace_row = self.namespace_row(key, &version.row);
        let Some(state) = self.kinds.get_mut(key) else { return };
        if let Some(known) = state.objects.get_mut(&row) {
            if known.resource_version == version.row.resource_version {
                return;
            }
            if known.meaning == Some(means) && known.waiting.is_none() {
                known.skipped += 1;
                known.resource_version = version.row.resource_version.clone();
                return;
            }
            if known.waits(at_ms) {
                known.skipped += u32::from(known.waiting.replace(Box::new(version)).is_some());
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
        let written = state.write(&version, (self.next_number, at_ms, means), namespace_row, self.run);
        if let Some(written) = written {
            self.next_number += 1;
            self.entries.extend(written);
        }
        if is_namespaces(key) {
            self.name_namespace(key, &version.row.name, row);
        }
    }

    /// The row of the namespace that an object is in, if that is known.
    fn namespace_row(&self, key: &KindKey, row: &Row) -> Option<RowId> {
        let namespace = row.namespace.clone()?;
        self.namespaces.get(&(key.cluster.clone(), namespace)).copied()
    }

    /// Objects that were told before their namespace get its row.
    fn name_namespace(&mut self, key: &KindKey, name: &str, row: RowId) {
        if self.namespaces.insert((key.cluster.clone(), name.into()), row) == Some(row) {
            return;
        }
        for (_, state) in self.kinds.iter_mut().filter(|(other, _)| other.cluster == key.cluster) {
            for known in state.objects.values_mut() {
                let object = &mut known.object;
                if object.namespace_row.is_none() && object.namespace.as_deref() == Some(name) {
                    object.namespace_row = Some(row);
                    self.entries.push(Entry::Object(object.clone()));
                }
            }
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
            state.ended.is_some() && self.last_ms - proven_ms > FORGOTTEN_MS
        };
        for (key, state) in self.kinds.iter().filter(|(_, state)| !is_forgotten(state)) {
            next.kinds += 1;
            entries.push(Entry::Kind { number: next.kinds, key: key.clone() });
            let mut fresh = KindState::new(next.kinds, None);
            if let Some(columns) = &state.columns {
                fresh.columns(Arc::clone(columns), self.last_ms, &mut entries);
            }
            for (row, known) in &state.objects {
                let Some(content) = state.content(known) else { continue };
                next.objects += 1;
                let mut object = known.object.clone();
                (object.number, object.kind) = (next.objects, next.kinds);
                let mut moved = Known::new(object);
                moved.adopt(known);
                fresh.objects.insert(*row, moved);
                let written = fresh.write_content(*row, (content, true), (number, self.last_ms));
                number += 1;
                entries.extend(written.into_iter().flatten());
            }
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

    /// Nothing is kept since a time: the next segment says so of each kind that is recorded.
    #[must_use]
    pub fn unrecorded(&self, segment: &Segment, from_ms: UnixMillis, why: &Why) -> Vec<Entry> {
        let is_recorded = |key: &&KindKey| self.kinds.get(key).is_some_and(|state| state.ended.is_none());
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

fn state_of<'a>(kinds: &'a mut BTreeMap<KindKey, KindState>, key: &KindKey) -> Option<&'a mut KindState> {
    kinds.get_mut(key)
}

fn is_namespaces(key: &KindKey) -> bool {
    key.resource.is_core() && key.resource.resource.as_str() == "namespaces"
}

fn owner_of(row: &Row) -> Option<RowId> {
    row.extra.as_ref()?.owner.as_ref()?.row
}

impl KindState {
    fn new(number: i64, ended: Option<Why>) -> Self {
        Self {
            number,
            columns: None,
            model: None,
            objects: HashMap::new(),
            listed: None,
            proof: None,
            ended,
            waiting: HashSet::new(),
        }
    }

    fn columns(&mut self, columns: Arc<[Column]>, at_ms: UnixMillis, entries: &mut Vec<Entry>) {
        if self.columns.as_ref() != Some(&columns) {
            entries.push(Entry::Columns { kind: self.number, at_ms, columns: Arc::clone(&columns) });
            self.columns = Some(columns);
        }
    }

    /// Whether the proof is to be written: one a minute is.
    fn prove(&mut self, at_ms: UnixMillis, resource_version: ResourceVersion) -> bool {
        let written_ms = self.proof.as_ref().map_or(UnixMillis::MIN / 2, |proof| proof.written_ms);
        self.proof = Some(LastProof { at_ms, resource_version, written_ms });
        at_ms - written_ms >= MINUTE_MS
    }

    fn write_proof(&mut self, entries: &mut Vec<Entry>) {
        if let Some(proof) = &mut self.proof {
            proof.written_ms = proof.at_ms;
            let (at_ms, resource_version) = (proof.at_ms, proof.resource_version.clone());
            entries.push(Entry::Proof { kind: self.number, at_ms, resource_version });
        }
    }

    fn resume(&mut self, row: RowId, version: VersionEntry) {
        let Some(known) = self.objects.get_mut(&row) else { return };
        known.resource_version = version.resource_version;
        known.trouble = version.trouble;
        let content = Content { head: version.head, body: version.body };
        match version.op {
            Op::Keyframe { .. } => {
                (known.keyframe, known.packed, known.patch) = (version.number, content, None);
            }
            Op::Patch { .. } => {
                known.patch = Some(content);
                known.patches += 1;
            }
            Op::Deleted { .. } => {
                self.objects.remove(&row);
            }
        }
    }

    /// The last version that was written of an object.
    fn content(&self, known: &Known) -> Option<Content> {
        let keyframe = known.packed.unpack(self.model.as_ref()?)?;
        match &known.patch {
            Some(patch) => patch.unpack(&keyframe),
            None => Some(keyframe),
        }
    }

    fn write(
        &mut self,
        version: &Version,
        (number, at_ms, means): (i64, UnixMillis, u64),
        namespace_row: Option<RowId>,
        run: u64,
    ) -> Option<Vec<Entry>> {
        let row = version.row.id;
        let known = self.objects.get_mut(&row)?;
        let writers = known.new_writers(version);
        known.meaning = Some(means);
        known.resource_version = version.row.resource_version.clone();
        known.trouble = is_in_trouble(&version.row);
        if known.object.namespace_row.is_none() {
            known.object.namespace_row = namespace_row;
        }
        let content = Content::of(&Head::of(version, writers, run), &version.body)?;
        self.write_content(row, (content, false), (number, at_ms))
    }

    fn write_content(
        &mut self,
        row: RowId,
        (content, moved): (Content, bool),
        (number, at_ms): (i64, UnixMillis),
    ) -> Option<Vec<Entry>> {
        let mut entries = Vec::new();
        if self.model.is_none() {
            let Content { head, body } = content.pack(&Content::default())?;
            entries.push(Entry::Model { kind: self.number, head, body });
            self.model = Some(content.clone());
        }
        let model = self.model.as_ref()?;
        let known = self.objects.get_mut(&row)?;
        let is_first = known.packed.head.is_empty();
        if is_first {
            entries.push(Entry::Object(known.object.clone()));
        }
        let patch = if is_first || known.patches >= PATCHES_MAX {
            None
        } else {
            let keyframe = known.packed.unpack(model)?;
            // A patch that is as large as a keyframe has nothing to say for itself.
            content.pack(&keyframe).filter(|patch| patch.len() < known.packed.len() / 2 + 64)
        };
        let (op, packed) = match patch {
            Some(patch) => {
                known.patches += 1;
                known.patch = Some(patch.clone());
                (Op::Patch { keyframe: known.keyframe }, patch)
            }
            None => {
                let packed = content.pack(model)?;
                (known.keyframe, known.patches, known.patch) = (number, 0, None);
                known.packed = packed.clone();
                (Op::Keyframe { moved }, packed)
            }
        };
        entries.push(Entry::Version(VersionEntry {
            object: known.object.number,
            kind: self.number,
            number,
            at_ms,
            resource_version: known.resource_version.clone(),
            op,
            skipped: if moved { 0 } else { std::mem::take(&mut known.skipped) },
            trouble: known.trouble,
            head: packed.head,
            body: packed.body,
        }));
        Some(entries)
    }

    /// Takes over how the objects were written into another segment.
    fn move_to(&mut self, fresh: Self) {
        (self.number, self.model, self.objects) = (fresh.number, fresh.model, fresh.objects);
        if let (Some(proof), Some(written)) = (&mut self.proof, fresh.proof) {
            proof.written_ms = written.written_ms;
        }
    }
}

fn is_in_trouble(row: &Row) -> bool {
    row.health().is_some_and(|health| health.class == HealthClass::Failing)
}

impl Known {
    fn new(object: ObjectEntry) -> Self {
        Self {
            object,
            resource_version: ResourceVersion::default(),
            meaning: None,
            keyframe: 0,
            packed: Content::default(),
            patch: None,
            patches: 0,
            skipped: 0,
            trouble: false,
            written_s: i64::MIN,
            minute_ms: UnixMillis::MIN / 2,
            in_minute: 0,
            waiting: None,
        }
    }

    /// What doesn't depend on the segment.
    fn adopt(&mut self, former: &Self) {
        self.resource_version = former.resource_version.clone();
        (self.meaning, self.skipped, self.trouble) = (former.meaning, former.skipped, former.trouble);
        (self.written_s, self.minute_ms, self.in_minute) =
            (former.written_s, former.minute_ms, former.in_minute);
        self.waiting.clone_from(&former.waiting);
    }

    /// Whether a version at this time is one of too many, and not one of those that are kept all the same.
    fn waits(&mut self, at_ms: UnixMillis) -> bool {
        if at_ms - self.minute_ms >= MINUTE_MS {
            (self.minute_ms, self.in_minute) = (at_ms, 0);
        }
        self.in_minute += 1;
        self.in_minute > A_MINUTE_MAX && !self.in_minute.is_multiple_of(KEPT_BEYOND)
    }

    /// Those that wrote since the version before. Two that wrote within one second are both named.
    fn new_writers(&mut self, version: &Version) -> Vec<Writer> {
        let time = |writer: &Writer| writer.time.unwrap_or(i64::MIN);
        let newest = version.writers.iter().map(time).max().unwrap_or(i64::MIN);
        let since = self.written_s;
        self.written_s = newest.max(since);
        let is_new = |writer: &&Writer| time(writer) > since || time(writer) == newest;
        version.writers.iter().filter(is_new).cloned().collect()
    }
}

//! What a recorder knows of one kind, and how a version of it is written: as a keyframe or a patch to one.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use shared::column::Column;
use shared::frame::timeline::Writer;
use shared::health::HealthClass;
use shared::past::{Unrecorded, Why};
use shared::resource::Kind;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use crate::noise::{is_noise, shows_the_same};
use crate::open_list::OpenList;
use crate::pack::{pack, pack_patch, unpack, unpack_version};
use crate::store::{Entry, ObjectEntry, VersionEntry};
use crate::texts::Texts;
use crate::version::{Head, HeadText, Op, Version};

/// A new keyframe at the latest after so many patches.
pub(crate) const PATCHES_MAX: u32 = 64;
/// Keyframes of objects that resemble each other closely take as little.
const SMALL_PATCH_BYTES: usize = 256;
/// An object that changes more often within a minute has every tenth version kept.
const A_MINUTE_MAX: u32 = 60;
const KEPT_BEYOND: u32 = 10;
pub(crate) const MINUTE_MS: i64 = 60_000;
/// A view as of a time shows each object as it was so long before, however busy it is. A deployment of a few pods that rolls
/// out again and again changes 90 times a minute. Twelve more versions a minute cost as much as a fifth of the first 60.
pub(crate) const WAITS_MS: i64 = 5_000;

pub(crate) struct KindState {
    pub(crate) number: i64,
    pub(crate) named: Option<Arc<Kind>>,
    pub(crate) columns: Option<Arc<[Column]>>,
    /// Since when it has these columns.
    pub(crate) columns_ms: UnixMillis,
    pub(crate) model: Option<Content>,
    pub(crate) objects: HashMap<RowId, Known>,
    /// The list that runs, or that the record has yet to go on after.
    pub(crate) list: Option<OpenList>,
    pub(crate) proof: Option<LastProof>,
    /// The newest version that a list told before the former run was killed in it: with it, the record mixes two times.
    pub(crate) torn: Option<ResourceVersion>,
    /// A list told something since the last proof that was written.
    pub(crate) has_listed: bool,
    /// Why nothing is told of it since its last proof. `None`: it is recorded.
    pub(crate) ended: Option<Why>,
    /// Objects with a version that waits.
    pub(crate) waiting: HashSet<RowId>,
    /// Times of which nothing was recorded, and a store took no word of them: the next segment has them.
    pub(crate) owed: Vec<Unrecorded>,
}

/// The last such time grows where there would be more.
const OWED_MAX: usize = 32;

#[derive(Clone)]
pub(crate) struct LastProof {
    pub(crate) at_ms: UnixMillis,
    pub(crate) resource_version: ResourceVersion,
    pub(crate) written_ms: UnixMillis,
}

/// A head and a body, as texts or compressed.
#[derive(Clone, Default)]
pub(crate) struct Content {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

/// The last version of an object.
pub(crate) struct Known {
    pub(crate) object: ObjectEntry,
    pub(crate) resource_version: ResourceVersion,
    /// This run wrote its last version. What a former one wrote isn't compared with what follows.
    pub(crate) is_of_run: bool,
    pub(crate) keyframe: i64,
    pub(crate) packed: Content,
    pub(crate) patch: Option<Content>,
    pub(crate) patches: u32,
    pub(crate) skipped: u32,
    pub(crate) trouble: bool,
    /// The newest time of a writer.
    pub(crate) written_s: i64,
    pub(crate) minute_ms: UnixMillis,
    pub(crate) in_minute: u32,
    /// Its columns are others since then, so its cells are written again with the next version, whichever that is.
    pub(crate) is_printed_otherwise: bool,
    pub(crate) waiting: Option<Waiting>,
}

/// A version beyond the bound of a minute.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub(crate) version: Box<Version>,
    /// Since when versions of the object wait: the last of them is written [`WAITS_MS`] later.
    pub(crate) since_ms: UnixMillis,
}

impl Content {
    pub(crate) fn text(&self) -> ContentText<'_> {
        ContentText { head: &self.head, body: &self.body }
    }

    pub(crate) fn unpack(&self, prefix: &Self) -> Option<Self> {
        Some(Self { head: unpack(&self.head, &prefix.head)?, body: unpack(&self.body, &prefix.body)? })
    }

    pub(crate) fn len(&self) -> usize {
        self.head.len() + self.body.len()
    }
}

/// The texts of a head and a body.
#[derive(Clone, Copy)]
pub(crate) struct ContentText<'a> {
    pub(crate) head: &'a [u8],
    pub(crate) body: &'a [u8],
}

impl ContentText<'_> {
    fn to_content(self) -> Content {
        Content { head: self.head.to_vec(), body: self.body.to_vec() }
    }

    pub(crate) fn pack(self, prefix: &Content) -> Option<Content> {
        Some(Content { head: pack(self.head, &prefix.head)?, body: pack(self.body, &prefix.body)? })
    }

    /// As a patch to a keyframe.
    fn pack_patch(self, keyframe: &Content) -> Option<Content> {
        let (head, body) = (pack_patch(self.head, &keyframe.head)?, pack_patch(self.body, &keyframe.body)?);
        Some(Content { head, body })
    }
}

impl KindState {
    pub(crate) fn new(number: i64, ended: Option<Why>) -> Self {
        Self {
            number,
            named: None,
            columns: None,
            columns_ms: UnixMillis::MIN,
            model: None,
            objects: HashMap::new(),
            list: None,
            proof: None,
            torn: None,
            has_listed: false,
            ended,
            waiting: HashSet::new(),
            owed: Vec::new(),
        }
    }

    pub(crate) fn name(&mut self, named: Arc<Kind>, entries: &mut Vec<Entry>) {
        if self.named.as_ref() != Some(&named) {
            entries.push(Entry::Named { kind: self.number, named: Arc::clone(&named) });
            self.named = Some(named);
        }
    }

    pub(crate) fn columns(&mut self, columns: Arc<[Column]>, at_ms: UnixMillis, entries: &mut Vec<Entry>) {
        if self.columns.as_ref() != Some(&columns) {
            self.objects.values_mut().for_each(|known| known.is_printed_otherwise = true);
            entries.push(Entry::Columns { kind: self.number, at_ms, columns: Arc::clone(&columns) });
            (self.columns, self.columns_ms) = (Some(columns), at_ms);
        }
    }

    pub(crate) fn owe(&mut self, unrecorded: Unrecorded) {
        let is_full = self.owed.len() >= OWED_MAX;
        match self.owed.last_mut().filter(|_| is_full) {
            Some(last) => {
                last.from_ms = last.from_ms.min(unrecorded.from_ms);
                last.to_ms = last.to_ms.max(unrecorded.to_ms);
            }
            None => self.owed.push(unrecorded),
        }
    }

    /// Whether the proof is to be written: one a minute is.
    pub(crate) fn prove(&mut self, at_ms: UnixMillis, resource_version: ResourceVersion) -> bool {
        let written_ms = self.proof.as_ref().map_or(UnixMillis::MIN / 2, |proof| proof.written_ms);
        self.proof = Some(LastProof { at_ms, resource_version, written_ms });
        at_ms - written_ms >= MINUTE_MS
    }

    /// An event tells that all before it was told.
    pub(crate) fn heard(&mut self, at_ms: UnixMillis, resource_version: &ResourceVersion) {
        if let Some(proof) = &mut self.proof
            && proof.resource_version.is_older_than(resource_version)
        {
            (proof.at_ms, proof.resource_version) = (at_ms, resource_version.clone());
        }
    }

    /// Whether nothing of these columns was told when the record was proven last: until all objects are told with them, the
    /// rows of before stand under other columns. A record that was never proven may have such rows.
    pub(crate) fn has_new_columns(&self) -> bool {
        self.proof.as_ref().is_none_or(|proof| self.columns_ms > proof.at_ms)
    }

    /// What was written after the last proof was heard in its order as well, but for what a list told.
    pub(crate) fn heard_before(
        &mut self,
        row: RowId,
        (at_ms, resource_version): (UnixMillis, &ResourceVersion),
        op: Op,
    ) {
        if self.is_recorded(resource_version) {
            return;
        }
        let is_of_list = match op {
            Op::Deleted { relisted } => relisted,
            Op::Keyframe { .. } | Op::Patch { .. } => {
                let content = self.objects.get(&row).and_then(|known| self.content(known));
                let head = content.and_then(|content| serde_json::from_slice::<Head>(&content.head).ok());
                head.is_none_or(|head| head.relisted || head.resource_version != *resource_version)
            }
        };
        if !is_of_list {
            self.heard(at_ms, resource_version);
        }
    }

    /// The newest version that the record may have, or a newer one.
    pub(crate) fn end(&self) -> Option<&ResourceVersion> {
        let proven = self.proof.as_ref().map(|proof| &proof.resource_version);
        let is_newer = |torn: &&ResourceVersion| proven.is_none_or(|proven| proven.is_older_than(torn));
        self.torn.as_ref().filter(is_newer).or(proven)
    }

    /// The former run wrote this version. If it is newer than what was proven, a list told it that was never whole.
    pub(crate) fn torn_by(&mut self, resource_version: ResourceVersion) {
        if !self.is_recorded(&resource_version) {
            self.torn = Some(resource_version);
        }
    }

    /// Whether the record of before its end has a version of this number or a later one.
    pub(crate) fn is_recorded(&self, resource_version: &ResourceVersion) -> bool {
        let order = self.end().and_then(|end| resource_version.compare(end));
        order.is_some_and(Ordering::is_le)
    }

    pub(crate) fn write_proof(&mut self, entries: &mut Vec<Entry>) {
        if let Some(proof) = &mut self.proof {
            self.has_listed = false;
            proof.written_ms = proof.at_ms;
            let (at_ms, resource_version) = (proof.at_ms, proof.resource_version.clone());
            entries.push(Entry::Proof { kind: self.number, at_ms, resource_version });
        }
    }

    pub(crate) fn resume(&mut self, row: RowId, version: VersionEntry) {
        let known = self.objects.get_mut(&row);
        // An object that went and came back has another number, and the versions of before belong to the former.
        let Some(known) = known.filter(|known| known.object.number == version.object) else { return };
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
    pub(crate) fn content(&self, known: &Known) -> Option<Content> {
        let (model, keyframe, patch) = (self.model.as_ref()?, &known.packed, known.patch.as_ref());
        Some(Content {
            head: unpack_version(&model.head, &keyframe.head, patch.map(|patch| &*patch.head))?,
            body: unpack_version(&model.body, &keyframe.body, patch.map(|patch| &*patch.body))?,
        })
    }

    /// Whether a version says what was written of its object last.
    pub(crate) fn says_the_same(&self, known: &Known, version: &Version, texts: &Texts) -> bool {
        let is_noise = || {
            let keyframe = self.keyframe(known, texts)?;
            let body = match &known.patch {
                Some(patch) => &unpack(&patch.body, &keyframe.body)?,
                None => &keyframe.body,
            };
            if !is_noise(body, &version.body) {
                return Some(false);
            }
            // Few versions come here.
            let head = match &known.patch {
                Some(patch) => &unpack(&patch.head, &keyframe.head)?,
                None => &keyframe.head,
            };
            Some(shows_the_same(&serde_json::from_slice(head).ok()?, version))
        };
        known.is_of_run && is_noise().unwrap_or_default()
    }

    fn keyframe(&self, known: &Known, texts: &Texts) -> Option<Arc<Content>> {
        texts.keyframe(known.keyframe, || known.packed.unpack(self.model.as_ref()?))
    }

    pub(crate) fn write(
        &mut self,
        version: &Version,
        (number, at_ms): (i64, UnixMillis),
        namespace_row: Option<RowId>,
        (run, texts): (u64, &Texts),
    ) -> Option<Vec<Entry>> {
        let row = version.row.id;
        let known = self.objects.get_mut(&row)?;
        // The same version with other cells is no change.
        let moved = std::mem::take(&mut known.is_printed_otherwise)
            && known.resource_version == version.row.resource_version;
        let writers = known.new_writers(version);
        known.is_of_run = true;
        known.resource_version = version.row.resource_version.clone();
        known.trouble = is_in_trouble(&version.row);
        if known.object.namespace_row.is_none() {
            known.object.namespace_row = namespace_row;
        }
        let head = HeadText::of(version, &writers, run).write()?;
        let text = ContentText { head: &head, body: &version.body };
        self.write_content(row, (text, moved), (number, at_ms), Some(texts))
    }

    pub(crate) fn write_content(
        &mut self,
        row: RowId,
        (text, moved): (ContentText<'_>, bool),
        (number, at_ms): (i64, UnixMillis),
        texts: Option<&Texts>,
    ) -> Option<Vec<Entry>> {
        let mut entries = Vec::new();
        if self.model.is_none() {
            let Content { head, body } = text.pack(&Content::default())?;
            entries.push(Entry::Model { kind: self.number, head, body });
            self.model = Some(text.to_content());
        }
        let model = self.model.as_ref()?;
        let known = self.objects.get_mut(&row)?;
        let is_first = known.packed.head.is_empty();
        if is_first {
            entries.push(Entry::Object(known.object.clone()));
        }
        let patch = if is_first || moved || known.patches >= PATCHES_MAX {
            None
        } else {
            let unpack = || known.packed.unpack(model);
            let keyframe = match texts {
                Some(texts) => texts.keyframe(known.keyframe, unpack)?,
                None => Arc::new(unpack()?),
            };
            // A patch that is as large as a keyframe has nothing to say for itself, unless it is small: it takes a tenth of
            // the time.
            let bytes_max = (known.packed.len() / 2 + 64).max(SMALL_PATCH_BYTES);
            text.pack_patch(&keyframe).filter(|patch| patch.len() < bytes_max)
        };
        let (op, packed) = match patch {
            Some(patch) => {
                known.patches += 1;
                known.patch = Some(patch.clone());
                (Op::Patch { keyframe: known.keyframe }, patch)
            }
            None => {
                let packed = text.pack(model)?;
                if let Some(texts) = texts {
                    texts.remove(known.keyframe);
                    // An object that changed once changes again; most of a list don't soon.
                    if !is_first {
                        texts.put(number, Arc::new(text.to_content()));
                    }
                }
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
            listed: self.list.is_some() || self.ended.is_some(),
        }));
        Some(entries)
    }

    /// Takes over how the objects were written into another segment.
    pub(crate) fn move_to(&mut self, fresh: Self) {
        (self.number, self.model, self.objects) = (fresh.number, fresh.model, fresh.objects);
        self.owed.clear();
        if let (Some(proof), Some(written)) = (&mut self.proof, fresh.proof) {
            proof.written_ms = written.written_ms;
        }
    }
}

fn is_in_trouble(row: &Row) -> bool {
    row.health().is_some_and(|health| health.class == HealthClass::Failing)
}

impl Known {
    pub(crate) fn new(object: ObjectEntry) -> Self {
        Self {
            object,
            resource_version: ResourceVersion::default(),
            is_of_run: false,
            keyframe: 0,
            packed: Content::default(),
            patch: None,
            patches: 0,
            skipped: 0,
            trouble: false,
            written_s: i64::MIN,
            minute_ms: UnixMillis::MIN / 2,
            in_minute: 0,
            is_printed_otherwise: false,
            waiting: None,
        }
    }

    /// What doesn't depend on the segment.
    pub(crate) fn adopt(&mut self, former: &Self) {
        self.resource_version = former.resource_version.clone();
        (self.is_of_run, self.skipped, self.trouble) = (former.is_of_run, former.skipped, former.trouble);
        (self.written_s, self.minute_ms, self.in_minute) =
            (former.written_s, former.minute_ms, former.in_minute);
        self.is_printed_otherwise = former.is_printed_otherwise;
        self.waiting.clone_from(&former.waiting);
    }

    /// Whether a version at this time is one of too many, and not one of those that are kept all the same.
    pub(crate) fn waits(&mut self, at_ms: UnixMillis) -> bool {
        if at_ms - self.minute_ms >= MINUTE_MS {
            (self.minute_ms, self.in_minute) = (at_ms, 0);
        }
        self.in_minute += 1;
        self.in_minute > A_MINUTE_MAX && !self.in_minute.is_multiple_of(KEPT_BEYOND)
    }

    /// Those that wrote since the version before. Two that wrote within one second are both named.
    pub(crate) fn new_writers(&mut self, version: &Version) -> Vec<Writer> {
        let time = |writer: &Writer| writer.time.unwrap_or(i64::MIN);
        let newest = version.writers.iter().map(time).max().unwrap_or(i64::MIN);
        let since = self.written_s;
        self.written_s = newest.max(since);
        let is_new = |writer: &&Writer| time(writer) > since || time(writer) == newest;
        version.writers.iter().filter(is_new).cloned().collect()
    }
}

//! What is removed of a record afterwards. Pure: stores hand in the versions of an object, and write what is left.
//!
//! What is left is packed anew, and against another model: a patch is compressed against its keyframe and that against the
//! model of its kind, so what is removed of one version could be read in many.

use std::collections::HashSet;
use std::sync::Arc;

use shared::column::Column;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use crate::kind::KindKey;
use crate::kind_state::{Content, KindState, Known, PATCHES_MAX};
use crate::removed::{Mark, Spans};
use crate::store::{Entry, ObjectEntry, VersionEntry, columns_at};
use crate::version::{Head, Op};

/// Changes a head and a body, where it must. Whether it did.
pub type Change<'a> = &'a dyn Fn(&KindKey, &[Column], &mut Head, &mut Vec<u8>) -> bool;

/// What is removed: versions that are meant by all of these.
pub struct Purge<'a> {
    pub kind: &'a dyn Fn(&KindKey) -> bool,
    pub namespace: Option<&'a str>,
    /// Versions that another one had replaced by then; with a change, all that are older.
    pub before_ms: Option<UnixMillis>,
    /// Something within them is removed, and they stay.
    pub change: Option<Change<'a>>,
    /// The path of what is removed within them, for the mark that is left. With a change and without a path, it is what is
    /// masked now.
    pub path: Option<&'a str>,
    /// When it is removed.
    pub removed_ms: UnixMillis,
}

/// What was removed, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    pub versions: usize,
    pub objects: usize,
}

/// What was removed so far.
#[derive(Default)]
pub(crate) struct Tally {
    removed: usize,
    versions: usize,
    objects: HashSet<(Box<str>, RowId)>,
    /// The times of what was removed of the segment that is purged.
    spans: Spans,
}

impl Tally {
    pub(crate) fn purged(&self) -> Purged {
        Purged { versions: self.versions, objects: self.objects.len() }
    }

    /// With what is in a segment only because it began.
    pub(crate) fn removed(&self) -> usize {
        self.removed
    }

    /// What the segment says afterwards of what was removed from it.
    pub(crate) fn take_marks(&mut self, purge: &Purge<'_>) -> Vec<Mark> {
        std::mem::take(&mut self.spans).marks(purge)
    }

    /// A version that was the last one for a time.
    fn add(&mut self, key: &KindKey, (row, op): (RowId, Op), time: (UnixMillis, UnixMillis)) {
        self.spans.add(key, time);
        self.removed += 1;
        self.versions += usize::from(!matches!(op, Op::Keyframe { moved: true }));
        self.objects.insert((key.cluster.clone(), row));
    }
}

impl Purge<'_> {
    /// Nothing of the kind is left.
    pub(crate) fn drops(&self, key: &KindKey) -> bool {
        self.removes_all_of(key) && self.before_ms.is_none()
    }

    /// Until when nothing of the kind is left.
    pub(crate) fn begins_at(&self, key: &KindKey) -> Option<UnixMillis> {
        self.before_ms.filter(|_| self.removes_all_of(key))
    }

    /// Whether objects of the kind may be missing afterwards that are in the cluster: the next run lists all of them. What
    /// only was replaced before a time leaves each object with its last version.
    pub(crate) fn loses_objects_of(&self, key: &KindKey) -> bool {
        self.change.is_none() && self.before_ms.is_none() && (self.kind)(key)
    }

    fn removes_all_of(&self, key: &KindKey) -> bool {
        self.change.is_none() && self.namespace.is_none() && (self.kind)(key)
    }
}

/// A version with its content.
pub(crate) struct Plain {
    pub(crate) number: i64,
    pub(crate) at_ms: UnixMillis,
    pub(crate) resource_version: ResourceVersion,
    pub(crate) op: Op,
    pub(crate) skipped: u32,
    pub(crate) trouble: bool,
    /// `None`: the object is gone, or the content can't be read any more.
    pub(crate) content: Option<Content>,
}

/// One kind of a segment, on its way into another one.
pub(crate) struct KindPurge<'a> {
    purge: &'a Purge<'a>,
    key: KindKey,
    columns: ColumnsOfKind,
    state: KindState,
}

impl<'a> KindPurge<'a> {
    pub(crate) fn new(purge: &'a Purge<'a>, (number, key): (i64, KindKey), columns: ColumnsOfKind) -> Self {
        Self { purge, key, columns, state: KindState::new(number, None) }
    }

    /// What is left of an object. `until_ms`: the next segment begins then, with the object if it is still there.
    pub(crate) fn object(
        &mut self,
        object: &ObjectEntry,
        versions: Vec<Plain>,
        until_ms: Option<UnixMillis>,
        tally: &mut Tally,
    ) -> Vec<Entry> {
        let of_namespace = self.purge.namespace.is_none_or(|name| object.namespace.as_deref() == Some(name));
        let is_meant = of_namespace && (self.purge.kind)(&self.key);
        let nexts: Vec<_> = versions.iter().skip(1).map(|next| Some(next.at_ms)).chain([until_ms]).collect();
        let mut entries = Vec::new();
        for (mut version, next_ms) in versions.into_iter().zip(nexts) {
            if is_meant && self.removes(&mut version, next_ms) {
                let is_gone = matches!(version.op, Op::Deleted { .. });
                let to_ms = if is_gone { version.at_ms } else { next_ms.unwrap_or(self.purge.removed_ms) };
                tally.add(&self.key, (object.row, version.op), (version.at_ms, to_ms));
                if self.purge.change.is_none() {
                    continue;
                }
            }
            entries.extend(self.write(object, version));
        }
        self.state.objects.remove(&object.row);
        entries
    }

    /// Whether the version is removed, or something of it was.
    fn removes(&self, version: &mut Plain, next_ms: Option<UnixMillis>) -> bool {
        let before_ms = self.purge.before_ms.unwrap_or(UnixMillis::MAX);
        let Some(change) = self.purge.change else {
            let is_gone = matches!(version.op, Op::Deleted { .. });
            let until_ms = if is_gone { Some(version.at_ms) } else { next_ms };
            return self.purge.before_ms.is_none() || until_ms.is_some_and(|until_ms| until_ms <= before_ms);
        };
        let Some(content) = version.content.as_mut().filter(|_| version.at_ms < before_ms) else {
            return false;
        };
        let Ok(mut head) = serde_json::from_slice::<Head>(&content.head) else { return false };
        let columns = columns_at(&self.columns, version.at_ms);
        let is_changed = change(&self.key, &columns, &mut head, &mut content.body);
        if is_changed && let Ok(head) = serde_json::to_vec(&head) {
            content.head = head;
        }
        is_changed
    }

    fn write(&mut self, object: &ObjectEntry, version: Plain) -> Vec<Entry> {
        let Plain { number, at_ms, resource_version, op, skipped, trouble, content } = version;
        if matches!(op, Op::Deleted { .. }) {
            // Without a version before it there is nothing that it ends.
            let Some(known) = self.state.objects.remove(&object.row) else { return Vec::new() };
            return vec![Entry::Version(VersionEntry {
                object: known.object.number,
                kind: self.state.number,
                number,
                at_ms,
                resource_version,
                op,
                skipped,
                trouble,
                listed: true,
                head: Vec::new(),
                body: Vec::new(),
            })];
        }
        let Some(content) = content else { return Vec::new() };
        let known = self.state.objects.entry(object.row).or_insert_with(|| Known::new(object.clone()));
        (known.resource_version, known.skipped, known.trouble) = (resource_version, skipped, trouble);
        let moved = matches!(op, Op::Keyframe { moved: true });
        if moved {
            // It stays a keyframe, which says that nothing had changed.
            known.patches = PATCHES_MAX;
        }
        self.state
            .write_content(object.row, (content.text(), moved), (number, at_ms), None)
            .unwrap_or_default()
    }
}

/// The columns of a kind, each with the time since when.
pub(crate) type ColumnsOfKind = Vec<(UnixMillis, Arc<[Column]>)>;

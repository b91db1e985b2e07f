//! What can be asked of a history. Times are the gateway's; nothing here knows who asks.

use std::sync::Arc;

use shared::column::Column;
use shared::past::{Removed, Unrecorded};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use crate::kind::KindKey;
use crate::pack::unpack_version;
use crate::store::StoreError;
use crate::version::Head;

/// Reads a history, beside the recorder.
pub trait Past: Send + Sync {
    /// How far back a kind is known. `None`: nothing of it was recorded.
    ///
    /// # Errors
    /// The store can't be read.
    fn extent(&self, key: &KindKey) -> Result<Option<Extent>, StoreError>;

    /// What was removed of a kind afterwards: each purge once, the oldest first. It stays as long as what was recorded then.
    ///
    /// # Errors
    /// The store can't be read.
    fn removed(&self, key: &KindKey) -> Result<Vec<Removed>, StoreError>;

    /// All objects of a kind as they were. `None`: the record of the kind begins later.
    ///
    /// # Errors
    /// The store can't be read.
    fn moment(&self, key: &KindKey, at_ms: UnixMillis) -> Result<Option<Moment>, StoreError>;

    /// So many versions of one object before a number, the newest first.
    ///
    /// # Errors
    /// The store can't be read.
    fn versions(
        &self,
        key: &KindKey,
        row: RowId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError>;

    /// The object that had a name last, whether it is there or not. `None`: none of the name was recorded.
    ///
    /// # Errors
    /// The store can't be read.
    fn named(&self, key: &KindKey, namespace: Option<&str>, name: &str) -> Result<Option<RowId>, StoreError>;

    /// The last versions of the objects of a kind that are about another object, such as its Events: the newest first.
    ///
    /// # Errors
    /// The store can't be read.
    fn about(
        &self,
        key: &KindKey,
        row: RowId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError>;

    /// So many versions of all objects of a kind in a time (its ends belong to it), after a number (0: from the first on),
    /// in the order in which they were told.
    ///
    /// # Errors
    /// The store can't be read.
    fn changes(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        after: i64,
        limit: usize,
    ) -> Result<Vec<PastChange>, StoreError>;

    /// Hands on what [`Past::changes`] gives, with the contents of those alone whose body is wanted: until `hear` says that it
    /// is enough.
    ///
    /// # Errors
    /// The store can't be read. What was handed on until then holds.
    fn scan(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        is_wanted: &dyn Fn(&[u8]) -> bool,
        hear: &mut dyn FnMut(Scanned) -> bool,
    ) -> Result<(), StoreError>;

    /// How much happened in each of so many equal parts of a time.
    ///
    /// # Errors
    /// The store can't be read.
    fn activity(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        slots: usize,
        within: &Within,
    ) -> Result<Activity, StoreError>;
}

/// The objects whose changes are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    All,
    /// Those of namespaces with these names, and those without a namespace.
    Named(Vec<Box<str>>),
    /// Those of the namespaces with these rows.
    Rows(Vec<RowId>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    pub from_ms: UnixMillis,
    /// The last time that is known to be recorded.
    pub to_ms: UnixMillis,
    pub unrecorded: Vec<Unrecorded>,
}

/// A kind as it was.
#[derive(Clone, Debug)]
pub struct Moment {
    pub at_ms: UnixMillis,
    /// The last change or proof before that time.
    pub recorded_ms: UnixMillis,
    pub columns: Arc<[Column]>,
    pub objects: Vec<PastObject>,
    pub resource_version: ResourceVersion,
    /// Nothing was recorded at that time: the objects are those of before.
    pub unrecorded: Option<Unrecorded>,
    /// The last change at or before that time.
    pub changed_ms: Option<UnixMillis>,
    /// The last change before that one, and the next after the time.
    pub before_ms: Option<UnixMillis>,
    pub after_ms: Option<UnixMillis>,
}

#[derive(Clone, Debug)]
pub struct PastObject {
    pub row: RowId,
    pub namespace_row: Option<RowId>,
    pub at_ms: UnixMillis,
    pub head: Head,
    pub body: Arc<PackedBody>,
}

/// A body, or a patch to one, with what it was compressed against.
#[derive(Clone, Debug)]
pub struct PackedBody {
    pub(crate) model: Arc<[u8]>,
    pub(crate) keyframe: Vec<u8>,
    pub(crate) patch: Option<Vec<u8>>,
}

impl PackedBody {
    /// The object's JSON. `None` if it can't be read any more.
    #[must_use]
    pub fn unpack(&self) -> Option<Vec<u8>> {
        unpack_version(&self.model, &self.keyframe, self.patch.as_deref())
    }
}

/// One version of an object, or its end.
#[derive(Clone, Debug)]
pub struct PastVersion {
    pub number: i64,
    pub at_ms: UnixMillis,
    pub row: RowId,
    pub namespace_row: Option<RowId>,
    pub resource_version: ResourceVersion,
    /// How many versions before this one were counted and not kept.
    pub skipped: u32,
    pub state: PastState,
}

/// A version among those of its kind.
#[derive(Clone, Debug)]
pub struct PastChange {
    pub version: PastVersion,
    /// The object as it was before. `None`: it wasn't there, or that can't be read any more.
    pub before: Option<Box<Head>>,
    /// The columns of that time.
    pub columns: Arc<[Column]>,
}

/// A version that a scan came to.
#[derive(Clone, Debug)]
pub struct Scanned {
    pub at_ms: UnixMillis,
    pub row: RowId,
    pub namespace_row: Option<RowId>,
    pub found: Found,
}

#[derive(Clone, Debug)]
pub enum Found {
    Wanted {
        head: Box<Head>,
        body: Vec<u8>,
    },
    /// It isn't wanted, or the object was gone.
    Nothing,
    /// It can't be read any more.
    Damaged,
}

#[derive(Clone, Debug)]
pub enum PastState {
    There {
        head: Box<Head>,
        body: Vec<u8>,
    },
    Deleted {
        relisted: bool,
    },
    /// It can't be read any more.
    Damaged,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    pub from_ms: UnixMillis,
    pub slot_ms: i64,
    pub slots: Vec<Slot>,
}

impl Activity {
    /// So many parts, in which nothing happened yet.
    pub(crate) fn over((from_ms, to_ms): (UnixMillis, UnixMillis), slots: usize) -> Self {
        let slots = slots.max(1);
        let count = i64::try_from(slots).unwrap_or(i64::MAX);
        let slot_ms = (to_ms.saturating_sub(from_ms).max(0) / count).saturating_add(1);
        Self { from_ms, slot_ms, slots: vec![Slot::default(); slots] }
    }
}

/// What happened in a part of a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    pub changes: u32,
    /// The changes among those to or in a state of trouble.
    pub trouble: u32,
}

//! Where entries are kept.

use std::sync::Arc;

use shared::column::Column;
use shared::past::Unrecorded;
use shared::resource::Kind;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use crate::kind::KindKey;
use crate::past::Past;
use crate::version::Op;

/// What a recorder writes. Numbers of kinds and objects are of one segment; numbers of versions go on from segment to
/// segment, in the order in which they were heard.
#[derive(Clone, Debug)]
pub enum Entry {
    Kind {
        number: i64,
        key: KindKey,
    },
    /// The kind as discovery described it, for those that have no cluster to ask.
    Named {
        kind: i64,
        named: Arc<Kind>,
    },
    /// What keyframes of the kind are compressed against.
    Model {
        kind: i64,
        head: Vec<u8>,
        body: Vec<u8>,
    },
    Columns {
        kind: i64,
        at_ms: UnixMillis,
        columns: Arc<[Column]>,
    },
    Object(ObjectEntry),
    Version(VersionEntry),
    /// Nothing was recorded of the kind in this time.
    Unrecorded {
        kind: i64,
        unrecorded: Unrecorded,
    },
    /// Until then all was recorded, and the position of the kind's feed.
    Proof {
        kind: i64,
        at_ms: UnixMillis,
        resource_version: ResourceVersion,
    },
}

/// An object when it is first told in a segment, and again when the uid of its namespace is known.
#[derive(Clone, Debug)]
pub struct ObjectEntry {
    pub number: i64,
    pub kind: i64,
    pub row: RowId,
    pub namespace: Option<Box<str>>,
    /// The namespace's own row, which its uid makes: another one has it after it was made anew.
    pub namespace_row: Option<RowId>,
    pub name: Box<str>,
    /// Its owner, or what an Event is about.
    pub about: Option<RowId>,
}

#[derive(Clone, Debug)]
pub struct VersionEntry {
    pub object: i64,
    pub kind: i64,
    pub number: i64,
    pub at_ms: UnixMillis,
    pub resource_version: ResourceVersion,
    pub op: Op,
    /// How many versions before this one were counted and not kept.
    pub skipped: u32,
    /// Whether the object is in trouble.
    pub trouble: bool,
    /// A list told it that wasn't whole then: it doesn't say that all until then was heard.
    pub listed: bool,
    pub head: Vec<u8>,
    pub body: Vec<u8>,
}

/// Why a store didn't do what was asked, as a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub Box<str>);

/// Keeps batches of entries. All of a batch is kept, or nothing of it.
pub trait Store: Send {
    /// # Errors
    /// Nothing of the batch was kept.
    fn commit(&mut self, entries: &[Entry]) -> Result<(), StoreError>;

    /// Whether the segment is full or old.
    fn is_segment_over(&self, now_ms: UnixMillis) -> bool;

    /// Begins a segment with these entries, and drops the oldest as far as the bounds say.
    ///
    /// # Errors
    /// The former segment goes on.
    fn begin_segment(&mut self, entries: &[Entry], from_ms: UnixMillis) -> Result<(), StoreError>;

    /// From now on it may take so many bytes: the oldest segments are dropped as far as that says.
    fn bound(&mut self, bytes: u64);

    /// What the newest segment ended with, for a recorder that goes on there.
    ///
    /// # Errors
    /// It can't be read; the recorder begins another segment.
    fn resume(&mut self) -> Result<Vec<Entry>, StoreError>;

    /// The number after the last version of all segments, and the time of that.
    fn end(&self) -> (i64, UnixMillis);

    /// Reads beside the writer.
    fn past(&self) -> Arc<dyn Past>;

    /// The bytes that it takes now.
    fn byte_count(&self) -> u64;
}

impl Store for Box<dyn Store> {
    fn commit(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        (**self).commit(entries)
    }

    fn is_segment_over(&self, now_ms: UnixMillis) -> bool {
        (**self).is_segment_over(now_ms)
    }

    fn begin_segment(&mut self, entries: &[Entry], from_ms: UnixMillis) -> Result<(), StoreError> {
        (**self).begin_segment(entries, from_ms)
    }

    fn bound(&mut self, bytes: u64) {
        (**self).bound(bytes);
    }

    fn resume(&mut self) -> Result<Vec<Entry>, StoreError> {
        (**self).resume()
    }

    fn end(&self) -> (i64, UnixMillis) {
        (**self).end()
    }

    fn past(&self) -> Arc<dyn Past> {
        (**self).past()
    }

    fn byte_count(&self) -> u64 {
        (**self).byte_count()
    }
}

/// The columns of a time, of all with the times since when, the oldest first. Those of before the first are the first.
pub(crate) fn columns_at(columns: &[(UnixMillis, Arc<[Column]>)], at_ms: UnixMillis) -> Arc<[Column]> {
    let found = columns.iter().rev().find(|(since_ms, _)| *since_ms <= at_ms).or(columns.first());
    found.map(|(_, columns)| Arc::clone(columns)).unwrap_or_default()
}

/// Columns as a store keeps them.
pub(crate) fn columns_of(definitions: &str) -> Arc<[Column]> {
    serde_json::from_str::<Vec<Column>>(definitions).unwrap_or_default().into()
}

//! The objects that a stream has named, and the digest of the rows that its client holds: with it another gateway can go
//! on from any event. Never a row.

use std::collections::HashMap;

use shared::digest;
use shared::row::{Row, RowId};

/// The client of a stream that went on where an earlier one ended also holds rows that this stream hasn't named. What such
/// a row adds to the digest isn't known, so the digest isn't either once one of them changed, until the gateway says it.
pub(super) struct Named {
    /// What each adds to the digest.
    hashes: HashMap<RowId, u64>,
    digest: Option<u64>,
    /// Whether the client holds nothing but what was named here.
    is_all: bool,
}

impl Default for Named {
    fn default() -> Self {
        Self { hashes: HashMap::new(), digest: Some(0), is_all: true }
    }
}

impl Named {
    /// For a client that holds the rows of this digest.
    pub(super) fn after(digest: Option<u64>) -> Self {
        Self { hashes: HashMap::new(), digest, is_all: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    pub(super) fn has(&self, id: RowId) -> bool {
        self.hashes.contains_key(&id)
    }

    /// Whether it was named before.
    pub(super) fn put(&mut self, row: &Row) -> bool {
        let hash = digest::row_hash(row);
        let former = self.hashes.insert(row.id, hash);
        self.replace(former, hash);
        former.is_some()
    }

    pub(super) fn remove(&mut self, id: RowId) {
        let former = self.hashes.remove(&id);
        self.replace(former, 0);
    }

    fn replace(&mut self, former: Option<u64>, hash: u64) {
        let former = former.or(self.is_all.then_some(0));
        self.digest =
            self.digest.zip(former).map(|(sum, former)| sum.wrapping_sub(former).wrapping_add(hash));
    }

    /// The gateway says the digest of what was sent.
    pub(super) fn proven(&mut self, digest: Option<u64>) {
        self.digest = digest.or(self.digest);
    }

    pub(super) fn digest(&self) -> Option<Box<str>> {
        self.digest.map(|digest| digest::to_text(digest).into())
    }
}

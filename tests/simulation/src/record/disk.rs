//! A store in memory that outlives its gateway, and that is full for a time.

use std::sync::{Arc, Mutex, MutexGuard};

use history::{Bounds, Entry, Past, Segments, Store, StoreError};

use crate::defect::Defect;

#[derive(Clone)]
pub(crate) struct Disk(Arc<Mutex<Kept>>);

struct Kept {
    segments: Segments,
    now_ms: i64,
    full_until_ms: i64,
    defect: Option<Defect>,
}

const ROOMY: Bounds = Bounds { bytes: 1 << 30, age_ms: i64::MAX };

impl Disk {
    pub(crate) fn new(defect: Option<Defect>) -> Self {
        let segments = Segments::in_memory(ROOMY);
        let kept = Kept { segments, now_ms: i64::MIN, full_until_ms: i64::MIN, defect };
        Self(Arc::new(Mutex::new(kept)))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().expect("no run panics")
    }

    pub(super) fn look(&self, now_ms: i64) {
        self.kept().now_ms = now_ms;
    }

    pub(super) fn fill(&self, until_ms: i64) {
        self.kept().full_until_ms = until_ms;
    }

    pub(crate) fn empty(&self) {
        self.kept().full_until_ms = i64::MIN;
    }

    /// Whether a write is done. `Ok(false)`: a defect says so, and it isn't.
    fn is_written(&self) -> Result<bool, StoreError> {
        let kept = self.kept();
        let is_full = kept.now_ms < kept.full_until_ms;
        if is_full && kept.defect == Some(Defect::FullDiskUnnoticed) {
            return Ok(false);
        }
        if is_full { Err(StoreError("the disk is full".into())) } else { Ok(true) }
    }
}

impl Store for Disk {
    fn commit(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        if !self.is_written()? {
            return Ok(());
        }
        let is_torn = self.kept().defect == Some(Defect::CommitTorn) && entries.len() > 2;
        let entries = if is_torn { &entries[..entries.len() - 1] } else { entries };
        self.kept().segments.commit(entries)
    }

    fn is_segment_over(&self, now_ms: i64) -> bool {
        self.kept().segments.is_segment_over(now_ms)
    }

    fn begin_segment(&mut self, entries: &[Entry], from_ms: i64) -> Result<(), StoreError> {
        if self.is_written()? { self.kept().segments.begin_segment(entries, from_ms) } else { Ok(()) }
    }

    fn bound(&mut self, bytes: u64) {
        self.kept().segments.bound(bytes);
    }

    fn resume(&mut self) -> Result<Vec<Entry>, StoreError> {
        self.kept().segments.resume()
    }

    fn end(&self) -> (i64, i64) {
        self.kept().segments.end()
    }

    fn past(&self) -> Arc<dyn Past> {
        self.kept().segments.past()
    }

    fn byte_count(&self) -> u64 {
        self.kept().segments.byte_count()
    }
}

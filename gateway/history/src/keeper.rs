//! A recorder and its store: what is written when, and what is said while a store takes nothing.

use std::collections::HashMap;
use std::sync::Arc;

use shared::past::Why;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use crate::kind::KindKey;
use crate::past::Past;
use crate::recorder::{Recorder, Told};
use crate::store::{Entry, Store, StoreError};

/// Whether what is told is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    Recording,
    /// Nothing is kept since then. Another try follows.
    Stopped {
        since_ms: UnixMillis,
        why: Box<str>,
        retry_ms: UnixMillis,
    },
}

/// After a store has failed, it is tried again so long after.
const RETRY_MS: i64 = 15_000;

/// Tells a recorder what happens, and commits what it writes.
pub struct Keeper<S> {
    pub(crate) recorder: Recorder,
    pub(crate) store: S,
    standing: Standing,
    /// Until then all is kept that was told.
    kept_ms: UnixMillis,
}

impl<S: Store> Keeper<S> {
    /// Goes on where the store's record ended, or begins another segment. `run` is random.
    pub fn open(mut store: S, run: u64, now_ms: UnixMillis) -> Self {
        let mut recorder = Recorder::new(run, store.end());
        let resumed = store.resume().map(|entries| recorder.resume(entries));
        let kept_ms = recorder.time(now_ms);
        let mut keeper = Self { recorder, store, standing: Standing::Recording, kept_ms };
        if let Err(StoreError(why)) = resumed {
            keeper.standing = Standing::Stopped { since_ms: kept_ms, why, retry_ms: now_ms };
        }
        keeper.commit(now_ms);
        keeper
    }

    #[must_use]
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    #[must_use]
    pub fn past(&self) -> Arc<dyn Past> {
        self.store.past()
    }

    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.store.byte_count()
    }

    /// Where the record of each kind ended.
    #[must_use]
    pub fn positions(&self) -> HashMap<KindKey, ResourceVersion> {
        self.recorder.positions()
    }

    /// Nothing more is told.
    pub fn end(&mut self, now_ms: UnixMillis) {
        self.recorder.end(now_ms);
    }

    pub fn tell(&mut self, key: &KindKey, told: Told, now_ms: UnixMillis) {
        self.recorder.tell(key, told, now_ms);
    }

    /// Writes what was told since the last time. How many versions were written.
    pub fn commit(&mut self, now_ms: UnixMillis) -> usize {
        self.recorder.tick(now_ms);
        // What is told of times is by the record's own, which never goes back.
        let at_ms = self.recorder.time(now_ms);
        let done = match &self.standing {
            Standing::Recording if self.store.is_segment_over(now_ms) => self.begin_segment(None),
            Standing::Recording => {
                let entries = self.recorder.take_entries();
                self.write(entries)
            }
            // A time before these 15 s is that of a clock that was set back, which may take hours to be there again.
            Standing::Stopped { retry_ms, .. } if (retry_ms - RETRY_MS..*retry_ms).contains(&now_ms) => {
                // What the next segment begins with has all of it.
                let entries = self.recorder.take_entries();
                self.recorder.not_kept(entries);
                return 0;
            }
            Standing::Stopped { since_ms, why, .. } => {
                let missed = (*since_ms, Why::Failed(why.clone()));
                self.begin_segment(Some(missed))
            }
        };
        match done {
            Ok(count) => {
                (self.standing, self.kept_ms) = (Standing::Recording, at_ms);
                count
            }
            Err(StoreError(why)) => {
                let since_ms = match &self.standing {
                    Standing::Stopped { since_ms, .. } => *since_ms,
                    Standing::Recording => self.kept_ms,
                };
                let entries = self.recorder.take_entries();
                self.recorder.not_kept(entries);
                self.standing = Standing::Stopped { since_ms, why, retry_ms: now_ms + RETRY_MS };
                0
            }
        }
    }

    /// How many of these the store has taken: all, or an error.
    fn write(&mut self, entries: Vec<Entry>) -> Result<usize, StoreError> {
        let written = if entries.is_empty() { Ok(()) } else { self.store.commit(&entries) };
        match written {
            Ok(()) => Ok(entries.len()),
            Err(error) => {
                self.recorder.not_kept(entries);
                Err(error)
            }
        }
    }

    fn begin_segment(&mut self, missed: Option<(UnixMillis, Why)>) -> Result<usize, StoreError> {
        let last = self.recorder.take_entries();
        let last_count = last.len();
        match missed {
            None => {
                self.write(last)?;
            }
            Some(_) => self.recorder.not_kept(last),
        }
        if let Some((since_ms, _)) = &missed {
            // Also where a clock that was set back stands still, what was missed has a time of its own.
            self.recorder.time(since_ms + 1);
        }
        let mut segment = self.recorder.segment();
        if let Some((since_ms, why)) = missed {
            let unrecorded = self.recorder.unrecorded(&segment, since_ms, &why);
            segment.entries.extend(unrecorded);
        }
        self.store.begin_segment(&segment.entries, segment.from_ms)?;
        let count = last_count + segment.entries.len();
        self.recorder.begin_segment(segment);
        Ok(count)
    }
}

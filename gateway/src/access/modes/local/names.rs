//! Which pages of mode `local` live: those of the sessions in the user's state folder. The folder is read off the async
//! threads and at most once within [`LOGIN_LOOK_MS`], so a revoked session's name is known no more within a second. A
//! folder that hangs delays no request: what was known last counts on, and no second reader begins.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::sessions::SessionStore;
use crate::limits::{FILE_ANSWER_S, LOGIN_LOOK_MS};

#[derive(Clone)]
pub(super) struct LivingPages {
    store: SessionStore,
    known: Arc<Mutex<Known>>,
    is_reading: Arc<AtomicBool>,
}

#[derive(Default)]
struct Known {
    read_at: Option<Instant>,
    /// The origins of living sessions.
    origins: HashSet<Box<str>>,
}

impl LivingPages {
    pub(super) fn of(store: SessionStore) -> Self {
        Self { store, known: Arc::default(), is_reading: Arc::default() }
    }

    /// A session of this origin was opened just now.
    pub(super) fn add(&self, origin: &str) {
        self.known().origins.insert(origin.into());
    }

    pub(super) async fn has(&self, origin: &str) -> bool {
        let is_fresh = {
            let known = self.known();
            let age = known.read_at.map(|at| at.elapsed().as_millis());
            age.is_some_and(|age| age < LOGIN_LOOK_MS.unsigned_abs().into())
        };
        if !is_fresh && !self.is_reading.swap(true, Ordering::AcqRel) {
            let reader = self.clone();
            let read = tokio::task::spawn_blocking(move || reader.read());
            // If it takes longer, what was known last is the answer.
            let _ = tokio::time::timeout(Duration::from_secs(FILE_ANSWER_S), read).await;
        }
        self.known().origins.contains(origin)
    }

    fn read(&self) {
        let listed = self.store.list(SystemTime::now());
        let origins = listed.into_iter().map(|listed| listed.session.origin).collect();
        *self.known() = Known { read_at: Some(Instant::now()), origins };
        self.is_reading.store(false, Ordering::Release);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The sessions that were ended before their time, as this gateway has heard: by their person, by the provider, or at
//! another gateway. A file keeps them, where there is a folder for it, so that a restart forgets none.

use std::sync::{Mutex, MutexGuard, PoisonError};

use shared::state::UnixMillis;
use tokio::sync::watch;

use super::revoked::{List, Revocations, Target};
use super::session::SessionKey;
use super::told::Told;

pub(super) struct EndedSessions {
    /// As long as a session lasts: after that none is left that a logout could be about.
    kept_ms: UnixMillis,
    revocations: Mutex<Revocations>,
    told: Mutex<Told>,
    /// What is kept of them is to be written anew.
    changes: watch::Sender<()>,
}

impl EndedSessions {
    pub(super) fn new(kept_ms: UnixMillis) -> Self {
        Self {
            kept_ms,
            revocations: Mutex::default(),
            told: Mutex::default(),
            changes: watch::Sender::default(),
        }
    }

    pub(super) fn holds(&self, session: &SessionKey) -> bool {
        self.revocations().holds(session)
    }

    pub(super) fn end(&self, target: Target, now_ms: UnixMillis) {
        let added = self.revocations().add(target, now_ms + self.kept_ms, now_ms);
        self.changes.send_replace(());
        if !added.is_whole {
            tracing::warn!("more sessions were ended than are remembered; one of them may be used again");
        }
    }

    /// Whether the provider tells of the logout of this name for the first time.
    pub(super) fn is_told_first(&self, name: &str, now_s: i64) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).is_first(name, now_s)
    }

    /// For another gateway, and for the file.
    pub(super) fn list(&self) -> List {
        self.revocations().list()
    }

    /// What another gateway has heard, or what the file kept.
    pub(super) fn merge(&self, list: List, now_ms: UnixMillis) {
        if self.revocations().merge(list, now_ms).is_new {
            self.changes.send_replace(());
        }
    }

    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// The file is to be written anew, because the keys that seal it have changed.
    pub(super) fn write_anew(&self) {
        self.changes.send_replace(());
    }

    fn revocations(&self) -> MutexGuard<'_, Revocations> {
        self.revocations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

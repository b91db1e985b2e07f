//! The sessions that this gateway renews and renewed: one at a time for a session, and what each has become, for its
//! second tab and its open connections.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::state::UnixMillis;

use super::session::{Session, SessionKey};
use crate::limits::{RENEWALS_MAX, RENEWED_KEPT_MS};

#[derive(Default)]
pub(super) struct Renewals {
    /// The lock of a session that is renewed now.
    flights: Mutex<HashMap<Box<str>, Arc<tokio::sync::Mutex<()>>>>,
    /// What sessions have become.
    renewed: Mutex<HashMap<Box<str>, Kept>>,
    /// When the provider last said of any session that it goes on.
    confirmed_ms: AtomicI64,
}

struct Kept {
    session: Session,
    at_ms: UnixMillis,
}

impl Renewals {
    pub(super) fn newer(&self, key: &SessionKey) -> Option<Session> {
        self.kept().get(&key.id).filter(|kept| kept.is_newer_than(key)).map(|kept| kept.session.clone())
    }

    /// What was renewed just now, for another request with the older cookie. The session's open connections are told of
    /// it once more: the page that asked waits for that, and would else open another connection.
    pub(super) fn just_renewed(&self, key: &SessionKey, now_ms: UnixMillis) -> Option<Session> {
        let mut kept = self.kept();
        let kept = kept.get_mut(&key.id).filter(|kept| kept.is_newer_than(key))?;
        if now_ms - kept.at_ms >= RENEWED_KEPT_MS {
            return None;
        }
        kept.session.key.renewed_ms += 1;
        Some(kept.session.clone())
    }

    pub(super) fn remember(&self, session: &Session, now_ms: UnixMillis) {
        let mut renewed = self.kept();
        if renewed.len() >= RENEWALS_MAX {
            renewed.retain(|_, kept| kept.session.holds_until_ms() > now_ms);
        }
        if renewed.len() < RENEWALS_MAX || renewed.contains_key(&session.key.id) {
            let kept = Kept { session: session.clone(), at_ms: now_ms };
            renewed.insert(session.key.id.clone(), kept);
        }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Box<str>, Kept>> {
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn confirmed(&self, now_ms: UnixMillis) {
        self.confirmed_ms.fetch_max(now_ms, Ordering::Relaxed);
    }

    /// Whether the provider has said of any session since then that it goes on.
    pub(super) fn any_confirmed_since(&self, since_ms: UnixMillis) -> bool {
        self.confirmed_ms.load(Ordering::Relaxed) > since_ms
    }

    pub(super) fn flight(&self, id: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        flights.retain(|_, flight| Arc::strong_count(flight) > 1);
        Arc::clone(flights.entry(id.into()).or_default())
    }
}

impl Kept {
    fn is_newer_than(&self, key: &SessionKey) -> bool {
        self.session.key.renewed_ms > key.renewed_ms
    }
}

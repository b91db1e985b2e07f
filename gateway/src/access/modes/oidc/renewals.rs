//! The sessions that this gateway renews and renewed: one at a time for a session, and what each has become, for its
//! second tab and its open connections.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shared::state::UnixMillis;

use super::session::{Session, SessionKey};
use crate::limits::{RENEWALS_MAX, RENEWED_KEPT_MS};

#[derive(Default)]
pub(super) struct Renewals {
    /// The lock of a session that is renewed now.
    flights: Mutex<HashMap<Box<str>, Arc<tokio::sync::Mutex<()>>>>,
    /// What sessions have become.
    renewed: Mutex<HashMap<Box<str>, Session>>,
    /// When the provider last said of any session that it goes on.
    confirmed_ms: AtomicI64,
}

impl Renewals {
    pub(super) fn newer(&self, key: &SessionKey) -> Option<Session> {
        let renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        renewed.get(&key.id).filter(|session| session.key.renewed_ms > key.renewed_ms).cloned()
    }

    pub(super) fn just_renewed(&self, key: &SessionKey, now_ms: UnixMillis) -> Option<Session> {
        self.newer(key).filter(|session| now_ms - session.key.renewed_ms < RENEWED_KEPT_MS)
    }

    pub(super) fn remember(&self, session: &Session, now_ms: UnixMillis) {
        let mut renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        if renewed.len() >= RENEWALS_MAX {
            renewed.retain(|_, session| session.holds_until_ms() > now_ms);
        }
        if renewed.len() < RENEWALS_MAX || renewed.contains_key(&session.key.id) {
            renewed.insert(session.key.id.clone(), session.clone());
        }
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

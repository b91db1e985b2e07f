//! The sessions that are open: how many each identity has, and how far their reconnects are to be spread.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::problem::{Problem, Reason};

use crate::access::Identity;
use crate::limits::SPREAD_MS_MIN;
use crate::metrics::Metrics;

/// Cheap to clone; all clones count together.
#[derive(Clone)]
pub struct Sessions {
    open: Arc<Mutex<HashMap<Identity, usize>>>,
    count: Arc<AtomicU32>,
    per_identity_max: usize,
    metrics: Metrics,
}

impl Sessions {
    #[must_use]
    pub fn admitting(per_identity_max: usize, metrics: Metrics) -> Self {
        Self { open: Arc::default(), count: Arc::default(), per_identity_max, metrics }
    }

    /// Counts a session for as long as the guard lives.
    ///
    /// # Errors
    /// `Limit`: its identity has as many as it may have.
    pub(super) fn enter(&self, identity: &Identity) -> Result<ConnectionGuard, Problem> {
        let mut open = self.lock();
        let count = open.get(identity).copied().unwrap_or_default();
        if count >= self.per_identity_max {
            self.metrics.sessions_refused.inc();
            let message = format!("{} has {count} connections open; close one first", identity.name());
            return Err(Problem::new(Reason::Limit, message));
        }
        open.insert(identity.clone(), count + 1);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.metrics.sessions.inc();
        Ok(ConnectionGuard { sessions: self.clone(), identity: identity.clone() })
    }

    /// Half a second, or a second for each thousand viewers, so that a gateway that comes back isn't
    /// overrun.
    #[must_use]
    pub fn spread_ms(&self) -> u32 {
        self.count.load(Ordering::Relaxed).max(SPREAD_MS_MIN)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct ConnectionGuard {
    sessions: Sessions,
    identity: Identity,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.sessions.count.fetch_sub(1, Ordering::Relaxed);
        self.sessions.metrics.sessions.dec();
        let mut open = self.sessions.lock();
        if let Some(count) = open.get_mut(&self.identity) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.identity);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(name: &str) -> Identity {
        Identity::new(name).expect("a name")
    }

    /// R-NET-3
    #[test]
    fn r_net_3_a_person_has_so_many_connections_and_another_person_as_many() {
        let sessions = Sessions::admitting(2, Metrics::new());
        let (first, _second) =
            (sessions.enter(&identity("alice")).expect("one"), sessions.enter(&identity("alice")));
        let problem = sessions.enter(&identity("alice")).err().expect("one too many");
        assert_eq!(problem.reason, Reason::Limit);
        assert!(problem.message.contains("alice has 2 connections"), "{problem}");
        assert_eq!(sessions.metrics.sessions_refused.get(), 1);
        assert!(sessions.enter(&identity("bob")).is_ok());
        drop(first);
        assert!(sessions.enter(&identity("alice")).is_ok());
    }

    /// R-NET-6
    #[test]
    fn r_net_6_reconnects_are_spread_over_a_second_for_each_thousand() {
        let sessions = Sessions::admitting(10_000, Metrics::new());
        assert_eq!(sessions.spread_ms(), SPREAD_MS_MIN);
        let open: Vec<_> = (0..10_000).map(|_| sessions.enter(&identity("alice"))).collect();
        assert!(open.iter().all(Result::is_ok));
        assert_eq!(sessions.spread_ms(), 10_000);
    }
}

//! The sessions that are open: how many each identity has, how many subscriptions it has in all and opened of late, and
//! how far reconnects are to be spread.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::problem::{Problem, Reason};

use crate::access::Identity;
use crate::limits::{SPREAD_MS_MIN, SUBSCRIPTIONS_MAX, SUBSCRIPTIONS_PER_CONNECTION};
use crate::metrics::Metrics;
use crate::rate_limiter::{MonotonicMs, RateLimiter};

/// Cheap to clone; all clones count together.
#[derive(Clone)]
pub struct Sessions {
    /// Also those who left a moment ago, because what they opened still counts.
    people: Arc<Mutex<HashMap<Identity, Person>>>,
    count: Arc<AtomicU32>,
    per_identity_max: usize,
    metrics: Metrics,
}

struct Person {
    connections: usize,
    /// The subscriptions of all connections.
    subscriptions: usize,
    subscribes: RateLimiter,
}

impl Sessions {
    #[must_use]
    pub fn admitting(per_identity_max: usize, metrics: Metrics) -> Self {
        Self { people: Arc::default(), count: Arc::default(), per_identity_max, metrics }
    }

    /// Counts a session for as long as the guard lives.
    ///
    /// # Errors
    /// `Limit`: its identity has as many as it may have.
    pub(crate) fn enter(&self, identity: &Identity, now: MonotonicMs) -> Result<ConnectionGuard, Problem> {
        let mut people = self.lock();
        people.retain(|_, person| person.connections > 0 || !person.subscribes.is_full(now));
        let person = people.entry(identity.clone()).or_insert_with(|| Person {
            connections: 0,
            subscriptions: 0,
            subscribes: RateLimiter::of_persons_subscribes(self.per_identity_max, now),
        });
        let count = person.connections;
        if count >= self.per_identity_max {
            self.metrics.sessions_refused.inc();
            let message = format!("{} has {count} connections open; close one first", identity.name());
            return Err(Problem::new(Reason::Limit, message));
        }
        person.connections += 1;
        self.count.fetch_add(1, Ordering::Relaxed);
        self.metrics.sessions.inc();
        Ok(ConnectionGuard { sessions: self.clone(), identity: identity.clone(), subscriptions: 0 })
    }

    /// Counts one more try of a person who is connected.
    ///
    /// # Errors
    /// `Limit`: the person has as many open as there may be, or tried too often in a short time.
    pub(crate) fn may_subscribe(&self, identity: &Identity, now: MonotonicMs) -> Result<(), Problem> {
        let max = self.per_identity_max.saturating_mul(SUBSCRIPTIONS_PER_CONNECTION).max(SUBSCRIPTIONS_MAX);
        let mut people = self.lock();
        let person = people.get_mut(identity);
        if person.as_ref().is_some_and(|person| person.subscriptions >= max) {
            let message = format!(
                "{} has {max} subscriptions open over all connections, the most that one person may; close a view first, or a page that isn't needed",
                identity.name()
            );
            return Err(Problem::new(Reason::Limit, message));
        }
        if person.is_some_and(|person| person.subscribes.take(now)) { Ok(()) } else { Err(too_fast()) }
    }

    /// Half a second, or a second for each thousand viewers, so that a gateway that comes back isn't
    /// overrun.
    #[must_use]
    pub fn spread_ms(&self) -> u32 {
        self.count.load(Ordering::Relaxed).max(SPREAD_MS_MIN)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, Person>> {
        self.people.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct ConnectionGuard {
    sessions: Sessions,
    identity: Identity,
    /// As they were counted last.
    subscriptions: usize,
}

impl ConnectionGuard {
    /// How many subscriptions the connection has now.
    pub(super) fn count(&mut self, subscriptions: usize) {
        if subscriptions == self.subscriptions {
            return;
        }
        if let Some(person) = self.sessions.lock().get_mut(&self.identity) {
            person.subscriptions = person.subscriptions - self.subscriptions + subscriptions;
        }
        self.subscriptions = subscriptions;
    }
}

pub(super) fn too_fast() -> Problem {
    Problem::new(Reason::Limit, "too many subscriptions in a short time; try again in a second")
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.sessions.count.fetch_sub(1, Ordering::Relaxed);
        self.sessions.metrics.sessions.dec();
        if let Some(person) = self.sessions.lock().get_mut(&self.identity) {
            person.connections -= 1;
            person.subscriptions -= self.subscriptions;
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
            (sessions.enter(&identity("alice"), 0).expect("one"), sessions.enter(&identity("alice"), 0));
        let problem = sessions.enter(&identity("alice"), 0).err().expect("one too many");
        assert_eq!(problem.reason, Reason::Limit);
        assert!(problem.message.contains("alice has 2 connections"), "{problem}");
        assert_eq!(sessions.metrics.sessions_refused.get(), 1);
        assert!(sessions.enter(&identity("bob"), 0).is_ok());
        drop(first);
        assert!(sessions.enter(&identity("alice"), 0).is_ok());
    }

    /// R-NET-3
    #[test]
    fn r_net_3_a_person_who_connects_again_may_not_open_more_by_it() {
        let sessions = Sessions::admitting(100, Metrics::new());
        let alice = identity("alice");
        let opened = |now| {
            let _guard = sessions.enter(&alice, now).expect("let in");
            (0..256).filter(|_| sessions.may_subscribe(&alice, now).is_ok()).count()
        };
        assert_eq!((0..20).map(|_| opened(0)).sum::<usize>(), 1_600);
        let bob = sessions.enter(&identity("bob"), 0);
        assert!(bob.is_ok() && sessions.may_subscribe(&identity("bob"), 0).is_ok());
        // Half of it is there again after half the time, and an identity that left isn't kept for ever.
        assert_eq!((0..4).map(|_| opened(10_000)).sum::<usize>(), 800);
        let _bob = sessions.enter(&identity("bob"), 60_000);
        assert_eq!(sessions.lock().len(), 1);
    }

    /// R-NET-3
    #[test]
    fn r_net_3_a_person_has_so_many_subscriptions_over_all_connections_and_another_person_as_many() {
        let sessions = Sessions::admitting(100, Metrics::new());
        let (alice, bob) = (identity("alice"), identity("bob"));
        let mut first = sessions.enter(&alice, 0).expect("let in");
        let mut second = sessions.enter(&alice, 0).expect("let in");
        let _bob = sessions.enter(&bob, 0).expect("let in");
        first.count(1_000);
        second.count(599);
        assert!(sessions.may_subscribe(&alice, 0).is_ok());
        second.count(600);
        let problem = sessions.may_subscribe(&alice, 0).expect_err("one too many");
        assert!(problem.message.contains("alice has 1600 subscriptions") && problem.reason == Reason::Limit);
        assert!(sessions.may_subscribe(&bob, 0).is_ok());
        first.count(999);
        assert!(sessions.may_subscribe(&alice, 0).is_ok(), "one was closed");
        first.count(1_000);
        drop(second);
        assert!(sessions.may_subscribe(&alice, 0).is_ok(), "a connection was closed");
        assert_eq!(sessions.lock().get(&alice).map(|person| person.subscriptions), Some(1_000));
    }

    /// R-NET-6
    #[test]
    fn r_net_6_reconnects_are_spread_over_a_second_for_each_thousand() {
        let sessions = Sessions::admitting(10_000, Metrics::new());
        assert_eq!(sessions.spread_ms(), SPREAD_MS_MIN);
        let open: Vec<_> = (0..10_000).map(|_| sessions.enter(&identity("alice"), 0)).collect();
        assert!(open.iter().all(Result::is_ok));
        assert_eq!(sessions.spread_ms(), 10_000);
    }
}

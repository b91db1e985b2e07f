//! The connections without a request under way. When there are too many, the oldest is closed. So a client that
//! opens thousands and sends nothing loses its own connections, and every request is served.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct IdleConnections(Arc<Shared>);

struct Shared {
    waiting: Mutex<IdleList>,
    idle_max: usize,
    metrics: Metrics,
}

#[derive(Default)]
struct IdleList {
    next: u64,
    /// The oldest first.
    idle: BTreeMap<u64, CancellationToken>,
}

/// One connection, idle at first and whenever no request is under way.
pub(super) struct IdleGuard {
    connections: IdleConnections,
    /// Cancelled when the connection must make room.
    pub(super) displaced: CancellationToken,
    number: Mutex<Option<u64>>,
}

impl IdleConnections {
    pub(super) fn new(idle_max: usize, metrics: Metrics) -> Self {
        Self(Arc::new(Shared { waiting: Mutex::default(), idle_max, metrics }))
    }

    pub(super) fn guard(&self) -> Arc<IdleGuard> {
        let connections = self.clone();
        let guard = IdleGuard { connections, displaced: CancellationToken::new(), number: Mutex::default() };
        guard.enter();
        Arc::new(guard)
    }

    fn add(&self, token: CancellationToken) -> u64 {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = waiting.next;
        waiting.next += 1;
        waiting.idle.insert(number, token);
        if waiting.idle.len() > self.0.idle_max
            && let Some((_, oldest)) = waiting.idle.pop_first()
        {
            self.0.metrics.connections_displaced.inc();
            oldest.cancel();
        }
        number
    }
}

impl IdleGuard {
    /// The connection waits for a request.
    pub(super) fn enter(&self) {
        let number = self.connections.add(self.displaced.clone());
        self.replace(Some(number));
    }

    /// A request is under way, or the connection became a socket.
    pub(super) fn leave(&self) {
        self.replace(None);
    }

    fn replace(&self, number: Option<u64>) {
        let mut current = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(former) = std::mem::replace(&mut *current, number) {
            let waiting = &self.connections.0.waiting;
            waiting.lock().unwrap_or_else(PoisonError::into_inner).idle.remove(&former);
        }
    }
}

impl Drop for IdleGuard {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_without_a_request_makes_room_and_one_with_a_request_never() {
        let metrics = Metrics::new();
        let connections = IdleConnections::new(2, metrics.clone());
        let guards: Vec<_> = (0..3)
            .map(|n| {
                let guard = connections.guard();
                if n == 0 {
                    guard.leave();
                }
                guard
            })
            .collect();
        let displaced = || guards.iter().map(|guard| guard.displaced.is_cancelled()).collect::<Vec<_>>();
        assert_eq!(displaced(), [false, false, false]);
        let fourth = connections.guard();
        assert_eq!(displaced(), [false, true, false]);
        guards[0].enter();
        assert_eq!(displaced(), [false, true, true]);
        drop(fourth);
        let _fifth = connections.guard();
        assert_eq!(displaced(), [false, true, true], "a connection that has ended displaces none");
        assert_eq!(metrics.connections_displaced.get(), 2);
    }
}

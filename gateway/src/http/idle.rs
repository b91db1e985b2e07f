//! Connections without a request under way. When there are too many, the oldest makes room: who
//! opens thousands and says nothing displaces his own, and whoever asks something is served.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct IdleList(Arc<Shared>);

struct Shared {
    waiting: Mutex<Waiting>,
    idle_max: usize,
    metrics: Metrics,
}

#[derive(Default)]
struct Waiting {
    next: u64,
    /// The oldest first.
    idle: BTreeMap<u64, CancellationToken>,
}

/// One connection, idle until it says otherwise and while nobody does.
pub(super) struct Seat {
    list: IdleList,
    /// Cancelled when it must make room.
    pub(super) displaced: CancellationToken,
    number: Mutex<Option<u64>>,
}

impl IdleList {
    pub(super) fn new(idle_max: usize, metrics: Metrics) -> Self {
        Self(Arc::new(Shared { waiting: Mutex::default(), idle_max, metrics }))
    }

    pub(super) fn seat(&self) -> Arc<Seat> {
        let seat = Seat { list: self.clone(), displaced: CancellationToken::new(), number: Mutex::default() };
        seat.idle();
        Arc::new(seat)
    }

    fn enter(&self, token: CancellationToken) -> u64 {
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

    fn leave(&self, number: u64) {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).idle.remove(&number);
    }
}

impl Seat {
    /// It waits for a request.
    pub(super) fn idle(&self) {
        let number = self.list.enter(self.displaced.clone());
        self.replace(Some(number));
    }

    /// A request is under way, or a socket was made of it.
    pub(super) fn busy(&self) {
        self.replace(None);
    }

    fn replace(&self, number: Option<u64>) {
        let former =
            std::mem::replace(&mut *self.number.lock().unwrap_or_else(PoisonError::into_inner), number);
        if let Some(former) = former {
            self.list.leave(former);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.busy();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_without_a_request_makes_room_and_one_with_a_request_never() {
        let metrics = Metrics::new();
        let list = IdleList::new(2, metrics.clone());
        let seats: Vec<_> = (0..3)
            .map(|n| {
                let seat = list.seat();
                if n == 0 {
                    seat.busy();
                }
                seat
            })
            .collect();
        let displaced = || seats.iter().map(|seat| seat.displaced.is_cancelled()).collect::<Vec<_>>();
        assert_eq!(displaced(), [false, false, false]);
        let fourth = list.seat();
        assert_eq!(displaced(), [false, true, false]);
        seats[0].idle();
        assert_eq!(displaced(), [false, true, true]);
        drop(fourth);
        let _fifth = list.seat();
        assert_eq!(displaced(), [false, true, true], "one that left stands in nobody's way");
        assert_eq!(metrics.connections_displaced.get(), 2);
    }
}

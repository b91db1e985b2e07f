//! The turns of those who search the record: one search goes on at a time, because each may take a core for seconds. The
//! others wait, in the order in which they were asked for. Never what is searched for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shared::problem::{Problem, Reason};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::SEARCHES_WAITING_MAX;

/// The turns of one record.
pub struct SearchTurns {
    turn: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// The turn of one search. The next one begins when it is dropped.
pub struct Turn(#[expect(dead_code, reason = "it is held")] OwnedSemaphorePermit);

impl Default for SearchTurns {
    fn default() -> Self {
        Self { turn: Arc::new(Semaphore::new(1)), waiting: AtomicUsize::new(0) }
    }
}

impl SearchTurns {
    /// # Errors
    /// As many wait already as may wait.
    pub async fn next(&self) -> Result<Turn, Problem> {
        let one_more = |waiting| (waiting < SEARCHES_WAITING_MAX).then_some(waiting + 1);
        let Ok(_) = self.waiting.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more) else {
            let message = format!("{SEARCHES_WAITING_MAX} searches wait already; try again in a moment");
            return Err(Problem::new(Reason::ServiceUnavailable, message));
        };
        let _waits = Waits(&self.waiting);
        let permit = Arc::clone(&self.turn).acquire_owned().await;
        permit.map(Turn).map_err(|error| Problem::new(Reason::InternalError, error.to_string()))
    }
}

/// Counts one that waits.
struct Waits<'a>(&'a AtomicUsize);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn searches_wait_for_one_another_in_their_order_and_so_many_at_most() {
        let turns = SearchTurns::default();
        let first = turns.next().await.expect("nobody searches");
        let mut second = Box::pin(turns.next());
        let mut third = Box::pin(turns.next());
        assert!((&mut second).now_or_never().is_none() && (&mut third).now_or_never().is_none());
        drop(first);
        assert!((&mut third).now_or_never().is_none(), "the second came before");
        let second = (&mut second).now_or_never().expect("its turn").expect("no limit");
        drop(second);
        drop(third);
        let held = turns.next().await.expect("who went away doesn't wait");
        let mut waiting: Vec<_> = (0..SEARCHES_WAITING_MAX).map(|_| Box::pin(turns.next())).collect();
        assert!(waiting.iter_mut().all(|next| next.now_or_never().is_none()));
        let refused = turns.next().now_or_never().and_then(Result::err).expect("it is refused at once");
        assert_eq!(refused.reason, Reason::ServiceUnavailable);
        drop((waiting, held));
        assert!(turns.next().now_or_never().is_some_and(|turn| turn.is_ok()));
    }
}

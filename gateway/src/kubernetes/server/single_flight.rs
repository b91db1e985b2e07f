//! Questions to the API server that several ask at once. An answer is as fresh as each of them wants it, so one is shared
//! only by those who asked before the API server was.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::limits::SHARED_LIST_WAIT_MS;

/// The questions that are on their way, by what is asked. Cheap to clone.
pub(super) struct SingleFlight<K, A> {
    inner: Arc<Inner<K, A>>,
}

struct Inner<K, A> {
    latest: Mutex<HashMap<K, Question<A>>>,
    last_number: AtomicU64,
}

/// The last question of its kind.
struct Question<A> {
    number: u64,
    /// A client that comes now asks anew.
    is_asked: bool,
    answer: watch::Receiver<Option<Arc<A>>>,
}

impl<K, A> Default for SingleFlight<K, A> {
    fn default() -> Self {
        let inner = Inner { latest: Mutex::default(), last_number: AtomicU64::default() };
        Self { inner: Arc::new(inner) }
    }
}

impl<K, A> Inner<K, A> {
    fn latest(&self) -> MutexGuard<'_, HashMap<K, Question<A>>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, A> SingleFlight<K, A>
where
    K: Clone + Eq + Hash + Send + 'static,
    A: Send + Sync + 'static,
{
    /// The answer to a question that the API server is asked from now on. While a former one is on its way, the next one
    /// waits for it a little, and for others who want the same. `None`: it was lost.
    pub(super) async fn ask<F>(&self, key: K, question: impl FnOnce() -> F) -> Option<Arc<A>>
    where
        F: Future<Output = A> + Send + 'static,
    {
        let mut answer = self.join(key, question);
        answer.wait_for(Option::is_some).await.ok()?.clone()
    }

    fn join<F>(&self, key: K, question: impl FnOnce() -> F) -> watch::Receiver<Option<Arc<A>>>
    where
        F: Future<Output = A> + Send + 'static,
    {
        let mut latest = self.inner.latest();
        if let Some(question) = latest.get(&key).filter(|question| !question.is_asked) {
            return question.answer.clone();
        }
        let number = self.inner.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let (told, answer) = watch::channel(None);
        let next = Question { number, is_asked: false, answer: answer.clone() };
        let former = latest.insert(key.clone(), next).map(|former| former.answer);
        drop(latest);
        let (inner, question) = (Arc::clone(&self.inner), question());
        tokio::spawn(async move {
            if let Some(mut former) = former {
                let ended = former.wait_for(Option::is_some);
                // It may take long.
                drop(timeout(Duration::from_millis(SHARED_LIST_WAIT_MS), ended).await);
            }
            if let Some(own) = inner.latest().get_mut(&key).filter(|latest| latest.number == number) {
                own.is_asked = true;
            }
            told.send_replace(Some(Arc::new(question.await)));
            let mut latest = inner.latest();
            if latest.get(&key).is_some_and(|latest| latest.number == number) {
                latest.remove(&key);
            }
        });
        answer
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    /// Questions whose answers are their numbers, given when the test lets them.
    struct World {
        flights: SingleFlight<&'static str, usize>,
        asked: mpsc::UnboundedSender<watch::Sender<Option<usize>>>,
    }

    impl World {
        fn join(&self, key: &'static str) -> watch::Receiver<Option<Arc<usize>>> {
            let asked = self.asked.clone();
            self.flights.join(key, || async move {
                let (let_go, mut gone) = watch::channel(None);
                asked.send(let_go).expect("the test listens");
                gone.wait_for(Option::is_some).await.expect("let go").expect("a number")
            })
        }
    }

    async fn told(mut answer: watch::Receiver<Option<Arc<usize>>>) -> usize {
        **answer.wait_for(Option::is_some).await.expect("told").as_ref().expect("told")
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_before_the_api_server_is_asked_shares_its_answer_and_nobody_later_does() {
        let (asked, mut questions) = mpsc::unbounded_channel();
        let world = World { flights: SingleFlight::default(), asked };
        let (first, beside, other) = (world.join("pods"), world.join("pods"), world.join("nodes"));
        let pods = questions.recv().await.expect("asked");
        let nodes = questions.recv().await.expect("asked");
        // The API server may have answered these two already.
        let (later, later_still) = (world.join("pods"), world.join("pods"));
        pods.send_replace(Some(1));
        nodes.send_replace(Some(2));
        assert_eq!((told(first).await, told(beside).await, told(other).await), (1, 1, 2));
        let next = questions.recv().await.expect("asked");
        next.send_replace(Some(3));
        assert_eq!((told(later).await, told(later_still).await), (3, 3));
        assert!(questions.try_recv().is_err() && world.flights.inner.latest().is_empty(), "nothing is left");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_answer_holds_up_the_next_question_for_a_while_only() {
        let (asked, mut questions) = mpsc::unbounded_channel();
        let world = World { flights: SingleFlight::default(), asked };
        let first = world.join("pods");
        let slow = questions.recv().await.expect("asked");
        let second = world.join("pods");
        let quick = questions.recv().await.expect("asked though the first has no answer");
        quick.send_replace(Some(2));
        assert_eq!(told(second).await, 2);
        slow.send_replace(Some(1));
        assert_eq!(told(first).await, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_goes_on_without_the_one_who_asked_it() {
        let (asked, mut questions) = mpsc::unbounded_channel();
        let world = World { flights: SingleFlight::default(), asked };
        drop(world.join("pods"));
        let beside = world.join("pods");
        questions.recv().await.expect("asked").send_replace(Some(1));
        assert_eq!(told(beside).await, 1);
    }
}

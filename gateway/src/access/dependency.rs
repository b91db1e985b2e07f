//! A server that a mode needs besides the cluster: an identity provider, or one that publishes keys. Whether it answers as
//! it should, for the log and for `/readyz`. It never says what is asked.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::limits::{DEPENDENCY_AGAIN_S, DEPENDENCY_FIRST_S};

/// One server, as it answered last. The gateway is ready when it has answered once: settings that never worked are
/// wrong, and a new version with them replaces no old one. An outage that comes later takes nothing from people who are
/// signed in, so it stays ready.
#[derive(Debug)]
pub struct Dependency {
    /// Its line of `/readyz`.
    name: &'static str,
    answers: Mutex<Answers>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Answers {
    /// It wasn't asked yet.
    None,
    /// It never answered as it should. Why, and what to check.
    Never(String),
    Good,
    /// It did before, and doesn't now.
    Lost(String),
}

impl Dependency {
    pub fn new(name: &'static str) -> Self {
        Self { name, answers: Mutex::new(Answers::None) }
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn has_answered(&self) -> bool {
        matches!(*self.answers(), Answers::Good | Answers::Lost(_))
    }

    /// Fails with why it doesn't answer as it should, and what to check.
    pub fn look(&self) -> Result<(), String> {
        match &*self.answers() {
            Answers::None => Err("it hasn't answered yet".to_owned()),
            Answers::Good => Ok(()),
            Answers::Never(why) | Answers::Lost(why) => Err(why.clone()),
        }
    }

    /// Notes how it answered. The log says each change once.
    pub fn note(&self, answer: Result<(), String>) {
        let mut answers = self.answers();
        let next = answers.after(answer);
        if *answers == next {
            return;
        }
        match &next {
            Answers::Never(why) | Answers::Lost(why) => tracing::warn!("{} fails: {why}", self.name),
            Answers::Good if *answers != Answers::None => tracing::info!("{} answers again", self.name),
            Answers::Good | Answers::None => {}
        }
        *answers = next;
    }

    /// Asks each minute until it is cancelled, and more often as long as it has never answered.
    pub async fn keep_asking<'a>(
        &self,
        ask: impl Fn() -> BoxFuture<'a, Result<(), String>>,
        until: &CancellationToken,
    ) {
        while let Some(answer) = until.run_until_cancelled(ask()).await {
            self.note(answer);
            let seconds = if self.has_answered() { DEPENDENCY_AGAIN_S } else { DEPENDENCY_FIRST_S };
            if until.run_until_cancelled(sleep(Duration::from_secs(seconds))).await.is_none() {
                return;
            }
        }
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers {
    fn after(&self, answer: Result<(), String>) -> Self {
        match (self, answer) {
            (_, Ok(())) => Self::Good,
            (Self::None | Self::Never(_), Err(why)) => Self::Never(why),
            (Self::Good | Self::Lost(_), Err(why)) => Self::Lost(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt;
    use tokio::time::Instant;

    use super::*;
    use crate::test_log;

    fn wrong(why: &str) -> Result<(), String> {
        Err(why.to_owned())
    }

    #[test]
    fn what_never_answered_makes_the_gateway_unready_and_an_outage_after_that_does_not() {
        let dependency = Dependency::new("identity-provider");
        assert!(!dependency.has_answered() && dependency.look().is_err(), "not asked yet");
        for (answer, is_ready, line) in [
            (wrong("a"), false, wrong("a")),
            (wrong("b"), false, wrong("b")),
            (Ok(()), true, Ok(())),
            (wrong("c"), true, wrong("c")),
            (Ok(()), true, Ok(())),
        ] {
            dependency.note(answer.clone());
            assert_eq!((dependency.has_answered(), dependency.look()), (is_ready, line), "{answer:?}");
        }
    }

    #[test]
    fn the_log_says_each_change_once() {
        test_log::listen();
        let dependency = Dependency::new("identity-provider");
        for answer in [wrong("a"), wrong("a"), wrong("b"), Ok(()), Ok(()), wrong("b"), wrong("b")] {
            dependency.note(answer);
        }
        let logged = |text: &str| test_log::lines_with(text).len();
        assert_eq!((logged("WARN"), logged("fails: a"), logged("fails: b")), (3, 1, 2));
        assert_eq!(logged("answers again"), 1);
        Dependency::new("proxy-keys").note(Ok(()));
        assert_eq!(logged("proxy-keys"), 0, "nothing was wrong");
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_asked_each_minute_and_more_often_before_its_first_answer() {
        let (dependency, until) = (Dependency::new("proxy-keys"), CancellationToken::new());
        let (started, asked) = (Instant::now(), AtomicUsize::new(0));
        let mut times = Mutex::new(Vec::new());
        let ask = || {
            times.lock().expect("held").push(started.elapsed().as_secs());
            let count = asked.fetch_add(1, Ordering::SeqCst);
            if count == 5 {
                until.cancel();
            }
            async move { if count == 0 { wrong("a") } else { Ok(()) } }.boxed()
        };
        dependency.keep_asking(ask, &until).await;
        let first_s = DEPENDENCY_FIRST_S;
        let expected: Vec<u64> =
            [0].into_iter().chain((0..5).map(|minute| first_s + minute * DEPENDENCY_AGAIN_S)).collect();
        assert_eq!(*times.get_mut().expect("held"), expected);
    }
}

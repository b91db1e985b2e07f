//! SIGHUP, in one place: an operator changed or moved a file of the gateway's, and each part that reads or writes one
//! is told, one after the other. Never what a part does then.

mod configuration;
mod rules;

use std::io::{self, IsTerminal};

use shared::problem::{Problem, Reason};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

pub use configuration::{reread, say_what_is_unmasked};
pub use rules::{LiveRules, rules_channel};

/// What follows on SIGHUP, in the order in which it was added.
pub struct OnHangup {
    hangups: Signal,
    terminal: Terminal,
    actions: Actions,
}

type Actions = Vec<Box<dyn FnMut() + Send>>;

impl OnHangup {
    /// From now on the signal doesn't end the process.
    ///
    /// # Errors
    /// The system refuses a handler.
    pub fn listen() -> Result<Self, Problem> {
        let hangups = signal(SignalKind::hangup()).map_err(|error| {
            Problem::new(Reason::InternalError, format!("SIGHUP can't be listened for: {error}"))
        })?;
        Ok(Self { hangups, terminal: Terminal::now(), actions: Vec::new() })
    }

    /// An action may read files: it runs where that is allowed to block. The next one waits for it.
    #[must_use]
    pub fn then(mut self, action: impl FnMut() + Send + 'static) -> Self {
        self.actions.push(Box::new(action));
        self
    }

    /// Runs until it is dropped. The SIGHUP of a closed terminal cancels `leave`, because no key press could end the
    /// gateway there any more.
    pub async fn run(mut self, leave: CancellationToken) {
        while self.hangups.recv().await.is_some() {
            if self.terminal.is_gone() {
                leave.cancel();
            } else {
                self.actions = act(std::mem::take(&mut self.actions)).await;
            }
        }
        // Without the signal's driver there is nothing to wait for.
        std::future::pending().await
    }
}

/// A file that hangs holds up what follows on the signal, and nothing else.
async fn act(mut actions: Actions) -> Actions {
    let acting = tokio::task::spawn_blocking(move || {
        actions.iter_mut().for_each(|action| action());
        actions
    });
    match acting.await {
        Ok(actions) => actions,
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The gateway ends.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Which of stdin, stdout and stderr were a terminal when the gateway started. One that was closed is none any more.
struct Terminal([bool; 3]);

impl Terminal {
    fn now() -> Self {
        Self([io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal()])
    }

    fn is_gone(&self) -> bool {
        let Self(now) = Self::now();
        self.0.iter().zip(now).any(|(was, is)| *was && !is)
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::{Signal as Kill, getpid, kill_process};
    use tokio::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn every_action_follows_on_each_signal_in_its_order() {
        let (said, mut heard) = mpsc::unbounded_channel();
        let again = said.clone();
        let hangup = OnHangup::listen().expect("a handler");
        let hangup = hangup
            .then(move || assert!(said.send("first").is_ok()))
            .then(move || assert!(again.send("second").is_ok()));
        let leave = CancellationToken::new();
        let running = tokio::spawn(hangup.run(leave.clone()));
        for _ in 0..2 {
            kill_process(getpid(), Kill::HUP).expect("sent");
            assert_eq!((heard.recv().await, heard.recv().await), (Some("first"), Some("second")));
        }
        assert!(!leave.is_cancelled(), "the terminal of the test, if it has one, is still there");
        running.abort();
    }

    #[test]
    fn a_terminal_that_is_none_any_more_is_gone() {
        let Terminal(now) = Terminal::now();
        assert!(!Terminal(now).is_gone());
        assert_eq!(Terminal([true; 3]).is_gone(), now.contains(&false));
    }
}

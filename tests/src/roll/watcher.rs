//! A viewer of a roll in a task of its own: how long it was away each time, and which of the wire's guarantees were
//! broken. It decides nothing about rows, and never when a replica ends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use tokio::sync::{mpsc, oneshot, watch};

use crate::answering::Answering;
use crate::oracle::Fresh;
use crate::viewer::{Happened, Refusal, Viewer};

pub struct Watcher(Answering<Question>);

enum Question {
    /// How the table differs from this list.
    Difference(Arc<Fresh>, oneshot::Sender<Option<String>>),
    Account(oneshot::Sender<Account>),
}

/// What one viewer saw.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The first time it was exact.
    pub first: Option<Away>,
    /// Each later time that it had lost its connection and was exact again.
    pub away: Vec<Away>,
    /// The code of each close; 0 where there was none.
    pub closes: BTreeMap<u16, usize>,
    pub resets: u64,
    pub bytes: u64,
    /// Guarantees of the wire that were broken, and refusals.
    pub broken: Vec<String>,
}

/// From the end of a connection to a table that is exact again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Away {
    pub seconds: f64,
    /// On the last connection, the greeting among them.
    pub bytes: u64,
}

struct Watching {
    viewer: Viewer,
    account: Account,
    away_since: Option<Instant>,
    connection_bytes: u64,
    /// How many viewers aren't exact.
    away: watch::Sender<usize>,
}

impl Watcher {
    /// The viewer keeps one view, and isn't connected yet.
    pub fn start(viewer: Viewer, away: watch::Sender<usize>) -> Self {
        away.send_modify(|count| *count += 1);
        let (account, away_since) = (Account::default(), Some(Instant::now()));
        let watching = Watching { viewer, account, away_since, connection_bytes: 0, away };
        Self(Answering::spawn(|asked| watching.run(asked)))
    }

    pub async fn difference(&self, fresh: Arc<Fresh>) -> Result<Option<String>> {
        self.0.ask(|reply| Question::Difference(fresh, reply)).await
    }

    pub async fn account(&self) -> Result<Account> {
        self.0.ask(Question::Account).await
    }
}

impl Watching {
    async fn run(mut self, mut asked: mpsc::Receiver<Question>) {
        loop {
            tokio::select! {
                question = asked.recv() => match question {
                    Some(question) => self.answer(question),
                    None => return,
                },
                happened = self.viewer.turn() => {
                    self.count(&happened);
                    self.look();
                }
            }
        }
    }

    fn answer(&mut self, question: Question) {
        // A caller that has stopped waiting needs no answer.
        match question {
            Question::Difference(fresh, reply) => {
                let view = self.viewer.view();
                let difference = match view.is_exact() {
                    true => fresh.difference(view.table()),
                    false => Some("it isn't exact".into()),
                };
                let _ = reply.send(difference);
            }
            Question::Account(reply) => {
                let mut account = self.account.clone();
                for ledger in self.viewer.ledgers() {
                    account.broken.extend(ledger.broken.iter().cloned());
                    account.resets += ledger.figures.resets;
                }
                let _ = reply.send(account);
            }
        }
    }

    fn count(&mut self, happened: &Happened) {
        match happened {
            Happened::Opened => self.connection_bytes = 0,
            Happened::Closed(code) => {
                *self.account.closes.entry(code.unwrap_or_default()).or_default() += 1;
                if self.away_since.is_none() {
                    self.away_since = Some(Instant::now());
                    self.away.send_modify(|count| *count += 1);
                }
            }
            Happened::Frame { bytes, .. } => {
                self.connection_bytes += bytes;
                self.account.bytes += bytes;
            }
            Happened::Unreadable | Happened::Other => {}
        }
        self.account.broken.extend(self.viewer.take_refusals().into_iter().map(|refusal| match refusal {
            Refusal::Ended(..) => "the gateway ended the view".into(),
            Refusal::Problem(problem) => format!("refused: {problem}"),
        }));
    }

    fn look(&mut self) {
        let (client, kept) = self.viewer.kept();
        let Some(kept) = kept.first_mut() else { return };
        // A view that waits for its connection still has the proof of the last one.
        let is_exact = kept.is_answered() && client.view(kept.key).is_some_and(|view| view.is_exact());
        let Some(since) = self.away_since.take_if(|_| is_exact) else { return };
        let away = Away { seconds: since.elapsed().as_secs_f64(), bytes: self.connection_bytes };
        if self.account.first.is_none() {
            self.account.first = Some(away);
            // The first table is a reset by its nature.
            kept.ledger.figures.resets = 0;
        } else {
            self.account.away.push(away);
        }
        self.away.send_modify(|count| *count -= 1);
    }
}

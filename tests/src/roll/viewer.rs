//! A viewer of a roll: what it received, how long it was away each time, and which of the wire's guarantees were broken.
//! It decides nothing about rows, and never when a replica ends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use replica::client::{Input, Output, ViewKey};
use replica::driver::Driver;
use shared::frame::server::ServerFrame;
use tokio::sync::{mpsc, oneshot, watch};

use crate::answering::Answering;
use crate::chaos::ledger::Ledger;
use crate::client::Stream;
use crate::oracle::Fresh;

pub struct Viewer(Answering<Question>);

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

struct Watcher {
    driver: Driver<Stream>,
    key: ViewKey,
    asked: Option<u32>,
    view: Option<u32>,
    ledger: Ledger,
    account: Account,
    away_since: Option<Instant>,
    connection_bytes: u64,
    /// How many viewers aren't exact.
    away: watch::Sender<usize>,
}

impl Viewer {
    /// The driver has one view, and isn't connected yet.
    pub fn start(driver: Driver<Stream>, key: ViewKey, away: watch::Sender<usize>) -> Self {
        away.send_modify(|count| *count += 1);
        let watcher = Watcher {
            driver,
            key,
            asked: None,
            view: None,
            ledger: Ledger::default(),
            account: Account::default(),
            away_since: Some(Instant::now()),
            connection_bytes: 0,
            away,
        };
        Self(Answering::spawn(|asked| watcher.run(asked)))
    }

    pub async fn difference(&self, fresh: Arc<Fresh>) -> Result<Option<String>> {
        self.0.ask(|reply| Question::Difference(fresh, reply)).await
    }

    pub async fn account(&self) -> Result<Account> {
        self.0.ask(Question::Account).await
    }
}

impl Watcher {
    async fn run(mut self, mut asked: mpsc::Receiver<Question>) {
        self.outputs();
        loop {
            tokio::select! {
                question = asked.recv() => match question {
                    Some(question) => self.answer(question),
                    None => return,
                },
                input = self.driver.next() => {
                    self.read(&input);
                    self.driver.handle(input);
                    self.outputs();
                    self.look();
                }
            }
        }
    }

    fn answer(&mut self, question: Question) {
        // A caller that has stopped waiting needs no answer.
        match question {
            Question::Difference(fresh, reply) => {
                let view = self.driver.client().view(self.key);
                let exact = view.filter(|view| view.is_exact());
                let difference =
                    exact.map_or(Some("it isn't exact".into()), |it| fresh.difference(it.table()));
                let _ = reply.send(difference);
            }
            Question::Account(reply) => {
                let mut account = self.account.clone();
                account.broken.extend(self.ledger.broken.iter().cloned());
                account.resets = self.ledger.figures.resets;
                let _ = reply.send(account);
            }
        }
    }

    /// Looks at an input before the replica does.
    fn read(&mut self, input: &Input) {
        match input {
            Input::Opened => self.connection_bytes = 0,
            Input::Closed { code } => {
                *self.account.closes.entry(code.unwrap_or_default()).or_default() += 1;
                if self.away_since.is_none() {
                    self.away_since = Some(Instant::now());
                    self.away.send_modify(|count| *count += 1);
                }
            }
            Input::Frame { frame, bytes } => {
                self.connection_bytes += bytes;
                self.account.bytes += bytes;
                self.note(frame);
            }
            _ => {}
        }
    }

    fn note(&mut self, frame: &ServerFrame) {
        match frame {
            ServerFrame::Subscribed(answer) if self.asked == Some(answer.id) => {
                self.view = Some(answer.view);
                self.ledger.subscribed(answer);
            }
            ServerFrame::Rows(rows) if self.view == Some(rows.view) => self.ledger.rows(rows),
            _ => {}
        }
    }

    fn outputs(&mut self) {
        while let Some(output) = self.driver.poll_output() {
            match output {
                Output::Send(shared::frame::client::ClientFrame::Subscribe(subscribe)) => {
                    (self.asked, self.view) = (Some(subscribe.id), None);
                }
                Output::Rows(key, delta) => {
                    if let Some(view) = self.driver.client_mut().view_mut(key) {
                        view.remove_tombstones(&delta.removed);
                    }
                }
                Output::Ended(_) => self.account.broken.push("the gateway ended the view".into()),
                Output::Problem(problem) => self.account.broken.push(format!("refused: {problem}")),
                _ => {}
            }
        }
    }

    fn look(&mut self) {
        let Some(view) = self.driver.client().view(self.key) else { return };
        let resyncs = view.subscription().resyncs;
        if resyncs.differed + resyncs.broken > 0 {
            let what = format!("{} digests differed, {} chains broke", resyncs.differed, resyncs.broken);
            if self.account.broken.last() != Some(&what) {
                self.account.broken.push(what);
            }
        }
        // A view that waits for its connection still has the proof of the last one.
        let is_exact = self.view.is_some() && view.is_exact();
        if let Some(since) = self.away_since.take_if(|_| is_exact) {
            let away = Away { seconds: since.elapsed().as_secs_f64(), bytes: self.connection_bytes };
            if self.account.first.is_none() {
                self.account.first = Some(away);
                // The first table is a reset by its nature.
                self.ledger.figures.resets = 0;
            } else {
                self.account.away.push(away);
            }
            self.away.send_modify(|count| *count -= 1);
        }
    }
}

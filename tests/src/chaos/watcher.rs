//! A viewer in a task of its own, over a line that may be cut. It decides nothing about rows or states itself.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use http::HeaderMap;
use replica::client::{Client, SignIn};
use replica::freshness;
use simulation::chance::Chance;
use tokio::sync::{mpsc, oneshot, watch};

use super::reach::Reach;
use super::scope::ViewScope;
use crate::answering::Answering;
use crate::ledger::Ledger;
use crate::oracle::Fresh;
use crate::viewer::{Kept, Refusal, Viewer, by_upgrade, tcp};

pub struct Watcher {
    pub line: usize,
    answering: Answering<Question>,
    /// Changes when something was received or a timer has run out.
    pub moved: watch::Receiver<u64>,
}

enum Question {
    /// How each view differs from these lists, in the order of [`ViewScope::all`].
    Differences(Arc<Vec<Fresh>>, oneshot::Sender<Vec<Option<String>>>),
    Ledgers(oneshot::Sender<Vec<Ledger>>),
}

struct Watching {
    viewer: Viewer,
    line: usize,
    reach: Arc<Reach>,
    moved: watch::Sender<u64>,
}

impl Watcher {
    /// A viewer of every [`ViewScope`], through the gateway's end of this line.
    pub fn open(line: usize, gateway: SocketAddr, seed: u64, reach: Arc<Reach>) -> Result<Self> {
        let (moved, moves) = watch::channel(0);
        let mut chance = Chance::new(seed, 2);
        let client = Client::new("chaos", SignIn::Connection);
        let gateway = gateway.to_string();
        let connect = by_upgrade("ws://localhost/api/ws", HeaderMap::new(), move || tcp(&gateway));
        let mut viewer = Viewer::with_chance(client, connect, move || chance.part());
        for scope in ViewScope::all() {
            viewer.keep(scope.scope()?);
        }
        let watching = Watching { viewer, line, reach, moved };
        Ok(Self { line, answering: Answering::spawn(|asked| watching.run(asked)), moved: moves })
    }

    pub async fn differences(&self, fresh: Arc<Vec<Fresh>>) -> Result<Vec<Option<String>>> {
        self.answering.ask(|reply| Question::Differences(fresh, reply)).await
    }

    pub async fn ledgers(&self) -> Result<Vec<Ledger>> {
        self.answering.ask(Question::Ledgers).await
    }
}

impl Watching {
    async fn run(mut self, mut asked: mpsc::Receiver<Question>) {
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        loop {
            tokio::select! {
                question = asked.recv() => match question {
                    Some(question) => self.answer(question),
                    None => return,
                },
                _ = looks.tick() => {}
                _ = self.viewer.turn() => self.note_refusals(),
            }
            self.look();
        }
    }

    fn answer(&mut self, question: Question) {
        // A caller that has stopped waiting needs no answer.
        match question {
            Question::Differences(fresh, reply) => {
                let (client, kept) = self.viewer.kept();
                let differences = kept.iter().zip(fresh.iter());
                let of = |(kept, fresh): (&Kept, &Fresh)| difference(client, kept, fresh);
                let _ = reply.send(differences.map(of).collect());
            }
            Question::Ledgers(reply) => {
                let _ = reply.send(self.viewer.ledgers().cloned().collect());
            }
        }
    }

    fn look(&mut self) {
        let (now_ms, now) = (self.viewer.now().now_ms, Instant::now());
        let (client, kept) = self.viewer.kept();
        for (kept, scope) in kept.iter_mut().zip(ViewScope::all()) {
            let Some(view) = client.view(kept.key) else { continue };
            let out_since = self.reach.out_since(scope.kind, self.line);
            kept.ledger.look(&freshness::of(client, view, now_ms), out_since, now);
        }
        self.moved.send_modify(|count| *count += 1);
    }

    /// A problem that ends no view belongs to the faults.
    fn note_refusals(&mut self) {
        for refusal in self.viewer.take_refusals() {
            let Refusal::Ended(ended, problem) = refusal else { continue };
            for kept in self.viewer.kept().1.iter_mut().filter(|kept| kept.key == ended) {
                kept.ledger.broken.push(format!("Live: the gateway ended the view: {problem:?}"));
            }
        }
    }
}

fn difference(client: &Client, kept: &Kept, fresh: &Fresh) -> Option<String> {
    let Some(view) = client.view(kept.key) else { return Some("it is gone".into()) };
    if !view.is_exact() || !kept.ledger.is_live() {
        let now_ms = view.subscription().proof.as_ref().map_or(0, |proof| proof.synced_ms);
        return Some(format!("it is {:?}", freshness::of(client, view, now_ms)));
    }
    fresh.difference(view.table())
}

/// Being stale begins by itself.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

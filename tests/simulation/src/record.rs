//! The record of one gateway of the simulation: what its hubs hear goes through a short queue to the product's keeper, which
//! commits it to a store in memory. The store goes on when the gateway is killed; what wasn't committed is lost.

mod disk;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use gateway::hub::Heard;
use history::{Keeper, KindKey, Past, Standing, Told};
use shared::past::Why;
use shared::resource_version::ResourceVersion;

use crate::defect::Defect;
use crate::oracle::number_of;
use crate::truth::{CLUSTER, Kind};

pub(crate) use disk::Disk;

/// So many batches wait for a writer at most, so that a slow one is found too slow within a run.
const QUEUE: usize = 24;
const COMMIT_MS: i64 = 250;
/// Versions that wait for the end of their minute are written then.
const LOOK_MS: i64 = 5_000;

pub(crate) struct Record {
    disk: Disk,
    keeper: Keeper<Disk>,
    queue: VecDeque<(KindKey, Batch, i64)>,
    /// Where the record of the former run ended, until a feed begins there.
    ended_at: HashMap<KindKey, ResourceVersion>,
    due_ms: i64,
    /// The writer stands still until then.
    pub(crate) slow_until_ms: i64,
    /// How far the gateway's clock was set back, and when.
    behind_ms: i64,
    behind_since_ms: i64,
    defect: Option<Defect>,
    heard: u64,
    /// What the keeper is told is printed.
    pub(crate) is_traced: bool,
}

enum Batch {
    Heard(Vec<Heard>),
    Ended(Why),
}

pub(crate) fn key(kind: Kind) -> KindKey {
    KindKey { cluster: CLUSTER.into(), resource: kind.resource() }
}

impl Record {
    pub(crate) fn begin(disk: Disk, run: u64, now_ms: i64, defect: Option<Defect>) -> Self {
        let keeper = Keeper::open(disk.clone(), run, now_ms);
        Self {
            ended_at: keeper.positions(),
            disk,
            keeper,
            queue: VecDeque::new(),
            due_ms: now_ms + COMMIT_MS,
            slow_until_ms: i64::MIN,
            behind_ms: 0,
            behind_since_ms: i64::MAX,
            defect,
            heard: 0,
            is_traced: false,
        }
    }

    /// The store, for the run after this one.
    pub(crate) fn disk(&self) -> Disk {
        self.disk.clone()
    }

    pub(crate) fn past(&self) -> Arc<dyn Past> {
        self.keeper.past()
    }

    /// The clock of the gateway is set back, until it is right again.
    pub(crate) fn set_back(&mut self, by_ms: i64, now_ms: i64) {
        (self.behind_ms, self.behind_since_ms) = (by_ms, now_ms);
    }

    /// The gateway's clock at a time.
    fn clock_ms(&self, at_ms: i64) -> i64 {
        if at_ms < self.behind_since_ms { at_ms } else { at_ms - self.behind_ms }
    }

    pub(crate) fn heal(&mut self) {
        self.disk.empty();
        self.slow_until_ms = i64::MIN;
    }

    /// All of the kind up to this version was heard.
    pub(crate) fn position(&self, kind: Kind) -> u64 {
        self.keeper.positions().get(&key(kind)).map_or(0, number_of)
    }

    /// Why what was heard isn't kept yet.
    pub(crate) fn why_not(&self) -> Option<String> {
        match self.keeper.standing() {
            Standing::Recording => None,
            stopped => Some(format!("{stopped:?}")),
        }
    }

    pub(crate) fn fill_disk(&self, until_ms: i64) {
        self.disk.fill(until_ms);
    }

    pub(crate) fn ended_at(&mut self, kind: Kind) -> Option<ResourceVersion> {
        self.ended_at.remove(&key(kind))
    }

    /// As the product's listener does: `false` if the queue is full.
    pub(crate) fn hear(&mut self, kind: Kind, mut heard: Vec<Heard>, now_ms: i64) -> bool {
        if self.queue.len() >= QUEUE {
            return self.defect == Some(Defect::QueueOverflowForgotten);
        }
        if self.defect == Some(Defect::RecordedEventLost) {
            heard.retain(|heard| {
                self.heard += u64::from(matches!(heard, Heard::Version(_)));
                !matches!(heard, Heard::Version(version) if !version.relisted && self.heard.is_multiple_of(5))
            });
        }
        if self.defect == Some(Defect::RecordedGapLost) {
            heard.retain(|heard| !matches!(heard, Heard::Missed(_)));
        }
        for heard in &mut heard {
            if let Heard::Missed(gap) = heard {
                (gap.from_ms, gap.to_ms) = (self.clock_ms(gap.from_ms), self.clock_ms(gap.to_ms));
            }
        }
        self.queue.push_back((key(kind), Batch::Heard(heard), now_ms - self.behind_ms));
        true
    }

    /// The hub of a kind has ended.
    pub(crate) fn hub_ended(&mut self, kind: Kind, now_ms: i64) {
        if self.queue.len() < QUEUE {
            self.queue.push_back((key(kind), Batch::Ended(Why::NoViewers), now_ms - self.behind_ms));
        }
    }

    pub(crate) fn deadline_ms(&self) -> i64 {
        let wanted_ms = if self.queue.is_empty() { self.due_ms + LOOK_MS } else { self.due_ms };
        wanted_ms.max(self.slow_until_ms)
    }

    pub(crate) fn step(&mut self, now_ms: i64) {
        if now_ms < self.deadline_ms() {
            return;
        }
        self.disk.look(now_ms);
        let mut at_ms = now_ms - self.behind_ms;
        for (key, batch, heard_ms) in std::mem::take(&mut self.queue) {
            at_ms = heard_ms;
            match batch {
                Batch::Ended(why) => self.tell(&key, Told::Ended(why), heard_ms),
                Batch::Heard(heard) => {
                    for told in heard.into_iter().filter_map(|heard| gateway::past::told(heard, 0, false)) {
                        self.tell(&key, told, heard_ms);
                    }
                }
            }
        }
        self.keeper.commit(at_ms);
        self.due_ms = now_ms + COMMIT_MS;
    }

    fn tell(&mut self, key: &KindKey, told: Told, heard_ms: i64) {
        if self.is_traced {
            eprintln!("{heard_ms}  recorded of {}: {}", key.resource, describe(&told));
        }
        self.keeper.tell(key, told, heard_ms);
    }

    /// The gateway ends as it should: what was heard is written.
    pub(crate) fn end(&mut self, now_ms: i64) {
        self.slow_until_ms = i64::MIN;
        self.due_ms = i64::MIN / 2;
        self.step(now_ms);
        self.keeper.end(now_ms - self.behind_ms);
        self.keeper.commit(now_ms - self.behind_ms);
    }
}

fn describe(told: &Told) -> String {
    match told {
        Told::Version(version) => {
            let (row, relisted) = (&version.row, version.relisted);
            format!("{} {}@{}, relisted {relisted}", row.id, row.order_key(), row.resource_version)
        }
        other => format!("{other:?}"),
    }
}

//! What waits for the writer of the record, within bounds. It wakes no thread: it says when one has to be woken.

use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use history::KindKey;
use shared::past::Why;
use shared::resource::Kind;
use shared::state::UnixMillis;

use super::clock::RecordClock;
use crate::hub::Heard;
use crate::limits::{RECORD_JSON_BYTES_MAX, RECORD_QUEUE};

/// What the writer is brought.
pub(super) enum Brought {
    /// A kind is described so.
    Named {
        key: KindKey,
        named: Arc<Kind>,
    },
    Heard {
        key: KindKey,
        rules: u64,
        heard: Vec<Heard>,
    },
    Ended {
        key: KindKey,
        why: Why,
    },
    /// What was brought before is to be committed now, and then said.
    Commit(SyncSender<()>),
    /// The gateway ends.
    End,
}

/// Where hubs bring what they heard.
pub(super) struct Entrance {
    waiting: Arc<Mutex<Waiting>>,
    clock: RecordClock,
}

/// Where the writer takes it.
pub(super) struct Queue {
    waiting: Arc<Mutex<Waiting>>,
    clock: RecordClock,
}

/// Each with its time, in the order of these times: the clock is read while the queue is held.
#[derive(Default)]
struct Waiting {
    brought: VecDeque<(UnixMillis, Brought)>,
    /// The bytes of bodies that aren't compressed.
    json_bytes: usize,
    /// The writer has ended.
    is_over: bool,
}

/// What follows for who brought something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Took {
    /// The writer takes it before its next commit.
    InTime,
    /// The writer is to be woken, because a reader waits or the queue fills.
    Wake,
    /// There is no room.
    Full,
    /// The writer has ended.
    Ended,
}

/// What the writer finds.
pub(super) enum Next {
    /// This came at that time: the writer may be behind.
    Brought(UnixMillis, Brought),
    /// Nothing waits, and what comes later comes after this time.
    Nothing(UnixMillis),
}

pub(super) fn queue(clock: RecordClock) -> (Entrance, Queue) {
    let waiting = Arc::<Mutex<Waiting>>::default();
    (Entrance { waiting: Arc::clone(&waiting), clock: clock.clone() }, Queue { waiting, clock })
}

impl Entrance {
    pub(super) fn bring(&self, mut brought: Brought) -> Took {
        let mut waiting = lock(&self.waiting);
        if waiting.is_over {
            return Took::Ended;
        }
        // The end waits for no room: nothing comes after it.
        if waiting.brought.len() >= RECORD_QUEUE && !matches!(brought, Brought::End) {
            return Took::Full;
        }
        if waiting.json_bytes + brought.json_bytes() > RECORD_JSON_BYTES_MAX {
            brought.drop_json();
        }
        waiting.json_bytes += brought.json_bytes();
        let is_urgent = matches!(brought, Brought::Commit(_) | Brought::End)
            || waiting.json_bytes > RECORD_JSON_BYTES_MAX / 2
            || waiting.brought.len() >= RECORD_QUEUE / 2;
        waiting.brought.push_back((self.clock.now_ms(), brought));
        if is_urgent { Took::Wake } else { Took::InTime }
    }
}

impl Queue {
    pub(super) fn next(&self) -> Next {
        let mut waiting = lock(&self.waiting);
        match waiting.brought.pop_front() {
            Some((at_ms, brought)) => {
                waiting.json_bytes -= brought.json_bytes();
                Next::Brought(at_ms, brought)
            }
            None => Next::Nothing(self.clock.now_ms()),
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        lock(&self.waiting).is_over = true;
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Brought {
    fn json_bytes(&self) -> usize {
        let Self::Heard { heard, .. } = self else { return 0 };
        let bytes = |heard: &Heard| match heard {
            Heard::Version(version) => version.json_bytes(),
            _ => 0,
        };
        heard.iter().map(bytes).sum()
    }

    /// What is compressed of it takes little room.
    fn drop_json(&mut self) {
        let Self::Heard { heard, .. } = self else { return };
        for heard in heard {
            if let Heard::Version(version) = heard {
                version.drop_json();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use shared::resource::Resource;

    use super::*;

    fn ended() -> Brought {
        let resource = Resource::parse("", "v1", "pods").expect("a resource");
        Brought::Ended { key: KindKey { cluster: "c".into(), resource }, why: Why::NoViewers }
    }

    #[test]
    fn the_writer_sleeps_until_a_reader_waits_or_the_queue_fills_and_its_bound_is_told() {
        let (entrance, queue) = queue(RecordClock::default());
        assert_eq!(entrance.bring(ended()), Took::InTime);
        let (told, _committed) = sync_channel(1);
        assert_eq!(entrance.bring(Brought::Commit(told)), Took::Wake, "a reader waits");
        let took: Vec<Took> = (2..=RECORD_QUEUE).map(|_| entrance.bring(ended())).collect();
        let in_time = took.iter().filter(|took| **took == Took::InTime).count();
        assert_eq!(in_time, RECORD_QUEUE / 2 - 2, "half of it may wait");
        assert_eq!(took.last(), Some(&Took::Full));
        while matches!(queue.next(), Next::Brought(..)) {}
        assert_eq!(entrance.bring(ended()), Took::InTime, "what was taken has left room");
        assert_eq!(entrance.bring(Brought::End), Took::Wake);
        assert!(matches!(queue.next(), Next::Brought(_, Brought::Ended { .. })));
        assert!(matches!(queue.next(), Next::Brought(_, Brought::End)));
        drop(queue);
        assert_eq!(entrance.bring(ended()), Took::Ended);
    }
}

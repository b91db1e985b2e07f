//! The thread that writes the record: it takes what the hubs' listeners bring, and commits it four times a second.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use history::{Keepers, Standing, Told, Version};
use serde::Deserialize;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::clock::RecordClock;
use super::queue::{Brought, Entrance, Next, Queue, Took, queue};
use crate::feed::row_of_uid;
use crate::hub::{Heard, HeardVersion, are_events, writers_in};
use crate::limits::{RECORD_COMMIT_MS, RECORD_COMMIT_WAIT_S};
use crate::metrics::Metrics;

pub(super) struct Writer {
    entrance: Entrance,
    pub(super) standing: Arc<Mutex<Standing>>,
    /// The thread, which sleeps until it commits: to wake it for each change takes as long as to record that.
    sleeper: Thread,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// # Errors
    /// There is no thread to be had.
    pub(super) fn start(keeper: Keepers, clock: RecordClock, metrics: Metrics) -> std::io::Result<Self> {
        let (entrance, queue) = queue(clock);
        let standing = Arc::new(Mutex::new(keeper.standing().clone()));
        weigh(&keeper, &metrics);
        let told = Arc::clone(&standing);
        let thread = std::thread::Builder::new().name("record".into());
        let thread = thread.spawn(move || run(keeper, &queue, (&told, &metrics)))?;
        let sleeper = thread.thread().clone();
        Ok(Self { entrance, standing, sleeper, thread: Mutex::new(Some(thread)) })
    }

    /// `false`: it can't take it now. One that has ended takes nothing, and nothing more is recorded.
    pub(super) fn bring(&self, brought: Brought) -> bool {
        let took = self.entrance.bring(brought);
        if took == Took::Wake {
            self.sleeper.unpark();
        }
        took != Took::Full
    }

    /// What was brought until now can be read. A writer that takes too long for it isn't waited for.
    pub(super) fn commit(&self) {
        let (told, committed) = sync_channel(1);
        if self.bring(Brought::Commit(told)) {
            // If it takes too long, or the writer has ended, what is there is read.
            let _ = committed.recv_timeout(Duration::from_secs(RECORD_COMMIT_WAIT_S));
        }
    }

    /// What was brought is written, and the thread has ended.
    pub(super) fn end(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        self.bring(Brought::End);
        if thread.join().is_err() {
            tracing::error!("the writer of the record panicked; what came after that isn't recorded");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.bring(Brought::End);
    }
}

fn run(mut keeper: Keepers, queue: &Queue, (standing, metrics): (&Mutex<Standing>, &Metrics)) {
    let every = Duration::from_millis(RECORD_COMMIT_MS);
    let mut due = Instant::now() + every;
    loop {
        std::thread::park_timeout(due.saturating_duration_since(Instant::now()));
        // While more comes than is written in that time, it is committed all the same.
        loop {
            let turn = take_in(&mut keeper, queue, Instant::now() + every);
            if turn.is_to_commit() || Instant::now() >= due {
                let written = keeper.commit(turn.told_ms);
                // A commit may take longer than that.
                due = Instant::now() + every;
                metrics.record_entries.inc_by(u64::try_from(written).unwrap_or_default());
                if written > 0 {
                    weigh(&keeper, metrics);
                }
                tell(standing, keeper.standing(), metrics);
            }
            // A reader that waits no longer needn't hear of it.
            for told in turn.readers {
                let _ = told.try_send(());
            }
            if turn.is_end {
                return;
            }
            if turn.is_all {
                break;
            }
        }
    }
}

/// What the writer has taken from its queue.
struct Turn {
    /// All that came until then was told.
    told_ms: UnixMillis,
    /// Nothing more waits.
    is_all: bool,
    is_end: bool,
    /// They wait for a commit.
    readers: Vec<SyncSender<()>>,
}

impl Turn {
    fn is_to_commit(&self) -> bool {
        !self.is_all || self.is_end || !self.readers.is_empty()
    }
}

/// Tells the keepers what waits, each at the time at which it came and not at the time of now, which is later the more
/// waits: the record's time never goes back, so all that follows would have that time as well.
fn take_in(keeper: &mut Keepers, queue: &Queue, until: Instant) -> Turn {
    let mut readers = Vec::new();
    loop {
        let (at_ms, brought) = match queue.next() {
            Next::Brought(at_ms, brought) => (at_ms, brought),
            Next::Nothing(told_ms) => return Turn { told_ms, is_all: true, is_end: false, readers },
        };
        match brought {
            Brought::Heard { key, rules, heard } => {
                let are_events = are_events(&key.resource);
                for told in heard.into_iter().filter_map(|heard| told(heard, rules, are_events)) {
                    keeper.tell(&key, told, at_ms);
                }
            }
            Brought::Named { key, named } => keeper.tell(&key, Told::Named(named), at_ms),
            Brought::Ended { key, why } => keeper.tell(&key, Told::Ended(why), at_ms),
            Brought::Commit(told) => readers.push(told),
            Brought::End => {
                keeper.end(at_ms);
                return Turn { told_ms: at_ms, is_all: true, is_end: true, readers };
            }
        }
        if Instant::now() >= until {
            return Turn { told_ms: at_ms, is_all: false, is_end: false, readers };
        }
    }
}

fn weigh(keeper: &Keepers, metrics: &Metrics) {
    metrics.record_bytes.set(i64::try_from(keeper.byte_count()).unwrap_or(i64::MAX));
}

fn tell(standing: &Mutex<Standing>, now: &Standing, metrics: &Metrics) {
    let mut known = standing.lock().unwrap_or_else(PoisonError::into_inner);
    metrics.record_stopped.set(i64::from(matches!(now, Standing::Stopped { .. })));
    match (&*known, now) {
        (Standing::Recording, Standing::Stopped { why, .. }) => {
            tracing::warn!("the past isn't recorded any more: {why}");
        }
        (Standing::Stopped { .. }, Standing::Recording) => tracing::info!("the past is recorded again"),
        _ => {}
    }
    known.clone_from(now);
}

/// What a recorder is told of what a hub heard. `are_events`: the kind is one of Events. `None`: a body that can't be
/// unpacked, which a test says never happens.
pub fn told(heard: Heard, rules: u64, are_events: bool) -> Option<Told> {
    Some(match heard {
        Heard::Lost(why) => Told::Ended(why),
        Heard::Begun => Told::Begun,
        Heard::Columns(columns) => Told::Columns(columns),
        Heard::Version(heard) => Told::Version(Box::new(version(&heard, rules, are_events)?)),
        Heard::Deleted { row, resource_version, relisted } => {
            Told::Deleted { row, resource_version, relisted }
        }
        Heard::LeftOut(_) => return None,
        Heard::Loaded(resource_version) => Told::Loaded { resource_version },
        Heard::Missed(gap) => Told::Missed { from_ms: gap.from_ms, to_ms: gap.to_ms, reason: gap.reason },
        Heard::Proof(resource_version, _) => Told::Proof { resource_version },
    })
}

fn version(heard: &HeardVersion, rules: u64, are_events: bool) -> Option<Version> {
    let HeardVersion { row, labels, masks, managed, relisted, .. } = heard;
    let body = heard.bytes()?;
    Some(Version {
        row: Arc::clone(row),
        labels: labels.packed(),
        about: if are_events { about(&body) } else { None },
        masks: masks.parts(),
        rules,
        writers: writers_in(&managed.0),
        relisted: *relisted,
        body,
    })
}

/// The object that an Event is about, as both of its APIs name it.
fn about(body: &[u8]) -> Option<RowId> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(default)]
        uid: Box<str>,
    }
    #[derive(Deserialize)]
    struct Event {
        #[serde(alias = "regarding", rename = "involvedObject")]
        about: Named,
    }
    let event = serde_json::from_slice::<Event>(body).ok()?;
    (!event.about.uid.is_empty()).then(|| row_of_uid(&event.about.uid))
}

#[cfg(test)]
mod tests {
    use history::{Bounds, KindKey, PastState, Segments, Store};
    use shared::past::Why;
    use shared::resource::{Kind, Resource};
    use shared::resource_version::ResourceVersion;
    use shared::row::Row;

    use super::*;

    fn key(plural: &str) -> KindKey {
        KindKey { cluster: "c".into(), resource: Resource::parse("", "v1", plural).expect("a resource") }
    }

    fn keepers(opened_ms: UnixMillis) -> Keepers {
        let bounds = Bounds { bytes: 64 * 1024 * 1024, age_ms: i64::MAX };
        let memory = |_, bounds| Ok::<_, ()>(Box::new(Segments::in_memory(bounds)) as Box<dyn Store>);
        Keepers::open(memory, bounds, (1, opened_ms)).expect("keepers")
    }

    fn heard(heard: Vec<Heard>) -> Brought {
        Brought::Heard { key: key("services"), rules: 0, heard }
    }

    fn version(number: u32) -> Heard {
        let row = Row {
            id: RowId::from_hash(1),
            resource_version: ResourceVersion::new(&number.to_string()),
            namespace: Some("shop".into()),
            name: "api".into(),
            created: None,
            cells: Vec::new(),
            extra: None,
        };
        Heard::Version(Box::new(HeardVersion::of_event(row, &format!("{{\"status\":{number}}}"))))
    }

    #[test]
    fn a_writer_that_is_behind_changes_no_time_of_what_it_is_brought() {
        let clock = RecordClock::default();
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        clock.set_behind(minutes(60));
        let mut keepers = keepers(clock.now_ms());
        let (entrance, queue) = queue(clock.clone());
        let named = || {
            let key = key("nodes");
            let named = Arc::new(Kind::new(key.resource.clone(), "Node", false));
            Brought::Named { key, named }
        };
        let ended = || Brought::Ended { key: key("nodes"), why: Why::NoViewers };
        let first = vec![Heard::Begun, version(1), Heard::Loaded(ResourceVersion::new("1"))];
        let all = [heard(first), named(), heard(vec![version(2)]), ended(), heard(vec![version(3)])];
        let last = [heard(vec![version(4)])];
        let (mut ago, mut times) = (50, Vec::new());
        let mut bring = |brought: Brought| {
            clock.set_behind(minutes(ago));
            ago -= 1;
            let before_ms = clock.now_ms();
            let is_version = matches!(brought, Brought::Heard { .. });
            assert_eq!(entrance.bring(brought), Took::InTime);
            if is_version {
                times.push(before_ms..=clock.now_ms());
            }
        };
        all.into_iter().for_each(&mut bring);
        // A turn that is over before all was taken, and commits what it took.
        let turn = take_in(&mut keepers, &queue, Instant::now());
        assert!(!turn.is_all);
        keepers.commit(turn.told_ms);
        let later = Instant::now() + minutes(1);
        let turn = take_in(&mut keepers, &queue, later);
        assert!(turn.is_all);
        keepers.commit(turn.told_ms);
        // It comes right after the queue was found empty.
        last.into_iter().for_each(&mut bring);
        clock.set_behind(Duration::ZERO);
        let turn = take_in(&mut keepers, &queue, later);
        keepers.commit(turn.told_ms);

        let mut versions =
            keepers.past().versions(&key("services"), RowId::from_hash(1), i64::MAX, 9).expect("a record");
        versions.reverse();
        let at_ms: Vec<UnixMillis> = versions.iter().map(|version| version.at_ms).collect();
        assert!(versions.iter().all(|version| matches!(version.state, PastState::There { .. })));
        assert_eq!(at_ms.len(), times.len());
        for (at_ms, time) in at_ms.iter().zip(&times) {
            assert!(time.contains(at_ms), "{at_ms} isn't in {time:?}: {at_ms:?} of {times:?}");
        }
    }
}

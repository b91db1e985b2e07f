//! The thread that writes the record: it takes what the hubs' listeners bring, and commits it four times a second.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use history::{Keepers, KindKey, Standing, Told, Version};
use serde::Deserialize;
use shared::past::Why;
use shared::resource::Kind;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::clock::RecordClock;
use crate::feed::row_of_uid;
use crate::hub::{Heard, HeardVersion, writers_in};
use crate::limits::{RECORD_COMMIT_MS, RECORD_COMMIT_WAIT_S, RECORD_QUEUE};
use crate::metrics::Metrics;

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
        /// When it was heard: the writer may be behind.
        at_ms: UnixMillis,
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

pub(super) struct Writer {
    pub(super) brought: SyncSender<Brought>,
    pub(super) standing: Arc<Mutex<Standing>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// # Errors
    /// There is no thread to be had.
    pub(super) fn start(keeper: Keepers, clock: RecordClock, metrics: Metrics) -> std::io::Result<Self> {
        let (brought, queue) = sync_channel(RECORD_QUEUE);
        let standing = Arc::new(Mutex::new(keeper.standing().clone()));
        weigh(&keeper, &metrics);
        let told = Arc::clone(&standing);
        let thread = std::thread::Builder::new().name("record".into());
        let thread = thread.spawn(move || run(keeper, &queue, &clock, (&told, &metrics)))?;
        Ok(Self { brought, standing, thread: Mutex::new(Some(thread)) })
    }

    /// What was brought until now can be read. A writer that takes too long for it isn't waited for.
    pub(super) fn commit(&self) {
        let (told, committed) = sync_channel(1);
        if self.brought.try_send(Brought::Commit(told)).is_ok() {
            // If it takes too long, or the writer has ended, what is there is read.
            let _ = committed.recv_timeout(Duration::from_secs(RECORD_COMMIT_WAIT_S));
        }
    }

    /// What was brought is written, and the thread has ended.
    pub(super) fn end(&self) {
        // Without a thread there is nothing to end.
        drop(self.brought.send(Brought::End));
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the record panicked; what came after that isn't recorded");
        }
    }
}

fn run(
    mut keeper: Keepers,
    queue: &Receiver<Brought>,
    clock: &RecordClock,
    (standing, metrics): (&Mutex<Standing>, &Metrics),
) {
    let every = Duration::from_millis(RECORD_COMMIT_MS);
    let mut due = Instant::now() + every;
    // While something waits to be written, it is as late as that: what waits was heard before now.
    let mut now_ms = clock.now_ms();
    loop {
        let mut committed = None;
        let is_end = match queue.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(Brought::Heard { key, rules, heard, at_ms }) => {
                now_ms = at_ms;
                for heard in heard {
                    if let Some(told) = told(heard, rules) {
                        keeper.tell(&key, told, at_ms);
                    }
                }
                false
            }
            Ok(Brought::Named { key, named }) => {
                keeper.tell(&key, Told::Named(named), clock.now_ms());
                false
            }
            Ok(Brought::Ended { key, why }) => {
                keeper.tell(&key, Told::Ended(why), clock.now_ms());
                false
            }
            Ok(Brought::Commit(told)) => {
                committed = Some(told);
                false
            }
            Ok(Brought::End) | Err(RecvTimeoutError::Disconnected) => true,
            Err(RecvTimeoutError::Timeout) => {
                now_ms = clock.now_ms();
                false
            }
        };
        if is_end {
            keeper.end(clock.now_ms());
        }
        if is_end || committed.is_some() || Instant::now() >= due {
            due = Instant::now() + every;
            let written = keeper.commit(now_ms);
            metrics.record_entries.inc_by(u64::try_from(written).unwrap_or_default());
            if written > 0 {
                weigh(&keeper, metrics);
            }
            tell(standing, keeper.standing(), metrics);
        }
        // A reader that waits no longer needn't hear of it.
        committed.map(|committed| committed.try_send(()));
        if is_end {
            return;
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

/// What a recorder is told of what a hub heard. `None`: a body that can't be unpacked, which a test says never happens.
pub fn told(heard: Heard, rules: u64) -> Option<Told> {
    Some(match heard {
        Heard::Lost(why) => Told::Ended(why),
        Heard::Begun => Told::Begun,
        Heard::Columns(columns) => Told::Columns(columns),
        Heard::Version(heard) => Told::Version(Box::new(version(&heard, rules)?)),
        Heard::Deleted { row, resource_version, relisted } => {
            Told::Deleted { row, resource_version, relisted }
        }
        Heard::LeftOut(_) => return None,
        Heard::Loaded(resource_version) => Told::Loaded { resource_version },
        Heard::Missed(gap) => Told::Missed { from_ms: gap.from_ms, to_ms: gap.to_ms, reason: gap.reason },
        Heard::Proof(resource_version) => Told::Proof { resource_version },
    })
}

fn version(heard: &HeardVersion, rules: u64) -> Option<Version> {
    let HeardVersion { row, labels, masks, managed, relisted, .. } = heard;
    let body = heard.body()?;
    Some(Version {
        row: Arc::clone(row),
        labels: labels.packed(),
        about: about(&body),
        masks: masks.parts(),
        rules,
        writers: writers_in(&managed.0),
        relisted: *relisted,
        body,
    })
}

/// The object that an Event is about, as both of its APIs name it. Other kinds have neither field.
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
    // Most objects aren't Events, and reading one costs more than looking for a word.
    let is_event = memchr::memmem::find(body, b"\"involvedObject\"").is_some()
        || memchr::memmem::find(body, b"\"regarding\"").is_some();
    let event = is_event.then(|| serde_json::from_slice::<Event>(body).ok()).flatten()?;
    (!event.about.uid.is_empty()).then(|| row_of_uid(&event.about.uid))
}

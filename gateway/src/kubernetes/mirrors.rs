//! The logs of the feeds whose events are read, each beside its hub for as long as it has readers, and a while longer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::log::Log;
use crate::feed::FeedKey;
use crate::hub::{self, Heard, Listen};
use crate::limits::{
    EVENTS_BEHIND_MS, EVENTS_BYTES_MAX, EVENTS_LINGER_S, EVENTS_OF_A_FEED_BYTES_MAX, EVENTS_REACH_MS,
};

/// The events of one feed, as its hub tells them.
pub struct Mirror {
    key: FeedKey,
    log: Mutex<Log>,
    /// Counts what was heard.
    heard: watch::Sender<u64>,
    readers: AtomicUsize,
    left_at: Mutex<Instant>,
    behind: Mutex<Option<Behind>>,
}

/// The last revision of the cluster that the feed didn't reach in time: it may stand for objects of other kinds.
struct Behind {
    revision: u64,
    at: Instant,
}

/// A reader of a mirror, which goes on for as long as it has one.
pub struct Reader {
    mirror: Arc<Mirror>,
    pub(super) heard: watch::Receiver<u64>,
}

impl Mirror {
    fn new(key: FeedKey) -> Self {
        Self {
            key,
            log: Mutex::new(Log::new(EVENTS_OF_A_FEED_BYTES_MAX)),
            heard: watch::Sender::new(0),
            readers: AtomicUsize::new(0),
            left_at: Mutex::new(Instant::now()),
            behind: Mutex::default(),
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(self: &Arc<Self>) -> Reader {
        self.readers.fetch_add(1, Ordering::AcqRel);
        Reader { mirror: Arc::clone(self), heard: self.heard.subscribe() }
    }

    fn is_idle(&self) -> bool {
        let left_at = *self.left_at.lock().unwrap_or_else(PoisonError::into_inner);
        self.readers.load(Ordering::Acquire) == 0 && left_at.elapsed() > Duration::from_secs(EVENTS_LINGER_S)
    }
}

impl Reader {
    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        self.mirror.log()
    }

    /// Which feed it is of.
    pub(super) fn key(&self) -> &FeedKey {
        &self.mirror.key
    }

    /// Whether the feed may have reached what the cluster is at now. A revision only grows, so a feed that stands before
    /// the last one that it missed hasn't; and one that missed it a moment ago is likely to miss the next one.
    pub(super) fn may_have_reached_now(&self) -> bool {
        let heard = self.log().revision();
        let behind = self.mirror.behind.lock().unwrap_or_else(PoisonError::into_inner);
        let has_missed = |behind: &Behind| {
            heard < behind.revision || behind.at.elapsed() < Duration::from_millis(EVENTS_BEHIND_MS)
        };
        !behind.as_ref().is_some_and(has_missed)
    }

    /// Whether all up to this revision is heard, now or within a short time.
    pub(super) async fn reaches(&mut self, revision: u64) -> bool {
        let reached = async {
            loop {
                let is_reached = {
                    let log = self.mirror.log();
                    log.is_loaded() && log.revision() >= revision
                };
                if is_reached || self.heard.changed().await.is_err() {
                    return is_reached;
                }
            }
        };
        let is_reached = timeout(Duration::from_millis(EVENTS_REACH_MS), reached).await.unwrap_or(false);
        if !is_reached {
            let behind = Behind { revision, at: Instant::now() };
            *self.mirror.behind.lock().unwrap_or_else(PoisonError::into_inner) = Some(behind);
        }
        is_reached
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        *self.mirror.left_at.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.mirror.readers.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Which feeds have a mirror, and the seats of readers on their way to one. Cheap to clone.
#[derive(Clone, Default)]
pub struct Mirrors {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    mirrors: Mutex<HashMap<FeedKey, Arc<Mirror>>>,
    seats: Mutex<HashMap<u64, watch::Sender<Option<Arc<Mirror>>>>>,
    last_seat: AtomicU64,
    /// The events of all mirrors.
    bytes: AtomicUsize,
}

/// Where a reader waits for the mirror of its subscription's feed.
pub struct Seat {
    pub(super) number: u64,
    mirrors: Mirrors,
    mirror: watch::Receiver<Option<Arc<Mirror>>>,
}

impl Mirrors {
    /// A seat for one subscription.
    #[must_use]
    pub fn seat(&self) -> Seat {
        let number = self.inner.last_seat.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, mirror) = watch::channel(None);
        self.inner.seats().insert(number, sender);
        Seat { number, mirrors: self.clone(), mirror }
    }

    /// A reader of a feed whose events are kept already.
    #[must_use]
    pub fn reader(&self, key: &FeedKey) -> Option<Reader> {
        self.inner.mirrors().get(key).map(Mirror::read)
    }
}

impl Inner {
    fn mirrors(&self) -> MutexGuard<'_, HashMap<FeedKey, Arc<Mirror>>> {
        self.mirrors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seats(&self) -> MutexGuard<'_, HashMap<u64, watch::Sender<Option<Arc<Mirror>>>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Returns when the subscription's feed is known. `None`: never again.
    pub(super) async fn taken(&mut self) -> Option<Reader> {
        let mirror = self.mirror.wait_for(Option::is_some).await.ok()?.clone();
        mirror.as_ref().map(Mirror::read)
    }

    /// Returns when the subscription went on to another feed.
    pub(super) async fn moved(&mut self) {
        if self.mirror.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.mirrors.inner.seats().remove(&self.number);
    }
}

impl hub::Mirrors for Mirrors {
    fn listener(&self, key: &FeedKey) -> Option<Box<dyn Listen>> {
        let mut mirrors = self.inner.mirrors();
        if mirrors.contains_key(key) {
            return None;
        }
        let mirror = Arc::new(Mirror::new(key.clone()));
        mirrors.insert(key.clone(), Arc::clone(&mirror));
        Some(Box::new(Listener { inner: Arc::clone(&self.inner), mirror, bytes: 0 }))
    }

    fn seat(&self, seat: u64, key: &FeedKey) {
        let mirror = self.inner.mirrors().get(key).cloned();
        if let Some(sender) = self.inner.seats().get(&seat) {
            sender.send_replace(mirror);
        }
    }
}

/// Fills the mirror of one hub, which ends with it.
struct Listener {
    inner: Arc<Inner>,
    mirror: Arc<Mirror>,
    /// Its part of the bytes of all.
    bytes: usize,
}

impl Listen for Listener {
    fn hear(&mut self, heard: Vec<Heard>) -> bool {
        let bytes = {
            let mut log = self.mirror.log();
            for heard in heard {
                log.hear(heard);
            }
            // What all have together is bounded as well: the one that grows gives way.
            let all = self.inner.bytes.load(Ordering::Relaxed);
            let others = all.saturating_sub(self.bytes);
            log.fit(EVENTS_BYTES_MAX.saturating_sub(others));
            log.bytes()
        };
        if bytes >= self.bytes {
            self.inner.bytes.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            self.inner.bytes.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        self.mirror.heard.send_modify(|count| *count = count.wrapping_add(1));
        true
    }

    fn is_over(&self) -> bool {
        // Under the lock, so that no reader comes meanwhile.
        let mut mirrors = self.inner.mirrors();
        let is_over = self.mirror.is_idle();
        if is_over {
            mirrors.remove(&self.mirror.key);
        }
        is_over
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut mirrors = self.inner.mirrors();
        if mirrors.get(&self.mirror.key).is_some_and(|known| Arc::ptr_eq(known, &self.mirror)) {
            mirrors.remove(&self.mirror.key);
        }
        drop(mirrors);
        self.inner.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.mirror.log().end();
        self.mirror.heard.send_modify(|count| *count = count.wrapping_add(1));
    }
}

//! When a hub does what. Time is an argument; the hub carries out what is due.

use std::time::Duration;

use crate::feed::FeedCommand;
use crate::limits::{FEED_LINGER_S, RESUME_WAIT_MS, SYNC_EVERY_MS, TICK_MS, TICK_SYNCING_MS};

/// The time since some beginning, by a clock that never goes back.
pub type Elapsed = Duration;

/// When a hub did what last, and so when the next is due. The hub asks it in [`super::hub::Hub::settle`].
pub(super) struct Schedule {
    sealed_at: Option<Elapsed>,
    sync_at: Option<Elapsed>,
    /// Until then viewers wait that stand ahead of the first list.
    wait_until: Option<Elapsed>,
    /// The time since which there is no subscriber.
    idle_since: Option<Elapsed>,
    /// What the feed was told: it starts for a viewer.
    feed_is_unwatched: bool,
    /// How long a hub goes on without a subscriber.
    linger: Duration,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            sealed_at: None,
            sync_at: None,
            wait_until: None,
            idle_since: None,
            feed_is_unwatched: false,
            linger: Duration::from_secs(FEED_LINGER_S),
        }
    }
}

const SYNC_EVERY: Duration = Duration::from_millis(SYNC_EVERY_MS);
const RESUME_WAIT: Duration = Duration::from_millis(RESUME_WAIT_MS);

impl Schedule {
    pub(super) fn set_linger(&mut self, linger: Duration) {
        self.linger = linger;
    }

    pub(super) fn begin(&mut self, now: Elapsed) {
        if self.sealed_at.is_none() {
            self.sealed_at = Some(now);
            self.sync_at = Some(now + SYNC_EVERY);
            self.idle_since = Some(now);
        }
    }

    /// When the next tick may be sealed. The rows of a first list come by the thousand: fewer, larger
    /// frames are deflated, and take a fifth of the bytes.
    pub(super) fn tick_at(&self, is_loaded: bool) -> Elapsed {
        let tick_ms = if is_loaded { TICK_MS } else { TICK_SYNCING_MS };
        self.sealed_at.unwrap_or_default() + Duration::from_millis(tick_ms)
    }

    pub(super) fn sealed(&mut self, now: Elapsed) {
        self.sealed_at = Some(now);
    }

    /// A proof is told at once. Another `sync` follows after that time, unless a proof comes first.
    pub(super) fn synced(&mut self, now: Elapsed) {
        self.sync_at = Some(now + SYNC_EVERY);
    }

    pub(super) fn is_sync_due(&self, now: Elapsed) -> bool {
        self.sync_at.is_some_and(|at| now >= at)
    }

    /// Whether the subscribers that wait have waited long enough.
    pub(super) fn is_wait_over(&mut self, any_waits: bool, now: Elapsed) -> bool {
        let wait_until = self.wait_until.unwrap_or(now + RESUME_WAIT);
        self.wait_until = any_waits.then_some(wait_until);
        self.wait_until.take_if(|until| *until <= now).is_some()
    }

    /// Whether there is no subscriber now.
    pub(super) fn note_idle(&mut self, is_idle: bool, now: Elapsed) {
        let idle_since = self.idle_since.unwrap_or(now);
        self.idle_since = is_idle.then_some(idle_since);
    }

    /// When something is due at the latest. `tick_at`: when the next tick may be sealed, if one is to be.
    pub(super) fn deadline(&self, tick_at: Option<Elapsed>) -> Elapsed {
        let Self { sync_at, wait_until, idle_since, .. } = self;
        let rest = idle_since.map_or(sync_at.unwrap_or_default(), |since| since + self.linger);
        tick_at.into_iter().chain(*wait_until).fold(rest, Elapsed::min)
    }

    /// Whether there was no subscriber for a while.
    pub(super) fn has_lingered(&self, now: Elapsed) -> bool {
        self.idle_since.is_some_and(|since| now >= since + self.linger)
    }

    pub(super) fn linger_on(&mut self, now: Elapsed) {
        self.idle_since = Some(now);
    }

    /// Tells the feed whether it has viewers, if that has changed. `tell`: whether the feed took it; if it
    /// didn't, it is told again the next time.
    pub(super) fn tell_feed(&mut self, is_unwatched: bool, tell: impl FnOnce(FeedCommand) -> bool) {
        if is_unwatched != self.feed_is_unwatched && tell(FeedCommand::Viewers(!is_unwatched)) {
            self.feed_is_unwatched = is_unwatched;
        }
    }
}

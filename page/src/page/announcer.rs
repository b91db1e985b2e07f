//! Messages for screen readers: at most one in ten seconds, and always the latest.

use shared::state::UnixMillis;

#[derive(Default)]
pub(super) struct Announcer {
    waiting: Option<String>,
    said_ms: UnixMillis,
}

const INTERVAL_MS: i64 = 10_000;

impl Announcer {
    /// Takes a new message, and returns the one that is due.
    pub(super) fn next(&mut self, message: Option<String>, now_ms: UnixMillis) -> Option<String> {
        self.waiting = message.or(self.waiting.take());
        if now_ms.saturating_sub(self.said_ms) < INTERVAL_MS {
            return None;
        }
        let said = self.waiting.take()?;
        self.said_ms = now_ms;
        Some(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_messages_within_ten_seconds_the_latest_is_said_later() {
        let mut announcer = Announcer::default();
        let mut next = |message: Option<&str>, now_ms| announcer.next(message.map(str::to_owned), now_ms);
        assert_eq!(next(Some("paused"), 20_000).as_deref(), Some("paused"));
        assert_eq!(next(Some("live"), 21_000), None);
        assert_eq!(next(Some("stale"), 22_000), None);
        assert_eq!(next(None, 29_999), None);
        assert_eq!(next(None, 30_000).as_deref(), Some("stale"));
        assert_eq!(next(None, 90_000), None);
    }
}

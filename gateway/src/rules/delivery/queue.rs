//! What waits for one webhook: bounded, each message tried again with longer and longer pauses for a day, then lost. Pure:
//! time and chance are arguments.

use std::collections::{HashSet, VecDeque};

use bytes::Bytes;
use shared::state::UnixMillis;

use crate::limits::{
    NOTIFICATION_AGE_MS, NOTIFICATION_BYTES_MAX, NOTIFICATION_PAUSE_FIRST_MS, NOTIFICATION_PAUSE_MAX_MS,
    NOTIFICATIONS_MAX,
};

/// A message for one receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub id: Box<str>,
    /// Messages about the same are sent in their order.
    pub about: Box<str>,
    pub body: Bytes,
}

#[derive(Default)]
pub struct Queue {
    waiting: VecDeque<Waiting>,
    bytes: usize,
}

struct Waiting {
    message: Message,
    since_ms: UnixMillis,
    next_ms: UnixMillis,
    tries: u32,
}

impl Queue {
    /// Takes a message, and drops the oldest as far as there is no room. Returns those that are lost. One that waits
    /// already is taken once.
    pub fn push(&mut self, message: Message, now_ms: UnixMillis) -> Vec<Box<str>> {
        if self.waiting.iter().any(|it| it.message.id == message.id) {
            return Vec::new();
        }
        self.bytes += message.body.len();
        self.waiting.push_back(Waiting { message, since_ms: now_ms, next_ms: now_ms, tries: 0 });
        let mut lost = Vec::new();
        while self.waiting.len() > NOTIFICATIONS_MAX || self.bytes > NOTIFICATION_BYTES_MAX {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.bytes -= oldest.message.body.len();
            lost.push(oldest.message.id);
        }
        lost
    }

    /// Drops what has waited for too long, and returns it.
    pub fn expire(&mut self, now_ms: UnixMillis) -> Vec<Box<str>> {
        let is_old = |it: &&Waiting| now_ms - it.since_ms >= NOTIFICATION_AGE_MS;
        let old = self.waiting.iter().filter(is_old).map(|it| it.message.id.clone()).collect();
        self.waiting.retain(|it| !is_old(&it));
        self.bytes = self.waiting.iter().map(|it| it.message.body.len()).sum();
        old
    }

    /// What is to be sent now: the oldest that is due, unless something about the same waits before it.
    #[must_use]
    pub fn next(&self, now_ms: UnixMillis) -> Option<&Message> {
        self.first_of_each().find(|it| it.next_ms <= now_ms).map(|it| &it.message)
    }

    /// When [`Queue::next`] has something, or something is lost, if nothing else comes.
    #[must_use]
    pub fn due_ms(&self) -> Option<UnixMillis> {
        let ends_ms = self.waiting.iter().map(|it| it.since_ms + NOTIFICATION_AGE_MS);
        self.first_of_each().map(|it| it.next_ms).chain(ends_ms).min()
    }

    /// It was taken, or will never be.
    pub fn remove(&mut self, id: &str) {
        self.waiting.retain(|it| *it.message.id != *id);
        self.bytes = self.waiting.iter().map(|it| it.message.body.len()).sum();
    }

    /// It wasn't taken, and is tried again. `chance`: from 0 to 1, so that receivers aren't asked by many at once.
    pub fn failed(&mut self, id: &str, now_ms: UnixMillis, chance: f64) {
        let Some(it) = self.waiting.iter_mut().find(|it| *it.message.id == *id) else { return };
        let doubled = NOTIFICATION_PAUSE_FIRST_MS.saturating_mul(1 << it.tries.min(PAUSE_DOUBLED_MAX));
        let pause_ms = doubled.min(NOTIFICATION_PAUSE_MAX_MS);
        it.tries += 1;
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a pause is small")]
        let shorter_ms = (pause_ms as f64 / 2.0 * chance.clamp(0.0, 1.0)) as i64;
        it.next_ms = now_ms + pause_ms - shorter_ms;
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.waiting.iter().map(|it| &*it.message.id)
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    fn first_of_each(&self) -> impl Iterator<Item = &Waiting> {
        let mut seen = HashSet::new();
        self.waiting.iter().filter(move |it| seen.insert(&it.message.about))
    }
}

/// Beyond it a pause is the longest anyway.
const PAUSE_DOUBLED_MAX: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, about: &str) -> Message {
        Message { id: id.into(), about: about.into(), body: Bytes::from_static(b"{}") }
    }

    fn next(queue: &Queue, now_ms: UnixMillis) -> Option<&str> {
        queue.next(now_ms).map(|message| &*message.id)
    }

    #[test]
    fn a_message_that_fails_waits_longer_each_time_and_delays_only_what_is_about_the_same() {
        let mut queue = Queue::default();
        for (id, about) in [("a1", "a"), ("a2", "a"), ("b1", "b")] {
            assert!(queue.push(message(id, about), 0).is_empty());
        }
        assert_eq!(next(&queue, 0), Some("a1"));
        queue.failed("a1", 0, 0.0);
        assert_eq!(next(&queue, 0), Some("b1"), "a2 waits for a1");
        queue.remove("b1");
        assert_eq!((next(&queue, 999), queue.due_ms()), (None, Some(1_000)));
        let mut now_ms = 1_000;
        for pause_ms in
            [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 600_000, 600_000]
        {
            queue.failed("a1", now_ms, 0.0);
            now_ms += pause_ms;
            assert_eq!((next(&queue, now_ms - 1), next(&queue, now_ms)), (None, Some("a1")));
        }
        queue.failed("a1", now_ms, 1.0);
        assert_eq!(next(&queue, now_ms + 300_000), Some("a1"), "chance halves a pause at most");
        queue.remove("a1");
        assert_eq!(next(&queue, now_ms), Some("a2"));
    }

    #[test]
    fn what_nobody_took_in_a_day_is_lost_and_so_is_the_oldest_of_a_full_queue() {
        let mut queue = Queue::default();
        queue.push(message("old", "a"), 0);
        queue.push(message("young", "b"), 1_000);
        queue.failed("old", 0, 0.0);
        assert!(queue.expire(NOTIFICATION_AGE_MS - 1).is_empty());
        assert_eq!(
            (queue.expire(NOTIFICATION_AGE_MS), next(&queue, NOTIFICATION_AGE_MS)),
            (vec!["old".into()], Some("young"))
        );
        let lost: usize =
            (0..NOTIFICATIONS_MAX + 2).map(|n| queue.push(message(&n.to_string(), "c"), 0).len()).sum();
        assert_eq!((lost, queue.len()), (3, NOTIFICATIONS_MAX));
        assert_eq!(next(&queue, NOTIFICATION_AGE_MS), Some("2"), "the oldest made room");
        assert!(queue.push(message("5", "c"), 0).is_empty(), "it waits already");
        let large = Message { body: Bytes::from(vec![0; NOTIFICATION_BYTES_MAX]), ..message("large", "d") };
        assert_eq!(queue.push(large, 0).len(), NOTIFICATIONS_MAX);
    }
}

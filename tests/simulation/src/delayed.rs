//! What is on its way between two parts, in the order in which it was sent.

use std::collections::VecDeque;

pub(crate) struct Delayed<T>(VecDeque<(i64, T)>);

impl<T> Default for Delayed<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Delayed<T> {
    /// When something arrives that is due then: never before what was sent before it.
    pub(crate) fn arrives_ms(&self, due_ms: i64) -> i64 {
        self.0.back().map_or(due_ms, |(last_ms, _)| due_ms.max(*last_ms))
    }

    pub(crate) fn push(&mut self, due_ms: i64, item: T) {
        self.0.push_back((self.arrives_ms(due_ms), item));
    }

    pub(crate) fn pop_due(&mut self, now_ms: i64) -> Option<T> {
        Some(self.0.pop_front_if(|(due_ms, _)| *due_ms <= now_ms)?.1)
    }

    pub(crate) fn front(&self) -> Option<&(i64, T)> {
        self.0.front()
    }

    pub(crate) fn due_ms(&self) -> Option<i64> {
        self.0.front().map(|(due_ms, _)| *due_ms)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// How many of them arrive until then.
    pub(crate) fn len_until(&self, due_ms: i64) -> usize {
        self.0.partition_point(|(at_ms, _)| *at_ms <= due_ms)
    }

    /// Loses all but the first ones.
    pub(crate) fn keep_first(&mut self, count: usize) -> impl Iterator<Item = T> {
        self.0.split_off(count).into_iter().map(|(_, lost)| lost)
    }
}

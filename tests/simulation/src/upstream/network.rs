//! The network between one gateway and the API server: late, standing still, dark, or down.

use crate::chance::Chance;

#[derive(Clone, Debug)]
pub(crate) struct Network {
    latency_ms: (i64, i64),
    pub(crate) trouble: Option<Trouble>,
    pub(super) since_ms: i64,
    until_ms: i64,
    /// When the last trouble ended.
    pub(crate) healed_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The server's process is stopped: its kernel answers for it, nothing else does.
    Stopped,
    /// Packets vanish: connections break when the kernel gives up.
    Dark,
    /// The server's port is closed.
    Down,
    /// Everything is late, by up to so many milliseconds more.
    Slow(i64),
}

impl Network {
    pub(crate) fn new(latency_ms: (i64, i64)) -> Self {
        Self { latency_ms, trouble: None, since_ms: 0, until_ms: i64::MAX, healed_ms: 0 }
    }

    pub(crate) fn disturb(&mut self, trouble: Trouble, now_ms: i64, for_ms: i64) {
        (self.trouble, self.since_ms, self.until_ms) = (Some(trouble), now_ms, now_ms + for_ms);
    }

    pub(crate) fn heal(&mut self) {
        (self.trouble, self.until_ms) = (None, i64::MAX);
    }

    pub(crate) fn step(&mut self, now_ms: i64) {
        if self.until_ms <= now_ms {
            self.heal();
            self.healed_ms = now_ms;
        }
    }

    pub(crate) fn deadline_ms(&self) -> i64 {
        self.until_ms
    }

    pub(super) fn delay_ms(&self, chance: &mut Chance) -> i64 {
        let extra_ms = match self.trouble {
            Some(Trouble::Slow(by_ms)) => chance.between(0, by_ms),
            _ => 0,
        };
        chance.between(self.latency_ms.0, self.latency_ms.1) + extra_ms
    }

    pub(super) fn passes(&self) -> bool {
        !matches!(self.trouble, Some(Trouble::Stopped | Trouble::Dark))
    }
}

//! How the network between one gateway and the API server is: late, standing still, dark, or down.

use crate::chance::Chance;

/// How the network between one gateway and the API server is.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) latency_ms: (i64, i64),
    pub(crate) trouble: Trouble,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    None,
    /// The server's process is stopped: its kernel answers for it, nothing else does.
    Stopped {
        until_ms: i64,
    },
    /// Packets vanish: connections break when the kernel gives up.
    Dark {
        since_ms: i64,
        until_ms: i64,
    },
    /// Nobody listens.
    Down {
        until_ms: i64,
    },
    /// Everything is late.
    Slow {
        until_ms: i64,
        by_ms: i64,
    },
}

impl Network {
    pub(crate) fn pass(&mut self, now_ms: i64) {
        let until_ms = match self.trouble {
            Trouble::None => return,
            Trouble::Stopped { until_ms }
            | Trouble::Dark { until_ms, .. }
            | Trouble::Down { until_ms }
            | Trouble::Slow { until_ms, .. } => until_ms,
        };
        if until_ms <= now_ms {
            self.trouble = Trouble::None;
        }
    }

    pub(crate) fn deadline_ms(&self) -> i64 {
        match self.trouble {
            Trouble::None => i64::MAX,
            Trouble::Stopped { until_ms }
            | Trouble::Dark { until_ms, .. }
            | Trouble::Down { until_ms }
            | Trouble::Slow { until_ms, .. } => until_ms,
        }
    }

    pub(super) fn delay_ms(&self, chance: &mut Chance) -> i64 {
        let (low, high) = self.latency_ms;
        let extra_ms = match self.trouble {
            Trouble::Slow { by_ms, .. } => chance.between(0, by_ms),
            _ => 0,
        };
        chance.between(low, high) + extra_ms
    }

    pub(super) fn passes(&self) -> bool {
        !matches!(self.trouble, Trouble::Stopped { .. } | Trouble::Dark { .. })
    }
}

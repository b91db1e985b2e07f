//! How far a connection may be ahead of its client. A browser's WebSocket has no backpressure, so the
//! client acknowledges bytes.

#[derive(Debug)]
pub(super) struct Credit {
    bytes_max: u64,
    sent: u64,
    acknowledged: u64,
}

impl Credit {
    pub(super) fn of(bytes_max: u64) -> Self {
        Self { bytes_max, sent: 0, acknowledged: 0 }
    }

    pub(super) fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    pub(super) fn spend(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }

    /// Bytes that weren't sent don't count.
    pub(super) fn acknowledge(&mut self, bytes: u64) {
        self.acknowledged = bytes.clamp(self.acknowledged, self.sent);
    }

    /// Whether one more frame may go out.
    pub(super) fn is_left(&self) -> bool {
        self.sent - self.acknowledged < self.bytes_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::CREDIT_BYTES;

    #[test]
    fn an_acknowledgement_of_more_than_was_sent_or_of_less_than_before_changes_nothing() {
        let mut credit = Credit::of(CREDIT_BYTES);
        credit.spend(100);
        credit.acknowledge(u64::MAX);
        credit.acknowledge(0);
        assert_eq!(credit.sent - credit.acknowledged, 0);
        credit.spend(usize::try_from(CREDIT_BYTES).expect("fits"));
        assert!(!credit.is_left());
    }
}

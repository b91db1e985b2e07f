//! How far ahead of its reader a connection may be. A browser's WebSocket has no backpressure of its
//! own, so the reader acknowledges bytes.

use crate::limits::CREDIT_BYTES;

#[derive(Debug, Default)]
pub(super) struct Credit {
    sent: u64,
    acknowledged: u64,
}

impl Credit {
    pub(super) fn spend(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }

    /// Acknowledging what wasn't sent buys nothing.
    pub(super) fn acknowledge(&mut self, bytes: u64) {
        self.acknowledged = bytes.clamp(self.acknowledged, self.sent);
    }

    /// Whether one more frame may go out.
    pub(super) fn is_left(&self) -> bool {
        self.sent - self.acknowledged < CREDIT_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_does_not_acknowledge_gets_its_credit_and_one_frame() {
        let mut credit = Credit::default();
        credit.spend(usize::try_from(CREDIT_BYTES).expect("fits") - 1);
        assert!(credit.is_left());
        credit.spend(256 * 1024);
        assert!(!credit.is_left());
        credit.acknowledge(256 * 1024);
        assert!(credit.is_left());
    }

    #[test]
    fn an_acknowledgement_of_more_than_was_sent_or_of_less_than_before_changes_nothing() {
        let mut credit = Credit::default();
        credit.spend(100);
        credit.acknowledge(u64::MAX);
        credit.acknowledge(0);
        assert_eq!(credit.sent - credit.acknowledged, 0);
        credit.spend(usize::try_from(CREDIT_BYTES).expect("fits"));
        assert!(!credit.is_left());
    }
}

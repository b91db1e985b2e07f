//! Whether what a running hub has is current, for those who ask from outside its task.

use std::sync::atomic::{AtomicBool, Ordering};

/// What was current once and isn't any more is stale; a hub that still lists is neither.
#[derive(Debug, Default)]
pub(super) struct Currency {
    is_current: AtomicBool,
    was_current: AtomicBool,
}

impl Currency {
    pub(super) fn note(&self, is_current: bool) {
        self.is_current.store(is_current, Ordering::Relaxed);
        self.was_current.fetch_or(is_current, Ordering::Relaxed);
    }

    pub(super) fn is_current(&self) -> bool {
        self.is_current.load(Ordering::Relaxed)
    }

    pub(super) fn is_stale(&self) -> bool {
        self.was_current.load(Ordering::Relaxed) && !self.is_current()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_is_stale_only_after_it_was_current() {
        let currency = Currency::default();
        currency.note(false);
        assert!(!currency.is_current() && !currency.is_stale(), "it lists");
        currency.note(true);
        assert!(currency.is_current() && !currency.is_stale());
        currency.note(false);
        assert!(!currency.is_current() && currency.is_stale());
    }
}

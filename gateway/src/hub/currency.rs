//! What a running hub says of its state, for those who ask from outside its task.

use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Default)]
pub(super) struct Currency {
    is_current: AtomicBool,
    has_lost_touch: AtomicBool,
}

impl Currency {
    pub(super) fn note(&self, is_current: bool, has_lost_touch: bool) {
        self.is_current.store(is_current, Ordering::Relaxed);
        self.has_lost_touch.store(has_lost_touch, Ordering::Relaxed);
    }

    pub(super) fn is_current(&self) -> bool {
        self.is_current.load(Ordering::Relaxed)
    }

    pub(super) fn has_lost_touch(&self) -> bool {
        self.has_lost_touch.load(Ordering::Relaxed)
    }
}

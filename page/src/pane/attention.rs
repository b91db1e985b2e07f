//! Whether a reader looks at the rows. As long as they do, rows stay where they are.

use shared::state::UnixMillis;

use crate::limits::READER_GONE_MS;

#[derive(Clone, Copy, Default)]
pub(super) struct Attention {
    pub(super) has_focus: bool,
    pub(super) has_pointer: bool,
    last_ms: UnixMillis,
}

impl Attention {
    /// Once a second: whether there was a focus, a pointer or a scrolled table within the last seconds.
    pub(super) fn is_here(&mut self, is_scrolled: bool, now_ms: UnixMillis) -> bool {
        if self.has_focus || self.has_pointer || is_scrolled {
            self.last_ms = now_ms;
        }
        now_ms.saturating_sub(self.last_ms) < READER_GONE_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_counts_as_here_for_a_while_after_the_pointer_left() {
        let mut attention = Attention { has_pointer: true, ..Attention::default() };
        assert!(attention.is_here(false, 1_000_000));
        attention.has_pointer = false;
        assert!(attention.is_here(false, 1_000_000 + READER_GONE_MS - 1));
        assert!(!attention.is_here(false, 1_000_000 + READER_GONE_MS));
        assert!(attention.is_here(true, 1_000_000 + READER_GONE_MS), "a scrolled table has a reader");
    }
}

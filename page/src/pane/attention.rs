//! Whether a reader looks at the rows, and whether they aim at one with the pointer. As long as they look, rows
//! keep their order; as long as they aim, the row under the pointer stays there too.

use shared::state::UnixMillis;

use crate::limits::{POINTER_RESTS_MS, READER_GONE_MS};

#[derive(Clone, Copy, Default)]
pub(super) struct Attention {
    has_focus: bool,
    /// When the pointer last moved over the rows; `None` if it isn't over them.
    pointer_ms: Option<UnixMillis>,
    last_ms: UnixMillis,
}

impl Attention {
    pub(super) fn has_focus(&self) -> bool {
        self.has_focus
    }

    pub(super) fn set_focus(&mut self, has_focus: bool) {
        self.has_focus = has_focus;
    }

    /// The pointer moved over the rows, or left them.
    pub(super) fn pointed(&mut self, moved_ms: Option<UnixMillis>) {
        self.pointer_ms = moved_ms;
    }

    /// Once a second: whether there was a focus, a pointer or a scrolled table within the last seconds.
    pub(super) fn is_here(&mut self, is_scrolled: bool, now_ms: UnixMillis) -> bool {
        if self.has_focus || self.pointer_ms.is_some() || is_scrolled {
            self.last_ms = now_ms;
        }
        now_ms.saturating_sub(self.last_ms) < READER_GONE_MS
    }

    /// A pointer that rests isn't about to click.
    pub(super) fn aims(&self, now_ms: UnixMillis) -> bool {
        self.pointer_ms.is_some_and(|moved_ms| now_ms.saturating_sub(moved_ms) < POINTER_RESTS_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_counts_as_here_for_a_while_after_the_pointer_left() {
        let mut attention = Attention { pointer_ms: Some(1_000_000), ..Attention::default() };
        assert!(attention.is_here(false, 1_000_000));
        assert!(attention.aims(1_000_000 + POINTER_RESTS_MS - 1));
        assert!(!attention.aims(1_000_000 + POINTER_RESTS_MS), "it rests");
        attention.pointer_ms = None;
        assert!(attention.is_here(false, 1_000_000 + READER_GONE_MS - 1));
        assert!(!attention.is_here(false, 1_000_000 + READER_GONE_MS));
        assert!(attention.is_here(true, 1_000_000 + READER_GONE_MS), "a scrolled table has a reader");
    }
}

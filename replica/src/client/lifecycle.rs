//! Whether the reader can see the page, and whether a connection is wanted at all.

use shared::state::UnixMillis;

use crate::limits::{HIDDEN_FOLLOWING_MS, HIDDEN_MS};

#[derive(Debug)]
pub(super) struct Lifecycle {
    visibility: Visibility,
    /// Its reader waits for something, which the tab's title says.
    is_followed: bool,
    /// After [`super::Input::Leave`].
    has_left: bool,
}

/// Whether the reader can see the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visibility {
    Visible,
    HiddenSince(UnixMillis),
    /// Hidden for so long that every subscription was given back.
    Parked,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self { visibility: Visibility::Visible, is_followed: false, has_left: false }
    }
}

impl Lifecycle {
    pub(super) fn started(&mut self) {
        self.has_left = false;
    }

    pub(super) fn left(&mut self) {
        self.has_left = true;
    }

    pub(super) fn visible(&mut self) {
        self.visibility = Visibility::Visible;
    }

    pub(super) fn hidden(&mut self, now_ms: UnixMillis) {
        if self.visibility == Visibility::Visible {
            self.visibility = Visibility::HiddenSince(now_ms);
        }
    }

    pub(super) fn follow(&mut self, is_followed: bool) {
        self.is_followed = is_followed;
    }

    fn limit_ms(&self) -> i64 {
        if self.is_followed { HIDDEN_FOLLOWING_MS } else { HIDDEN_MS }
    }

    /// Whether the page has been hidden for long enough by now, and is parked from now on.
    pub(super) fn parks(&mut self, now_ms: UnixMillis) -> bool {
        let Visibility::HiddenSince(since_ms) = self.visibility else { return false };
        let is_due = now_ms.saturating_sub(since_ms) >= self.limit_ms();
        if is_due {
            self.visibility = Visibility::Parked;
        }
        is_due
    }

    /// When [`Lifecycle::parks`] has something to do.
    pub(super) fn timer_ms(&self) -> Option<UnixMillis> {
        match self.visibility {
            Visibility::HiddenSince(since_ms) => Some(since_ms + self.limit_ms()),
            Visibility::Visible | Visibility::Parked => None,
        }
    }

    pub(super) fn is_parked(&self) -> bool {
        self.visibility == Visibility::Parked
    }

    pub(super) fn has_left(&self) -> bool {
        self.has_left
    }
}

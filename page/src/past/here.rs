//! When a page is.

use replica::freshness::AsOf;
use shared::frame::server::Replays;
use shared::state::UnixMillis;

use super::against::Against;
use super::at::At;
use super::span::{Span, Window};
use crate::messages::Zone;

/// When the page is, and when it is called.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) at: Option<At>,
    /// What that time is compared with.
    pub(crate) against: Option<Against>,
    /// How the view stands from which a step is taken.
    pub(crate) as_of: Option<&'a AsOf>,
    /// By the viewer's clock, and how far the gateway's is ahead of it.
    pub(crate) now_ms: UnixMillis,
    pub(crate) ahead_ms: i64,
    /// The record that is shown instead of the present.
    pub(crate) replays: Option<Replays>,
    pub(crate) zone: Zone,
}

impl Here<'_> {
    pub(super) fn gateway_now_ms(&self) -> UnixMillis {
        self.replays.map_or(self.now_ms.saturating_add(self.ahead_ms), |replays| replays.to_ms)
    }

    /// By the viewer's clock: what is typed as so long ago counts from here.
    pub(super) fn present_ms(&self) -> UnixMillis {
        self.gateway_now_ms().saturating_sub(self.ahead_ms)
    }

    /// What a past page is compared with where no other time is named.
    pub(super) fn present(&self) -> Against {
        self.replays.map_or(Against::Now, |replays| Against::At(At::new(replays.to_ms)))
    }

    /// The window of a span. Before a record that is replayed there is nothing.
    pub(super) fn window(&self, span: Span) -> Window {
        let window = Window::of(span, self.at_ms(), self.gateway_now_ms());
        let first_ms = self.replays.map_or(UnixMillis::MIN, |replays| replays.from_ms.min(window.to_ms - 1));
        Window { from_ms: window.from_ms.max(first_ms), ..window }
    }

    /// By the gateway's clock.
    pub(super) fn at_ms(&self) -> Option<UnixMillis> {
        self.at.map(At::ms)
    }
}

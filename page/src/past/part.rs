//! What the page asks of the bar of the past. What the bar shows comes with a piece of the program, and is called through
//! these functions alone.

use replica::freshness::AsOf;
use shared::state::UnixMillis;

use super::at::At;
use super::density::Density;
use super::model::PastBar;
use super::span::{Span, Window};
use crate::messages::Zone;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) model: fn(Shown<'_>) -> PastBar,
    /// Reads a time as a person types it, by the viewer's clock.
    pub(crate) read: fn(&str, UnixMillis, Zone) -> Option<Typed>,
}

/// A time that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Now,
    /// By the viewer's clock.
    At(UnixMillis),
}

/// What the bar is made of.
pub(crate) struct Shown<'a> {
    pub(crate) span: Span,
    pub(crate) window: Window,
    pub(crate) density: Option<&'a Density>,
    pub(crate) error: &'static str,
    /// Where the slider is dragged to.
    pub(crate) dragged: Option<f64>,
    pub(crate) at: Option<At>,
    /// How the active view stands.
    pub(crate) as_of: Option<&'a AsOf>,
    pub(crate) resource: &'a str,
    /// Its rows, and those that fail.
    pub(crate) counts: Option<(usize, usize)>,
    /// By the viewer's clock, and how far the gateway's is ahead of it.
    pub(crate) now_ms: UnixMillis,
    pub(crate) ahead_ms: i64,
    pub(crate) zone: Zone,
}

//! What was recorded in the time of the slider, and whether that is still what is asked for.

use replica::client::ViewKey;
use shared::frame::server::Recorded;
use shared::problem::Problem;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::span::{Span, Window};

/// The answers for one view and one time of the slider.
pub(crate) struct Density {
    pub(super) of: Asked,
    /// One for each cluster.
    pub(crate) answers: Vec<Recorded>,
    pub(crate) problem: Option<Problem>,
}

/// What a density is of.
#[derive(Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) view: ViewKey,
    pub(super) scopes: Vec<Scope>,
    pub(super) span: Span,
    pub(super) window: Window,
}

/// Into how many parts the time of the slider is divided: a part is some pixels wide.
pub(crate) const SLOTS: u16 = 180;

/// The density is asked for again when its last part is over, but not more often than this.
const AGAIN_MS: i64 = 5_000;

impl Density {
    /// Since when about so many changes were before a time. `None`: it isn't of that time.
    pub(super) fn back_from(&self, at_ms: UnixMillis, changes_max: usize) -> Option<UnixMillis> {
        let window = self.of.window;
        if !(window.from_ms..=window.to_ms).contains(&at_ms) {
            return None;
        }
        let slot_ms = (window.to_ms - window.from_ms) / i64::from(SLOTS);
        let count = |slot: usize| -> usize {
            let of = |answer: &Recorded| answer.changes.get(slot).copied().unwrap_or_default();
            self.answers.iter().map(|answer| usize::try_from(of(answer)).unwrap_or(usize::MAX)).sum()
        };
        let last = usize::try_from((at_ms - window.from_ms) / slot_ms.max(1)).ok()?;
        let mut sum = 0_usize;
        let first = (0..=last).rev().find(|slot| {
            sum = sum.saturating_add(count(*slot));
            sum >= changes_max
        });
        Some(window.from_ms + slot_ms * i64::try_from(first.unwrap_or(0)).unwrap_or_default())
    }

    /// The shortest span that has all of a young record.
    pub(super) fn usual_span(&self) -> Option<Span> {
        let since_ms = self.answers.iter().filter_map(|answer| answer.since_ms).min()?;
        let back_ms = self.of.window.to_ms.saturating_sub(since_ms);
        Span::ALL.into_iter().find(|span| back_ms <= span.ms() || *span == Span::default())
    }
}

impl Asked {
    pub(super) fn is_still(&self, view: ViewKey, scopes: &[Scope], span: Span, window: Window) -> bool {
        let slot_ms = window.to_ms.saturating_sub(window.from_ms) / i64::from(SLOTS);
        let is_young = window.to_ms.saturating_sub(self.window.to_ms) < slot_ms.max(AGAIN_MS);
        let reaches = self.window.from_ms <= window.from_ms.saturating_add(slot_ms.max(AGAIN_MS));
        (self.view, self.span) == (view, span) && self.scopes == scopes && is_young && reaches
    }
}

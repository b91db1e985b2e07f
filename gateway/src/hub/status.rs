//! What the feed last said of itself, and the clock by which subscribers are told. Nothing is decided here.

use shared::duration::UnixSeconds;
use shared::state::{StateReport, UnixMillis, ViewState};

use crate::feed::Proof;

/// An object may have been fine in a longer time without a proof.
const UNSEEN_MS: UnixMillis = 60_000;

/// What the feed last said of itself, and the clock by which it is told.
pub(super) struct FeedStatus {
    report: StateReport,
    proof: Option<Proof>,
    /// The gateway's clock, as it was set last.
    now_ms: UnixMillis,
    /// How far reconnects are to be spread.
    spread_ms: u32,
}

impl FeedStatus {
    pub(super) fn new() -> Self {
        let report = StateReport::of(ViewState::Syncing { n: 0, of: None });
        Self { report, proof: None, now_ms: 0, spread_ms: 0 }
    }

    pub(super) fn set_clock(&mut self, now_ms: UnixMillis, spread_ms: u32) {
        (self.now_ms, self.spread_ms) = (now_ms, spread_ms);
    }

    pub(super) fn set_report(&mut self, report: StateReport) {
        self.report = report;
    }

    pub(super) fn set_proof(&mut self, proof: Proof) {
        self.proof = Some(proof);
    }

    pub(super) fn report(&self) -> &StateReport {
        &self.report
    }

    pub(super) fn proof(&self) -> Option<Proof> {
        self.proof
    }

    pub(super) fn spread_ms(&self) -> u32 {
        self.spread_ms
    }

    /// By the cluster's clock, as far as a proof told it.
    pub(super) fn cluster_now_s(&self) -> UnixSeconds {
        let ahead_ms = self.proof.as_ref().map_or(0, |proof| proof.cluster_ahead_ms);
        (self.now_ms + ahead_ms).div_euclid(1_000)
    }

    pub(super) fn now_ms(&self) -> UnixMillis {
        self.now_ms
    }

    /// The time of the last proof, or now.
    pub(super) fn proven_ms(&self) -> UnixMillis {
        self.proof.map_or(self.now_ms, |proof| proof.at_ms)
    }

    /// Whether no change can be unseen that lasted for a while.
    pub(super) fn has_watched(&self) -> bool {
        self.now_ms - self.proven_ms() <= UNSEEN_MS
    }

    pub(super) fn is_stale(&self) -> bool {
        matches!(self.report.state, ViewState::Stale { .. })
    }

    /// Whether nothing proves any more what the feed told, although the cluster serves it.
    pub(super) fn has_lost_touch(&self) -> bool {
        matches!(self.report.state, ViewState::Stale { .. } | ViewState::Failed { .. })
    }

    /// Whether there is a young proof of what the feed told.
    pub(super) fn is_current(&self) -> bool {
        self.report.state.is_current()
    }

    /// Whether the upstream may not list what this hub is to hold.
    pub(super) fn is_forbidden(&self) -> bool {
        matches!(self.report.state, ViewState::Forbidden { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_outage_of_more_than_a_minute_may_hide_was_not_watched() {
        let mut status = FeedStatus::new();
        status.set_clock(1_000, 0);
        assert!(status.has_watched(), "there is nothing that could have been otherwise");
        status.set_proof(Proof { at_ms: 1_000, cluster_ahead_ms: 0 });
        for (now_ms, expected) in [(61_000, true), (61_001, false)] {
            status.set_clock(now_ms, 0);
            assert_eq!(status.has_watched(), expected, "at {now_ms}");
        }
    }

    #[test]
    fn a_feed_has_lost_touch_where_it_is_stale_or_unreadable_and_not_where_its_kind_is_gone() {
        let has_lost_touch = |state: ViewState| {
            let mut status = FeedStatus::new();
            status.set_report(StateReport::of(state));
            (status.is_current(), status.has_lost_touch())
        };
        assert_eq!(has_lost_touch(ViewState::Syncing { n: 0, of: None }), (false, false), "it lists");
        assert_eq!(has_lost_touch(ViewState::Live), (true, false));
        assert_eq!(has_lost_touch(ViewState::Resuming { since_ms: 1 }), (false, false), "its proof is young");
        assert_eq!(has_lost_touch(ViewState::Stale { since_ms: 1 }), (false, true));
        assert_eq!(has_lost_touch(ViewState::Failed { since_ms: 1 }), (false, true));
        assert_eq!(
            has_lost_touch(ViewState::Gone { since_ms: 1 }),
            (false, false),
            "nothing is missed of it"
        );
    }
}

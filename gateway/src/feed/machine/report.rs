//! The feed's state as a view's state.

use shared::state::{StateReport, UnixMillis, ViewState};

use super::state::{Followed, State, Verdict, WatchSupport};
use super::{Machine, Output, messages};
use crate::feed::FeedOutput;
use crate::limits::PROGRESS_MS;

impl Machine {
    /// Reports the state if it has changed; progress at a moderate rate.
    pub(super) fn report(&mut self, now_ms: UnixMillis) {
        let report = self.current(now_ms);
        if let Some((said_ms, said)) = &self.reported {
            let is_progress = matches!(
                (&said.state, &report.state),
                (ViewState::Syncing { .. }, ViewState::Syncing { .. })
            ) && (&said.problem, said.tries, said.next_try_ms)
                == (&report.problem, report.tries, report.next_try_ms);
            if *said == report || (is_progress && now_ms < said_ms + PROGRESS_MS) {
                return;
            }
        }
        if let (ViewState::Polled { .. }, Some(list)) = (&report.state, &mut self.held.list) {
            list.followed = Followed::ByLists;
        }
        self.reported = Some((now_ms, report.clone()));
        self.outputs.push_back(Output::Tell(FeedOutput::State(report)));
    }

    /// When the state changes by time alone, because a proof grows old.
    pub(super) fn report_deadline_ms(&self) -> UnixMillis {
        let is_stale = matches!(
            self.reported.as_ref().map(|(_, report)| &report.state),
            Some(
                ViewState::Stale { .. }
                    | ViewState::Forbidden { .. }
                    | ViewState::Gone { .. }
                    | ViewState::Failed { .. }
            )
        );
        if is_stale {
            UnixMillis::MAX
        } else if self.is_loaded() {
            self.stale_ms()
        } else {
            self.unanswered_from_ms().map_or(UnixMillis::MAX, |from_ms| from_ms.max(self.stale_ms()))
        }
    }

    fn stale_ms(&self) -> UnixMillis {
        self.since_ms() + self.options.stale_after_ms
    }

    /// The last proof. A feed without a list has none, and takes the other feeds' in an outage.
    fn since_ms(&self) -> UnixMillis {
        self.outage_ms().map_or(self.proofs.last_ms, |others_ms| others_ms.min(self.proofs.last_ms))
    }

    /// What other feeds know of an outage counts before the first list alone.
    fn outage_ms(&self) -> Option<UnixMillis> {
        self.proofs.outage_ms.filter(|_| self.is_before_list())
    }

    fn current(&self, now_ms: UnixMillis) -> StateReport {
        let mut report = StateReport::of(self.view_state(now_ms));
        let failing = self.trouble.failing();
        report.problem = failing.map(|failing| failing.problem.clone());
        match &report.state {
            ViewState::Live => report.problem = None,
            ViewState::Stale { .. } if report.problem.is_none() => {
                report.problem = Some(self.proofs.problem.clone().unwrap_or_else(messages::unproven));
            }
            ViewState::Polled { .. } if matches!(self.watch_support, WatchSupport::NoRight { .. }) => {
                report.problem = report.problem.or_else(|| Some(self.subject.no_watch()));
            }
            ViewState::Polled { .. } if self.watch_support == WatchSupport::NotForViewers => {
                report.problem = report.problem.or_else(|| Some(self.subject.not_for_viewers()));
            }
            _ => {}
        }
        report.tries = failing.map_or(0, |failing| failing.tries);
        if let State::Waiting { until_ms, .. } = &self.state
            && report.problem.is_some()
            && report.tries > 0
        {
            report.next_try_ms = Some(*until_ms);
        }
        report
    }

    fn view_state(&self, now_ms: UnixMillis) -> ViewState {
        match self.trouble.verdict() {
            Some(Verdict::Forbidden) => return ViewState::Forbidden { to: self.subject.whom() },
            Some(Verdict::Gone { since_ms }) => return ViewState::Gone { since_ms: *since_ms },
            Some(Verdict::Failed { since_ms }) => return ViewState::Failed { since_ms: *since_ms },
            None => {}
        }
        let is_fresh = now_ms < self.stale_ms();
        let since_ms = self.since_ms();
        if !self.is_loaded() {
            let is_unanswered = self.unanswered_from_ms().is_some_and(|from_ms| from_ms <= now_ms);
            return if is_unanswered && !is_fresh { ViewState::Stale { since_ms } } else { self.syncing() };
        }
        if !is_fresh {
            return ViewState::Stale { since_ms };
        }
        match self.trouble.since_ms() {
            Some(_) => ViewState::Resuming { since_ms },
            None if self.watch_support == WatchSupport::Supported => ViewState::Live,
            None => ViewState::Polled {
                every_s: u32::try_from(self.options.poll_interval_ms / 1_000).unwrap_or(1).max(1),
            },
        }
    }

    fn is_loaded(&self) -> bool {
        self.held.list.as_ref().is_some_and(|list| list.is_loaded)
    }

    /// From when on the first list counts as unanswered: it fails, or nothing of it comes for a while and other feeds get no
    /// answer either.
    fn unanswered_from_ms(&self) -> Option<UnixMillis> {
        if self.trouble.failing().is_some() || self.proofs.problem.is_some() {
            return Some(UnixMillis::MIN);
        }
        self.outage_ms()?;
        let asked_ms = match &self.state {
            State::WatchListing(listing) if !listing.is_open => listing.asked_ms,
            State::Listing(listing) if !listing.has_started => listing.asked_ms,
            _ => return None,
        };
        Some(asked_ms + self.options.proof_interval_ms)
    }

    /// The first list, and the time up to the proof after it if the list took long.
    fn syncing(&self) -> ViewState {
        let (n, remaining) = match &self.state {
            State::WatchListing(listing) => (listing.count, None),
            State::Listing(listing) => (listing.count, listing.remaining),
            _ => match &self.held.list {
                Some(list) => (list.count, Some(0)),
                None => (0, None),
            },
        };
        ViewState::Syncing { n, of: remaining.map(|remaining| n + remaining) }
    }
}

//! Failures, and what follows from them. A failure means the same as an HTTP status and as an `ERROR`
//! within a stream, for servers send it either way.

use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::state::{Absence, Followed, Listing, State, Step, Trouble, Verdict, WatchSupport};
use super::{Machine, Output, RequestSlot};
use crate::cluster::{Failure, Refusal};
use crate::limits::{AWAY_MS, RETRY_AFTER_MAX_MS, SLOW_RETRY_MS, STARTING_MS};

impl Machine {
    pub(super) fn on_failure(&mut self, failure: &Failure, now_ms: UnixMillis) {
        let problem = self.subject.problem(failure);
        self.note_absence(failure, problem.reason, now_ms);
        let step = self.step_after_failure();
        match failure {
            Failure::Refused(refusal) => self.on_refusal(refusal, problem, step, now_ms),
            Failure::Broken(broken) if broken.reason == Reason::TooLarge => self.fail(problem, now_ms),
            Failure::Broken(_) => self.back_off(problem, step, None, now_ms),
        }
    }

    pub(super) fn on_unreadable(&mut self, now_ms: UnixMillis) {
        let problem = self.subject.unreadable();
        if matches!(self.state, State::Watching(_)) {
            // One value of a stream can't be read: the next watch goes on before it.
            return self.watch_soon(problem, now_ms);
        }
        self.fail(problem, now_ms);
    }

    /// The API server is there, and only its stream is of no use. After a longer pause it might be
    /// another server, and all objects would have to be compared.
    pub(super) fn watch_soon(&mut self, problem: Problem, now_ms: UnixMillis) {
        self.absence_since(now_ms, problem.reason);
        self.trouble.note_broken(problem, now_ms);
        let pause_ms = self.backoff.next_ms(&self.options).min(AWAY_MS / 2);
        self.wait(now_ms + pause_ms, Step::Watch);
    }

    /// A watch is resumed, and so is a list for viewers that come back. Every other request begins anew.
    fn step_after_failure(&self) -> Step {
        match &self.state {
            State::Watching(_) => Step::Watch,
            State::Listing(Listing { exact: Some(positions), .. }) => Step::From(positions.clone()),
            _ => Step::Sync,
        }
    }

    /// Until a watch is open again, another API server may take the place of this one.
    fn note_absence(&mut self, failure: &Failure, reason: Reason, now_ms: UnixMillis) {
        let seen_ms = match failure {
            Failure::Refused(refusal) if refusal.is_status => return self.note_refusal(reason, now_ms),
            // There was no answer on that connection for longer than a moment.
            Failure::Broken(broken) if broken.reason == Reason::TimedOut => now_ms - AWAY_MS,
            // If the connection was slow or silent before it broke, only the last proof says for how long.
            Failure::Refused(_) | Failure::Broken(_) => {
                now_ms.min(self.proofs.last_ms + self.options.proof_interval_ms)
            }
        };
        let is_opening = matches!(&self.state, State::Watching(watching) if watching.opened_ms.is_none());
        self.absence_since(seen_ms, reason).is_unreached |= is_opening;
    }

    fn absence_since(&mut self, seen_ms: UnixMillis, reason: Reason) -> &mut Absence {
        self.absence.get_or_insert(Absence { seen_ms, is_unreached: false, reason })
    }

    /// A refusal in Kubernetes' form comes from the API server, and from the same one if that answered a moment ago
    /// and could be reached since. So an overloaded server isn't asked for all objects only because it refuses for
    /// long. A server that has just started refuses as well, but within a moment after the former one stopped.
    fn note_refusal(&mut self, reason: Reason, now_ms: UnixMillis) {
        let seen_ms = match &self.state {
            State::Watching(watching) if watching.opened_ms.is_none() => watching.asked_ms,
            _ => now_ms,
        };
        let absence = self.absence_since(seen_ms, reason);
        if !absence.is_unreached && now_ms - absence.seen_ms < AWAY_MS {
            absence.seen_ms = seen_ms.max(absence.seen_ms);
        }
    }

    /// A server that was away for more than a moment may be back with another etcd, whose versions are
    /// already past those held. Versions alone can't tell, so all objects are compared.
    pub(super) fn compare_after_absence(&mut self, now_ms: UnixMillis) {
        let (State::Watching(watching), Some(absence)) = (&self.state, &mut self.absence) else { return };
        if now_ms - absence.seen_ms < AWAY_MS {
            absence.seen_ms = watching.asked_ms.max(absence.seen_ms);
            absence.is_unreached = false;
        } else {
            self.held.doubt(absence.reason);
            self.begin(Step::Sync, now_ms);
        }
    }

    /// The exact version is too old for this server, or still to come. `false`: the refusal has another
    /// reason.
    fn on_no_such_time(&mut self, code: u16, now_ms: UnixMillis) -> bool {
        let State::Listing(Listing { exact: Some(positions), .. }) = &self.state else { return false };
        let step = match code {
            410 => {
                let mut positions = positions.clone();
                positions.refused();
                Step::From(positions)
            }
            400 | 422 | 504 => Step::Sync,
            _ => return false,
        };
        self.begin(step, now_ms);
        true
    }

    fn on_refusal(&mut self, refusal: &Refusal, problem: Problem, step: Step, now_ms: UnixMillis) {
        if self.on_no_such_time(refusal.code, now_ms) {
            return;
        }
        if matches!(refusal.code, 403 | 404) && self.is_starting(now_ms) {
            return self.doubt_refusal(problem, step, now_ms);
        }
        let is_watch_list = matches!(self.state, State::WatchListing(_));
        let is_watch = matches!(self.state, State::Watching(_));
        match refusal.code {
            // Before 1.32 and in 1.33 the feature is off, and says so.
            422 if is_watch_list => self.fall_back_to_lists(true, now_ms),
            // Either verb may be forbidden, or the field unknown: a list will tell.
            400 | 403 if is_watch_list => self.fall_back_to_lists(false, now_ms),
            405 if is_watch_list || is_watch => {
                self.watch_support = WatchSupport::NoVerb;
                self.poll(step, problem.reason, now_ms);
            }
            403 if is_watch => {
                // An API server that starts may refuse a watch a moment after it allowed the list.
                self.watch_support = WatchSupport::NoRight { retry_ms: now_ms + SLOW_RETRY_MS };
                self.poll(step, problem.reason, now_ms);
            }
            401 => self.on_unauthorized(problem, step, now_ms),
            403 => self.give_up(Some(Verdict::Forbidden), problem, now_ms),
            404 => {
                self.outputs.push_back(Output::Rediscover);
                self.give_up(Some(Verdict::Gone { since_ms: now_ms }), problem, now_ms);
            }
            410 => self.on_expired(problem, now_ms),
            400 | 405 | 406 | 413 | 422 => self.fail(problem, now_ms),
            _ => self.back_off(problem, step, refusal.retry_after_s, now_ms),
        }
    }

    /// An API server that starts knows neither roles nor custom resources for some seconds, so a refusal
    /// soon after it couldn't be reached says nothing about rights.
    fn is_starting(&self, now_ms: UnixMillis) -> bool {
        let broken_ms = self.trouble.failing().and_then(|failing| failing.broken_ms);
        broken_ms.is_some_and(|at_ms| now_ms - at_ms < STARTING_MS)
    }

    /// Asks again soon, and reports the problem without a verdict on the view.
    fn doubt_refusal(&mut self, problem: Problem, step: Step, now_ms: UnixMillis) {
        self.trouble.note(problem, now_ms);
        self.wait(now_ms + self.options.slow_retry_first_ms, step);
    }

    fn wait(&mut self, until_ms: UnixMillis, then: Step) {
        self.stop();
        self.state = State::Waiting { until_ms, then };
    }

    fn stop(&mut self) {
        self.abort_list();
        self.drop_proof();
        self.outputs.push_back(Output::Drop(RequestSlot::Main));
    }

    /// Follows the kind by lists. A list that is fresh is good until the next one is due. One of a viewer's position that no
    /// watch brought to the present isn't.
    fn poll(&mut self, step: Step, reason: Reason, now_ms: UnixMillis) {
        if let Some(list) = &mut self.held.list
            && list.followed == Followed::ByWatch
        {
            list.followed = Followed::NotYet;
            // A viewer that saw every event until now misses some from here on.
            self.held.break_off(reason);
        }
        let is_fresh = self.held.list.is_some()
            && matches!(self.trouble, Trouble::None)
            && now_ms - self.proofs.last_ms < self.options.poll_interval_ms;
        if step == Step::Watch && is_fresh {
            let until_ms = self.proofs.last_ms + self.options.poll_interval_ms;
            self.wait(until_ms, Step::Sync);
        } else {
            self.begin(Step::Sync, now_ms);
        }
    }

    /// The version of the watch, or the token of a page, is too old.
    fn on_expired(&mut self, problem: Problem, now_ms: UnixMillis) {
        match &self.state {
            State::Listing(listing) => {
                let (is_watched, restarts) = (listing.is_watched, listing.restarts + 1);
                self.list(is_watched, restarts, now_ms);
            }
            State::Watching(_) => {
                self.held.break_off(Reason::Expired);
                let is_again = self
                    .held
                    .list
                    .as_mut()
                    .is_some_and(|list| std::mem::replace(&mut list.expired_silently, true));
                if is_again {
                    return self.back_off(problem, Step::Sync, None, now_ms);
                }
                // The list is of the present and not "not older than" the expired version, which is
                // 410 again on a server that was restarted.
                self.trouble.explain(problem, now_ms);
                self.begin(Step::Sync, now_ms);
            }
            _ => self.back_off(problem, Step::Sync, None, now_ms),
        }
    }

    fn on_unauthorized(&mut self, problem: Problem, step: Step, now_ms: UnixMillis) {
        if self.is_refreshed {
            self.is_refreshed = false;
            return self.reject(problem, now_ms);
        }
        self.is_refreshed = true;
        self.trouble.note(problem, now_ms);
        self.stop();
        self.outputs.push_back(Output::RefreshCredentials);
        self.state = State::Refreshing { then: step };
    }

    pub(super) fn on_refreshed(&mut self, result: Result<(), Problem>, now_ms: UnixMillis) {
        let State::Refreshing { then } = &self.state else { return };
        let then = then.clone();
        match result {
            Ok(()) => self.begin(then, now_ms),
            Err(problem) => {
                self.is_refreshed = false;
                self.reject(problem, now_ms);
            }
        }
    }

    /// The credential is refused. What is held grows stale; without a list, the view has failed.
    fn reject(&mut self, problem: Problem, now_ms: UnixMillis) {
        let since_ms = self.trouble.since_ms().unwrap_or(now_ms);
        let verdict = self.held.list.is_none().then_some(Verdict::Failed { since_ms });
        self.give_up(verdict, problem, now_ms);
    }

    /// The whole answer is of no use.
    fn fail(&mut self, problem: Problem, now_ms: UnixMillis) {
        let since_ms = match self.trouble.verdict() {
            Some(Verdict::Failed { since_ms }) => *since_ms,
            _ => now_ms,
        };
        self.give_up(Some(Verdict::Failed { since_ms }), problem, now_ms);
    }

    /// Waiting seldom heals it: it is tried again from the beginning, ever more slowly.
    fn give_up(&mut self, verdict: Option<Verdict>, problem: Problem, now_ms: UnixMillis) {
        self.held.break_off(problem.reason);
        let refusals = self.trouble.note_refused(problem, verdict, now_ms);
        let pause_ms = self.options.slow_retry_first_ms.saturating_mul(1_i64 << refusals.min(30));
        self.wait(now_ms + pause_ms.min(self.options.slow_retry_ms), Step::Sync);
    }

    fn back_off(&mut self, problem: Problem, then: Step, retry_after_s: Option<u64>, now_ms: UnixMillis) {
        self.trouble.note_broken(problem, now_ms);
        let asked_ms = retry_after_s
            // "At once" would be an endless loop.
            .filter(|seconds| *seconds > 0)
            .map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000))
            .map(|asked_ms| asked_ms.min(RETRY_AFTER_MAX_MS));
        self.retry_from_ms = self.retry_from_ms.max(now_ms + asked_ms.unwrap_or_default());
        let pause_ms = asked_ms.unwrap_or_else(|| {
            let pause_ms = self.backoff.next_ms(&self.options);
            self.backoff.ends_ms = Some(now_ms + pause_ms);
            pause_ms
        });
        self.wait(now_ms + pause_ms, then);
    }

    /// Without viewers pauses are longer; a viewer that comes waits no longer than others.
    pub(super) fn on_viewers(&mut self, any: bool, now_ms: UnixMillis) {
        self.backoff.is_watched = any;
        if let State::Waiting { until_ms, .. } = &mut self.state
            && any
            && self.backoff.ends_ms == Some(*until_ms)
        {
            *until_ms = (now_ms + self.options.backoff_max_ms).min(*until_ms);
        }
    }

    /// The watch goes on without a proof, unless the answer says that it may not.
    pub(super) fn on_proof_failure(&mut self, failure: &Failure, now_ms: UnixMillis) {
        self.proofs.asked = None;
        let code = match failure {
            Failure::Refused(refusal) => refusal.code,
            Failure::Broken(_) => 0,
        };
        match code {
            // An established watch isn't authorised again, so a revoked right shows here.
            401 | 403 | 404 if matches!(self.state, State::Watching(_)) => {
                self.on_proof_verdict(failure, now_ms)
            }
            _ => self.proofs.problem = Some(self.subject.problem(failure)),
        }
    }

    fn on_proof_verdict(&mut self, failure: &Failure, now_ms: UnixMillis) {
        let problem = self.subject.problem(failure);
        match failure {
            Failure::Refused(refusal) if refusal.code == 403 && !self.is_starting(now_ms) => {
                self.give_up(Some(Verdict::Forbidden), problem, now_ms)
            }
            _ => self.on_failure(failure, now_ms),
        }
    }
}

//! What a view that isn't live says of itself: since when its rows are old, and whose fault it is. The world knows both.

use replica::freshness::{Cause, Freshness};
use replica::table::Table;
use shared::problem::Reason;
use shared::state::ViewState;

use super::World;
use crate::gateway::HubMemory;
use crate::guarantee::Guarantee::Honest;
use crate::guarantee::Violation;
use crate::oracle::number_of;
use crate::reviews::ViewerRights;
use crate::script::Action;
use crate::upstream::Trouble;
use crate::viewer::{UNPROVEN_MS, View, Viewer};

/// Between two proofs, and on their way.
const PROOF_INTERVAL_MS: i64 = 5_000;
/// Between two looks of a feed at what the others know, and until it counts its own list as unanswered.
const LOOK_MS: i64 = 1_000 + PROOF_INTERVAL_MS;
/// A gateway that says nothing for this long is called silent.
const SILENT_MS: i64 = 12_000;

/// No answer came at all, so none comes for another resource.
fn is_unreached(reason: Reason) -> bool {
    use Reason::{ConnectionClosed, ConnectionRefused, ConnectionReset, TimedOut};
    matches!(reason, ConnectionClosed | ConnectionRefused | ConnectionReset | TimedOut)
}

impl World {
    pub(super) fn check_trouble(
        &mut self,
        (number, place): (usize, usize),
        freshness: &Freshness,
    ) -> Result<(), Violation> {
        let viewer = &self.viewers[number];
        let view = &viewer.views[place];
        let is_whole = viewer.table(view).is_some_and(Table::is_whole);
        let wrong = match freshness {
            Freshness::Syncing { .. } if !is_whole => self.unsaid_outage(viewer, view),
            Freshness::Stale { since_ms, cause: Cause::Upstream { problem: Some(problem), .. } }
                if !is_whole && (is_unreached(problem.reason) || problem.reason == Reason::Unproven) =>
            {
                self.wrong_outage(viewer, view, *since_ms)
            }
            // Nothing came since it asked.
            _ if !is_whole => return Ok(()),
            // Old rows that look like a first load.
            Freshness::Syncing { .. } => self.told_trouble(viewer, view, self.slack_ms()),
            Freshness::Stale { since_ms, cause: Cause::Silence } => self
                .told_trouble(viewer, view, self.slack_ms() + SILENT_MS)
                .or_else(|| self.wrong_time(viewer, view, *since_ms)),
            Freshness::Stale { since_ms: at_ms, .. } | Freshness::Resuming { from_ms: at_ms, .. } => {
                self.wrong_time(viewer, view, *at_ms)
            }
            _ => return Ok(()),
        };
        let named = format!("viewer {number}, {:?}: {freshness:?}, and ", view.wanted);
        self.counts.add(Honest);
        wrong.map_or(Ok(()), |wrong| Err(self.violation(Honest, named + &wrong)))
    }

    /// Rows are as of an instant only if nothing happened between them and it, and if a proof of about then was given.
    fn wrong_time(&self, viewer: &Viewer, view: &View, since_ms: i64) -> Option<String> {
        let slack_ms = self.slack_ms() + PROOF_INTERVAL_MS;
        let feeds = self.gateways.iter().flat_map(|gateway| gateway.watched.values());
        let memories: Vec<&HubMemory> =
            feeds.filter(|watched| watched.kind == view.wanted.kind).map(|watched| &watched.memory).collect();
        // What was told a moment ago is on its way, or waits for credit.
        let is_told = |(at_ms, _): &(i64, ViewState)| at_ms + slack_ms < self.now_ms;
        let are_told = memories.iter().all(|memory| memory.told_state.as_ref().is_some_and(is_told));
        if memories.is_empty() || !are_told || !self.hears(viewer, view, slack_ms) {
            return None;
        }
        let missed = self.first_missed_ms(viewer, view).filter(|missed_ms| *missed_ms + slack_ms < since_ms);
        if let Some(missed_ms) = missed {
            return Some(format!("they lack a change from {} ms before that", since_ms - missed_ms));
        }
        let latest_ms = memories.iter().map(|memory| memory.proven_ms).fold(view.proven_ms, i64::max);
        let are_proven = memories.iter().all(|memory| memory.proven_ms != UNPROVEN_MS);
        if are_proven && latest_ms + slack_ms < since_ms {
            return Some(format!("their last proof was {} ms before that", since_ms - latest_ms));
        }
        let asked_ms = memories.iter().map(|memory| memory.asked_ms).min()?;
        // What other viewers were told of later is no proof for it.
        let told_ms = match (view.asked_ms, view.cut_asked_ms) {
            (UNPROVEN_MS, UNPROVEN_MS) => view.opened_ms,
            // It may be said to be as old as its own question.
            (UNPROVEN_MS, cut_asked_ms) => cut_asked_ms.min(view.opened_ms),
            (asked_ms, _) => asked_ms,
        };
        let earliest_ms = asked_ms.min(told_ms);
        let is_too_old = are_proven && since_ms + slack_ms < earliest_ms;
        is_too_old.then(|| format!("they were proven {} ms after that", earliest_ms - since_ms))
    }

    /// The last proof of the other feeds of a view's gateway, if no answer comes from the API server and they have said so,
    /// and if the view's own feed has no list.
    fn outage_ms(&self, viewer: &Viewer, view: &View) -> Option<i64> {
        let gateway = &self.gateways[self.links.get(&viewer.link?)?.gateway];
        let is_out = matches!(gateway.network.trouble?, Trouble::Stopped | Trouble::Dark | Trouble::Down);
        let within_ms = self.slack_ms() + LOOK_MS;
        let memories = || gateway.watched.values().map(|watched| (watched.kind, &watched.memory));
        let mut proven = memories().filter(|(_, memory)| memory.asked_ms != UNPROVEN_MS);
        let has_list = proven.any(|(kind, _)| kind == view.wanted.kind);
        let fails = memories().any(|(_, memory)| {
            let told = memory.told_state.as_ref().filter(|(at_ms, _)| at_ms + within_ms < self.now_ms);
            let is_failing = told.is_some_and(|(_, state)| matches!(state, ViewState::Stale { .. }));
            memory.asked_ms != UNPROVEN_MS && is_failing && memory.told_reason.is_some_and(is_unreached)
        });
        // A subscription that waits for a review of its rights has no feed yet.
        let may_know = is_out && !has_list && fails && self.script.rights == ViewerRights::OfGateway;
        let outage_ms = memories().map(|(_, memory)| memory.asked_ms).max()?;
        (may_know && self.hears(viewer, view, within_ms)).then_some(outage_ms)
    }

    /// No rows have come, and the view beside it says since when the API server gives no answer.
    fn unsaid_outage(&self, viewer: &Viewer, view: &View) -> Option<String> {
        let outage_ms = self.outage_ms(viewer, view)?;
        Some(format!("its gateway had the last answer {} ms ago", self.now_ms - outage_ms))
    }

    fn wrong_outage(&self, viewer: &Viewer, view: &View, since_ms: i64) -> Option<String> {
        let (outage_ms, slack_ms) = (self.outage_ms(viewer, view)?, self.slack_ms());
        let feeds = self.gateways.iter().flat_map(|gateway| gateway.watched.values());
        let own = feeds.filter(|watched| watched.kind == view.wanted.kind);
        // A feed that began before may have got nothing since then.
        let began_ms = own.map(|watched| watched.memory.began_ms).min().unwrap_or(outage_ms);
        let is_wrong = since_ms > outage_ms + slack_ms || since_ms + slack_ms < outage_ms.min(began_ms);
        is_wrong.then(|| format!("its gateway had the last answer {} ms before that", since_ms - outage_ms))
    }

    /// When the first change happened that the view should show and doesn't.
    fn first_missed_ms(&self, viewer: &Viewer, view: &View) -> Option<i64> {
        let truth = &self.api.truth;
        // Its rows are of a history that a restore of etcd ended.
        if view.branch != truth.branch() {
            return None;
        }
        let token = viewer.table(view)?.token()?;
        // Where rows are those of another hub, what came and went again in between is in no frame. A sync says that they are of
        // a later version then.
        let proof = viewer.proof(view.key).filter(|proof| Some(proof.at) == token.sequence());
        let proven = proof.map_or(0, |proof| number_of(&proof.resource_version));
        let version = number_of(&token.resource_version).max(proven);
        let mut missed = truth.events(view.wanted.kind, view.branch).iter().filter(|event| {
            let things = event.before.iter().chain([&event.thing]);
            event.version() > version && things.into_iter().any(|thing| view.wanted.holds(thing))
        });
        missed.next().map(|event| event.at_ms)
    }

    /// What the gateway of a view said of its trouble so long ago that the view must know it.
    fn told_trouble(&self, viewer: &Viewer, view: &View, within_ms: i64) -> Option<String> {
        let gateway = &self.gateways[self.links.get(&viewer.link?)?.gateway];
        let feeds = gateway.watched.values().filter(|watched| watched.kind == view.wanted.kind);
        let is_old = |at_ms: &i64| at_ms + within_ms < self.now_ms;
        // Where namespaces have feeds of their own, the view may be of any of them.
        let troubles: Option<Vec<&(i64, ViewState)>> = feeds
            .map(|watched| {
                let told = watched.memory.told_state.as_ref()?;
                (is_old(&told.0) && matches!(told.1, ViewState::Stale { .. })).then_some(told)
            })
            .collect();
        let trouble = *troubles?.first()?;
        self.hears(viewer, view, within_ms).then(|| format!("its gateway said {:?}", trouble.1))
    }

    /// Whether what its gateway says has reached a view for so long.
    fn hears(&self, viewer: &Viewer, view: &View, for_ms: i64) -> bool {
        let Some(link) = viewer.link.and_then(|id| self.links.get(&id)) else { return false };
        let gateway = &self.gateways[link.gateway];
        let disturbed_ms = [
            link.stalled_until_ms,
            gateway.stopped_until_ms,
            viewer.stalled_until_ms,
            link.opened_ms,
            view.opened_ms,
        ];
        link.is_whole()
            && gateway.down_until_ms.is_none()
            && !self.is_faulty_wire
            && self.script.credit_bytes > 100_000
            && disturbed_ms.into_iter().all(|at_ms| at_ms + for_ms < self.now_ms)
    }

    /// How late an answer, an event or a frame may be.
    fn slack_ms(&self) -> i64 {
        let slow_ms = self.script.steps.iter().map(|step| match step.action {
            Action::DisturbUpstream(Trouble::Slow(by_ms)) => by_ms,
            // Such a watch is found after 90 s, or when it is opened anew.
            Action::ForgetWatch => 400_000,
            _ => 0,
        });
        let way_ms = 2 * self.script.wire_ms.1 + 4 * self.script.upstream_ms.1 + 8 * self.script.hop_ms + 100;
        way_ms + 2 * slow_ms.max().unwrap_or(0)
    }
}

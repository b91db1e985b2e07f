//! The changes of a view until a time of the past, as they were recorded: what was asked and answered. Never what is shown of
//! it, which [`super::change_list`] makes.

use std::sync::Arc;

use replica::client::ViewKey;
use shared::column::Column;
use shared::frame::client::{ChangesAsked, PastAsked, SubscriptionId};
use shared::frame::server::{Changed, Changes, PastAnswer};
use shared::name::ClusterName;
use shared::past::Removed;
use shared::problem::{Problem, Reason};
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::density::Density;
use super::here::Here;
use super::model::InPlaceOfRows;
use crate::table_view::Client;

/// The changes of the pane that shows them in the past.
#[derive(Default)]
pub(crate) struct RecordedChanges {
    of: Option<Of>,
    /// One for each cluster.
    parts: Vec<Part>,
    pub(super) problem: Option<Problem>,
    pub(super) model: Option<Arc<InPlaceOfRows>>,
    pub(super) made_ms: UnixMillis,
}

/// What they are of, and of which time.
pub(super) struct Of {
    view: ViewKey,
    pub(super) since_ms: UnixMillis,
    pub(super) to_ms: UnixMillis,
}

/// Those of one cluster.
pub(super) struct Part {
    scope: Scope,
    /// Where the view has several.
    pub(super) cluster: Option<ClusterName>,
    next: Next,
    answers: u32,
    /// The oldest first.
    pub(super) changes: Vec<(Arc<[Column]>, Changed)>,
    /// Since when the kind is recorded.
    pub(super) since_ms: Option<UnixMillis>,
    /// Until when they are here.
    pub(super) until_ms: UnixMillis,
    /// What was removed of the record of that time.
    pub(super) removed: Vec<Removed>,
    /// Times without a record: from each until each.
    unrecorded: Vec<(UnixMillis, UnixMillis)>,
}

enum Next {
    Ask(ChangesAsked),
    Asked(SubscriptionId, ChangesAsked),
    End,
}

/// Where nothing is known of how much happened, this time before is looked at.
const BACK_MS: i64 = 15 * 60_000;
/// A reader looks through so many.
pub(super) const SHOWN_MAX: usize = 500;
/// Answers for one time: each has some thousand changes at most.
const ANSWERS_MAX: u32 = 12;
/// A time so much before the one that was asked for has changes of its own before it.
const OWN_MS: i64 = 60_000;

/// The cluster of one of a view's scopes, the gateway's own one by its name as well. `None`: the view is of one cluster.
pub(super) fn named_cluster(scope: &Scope, is_of_one: bool, client: &Client) -> Option<ClusterName> {
    if is_of_one {
        return None;
    }
    scope.cluster.clone().or_else(|| Some(client.cluster()?.name.clone()))
}

impl RecordedChanges {
    /// Asks for those of this view until the time of the page, unless they are here.
    pub(super) fn ask(
        &mut self,
        (view, scopes): (ViewKey, Vec<Scope>),
        density: Option<&Density>,
        here: &Here<'_>,
        client: &mut Client,
    ) {
        let Some(at_ms) = here.at_ms() else { return };
        let is_here = |of: &Of| of.view == view && (of.since_ms + OWN_MS..=of.to_ms).contains(&at_ms);
        let is_same = self.parts.iter().map(|part| &part.scope).eq(&scopes);
        if !is_same || !self.of.as_ref().is_some_and(is_here) {
            let since_ms = density.and_then(|density| density.back_from(at_ms, SHOWN_MAX));
            let since_ms = since_ms.unwrap_or(at_ms - BACK_MS).min(at_ms - OWN_MS);
            let asked = ChangesAsked { since_ms, from: None, objects: false };
            let is_of_one = scopes.len() == 1;
            let part = |scope: Scope| Part {
                cluster: named_cluster(&scope, is_of_one, client),
                scope,
                next: Next::Ask(asked),
                answers: 0,
                changes: Vec::new(),
                since_ms: None,
                until_ms: since_ms,
                removed: Vec::new(),
                unrecorded: Vec::new(),
            };
            self.parts = scopes.into_iter().map(part).collect();
            self.of = Some(Of { view, since_ms, to_ms: at_ms });
            self.problem = None;
        }
        for part in &mut self.parts {
            if let Next::Ask(asked) = part.next
                && let Some(id) = client.ask_past(part.scope.clone(), PastAsked::Changes(asked))
            {
                part.next = Next::Asked(id, asked);
            }
        }
    }

    pub(super) fn came(&mut self, answer: &PastAnswer) {
        let Some(to_ms) = self.of.as_ref().map(|of| of.to_ms) else { return };
        let Some((part, asked)) = self.waiting(answer.id) else { return };
        part.next = Next::End;
        if let Some(changes) = answer.read_changes() {
            part.add(changes, asked, to_ms);
        }
        self.model = None;
    }

    pub(super) fn failed(&mut self, id: SubscriptionId, problem: &Problem) {
        let Some((part, asked)) = self.waiting(id) else { return };
        // It is asked for again on the next connection.
        if problem.reason == Reason::ConnectionClosed {
            part.next = Next::Ask(asked);
            return;
        }
        part.next = Next::End;
        (self.problem, self.model) = (Some(problem.clone()), None);
    }

    fn waiting(&mut self, id: SubscriptionId) -> Option<(&mut Part, ChangesAsked)> {
        self.parts.iter_mut().find_map(|part| match part.next {
            Next::Asked(asked_id, asked) if asked_id == id => Some((part, asked)),
            _ => None,
        })
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part.next, Next::End))
    }

    pub(super) fn of(&self) -> Option<&Of> {
        self.of.as_ref()
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl Part {
    /// When a change can be seen. One that a list told is of a time before that list was recorded to its end.
    pub(super) fn seen_ms(&self, change: &Changed) -> UnixMillis {
        let within = |gap: &&(UnixMillis, UnixMillis)| (gap.0..gap.1).contains(&change.time_ms);
        self.unrecorded.iter().find(within).map_or(change.time_ms, |gap| gap.1)
    }

    /// Takes those until a time, and says whether there are more.
    fn add(&mut self, changes: Changes, asked: ChangesAsked, to_ms: UnixMillis) {
        let columns: Arc<[Column]> = changes.columns.into();
        let until = changes.changes.into_iter().filter(|change| change.time_ms <= to_ms);
        self.changes.extend(until.map(|change| (Arc::clone(&columns), change)));
        self.since_ms = changes.since_ms;
        let removed = changes.removed.into_iter().filter(|it| it.from_ms <= to_ms);
        let removed: Vec<Removed> = removed.filter(|it| !self.removed.contains(it)).collect();
        self.removed.extend(removed);
        self.unrecorded.extend(changes.unrecorded.iter().map(|gap| (gap.from_ms, gap.to_ms)));
        self.answers += 1;
        let is_over = !changes.more || changes.end.to_ms > to_ms;
        self.until_ms = if is_over { to_ms } else { changes.end.to_ms };
        if !is_over && self.answers < ANSWERS_MAX {
            self.next = Next::Ask(ChangesAsked { from: Some(changes.end), ..asked });
        }
    }
}

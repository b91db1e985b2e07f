//! The head of the panel, above all tabs: which object it is, its most important facts, and a notice if it can't
//! be shown or was deleted.

use replica::freshness::{AsOf, Freshness, Record};
use replica::object::Existence;
use replica::table::clusters::names_clusters;
use shared::problem::{Problem, Reason};
use shared::row::Row;

use super::object::{ShownObject, Wanted};
use super::words;
use crate::cells;
use crate::detail::{Now, created};
use crate::kubectl::in_context;
use crate::logs::LogsShown;
use crate::messages;
use crate::past;
use crate::status::{Class, StatusColumns};
use crate::tab::logs::is_offered;
use crate::table_view::{Client, View};

/// Which object it is. Another object has another `generation`, and gets new elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PanelHead {
    pub generation: u32,
    /// `Pod in payments`
    pub kind: String,
    pub name: String,
    /// The kubectl command that shows the same.
    pub kubectl: String,
    /// The tab with logs is offered.
    pub has_logs: bool,
    /// What that tab shows, while it is open.
    pub logs: LogsShown,
}

/// A fact above all tabs: a column of the object's row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TopFact {
    /// Empty for the status.
    pub title: String,
    pub text: String,
    pub note: String,
    pub class: Option<Class>,
}

/// A notice above the tabs' content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelNote {
    pub kind: PanelNoteKind,
    pub strong: String,
    pub text: String,
    /// The object's last known state is shown below.
    pub has_body: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelNoteKind {
    Forbidden,
    KindGone,
    Failed,
    Deleted,
    /// It took the place of a deleted object while the panel was open.
    Recreated,
    NotThere,
    FirstLoad,
}

/// How many columns of the row are shown, AGE included.
const TOP_FACTS_MAX: usize = 4;

pub(super) fn head(wanted: &Wanted, client: &Client, generation: u32) -> PanelHead {
    let namespace = wanted.panel.namespace.as_ref().map(ToString::to_string);
    let name = wanted.panel.name.to_string();
    let get = messages::kubectl_get(&wanted.resource(), namespace.as_deref(), &name);
    let kind = words::kind_in(&wanted.kind.kind, namespace.as_deref());
    PanelHead {
        generation,
        kind: match &wanted.panel.cluster {
            Some(cluster) => messages::of_cluster(&kind, cluster.as_str()),
            None => kind,
        },
        kubectl: in_context(&get, client, wanted.cluster.as_ref()),
        name,
        has_logs: is_offered(wanted, client),
        logs: LogsShown::default(),
    }
}

/// In the order of the server's columns, but STATUS first and AGE last.
pub(super) fn top_facts(view: &View, row: &Row, now: Now) -> Vec<TopFact> {
    let columns = view.table().columns();
    let status = StatusColumns::of(columns);
    let mut facts = Vec::new();
    let mut age = None;
    for (index, column) in columns.iter().enumerate() {
        let Some(cell) = row.cells.get(index).filter(|_| !column.is_wide()) else { continue };
        let title = column.title();
        let text = cells::text(cell, now.cluster_s);
        // The cluster stands beside the kind.
        if title == "NAME" || text.is_empty() || names_clusters(column) {
            continue;
        }
        let class = status
            .read(row, now.cluster_s)
            .filter(|_| status.status() == Some(index))
            .map(|(_, class)| class);
        if class.is_some() {
            facts.insert(0, TopFact { title: String::new(), text, note: String::new(), class });
            continue;
        }
        let (text, note) = match text.split_once(" (") {
            Some((text, ago)) => (text.to_owned(), format!("({ago}")),
            None => (text, String::new()),
        };
        let fact = TopFact { title, text, note, class: None };
        if fact.title == "AGE" { age = Some(fact) } else { facts.push(fact) }
    }
    facts.truncate(TOP_FACTS_MAX - 1);
    facts.extend(age);
    facts
}

/// Why there is nothing to show of that time.
fn past_note(as_of: &AsOf, shown: ShownObject<'_>) -> Option<PanelNote> {
    let has_body = shown.object.value.is_some();
    let at = |ms| messages::instant(ms, shown.now.ms, shown.now.zone);
    let note = |kind, strong: String, text: String| Some(PanelNote { kind, strong, text, has_body: false });
    match &as_of.record {
        Record::Missing(gap) => {
            let said = past::words::nothing_from_to(&at(gap.from_ms), &at(gap.to_ms), &gap.why);
            note(PanelNoteKind::NotThere, said, String::new())
        }
        Record::Refused(problem) => {
            let strong = past::words::not_there_at(&at(as_of.at_ms));
            note(PanelNoteKind::NotThere, strong, messages::sentence(&problem.message))
        }
        Record::Of { .. } if shown.object.is_deleted(shown.client) => deleted(shown),
        Record::Of { .. } if has_body => {
            // By the viewer's clock, as all that the panel says.
            let (client, object) = (shown.client, shown.object);
            let (at_ms, row) = (object.at_ms?, object.view(client)?.row?);
            let deleted_ms = client.local_ms(object.recorded.last.deleted_after(at_ms, row)?);
            let (strong, text) = (words::deleted_at(&at(deleted_ms)), words::state_of(&at(as_of.at_ms)));
            Some(PanelNote { kind: PanelNoteKind::Deleted, strong, text, has_body })
        }
        Record::Of { .. } => {
            note(PanelNoteKind::NotThere, past::words::not_there_at(&at(as_of.at_ms)), String::new())
        }
        Record::Reading { .. } if !has_body => {
            note(PanelNoteKind::FirstLoad, past::words::reading_of(&at(as_of.at_ms)), String::new())
        }
        Record::Reading { .. } => None,
    }
}

/// The notice over the last state of an object that is gone.
fn deleted(shown: ShownObject<'_>) -> Option<PanelNote> {
    let (now, deleted_ms) = (shown.now, shown.object.deleted_ms(shown.client));
    let at = |ms| messages::instant(ms, now.ms, now.zone);
    let ended = at(deleted_ms.unwrap_or(now.ms));
    let last = shown.object.recorded.last.shown_as(shown.object.value.as_ref());
    let state_of = |ms| words::state_of(&at(shown.client.local_ms(ms)));
    let (strong, text) = match last {
        None => (words::deleted_at(&ended), words::LAST_SEEN_STATE.to_owned()),
        Some(last) if last.deleted_ms.is_none() => (words::NOT_THERE.to_owned(), state_of(last.time_ms)),
        Some(last) if last.relisted => (words::deleted_before(&ended), state_of(last.time_ms)),
        Some(_) => (words::deleted_at(&ended), words::LAST_SEEN_STATE.to_owned()),
    };
    Some(PanelNote { kind: PanelNoteKind::Deleted, strong, text, has_body: true })
}

/// The notice of an object that hasn't arrived yet.
pub(super) fn first_load() -> PanelNote {
    PanelNote {
        kind: PanelNoteKind::FirstLoad,
        strong: messages::FIRST_LOAD.to_owned(),
        text: words::ASKED_FOR_OBJECT.to_owned(),
        has_body: false,
    }
}

pub(super) fn note(shown: ShownObject<'_>, wanted: &Wanted) -> Option<PanelNote> {
    let resource = &wanted.resource();
    let has_body = shown.object.value.is_some();
    let note = |kind, strong: String, text: String| Some(PanelNote { kind, strong, text, has_body });
    let reason = |problem: &Option<Problem>| problem.as_ref().map(messages::with_reason).unwrap_or_default();
    match shown.freshness {
        Freshness::Forbidden { problem: Some(problem), .. } if shown.freshness.hidden().is_some() => {
            note(PanelNoteKind::Forbidden, messages::sentence(&problem.message), String::new())
        }
        Freshness::Forbidden { problem, .. } => {
            note(PanelNoteKind::Forbidden, words::may_not_get(resource), reason(problem))
        }
        Freshness::Past(as_of) => past_note(as_of, shown),
        Freshness::Gone { problem: Some(problem), .. } if problem.reason == Reason::NotFound => {
            let (what, why) = messages::not_served(problem);
            note(PanelNoteKind::KindGone, what, why)
        }
        Freshness::Gone { problem, .. } => {
            note(PanelNoteKind::KindGone, messages::no_longer_serves(resource), reason(problem))
        }
        Freshness::Failed { problem, .. } => {
            note(PanelNoteKind::Failed, messages::cannot_be_shown(resource), reason(problem))
        }
        _ => match shown.view().map(|object| object.existence) {
            Some(Existence::Deleted) if has_body => deleted(shown),
            Some(Existence::Deleted) => {
                let text = words::APPEARS_BY_ITSELF.to_owned();
                note(PanelNoteKind::NotThere, words::NOT_THERE.to_owned(), text)
            }
            Some(Existence::Exists) => {
                let made =
                    shown.object.value.as_deref().filter(|_| shown.object.is_recreated).and_then(created);
                let at = made.map(|at| words::recreated_at(&shown.now.clock(at)));
                at.and_then(|at| note(PanelNoteKind::Recreated, at, words::FORMER_IN_TIMELINE.to_owned()))
            }
            _ => (!has_body).then(first_load),
        },
    }
}

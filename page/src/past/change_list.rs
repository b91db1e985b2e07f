//! The list of recorded changes until a time, which stands in place of the rows: what came, what went, and which cells
//! changed. Never a question to the gateway.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::column::Column;
use shared::frame::server::Changed;
use shared::frame::timeline::EntryType;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::at::At;
use super::compare::told;
use super::model::{ChangeList, ChangeRow, ComparedCell, GroupKind, InPlaceOfRows, ReplacedRows};
use super::part::{Links, Shown};
use super::recorded_changes::{Part, RecordedChanges, SHOWN_MAX};
use super::words;
use crate::cells;
use crate::detail::history;
use crate::location::PanelPlace;
use crate::messages;

/// The list is made again once a second, as its links have what the page shows.
const AGAIN_MS: i64 = 1_000;
/// Cells that are shown of a row that came or went.
const CELLS_MAX: usize = 4;

pub(super) fn list(changes: &mut RecordedChanges, shown: &Shown<'_>, links: Links<'_>) -> ReplacedRows {
    let now_ms = shown.here.now_ms;
    if changes.model.is_none() || now_ms - changes.made_ms >= AGAIN_MS {
        let made = InPlaceOfRows::Changes(made(changes, shown, links));
        if changes.model.as_deref() != Some(&made) {
            changes.model = Some(Arc::new(made));
        }
        changes.made_ms = now_ms;
    }
    ReplacedRows(changes.model.clone())
}

fn made(changes: &RecordedChanges, shown: &Shown<'_>, links: Links<'_>) -> ChangeList {
    let times = Times { shown, links };
    let at_ms = shown.here.at_ms().unwrap_or_default();
    let list = ChangeList {
        resource: shown.resource.to_owned(),
        until: times.clock(at_ms),
        is_waiting: changes.is_waiting(),
        ..ChangeList::default()
    };
    let Some(of) = changes.of() else { return list };
    let mut rows: Vec<(UnixMillis, ChangeRow)> = Vec::new();
    for part in changes.parts() {
        // The cells that each object had before.
        let mut before: BTreeMap<RowId, (&[Column], &Changed)> = BTreeMap::new();
        for (columns, change) in &part.changes {
            let row = times.row(columns, (part, change), before.get(&change.row).copied());
            before.insert(change.row, (columns, change));
            if change.time_ms <= at_ms {
                rows.push((change.time_ms, row));
            }
        }
    }
    // The newest first.
    rows.reverse();
    shared::sorted::sort_by_key(&mut rows, |(at_ms, _)| std::cmp::Reverse(*at_ms));
    rows.truncate(SHOWN_MAX);
    let until = times.clock(at_ms);
    let recorded_ms = changes.parts().iter().filter_map(|part| part.since_ms).max();
    let note = match (&changes.problem, rows.is_empty(), recorded_ms) {
        (Some(problem), ..) => messages::sentence(&problem.message),
        (None, true, _) if list.is_waiting => words::reading_of(&until),
        (None, true, None) => words::NOTHING_YET.to_owned(),
        (None, true, Some(since_ms)) if since_ms > at_ms => words::nothing_since(&times.clock(since_ms)),
        (None, true, Some(since_ms)) => {
            words::nothing_changed(&list.resource, &times.clock(since_ms.max(of.since_ms)), &until)
        }
        _ => String::new(),
    };
    let first_ms = rows.last().map_or(of.since_ms, |(ms, _)| *ms);
    let from_ms = if rows.len() == SHOWN_MAX { first_ms } else { of.since_ms };
    let mut foot = vec![words::changes_from(&times.clock(from_ms.max(recorded_ms.unwrap_or(from_ms))))];
    let cut_ms = changes.parts().iter().map(|part| part.until_ms).min().filter(|ms| *ms < at_ms);
    foot.extend(cut_ms.filter(|_| !list.is_waiting).map(|ms| words::changes_until(&times.clock(ms))));
    if rows.is_empty() {
        foot.clear();
    }
    let removed = changes.parts().iter().flat_map(|part| &part.removed);
    foot.extend(removed.map(|removed| words::removed(&list.resource, removed, |ms| times.clock(ms))));
    let foot = foot.join(" ");
    ChangeList { rows: rows.into_iter().map(|(_, row)| row).collect(), note, foot, ..list }
}

/// What the lines are made with.
struct Times<'a> {
    shown: &'a Shown<'a>,
    links: Links<'a>,
}

impl Times<'_> {
    fn local_ms(&self, gateway_ms: UnixMillis) -> UnixMillis {
        gateway_ms.saturating_sub(self.shown.here.ahead_ms)
    }

    fn clock(&self, gateway_ms: UnixMillis) -> String {
        messages::instant(self.local_ms(gateway_ms), self.shown.here.now_ms, self.shown.here.zone)
    }

    fn row(
        &self,
        columns: &[Column],
        (part, change): (&Part, &Changed),
        before: Option<(&[Column], &Changed)>,
    ) -> ChangeRow {
        let cluster = part.cluster.as_ref();
        let shown = |text: &str| cells::shown(text).into_owned();
        let (clock, millis) = history::time(self.local_ms(change.time_ms), self.shown.here.zone);
        let (kind, went) = match change.kind {
            EntryType::Added => (GroupKind::Came, false),
            EntryType::Deleted => (GroupKind::Went, true),
            _ => (GroupKind::Changed, false),
        };
        let panel = PanelPlace::named(change.namespace.as_deref(), &change.name)
            .map(|panel| panel.in_cluster(cluster.cloned()));
        let text = |columns: &[Column], of: &Changed, name: &str| {
            let at = columns.iter().position(|column| &*column.name == name)?;
            Some((of.cells.get(at)?.clone(), of.time_ms.div_euclid(1_000)))
        };
        let told = told(columns).filter(|(_, column)| !column.is_wide());
        let cells = match before.filter(|_| kind == GroupKind::Changed) {
            Some((former, was)) => told
                .filter_map(|(at, column)| {
                    let (old, then_s) = text(former, was, &column.name)?;
                    let new = change.cells.get(at)?;
                    let new_text = cells::text(new, change.time_ms.div_euclid(1_000));
                    let old_text = cells::text(&old, then_s);
                    let is_other = old != *new && old_text != new_text;
                    is_other.then(|| ComparedCell {
                        title: column.title(),
                        old: old_text,
                        new: new_text,
                        is_alone: false,
                    })
                })
                .collect(),
            None => told
                .filter_map(|(at, column)| {
                    let new = cells::text(change.cells.get(at)?, change.time_ms.div_euclid(1_000));
                    let is_said = !new.is_empty() && new != "<none>";
                    let (old, new) = if went { (new, String::new()) } else { (String::new(), new) };
                    is_said.then(|| ComparedCell { title: column.title(), old, new, is_alone: true })
                })
                .take(CELLS_MAX)
                .collect::<Vec<_>>(),
        };
        let is_unseen = kind == GroupKind::Changed && before.is_some() && cells.is_empty();
        ChangeRow {
            kind,
            clock,
            millis,
            cluster: cluster.map(|name| shown(name.as_str())).unwrap_or_default(),
            namespace: change.namespace.as_deref().map(shown).unwrap_or_default(),
            name: shown(&change.name),
            href: panel.and_then(|panel| (self.links)(panel, At::new(part.seen_ms(change)))),
            note: words::of_change(is_unseen, change.relisted, change.skipped),
            cells,
        }
    }
}

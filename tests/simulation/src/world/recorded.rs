//! What the records of the gateways say, beside all that the API server ever held: each version that happened is there in its
//! order, or is counted by the version after it, or lies in a time that the record says it doesn't know; and what is said of
//! a time is a state that the cluster was in.

use std::collections::BTreeMap;

use gateway::feed::row_of_uid;
use history::{Moment, Past, PastChange, PastState};
use shared::cell::Cell;
use shared::column::Column;
use shared::past::{Unrecorded, Why};
use shared::row::RowId;

use super::act::RESTORE_MS;
use super::{START_MS, World};
use crate::guarantee::Guarantee::Recorded;
use crate::guarantee::Violation;
use crate::oracle::number_of;
use crate::record::{Record, key};
use crate::script::Action;
use crate::truth::{Event, KINDS, Kind, Thing, Things};

/// So many times of each kind are looked at.
const MOMENTS: usize = 16;
/// An event that left no trace is looked for among the gaps so far beside its time: clocks are set back by that much, and a
/// feed may be late.
const BESIDE_MS: i64 = 60_000;
/// What a gateway had heard of before a restore was on its way for so long at most, and so is the first list after it.
const ON_ITS_WAY_MS: i64 = 1_000;
/// The same where a server forgot a watch, which is found when it is opened anew.
const FORGOTTEN_MS: i64 = 330_000;

/// A recorded version of one object.
struct Kept<'a> {
    at_ms: i64,
    version: u64,
    skipped: u32,
    /// `None`: it is gone.
    there: Option<&'a history::Head>,
    relisted: bool,
    columns: &'a [Column],
}

impl World {
    /// The last state of each record is the cluster's. A record of what viewers watch alone has no end to compare.
    pub(super) fn are_records_whole(&self) -> Result<(), String> {
        for record in self.gateways.iter().filter_map(|gateway| gateway.record.as_ref()) {
            if !self.script.keeps {
                continue;
            }
            if let Some(why) = record.why_not() {
                return Err(why);
            }
            for kind in KINDS {
                let moment = record.past().moment(&key(kind), i64::MAX).map_err(|error| error.to_string())?;
                let moment = moment.ok_or_else(|| format!("nothing is recorded of {kind:?}"))?;
                if let Some(what) = difference(&moment, &self.api.truth.now(kind)) {
                    return Err(format!("the record of {kind:?} ends otherwise: {what}"));
                }
                // What came and went again leaves no difference.
                let events = self.api.truth.events(kind, self.api.truth.branch());
                let last = events.last().map_or(0, Event::version);
                if record.position(kind) < last {
                    return Err(format!("the record of {kind:?} hasn't heard of {last}"));
                }
            }
        }
        Ok(())
    }

    pub(super) fn check_records(&mut self) -> Result<(), Violation> {
        for number in 0..self.gateways.len() {
            for kind in KINDS {
                let checked =
                    self.gateways[number].record.as_ref().map(|record| self.check_record(record, kind));
                match checked {
                    None => {}
                    Some(Ok(count)) => (0..count).for_each(|_| self.counts.add(Recorded)),
                    Some(Err(what)) => {
                        return Err(self.violation(Recorded, format!("gateway {number}, {kind:?}: {what}")));
                    }
                }
            }
        }
        Ok(())
    }

    /// How much was checked.
    fn check_record(&self, record: &Record, kind: Kind) -> Result<usize, String> {
        let (past, key) = (record.past(), key(kind));
        let unread = |error: history::StoreError| error.to_string();
        let Some(extent) = past.extent(&key).map_err(unread)? else { return Ok(0) };
        let changes = past.changes(&key, (i64::MIN, i64::MAX), 0, usize::MAX).map_err(unread)?;
        let count = self.check_moments(&*past, kind, &changes)?;
        let mut gaps = extent.unrecorded;
        gaps.extend(self.restored());
        let first = past.moment(&key, extent.from_ms).map_err(unread)?;
        let first = first.map_or(0, |first| number_of(&first.resource_version));
        self.check_versions(kind, &changes, &gaps, (extent.from_ms, first))?;
        Ok(count + changes.len())
    }

    /// A gateway can't know of a restore where the list after it has the version that was held before.
    fn restored(&self) -> Option<Unrecorded> {
        let restore = self.script.steps.iter().find(|step| matches!(step.action, Action::Restore { .. }))?;
        let from_ms = START_MS + restore.at_ms;
        Some(Unrecorded {
            from_ms: from_ms - ON_ITS_WAY_MS,
            to_ms: from_ms + RESTORE_MS + ON_ITS_WAY_MS,
            why: Why::Down,
        })
    }

    fn beside_ms(&self) -> i64 {
        let forgets = self.script.steps.iter().any(|step| step.action == Action::ForgetWatch);
        if forgets { FORGOTTEN_MS } else { BESIDE_MS }
    }

    /// Each time is a state that the cluster was in, and later ones are no earlier states.
    fn check_moments(&self, past: &dyn Past, kind: Kind, changes: &[PastChange]) -> Result<usize, String> {
        let mut times: Vec<i64> =
            changes.iter().flat_map(|it| [it.version.at_ms - 1, it.version.at_ms]).collect();
        times.sort_unstable();
        times.dedup();
        let every = times.len() / MOMENTS + 1;
        let (mut since, mut count) = ((0, 0), 0);
        for at_ms in times.into_iter().step_by(every) {
            let moment = past.moment(&key(kind), at_ms).map_err(|error| error.to_string())?;
            let Some(moment) = moment.filter(|moment| moment.unrecorded.is_none()) else { continue };
            let mut states = self.api.truth.states(kind).filter(|(at, _)| *at >= since);
            let Some((at, _)) = states.find(|(_, things)| difference(&moment, things).is_none()) else {
                let objects: Vec<String> = moment
                    .objects
                    .iter()
                    .map(|object| {
                        format!(
                            "{}@{} {:?}",
                            object.head.name, object.head.resource_version, object.head.cells
                        )
                    })
                    .collect();
                return Err(format!("the cluster was never so since {since:?}: {at_ms}, {objects:?}"));
            };
            since = at;
            count += 1;
        }
        Ok(count)
    }

    fn check_versions(
        &self,
        kind: Kind,
        changes: &[PastChange],
        gaps: &[Unrecorded],
        (from_ms, first): (i64, u64),
    ) -> Result<(), String> {
        let events = self.api.truth.all_events(kind);
        let mut by_row: BTreeMap<RowId, Vec<&Event>> = BTreeMap::new();
        for event in events {
            by_row.entry(row_of_uid(&event.thing.uid_text())).or_default().push(event);
        }
        let mut kept: BTreeMap<RowId, Vec<Kept<'_>>> = BTreeMap::new();
        for change in changes {
            let version = &change.version;
            let (there, relisted) = match &version.state {
                PastState::There { head, .. } => (Some(&**head), head.relisted),
                PastState::Deleted { relisted } => (None, *relisted),
                PastState::Damaged => return Err(format!("{} is damaged", version.row)),
            };
            kept.entry(version.row).or_default().push(Kept {
                at_ms: version.at_ms,
                version: number_of(&version.resource_version),
                skipped: version.skipped,
                there,
                relisted,
                columns: &change.columns,
            });
        }
        for (row, kept) in kept {
            let events = by_row.remove(&row).ok_or_else(|| format!("{row} was never there"))?;
            self.check_object(kind, &events, &kept, (from_ms, first, gaps))?;
        }
        let missed = by_row.values().find_map(|events| self.first_due(kind, events, (from_ms, gaps)));
        match missed.filter(|_| self.script.keeps) {
            Some(event) => Err(format!("version {} left no trace: {gaps:?}", event.version())),
            None => Ok(()),
        }
    }

    /// The first of the events of an object before all that is recorded of it that should be recorded: the record knows of no
    /// time about it, and it isn't as the one before, with which a segment may have begun.
    fn first_due<'a>(
        &self,
        kind: Kind,
        events: &[&'a Event],
        (from_ms, gaps): (i64, &[Unrecorded]),
    ) -> Option<&'a Event> {
        let is_noise = |place: usize, event: &Event| {
            let before = place.checked_sub(1).map(|before| events[before]);
            before.is_some_and(|before| {
                let mut columns = self.api.truth.columns(kind).iter();
                [before.verb, event.verb].iter().all(|verb| *verb != "DELETED")
                    && before.thing.colour == event.thing.colour
                    && columns.all(|column| before.thing.cell(column) == event.thing.cell(column))
            })
        };
        let mut due = events.iter().enumerate().filter(|(place, event)| {
            !is_covered(event, (from_ms, gaps), self.beside_ms())
                && !self.api.truth.is_lost(kind, event)
                && !is_noise(*place, event)
        });
        due.next().map(|(_, event)| *event)
    }

    fn check_object(
        &self,
        kind: Kind,
        events: &[&Event],
        kept: &[Kept<'_>],
        (from_ms, first, gaps): (i64, u64, &[Unrecorded]),
    ) -> Result<(), String> {
        let is_unknown =
            |from_ms: i64, to_ms: i64| gaps.iter().any(|gap| gap.from_ms <= to_ms && gap.to_ms >= from_ms);
        let mut before: Option<(usize, &Kept<'_>)> = None;
        for now in kept {
            let after = before.map_or(0, |(place, _)| place + 1);
            let place = match now.there {
                Some(_) => events.iter().position(|it| it.version() == now.version && it.verb != "DELETED"),
                None if !now.relisted => {
                    events.iter().position(|it| it.version() == now.version && it.verb == "DELETED")
                }
                // A list tells no more than that it is gone.
                None => {
                    let mut gone = (after..events.len()).filter(|place| events[*place].verb == "DELETED");
                    let kept = gone.clone().find(|place| !self.api.truth.is_lost(kind, events[*place]));
                    kept.or_else(|| gone.next())
                }
            };
            let since_ms = before.map_or(now.at_ms, |(_, before)| before.at_ms);
            let is_unknown = since_ms < from_ms || is_unknown(since_ms, now.at_ms);
            let Some(place) = place else {
                let is_lost = events.iter().any(|event| self.api.truth.is_lost(kind, event));
                if now.there.is_none() && now.relisted && (is_unknown || is_lost) {
                    // A restore took it away, and the list may have had the same version as what was held.
                    before = None;
                    continue;
                }
                return Err(format!("version {} was never there", now.version));
            };
            if let Some(head) = now.there
                && let Some(what) = cells_differ(now.columns, &head.cells, &events[place].thing)
            {
                return Err(format!("version {}: {what}", now.version));
            }
            let name = events[place].thing.key();
            let Some((former, _)) = before.replace((place, now)) else {
                let missed = self.first_due(kind, &events[..place], (from_ms, gaps));
                if let Some(missed) = missed.filter(|_| self.script.keeps) {
                    return Err(format!("{name} begins with {}, not {}", now.version, missed.version()));
                }
                continue;
            };
            // Nothing goes back but with an etcd that was restored.
            if place <= former && !(is_unknown && self.restored().is_some()) {
                return Err(format!("{name} goes back from {} to {}", events[former].version(), now.version));
            }
            if is_unknown {
                continue;
            }
            let missed = &events[former + 1..place];
            let unlike = missed.iter().find(|event| {
                !is_alike(now.columns, &event.thing, &events[former].thing)
                    && !self.api.truth.is_lost(kind, event)
            });
            if let Some(event) = unlike {
                return Err(format!("{name}: version {} isn't there, nor a gap: {gaps:?}", event.version()));
            }
            if now.skipped as usize > missed.len() {
                return Err(format!("{name}: {} skipped, {} were", now.skipped, missed.len()));
            }
        }
        let Some((place, last)) = before.filter(|_| self.script.keeps) else { return Ok(()) };
        let rest = &events[place + 1..];
        // No gateway needs to have heard what a restore took away.
        let is_noise = |event: &&Event| {
            is_alike(last.columns, &event.thing, &events[place].thing) && event.verb != "DELETED"
                || self.api.truth.is_lost(kind, event)
                // A list that broke off told the object, and the first whole one had it looking so again.
                || last.at_ms < from_ms && event.version() <= first
        };
        match rest.iter().find(|event| !is_noise(event)) {
            Some(event) if !is_unknown(last.at_ms, i64::MAX) => {
                Err(format!("{}: version {} isn't there at the end", event.thing.key(), event.version()))
            }
            _ => Ok(()),
        }
    }
}

/// Whether the record says that it doesn't know what happened about the time of an event.
fn is_covered(event: &Event, (from_ms, gaps): (i64, &[Unrecorded]), beside_ms: i64) -> bool {
    let is_beside =
        |gap: &Unrecorded| gap.from_ms - beside_ms <= event.at_ms && event.at_ms <= gap.to_ms + beside_ms;
    event.at_ms - beside_ms <= from_ms || gaps.iter().any(is_beside)
}

fn cells_differ(columns: &[Column], cells: &[Cell], thing: &Thing) -> Option<String> {
    if columns.len() != cells.len() {
        return Some(format!("{} cells in {} columns", cells.len(), columns.len()));
    }
    let differs = columns.iter().zip(cells).find(|(column, cell)| thing.cell(&column.name) != **cell);
    differs.map(|(column, cell)| format!("{} is {cell:?}, not {:?}", column.name, thing.cell(&column.name)))
}

/// Whether two versions of an object differ in nothing that is shown.
fn is_alike(columns: &[Column], one: &Thing, other: &Thing) -> bool {
    one.colour == other.colour
        && columns.iter().all(|column| one.cell(&column.name) == other.cell(&column.name))
}

fn difference(moment: &Moment, things: &Things) -> Option<String> {
    if moment.objects.len() != things.len() {
        let heads = moment.objects.iter().map(|object| &object.head);
        let kept: Vec<String> =
            heads.map(|head| format!("{}@{}", head.name, head.resource_version)).collect();
        return Some(format!("{kept:?} and not {:?}", things.keys()));
    }
    moment.objects.iter().find_map(|object| {
        let head = &object.head;
        let place = format!("{}/{}", head.namespace.as_deref().unwrap_or_default(), head.name);
        let Some(thing) = things.get(&place) else { return Some(format!("{place} isn't there")) };
        // Made anew, it may look as before.
        if object.row != row_of_uid(&thing.uid_text()) {
            return Some(format!("{place} is another object"));
        }
        if *head.labels != *format!("colour\0{}\0", thing.colour) {
            return Some(format!("{place} has the labels {:?}", head.labels));
        }
        cells_differ(&moment.columns, &head.cells, thing).map(|what| format!("{place}: {what}"))
    })
}

//! `--since`: the recorded changes are printed first, then the rows of the present that weren't printed yet, then what
//! changes. Never a frame: [`super::follow`] sends the questions and hands the answers and the rows on.

use std::collections::HashSet;

use page::messages;
use page::past::words::{nothing_from_to, removed, removed_at};
use shared::column::Column;
use shared::frame::client::{PastAsked, SubscriptionId};
use shared::frame::server::{Changed, PastAnswer};
use shared::frame::timeline::EntryType;
use shared::past::Unrecorded;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::print::{Printed, RecordedTime, RowChange};
use super::report;
use crate::since::{Line, Reading, Told};

/// How far a tail is on its way from the past to the present.
pub(super) struct Since {
    /// In sentences.
    resource: String,
    reading: Reading,
    question: Option<SubscriptionId>,
    phase: Phase,
    /// The version of the rows that came last.
    version: ResourceVersion,
}

enum Phase {
    /// No view is open yet.
    Reads,
    /// The view is open, and its rows aren't exact yet.
    Opens,
    /// Its rows are exact, and the record is asked for what it heard until then.
    Joins(Present),
    Joined,
}

/// What is printed when the record has told its last.
struct Present {
    rows: Vec<Printed>,
    version: ResourceVersion,
    /// What changed in the meantime.
    changes: Vec<Printed>,
}

/// What follows from an answer.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) columns: Vec<Column>,
    pub(super) printed: Vec<Printed>,
    /// What goes to stderr.
    pub(super) said: Vec<String>,
    pub(super) next: Next,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// There is more.
    Ask,
    Open,
    /// The rows of the present, and what changed since they were exact.
    Joined,
}

/// Instants of the gateway's clock by the reader's, and how they are written.
pub(super) struct Clocks<'a> {
    pub(super) now_ms: UnixMillis,
    pub(super) local_ms: &'a dyn Fn(UnixMillis) -> UnixMillis,
}

impl Clocks<'_> {
    fn written(&self, at_ms: UnixMillis) -> String {
        messages::instant((self.local_ms)(at_ms), self.now_ms, report::zone(self.now_ms))
    }
}

impl Since {
    pub(super) fn new(resource: String, since_ms: UnixMillis, objects: bool) -> Self {
        let (phase, version) = (Phase::Reads, ResourceVersion::default());
        Self { resource, reading: Reading::new(since_ms, objects), question: None, phase, version }
    }

    /// What to ask, unless it is asked already. The connection may have ended since it was asked last.
    pub(super) fn question(&self) -> Option<PastAsked> {
        let asks = matches!(self.phase, Phase::Reads | Phase::Joins(_));
        (asks && self.question.is_none()).then(|| self.reading.question())
    }

    pub(super) fn asked(&mut self, id: Option<SubscriptionId>) {
        self.question = id;
    }

    /// Whether this question has no answer, and none is waited for any more.
    pub(super) fn takes_back(&mut self, id: SubscriptionId) -> bool {
        self.question.take_if(|asked| *asked == id).is_some()
    }

    pub(super) fn opened(&mut self) {
        self.phase = Phase::Opens;
    }

    pub(super) fn is_joined(&self) -> bool {
        matches!(self.phase, Phase::Joined)
    }

    /// The rows are exact: the record is asked once more. `false`: that was known.
    pub(super) fn settled(&mut self, rows: impl FnOnce() -> Vec<Printed>) -> bool {
        let is_new = matches!(self.phase, Phase::Opens);
        if is_new {
            let (version, changes) = (self.version.clone(), Vec::new());
            self.phase = Phase::Joins(Present { rows: rows(), version, changes });
        }
        is_new
    }

    /// Takes what a frame changed. Returns what of it is printed now.
    pub(super) fn changed(&mut self, changes: Vec<Printed>, version: &ResourceVersion) -> Vec<Printed> {
        self.version = version.clone();
        match &mut self.phase {
            Phase::Reads | Phase::Opens => Vec::new(),
            Phase::Joins(present) => {
                present.changes.extend(changes);
                Vec::new()
            }
            Phase::Joined => untold(&mut self.reading.told, changes),
        }
    }

    /// `None`: it answers no question of this, or can't be read.
    pub(super) fn answered(&mut self, answer: &PastAnswer, clocks: &Clocks<'_>) -> Option<Answered> {
        self.question.take_if(|asked| *asked == answer.id)?;
        let changes = answer.read_changes()?;
        let (columns, more) = (changes.columns.clone(), changes.more);
        let joins = matches!(self.phase, Phase::Joins(_));
        let (mut printed, mut said) = (Vec::new(), Vec::new());
        for line in self.reading.answered(changes, joins && !more) {
            match line {
                Line::Changed(changed) => printed.push(of_record(*changed, clocks)),
                Line::Unrecorded(Unrecorded { from_ms, to_ms, why }) => {
                    said.push(nothing_from_to(&clocks.written(from_ms), &clocks.written(to_ms), &why));
                }
                Line::Removed(mark) => {
                    let bold = removed(&self.resource, &mark, |at_ms| clocks.written(at_ms));
                    said.push(format!("{bold} {}", removed_at(&clocks.written(mark.removed_ms))));
                }
            }
        }
        let next = match (more, joins) {
            (true, _) => Next::Ask,
            (false, false) => Next::Open,
            (false, true) => Next::Joined,
        };
        Some(Answered { columns, printed, said, next })
    }

    /// What isn't printed yet of the rows of the present, and of what changed since.
    pub(super) fn join(&mut self, shows_first: bool) -> Vec<Printed> {
        let Phase::Joins(present) = std::mem::replace(&mut self.phase, Phase::Joined) else {
            return Vec::new();
        };
        let Present { mut rows, version, changes } = present;
        let told = &mut self.reading.told;
        let there: HashSet<RowId> = rows.iter().map(|of| of.row.id).collect();
        rows.retain(|of| told.put(of.row.id, &of.row.resource_version));
        let gone = told.settle(&version, |_| true, |row| there.contains(&row));
        let gone = gone.into_iter().map(|(id, (namespace, name))| {
            let (resource_version, created, cells, extra) = (version.clone(), None, Vec::new(), None);
            Printed::now(
                RowChange::Deleted,
                Row { id, resource_version, namespace, name, created, cells, extra },
            )
        });
        let mut printed: Vec<Printed> = gone.collect();
        if shows_first {
            printed.append(&mut rows);
        }
        printed.extend(untold(told, changes));
        printed
    }
}

fn untold(told: &mut Told, changes: Vec<Printed>) -> Vec<Printed> {
    let is_untold = |of: &Printed| match of.change {
        RowChange::Deleted => told.remove(of.row.id),
        RowChange::Added | RowChange::Modified | RowChange::Masked => {
            told.put(of.row.id, &of.row.resource_version)
        }
    };
    changes.into_iter().filter(is_untold).collect()
}

fn of_record(changed: Changed, clocks: &Clocks<'_>) -> Printed {
    let change = match (changed.kind, changed.masked) {
        (EntryType::Added, _) => RowChange::Added,
        (EntryType::Deleted, _) => RowChange::Deleted,
        (_, true) => RowChange::Masked,
        (_, false) => RowChange::Modified,
    };
    let at_ms = changed.time_ms;
    let time = Some(RecordedTime { at_ms, clock: clocks.written(at_ms) });
    Printed { change, row: changed.into_row(), time }
}

#[cfg(test)]
mod tests {
    use shared::frame::client::ChangesEnd;
    use shared::frame::server::Changes;
    use shared::past::Removed;

    use super::*;

    #[test]
    fn what_was_removed_of_the_record_is_said_once_beside_what_is_printed() {
        let removed = Removed {
            from_ms: 3_000,
            to_ms: 8_000,
            removed_ms: 9_000,
            namespace: Some("shop".into()),
            path: Some(".spec.badge".into()),
            masked: false,
        };
        let mut since = Since::new("pods".to_owned(), 1, false);
        let clocks = Clocks { now_ms: 10_000, local_ms: &|at_ms| at_ms };
        let mut said = |id| {
            let (columns, changes, unrecorded, still) = Default::default();
            let end = ChangesEnd { to_ms: 9_000, number: 1 };
            let (more, since_ms, removed, now_ms) = (false, Some(1), vec![removed.clone()], 10_000);
            let answer =
                Changes { columns, changes, end, more, since_ms, unrecorded, still, removed, now_ms };
            since.asked(Some(id));
            let answer = PastAnswer::of_changes(id, answer).expect("JSON");
            since.answered(&answer, &clocks).expect("an answer").said
        };
        let first = said(7);
        let [sentence] = &first[..] else { panic!("{first:?}") };
        assert!(sentence.starts_with(".spec.badge was removed from what was recorded of pods in shop from "));
        assert!(sentence.ends_with(" with dogwatch history purge."), "{sentence}");
        assert_eq!(said(8), Vec::<String>::new(), "it was said");
    }
}

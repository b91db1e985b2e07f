//! How a row stands, as the gateway says it, and the shape that stands before its word. No cell decides: of what is fine,
//! the printed word says whether it runs, is over, or is another. Never a colour: classes are the page's to paint.

mod health;
mod tally;
mod words;

use shared::cell::Cell;
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::health::HealthClass;
use shared::row::Row;

pub use tally::Tally;

use crate::messages;

/// Each class has its shape before the word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Disc.
    Ok,
    /// Half disc: on its way to another state.
    Busy,
    /// Triangle: works, but short of what it should be.
    Warn,
    /// Square with a cross: failing; bold.
    Bad,
    /// Tick: completed.
    Done,
    /// Ring: the word isn't known.
    #[default]
    Idle,
    /// Broken ring: terminating, or unknown to Kubernetes.
    Unknown,
}

impl Class {
    /// In the order of their declaration.
    pub const ALL: [Self; 7] =
        [Self::Ok, Self::Busy, Self::Warn, Self::Bad, Self::Done, Self::Idle, Self::Unknown];

    /// The panel has a strip for these.
    pub fn is_trouble(self) -> bool {
        matches!(self, Self::Bad | Self::Warn)
    }
}

/// The five states that rows of every kind are counted, filtered and ordered by, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowHealth {
    Failing,
    Short,
    /// It comes or goes, or another version of it comes.
    Changing,
    /// It has a state that no rule reads.
    Unknown,
    Fine,
}

impl RowHealth {
    pub const ALL: [Self; 5] = [Self::Failing, Self::Short, Self::Changing, Self::Unknown, Self::Fine];

    /// `now`: by the cluster's clock.
    #[must_use]
    pub fn of(row: &Row, now: UnixSeconds) -> Self {
        match row.health().map(|health| health.at(now)) {
            Some(HealthClass::Failing) => Self::Failing,
            Some(HealthClass::NotReady) => Self::Short,
            Some(HealthClass::Changing) => Self::Changing,
            Some(HealthClass::Unknown) => Self::Unknown,
            Some(HealthClass::Fine) | None => Self::Fine,
        }
    }

    /// Its place in the order by trouble. A row that is being deleted comes after one that is as bad and is to stay.
    pub(crate) fn rank(row: &Row, now: UnixSeconds) -> f64 {
        f64::from(Self::of(row, now) as u8) + if is_deleted(row) { 0.5 } else { 0.0 }
    }

    /// The key `n` goes to these rows, or to changing ones where there are none, and the minimap draws them with long bars.
    #[must_use]
    pub fn is_trouble(self) -> bool {
        matches!(self, Self::Failing | Self::Short)
    }

    /// From a filter: any of the words that a tally has for it, with `-` for a space, and those of older links.
    #[must_use]
    pub fn of_term(word: &str) -> Option<Self> {
        Some(match &*word.to_ascii_lowercase() {
            "failing" | "down" => Self::Failing,
            "not-ready" | "limited" | "short" | "warning" => Self::Short,
            "changing" | "on-its-way" => Self::Changing,
            "unknown" => Self::Unknown,
            "fine" | "ready" | "normal" => Self::Fine,
            _ => return None,
        })
    }

    /// Its word where no kind has another.
    #[must_use]
    pub fn word(self) -> &'static str {
        health::word(self, true)
    }

    /// The shape that stands for it.
    #[must_use]
    pub fn class(self) -> Class {
        match self {
            Self::Failing => Class::Bad,
            Self::Short => Class::Warn,
            Self::Changing => Class::Busy,
            Self::Unknown => Class::Idle,
            Self::Fine => Class::Ok,
        }
    }
}

/// The columns of a table with a status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusColumns {
    /// The column that bears the shape.
    status: Option<(usize, Meaning)>,
    ready: Option<usize>,
    desired: Option<usize>,
    up_to_date: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// Kubernetes' own words.
    Words,
    /// The type of an event.
    Event,
    /// True is good; a count is held against what is wanted.
    Condition,
}

impl StatusColumns {
    pub fn of(columns: &[Column]) -> Self {
        let find = |names: &[&str], with_wide: bool| {
            columns.iter().position(|column| {
                (with_wide || !column.is_wide())
                    && names.iter().any(|name| column.name.eq_ignore_ascii_case(name))
            })
        };
        let narrow = |names: &[&str]| find(names, false);
        // Events have no status: their type is one, and only they have a reason beside it.
        let event = narrow(&["reason"]).and_then(|_| narrow(&["type"]));
        let words = |index| (index, Meaning::Words);
        let status = narrow(&["status"])
            .or_else(|| narrow(&["phase"]))
            .map(words)
            .or(event.map(|index| (index, Meaning::Event)))
            .or_else(|| Some((narrow(&words::CONDITIONS)?, Meaning::Condition)))
            // A wide STATUS is often a sentence: it speaks where nothing else does.
            .or_else(|| find(&["status", "phase"], true).map(words));
        Self {
            status,
            ready: narrow(&["ready"]),
            desired: narrow(&["desired"]),
            up_to_date: narrow(&["up-to-date"]),
        }
    }

    /// The column with the shapes.
    pub fn status(&self) -> Option<usize> {
        self.status.map(|(index, _)| index)
    }

    pub fn ready(&self) -> Option<usize> {
        self.ready
    }

    #[must_use]
    pub fn is_of_events(&self) -> bool {
        matches!(self.status, Some((_, Meaning::Event)))
    }

    /// What a health is called here, in Kubernetes' words of this kind; `None` where no row of it can be so.
    #[must_use]
    pub fn word(&self, health: RowHealth) -> Option<&'static str> {
        match self.status {
            Some((_, Meaning::Event)) => health::of_events(health),
            Some((_, Meaning::Condition)) if self.desired.or(self.up_to_date).is_some() => {
                Some(health::of_replicas(health))
            }
            _ => Some(health::word(health, self.ready.is_some())),
        }
    }

    /// The same word as a filter writes it: `not-ready`.
    #[must_use]
    pub fn term(&self, health: RowHealth) -> String {
        self.word(health).unwrap_or_default().to_ascii_lowercase().replace(' ', "-")
    }

    /// Those that a row of this kind can have, the worst first.
    #[must_use]
    pub fn terms(&self) -> Vec<String> {
        let words = RowHealth::ALL.into_iter().filter(|health| self.word(*health).is_some());
        words.map(|health| self.term(health)).collect()
    }

    /// The word of a row and its class; `None` where the table has no status. `now`: by the cluster's clock.
    pub fn read<'a>(&self, row: &'a Row, now: UnixSeconds) -> Option<(&'a str, Class)> {
        let (index, meaning) = self.status?;
        let cell = row.cells.get(index)?;
        let health = RowHealth::of(row, now);
        let is_at_zero = meaning == Meaning::Condition && self.wanted(cell, row) == Some(0);
        let word = match cell {
            Cell::Text(word) => &**word,
            Cell::Bool(true) => "True",
            Cell::Bool(false) => "False",
            _ if meaning != Meaning::Condition => return None,
            _ if is_at_zero => messages::SCALED_TO_ZERO,
            _ => health::of_replicas(health),
        };
        let class = match health {
            RowHealth::Fine if is_at_zero => Class::Idle,
            RowHealth::Fine => words::fine(word, meaning == Meaning::Condition),
            RowHealth::Changing if is_deleted(row) => Class::Unknown,
            other => other.class(),
        };
        Some((word, class))
    }

    /// Whether a printed word sounds as if all were well.
    #[must_use]
    pub fn is_fine(word: &str) -> bool {
        words::fine(word, false) == Class::Ok
    }

    /// How many are wanted: of `1/2`, or of the column DESIRED.
    fn wanted(&self, ready: &Cell, row: &Row) -> Option<u64> {
        ratio(ready).map(|(_, wanted)| wanted).or_else(|| count(row.cells.get(self.desired?)?))
    }
}

fn is_deleted(row: &Row) -> bool {
    row.extra.as_ref().is_some_and(|extra| extra.deleted.is_some())
}

/// READY below its total: `1/2`. Bold.
pub fn is_short(ready: &Cell) -> bool {
    ratio(ready).is_some_and(|(part, whole)| part < whole)
}

/// `3/5`.
fn ratio(cell: &Cell) -> Option<(u64, u64)> {
    let Cell::Text(text) = cell else { return None };
    let (part, whole) = text.split_once('/')?;
    Some((part.parse().ok()?, whole.parse().ok()?))
}

fn count(cell: &Cell) -> Option<u64> {
    match cell {
        Cell::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use shared::health::{Health, Later};
    use shared::row::Extra;

    use super::*;

    /// A row of these cells, and of this health.
    fn read(columns: &[&str], cells: &[&str], health: Option<Health>, now: i64) -> Option<Class> {
        let columns: Vec<Column> = columns.iter().map(|name| replica::testing::column(name)).collect();
        let cell = |text: &&str| text.parse().map_or_else(|_| Cell::text(text), Cell::Int);
        let mut row = replica::testing::row(0, "a/b", &[]);
        row.cells = cells.iter().map(cell).collect();
        row.extra = Some(Box::new(Extra { health, ..Extra::default() }));
        StatusColumns::of(&columns).read(&row, now).map(|(_, class)| class)
    }

    fn health(class: HealthClass) -> Option<Health> {
        Some(Health { class, reason: "".into(), since: None, then: Vec::new(), failed: None })
    }

    #[test]
    fn what_is_being_deleted_comes_after_what_fails_and_before_what_is_less() {
        let rank = |class, deleted| {
            let mut row = replica::testing::row(0, "a/b", &[]);
            row.extra = Some(Box::new(Extra { health: health(class), deleted, ..Extra::default() }));
            RowHealth::rank(&row, 0)
        };
        let ranks = [
            rank(HealthClass::Failing, None),
            rank(HealthClass::Failing, Some(7)),
            rank(HealthClass::NotReady, None),
            rank(HealthClass::Changing, Some(7)),
            rank(HealthClass::Fine, None),
        ];
        assert!(ranks.is_sorted(), "{ranks:?}");
        assert!(ranks[0] < ranks[1] && ranks[1] < ranks[2]);
    }

    #[test]
    fn a_row_has_the_class_of_its_health() {
        let pod = |health| read(&["Name", "Ready", "Status"], &["a", "1/2", "Running"], health, 0);
        for (class, expected) in [
            (HealthClass::Failing, Class::Bad),
            (HealthClass::NotReady, Class::Warn),
            (HealthClass::Changing, Class::Busy),
            (HealthClass::Unknown, Class::Idle),
            (HealthClass::Fine, Class::Ok),
        ] {
            assert_eq!(pod(health(class)), Some(expected), "{class:?}");
        }
        assert_eq!(pod(None), Some(Class::Ok), "no cell decides");
        let later = Health {
            then: vec![Later { class: HealthClass::Failing, at: 100 }],
            ..health(HealthClass::Changing).expect("some")
        };
        let at = |now| read(&["Name", "Status"], &["a", "Pending"], Some(later.clone()), now);
        assert_eq!((at(99), at(100)), (Some(Class::Busy), Some(Class::Bad)));
    }

    #[test]
    fn of_what_is_fine_the_word_says_whether_it_is_over() {
        for (columns, cells, expected) in [
            (&["Name", "Ready", "Status"][..], &["a", "0/1", "Completed"][..], Some(Class::Done)),
            (&["Name", "Status"], &["n", "Ready,SchedulingDisabled"], Some(Class::Ok)),
            (&["Name", "Phase"], &["a", "Dancing"], Some(Class::Idle)),
            (&["Name", "Ready"], &["a", "True"], Some(Class::Ok)),
            (&["Name", "Ready"], &["a", "0/0"], Some(Class::Idle)),
            (&["Name", "Desired", "Ready"], &["a", "0", "0"], Some(Class::Idle)),
            (&["Name", "Desired", "Ready"], &["a", "8", "8"], Some(Class::Ok)),
            (&["Last Seen", "Type", "Reason"], &["", "Normal", "Pulled"], Some(Class::Idle)),
            (&["Name", "Type"], &["a", "ClusterIP"], None),
        ] {
            assert_eq!(read(columns, cells, None, 0), expected, "{columns:?} {cells:?}");
        }
    }

    #[test]
    fn a_filter_reads_every_word_that_a_tally_shows() {
        for columns in [
            &["Name", "Ready", "Status"][..],
            &["Name", "Status"],
            &["Name", "Ready", "Up-to-date"],
            &["Last Seen", "Type", "Reason"],
        ] {
            let columns: Vec<Column> = columns.iter().map(|name| replica::testing::column(name)).collect();
            let columns = StatusColumns::of(&columns);
            for health in RowHealth::ALL.into_iter().filter(|health| columns.word(*health).is_some()) {
                let term = columns.term(health);
                assert!(!term.contains(' '), "{term}");
                assert_eq!(RowHealth::of_term(&term), Some(health), "{term}");
            }
        }
        for (old, health) in [("short", RowHealth::Short), ("on-its-way", RowHealth::Changing)] {
            assert_eq!(RowHealth::of_term(old), Some(health), "an older link");
        }
        assert_eq!(RowHealth::of_term("good"), None);
    }
}

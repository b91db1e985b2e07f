//! How a row stands: failing, short of what it should be, changing, or fine, read from its printed cells.
//! A word that isn't in the table of words gets the ring, never a guess from its sound. Never a colour:
//! classes are the page's to paint.

mod health;
mod tally;
mod words;

use shared::cell::Cell;
use shared::column::Column;
use shared::row::Row;

pub use tally::Tally;

use crate::messages;

/// Each class has its shape before the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    Idle,
    /// Broken ring: terminating, or unknown to Kubernetes.
    Unknown,
}

impl Class {
    /// In the order of their declaration.
    pub const ALL: [Self; 7] =
        [Self::Ok, Self::Busy, Self::Warn, Self::Bad, Self::Done, Self::Idle, Self::Unknown];

    /// The key `n` goes to these rows, and the minimap draws them with long bars.
    pub fn is_trouble(self) -> bool {
        matches!(self, Self::Bad | Self::Warn)
    }

    #[must_use]
    pub fn health(self) -> RowHealth {
        match self {
            Self::Bad => RowHealth::Failing,
            Self::Warn => RowHealth::Short,
            Self::Busy | Self::Unknown => RowHealth::Changing,
            Self::Ok | Self::Done | Self::Idle => RowHealth::Fine,
        }
    }
}

/// The four states that rows of every kind are counted, filtered and ordered by, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowHealth {
    Failing,
    Short,
    /// It comes or goes, or another version of it comes.
    Changing,
    Fine,
}

impl RowHealth {
    pub const ALL: [Self; 4] = [Self::Failing, Self::Short, Self::Changing, Self::Fine];

    /// From a filter: any of the words that a tally has for it, with `-` for a space, and those of older links.
    #[must_use]
    pub fn of_term(word: &str) -> Option<Self> {
        Some(match &*word.to_ascii_lowercase() {
            "failing" | "down" => Self::Failing,
            "not-ready" | "limited" | "short" | "warning" => Self::Short,
            "changing" | "on-its-way" => Self::Changing,
            "fine" | "ready" | "normal" => Self::Fine,
            _ => return None,
        })
    }

    /// The shape that stands for it.
    #[must_use]
    pub fn class(self) -> Class {
        match self {
            Self::Failing => Class::Bad,
            Self::Short => Class::Warn,
            Self::Changing => Class::Busy,
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

    /// The class of a word in the column with the shapes.
    pub fn class_of(&self, word: &str) -> Option<Class> {
        match self.status?.1 {
            Meaning::Words | Meaning::Event => Some(words::class(word)),
            // A custom resource may have any words under READY.
            Meaning::Condition => words::condition(word),
        }
    }

    /// The word of a row and its class; `None` where the table has no status.
    pub fn read<'a>(&self, row: &'a Row) -> Option<(&'a str, Class)> {
        let (index, meaning) = self.status?;
        let cell = row.cells.get(index)?;
        if meaning == Meaning::Condition
            && let Some(class) = self.replicas(cell, row)
        {
            let word = match cell {
                Cell::Text(word) => &**word,
                _ if class == Class::Idle => messages::SCALED_TO_ZERO,
                _ => health::of_replicas(class.health()),
            };
            return Some((word, class));
        }
        let word = match cell {
            Cell::Text(word) => &**word,
            Cell::Bool(true) => "True",
            Cell::Bool(false) => "False",
            _ => return None,
        };
        let class = self.class_of(word)?;
        let short = self.ready.and_then(|ready| row.cells.get(ready)).is_some_and(is_short);
        Some((word, if class == Class::Ok && short { Class::Warn } else { class }))
    }

    /// How many are ready against how many are wanted: `1/2`, or the columns DESIRED and READY. A rollout that
    /// goes on is changing even where all are ready.
    fn replicas(&self, ready: &Cell, row: &Row) -> Option<Class> {
        let number = |at: Option<usize>| count(row.cells.get(at?)?);
        let (ready, wanted) = match ratio(ready) {
            Some(ratio) => ratio,
            None => (count(ready)?, number(self.desired)?),
        };
        let is_rolling_out = number(self.up_to_date).is_some_and(|updated| updated < wanted);
        Some(match (ready, wanted) {
            (_, 0) => Class::Idle,
            (0, _) => Class::Bad,
            _ if is_rolling_out => Class::Busy,
            (ready, wanted) if ready < wanted => Class::Warn,
            _ => Class::Ok,
        })
    }
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
    use super::*;

    fn read(columns: &[&str], cells: &[&str], wide: &str) -> Option<Class> {
        let mut columns: Vec<Column> = columns.iter().map(|name| replica::testing::column(name)).collect();
        for column in columns.iter_mut().filter(|column| &*column.name == wide) {
            column.priority = 1;
        }
        let cell = |text: &&str| text.parse().map_or_else(|_| Cell::text(text), Cell::Int);
        let mut row = replica::testing::row(0, "a/b", &[]);
        row.cells = cells.iter().map(cell).collect();
        StatusColumns::of(&columns).read(&row).map(|(_, class)| class)
    }

    #[test]
    fn a_row_has_the_class_of_its_word_or_of_its_counts() {
        const DEPLOYMENT: [&str; 4] = ["Name", "Ready", "Up-to-date", "Available"];
        const DAEMON_SET: [&str; 5] = ["Name", "Desired", "Current", "Ready", "Up-to-date"];
        for (columns, cells, expected) in [
            (&["Name", "Ready", "Status"][..], &["a", "1/1", "Running"][..], Some(Class::Ok)),
            (&["Name", "Ready", "Status"], &["a", "1/2", "Running"], Some(Class::Warn)),
            (&["Name", "Ready", "Status"], &["a", "0/1", "Completed"], Some(Class::Done)),
            (&["Name", "Ready", "Status"], &["a", "0/1", "Init:CrashLoopBackOff"], Some(Class::Bad)),
            (&["Name", "Ready", "Status"], &["a", "0/2", "Init:1/2"], Some(Class::Busy)),
            (&["Name", "Status"], &["n", "Ready,SchedulingDisabled"], Some(Class::Warn)),
            (&["Name", "Status"], &["n", "NotReady"], Some(Class::Bad)),
            (&["Name", "Phase"], &["a", "Dancing"], Some(Class::Idle)),
            (&["Name", "Ready"], &["a", "True"], Some(Class::Ok)),
            (&["Name", "Synced"], &["a", "False"], Some(Class::Bad)),
            (&["Name", "Ready"], &["a", "2/3"], Some(Class::Warn)),
            (&["Name", "Ready"], &["a", "soon"], None),
            (&["Last Seen", "Type", "Reason"], &["", "Warning", "BackOff"], Some(Class::Warn)),
            (&["Last Seen", "Type", "Reason"], &["", "Normal", "Pulled"], Some(Class::Idle)),
            (&["Name", "Type"], &["a", "ClusterIP"], None),
            (&DEPLOYMENT, &["a", "2/2", "2", "2"], Some(Class::Ok)),
            (&DEPLOYMENT, &["a", "2/2", "1", "2"], Some(Class::Busy)),
            (&DEPLOYMENT, &["a", "1/2", "2", "1"], Some(Class::Warn)),
            (&DEPLOYMENT, &["a", "0/2", "2", "0"], Some(Class::Bad)),
            (&DEPLOYMENT, &["a", "0/0", "0", "0"], Some(Class::Idle)),
            (&DAEMON_SET, &["a", "8", "8", "7", "8"], Some(Class::Warn)),
            (&DAEMON_SET, &["a", "8", "8", "8", "8"], Some(Class::Ok)),
            (&["Name", "Desired", "Current", "Ready"], &["a", "1", "1", "0"], Some(Class::Bad)),
            (&["Name", "Desired", "Current", "Ready"], &["a", "0", "0", "0"], Some(Class::Idle)),
        ] {
            assert_eq!(read(columns, cells, ""), expected, "{columns:?} {cells:?}");
        }
        // cert-manager's Certificate: its STATUS is a sentence, and wide.
        let certificate = ["Name", "Ready", "Secret", "Status"];
        let cells = ["a", "False", "a-tls", "Issuing certificate as Secret does not exist"];
        assert_eq!(read(&certificate, &cells, "Status"), Some(Class::Bad));
        assert_eq!(read(&["Name", "Status"], &["a", "Failed"], "Status"), Some(Class::Bad));
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

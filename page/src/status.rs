//! Status words and their classes. A word that isn't in the table is [`Class::Idle`]; its class is never guessed.
//! Never a colour: the style sheet has those.

mod tally;
mod words;

use shared::cell::Cell;
use shared::column::Column;
use shared::row::Row;

pub use tally::{Count, Tally};

/// Each class has its shape before the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Disc.
    Ok,
    /// Half disc: on its way.
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
    /// The key `n` goes to these rows, and the minimap draws them with long bars.
    pub fn is_trouble(self) -> bool {
        matches!(self, Self::Bad | Self::Warn)
    }
}

/// The columns of a table with a status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusColumns {
    status: Option<(usize, Meaning)>,
    ready: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// Kubernetes' own words.
    Words,
    /// `True` is good.
    Condition,
}

impl StatusColumns {
    pub fn of(columns: &[Column]) -> Self {
        let named = |names: &[&str]| {
            columns.iter().position(|column| names.iter().any(|name| column.name.eq_ignore_ascii_case(name)))
        };
        // The status of an Event is its type. Only Events have a column REASON beside TYPE.
        let event = named(&["reason"]).and_then(|_| named(&["type"]));
        let words = named(&["status"]).or_else(|| named(&["phase"])).or(event);
        let condition = words.is_none().then(|| named(&words::CONDITIONS)).flatten();
        Self {
            status: words
                .map(|index| (index, Meaning::Words))
                .or(condition.map(|index| (index, Meaning::Condition))),
            ready: named(&["ready"]),
        }
    }

    /// The column with the shapes.
    pub fn status(&self) -> Option<usize> {
        self.status.map(|(index, _)| index)
    }

    pub fn ready(&self) -> Option<usize> {
        self.ready
    }

    /// The word of a row and its class; `None` where the table has no status.
    pub fn read<'a>(&self, row: &'a Row) -> Option<(&'a str, Class)> {
        let (index, meaning) = self.status?;
        let word = match row.cells.get(index)? {
            Cell::Text(word) => &**word,
            Cell::Bool(true) => "True",
            Cell::Bool(false) => "False",
            _ => return None,
        };
        let class = match meaning {
            Meaning::Words => words::class(word),
            // The READY of a custom resource may be any text: `3/3` is no condition.
            Meaning::Condition => words::condition(word)?,
        };
        let short = self.ready.and_then(|ready| row.cells.get(ready)).is_some_and(is_short);
        Some((word, if class == Class::Ok && short { Class::Warn } else { class }))
    }
}

/// READY below its total: `1/2`. Bold.
pub fn is_short(ready: &Cell) -> bool {
    ratio(ready).is_some_and(|(part, whole)| part < whole)
}

/// `3/5`.
pub fn is_ratio(cell: &Cell) -> bool {
    ratio(cell).is_some()
}

fn ratio(cell: &Cell) -> Option<(u64, u64)> {
    let Cell::Text(text) = cell else { return None };
    let (part, whole) = text.split_once('/')?;
    Some((part.parse().ok()?, whole.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(columns: &[&str], cells: &[&str]) -> Option<Class> {
        let columns: Vec<Column> = columns.iter().map(|name| replica::testing::column(name)).collect();
        let row = replica::testing::row(0, "a/b", cells);
        StatusColumns::of(&columns).read(&row).map(|(_, class)| class)
    }

    #[test]
    fn a_row_has_the_class_of_its_word() {
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
            (&["Name", "Ready"], &["a", "2/3"], None),
            (&["Last Seen", "Type", "Reason"], &["", "Warning", "BackOff"], Some(Class::Warn)),
            (&["Name", "Type"], &["a", "ClusterIP"], None),
        ] {
            assert_eq!(class(columns, cells), expected, "{cells:?}");
        }
    }
}

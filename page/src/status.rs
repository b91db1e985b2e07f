//! Status words and what they mean: the one table. A word that isn't in it gets the ring, never a
//! guess from its sound. Never a colour: classes are the page's to paint.

mod tally;
mod words;

use shared::cell::Cell;
use shared::column::Column;
use shared::row::Row;

pub use tally::{Count, Tally};

/// The shape before the word.
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
    /// Ring: nothing to say.
    Idle,
    /// Broken ring: going, or not known.
    Unknown,
}

impl Class {
    /// What `n` goes to and the minimap draws long.
    #[must_use]
    pub fn is_trouble(self) -> bool {
        matches!(self, Self::Bad | Self::Warn)
    }
}

/// Which columns of a table speak of status; found once per table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusColumns {
    status: Option<(usize, Meaning)>,
    ready: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// Words of Kubernetes' own.
    Words,
    /// True is good.
    Condition,
}

impl StatusColumns {
    #[must_use]
    pub fn of(columns: &[Column]) -> Self {
        let named = |names: &[&str]| {
            columns.iter().position(|column| names.iter().any(|name| column.name.eq_ignore_ascii_case(name)))
        };
        // Events have no status: their type is one, and only they have a reason beside it.
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

    /// The column that bears the shape.
    #[must_use]
    pub fn status(&self) -> Option<usize> {
        self.status.map(|(index, _)| index)
    }

    #[must_use]
    pub fn ready(&self) -> Option<usize> {
        self.ready
    }

    /// The word of a row and its class; `None` where the table has no status.
    #[must_use]
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
            // A custom resource may have any words under READY: `3/3` is no condition.
            Meaning::Condition => words::condition(word)?,
        };
        let short = self.ready.and_then(|ready| row.cells.get(ready)).is_some_and(is_short);
        Some((word, if class == Class::Ok && short { Class::Warn } else { class }))
    }
}

/// READY below its total: `1/2`. Bold.
#[must_use]
pub fn is_short(ready: &Cell) -> bool {
    ratio(ready).is_some_and(|(part, whole)| part < whole)
}

/// `3/5`.
#[must_use]
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
    use shared::row::RowId;

    use super::*;

    fn class(columns: &[&str], cells: &[&str]) -> Option<Class> {
        let columns: Vec<Column> = columns.iter().map(|name| replica::testing::column(name)).collect();
        let row = Row {
            id: RowId::from_hash(0),
            resource_version: "1".into(),
            namespace: None,
            name: "a".into(),
            created: None,
            cells: cells.iter().map(|text| Cell::text(text)).collect(),
            extra: None,
        };
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

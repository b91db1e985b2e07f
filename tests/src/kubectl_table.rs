//! Reads what `kubectl get` prints and compares two such tables cell for cell, in order; relative
//! times as durations, for two commands never run in the same second.

use std::fmt;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// The columns whose cells may hold a time: ages, and dates of custom resources by these names.
const TIME_COLUMNS: [&str; 11] = [
    "AGE",
    "LAST SEEN",
    "FIRST SEEN",
    "LAST SCHEDULE",
    "DURATION",
    "RESTARTS",
    "EXPIRES",
    "ISSUED",
    "RENEWED",
    "CREATED AT",
    "COMPLETIONS",
];
/// Between two commands on a loaded machine, and what a coarser unit hides (`4h9m` is whole minutes).
const SECONDS_APART_MAX: i64 = 20;

impl Table {
    /// kubectl pads every column to one width, so a column begins where its title begins.
    pub fn parse(text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let header = lines.next().unwrap_or_default();
        let starts = title_starts(header);
        Self { columns: cut(header, &starts), rows: lines.map(|line| cut(line, &starts)).collect() }
    }

    /// As kubectl prints it without `-A`: the first column is the namespace.
    pub fn without_first_column(mut self) -> Self {
        std::iter::once(&mut self.columns).chain(&mut self.rows).for_each(|row| drop(row.remove(0)));
        self
    }

    pub fn compare(&self, other: &Self) -> Result<(), Differences> {
        let mut found = Vec::new();
        if self.columns != other.columns {
            found.push(format!("columns: {:?} and {:?}", self.columns, other.columns));
        }
        if self.rows.len() != other.rows.len() {
            found.push(format!("{} rows and {}", self.rows.len(), other.rows.len()));
        }
        for (number, (ours, theirs)) in self.rows.iter().zip(&other.rows).enumerate() {
            for (place, (a, b)) in ours.iter().zip(theirs).enumerate() {
                let column = self.columns.get(place).map_or("", String::as_str);
                if !same_cell(column, a, b) {
                    found.push(format!("row {number}, {column}: {a:?} and {b:?}"));
                }
            }
            if ours.len() != theirs.len() {
                found.push(format!("row {number}: {ours:?} and {theirs:?}"));
            }
        }
        if found.is_empty() { Ok(()) } else { Err(Differences(found)) }
    }
}

#[derive(Debug)]
pub struct Differences(Vec<String>);

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// Titles may hold single spaces (`NOMINATED NODE`); kubectl puts three between columns.
fn title_starts(header: &str) -> Vec<usize> {
    let characters: Vec<char> = header.chars().collect();
    (0..characters.len())
        .filter(|&place| {
            let blank_before = |distance: usize| {
                place < distance || characters.get(place - distance).is_none_or(|c| *c == ' ')
            };
            characters.get(place).is_some_and(|c| *c != ' ') && blank_before(1) && blank_before(2)
        })
        .collect()
}

fn cut(line: &str, starts: &[usize]) -> Vec<String> {
    let characters: Vec<char> = line.chars().collect();
    let end_of = |index: usize| starts.get(index + 1).copied().unwrap_or(usize::MAX).min(characters.len());
    starts
        .iter()
        .enumerate()
        .map(|(index, &start)| {
            let cell: String = characters.get(start..end_of(index)).unwrap_or_default().iter().collect();
            cell.trim_end().to_owned()
        })
        .collect()
}

fn same_cell(column: &str, a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if !TIME_COLUMNS.contains(&column) {
        return false;
    }
    // `3 (5m ago)`: the words equal, the times near.
    let (words_a, words_b): (Vec<&str>, Vec<&str>) = (words(a), words(b));
    words_a.len() == words_b.len() && words_a.iter().zip(words_b).all(|(a, b)| *a == b || near(a, b))
}

fn words(cell: &str) -> Vec<&str> {
    cell.split([' ', '(', ')']).filter(|word| !word.is_empty()).collect()
}

fn near(a: &str, b: &str) -> bool {
    match (seconds(a), seconds(b)) {
        (Some((a, unit_a)), Some((b, unit_b))) => (a - b).abs() <= SECONDS_APART_MAX.max(unit_a).max(unit_b),
        _ => false,
    }
}

/// A duration and the smallest unit it was printed with.
fn seconds(text: &str) -> Option<(i64, i64)> {
    let (mut total, mut smallest, mut digits) = (0, 0, String::new());
    for character in text.chars() {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        smallest = match character {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'y' => 365 * 86_400,
            _ => return None,
        };
        total += digits.parse::<i64>().ok()? * smallest;
        digits.clear();
    }
    (digits.is_empty() && smallest > 0).then_some((total, smallest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
NAMESPACE   NAME     READY   RESTARTS      AGE   NOMINATED NODE   READINESS GATES
a-b         x        1/1     3 (5m ago)    95m   <none>           <none>
a           y-long   0/1     0             4s                     <none>
";

    #[test]
    fn a_printed_table_is_read_by_the_places_of_its_titles() {
        let table = Table::parse(PRINTED);
        assert_eq!(
            table.columns,
            ["NAMESPACE", "NAME", "READY", "RESTARTS", "AGE", "NOMINATED NODE", "READINESS GATES"]
        );
        assert_eq!(table.rows[1], ["a", "y-long", "0/1", "0", "4s", "", "<none>"]);
    }

    #[test]
    fn times_a_few_seconds_apart_are_equal_and_nothing_else_is() {
        for (column, a, b, expected) in [
            ("AGE", "4s", "9s", true),
            ("AGE", "119s", "2m2s", true),
            ("AGE", "4s", "40s", false),
            ("AGE", "3h59m", "4h", true),
            ("RESTARTS", "3 (5m ago)", "3 (5m4s ago)", true),
            ("RESTARTS", "3 (5m ago)", "4 (5m ago)", false),
            ("AGE", "<unknown>", "4s", false),
            ("READY", "4s", "5s", false),
        ] {
            assert_eq!(same_cell(column, a, b), expected, "{column}: {a} {b}");
        }
    }

    #[test]
    fn rows_in_another_order_differ() {
        let table = Table::parse(PRINTED);
        let mut other = table.clone();
        other.rows.reverse();
        assert!(table.compare(&other).is_err());
        assert!(table.compare(&table).is_ok());
    }
}

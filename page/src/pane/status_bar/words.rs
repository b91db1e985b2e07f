//! What the status bar of a view says.

use crate::messages::{bytes, count};

/// The bars in the status bar, for a screen reader.
pub fn changes_of_a_minute(now: &str) -> String {
    format!("Changes per second over the last minute, now {now}")
}

/// After a number that stands in strong letters.
pub fn changes_unit(number: &str) -> &'static str {
    if number == "1" { "change/s" } else { "changes/s" }
}

pub fn rows_of(shown: usize, all: usize) -> (String, String) {
    match all {
        0 => (String::new(), "no rows".to_owned()),
        1 if shown == 1 => ("1".to_owned(), " row".to_owned()),
        all if shown == all => (count(all), " rows".to_owned()),
        all => (count(shown), format!(" of {} rows", count(all))),
    }
}

/// While the first list comes: `60 of 4,200 so far`.
pub fn rows_so_far(here: usize, n: u64) -> (String, String) {
    (count(here), format!(" of {} so far", count(n)))
}

/// `rows 1–25`: the first and the last that are seen, counted from 1.
pub fn rows_seen(first: usize, last: usize) -> String {
    format!("rows {}–{}", count(first), count(last))
}

pub fn no_change_since(clock: &str) -> String {
    format!("no change since {clock}")
}

pub fn received(per_second: u64) -> String {
    format!(" received, {}/s", bytes(per_second))
}

/// `rows in shop and ledger, which you may see`, after the number of `rows`.
pub fn rows_that_you_may_see(rows: &str, namespaces: &[&str]) -> String {
    match namespaces {
        [one] => format!("{rows} in {one}, which you may see"),
        [first, last] => format!("{rows} in {first} and {last}, which you may see"),
        many => format!("{rows} in the {} namespaces that you may see", many.len()),
    }
}

/// In the status bar: `1 selected`, `3 selected, 2 hidden by the filter`.
/// Empty: none do.
pub fn linked(all: usize, name: &str) -> String {
    match all {
        0 => String::new(),
        1 => format!("1 belongs to {name}"),
        more => format!("{} belong to {name}", count(more)),
    }
}

pub fn selected(all: usize, hidden: usize) -> String {
    match (all, hidden) {
        (0, _) => String::new(),
        (all, 0) => format!("{} selected", count(all)),
        (all, hidden) if all == hidden => format!("{} selected, hidden by the filter", count(all)),
        (all, hidden) => format!("{} selected, {} hidden by the filter", count(all), count(hidden)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_tells_what_of_it_is_not_seen() {
        assert_eq!(selected(0, 0), "");
        assert_eq!(selected(1, 1), "1 selected, hidden by the filter");
        assert_eq!(selected(3, 1), "3 selected, 1 hidden by the filter");
    }
}

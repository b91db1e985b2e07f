//! Filters, selectors, and the switch for wide columns.

use crate::theme::WideColumns;

pub fn filter_too_long() -> String {
    format!("the filter is longer than {} bytes; the rest isn't applied", crate::limits::QUERY_BYTES_MAX)
}

pub fn filter_nothing_after_not() -> String {
    "! needs a word".to_owned()
}

/// In the empty box: `Filter: word, !word, restarts>5, age<2h, status!=Running`.
pub fn filter_hint(examples: &[String]) -> String {
    let examples: String = examples.iter().map(|example| format!(", {example}")).collect();
    format!("Filter: word, !word{examples}")
}

pub const FILTER_ROWS: &str = "Filter rows";

pub fn filter_unread(term: &str, why: &str) -> String {
    let is_named = why.starts_with(term) || why.starts_with("no column");
    if is_named { why.to_owned() } else { format!("{term}: {why}") }
}

pub fn filter_nothing_after(column: &str, operator: &str) -> String {
    format!("{column}{operator} needs a value")
}

pub fn filter_no_column_before(operator: &str) -> String {
    format!("{operator} needs a column before it")
}

/// `near`: a column with a similar name.
pub fn filter_no_column(column: &str, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("no column \"{column}\". Did you mean {near}?"),
        None => format!("no column \"{column}\". A label? Use Labels (g l)"),
    }
}

pub fn filter_no_number(column: &str, value: &str) -> String {
    format!("{column} needs a number, not \"{value}\"")
}

pub fn filter_regex_open() -> String {
    "the regex has no closing /".to_owned()
}

pub fn filter_regex(why: &str) -> String {
    format!("not a regex: {why}")
}

// What may be typed next

pub const COMPLETION_COLUMNS: &str = "Columns";
pub const COMPLETION_LABELS: &str = "Labels in this view";
pub const COMPLETION_FIELDS: &str = "Selectable fields";

pub fn completion_values(column: &str) -> String {
    format!("Values of {column} in this view")
}

/// If only some of the rows were counted.
pub fn completion_counted(rows: usize, of: usize) -> String {
    format!("from {} of {} rows", super::count(rows), super::count(of))
}

pub fn completion_rows(rows: usize) -> String {
    super::counted(rows, "row", "rows")
}

/// What an operator of the filter compares.
pub fn operator(sign: &str) -> &'static str {
    match sign {
        "=" => "is",
        "!=" => "is not",
        "<" => "is less than",
        "<=" => "is at most",
        ">" => "is more than",
        ">=" => "is at least",
        "~" => "matches the regex",
        _ => "doesn't match the regex",
    }
}

// Columns

pub const COLUMNS: &str = "Columns";
pub const WIDE_COLUMNS: &str = "Wide columns";

/// On the switch, and what it does.
pub fn wide_columns(wide: WideColumns) -> (&'static str, &'static str) {
    match wide {
        WideColumns::Auto => ("Auto", "Wide columns where there is room for them (w)"),
        WideColumns::Narrow => ("Narrow", "No wide columns (w)"),
        WideColumns::Wide => ("Wide", "All wide columns, as with kubectl -o wide (w)"),
    }
}

// The menu of a narrow view

pub const MORE: &str = "More";
pub const EDIT_LABELS: &str = "Select by labels";
pub const EDIT_FIELDS: &str = "Select by fields";
pub const KEYS_AND_HELP: &str = "Keys and help";

pub fn sort_by(column: &str) -> String {
    format!("Sort by {column}")
}

// Selectors

pub const SELECTOR_CANCEL: &str = "Cancel";
/// What a link's label selector should look like.
pub const SELECTOR_EXPECTED: &str = "expected a label selector such as app=web or app in (a, b)";
pub const SELECTOR_LABELS: &str = "labels";
pub const SELECTOR_FIELDS: &str = "fields";
pub const SELECTOR_LABELS_ADD: &str = "Labels";
pub const SELECTOR_FIELDS_ADD: &str = "Fields";

/// For a screen reader, on a button and on a box.
pub fn selector_by(what: &str) -> String {
    format!("Selector by {what}")
}

pub fn selector_remove(what: &str) -> String {
    format!("Remove the selector by {what}")
}

pub const SELECTOR_LABELS_WHERE: &str = "evaluated by the gateway";
pub const SELECTOR_FIELDS_WHERE: &str = "evaluated by the API server, names by the gateway";

/// `part`: the part of the selector that can't be read; it may be empty.
pub fn selector_unread(why: &str, part: &str) -> String {
    let part = part.trim();
    if part.is_empty() { super::sentence(why) } else { format!("{part}: {}", super::sentence(why)) }
}

pub fn filter_no_duration(column: &str, value: &str) -> String {
    format!("{column} needs a duration such as 30s, 5m or 2d, not \"{value}\"")
}

pub fn filter_no_quantity(column: &str, value: &str) -> String {
    format!("{column} needs a quantity such as 100m, 0.5 or 64Mi, not \"{value}\"")
}

pub fn filter_health(words: &[String]) -> String {
    format!("health is = or != one of {}", words.join(", "))
}

/// Beside the suggestion `health=`.
pub const FILTER_HEALTH: &str = "How rows stand, as the counts above them say";

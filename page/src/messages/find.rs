//! Filters, selectors and the choice of columns.

pub fn filter_too_long() -> String {
    format!("the filter is longer than {} bytes; the rest isn't applied", crate::limits::QUERY_BYTES_MAX)
}

pub fn filter_nothing_after_not() -> String {
    "nothing follows !".to_owned()
}

pub const FILTER_HINT: &str = "Filter: cart, !test, restarts>5, age<2h, status!=Running";

pub fn filter_unread(term: &str, why: &str) -> String {
    format!("{term} isn't applied: {why}")
}

pub fn filter_nothing_after(operator: &str) -> String {
    format!("nothing follows {operator}")
}

pub fn filter_no_column_before(operator: &str) -> String {
    format!("no column stands before {operator}")
}

/// `near`: a column with a similar name.
pub fn filter_no_column(column: &str, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("no column {column}; {near}?"),
        None => format!("no column {column}"),
    }
}

pub fn filter_no_number(column: &str, value: &str) -> String {
    format!("{column} is compared with a number, and {value} is none")
}

pub fn filter_regex_open() -> String {
    "the regex has no closing /".to_owned()
}

pub fn filter_regex(why: &str) -> String {
    format!("not a regex: {why}")
}

// What may be typed next

pub const COMPLETION_COLUMNS: &str = "Columns";
pub const COMPLETION_LABELS: &str = "Labels seen in this view";
pub const COMPLETION_FIELDS: &str = "Fields that the API server selects by";

pub fn completion_values(column: &str) -> String {
    format!("Values of {column} in this view")
}

/// If only some of the rows were counted.
pub fn completion_counted(rows: usize, of: usize) -> String {
    format!("counted in {} of {} rows", super::count(rows), super::count(of))
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
pub const COLUMNS_WIDE: &str = "Wide";
pub const COLUMNS_POLLED: &str = "Polled";
pub const COLUMNS_ALWAYS: &str = "always";
pub const COLUMNS_ADD: &str = "Add a column by JSONPath";
pub const COLUMNS_ADD_HINT: &str = "IMAGE:.spec.containers[*].image";
pub const COLUMNS_RESET: &str = "Back to the server's columns";
pub const COLUMNS_FORGET: &str = "Remove";

/// On the button: `5/9` while some are hidden.
pub fn columns_shown(shown: usize, all: usize) -> String {
    format!("{shown}/{all}")
}

pub fn columns_twice(name: &str) -> String {
    format!("there is a column {name} already")
}

pub fn columns_too_many(max: usize) -> String {
    format!("more than {max} columns")
}

pub fn columns_expected() -> String {
    format!("NAME:PATH is expected, such as {COLUMNS_ADD_HINT}")
}

// Selectors

pub const SELECTOR_ADD: &str = "Selector";
pub const SELECTOR_LABELS: &str = "labels";
pub const SELECTOR_FIELDS: &str = "fields";
pub const SELECTOR_LABELS_WHERE: &str = "evaluated by the gateway";
pub const SELECTOR_FIELDS_WHERE: &str = "evaluated by the API server";

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

pub fn filter_health() -> String {
    "health is = or != one of failing, short, on-its-way, fine".to_owned()
}

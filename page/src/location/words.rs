//! What is said of a link that can't be read.

use std::ops::RangeInclusive;

use shared::problem::Problem;

use crate::messages::location_unread;

pub fn location_no_resource(resource: &str) -> String {
    format!("{resource:?} is not valid as a resource: letters, digits, '-' and '.' are allowed")
}

pub fn location_unknown_page(path: &str) -> String {
    format!("{path} (no such page)")
}

/// In the address of what is wrong.
pub fn location_of_all_kinds(resource: &str) -> String {
    format!("{resource} (what is wrong is of all kinds: @cluster and namespaces are expected)")
}

pub const NO_SUCH_PART: &str = "unknown";

pub fn location_part_unknown(part: &str, value: &str) -> Problem {
    Problem::bad_request(location_unread(part, value, NO_SUCH_PART))
}

pub fn location_size(part: &str, value: &str, range: &RangeInclusive<u8>) -> Problem {
    let why = format!("a number from {} to {}", range.start(), range.end());
    Problem::bad_request(location_unread(part, value, &why))
}

pub fn board_too_large(panes_max: usize) -> Problem {
    Problem::bad_request(format!("all views after the first {panes_max} (a board has room for {panes_max})"))
}

pub fn namespaces_too_many(max: usize) -> String {
    format!("all namespaces after the first {max} (a link has room for {max})")
}

pub const TIME_OR_NOW_EXPECTED: &str = "now or a time such as 2026-11-29T14:02:10Z is expected";
pub const AT_EXPECTED: &str = "it is compared with the time of at=, which is missing";
pub const TIME_EXPECTED: &str = "a time such as 2026-11-29T14:02:10Z is expected";

pub fn location_time(value: &str) -> Problem {
    Problem::bad_request(location_unread("at", value, TIME_EXPECTED))
}

pub fn location_compared(value: &str) -> Problem {
    Problem::bad_request(location_unread("vs", value, TIME_OR_NOW_EXPECTED))
}

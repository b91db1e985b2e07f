//! What the sheet of keys says around its keys.

use crate::status::Class;

pub const GUIDE: &str = "Read the guide";
pub const GUIDE_URL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/GUIDE.md");
pub const CLOSE_HELP: &str = "Close help";
pub const HELP: &str = "Keys and signs";
pub const KEYS_FOOT: &str =
    "Single-letter keys work while the table or panel is focused. Add keys=off to the link to disable them.";

pub const LEGEND_ROWS: &str = "Signs of a row";
/// Beside the signs of the gutter.
pub const LEGEND_SIGNS: [(&str, &str); 4] = [
    ("+", "added in the last 10 s, or behind a pause that just ended"),
    ("~", "changed; the cell has a mark in its corner"),
    ("−", "deleted"),
    ("≠", "no longer matches the filter; stays while it is focused or open"),
];
pub const LEGEND_STATUS: &str = "Status";
pub const LEGEND_MINIMAP: &str = "Minimap, at the right edge";
pub const LEGEND_MINIMAP_TROUBLE: &str = "failing or not ready";
pub const LEGEND_MINIMAP_CHANGED: &str = "changed in the last minute";
pub const LEGEND_MINIMAP_WINDOW: &str = "the rows on the screen";

/// What the shape before a status means.
pub fn legend_status(class: Class) -> &'static str {
    match class {
        Class::Ok => "fine",
        Class::Busy => "starting or changing",
        Class::Warn => "works, but not fully ready",
        Class::Bad => "failing",
        Class::Done => "completed",
        Class::Idle => "no known status",
        Class::Unknown => "terminating or unknown",
    }
}

//! What "go to" and the keys say beside others, and the sheet of keys.

use crate::status::Class;
use crate::tab::{KeyLine, Tab};

pub const GO_TO: &str = "Go to kind, object or view";
pub const NOTHING_FOUND: &str = "No kind, namespace, action or object in an open view has this name.";
/// A key needs a row, and none has the focus.
pub const NO_ROW_FOCUSED: &str = "Choose a row first: click it, or press j.";
/// A key or button can do nothing over the view as it is.
pub const NO_ROWS_FOR_IT: &str = "Nothing to do here: this view has no rows now.";
pub const KINDS: &str = "Kinds";
pub const NAMESPACES: &str = "Namespaces";
pub const ACTION_EXPORT: &str = "Export: link, kubectl command, file, HTML";
pub const ACTION_SPLIT: &str = "Split: add a view beside this one";
pub const GUIDE: &str = "Read the guide";
pub const GUIDE_URL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/GUIDE.md");
pub const CLOSE_HELP: &str = "Close help";
pub const HELP: &str = "Keys and signs";
pub const KEYS_FOOT: &str =
    "Single-letter keys work while the table or panel is focused. Add keys=off to the link to disable them.";

pub const LEGEND_ROWS: &str = "Signs of a row";
/// Beside the signs of the gutter.
pub const LEGEND_SIGNS: [(&str, &str); 4] = [
    ("+", "added in the last 10 s"),
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

/// A link in the panel led to an object in another namespace than those that the reader chose.
pub fn namespace_added(namespace: &str, object: &str) -> String {
    format!("{object} is in {namespace}, which was added to your namespaces.")
}

/// A column of the sheet: its title, then its lines.
pub type KeyGroup = (&'static str, Vec<KeyLine>);

pub fn key_groups() -> Vec<KeyGroup> {
    let tabs = Tab::ALL.into_iter().rev().filter_map(Tab::key);
    KEY_GROUPS
        .iter()
        .map(|(title, lines)| {
            let before = tabs.clone().filter(|_| *title == OBJECT);
            (*title, before.chain(lines.iter().copied()).collect())
        })
        .collect()
}

const OBJECT: &str = "Object";

/// Without the keys of the panel's tabs, which stand first among those of an object.
const KEY_GROUPS: &[(&str, &[KeyLine])] = &[
    (
        "Rows",
        &[
            (&["j", "k", "↓", "↑"], "next, previous"),
            (&["PgDn", "PgUp"], "a page"),
            (&["Home", "G"], "first, last"),
            (&["n", "N"], "next, previous failing row"),
            (&["←", "→"], "cells"),
            (&["Enter"], "open the panel"),
            (&["x", "X"], "select, select range"),
            (&["Esc"], "back"),
        ],
    ),
    (
        "View",
        &[
            (&["/"], "filter"),
            (&["Space"], "pause, resume"),
            (&["s"], "sort by the cell's column"),
            (&["r"], "re-sort"),
            (&["w"], "wide columns"),
            (&["c"], "columns"),
            (&["l"], "changes or table"),
            (&["K"], ACTION_EXPORT),
            (&["C"], "copy name or selected rows"),
            (&["L"], "copy link"),
            (&["b"], "split: add a view"),
        ],
    ),
    (
        OBJECT,
        &[
            (&["d"], "compare two versions"),
            (&["e"], "events"),
            (&["o"], "owners"),
            (&["j", "k"], "next, previous object"),
            (&["[", "]"], "panel width"),
        ],
    ),
    ("Page", &[(&[":", "Ctrl+K"], "go to"), (&["g k"], "kinds"), (&["?"], "this sheet")]),
    (
        "Board",
        &[
            (&["1…9"], "go to a view"),
            (&["m", "M"], "move the view on, back"),
            (&["<", ">"], "narrower, wider"),
            (&["-", "+"], "shorter, taller"),
        ],
    ),
];

//! What "go to" says, and the sheet of keys.

pub const GO_TO: &str = "Go to kind, object or view";
pub const PALETTE_HINT: &str = "A kind, a namespace, an object of an open view, an action";
pub const PALETTE_FOOT: &str = "Searched: kinds that are served, and the objects of the views that are open. Nothing is fetched for this.";
pub const NOTHING_FOUND: &str = "Nothing found.";
pub const KINDS: &str = "Kinds";
pub const NAMESPACES: &str = "Namespaces";
pub const OBJECTS: &str = "Objects in open views";
pub const ACTIONS: &str = "Actions";
pub const KEYS: &str = "Keys";
pub const KEYS_FOOT: &str =
    "Letters work while the table or panel has the focus. keys=off in the link switches them off.";

pub fn palette_in(namespace: &str) -> String {
    format!("in {namespace}")
}

/// A column of the sheet: title, then keys and what they do.
pub type KeyGroup = (&'static str, &'static [(&'static [&'static str], &'static str)]);

pub const KEY_GROUPS: &[KeyGroup] = &[
    (
        "Rows",
        &[
            (&["j", "k", "↓", "↑"], "next, previous"),
            (&["PgDn", "PgUp"], "a page"),
            (&["Home", "G"], "first, last"),
            (&["n", "N"], "next, previous in trouble"),
            (&["←", "→"], "cells"),
            (&["Enter"], "open the panel"),
            (&["x", "X"], "select; X for a range"),
            (&["Esc"], "one step back"),
        ],
    ),
    (
        "View",
        &[
            (&["/"], "filter"),
            (&["Space"], "pause, resume"),
            (&["s"], "sort by the cell's column"),
            (&["r"], "put moved rows in order"),
            (&["w"], "wide columns"),
            (&["c"], "columns"),
            (&["l"], "changes"),
            (&["K"], "kubectl, and as a file"),
            (&["C"], "copy name or selected rows"),
            (&["L"], "copy link"),
            (&["b"], "one more pane beside"),
        ],
    ),
    (
        "Object",
        &[
            (&["y"], "YAML"),
            (&["t"], "timeline"),
            (&["d"], "compare two versions"),
            (&["e"], "events"),
            (&["o"], "owners"),
            (&["j", "k"], "next, previous object"),
            (&["[", "]"], "panel width"),
        ],
    ),
    (
        "Page",
        &[
            (&[":", "Ctrl+K"], "go to"),
            (&["g k"], "kinds"),
            (&["1…9"], "panes of a board"),
            (&["?"], "this sheet"),
        ],
    ),
];

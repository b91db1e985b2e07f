//! The sheet of keys: which keys there are, by what they act on.

pub mod words;

use crate::messages;
use crate::tab::{KeyLine, Tab};

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
            (&["n", "N"], "next, previous failing or changing row"),
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
            (&["g l"], "filter by labels"),
            (&["Space"], "pause, resume"),
            (&["p"], "only what changed while paused"),
            (&["s"], "sort by the cell's column"),
            (&["r"], "re-sort; compare with now again"),
            (&["w"], "wide columns"),
            (&["c"], "columns"),
            (&["l"], "changes or table"),
            (&["h"], "earlier times, back to live"),
            (&[",", "."], "previous, next change"),
            (&["v"], "compare an earlier time with now"),
            (&["f"], "find a word in the past"),
            (&["!"], "tell me when: of a row, an object, a view"),
            (&["K"], messages::ACTION_EXPORT),
            (&["C"], "copy name or selected rows"),
            (&["L"], "copy link"),
            (&["b"], "split: add a view"),
            (&["B"], "close the view"),
        ],
    ),
    (
        OBJECT,
        &[
            (&["d"], "timeline; again: compare versions"),
            (&["e"], "events"),
            (&["o"], "owners"),
            (&["j", "k"], "next, previous object"),
            (&["[", "]"], "panel width"),
        ],
    ),
    (
        "Logs",
        &[
            (&["/"], "find in the log"),
            (&["n", "N"], "next, previous hit"),
            (&["Space"], "pause, resume"),
            (&["w"], "wrap long lines"),
            (&["a", "A"], "link to the line; again: to the next, previous"),
            (&["Home"], "first line"),
            (&["End", "G"], "newest line, follow"),
        ],
    ),
    (
        "Page",
        &[
            (&["0"], "what is wrong now, of all kinds"),
            (&[":", "Ctrl+K"], "go to"),
            (&["g k"], "kinds"),
            (&["g r"], "rollouts"),
            (&["g n"], "namespaces"),
            (&["g c"], "clusters"),
            (&["?"], "this sheet"),
        ],
    ),
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

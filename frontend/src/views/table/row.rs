//! A mounted row: a gutter that speaks a diff's language, then its cells.

use std::sync::Arc;

use leptos::html::{div, span};
use leptos::prelude::*;

use super::cell::cell;
use crate::live::model::{Mark, MountedRow, TableHead};

pub(super) fn row(row: MountedRow) -> impl IntoView {
    let MountedRow { number, id, place, top_px, mark, has_focus, is_reachable, is_selected, cells } = row;
    let class_mark = mark.clone();
    let class = move || match (class_mark.get() == Mark::Deleted, has_focus.get()) {
        (false, false) => "tr",
        (false, true) => "tr tr-focus",
        (true, false) => "tr tr-gone",
        (true, true) => "tr tr-gone tr-focus",
    };
    div()
        .class(class)
        .attr("role", "row")
        .attr("aria-selected", move || is_selected.get().to_string())
        .attr("data-row", move || id.get().map(|id| id.to_string()))
        .attr("data-number", number.to_string())
        // The header is the first.
        .attr("aria-rowindex", move || (place.get() + 2).to_string())
        .attr("tabindex", move || if is_reachable.get() { "0" } else { "-1" })
        .style(("top", move || format!("{}px", top_px.get())))
        .child((gutter(mark), cells.iter().map(|shown| cell(shown.clone())).collect::<Vec<_>>()))
}

fn gutter(mark: ArcRwSignal<Mark>) -> impl IntoView {
    let sign_mark = mark.clone();
    let class = move || match mark.get() {
        Mark::None => "td gutter",
        Mark::Added => "td gutter gutter-add",
        Mark::Modified => "td gutter gutter-mod",
        Mark::Deleted => "td gutter gutter-del",
    };
    let sign = move || {
        let (sign, word) = match sign_mark.get() {
            Mark::None => return None,
            Mark::Added => ("+", " added"),
            Mark::Modified => ("~", " modified"),
            Mark::Deleted => ("−", " deleted"),
        };
        Some((sign, span().class("sr").child(word)))
    };
    div().class(class).attr("role", "gridcell").child(sign)
}

/// A place that is reserved for a row that hasn't arrived: nothing in it moves.
pub(super) fn bones(table: RwSignal<Arc<TableHead>>) -> impl IntoView {
    let columns = table.with(|table| table.columns.len());
    // NAMESPACE is known before the server has named its own.
    let class = if columns < 2 { "tr tr-bones tr-bones-unnamed" } else { "tr tr-bones" };
    let bone = |at: usize| match at % 3 {
        0 => Some(span().class("bone bone-short")),
        1 => Some(span().class("bone")),
        _ => None,
    };
    let cells: Vec<_> = (0..columns.max(4)).map(|at| div().class("td").child(bone(at))).collect();
    div().class(class).attr("aria-hidden", "true").child((div().class("td"), cells))
}

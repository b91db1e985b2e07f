//! The header: the server's columns; a click sorts, a second one turns the order round.

use leptos::ev;
use leptos::html::{button, div, span};
use leptos::prelude::*;

use super::super::icons::icon;
use crate::live::action::PaneAction;
use crate::live::dispatch::Dispatch;
use crate::live::model::{HeadCell, SortMark};
use crate::live::signals::ViewSignals;

pub(super) fn head(signals: ViewSignals, act: Dispatch) -> impl IntoView {
    let cells = move || {
        let table = signals.table.get();
        table.columns.iter().map(|shown| cell(shown, table.moved, act)).collect::<Vec<_>>()
    };
    div().class("thead").attr("role", "rowgroup").child(
        div().class("tr").attr("role", "row").attr("aria-rowindex", "1").child((
            div().class("th").attr("role", "columnheader").child(span().class("sr").child("Change")),
            cells,
        )),
    )
}

fn cell(shown: &HeadCell, moved: usize, act: Dispatch) -> impl IntoView + use<> {
    let index = shown.index;
    let (order, sign) = match shown.sort {
        Some(SortMark::Ascending) => (Some("ascending"), Some("#i-up-sort")),
        Some(SortMark::Descending) => (Some("descending"), Some("#i-down-sort")),
        None => (None, None),
    };
    let title = (!shown.description.is_empty()).then(|| shown.description.clone());
    let sort = button()
        .class("th-btn")
        .on(ev::click, move |_| act.send(PaneAction::Sort(index)))
        .child((shown.title.clone(), sign.map(icon)));
    let moved_note = (shown.sort.is_some() && moved > 0).then(|| {
        button()
            .class("th-moved")
            .attr("aria-keyshortcuts", "r")
            .on(ev::click, move |_| act.send(PaneAction::Settle))
            .child(replica::text::moved(moved))
    });
    div()
        .class(if shown.at_end { "th th-end" } else { "th" })
        .attr("role", "columnheader")
        .attr("aria-sort", order)
        .attr("title", title)
        .child((sort, moved_note))
}

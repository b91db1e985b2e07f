//! The header: a click on a column sorts by it, a second click reverses the order.

use crate::dom::html::{button, div, span};
use crate::prelude::*;
use page::messages;
use tachys::html::event as ev;

use super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::signals::PaneSignals;
use page::action::{ColumnsAction, PaneAction};
use page::model::HeadCell;
use page::query::Direction;

pub(super) fn head(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let cells = move || {
        let table = signals.table.get();
        table.columns.iter().map(|shown| cell(shown, act)).collect::<Vec<_>>()
    };
    div().class("thead").attr("part", "head").attr("role", "rowgroup").child(
        div().class("tr").attr("role", "row").attr("aria-rowindex", "1").child((
            div()
                .class("th")
                .attr("role", "columnheader")
                .child(span().class("sr").child(messages::CHANGE_COLUMN)),
            cells,
        )),
    )
}

fn cell(shown: &HeadCell, act: Dispatch) -> impl IntoView + use<> {
    let index = shown.index;
    let (order, sign) = match shown.sort {
        Some(Direction::Ascending) => (Some("ascending"), Some("#i-up-sort")),
        Some(Direction::Descending) => (Some("descending"), Some("#i-down-sort")),
        None => (None, None),
    };
    let title =
        Some(shown.polled.as_ref().unwrap_or(&shown.description)).filter(|title| !title.is_empty()).cloned();
    let clock = shown.polled.as_ref().map(|_| icon("#i-clock"));
    let sort = button()
        .class("th-btn")
        .attr("aria-keyshortcuts", "Alt+ArrowLeft Alt+ArrowRight")
        .on(ev::click, move |_| act.send(PaneAction::Sort(index)))
        .on(ev::keydown, move |event| {
            let by = match dom::element::key(&event).as_str() {
                "ArrowLeft" => -WIDTH_STEP_PX,
                "ArrowRight" => WIDTH_STEP_PX,
                _ => return,
            };
            if event.alt_key()
                && let Some(width_px) = dom::element::width_around(&event, ".th")
            {
                event.prevent_default();
                act.send(PaneAction::Columns(ColumnsAction::Width {
                    column: index,
                    px: Some(width_px + by),
                }));
            }
        })
        .child((clock, span().class("cut").child(shown.title.clone()), sign.map(icon)));
    div()
        .class(match (shown.is_name, shown.polled.is_some(), shown.at_end) {
            (true, ..) => "th th-name",
            (_, true, _) => "th th-end th-polled",
            (.., true) => "th th-end",
            _ => "th",
        })
        .attr("role", "columnheader")
        .attr("aria-sort", order)
        .attr("title", title)
        .child((sort, edge(index, act)))
}

/// How much a key changes a width.
const WIDTH_STEP_PX: f64 = 16.0;

/// Drags the width of its column; a double click resets the width to that of the cells.
fn edge(column: usize, act: Dispatch) -> impl IntoView {
    let from = StoredValue::new(None::<f64>);
    let width = move |px| act.send(PaneAction::Columns(ColumnsAction::Width { column, px }));
    span()
        .class("th-edge")
        .attr("aria-hidden", "true")
        .on(ev::pointerdown, move |event| {
            let width_px = dom::element::width_around(&event, ".th");
            from.set_value(width_px.map(|width_px| width_px - dom::element::along_px(&event)));
            dom::element::capture(&event);
            event.prevent_default();
        })
        .on(ev::pointermove, move |event| {
            if let Some(from) = from.get_value() {
                width(Some(from + dom::element::along_px(&event)));
            }
        })
        .on(ev::pointerup, move |_| from.set_value(None))
        .on(ev::pointercancel, move |_| from.set_value(None))
        .on(ev::dblclick, move |_| width(None))
}

//! The live table. Only the rows of the window are mounted, inside a box as high as all rows. The elements of a row that
//! leaves the window are used again for the next row that enters it.

mod cell;
mod head;
mod minimap;
mod new_rows_above;
mod row;
mod rows;
mod skeleton_rows;

use leptos::ev;
use leptos::html::{Div, div, span};
use leptos::prelude::*;
use web_sys::{KeyboardEvent, MouseEvent};

use self::rows::Rows;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::selection::{Selected, selected};
use crate::signals::PaneSignals;
use page::action::{Action, FontSize, Key, PaneAction, PanelAction, of_page};
use page::model::{Clip, Copied};

pub(crate) fn table(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let row_count =
        move || signals.table.with(|table| table.row_count.map_or("-1".to_owned(), |n| n.to_string()));
    let column_count = move || signals.table.with(|table| (table.columns.len() + 1).to_string());
    let grid = div()
        .class("grid")
        .attr("role", "grid")
        .attr("id", "grid")
        .attr("aria-label", move || signals.table.with(|table| table.label.clone()))
        .attr("aria-rowcount", row_count)
        .attr("aria-colcount", column_count)
        .attr("aria-busy", move || signals.table.with(|table| table.is_busy.then_some("true")))
        .child((head::head(signals, act), body(signals, act)));
    let has_minimap = Memo::new(move |_| signals.minimap.with(|map| map.is_needed));
    div()
        .class("table")
        .class(("table-stale", move || signals.is_stale.get()))
        .class(("table-paused", move || signals.is_paused.get()))
        .class(("table-plain", move || !has_minimap.get()))
        .class(("table-across", move || signals.table.with(|table| table.is_across)))
        .style(("--dw-columns", move || signals.columns_css.get()))
        .child((new_rows_above::new_rows_above(signals.new_rows_above, act), grid, move || {
            has_minimap.get().then(|| minimap::minimap(signals.minimap, act))
        }))
}

fn body(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let scroller = NodeRef::<Div>::new();
    let space = NodeRef::<Div>::new();
    let probe = NodeRef::<Div>::new();
    follow_size(scroller, probe, act);
    follow_extent(signals, scroller, space);
    follow_rows(signals, space);
    follow_focus(signals, scroller);
    follow_copied(act, scroller);
    // Where the pointer was pressed: a click that moved was a selection of text.
    let pressed = StoredValue::new(None);
    // The last key was `g`, the first of two letters.
    let went = StoredValue::new(false);
    let skeleton_rows = move || {
        let rows = 0..signals.skeleton_rows.get();
        rows.map(|_| skeleton_rows::skeleton_row(signals.table)).collect::<Vec<_>>()
    };
    div()
        .class("tbody")
        .attr("role", "rowgroup")
        .node_ref(scroller)
        .on(ev::scroll, move |_| {
            if let Some(scroller) = scroller.try_get_untracked().flatten() {
                dom::element::lead_sideways(&scroller);
                act.send(PaneAction::Scrolled { top_px: dom::element::scroll_top_px(&scroller) });
            }
        })
        .on(ev::focusin, move |event| {
            if let Some(row) = dom::element::around(&event, "data-row") {
                act.send(PaneAction::Focused(row));
            }
        })
        .on(ev::pointerenter, move |_| act.send(PaneAction::Reading(true)))
        .on(ev::pointerleave, move |_| act.send(PaneAction::Reading(false)))
        .on(ev::focusout, move |_| act.send(PaneAction::Blurred))
        .on(ev::pointerdown, move |event| pressed.set_value(Some(dom::element::place_px(&event))))
        .on(ev::mousedown, move |event| {
            // The browser would stretch its selection of text from the last click to this one.
            if dom::element::with_shift(&event) && dom::element::around(&event, "data-row").is_some() {
                event.prevent_default();
            }
        })
        .on(ev::click, move |event| clicked(&event, pressed.get_value(), act))
        .on(ev::keydown, move |event| {
            if dom::element::with_control_key(&event) && event.key() == "c" {
                return copy(&event, scroller, act);
            }
            let Some(name) = dom::element::plain_key(&event) else { return };
            let after_g = std::mem::take(&mut *went.write_value());
            let name = match (after_g, name.as_str()) {
                (false, "g") => return went.set_value(true),
                (true, "g") => "Home".to_owned(),
                (true, "k") => return act.send(Action::Kinds),
                _ => name,
            };
            let asked: Option<Action> =
                Key::of(&name).map(|key| PaneAction::Key(key).into()).or_else(|| of_page(&name));
            if let Some(asked) = asked {
                event.prevent_default();
                act.send(asked);
            }
        })
        .child((
            // Hidden: measures the height of a row and the width of ten characters in this style.
            div().class("tr tr-probe").attr("aria-hidden", "true").node_ref(probe).child((
                span().class("mono").child("0000000000"),
                span().class("sample").child("0000000000"),
            )),
            skeleton_rows,
            div().class("tspace").attr("role", "presentation").node_ref(space),
        ))
}

/// A click on a row: opens its panel, selects the row, or copies its name.
fn clicked(event: &MouseEvent, pressed: Option<(f64, f64)>, act: Dispatch) {
    let Some(row) = dom::element::around(event, "data-row") else { return };
    let is_link = dom::element::around(event, "href").is_some();
    if dom::element::around(event, "data-copy").is_some() {
        return act.send(PaneAction::Copy(Some(row)));
    }
    // A new tab is the browser's.
    if is_link && dom::element::with_control(event) {
        return;
    }
    if is_link && (dom::element::is_plain(event) || dom::element::with_shift(event)) {
        event.prevent_default();
    }
    act.send(PaneAction::Focused(row.clone()));
    if dom::element::with_shift(event) || dom::element::with_control(event) {
        act.send(PaneAction::Select { row, range: dom::element::with_shift(event) });
        act.send(PaneAction::ToRows);
    } else if dom::element::is_plain(event) && !dom::element::has_moved(event, pressed) {
        act.send(PanelAction::Open { row: Some(row), key: None });
    }
}

/// The selected text is the browser's, unless it is of several cells. Without any, the selected rows are copied.
fn copy(event: &KeyboardEvent, scroller: NodeRef<Div>, act: Dispatch) {
    let Some(scroller) = scroller.try_get_untracked().flatten() else { return };
    match selected(&scroller) {
        Selected::InOneCell => return,
        Selected::Nothing => act.send(PaneAction::Copy(None)),
        Selected::Cells(text) => act.send(Action::Copy(text)),
    }
    event.prevent_default();
}

/// The row whose name was copied has a tick for a moment.
fn follow_copied(act: Dispatch, scroller: NodeRef<Div>) {
    let copied = act.copied();
    Effect::new(move |_| {
        let name = copied.with(|copied| match copied {
            Some(Copied { clip: Clip::Text(text), is_done: true }) => Some(text.clone()),
            _ => None,
        });
        if let Some(scroller) = scroller.get_untracked() {
            dom::element::tick_name(&scroller, name.as_deref());
        }
    });
}

fn follow_size(scroller: NodeRef<Div>, probe: NodeRef<Div>, act: Dispatch) {
    scroller.on_load(move |element| {
        let observed = element.clone();
        let resize = dom::element::on_resize(&element, move || {
            let Some(probe) = probe.try_get_untracked().flatten() else { return };
            let (width_px, height_px) = dom::element::size_px(&observed);
            let (_, row_px) = dom::element::size_px(&probe);
            let font = FontSize {
                mono_px: dom::element::character_px(&probe, ".mono"),
                text_px: dom::element::character_px(&probe, ".sample"),
            };
            act.send(PaneAction::Resized { width_px, height_px, row_px, font });
        });
        // Observes until this table is unmounted.
        StoredValue::new_local(resize);
    });
}

/// Sets the height before the scroll position, which it limits.
fn follow_extent(signals: PaneSignals, scroller: NodeRef<Div>, space: NodeRef<Div>) {
    Effect::new(move |_| {
        let extent = signals.extent.get();
        if let Some(space) = space.get() {
            dom::element::set_height_px(&space, extent.height_px);
        }
        if let (Some(top_px), Some(scroller)) = (extent.scroll_to_px, scroller.get()) {
            dom::element::scroll_to_px(&scroller, top_px);
        }
    });
}

/// Writes the rows without the framework.
fn follow_rows(signals: PaneSignals, space: NodeRef<Div>) {
    let rows = StoredValue::new_local(None);
    Effect::new(move |_| {
        let Some(space) = space.get() else { return };
        rows.update_value(|rows| {
            let rows = rows.get_or_insert_with(|| Rows::new(&space));
            if let Some(rows) = rows {
                signals.rows.with(|now| rows.borrow_mut().show(now));
            }
        });
    });
}

/// A request from before this table was mounted was for a previous table.
fn follow_focus(signals: PaneSignals, scroller: NodeRef<Div>) {
    Effect::new(move |followed: Option<u32>| {
        let request = signals.focus.get();
        let number = request.as_ref().map_or(0, |request| request.number);
        if followed.is_some_and(|followed| followed != number)
            && let (Some(request), Some(scroller)) = (request, scroller.get_untracked())
        {
            // A reader who is elsewhere by now stays there.
            if !request.is_start || dom::page::has_no_focus() {
                dom::element::focus_row(&scroller, &request.row, request.cell);
            }
        }
        number
    });
}

//! The live table. Only the rows of the window are mounted, inside a box as high as all rows. The elements of a row that
//! leaves the window are used again for the next row that enters it.

mod cell;
mod head;
mod minimap;
mod new_rows_above;
mod row;
mod rows;
mod skeleton_rows;

use crate::dom::html::{div, span};
use crate::prelude::*;
use tachys::html::element::Div;
use tachys::html::event as ev;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent};

use self::rows::Rows;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::selection::{Selected, selected};
use crate::signals::PaneSignals;
use page::action::{Action, FontSize, PaneAction, PanelAction, TwoLetters, of_rows};
use page::clipboard::Copied;
use page::font::{LETTERS, Letters};
use page::limits::FOLDED_ROW_PX;
use page::model::{Clip, Layout};

pub(crate) fn table(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let row_count =
        move || signals.table.with(|table| table.row_count.map_or("-1".to_owned(), |n| n.to_string()));
    let column_count = move || signals.table.with(|table| (table.columns.len() + 1).to_string());
    let layout = Memo::new(move |_| signals.table.with(|table| table.layout));
    let grid = div()
        .class("grid")
        .attr("role", "grid")
        .attr("id", "grid")
        .attr("aria-label", move || signals.table.with(|table| table.label.clone()))
        .attr("aria-rowcount", row_count)
        .attr("aria-colcount", column_count)
        .attr("aria-busy", move || signals.table.with(|table| table.is_busy.then_some("true")))
        .child((head::head(signals, act), body(signals, layout, act)));
    let has_minimap = Memo::new(move |_| signals.minimap.with(|map| map.is_needed));
    div()
        .class("table")
        .attr("part", "table")
        .class(("table-stale", move || signals.is_stale.get()))
        .class(("table-paused", move || signals.is_paused.get()))
        .class(("table-past", move || signals.is_past.get()))
        .class(("table-plain", move || !has_minimap.get()))
        .class(("table-across", move || layout.get() == Layout::Across))
        .class(("table-folded", move || layout.get() == Layout::Folded))
        .class(("table-no-ago", move || signals.table.with(|table| table.hides_ago)))
        .style(("--dw-folded-row", format!("{FOLDED_ROW_PX}px")))
        .style(("--dw-columns", move || signals.columns_css.get()))
        .child((new_rows_above::new_rows_above(signals.new_rows_above, act), grid, move || {
            has_minimap.get().then(|| minimap::minimap(signals.minimap, act))
        }))
}

fn body(signals: PaneSignals, layout: Memo<Layout>, act: Dispatch) -> impl IntoView {
    let scroller = NodeRef::<Div>::new();
    let space = NodeRef::<Div>::new();
    let probe = NodeRef::<Div>::new();
    follow_size(scroller, probe, space, act);
    follow_extent(signals, scroller, space);
    follow_rows(signals, space);
    follow_focus(signals, scroller);
    follow_copied(act, scroller);
    follow_layout(layout, scroller);
    let pressed = StoredValue::new(Pressed::default());
    // The row that the pointer was last said to be over, and when.
    let pointer_said = StoredValue::new((None::<String>, 0.0));
    let before = window_event_listener(ev::beforeprint, move |_| act.send(PaneAction::Printing(true)));
    let after = window_event_listener(ev::afterprint, move |_| act.send(PaneAction::Printing(false)));
    on_cleanup(move || {
        before.remove();
        after.remove();
    });
    let letters = StoredValue::new(TwoLetters::default());
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
        .on(ev::pointermove, move |event| {
            let row = dom::element::around(&event, "data-row");
            let said = pointer_said.get_value();
            if row != said.0 || event.time_stamp() - said.1 >= POINTER_SAID_MS {
                pointer_said.set_value((row.clone(), event.time_stamp()));
                act.send(PaneAction::PointerMoved { row });
            }
        })
        .on(ev::pointerleave, move |_| {
            pointer_said.set_value((None, 0.0));
            act.send(PaneAction::PointerLeft);
        })
        .on(ev::focusout, move |_| act.send(PaneAction::Blurred))
        .on(ev::pointerdown, move |event| {
            let row = dom::element::around(&event, "data-row");
            pressed.set_value(Pressed { place_px: Some(dom::element::place_px(&event)), row });
        })
        .on(ev::mousedown, move |event| {
            // The browser would stretch its selection of text from the last click to this one.
            if dom::element::with_shift(&event) && dom::element::around(&event, "data-row").is_some() {
                event.prevent_default();
            }
        })
        .on(ev::click, move |event| clicked(&event, &std::mem::take(&mut *pressed.write_value()), act))
        .on(ev::keydown, move |event| {
            if dom::element::with_control_key(&event) && event.key() == "c" {
                return copy(&event, scroller, act);
            }
            act.send_key(&event, letters, |name| of_rows(name, false));
        })
        .child((
            // Hidden: measures the height of a row and the width of letters in this style.
            div().class("tr tr-probe").attr("aria-hidden", "true").node_ref(probe).child((
                span().class("mono").child("0000000000"),
                span().class("letters"),
                span().class("letters strong"),
            )),
            skeleton_rows,
            div().class("tspace").attr("role", "presentation").node_ref(space),
        ))
}

/// Where the pointer was pressed, and the row that was there.
#[derive(Clone, Default)]
struct Pressed {
    place_px: Option<(f64, f64)>,
    row: Option<String>,
}

/// The pointer's movements over one row are said twice a second.
const POINTER_SAID_MS: f64 = 500.0;

/// A click on a row: opens its panel, selects the row, or copies its name. A row may move between the press and
/// the release: the reader meant the pressed one. A click that moved was a selection of text.
fn clicked(event: &MouseEvent, pressed: &Pressed, act: Dispatch) {
    let has_moved = dom::element::has_moved(event, pressed.place_px);
    let meant = pressed.row.clone().filter(|_| !has_moved);
    let Some(row) = meant.or_else(|| dom::element::around(event, "data-row")) else { return };
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
    } else if dom::element::is_plain(event) && !has_moved {
        act.send(PanelAction::Open { row: Some(row), key: None });
    }
}

/// The selected text is the browser's, unless it is of several cells. Without any, the selected rows are copied.
fn copy(event: &KeyboardEvent, scroller: NodeRef<Div>, act: Dispatch) {
    let Some(scroller) = scroller.try_get_untracked().flatten() else { return };
    match selected(&scroller) {
        Selected::InOneCell => return,
        Selected::Nothing => act.send(PaneAction::Copy(None)),
        Selected::Cells(text) => act.send(Action::Copy(Clip::Rows(text))),
    }
    event.prevent_default();
}

/// Rows that fit, or that take two lines, aren't scrolled sideways, even if they were before.
fn follow_layout(layout: Memo<Layout>, scroller: NodeRef<Div>) {
    Effect::new(move |_| {
        if layout.get() != Layout::Across
            && let Some(scroller) = scroller.get_untracked()
        {
            scroller.set_scroll_left(0);
        }
    });
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

fn follow_size(scroller: NodeRef<Div>, probe: NodeRef<Div>, space: NodeRef<Div>, act: Dispatch) {
    let measured = StoredValue::new(None::<f64>);
    let measure = move || {
        let mounted = |part: NodeRef<Div>| part.try_get_untracked().flatten();
        let (Some(scroller), Some(probe), Some(space)) = (mounted(scroller), mounted(probe), mounted(space))
        else {
            return;
        };
        // The rows' width is without the minimap's.
        let (width_px, _) = dom::measure::size_px(&space);
        let (_, height_px) = dom::measure::size_px(&scroller);
        let (_, row_px) = dom::measure::size_px(&probe);
        let mono_px = dom::measure::character_px(&probe, ".mono");
        // The letters are measured again if the font is another one.
        let font = (measured.get_value() != Some(mono_px)).then(|| font(&probe, mono_px)).flatten();
        if font.is_some() {
            measured.set_value(Some(mono_px));
        }
        act.send(PaneAction::Resized { width_px, height_px, row_px, font });
    };
    for part in [scroller, probe] {
        part.on_load(move |element| {
            // Observes until this table is unmounted.
            StoredValue::new_local(dom::measure::on_resize(&element, measure));
        });
    }
}

fn font(probe: &HtmlElement, mono_px: f64) -> Option<FontSize> {
    let letters = |part| Letters::measured(&dom::measure::letters_px(probe, part, LETTERS));
    Some(FontSize { mono_px, text: letters(".letters:not(.strong)")?, strong: letters(".letters.strong")? })
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

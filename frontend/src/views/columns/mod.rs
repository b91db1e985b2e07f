//! The column chooser: which columns are shown, in which order, and custom ones by JSONPath. Arrows move the focus,
//! Alt with an arrow moves the column, and a grip drags it.

use crate::dom::html::{button, div, form, input, label, li, p, section, span, ul};
use crate::prelude::*;
use page::columns::words;
use page::messages;
use tachys::html::element::Section;
use tachys::html::event as ev;

use super::icons::icon;
use super::wide::wide_columns;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside;
use crate::field::Field;
use crate::signals::PaneSignals;
use page::action::{Action, ColumnsAction, PaneAction};
use page::columns::{ColumnEntry, ColumnList};
use page::theme::Density;

pub(crate) fn columns(signals: PaneSignals, act: Dispatch) -> AnyView {
    popover(signals.columns, display(signals, act), act).into_any()
}

/// How the table is shown: which wide columns, and how close its rows stand.
fn display(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let density = signals.density;
    let choice = move |choice: Density| {
        button()
            .attr("aria-pressed", move || (density.get() == choice).to_string())
            .on(ev::click, move |_| act.send(Action::SetDensity(choice)))
            .child(words::density(choice))
    };
    let rows = div()
        .class("seg")
        .attr("role", "group")
        .attr("aria-label", words::ROWS)
        .child(Density::ALL.map(choice).into_iter().collect::<Vec<_>>());
    let has_wide = signals.head.with_untracked(|head| head.has_wide);
    div().class("column-display").child((
        has_wide.then(|| (span().class("faint").child(messages::WIDE_COLUMNS), wide_columns(signals, act))),
        span().class("faint").child(words::ROWS),
        rows,
    ))
}

/// The state of the open chooser.
#[derive(Clone, Copy)]
struct Hand {
    act: Dispatch,
    /// The column that has the focus; the focus moves with it.
    focused: StoredValue<Option<String>>,
    dragged: StoredValue<Option<String>>,
}

impl Hand {
    fn send(self, action: ColumnsAction) {
        self.act.send(PaneAction::Columns(action));
    }
}

fn popover(
    list: Field<Option<ColumnList>>,
    display: impl IntoView + 'static,
    act: Dispatch,
) -> impl IntoView {
    let place = NodeRef::<Section>::new();
    let hand = Hand { act, focused: StoredValue::new(None), dragged: StoredValue::new(None) };
    on_press_outside(place, move |event| {
        if !dom::element::is_on(event, "columns") {
            hand.send(ColumnsAction::Open(false));
        }
    });
    place.on_load(|section| dom::element::focus_first(&section, "[role=checkbox]"));
    let entries = Memo::new(move |_| list.with(|list| list.as_ref().map(|list| list.entries.clone())));
    follow_focus(entries, place, hand);
    let items =
        move || entries.get().unwrap_or_default().iter().map(|entry| item(entry, hand)).collect::<Vec<_>>();
    section()
        .class("pop menu pop-columns")
        .attr("role", "dialog")
        .attr("aria-label", messages::COLUMNS)
        .node_ref(place)
        .on(ev::keydown, move |event| {
            if event.key() == "Escape" {
                event.stop_propagation();
                hand.send(ColumnsAction::Open(false));
                act.send(PaneAction::ToRows);
            }
        })
        .on(ev::pointerup, move |event| {
            let dragged = hand.dragged.try_update_value(Option::take).flatten();
            let to = dom::element::around(&event, "data-column");
            if let (Some(key), Some(at)) = (dragged, to)
                && key != at
            {
                hand.send(ColumnsAction::Place { key, at });
            }
        })
        .child((ul().class("column-list").child(items), add(list, hand), reset(hand), display))
}

/// When a column moved, the list is rendered again; the focus follows the column.
fn follow_focus(entries: Memo<Option<Vec<ColumnEntry>>>, place: NodeRef<Section>, hand: Hand) {
    Effect::new(move |_| {
        entries.track();
        let Some(key) = hand.focused.get_value() else { return };
        request_animation_frame(move || {
            if let Some(section) = place.try_get_untracked().flatten() {
                dom::element::focus_where(&section, "data-column", &key, "[role=checkbox]");
            }
        });
    });
}

fn item(entry: &ColumnEntry, hand: Hand) -> impl IntoView + use<> {
    let key = entry.key.clone();
    let of = || key.clone();
    let (toggled, moved, focused, dragged, forgotten) = (of(), of(), of(), of(), of());
    let is_shown = entry.is_shown;
    let mark = is_shown.then(|| icon("#i-tick"));
    let check = button()
        .class("menu-item")
        .attr("role", "checkbox")
        .attr("aria-checked", is_shown.to_string())
        .attr("aria-disabled", entry.is_always.then_some("true"))
        .attr("aria-keyshortcuts", "Alt+ArrowUp Alt+ArrowDown")
        .on(ev::focus, move |_| hand.focused.set_value(Some(focused.clone())))
        .on(ev::click, move |_| hand.send(ColumnsAction::Toggle(toggled.clone())))
        .on(ev::keydown, move |event| {
            let by = match event.key().as_str() {
                "ArrowUp" => -1,
                "ArrowDown" => 1,
                _ => return,
            };
            event.prevent_default();
            if event.alt_key() {
                hand.send(ColumnsAction::Move { key: moved.clone(), by });
            } else {
                dom::element::focus_beside(&event, "[role=checkbox]", by);
            }
        })
        .child((
            span().class(if is_shown { "box box-on" } else { "box" }).child(mark),
            span().child(entry.title.clone()),
            span().class("push faint column-note").child(entry.note.clone()),
        ));
    let forget = entry.is_own.then(|| {
        button()
            .class("btn btn-icon")
            .attr("aria-label", format!("{} {}", words::FORGET, entry.title))
            .on(ev::click, move |_| hand.send(ColumnsAction::Forget(forgotten.clone())))
            .child(icon("#i-close"))
    });
    let grip = is_shown.then(|| {
        span()
            .class("grip")
            .attr("aria-hidden", "true")
            .on(ev::pointerdown, move |event| {
                event.prevent_default();
                hand.dragged.set_value(Some(dragged.clone()));
            })
            .child("⋮⋮")
    });
    li().class("column-item").attr("data-column", key).child((check, forget, grip))
}

fn add(list: Field<Option<ColumnList>>, hand: Hand) -> impl IntoView {
    let written = RwSignal::new(String::new());
    let error = Memo::new(move |_| {
        list.with(|list| list.as_ref().map(|list| list.error.clone()).unwrap_or_default())
    });
    let own_count = move || {
        list.with(|list| list.iter().flat_map(|list| &list.entries).filter(|entry| entry.is_own).count())
    };
    // Empty the input when its text became a column.
    Effect::new(move |before: Option<usize>| {
        let count = own_count();
        if before.is_some_and(|before| count > before) {
            written.set(String::new());
        }
        count
    });
    form()
        .class("column-add")
        .on(ev::submit, move |event| {
            event.prevent_default();
            hand.send(ColumnsAction::Add(written.get_untracked()));
        })
        .child((
            label().class("column-label").attr("for", "column-path").child(words::ADD_LABEL),
            input()
                .class("filter-input")
                .attr("type", "text")
                .attr("id", "column-path")
                .attr("aria-describedby", "column-error")
                .attr("aria-invalid", move || (!error.read().is_empty()).then_some("true"))
                .attr("placeholder", words::ADD_HINT)
                .attr("autocomplete", "off")
                .attr("spellcheck", "false")
                .prop("value", move || written.get())
                .on(ev::input, move |event| written.set(event_target_value(&event))),
            button()
                .class("btn")
                .attr("type", "submit")
                .attr("aria-label", words::ADD)
                .child(icon("#i-plus")),
            p().class("column-error").attr("id", "column-error").attr("role", "status").child(error),
        ))
}

fn reset(hand: Hand) -> impl IntoView {
    div().class("column-reset").child(
        button().class("btn").on(ev::click, move |_| hand.send(ColumnsAction::Reset)).child(words::RESET),
    )
}

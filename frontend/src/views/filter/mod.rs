//! The filter box: its text is applied as it is typed, with lines under the terms, a list of completions, and the
//! reason why a term isn't applied. `/` focuses the box, `Esc` leaves it.

mod selectors;
mod suggest;

use crate::dom::html::{button, div, input, kbd, span};
use crate::prelude::*;
use page::messages;
use page::pane::words;
use tachys::html::element::Input;
use tachys::html::event as ev;

use super::css;
use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use crate::signals::PaneSignals;
use page::action::PaneAction;
use page::model::Head;
use page::query::Suggestion;
use suggest::{Pressed, Suggest};

/// The box of each view is a landmark with its own label.
pub(crate) fn search_label(head: Field<Head>) -> impl Fn() -> String + Clone + Send + Sync + 'static {
    move || head.with(|head| words::filter_of(&head.resource, &head.place, &head.query))
}

pub(crate) fn filter(signals: PaneSignals, box_ref: NodeRef<Input>, act: Dispatch) -> impl IntoView {
    let suggest = Suggest::new(signals.suggestions, box_ref, "filter-list");
    let scrolled = RwSignal::new(0.0);
    div()
        .class("filter")
        .attr("part", "filter")
        .attr("role", "search")
        .attr("aria-label", search_label(signals.head))
        .child((
            div().class("filter-box").child((
                icon("#i-filter"),
                div()
                    .class("filter-field")
                    .child((marks(signals, scrolled), field(signals, suggest, scrolled, box_ref, act))),
                span()
                    .class("filter-unread")
                    .attr("id", "filter-unread")
                    .attr("role", "status")
                    .attr("title", move || signals.unread.get())
                    .child(move || signals.unread.get()),
                clear(signals, box_ref, act),
                suggest.list(move |item| taken(item, act)),
            )),
            selectors::selectors(signals, act),
        ))
}

/// The key that leads to the box, or a button that empties it.
fn clear(signals: PaneSignals, box_ref: NodeRef<Input>, act: Dispatch) -> impl IntoView {
    let is_empty = Memo::new(move |_| signals.filter.with(String::is_empty));
    move || {
        if is_empty.get() {
            return kbd().class("narrow-hide").child("/").into_any();
        }
        button()
            .class("chip-close")
            .attr("id", "filter-clear")
            .attr("aria-label", messages::CLEAR_FILTER)
            .attr("title", messages::CLEAR_FILTER)
            .on(ev::click, move |_| {
                act.send(PaneAction::Filter(String::new()));
                act.send(PaneAction::Complete(None));
                if let Some(field) = box_ref.get_untracked() {
                    dom::element::focus(&field);
                }
            })
            .child(icon("#i-close"))
            .into_any()
    }
}

fn taken(item: Suggestion, act: Dispatch) {
    act.send(PaneAction::Filter(item.whole.clone()));
    act.send(PaneAction::Complete(Some((item.whole, item.caret))));
}

/// Behind the text: lines under comparisons, dots under terms that can't be read.
fn marks(signals: PaneSignals, scrolled: RwSignal<f64>) -> impl IntoView {
    let pieces = move || {
        let pieces = signals.marks.get().into_iter();
        pieces.map(|piece| span().class(css::reading(piece.reading)).child(piece.text)).collect::<Vec<_>>()
    };
    div()
        .class("filter-marks")
        .attr("aria-hidden", "true")
        .child(span().style(("--dw-scrolled", move || format!("{}px", -scrolled.get()))).child(pieces))
}

fn field(
    signals: PaneSignals,
    suggest: Suggest,
    scrolled: RwSignal<f64>,
    box_ref: NodeRef<Input>,
    act: Dispatch,
) -> impl IntoView {
    let follow = move || {
        if let Some(input) = box_ref.try_get_untracked().flatten() {
            scrolled.set(dom::element::scroll_left_px(&input));
        }
    };
    let complete = move || {
        follow();
        let typed = box_ref.try_get_untracked().flatten().map(|input| dom::element::typed(&input));
        act.send(PaneAction::Complete(typed));
    };
    let is_offered = Memo::new(move |_| signals.head.with(|head| head.content.takes_filter()));
    input()
        .class("filter-input")
        .node_ref(box_ref)
        .attr("type", "text")
        .attr("id", "filter")
        .attr("role", "combobox")
        .attr("aria-label", messages::FILTER_ROWS)
        .attr("aria-keyshortcuts", "/")
        .attr("aria-autocomplete", "list")
        .attr("aria-expanded", move || suggest.is_open().to_string())
        .attr("aria-controls", "filter-list")
        .attr("aria-activedescendant", move || suggest.option_id())
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("placeholder", move || if is_offered.get() { signals.filter_hint.get() } else { String::new() })
        .attr("aria-disabled", move || (!is_offered.get()).then_some("true"))
        .prop("readOnly", move || !is_offered.get())
        .attr("aria-describedby", "filter-unread")
        .prop("value", move || signals.filter.get())
        .on(ev::input, move |event| {
            act.send(PaneAction::Filter(event_target_value(&event)));
            complete();
        })
        .on(ev::click, move |_| complete())
        .on(ev::scroll, move |_| follow())
        .on(ev::blur, move |_| act.send(PaneAction::Complete(None)))
        .on(ev::keyup, move |event| {
            if matches!(event.key().as_str(), "ArrowLeft" | "ArrowRight" | "Home" | "End") {
                complete();
            }
        })
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                let is_open = suggest.shown.with_untracked(Option::is_some);
                act.send(if is_open { PaneAction::Complete(None) } else { PaneAction::LeaveFilter });
                return;
            }
            match suggest.key(&event.key()) {
                // The reader goes on to the rows that match.
                Pressed::Other if event.key() == "Enter" => act.send(PaneAction::ToRows),
                Pressed::Other => {}
                Pressed::Moved => event.prevent_default(),
                Pressed::Taken(item) => {
                    event.prevent_default();
                    taken(item, act);
                }
            }
        })
}

//! The filter of a log: a text, the types of events, and the part of the object that a change is about.

use crate::dom::html::{b, button, div, input, kbd, option, select};
use crate::prelude::*;
use page::log::{Predicate, words};
use page::messages;
use tachys::html::element::Input;
use tachys::html::event as ev;

use super::super::filter::search_label;
use super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::signals::{LogSignals, PaneSignals};
use page::action::LogAction;
use page::log::LogToggle;

pub(super) fn filter(signals: PaneSignals, box_ref: NodeRef<Input>, act: Dispatch) -> impl IntoView {
    let shown = signals.log;
    let field = input()
        .class("filter-input")
        .node_ref(box_ref)
        .attr("type", "text")
        .attr("id", "filter")
        .attr("aria-label", words::FILTER)
        .attr("aria-keyshortcuts", "/")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("placeholder", words::HINT)
        .prop("value", move || shown.text.get())
        .on(ev::input, move |event| act.send(LogAction::Filter(event_target_value(&event))));
    let toggles = move || shown.toggles.get().into_iter().map(|shown| toggle(shown, act)).collect::<Vec<_>>();
    div()
        .class("filter log-filter")
        .attr("role", "search")
        .attr("aria-label", search_label(signals.head))
        .child((
            div().class("filter-box").child((
                icon("#i-filter"),
                field,
                kbd().class("narrow-hide").child("/"),
            )),
            predicate(shown, act),
            toggles,
            button()
                .class("btn btn-framed")
                .attr("id", "clear")
                .on(ev::click, move |_| act.send(LogAction::Clear))
                .child(words::CLEAR),
        ))
}

fn toggle(shown: LogToggle, act: Dispatch) -> impl IntoView {
    let kind = shown.kind;
    button()
        .class("ev-toggle")
        .attr("aria-pressed", shown.is_on.to_string())
        .on(ev::click, move |_| act.send(LogAction::Toggle(kind)))
        .child((
            shown.is_on.then(|| icon("#i-tick")),
            messages::event_word(kind),
            b().class("strong").child(shown.count),
        ))
}

/// The choice of predicate, as controllers have them.
fn predicate(shown: LogSignals, act: Dispatch) -> impl IntoView {
    let choice = |number: usize, word: &'static str, is_chosen: bool| {
        option().attr("value", number.to_string()).prop("selected", is_chosen).child(word)
    };
    let choices = move || {
        let chosen = shown.predicate.get();
        let any = choice(0, words::ANY_CHANGE, chosen.is_none());
        let others = Predicate::ALL
            .into_iter()
            .enumerate()
            .map(|(at, predicate)| choice(at + 1, predicate.label(), chosen == Some(predicate)))
            .collect::<Vec<_>>();
        (any, others)
    };
    select()
        .class("log-predicate")
        .attr("id", "predicate")
        .attr("aria-label", words::CHANGES_OF)
        .on(ev::change, move |event| {
            let number: usize = event_target_value(&event).parse().unwrap_or_default();
            let chosen = number.checked_sub(1).and_then(|at| Predicate::ALL.get(at).copied());
            act.send(LogAction::Predicate(chosen));
        })
        .child(choices)
}

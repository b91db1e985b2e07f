//! The strip above the tabs of an object that isn't well: why, since when, and the command that shows more.

use leptos::ev;
use leptos::html::{b, button, code, div, p, span};
use leptos::prelude::*;
use page::cells;
use page::detail::why::WhyFact;
use page::messages;
use page::panel::words;
use page::status::Class;

use super::super::copy::copy_button;
use super::head::status;
use crate::dispatch::Dispatch;
use crate::signals::PanelSignals;
use page::model::Clip;
use page::panel::strip::Strip;

pub(super) fn why(signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let is_there = Memo::new(move |_| signals.strip.with(Option::is_some));
    move || is_there.get().then(|| strip(signals, act))
}

/// Its parts change apart from each other: the button must stay while an age goes on. A part that was there once
/// keeps its place.
fn strip(signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let class = memo(signals, |strip| strip.why.class, Class::Idle);
    let reason = memo(signals, |strip| strip.why.reason.clone(), String::new());
    let facts = memo(signals, |strip| strip.why.facts.clone(), Vec::new());
    let message = memo(signals, |strip| strip.why.message.clone(), String::new());
    let command = memo(signals, |strip| strip.why.command.clone(), None);
    let has_message = memo(signals, |strip| strip.has_message, false);
    let has_command = memo(signals, |strip| strip.has_command, false);
    let is_open = RwSignal::new(false);
    let copied = move || Clip::Text(command.get().unwrap_or_default());
    div()
        .class("why")
        .class(("why-warn", move || class.get() == Class::Warn))
        .class(("why-over", move || class.get() == Class::Idle))
        .attr("id", "why")
        .attr("role", "group")
        .attr("aria-label", move || words::why_label(&reason.get()))
        .child((
            p().class("why-line").child((
                move || status(class.get(), reason.get()),
                move || facts.get().into_iter().map(fact).collect::<Vec<_>>(),
                more(message, is_open),
            )),
            move || {
                has_message.get().then(|| {
                    p().class("why-message").class(("why-whole", move || is_open.get())).child(move || {
                        if is_open.get() {
                            message.get()
                        } else {
                            cells::cut_middle(message.get(), LINES_CHARACTERS)
                        }
                    })
                })
            },
            move || {
                has_command.get().then(|| {
                    div().class("cmd cmd-why").class(("why-none", move || command.read().is_none())).child((
                        code().child(move || command.get()),
                        copy_button(act, "btn btn-icon", "#i-copy", messages::COPY_COMMAND, copied),
                    ))
                })
            },
        ))
}

/// A message has three lines, with its beginning and its end, and the others where the reader asks for them.
fn more(message: Memo<String>, is_open: RwSignal<bool>) -> impl IntoView {
    let is_long = Memo::new(move |_| message.read().chars().count() > LINES_CHARACTERS);
    move || {
        is_long.get().then(|| {
            button()
                .class("why-more")
                .attr("aria-expanded", move || is_open.get().to_string())
                .on(ev::click, move |_| is_open.update(|is_open| *is_open = !*is_open))
                .child(words::WHOLE_MESSAGE)
        })
    }
}

/// About as many characters as three lines of the narrowest panel have room for.
const LINES_CHARACTERS: usize = 130;

fn memo<T: Clone + PartialEq + Send + Sync + 'static>(
    signals: PanelSignals,
    read: fn(&Strip) -> T,
    none: T,
) -> Memo<T> {
    Memo::new(move |_| signals.strip.with(|strip| strip.as_ref().map_or_else(|| none.clone(), read)))
}

fn fact(fact: WhyFact) -> impl IntoView {
    let WhyFact { before, strong, after } = fact;
    let before = (!before.is_empty()).then_some((before, " "));
    let after = (!after.is_empty()).then_some((" ", after));
    span().child((before, b().child(strong), after))
}

//! The strip above the tabs of an object that isn't well: why, since when, and the command that shows more.

use crate::dom::html::{b, button, code, div, p, span};
use crate::prelude::*;
use page::action::PanelAction;
use page::detail::why::{Why, WhyFact};
use page::messages;
use page::panel::words;
use page::status::Class;
use tachys::html::event as ev;

use super::super::copy::copy_button;
use super::super::icons::icon;
use super::head::status;
use crate::dispatch::Dispatch;
use crate::signals::PanelSignals;
use page::model::Clip;
use page::panel::strip::Strip;

pub(super) fn why(signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let is_now = Memo::new(move |_| signals.strip.with(|strip| matches!(strip, Some(Strip::Now(_)))));
    let before = Memo::new(move |_| {
        signals.strip.with(|strip| match strip {
            Some(Strip::Before(text)) => Some(text.clone()),
            _ => None,
        })
    });
    (move || is_now.get().then(|| strip(signals, act)), move || before.get().map(|text| over(text, act)))
}

/// It was so, and isn't any more.
fn over(text: String, act: Dispatch) -> impl IntoView {
    let close = button()
        .class("btn btn-icon")
        .attr("aria-label", words::DISMISS_BEFORE)
        .attr("title", words::DISMISS_BEFORE)
        .on(ev::click, move |_| act.send(PanelAction::DismissBefore))
        .child(icon("#i-close"));
    div()
        .class("why why-over")
        .attr("id", "why")
        .attr("role", "group")
        .attr("aria-label", text.clone())
        .child(
            p().class("why-line").child((span().class("cut").attr("title", text.clone()).child(text), close)),
        )
}

/// Its parts change apart from each other: the button must stay while an age goes on.
fn strip(signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let class = memo(signals, |why| why.class, Class::Idle);
    let reason = memo(signals, |why| why.reason.clone(), String::new());
    let facts = memo(signals, |why| why.facts.clone(), Vec::new());
    let message = memo(signals, |why| why.message.clone(), String::new());
    let command = memo(signals, |why| why.command.clone(), None);
    let has_message = Memo::new(move |_| !message.read().is_empty());
    let has_command = Memo::new(move |_| command.read().is_some());
    let is_open = RwSignal::new(false);
    let copied = move || Clip::Text(command.get().unwrap_or_default());
    div()
        .class("why")
        .class(("why-warn", move || class.get() == Class::Warn))
        .class(("why-busy", move || class.get() == Class::Busy))
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
                let whole = ("why-whole", move || is_open.get());
                has_message.get().then(|| p().class("why-message").class(whole).child(move || message.get()))
            },
            move || {
                has_command.get().then(|| {
                    div().class("cmd cmd-why").child((
                        code().child(move || command.get()),
                        copy_button(act, "btn btn-icon", "#i-copy", messages::COPY_COMMAND, copied),
                    ))
                })
            },
        ))
}

/// The beginning of a long message, and the rest where the reader asks for it.
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

/// About as many characters as the lines of `.why-message` have room for in the narrowest panel.
const LINES_CHARACTERS: usize = 260;

fn memo<T: Clone + PartialEq + Send + Sync + 'static>(
    signals: PanelSignals,
    read: fn(&Why) -> T,
    none: T,
) -> Memo<T> {
    Memo::new(move |_| {
        signals.strip.with(|strip| match strip {
            Some(Strip::Now(why)) => read(why),
            _ => none.clone(),
        })
    })
}

fn fact(fact: WhyFact) -> impl IntoView {
    let WhyFact { before, strong, after } = fact;
    let before = (!before.is_empty()).then_some((before, " "));
    let after = (!after.is_empty()).then_some((" ", after));
    span().child((before, b().child(strong), after))
}

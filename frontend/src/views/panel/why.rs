//! The strip above the tabs of an object that isn't well: why, since when, and the command that shows more.

use leptos::html::{b, code, div, p, span};
use leptos::prelude::*;
use page::detail::why::WhyFact;
use page::messages;
use page::status::Class;

use super::super::copy::copy_button;
use super::head::status;
use crate::dispatch::Dispatch;
use crate::signals::PanelSignals;
use page::model::Clip;

pub(super) fn why(signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let class = Memo::new(move |_| signals.why.with(|why| why.as_ref().map(|why| why.class)));
    move || class.get().map(|class| strip(class, signals, act))
}

/// Its parts change apart from each other: the button must stay while an age goes on.
fn strip(class: Class, signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let reason =
        Memo::new(move |_| signals.why.with(|why| why.clone().map(|why| why.reason).unwrap_or_default()));
    let facts =
        Memo::new(move |_| signals.why.with(|why| why.clone().map(|why| why.facts).unwrap_or_default()));
    let message =
        Memo::new(move |_| signals.why.with(|why| why.clone().map(|why| why.message).unwrap_or_default()));
    let command = Memo::new(move |_| signals.why.with(|why| why.clone().and_then(|why| why.command)));
    let has_command = Memo::new(move |_| command.get().is_some());
    let copied = move || Clip::Text(command.get().unwrap_or_default());
    div()
        .class(if class == Class::Bad { "why" } else { "why why-warn" })
        .attr("id", "why")
        .attr("role", "group")
        .attr("aria-label", move || messages::why_label(&reason.get()))
        .child((
            p().class("why-line").child((
                move || status(class, reason.get()),
                move || facts.get().into_iter().map(fact).collect::<Vec<_>>(),
            )),
            move || (!message.read().is_empty()).then(|| p().class("why-message").child(message.get())),
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

fn fact(fact: WhyFact) -> impl IntoView {
    let WhyFact { before, strong, after } = fact;
    let before = (!before.is_empty()).then_some((before, " "));
    let after = (!after.is_empty()).then_some((" ", after));
    span().child((before, b().child(strong), after))
}

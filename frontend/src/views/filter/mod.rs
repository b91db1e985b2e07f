//! The filter box: a text, applied as it is typed, and why a part of it isn't. `/` brings the focus
//! here, `Esc` gives it back.

use leptos::ev;
use leptos::html::{Input, div, input, kbd, span};
use leptos::prelude::*;
use replica::text;

use super::icons::icon;
use crate::dom;
use crate::live::action::PaneAction;
use crate::live::dispatch::Dispatch;

pub(crate) fn filter(
    typed: RwSignal<String>,
    unread: RwSignal<String>,
    box_ref: NodeRef<Input>,
    act: Dispatch,
) -> impl IntoView {
    let field = input()
        .class("filter-input")
        .node_ref(box_ref)
        .attr("type", "text")
        .attr("id", "filter")
        .attr("aria-label", "Filter rows")
        .attr("aria-keyshortcuts", "/")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("placeholder", text::FILTER_HINT)
        .attr("aria-describedby", "filter-unread")
        .prop("value", move || typed.get())
        .on(ev::input, move |event| act.send(PaneAction::Filter(dom::element::input_text(&event))))
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                act.send(PaneAction::LeaveFilter);
            }
        });
    div().class("filter").attr("role", "search").child(
        div().class("filter-box").child((
            icon("#i-filter"),
            field,
            span()
                .class("filter-unread")
                .attr("id", "filter-unread")
                .attr("role", "status")
                .child(move || unread.get()),
            kbd().class("narrow-hide").child("/"),
        )),
    )
}

//! The filter box: a text, applied as it is typed. `/` brings the focus here, `Esc` gives it back.

use leptos::ev;
use leptos::html::{Input, div, input, kbd};
use leptos::prelude::*;

use super::icons::icon;
use crate::dom;
use crate::live::action::Action;
use crate::live::dispatch::Dispatch;

pub(crate) fn filter(text: RwSignal<String>, box_ref: NodeRef<Input>, act: Dispatch) -> impl IntoView {
    let field = input()
        .class("filter-input")
        .node_ref(box_ref)
        .attr("type", "text")
        .attr("id", "filter")
        .attr("aria-label", "Filter rows")
        .attr("aria-keyshortcuts", "/")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("placeholder", "Filter by name")
        .prop("value", move || text.get())
        .on(ev::input, move |event| act.send(Action::Filter(dom::element::input_text(&event))))
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                act.send(Action::LeaveFilter);
            }
        });
    div().class("filter").attr("role", "search").child(div().class("filter-box").child((
        icon("#i-filter"),
        field,
        kbd().class("narrow-hide").child("/"),
    )))
}

//! The head of a view: what it shows, how fresh that is, and what can be switched.

use leptos::ev;
use leptos::html::{button, div, h1, header, span};
use leptos::prelude::*;

use super::super::pill::pill;
use crate::live::action::Action;
use crate::live::dispatch::Dispatch;
use crate::live::signals::ViewSignals;

pub(super) fn head(signals: ViewSignals, act: Dispatch) -> impl IntoView {
    let resource = Memo::new(move |_| signals.head.with(|head| head.resource.clone()));
    let version = Memo::new(move |_| signals.head.with(|head| head.group_version.clone()));
    header().class("view-head anchor").child((
        h1().class("view-title").child((resource, " ", span().class("view-gv").child(version))),
        pill(signals.pill, signals.proof),
        div().class("view-actions").child(wide(signals, act)),
    ))
}

/// Only where the server has columns for it.
fn wide(signals: ViewSignals, act: Dispatch) -> impl IntoView {
    let is_on = Memo::new(move |_| signals.head.with(|head| head.wide));
    let is_there = Memo::new(move |_| signals.head.with(|head| head.has_wide));
    button()
        .class("switch narrow-hide")
        .attr("id", "wide")
        .attr("role", "switch")
        .attr("aria-checked", move || is_on.get().to_string())
        .attr("aria-keyshortcuts", "w")
        .attr("hidden", move || !is_there.get())
        .on(ev::click, move |_| act.send(Action::ToggleWide))
        .child((span().class("switch-track"), "Wide"))
}

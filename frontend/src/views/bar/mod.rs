//! The message for the whole page, between the top bar and the views: every view has stopped, or a part of the link
//! couldn't be read.

use leptos::ev;
use leptos::html::{b, button, div, span};
use leptos::prelude::*;

use super::icons::icon;
use crate::dispatch::Dispatch;
use page::model::Bar;

pub(crate) fn bar(shown: RwSignal<Option<Bar>>, act: Dispatch) -> impl IntoView {
    move || shown.get().map(|bar| band(bar, act))
}

fn band(bar: Bar, act: Dispatch) -> impl IntoView {
    let action = bar.action.map(|(label, action)| {
        button().class("btn btn-framed").on(ev::click, move |_| act.send(action.clone())).child(label)
    });
    div()
        .class(if bar.is_stale { "bar bar-stale" } else { "bar" })
        .attr("id", "bar")
        .attr("role", "alert")
        .child((icon("#i-alert"), span().child((b().child(bar.strong), " ", bar.text)), action))
}

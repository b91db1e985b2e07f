//! A button that copies, and says so: its icon becomes a tick for a moment. And the sentence for screen readers, which
//! everybody sees if the browser refused.

use leptos::ev;
use leptos::html::{button, div};
use leptos::prelude::*;
use page::messages;
use page::model::{Clip, Copied};

use super::icons::icon;
use crate::dispatch::Dispatch;
use page::action::Action;

/// A button with only an icon. `clip`: what it copies; the page's link or a text.
pub(crate) fn copy_button(
    act: Dispatch,
    class: &'static str,
    sign: &'static str,
    label: &'static str,
    clip: impl Fn() -> Clip + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let is_done = is_copied(act, move |copied| *copied == clip());
    button()
        .class(class)
        .attr("aria-label", label)
        .attr("title", move || if is_done.get() { messages::COPIED } else { label })
        .on(ev::click, move |_| match clip() {
            Clip::Link => act.send(Action::CopyLink),
            Clip::Text(text) | Clip::Yaml(text) => act.send(Action::Copy(text)),
        })
        .child(move || icon(if is_done.get() { "#i-tick" } else { sign }))
}

/// Whether such a clip was copied a moment ago.
pub(crate) fn is_copied(
    act: Dispatch,
    is_such: impl Fn(&Clip) -> bool + Send + Sync + 'static,
) -> Memo<bool> {
    let copied = act.copied();
    Memo::new(move |_| {
        copied.with(|copied| copied.as_ref().is_some_and(|copied| copied.is_done && is_such(&copied.clip)))
    })
}

/// Mounted once in a page, and once in each element of another page.
pub(crate) fn announcement(copied: RwSignal<Option<Copied>>) -> impl IntoView {
    let is_refused = move || copied.with(|copied| copied.as_ref().is_some_and(|copied| !copied.is_done));
    let text = move || copied.with(|copied| copied.as_ref().map(Copied::message).unwrap_or_default());
    div()
        .class(move || if is_refused() { "copy-refused" } else { "sr" })
        .attr("id", "copied")
        .attr("role", "status")
        .child(text)
}

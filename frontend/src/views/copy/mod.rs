//! A button that copies, and says so: its icon becomes a tick for a moment. The sentence for screen readers is visible
//! if the browser refused.

use crate::dom::html::{button, div, span};
use crate::prelude::*;
use page::clipboard::Copied;
use page::clipboard::words;
use page::messages;
use page::model::{Clip, LinkButton};
use tachys::html::event as ev;

use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use page::action::Action;

/// A button with only an icon. `clip`: what it copies.
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
        .attr("title", move || match clip() {
            _ if is_done.get() => messages::COPIED.to_owned(),
            Clip::Text(text) if !text.is_empty() => words::copies(label, &text),
            _ => label.to_owned(),
        })
        .on(ev::click, move |_| act.send(Action::Copy(clip())))
        .child(move || icon(if is_done.get() { "#i-tick" } else { sign }))
}

/// Copies the page's link, and says so also if the key did it.
pub(crate) fn copy_link(act: Dispatch, id: &'static str) -> impl IntoView {
    let is_done = is_copied(act, |clip| *clip == THE_PAGES);
    button()
        .class("btn")
        .attr("id", id)
        .attr("aria-label", messages::COPY_LINK)
        .attr("title", words::copy_link(dom::address::is_of_this_machine()))
        .attr("aria-keyshortcuts", "L")
        .on(ev::click, move |_| act.send(Action::Copy(THE_PAGES)))
        .child((
            move || icon(if is_done.get() { "#i-tick" } else { "#i-link" }),
            span()
                .class("btn-text")
                .child(move || if is_done.get() { messages::COPIED } else { messages::COPY_LINK }),
        ))
}

pub(crate) const THE_PAGES: Clip = Clip::Link(LinkButton::Page);

/// Why an action did nothing, or what it changed beside what was asked for.
pub(crate) fn hint(hint: Field<String>) -> impl IntoView {
    div()
        .class(move || if hint.with(String::is_empty) { "sr" } else { "copy-refused" })
        .attr("id", "hint")
        .attr("role", "status")
        .child(move || hint.get())
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
pub(crate) fn announcement(copied: Field<Option<Copied>>) -> impl IntoView {
    let is_local = dom::address::is_of_this_machine();
    let is_seen =
        move || copied.with(|copied| copied.as_ref().is_some_and(|copied| copied.is_seen(is_local)));
    let text = move || {
        copied.with(|copied| copied.as_ref().map(|copied| copied.message(is_local)).unwrap_or_default())
    };
    div()
        .class(move || if is_seen() { "copy-refused" } else { "sr" })
        .attr("id", "copied")
        .attr("role", "status")
        .child(text)
}

//! The message for the whole page, between the top bar and the views: every view has stopped, the login ends, or a part of
//! the link couldn't be read.

use crate::dom::html::{b, button, div, span};
use crate::prelude::*;
use tachys::html::event as ev;

use super::icons::icon;
use super::said::said;
use crate::dispatch::Dispatch;
use crate::field::Field;
use page::action::Action;
use page::model::BarKind;
use page::page::bar::Bar;

/// The band stays while its sentence counts down, so that its button keeps the focus.
pub(crate) fn bar(shown: Field<Option<Bar>>, act: Dispatch) -> impl IntoView {
    let band = Memo::new(move |_| shown.with(|bar| bar.as_ref().map(|bar| (bar.kind, bar.action.clone()))));
    move || band.get().map(|(kind, action)| view(shown, kind, action, act))
}

fn view(
    shown: Field<Option<Bar>>,
    kind: BarKind,
    action: Option<(&'static str, Action)>,
    act: Dispatch,
) -> impl IntoView {
    let action = action.map(|(label, action)| {
        button().class("btn btn-framed").on(ev::click, move |_| act.send(action.clone())).child(label)
    });
    let text = move |part: fn(&Bar) -> &String| {
        shown.with(|bar| bar.as_ref().map(|bar| said(part(bar))).unwrap_or_default())
    };
    // A number that counts down is said once, by the page's announcer, and not each second.
    let (class, role, sign) = match kind {
        BarKind::Plain => ("bar", "alert", "#i-alert"),
        BarKind::Busy => ("bar bar-busy", "timer", "#i-clock"),
        BarKind::Stale => ("bar bar-stale", "alert", "#i-alert"),
    };
    let strong = b().child(move || text(|bar| &bar.strong));
    let text = move || text(|bar| &bar.text);
    div().class(class).attr("id", "bar").attr("role", role).child((
        icon(sign),
        span().child((strong, " ", text)),
        action,
    ))
}

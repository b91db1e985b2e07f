//! What stands where the rows would be: empty, no match, forbidden, gone, failed. One sentence says
//! what happened, one what can be done.

use leptos::ev;
use leptos::html::{button, div, h2, p, span};
use leptos::prelude::*;

use crate::live::action::Action;
use crate::live::dispatch::Dispatch;
use crate::live::model::{Blank, BlankAction};

pub(crate) fn blank(shown: Blank, act: Dispatch) -> impl IntoView {
    let action = shown.action.map(|action| {
        let (class, label, action) = match action {
            BlankAction::ClearFilter => {
                ("btn btn-framed", "Clear the filter", Action::Filter(String::new()))
            }
            BlankAction::AskNow => ("btn btn-framed", "Ask now", Action::TryNow),
            BlankAction::LookEverywhere => ("btn", "Look in all namespaces", Action::LookEverywhere),
        };
        let button = button().class(class).on(ev::click, move |_| act.send(action.clone())).child(label);
        div().class("blank-actions").child(button)
    });
    div().class("blank").child((
        h2().class("blank-title").child((
            shown.title,
            shown.code.map(|code| (" ", span().class("mono").child(code))),
        )),
        shown.texts.into_iter().map(|text| p().child(text)).collect::<Vec<_>>(),
        action,
    ))
}

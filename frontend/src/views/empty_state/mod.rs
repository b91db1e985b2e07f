//! Shown in place of rows: empty, no match, forbidden, gone, failed. One sentence says what happened, one what can be
//! done.

use leptos::ev;
use leptos::html::{button, div, h2, p};
use leptos::prelude::*;

use crate::dispatch::Dispatch;
use page::model::EmptyState;

pub(crate) fn empty_state(shown: EmptyState, act: Dispatch) -> impl IntoView {
    let action = shown.action.map(|action| {
        let send = move |_| act.send(action);
        let button = button().class("btn btn-framed").on(ev::click, send).child(action.label());
        div().class("blank-actions").child(button)
    });
    div().class("blank").child((
        h2().class("blank-title").child(shown.title),
        (!shown.text.is_empty()).then(|| p().child(shown.text)),
        action,
    ))
}

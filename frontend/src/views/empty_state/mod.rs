//! Shown in place of rows: empty, no match, forbidden, gone, failed. One sentence says what happened, one what can be
//! done.

use crate::dom::html::{button, code, div, h2, p, span};
use crate::prelude::*;
use tachys::html::event as ev;

use super::copy::copy_button;
use super::kind_link::kind_link;
use super::said::said;
use crate::dispatch::Dispatch;
use page::kind_link::KindLink;
use page::messages;
use page::model::{Clip, Edge, EmptyState};
use page::notice::Review;
use page::notice::words;

pub(crate) fn empty_state(shown: EmptyState, act: Dispatch) -> impl IntoView {
    let action = shown.action.map(|action| {
        let send = move |_| act.send(action);
        let button = button().class("btn btn-framed").on(ev::click, send).child(action.label());
        div().class("blank-actions").child(button)
    });
    let edge = |Edge { clock, action }: Edge| {
        let go =
            button().class("btn btn-framed").on(ev::click, move |_| act.send(action)).child(action.label());
        (span().class("edge-when").child(clock), go)
    };
    let edges = (!shown.edges.is_empty())
        .then(|| div().class("edges").child(shown.edges.into_iter().map(edge).collect::<Vec<_>>()));
    div().class("blank").child((
        h2().class("blank-title").child(said(&shown.title)),
        (!shown.text.is_empty()).then(|| p().child(said(&shown.text))),
        shown.review.map(|shown| review(shown, act)),
        edges,
        action,
    ))
}

/// The line that asks the same elsewhere, what can be done, and what may be seen instead.
fn review(shown: Review, act: Dispatch) -> impl IntoView {
    let command = StoredValue::new(shown.command.clone());
    let copied = move || Clip::Text(command.try_get_value().unwrap_or_default());
    (
        p().class("can-line").child(words::CHECK_YOURSELF),
        div().class("cmd can").child((
            code().child(shown.command),
            copy_button(act, "btn btn-icon", "#i-copy", messages::COPY, copied),
        )),
        p().child(shown.next),
        instead(shown.instead_title, shown.instead, act),
    )
}

fn instead(title: String, kinds: Vec<KindLink>, act: Dispatch) -> impl IntoView {
    (!kinds.is_empty()).then(|| {
        let kinds = kinds.into_iter().map(|kind| kind_link(kind, "btn btn-framed", act)).collect::<Vec<_>>();
        (p().class("can-line").child(title), div().class("may").child(kinds))
    })
}

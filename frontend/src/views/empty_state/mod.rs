//! What stands where the rows would be: empty, no match, forbidden, gone, failed. One sentence says
//! what happened, one what can be done.

use leptos::ev;
use leptos::html::{button, div, h2, p};
use leptos::prelude::*;

use crate::dispatch::Dispatch;
use page::action::Action;
use page::model::{EmptyState, EmptyStateAction};

pub(crate) fn empty_state(shown: EmptyState, act: Dispatch) -> impl IntoView {
    let action = shown.action.map(|action| {
        let (class, label, action) = match action {
            EmptyStateAction::Offer(offer) => ("btn btn-framed", offer.label(), Action::from(offer)),
            EmptyStateAction::LookEverywhere => {
                ("btn btn-framed", "Look in all namespaces", Action::LookEverywhere)
            }
        };
        let button = button().class(class).on(ev::click, move |_| act.send(action.clone())).child(label);
        div().class("blank-actions").child(button)
    });
    div().class("blank").child((
        h2().class("blank-title").child(shown.title),
        (!shown.text.is_empty()).then(|| p().child(shown.text)),
        action,
    ))
}

//! The namespace picker: its button in the top bar.

pub(crate) mod popover;

use std::sync::Arc;

use crate::dom::html::{button, div, span};
use crate::prelude::*;
use page::namespaces::words;
use shared::name::Namespace;
use shared::scope::Namespaces;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::fetched::later;
use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom::overlay::on_press_outside_while;
use crate::field::Field;
use page::action::{Action, PickerAction};
use page::namespaces::NamespaceList;

pub(crate) fn picker(list: Field<Arc<NamespaceList>>, act: Dispatch) -> impl IntoView {
    let is_open = Memo::new(move |_| list.with(|list| list.picker.is_some()));
    let is_cluster_scoped = Memo::new(move |_| list.with(|list| list.is_cluster_scoped));
    let place = NodeRef::<Div>::new();
    let is_shown = move || is_open.try_get_untracked() == Some(true);
    on_press_outside_while(place, is_shown, move |_| act.send(Action::Namespaces(PickerAction::Close)));
    div().class("anchor").node_ref(place).child(move || {
        if is_cluster_scoped.get() {
            return span()
                .class("picker picker-fixed picker-label")
                .attr("title", words::CLUSTER_SCOPED_WHY)
                .child(words::CLUSTER_SCOPED)
                .into_any();
        }
        let popover = move || is_open.get().then(|| later(act, move |views| (views.namespaces)(list, act)));
        (toggle(list, is_open, act), popover).into_any()
    })
}

fn toggle(list: Field<Arc<NamespaceList>>, is_open: Memo<bool>, act: Dispatch) -> impl IntoView {
    let action = move || if is_open.get_untracked() { PickerAction::Close } else { PickerAction::Open };
    button()
        .class("picker")
        .attr("id", "namespaces")
        .attr("aria-haspopup", "dialog")
        .attr("aria-expanded", move || is_open.get().to_string())
        .on(ev::click, move |_| act.send(Action::Namespaces(action())))
        .child((
            span().class("picker-label").child(words::LABEL),
            span().class("mono cut").child(move || list.with(|list| summary(&list.chosen).0)),
            span().class("faint").child(move || list.with(|list| summary(&list.chosen).1)),
            icon("#i-down"),
        ))
}

/// The first two names, and how many more there are.
fn summary(chosen: &Namespaces) -> (String, String) {
    match chosen {
        Namespaces::All => ("all".to_owned(), String::new()),
        Namespaces::These(names) => {
            let first: Vec<&str> = names.iter().take(2).map(Namespace::as_str).collect();
            let more = names.len().saturating_sub(first.len());
            (first.join(", "), if more == 0 { String::new() } else { format!("+{more}") })
        }
    }
}

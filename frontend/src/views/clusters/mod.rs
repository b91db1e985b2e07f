//! The cluster picker: its button in the top bar.

pub(crate) mod popover;

use crate::dom::html::{button, div, span};
use crate::prelude::*;
use std::sync::Arc;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::fetched::later;
use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom::overlay::on_press_outside_while;
use crate::field::Field;
use page::action::{Action, PickerAction};
use page::clusters::ClusterList;
use page::clusters::words;

/// Where the gateway has one cluster, its name stands there, and nothing opens.
pub(crate) fn picker(list: Field<Arc<ClusterList>>, act: Dispatch) -> impl IntoView {
    let is_open = Memo::new(move |_| list.with(|list| list.picker.is_some()));
    let can_choose = Memo::new(move |_| list.with(|list| list.can_choose));
    let label = move || list.with(|list| list.label.clone());
    let place = NodeRef::<Div>::new();
    let is_shown = move || is_open.try_get_untracked() == Some(true);
    on_press_outside_while(place, is_shown, move |_| act.send(Action::Clusters(PickerAction::Close)));
    let name = move || {
        (
            span().class("picker-label").child(words::LABEL),
            span().class("mono strong cut").attr("id", "cluster").child(label),
        )
    };
    div().class("anchor").node_ref(place).child(move || {
        if !can_choose.get() {
            return span().class("picker picker-fixed").child(name()).into_any();
        }
        let toggle = move || if is_open.get_untracked() { PickerAction::Close } else { PickerAction::Open };
        let button = button()
            .class("picker")
            .attr("id", "clusters")
            .attr("aria-haspopup", "dialog")
            .attr("aria-expanded", move || is_open.get().to_string())
            .on(ev::click, move |_| act.send(Action::Clusters(toggle())))
            .child((name(), icon("#i-down")));
        let popover = move || is_open.get().then(|| later(act, move |views| (views.clusters)(list, act)));
        (button, popover).into_any()
    })
}

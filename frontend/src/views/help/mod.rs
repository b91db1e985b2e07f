//! The sheet of keys.

use leptos::ev;
use leptos::html::{Section, div, h2, kbd, p, section, span};
use leptos::prelude::*;
use page::messages::{self, KeyGroup};

use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside;
use page::action::Action;

pub(crate) fn help(is_open: RwSignal<bool>, act: Dispatch) -> impl IntoView {
    move || is_open.get().then(|| sheet(act))
}

fn sheet(act: Dispatch) -> impl IntoView {
    let place = NodeRef::<Section>::new();
    place.on_load(|section| dom::element::focus(&section));
    on_press_outside(place, move |_| act.send(Action::Help(false)));
    section()
        .class("pop pop-pad pop-help")
        .attr("id", "help")
        .attr("role", "dialog")
        .attr("aria-label", messages::KEYS)
        .attr("tabindex", "-1")
        .node_ref(place)
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                act.send(Action::Help(false));
            }
        })
        .child((
            div().class("keys").child(messages::KEY_GROUPS.iter().map(column).collect::<Vec<_>>()),
            p().class("pop-foot").child(messages::KEYS_FOOT),
        ))
}

fn column((title, lines): &'static KeyGroup) -> impl IntoView {
    let lines: Vec<_> = lines
        .iter()
        .map(|(keys, what)| {
            let keys: Vec<_> = keys.iter().map(|key| (kbd().child(*key), " ")).collect();
            (span().child(keys), span().class("soft").child(*what))
        })
        .collect();
    div().class("keys-col").child((h2().class("keys-title").child(*title), lines))
}

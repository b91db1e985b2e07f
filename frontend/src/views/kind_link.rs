//! A link that opens a kind in the active pane.

use crate::dom::html::a;
use crate::prelude::*;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use crate::dom;
use page::action::Action;
use page::kind_link::KindLink;

/// It closes "What may I see?", in which it may stand.
pub(super) fn kind_link(kind: KindLink, class: &'static str, act: Dispatch) -> impl IntoView {
    let KindLink { resource, href } = kind;
    let name = resource.to_string();
    a().class(class)
        .attr("href", dom::address::href(href))
        .on(ev::click, move |event| {
            if dom::element::is_plain(&event) {
                event.prevent_default();
                act.send(Action::Rights(false));
                act.send(Action::OpenKind(resource.clone()));
            }
        })
        .child(name)
}

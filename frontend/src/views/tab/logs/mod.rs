//! The tab Logs, as the panel has it: the place of what shows them, which is fetched when its reader opens the tab.

mod line;
mod tools;
mod view;

use crate::dom::html::{b, div, span};
use crate::prelude::*;
use page::model::PieceShown;
use page::tab::logs::Fields;
use tachys::html::event::KeyboardEvent;
use web_sys::HtmlElement;

use super::super::fetched::{logs_view, missing};
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::{Field, Signal};

pub(crate) use view::view;

/// A key that goes to a field of the tab, or presses what has the focus.
pub(in crate::views) fn takes_key(event: &KeyboardEvent, panel: &HtmlElement) -> bool {
    match dom::element::plain_key(event).as_deref() {
        Some("/") => {
            event.prevent_default();
            event.stop_propagation();
            dom::element::focus_first(panel, "#logs-find");
            true
        }
        Some(" ") => dom::element::is_within(event, "button, a, label"),
        _ => false,
    }
}

pub(super) fn logs(signals: Fields<Signal>, piece: Field<PieceShown>, act: Dispatch) -> AnyView {
    let refused = Memo::new(move |_| signals.refused.get());
    let body = move || match (refused.get(), piece.get(), logs_view()) {
        (Some((strong, why)), ..) => {
            let said = (b().child(strong), span().child(why));
            div().class("lg-body").child(div().class("lg-empty").child(said)).into_any()
        }
        (None, PieceShown::Here, Some(view)) => view(signals, act),
        (None, shown, _) => missing(&shown, act),
    };
    div()
        .class("lg")
        .attr("id", "tabpanel")
        .attr("role", "tabpanel")
        .attr("aria-labelledby", "tab-logs")
        .child(body)
        .into_any()
}

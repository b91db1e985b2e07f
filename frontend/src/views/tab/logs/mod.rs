//! The tab Logs, as the panel has it: the place of what shows them, which is fetched when its reader opens the tab.

mod last;
mod line;
mod shown;
mod tools;
mod view;

use crate::dom::html::{b, div, span};
use crate::prelude::*;
use page::logs::{LastView, LogsShown, LogsView};
use page::tab::logs::LogsMissing;
use tachys::html::event::KeyboardEvent;
use web_sys::HtmlElement;

use super::super::fetched::{PanelHeadField, logs_view, missing as piece_missing};
use crate::dispatch::Dispatch;
use crate::dom;

pub(crate) use view::view;

fn shown(head: PanelHeadField) -> LogsShown {
    head.with(|head| head.as_ref().map(|head| head.logs.clone()).unwrap_or_default())
}

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

/// With what the overview begins: the last lines of a container that fails, where there are some.
pub(super) fn last_lines(head: PanelHeadField, act: Dispatch) -> impl IntoView {
    let is_there = Memo::new(move |_| shown(head).read::<LastView>().is_some());
    move || is_there.get().then(logs_view).flatten().map(|view| view(head, act))
}

pub(super) fn logs(head: PanelHeadField, act: Dispatch) -> AnyView {
    let has_view = Memo::new(move |_| shown(head).read::<LogsView>().is_some());
    let missing = move || match shown(head).read::<LogsMissing>().cloned() {
        Some(LogsMissing::Refused(strong, why)) => {
            let said = (b().child(strong), span().child(why));
            div().class("lg-body").child(div().class("lg-empty").child(said)).into_any()
        }
        Some(LogsMissing::Piece(piece)) => piece_missing(&piece, act),
        None => ().into_any(),
    };
    // Read before the view is looked for, so that this is made anew once there is one.
    let body = move || match (has_view.get(), logs_view()) {
        (true, Some(view)) => view(head, act),
        _ => missing.into_any(),
    };
    div()
        .class("lg")
        .attr("id", "tabpanel")
        .attr("role", "tabpanel")
        .attr("aria-labelledby", "tab-logs")
        .child(body)
        .into_any()
}

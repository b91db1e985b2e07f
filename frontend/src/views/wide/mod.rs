//! The switch of the server's wide columns, in a view's head and in its list of columns.

use crate::dom::html::{button, div};
use crate::prelude::*;
use page::messages;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use crate::signals::PaneSignals;
use page::action::PaneAction;
use page::model::WideColumns;

/// Auto, Narrow, Wide.
pub(crate) fn wide_columns(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let chosen = Memo::new(move |_| signals.head.with(|head| head.wide));
    let has_rows = Memo::new(move |_| signals.head.with(|head| head.content.has_rows()));
    let choice = move |wide: WideColumns| {
        let (word, title) = messages::wide_columns(wide);
        button()
            .attr("aria-pressed", move || (chosen.get() == wide).to_string())
            .attr("title", title)
            .attr("aria-disabled", move || (!has_rows.get()).then_some("true"))
            .on(ev::click, move |_| act.send(PaneAction::Wide(wide)))
            .child(word)
    };
    div()
        .class("seg")
        .attr("role", "group")
        .attr("aria-label", messages::WIDE_COLUMNS)
        .attr("aria-keyshortcuts", "w")
        .child(WideColumns::ALL.map(choice).into_iter().collect::<Vec<_>>())
}

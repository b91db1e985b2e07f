//! The last lines of a container that fails, with which the overview begins. It comes with the piece that has the logs.

use crate::dom::html::{button, div, h3, section, span};
use crate::prelude::*;
use page::logs::{LastLine, LastView, Level, LogsAction, words};
use tachys::html::event as ev;

use super::super::super::fetched::PanelHeadField;
use super::line::piece;
use crate::dispatch::Dispatch;
use crate::dom;

pub(super) fn last(head: PanelHeadField, act: Dispatch) -> AnyView {
    let shown = Memo::new(move |_| super::shown(head).read::<LastView>().cloned());
    let body = move || {
        shown.get().map(|LastView { container, run, lines }| {
            let run = (!run.is_empty()).then(|| span().class("faint").child(run));
            let title = h3().class("part-title").child((
                span().child((words::LAST_LINES_OF, " ", span().class("mono").child(container))),
                run,
                button()
                    .class("last-all")
                    .attr("id", "last-all")
                    .attr("aria-keyshortcuts", "i")
                    .on(ev::click, move |event| {
                        // The button goes with the overview.
                        dom::element::focus_around(&event, ".panel");
                        act.send(LogsAction::OpenLast);
                    })
                    .child(words::ALL_LINES),
            ));
            let lines = lines.into_iter().map(line).collect::<Vec<_>>();
            section()
                .class("part last")
                .attr("id", "last-lines")
                .child((title, div().class("last-lines").child(lines)))
        })
    };
    body.into_any()
}

fn line(LastLine { time, level, pieces }: LastLine) -> impl IntoView {
    let class = match level {
        Some(Level::Error | Level::Fatal) => "last-line lg-error",
        Some(Level::Warn) => "last-line lg-warn",
        Some(Level::Debug | Level::Trace) => "last-line lg-quiet",
        _ => "last-line",
    };
    let text = pieces.iter().map(piece).collect::<Vec<_>>();
    div()
        .class(class)
        .attr("title", time)
        .child((span().class("lg-edge"), span().class("last-text").child(text)))
}

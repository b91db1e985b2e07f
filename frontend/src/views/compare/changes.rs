//! The recorded changes of a view until a time of the past, the newest first. Each leads to its object as of then.

use crate::dom::html::{a, b, button, div, span};
use crate::prelude::*;
use tachys::html::event as ev;

use super::super::icons::icon;
use super::{Does, cell, place, region, said};
use crate::dispatch::Dispatch;
use crate::dom;
use page::action::{Action, of_changes};
use page::past::{ChangeList, ChangeRow, InPlaceOfRows, ReplacedRows, words};

pub(in crate::views) fn changes(shown: Memo<ReplacedRows>, act: Dispatch) -> AnyView {
    let shown = Memo::new(move |_| {
        shown.with(|shown| match shown.0.as_deref() {
            Some(InPlaceOfRows::Changes(made)) => Some(made.clone()),
            _ => None,
        })
    });
    let inside =
        (move || shown.get().map(|shown| head(&shown, act)), move || shown.get().map(|shown| body(&shown)));
    region(
        || Some(words::CHANGES_OF_THE_PAST.to_owned()),
        inside.into_any(),
        Does { key: of_changes, link: Action::OpenLink },
        act,
    )
}

fn head(shown: &ChangeList, act: Dispatch) -> AnyView {
    div()
        .class("cmpv-head")
        .child((
            span().class("cmpv-times").child((words::CHANGES_UNTIL, b().child(shown.until.clone()))),
            button()
                .class("btn btn-framed cmpv-end")
                .attr("title", words::TO_ROWS)
                .on(ev::click, move |_| act.send(Action::ToggleLog))
                .child((icon("#i-close"), words::ROWS)),
        ))
        .into_any()
}

fn body(shown: &ChangeList) -> AnyView {
    let told = |text: &String, class: &'static str| {
        (!text.is_empty()).then(|| div().class(class).child(text.clone()))
    };
    let rows: Vec<_> = shown.rows.iter().map(row).collect();
    let list = (!rows.is_empty()).then(|| div().attr("role", "list").child(rows));
    (told(&shown.note, "cmpv-note"), list, told(&shown.foot, "cmpv-note faint")).into_any()
}

fn row(shown: &ChangeRow) -> AnyView {
    let (class, sign, word) = said(shown.kind);
    let name = match &shown.href {
        Some(href) => {
            a().class("cmpv-name").attr("href", dom::address::href(href)).child(shown.name.clone()).into_any()
        }
        None => span().class("cmpv-name").child(shown.name.clone()).into_any(),
    };
    let note = (!shown.note.is_empty()).then(|| span().class("cmpv-cell faint").child(shown.note.clone()));
    let cells: Vec<_> = shown.cells.iter().map(cell).collect();
    div()
        .class(format!("cmpv-row cmpv-change {class}"))
        .attr("role", "listitem")
        .child((
            span()
                .class("cmpv-sign")
                .attr("title", word)
                .child((span().attr("aria-hidden", "true").child(sign), span().class("sr").child(word))),
            span()
                .class("cmpv-clock")
                .child((shown.clock.clone(), span().class("faint").child(shown.millis.clone()))),
            span().class("cmpv-of").child(span().class("cmpv-names").child((
                name,
                span().class("cmpv-place faint").child(place(&shown.cluster, &shown.namespace)),
            ))),
            span().class("cmpv-cells").child((cells, note)),
        ))
        .into_any()
}

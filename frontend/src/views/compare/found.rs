//! The search for a word in the past: a field, and the objects that had the word, with the times in which they had it.

use crate::dom::html::{a, b, button, div, input, span};
use crate::prelude::*;
use tachys::html::element::{Div, Input};
use tachys::html::event as ev;

use super::super::icons::icon;
use super::place;
use crate::dispatch::Dispatch;
use crate::dom;
use page::action::{Action, PastAction};
use page::past::{FoundList, FoundRow, InPlaceOfRows, ReplacedRows, words};

/// The times of the objects, which keys go through.
const LINKS: &str = "a.cmpv-time";

pub(in crate::views) fn found(shown: Memo<ReplacedRows>, act: Dispatch) -> AnyView {
    let shown = Memo::new(move |_| {
        shown.with(|shown| match shown.0.as_deref() {
            Some(InPlaceOfRows::Found(made)) => made.clone(),
            _ => FoundList::default(),
        })
    });
    let (root, field) = (NodeRef::<Div>::new(), NodeRef::<Input>::new());
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            dom::element::focus(&field);
        }
    });
    div()
        .class("cmpv")
        .attr("role", "region")
        .attr("aria-label", words::FIND)
        .node_ref(root)
        .on(ev::keydown, move |event| match event.key().as_str() {
            "Escape" => {
                event.stop_propagation();
                act.send(PastAction::Find);
            }
            "ArrowDown" | "ArrowUp" => {
                let by = if event.key() == "ArrowDown" { 1 } else { -1 };
                event.prevent_default();
                if let Some(root) = root.get_untracked() {
                    let went = dom::element::focus_next(&event, &root, LINKS, by);
                    if !went && by > 0 && dom::element::is_typing(&event) {
                        dom::element::focus_first(&root, LINKS);
                    }
                }
            }
            _ => {}
        })
        .on(ev::click, move |event| {
            // A new tab is the browser's.
            let link = dom::element::around(&event, "href");
            let link = link.and_then(|link| dom::address::below_base(&link));
            if let Some(link) = link.filter(|_| dom::element::is_plain(&event)) {
                event.prevent_default();
                act.send(Action::OpenLink(link));
            }
        })
        .child((head(shown, field, act), move || body(&shown.get())))
        .into_any()
}

fn head(shown: Memo<FoundList>, field: NodeRef<Input>, act: Dispatch) -> AnyView {
    let counted = move || {
        shown.with(|shown| {
            let has_rows = !shown.rows.is_empty();
            has_rows.then(|| words::found_in(&shown.word, shown.rows.len()))
        })
    };
    // A link has a word.
    let word = Memo::new(move |_| shown.with(|shown| shown.word.clone()));
    div()
        .class("cmpv-head")
        .child((
            div().class("cmpv-field").child((
                icon("#i-find"),
                input()
                    .node_ref(field)
                    .attr("type", "text")
                    .attr("aria-label", words::FIND_LABEL)
                    .attr("placeholder", words::FIND_WHAT)
                    .attr("autocomplete", "off")
                    .attr("spellcheck", "false")
                    .prop("value", move || word.get())
                    .on(ev::keydown, move |event| {
                        if event.key() == "Enter" {
                            act.send(PastAction::FindWord(event_target_value(&event)));
                        }
                    }),
            )),
            span().class("cmpv-counts").attr("role", "status").child(counted),
            button()
                .class("btn btn-framed cmpv-end")
                .attr("title", words::END_SEARCH)
                .on(ev::click, move |_| act.send(PastAction::Find))
                .child((icon("#i-close"), words::ROWS)),
        ))
        .into_any()
}

fn body(shown: &FoundList) -> AnyView {
    let said = |text: &String, class: &'static str| {
        (!text.is_empty()).then(|| div().class(class).child(text.clone()))
    };
    let rows: Vec<_> = shown.rows.iter().map(row).collect();
    let list = (!rows.is_empty()).then(|| div().attr("role", "list").child(rows));
    (said(&shown.note, "cmpv-note"), list, said(&shown.foot, "cmpv-note faint")).into_any()
}

fn row(shown: &FoundRow) -> AnyView {
    let time = |(said, href): &(String, Option<String>)| match href {
        Some(href) => {
            a().class("cmpv-time").attr("href", dom::address::href(href)).child(said.clone()).into_any()
        }
        None => span().class("cmpv-time").child(said.clone()).into_any(),
    };
    let times: Vec<_> = shown.times.iter().map(time).collect();
    div()
        .class("cmpv-row cmpv-found")
        .attr("role", "listitem")
        .child((
            span().class("cmpv-of").child(span().class("cmpv-names").child((
                b().class("cmpv-name").child(shown.name.clone()),
                span().class("cmpv-place faint").child(place(&shown.cluster, &shown.namespace)),
            ))),
            span().class("cmpv-cells").child((
                span().class("cmpv-times").child(times),
                span().class("cmpv-cell").child((
                    span().class("chg-path").child(shown.path.clone()),
                    span().class("chg-now").child(shown.text.clone()),
                )),
            )),
        ))
        .into_any()
}

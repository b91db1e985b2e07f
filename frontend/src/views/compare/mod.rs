//! What stands in place of the rows of a view where its past is looked into: what differs between two times, or which
//! objects had a word.

pub(super) mod changes;
pub(super) mod found;

use crate::dom::html::{a, b, button, div, h2, s, section, span};
use crate::prelude::*;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::css;
use super::icons::{glyph, icon};
use crate::dispatch::Dispatch;
use crate::dom;
use page::action::{Action, PastAction, TwoLetters, of_comparison};
use page::messages;
use page::past::{
    ComparedCell, ComparedRow, Group, GroupKind, InPlaceOfRows, ReplacedRows, ViewComparison, words,
};

/// The names of objects, which keys go through.
const LINKS: &str = "a.cmpv-name";

pub(super) fn comparison(shown: Memo<ReplacedRows>, act: Dispatch) -> AnyView {
    let shown = Memo::new(move |_| {
        shown.with(|shown| match shown.0.as_deref() {
            Some(InPlaceOfRows::Comparison(made)) => Some(made.clone()),
            _ => None,
        })
    });
    let label = move || {
        shown.with(|shown| {
            shown.as_ref().map(|shown| words::compared(&shown.resource, &shown.from, &shown.to))
        })
    };
    let inside =
        (move || shown.get().map(|shown| head(&shown, act)), move || shown.get().map(|shown| body(&shown)));
    region(label, inside.into_any(), Does { key: of_comparison, link: Action::FollowLink }, act)
}

/// What a key does that the region itself doesn't use, and where a name leads.
#[derive(Clone, Copy)]
pub(super) struct Does {
    pub(super) key: fn(&str) -> Option<Action>,
    pub(super) link: fn(String) -> Action,
}

/// Where keys go from name to name, and do for the view what they do in the rows.
pub(super) fn region(
    label: impl Fn() -> Option<String> + Send + Sync + 'static,
    inside: AnyView,
    does: Does,
    act: Dispatch,
) -> AnyView {
    let root = NodeRef::<Div>::new();
    // The rows had the focus.
    Effect::new(move |_| {
        if let Some(root) = root.get() {
            dom::element::focus(&root);
        }
    });
    let letters = StoredValue::new(TwoLetters::default());
    div()
        .class("cmpv")
        .attr("role", "region")
        .attr("tabindex", "0")
        .attr("aria-label", label)
        .node_ref(root)
        .on(ev::keydown, move |event| {
            let key = dom::element::plain_key(&event);
            let by = match key.as_deref() {
                Some("j" | "ArrowDown") => 1,
                Some("k" | "ArrowUp") => -1,
                _ => {
                    act.send_key(&event, letters, does.key);
                    // A letter of the rows does nothing here, because none of them is seen.
                    let is_free = |key: &String| key.chars().all(char::is_alphabetic) && key.len() == 1;
                    if let Some(key) = key.filter(is_free).filter(|_| !event.default_prevented()) {
                        event.prevent_default();
                        act.send(Action::NoKey(key));
                    }
                    return;
                }
            };
            event.prevent_default();
            if let Some(root) = root.get_untracked()
                && !dom::element::focus_next(&event, &root, LINKS, by)
                && by > 0
                && dom::element::is_on_itself(&event)
            {
                dom::element::focus_first(&root, LINKS);
            }
        })
        .on(ev::click, move |event| {
            // A new tab is the browser's.
            let link = dom::element::around(&event, "href");
            let link = link.and_then(|link| dom::address::below_base(&link));
            if let Some(link) = link.filter(|_| dom::element::is_plain(&event)) {
                event.prevent_default();
                act.send((does.link)(link));
            }
        })
        .child(inside)
        .into_any()
}

fn head(shown: &ViewComparison, act: Dispatch) -> AnyView {
    let count = |group: &Group| {
        let (class, _, word) = said(group.kind);
        span().class(class).child((b().child(messages::count(group.count)), " ", word.to_lowercase()))
    };
    let counts: Vec<_> = shown.groups.iter().map(count).collect();
    div()
        .class("cmpv-head")
        .child((
            span().class("cmpv-times").child((
                b().child(shown.from.clone()),
                span().class("chg-to").child(("→", span().class("sr").child(words::UNTIL))),
                b().child(shown.to.clone()),
            )),
            span().class("cmpv-counts").attr("role", "status").child(counts),
            // It keeps its place while nothing has changed since.
            span().class("cmpv-again").class(("cmpv-old", shown.is_old)).child(
                button()
                    .class("btn btn-framed")
                    .attr("title", words::COMPARE_AGAIN)
                    .on(ev::click, move |_| act.send(PastAction::CompareAgain))
                    .child(words::AGAIN),
            ),
            button()
                .class("btn btn-framed cmpv-end")
                .attr("title", words::END_COMPARISON)
                .on(ev::click, move |_| act.send(PastAction::Compare))
                .child((icon("#i-close"), words::ROWS)),
        ))
        .into_any()
}

fn body(shown: &ViewComparison) -> AnyView {
    let note = (!shown.note.is_empty()).then(|| div().class("cmpv-note").child(shown.note.clone()));
    let foot = (!shown.foot.is_empty() && shown.note.is_empty())
        .then(|| div().class("cmpv-note faint").child(shown.foot.clone()));
    let groups: Vec<_> = shown.groups.iter().map(group).collect();
    (note, groups, foot).into_any()
}

/// The class, the sign and the word of a group.
fn said(kind: GroupKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        GroupKind::Went => ("cmpv-went", "−", words::WENT),
        GroupKind::Came => ("cmpv-came", "+", words::CAME),
        GroupKind::Changed => ("cmpv-changed", "~", words::CHANGED),
    }
}

fn group(group: &Group) -> AnyView {
    let (class, sign, word) = said(group.kind);
    let rows: Vec<_> = group.rows.iter().map(|shown| row(shown, sign)).collect();
    let more = (!group.more.is_empty()).then(|| div().class("cmpv-note faint").child(group.more.clone()));
    section()
        .class(format!("cmpv-group {class}"))
        .child((
            h2().class("cmpv-title").child((
                word,
                " ",
                span().class("faint").child(messages::count(group.count)),
            )),
            div().attr("role", "list").child(rows),
            more,
        ))
        .into_any()
}

/// The cluster, where there are several, and the namespace.
fn place(cluster: &str, namespace: &str) -> String {
    let parts = [cluster, namespace].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

fn row(shown: &ComparedRow, sign: &'static str) -> AnyView {
    let name = match &shown.href {
        Some(href) => {
            a().class("cmpv-name").attr("href", dom::address::href(href)).child(shown.name.clone()).into_any()
        }
        None => span().class("cmpv-name").child(shown.name.clone()).into_any(),
    };
    let recreated = shown.is_recreated.then(|| span().class("cmpv-cell cmpv-alone").child(words::RECREATED));
    let cells: Vec<_> = shown.cells.iter().map(cell).collect();
    div()
        .class("cmpv-row")
        .attr("role", "listitem")
        .child((
            span().class("cmpv-sign").attr("aria-hidden", "true").child(sign),
            span().class(format!("cmpv-of {}", css::status(shown.class))).child((
                glyph(css::glyph(shown.class)),
                span().class("cmpv-names").child((
                    name,
                    span().class("cmpv-place faint").child(place(&shown.cluster, &shown.namespace)),
                )),
            )),
            span().class("cmpv-cells").child((recreated, cells)),
        ))
        .into_any()
}

fn cell(shown: &ComparedCell) -> AnyView {
    let title = span().class("cmpv-column").child(shown.title.clone());
    let text = match (shown.is_alone, shown.old.is_empty()) {
        (true, true) => span().child(shown.new.clone()).into_any(),
        (true, false) => span().child(shown.old.clone()).into_any(),
        (false, _) => (
            span().class("chg-was").child(s().child(shown.old.clone())),
            span().class("chg-to").child(("→", span().class("sr").child(messages::BECAME))),
            span().class("chg-now").child(shown.new.clone()),
        )
            .into_any(),
    };
    span().class("cmpv-cell").class(("cmpv-alone", shown.is_alone)).child((title, text)).into_any()
}

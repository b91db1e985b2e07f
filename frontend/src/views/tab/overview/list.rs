//! Small tables of the panel. A row stays in the DOM while it is unchanged.

use std::hash::Hash;

use crate::dom::html::keyed;
use crate::dom::html::{div, h3, section, span};
use crate::prelude::*;

/// A part with a title, hidden while it is empty.
pub(super) fn part(
    id: &'static str,
    title: &'static str,
    note: &'static str,
    is_there: Memo<bool>,
    body: impl Fn() -> AnyView + Send + Sync + 'static,
) -> impl IntoView {
    move || {
        is_there.get().then(|| {
            section().class("part").attr("id", id).child((
                h3().class("part-title")
                    .child((title, (!note.is_empty()).then(|| (" ", span().class("faint").child(note))))),
                body(),
            ))
        })
    }
}

pub(super) fn table<T, R>(
    class: &'static str,
    titles: [&'static str; 4],
    rows: impl Fn() -> Vec<T> + Send + Sync + 'static,
    row: fn(T) -> R,
) -> AnyView
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
    R: IntoView + 'static,
{
    let head = titles.map(|title| div().attr("role", "columnheader").child(title));
    let rows = keyed(rows, Clone::clone, row);
    div()
        .class(format!("list {class}"))
        .attr("role", "table")
        .child((
            div().class("list-row list-head").attr("role", "row").child(head.into_iter().collect::<Vec<_>>()),
            rows,
        ))
        .into_any()
}

pub(super) fn cell(class: &'static str, content: impl IntoView + 'static) -> impl IntoView {
    div().attr("role", "cell").class(class).child(content)
}

/// A cell with its column's title, which a narrow table shows before it.
pub(super) fn labelled(
    class: &'static str,
    label: &'static str,
    content: impl IntoView + 'static,
) -> impl IntoView {
    div().attr("role", "cell").class(class).attr("data-label", label).child(content)
}

//! The owner tree: the owners, the object, and its dependents, each with its status.

use std::sync::Arc;

use leptos::html::{a, div, span};
use leptos::prelude::*;

use super::super::icons::icon;
use super::head::status;
use page::model::TreeRow;

pub(super) fn tree(rows: RwSignal<Arc<Vec<TreeRow>>>) -> impl IntoView {
    let each = move || rows.with(|rows| rows.to_vec());
    div().class("tree").attr("role", "list").child(For(ForProps { each, key: Clone::clone, children: row }))
}

fn row(shown: TreeRow) -> impl IntoView {
    let TreeRow { depth, kind, name: (owner, rest), href, ready, status: state, age, is_here, note } = shown;
    let name = (owner, (!rest.is_empty()).then(|| span().class("faint").child(rest)));
    let name = match href {
        Some(href) => a().class("mono").attr("href", href).child(name).into_any(),
        None => span().class("mono").child(name).into_any(),
    };
    let tail = match note {
        Some(note) => {
            let lock = note.is_locked.then(|| icon("#i-lock"));
            span().class("tree-note faint").child((lock, note.text)).into_any()
        }
        None => (
            span().child(ready),
            span().child(state.map(|(class, word)| status(class, word))),
            span().class("faint").child(age),
        )
            .into_any(),
    };
    let indent = (0..depth).map(|_| span().class("tree-step")).collect::<Vec<_>>();
    div()
        .class("tree-row")
        .class(("tree-here", is_here))
        .attr("role", "listitem")
        .attr("aria-current", is_here.then_some("true"))
        .attr("aria-level", (depth + 1).to_string())
        .child((
            span().class("tree-name").child((
                indent,
                span().class("cut").child((span().class("tree-kind").child(kind), " ", name)),
            )),
            tail,
        ))
}

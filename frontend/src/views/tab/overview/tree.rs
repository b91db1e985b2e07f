//! The objects around the object, in groups: its owners and dependents, or what it selects and is used by, each with
//! its status.

use std::sync::Arc;

use crate::dom::html::keyed;
use crate::dom::html::{a, details, div, h3, section, span, summary};
use crate::prelude::*;

use super::super::super::icons::icon;
use super::super::super::panel::head::status;
use crate::dom;
use crate::field::Field;
use page::tab::overview::tree::{TreeGroup, TreeRow};
use page::tab::overview::words;

pub(super) fn tree(groups: Field<Arc<Vec<TreeGroup>>>) -> impl IntoView {
    let titles =
        Memo::new(move |_| groups.with(|groups| groups.iter().map(|group| group.title).collect::<Vec<_>>()));
    let each = move || titles.get().into_iter().enumerate().collect::<Vec<_>>();
    let group = move |(at, title): (usize, &'static str)| {
        let said = Memo::new(move |_| {
            groups.with(|groups| groups.get(at).map(|group| group.note.clone()).unwrap_or_default())
        });
        let note = move || (!said.read().is_empty()).then(|| (" ", span().class("faint").child(said.get())));
        // A key scrolls to the first group.
        let id = (at == 0).then_some("tree");
        let rows =
            move || groups.with(|groups| groups.get(at).map(|group| group.rows.clone()).unwrap_or_default());
        let rows = keyed(rows, Clone::clone, row);
        section().class("part").attr("id", id).child((
            h3().class("part-title").child((title, note)),
            div().class("tree").attr("role", "list").attr("aria-label", title).child(rows),
            former(groups, at),
        ))
    };
    keyed(each, Clone::clone, group)
}

/// The ReplicaSets of former revisions, folded: a workload keeps ten of them.
fn former(groups: Field<Arc<Vec<TreeGroup>>>, at: usize) -> impl IntoView {
    let held = Memo::new(move |_| {
        groups.with(|groups| groups.get(at).map(|group| group.former.clone()).unwrap_or_default())
    });
    let number = Memo::new(move |_| held.read().len());
    move || {
        (number.get() > 0).then(|| {
            let rows = move || held.get().into_iter().map(row).collect::<Vec<_>>();
            let label = move || words::former_revisions(number.get());
            let list = div().class("tree").attr("role", "list").attr("aria-label", label).child(rows);
            details().class("more").child((summary().child(label), list)).into_any()
        })
    }
}

fn row(shown: TreeRow) -> AnyView {
    let TreeRow { depth, kind, name: (owner, rest), mark, href, ready, status: state, age, is_here, note } =
        shown;
    let title = format!("{owner}{rest}");
    let name = (span().class("cut").child(owner), span().class("tree-end").child(rest));
    let name = match href {
        Some(href) => {
            let link = a().class("tree-of mono").attr("href", dom::address::href(href));
            link.attr("title", title).child(name).into_any()
        }
        None => span().class("tree-of mono").attr("title", title).child(name).into_any(),
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
    let indent = |steps: usize| (0..steps).map(|_| span().class("tree-step")).collect::<Vec<_>>();
    // Below the name, which needs the whole width.
    let mark = (!mark.is_empty()).then(|| {
        span().class("tree-name tree-mark").child((indent(depth + 1), span().class("faint cut").child(mark)))
    });
    div()
        .class("tree-row")
        .class(("tree-here", is_here))
        .attr("role", "listitem")
        .attr("aria-current", is_here.then_some("true"))
        .attr("aria-level", (depth + 1).to_string())
        .child((
            span().class("tree-name").child((
                indent(depth),
                span().class("tree-kind").child(kind),
                " ",
                name,
            )),
            mark,
            tail,
        ))
        .into_any()
}

//! Placeholders for rows that haven't arrived.

use std::sync::Arc;

use crate::dom::html::{div, span};
use crate::field::Field;
use crate::prelude::*;

use page::model::TableHead;

pub(super) fn skeleton_row(table: Field<Arc<TableHead>>) -> impl IntoView {
    let columns = table.with(|table| table.columns.len());
    // NAMESPACE is known before the server's columns.
    let class = if columns < 2 { "tr tr-bones tr-bones-unnamed" } else { "tr tr-bones" };
    let bone = |at: usize| match at % 3 {
        0 => Some(span().class("bone bone-short")),
        1 => Some(span().class("bone")),
        _ => None,
    };
    let cells: Vec<_> = (0..columns.max(4)).map(|at| div().class("td").child(bone(at))).collect();
    div().class(class).attr("aria-hidden", "true").child((div().class("td"), cells))
}

//! A mounted row: a gutter with the sign of a change, then the cells. It is used for one object after another, and only
//! what differs is written.

use page::messages;
use web_sys::Element;

use super::cell::{Cell, CellKind};
use crate::dom::build::{self, Builder};
use page::model::{SeenRow, Sign};

pub(super) struct MountedRow {
    element: Element,
    gutter: Element,
    cells: Vec<Cell>,
    /// What is written in the elements.
    shown: Option<SeenRow>,
}

impl MountedRow {
    /// Appends a row to `space`.
    pub(super) fn new(builder: &Builder, space: &Element, cells: &[CellKind]) -> Option<Self> {
        let element = builder.element(space, "div", "tr")?;
        build::set(&element, "role", "row");
        build::set(&element, "part", "row");
        let gutter = builder.element(&element, "div", "td gutter")?;
        build::set(&gutter, "role", "gridcell");
        let cells = cells.iter().filter_map(|kind| Cell::new(builder, &element, kind)).collect();
        Some(Self { element, gutter, cells, shown: None })
    }

    /// The row may have the keyboard's focus.
    pub(super) fn has_focus(&self) -> bool {
        self.shown.as_ref().is_some_and(|row| row.has_focus)
    }

    /// Removes the row from the document, until it enters again.
    pub(super) fn remove(&self) {
        self.element.remove();
    }

    /// Appends the row to `space` if it isn't in the document.
    pub(super) fn enter(&self, space: &Element) {
        if !self.element.is_connected() {
            build::append(space, &self.element);
        }
    }

    pub(super) fn write(&mut self, builder: &Builder, cells: &[CellKind], row: &SeenRow) {
        let previous = self.shown.as_ref();
        if previous == Some(row) {
            return;
        }
        if previous.map(|previous| previous.id) != Some(row.id) {
            build::set(&self.element, "data-row", &row.id.to_string());
        }
        if previous.map(class) != Some(class(row)) {
            build::set(&self.element, "class", class(row));
        }
        if previous.map(|previous| previous.is_selected) != Some(row.is_selected) {
            build::set(&self.element, "aria-selected", if row.is_selected { "true" } else { "false" });
        }
        if previous.map(|previous| previous.is_reachable) != Some(row.is_reachable) {
            build::set(&self.element, "tabindex", if row.is_reachable { "0" } else { "-1" });
        }
        if previous.map(|previous| previous.place) != Some(row.place) {
            // The header is the first.
            build::set(&self.element, "aria-rowindex", &(row.place + 2).to_string());
        }
        if previous.map(|previous| previous.top_px) != Some(row.top_px) {
            build::style(&self.element, "top", &format!("{}px", row.top_px));
        }
        if previous.is_some_and(|previous| previous.is_stale) != row.is_stale {
            build::set(&self.element, "data-stale", if row.is_stale { "1" } else { "" });
        }
        if previous.is_some_and(|previous| previous.is_linked) != row.is_linked {
            build::set(&self.element, "data-linked", if row.is_linked { "1" } else { "" });
        }
        let gutter = |row: &SeenRow| (row.sign, row.is_kept, row.is_stale, row.is_linked);
        if previous.map_or((None, false, false, false), gutter) != gutter(row) {
            self.write_gutter(builder, row);
        }
        for (place, ((cell, now), kind)) in self.cells.iter_mut().zip(&row.cells).zip(cells).enumerate() {
            cell.write(builder, &kind.class, previous.and_then(|previous| previous.cells.get(place)), now);
            cell.link(row.href.as_ref());
        }
        self.shown = Some(row.clone());
    }

    fn write_gutter(&self, builder: &Builder, row: &SeenRow) {
        let (class, sign, word) = match row.sign {
            None if row.is_kept => ("td gutter gutter-kept", "≠", messages::NO_LONGER_MATCHES),
            None if row.is_stale => ("td gutter", "", messages::ROW_STALE),
            None if row.is_linked => ("td gutter", "", messages::ROW_LINKED),
            None => ("td gutter", "", ""),
            Some(Sign::Added) => ("td gutter gutter-add", "+", messages::ROW_ADDED),
            Some(Sign::Modified) => ("td gutter gutter-mod", "~", messages::ROW_MODIFIED),
            Some(Sign::Masked) => ("td gutter gutter-mod", "~", messages::ROW_MASKED),
            Some(Sign::Deleted) => ("td gutter gutter-del", "−", messages::ROW_DELETED),
        };
        build::set(&self.gutter, "class", class);
        if row.is_kept || row.sign == Some(Sign::Masked) {
            build::set(&self.element, "title", word);
        } else {
            let _ = self.element.remove_attribute("title");
        }
        self.gutter.set_text_content(Some(sign));
        if let Some(said) = (!word.is_empty()).then(|| builder.element(&self.gutter, "span", "sr")).flatten()
        {
            said.set_text_content(Some(word));
        }
    }
}

fn class(row: &SeenRow) -> &'static str {
    match (row.sign == Some(Sign::Deleted), row.is_kept, row.has_focus) {
        (false, false, false) => "tr",
        (false, false, true) => "tr tr-focus",
        (false, true, false) => "tr tr-kept",
        (false, true, true) => "tr tr-kept tr-focus",
        (true, _, false) => "tr tr-gone",
        (true, _, true) => "tr tr-gone tr-focus",
    }
}

//! The mounted rows. The elements of a row that leaves the window are used again for another row. Rows aren't moved in
//! the document while rows come and go; after that they are put in order, for screen readers and for selecting text.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};

use shared::row::RowId;
use web_sys::HtmlElement;

use super::cell::CellKind;
use super::row::MountedRow;
use crate::dom;
use crate::dom::build::Builder;
use crate::dom::timing::Frame;
use page::model::{SeenColumn, SeenRow, SeenRows};

/// The elements of one table's rows. It owns every mounted row and the elements that are kept for later rows.
pub(super) struct Rows {
    space: HtmlElement,
    builder: Builder,
    /// If the columns change, all rows are built again.
    columns: Vec<SeenColumn>,
    /// The classes of the columns' cells, and their labels in rows of two lines.
    cells: Vec<CellKind>,
    seen: HashMap<RowId, MountedRow>,
    /// Unused elements, for the next rows.
    spare: Vec<MountedRow>,
    /// The shown rows, in order.
    order: Vec<RowId>,
    /// Rows entered or left the window since the last frame.
    is_moving: bool,
    frame: Frame,
}

impl Rows {
    /// `space`: a mounted element.
    pub(super) fn new(space: &HtmlElement) -> Option<Rc<RefCell<Self>>> {
        let builder = Builder::of(space)?;
        let rows = Rc::new_cyclic(|rows: &Weak<RefCell<Self>>| {
            let rows = rows.clone();
            let frame = Frame::new(move || {
                if let Some(rows) = rows.upgrade() {
                    rows.borrow_mut().settle();
                }
            });
            RefCell::new(Self {
                space: space.clone(),
                builder,
                columns: Vec::new(),
                cells: Vec::new(),
                seen: HashMap::new(),
                spare: Vec::new(),
                order: Vec::new(),
                is_moving: false,
                frame,
            })
        });
        Some(rows)
    }

    pub(super) fn show(&mut self, now: &SeenRows) {
        if self.columns != now.columns {
            self.clear();
            self.columns.clone_from(&now.columns);
            self.cells = now.columns.iter().map(CellKind::of).collect();
        }
        let order: Vec<RowId> = now.rows.iter().map(|row| row.id).collect();
        let are_others = order != self.order;
        if are_others {
            self.leave(&order);
            self.order = order;
            self.frame.request();
        }
        for row in &now.rows {
            self.write(row);
        }
        // After writing, because most spare rows have been used for others.
        if are_others {
            self.spare.iter().for_each(MountedRow::remove);
        }
    }

    fn clear(&mut self) {
        for (_, row) in self.seen.drain() {
            row.remove();
        }
        for row in self.spare.drain(..) {
            row.remove();
        }
        self.order.clear();
    }

    fn leave(&mut self, order: &[RowId]) {
        let stays: HashSet<RowId> = order.iter().copied().collect();
        for (_, row) in self.seen.extract_if(|id, _| !stays.contains(id)) {
            self.is_moving = true;
            // A row with the focus must not become another one.
            if row.has_focus() {
                row.remove();
            } else {
                self.spare.push(row);
            }
        }
    }

    fn write(&mut self, row: &SeenRow) {
        if let Some(mounted) = self.seen.get_mut(&row.id) {
            return mounted.write(&self.builder, &self.cells, row);
        }
        self.is_moving = true;
        let make = || MountedRow::new(&self.builder, &self.space, &self.cells);
        if let Some(mut mounted) = self.spare.pop().or_else(make) {
            mounted.enter(&self.space);
            mounted.write(&self.builder, &self.cells, row);
            self.seen.insert(row.id, mounted);
        }
    }

    /// A frame later: puts the rows in order, unless rows still come and go.
    fn settle(&mut self) {
        if std::mem::take(&mut self.is_moving) {
            return self.frame.request();
        }
        let order: Vec<String> = self.order.iter().map(ToString::to_string).collect();
        dom::element::put_in_order(&self.space, "data-row", &order);
    }
}

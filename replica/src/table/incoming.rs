//! Rows that replace the shown ones once they are whole. They aren't shown before.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::column::Column;
use shared::frame::server::Rows;
use shared::row::{Row, RowId};

use super::Broken;

#[derive(Clone, Debug)]
pub(super) struct Incoming {
    pub(super) columns: Arc<[Column]>,
    pub(super) rows: BTreeMap<RowId, Row>,
}

impl Incoming {
    pub(super) fn new(columns: Arc<[Column]>) -> Self {
        Self { columns, rows: BTreeMap::new() }
    }

    pub(super) fn apply(&mut self, frame: Rows) -> Result<(), Broken> {
        self.rows.extend(frame.put.into_iter().map(|row| (row.id, row)));
        for patch in frame.set {
            let row = self.rows.get_mut(&patch.id).ok_or(Broken::UnknownRow(patch.id))?;
            for (index, cell) in patch.cells {
                let old =
                    row.cells.get_mut(usize::from(index)).ok_or(Broken::UnknownCell(patch.id, index))?;
                *old = cell;
            }
            row.resource_version = patch.resource_version.unwrap_or_else(|| frame.resource_version.clone());
        }
        for id in frame.delete {
            self.rows.remove(&id);
        }
        Ok(())
    }
}

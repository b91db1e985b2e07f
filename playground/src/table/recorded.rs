//! Cells that another server printed.

use std::collections::HashMap;
use std::sync::Arc;

use kubernetes_api::{cell_value, column_definition};
use serde_json::Value;
use shared::cell::Cell;
use shared::column::Column;

use crate::json::text;

/// The rows of one kind as its own server printed them.
#[derive(Clone, Debug)]
pub struct RecordedTable {
    pub(crate) columns: Arc<[Column]>,
    /// By uid.
    pub(crate) cells: HashMap<String, Vec<Cell>>,
}

impl RecordedTable {
    pub(crate) fn definitions(&self) -> Vec<Value> {
        self.columns.iter().map(column_definition).collect()
    }

    /// The cells of one object at an instant (seconds since 1970).
    pub(crate) fn cells(&self, object: &Value, now_s: i64) -> Vec<Value> {
        let cells = self.cells.get(text(object, "/metadata/uid")).into_iter().flatten();
        cells.map(|cell| cell_value(cell, now_s)).collect()
    }
}

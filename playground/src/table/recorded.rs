//! Cells that another server printed.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
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
        let definition = |column: &Column| {
            json!({
                "name": column.name, "type": column.kind, "format": column.format,
                "description": column.description, "priority": column.priority,
            })
        };
        self.columns.iter().map(definition).collect()
    }

    /// The cells of one object at an instant (seconds since 1970).
    pub(crate) fn cells(&self, object: &Value, now_s: i64) -> Vec<Value> {
        let cells = self.cells.get(text(object, "/metadata/uid")).into_iter().flatten();
        cells.map(|cell| printed(cell, now_s)).collect()
    }
}

fn printed(cell: &Cell, now_s: i64) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Bool(value) => json!(value),
        Cell::Int(value) => json!(value),
        Cell::Float(value) => json!(value),
        Cell::Text(_) | Cell::Age(_) | Cell::Ago(_) | Cell::Span(_) => json!(cell.print(now_s)),
    }
}

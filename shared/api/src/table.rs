//! The parts of a Table of meta.k8s.io, as a server prints them.

use serde_json::{Value, json};
use shared::cell::Cell;
use shared::column::Column;
use shared::duration::UnixSeconds;

/// A Table up to its rows, which the caller writes and ends with `]}`. `definitions`: null, or those of all columns.
#[must_use]
pub fn table_head(metadata: &Value, definitions: &Value) -> String {
    format!(
        "{{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{metadata},\"columnDefinitions\":{definitions},\"rows\":["
    )
}

#[must_use]
pub fn column_definition(column: &Column) -> Value {
    let Column { name, kind, format, description, priority, path: _ } = column;
    json!({"name": name, "type": kind, "format": format, "description": description, "priority": priority})
}

/// A cell as the server printed it, at this moment.
#[must_use]
pub fn cell_value(cell: &Cell, now_s: UnixSeconds) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Bool(value) => json!(value),
        Cell::Int(value) => json!(value),
        Cell::Float(value) => json!(value),
        Cell::Text(_) | Cell::Age(_) | Cell::Ago(_) | Cell::Span(_) => json!(cell.print(now_s)),
    }
}

/// What the row of a pod says beside its cells, once the pod has finished.
#[must_use]
pub fn pod_conditions(phase: &str) -> Option<Value> {
    let message = match phase {
        "Succeeded" => "The pod has completed successfully.",
        "Failed" => "The pod failed.",
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": phase, "message": message}]))
}

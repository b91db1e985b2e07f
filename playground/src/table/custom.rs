//! Columns of custom resources, by the additionalPrinterColumns of their definition.
//! A path that finds nothing is a null cell, as on the real server.

use serde_json::{Value, json};
use shared::json_path::{JsonPath, PathError};
use shared::{duration, instant};

use super::column::{NAME, definition};
use crate::json::{int, text};

/// One column of a definition, its path read once.
#[derive(Clone, Debug)]
pub struct CustomColumn {
    definition: Value,
    path: JsonPath,
}

impl CustomColumn {
    /// Reads the columns of a version of a definition; without any there is `Age`.
    pub fn read(columns: &[Value]) -> Result<Vec<Self>, PathError> {
        let age = [json!({
            "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp",
            "description": "When the object was created.",
        })];
        let columns = if columns.is_empty() { &age } else { columns };
        let read = |found: &Value| {
            let of = |field: &str| text(found, field);
            let (name, kind, format) = (of("/name"), of("/type"), of("/format"));
            Ok(Self {
                definition: definition(name, kind, format, of("/description"), int(found, "/priority")),
                path: JsonPath::parse(of("/jsonPath"))?,
            })
        };
        columns.iter().map(read).collect()
    }
}

pub(super) fn definitions(custom: &[CustomColumn]) -> Vec<Value> {
    std::iter::once(NAME.definition()).chain(custom.iter().map(|found| found.definition.clone())).collect()
}

/// A cell shows the first value that its path finds.
pub(super) fn cells(custom: &[CustomColumn], object: &Value, now_s: i64) -> Vec<Value> {
    let cells = custom.iter().map(|column| match column.path.first(object) {
        Some(found) => cell(text(&column.definition, "/type"), found, now_s),
        None => Value::Null,
    });
    std::iter::once(NAME.cell(object, now_s)).chain(cells).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "as the server truncates a number in an integer column")]
fn cell(kind: &str, value: &Value, now_s: i64) -> Value {
    match (kind, value) {
        ("string", Value::String(text)) => json!(text),
        ("string", Value::Null) => json!("<nil>"),
        ("string", other) => json!(other.to_string()),
        ("integer", Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => json!(whole),
            (None, Some(float)) => json!(float as i64),
            _ => Value::Null,
        },
        ("number", Value::Number(number)) => json!(number.as_f64()),
        ("boolean", Value::Bool(flag)) => json!(flag),
        ("date", Value::String(time)) => match instant::seconds(time) {
            Some(then) => json!(duration::age(then, now_s)),
            None => json!("<invalid>"),
        },
        _ => Value::Null,
    }
}

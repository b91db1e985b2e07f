//! Rows of custom resources by the additionalPrinterColumns of their definition.
//! A path that finds nothing is a null cell, as on the real server.

use serde_json::{Value, json};

use super::duration::since;
use super::{Column, JsonPath};
use crate::json::{int, text};

/// One column of a definition, its path read once.
#[derive(Clone, Debug)]
pub struct CustomColumn {
    column: Column,
    path: JsonPath,
}

impl CustomColumn {
    /// Reads the columns of a version of a definition; without any there is `Age`.
    ///
    /// # Errors
    /// Which path can't be read.
    pub fn read(columns: &[Value]) -> Result<Vec<Self>, String> {
        let age = [json!({
            "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp",
            "description": "When the object was created.",
        })];
        let columns = if columns.is_empty() { &age } else { columns };
        columns
            .iter()
            .map(|found| {
                Ok(Self {
                    column: Column {
                        name: text(found, "/name").to_owned(),
                        kind: text(found, "/type").to_owned(),
                        format: text(found, "/format").to_owned(),
                        description: text(found, "/description").to_owned(),
                        priority: int(found, "/priority"),
                    },
                    path: JsonPath::parse(text(found, "/jsonPath"))?,
                })
            })
            .collect()
    }
}

pub(super) fn columns(custom: &[CustomColumn]) -> Vec<Column> {
    let name = Column {
        name: "Name".to_owned(),
        kind: "string".to_owned(),
        format: "name".to_owned(),
        description: "The name of the object, unique within its namespace.".to_owned(),
        priority: 0,
    };
    std::iter::once(name).chain(custom.iter().map(|found| found.column.clone())).collect()
}

pub(super) fn cells(custom: &[CustomColumn], object: &Value, now_s: i64) -> Vec<Value> {
    let mut cells = vec![json!(text(object, "/metadata/name"))];
    for column in custom {
        let found = column.path.find(object);
        cells.push(match (column.column.kind.as_str(), found.first()) {
            (_, None) => Value::Null,
            // Of several results only the first is shown.
            ("string", Some(first)) => json!(text_of(first)),
            (kind, Some(first)) => cell(kind, first, now_s),
        });
    }
    cells
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "as the server truncates a number in an integer column")]
fn cell(kind: &str, value: &Value, now_s: i64) -> Value {
    match (kind, value) {
        ("integer", Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => json!(whole),
            (None, Some(float)) => json!(float as i64),
            _ => Value::Null,
        },
        ("number", Value::Number(number)) => json!(number.as_f64()),
        ("boolean", Value::Bool(flag)) => json!(flag),
        ("date", Value::String(time)) => match time.parse::<jiff::Timestamp>() {
            Ok(_) => json!(since(time, now_s)),
            Err(_) => json!("<invalid>"),
        },
        _ => Value::Null,
    }
}

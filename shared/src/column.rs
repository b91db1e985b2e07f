//! A column of a view: the server's `TableColumnDefinition` of meta.k8s.io, as far as a view needs it, or
//! one that the client asked for.

use serde::{Deserialize, Serialize};

use crate::go;
use crate::json::fields;

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// As the server writes it; shown in upper case with its spaces kept, as kubectl does.
    pub name: Box<str>,
    /// `string`, `integer`, `number`, `boolean`, `date`: the OpenAPI type.
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// `name` marks the identity column; `date-time` and others as OpenAPI knows them.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub format: Box<str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub description: Box<str>,
    /// 0 is always shown; above that only with `-o wide`.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub priority: i32,
    /// The JSONPath of a column that the client asked for; empty for a column of the server.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub path: Box<str>,
}

impl Column {
    pub fn is_wide(&self) -> bool {
        self.priority > 0
    }

    /// Whether the client asked for it.
    pub fn is_custom(&self) -> bool {
        !self.path.is_empty()
    }

    /// The header as kubectl prints it; a custom column keeps its writing.
    pub fn title(&self) -> String {
        if self.is_custom() { self.name.to_string() } else { go::upper(&self.name) }
    }
}

fields! { Column: name, kind "type"; format, description, priority, path }

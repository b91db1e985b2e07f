//! Server-side printing: the columns and cells that kube-apiserver prints for each kind. Pure;
//! cells that speak of time are printed for the instant that is handed in.
//! It never builds a response; `http` wraps rows and columns.

mod built_in;
mod columns;
mod config;
mod custom;
mod duration;
mod event;
mod job;
mod jsonpath;
mod network;
mod node;
mod pod;
mod workload;

use serde_json::{Value, json};

pub use built_in::BuiltIn;
pub use custom::CustomColumn;
pub use duration::human_duration;
pub use jsonpath::JsonPath;

/// How a resource prints itself.
#[derive(Clone, Debug)]
pub enum Printer {
    BuiltIn(BuiltIn),
    Custom(Vec<CustomColumn>),
    /// Served by somebody who can't print: the plain object is sent in the same stream.
    None,
}

/// One column definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub kind: String,
    pub format: String,
    pub description: String,
    pub priority: i64,
}

impl Column {
    pub fn definition(&self) -> Value {
        json!({
            "name": self.name, "type": self.kind, "format": self.format,
            "description": self.description, "priority": self.priority,
        })
    }
}

impl Printer {
    pub fn columns(&self) -> Vec<Column> {
        match self {
            Self::BuiltIn(kind) => columns::of(*kind),
            Self::Custom(columns) => custom::columns(columns),
            Self::None => Vec::new(),
        }
    }

    /// The cells of one object at an instant (seconds since 1970).
    pub fn cells(&self, object: &Value, now_s: i64) -> Vec<Value> {
        match self {
            Self::BuiltIn(kind) => kind.cells(object, now_s),
            Self::Custom(columns) => custom::cells(columns, object, now_s),
            Self::None => Vec::new(),
        }
    }

    /// What a row says of itself beside its cells: only finished pods do.
    pub fn row_conditions(&self, object: &Value) -> Option<Value> {
        match self {
            Self::BuiltIn(BuiltIn::Pod) => pod::row_conditions(object),
            _ => None,
        }
    }
}

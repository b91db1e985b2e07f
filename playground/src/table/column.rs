//! A column of a built-in kind: its definition, and how the cell of an object is made. The tables of
//! columns stand in the neighbouring modules, one constant a kind, in the server's order.

use serde_json::{Value, json};
use shared::{duration, instant};

use crate::json::{int, list, text, text_opt};

/// Name, OpenAPI type, priority (1: only with `-o wide`), and the cell.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInColumn(pub(super) &'static str, pub(super) &'static str, pub(super) i64, pub(super) Cell);

#[derive(Clone, Copy, Debug)]
pub enum Cell {
    /// The text at a JSON pointer; empty if there is none.
    Text(&'static str),
    /// The text at a JSON pointer, or the second text if there is none.
    TextOr(&'static str, &'static str),
    /// The integer at a JSON pointer; 0 if there is none.
    Int(&'static str),
    /// How long ago the time at a JSON pointer was.
    Since(&'static str),
    /// What a function makes of the object at an instant (seconds since 1970).
    Made(fn(&Value, i64) -> Value),
}

pub(super) const NAME: BuiltInColumn = shown("Name", Cell::Text("/metadata/name"));
pub(super) const AGE: BuiltInColumn = shown("Age", Cell::Since("/metadata/creationTimestamp"));

/// A column of texts.
pub(super) const fn shown(name: &'static str, cell: Cell) -> BuiltInColumn {
    BuiltInColumn(name, "string", 0, cell)
}

/// A column of texts that only `-o wide` shows.
pub(super) const fn wide(name: &'static str, cell: Cell) -> BuiltInColumn {
    BuiltInColumn(name, "string", 1, cell)
}

/// A column of integers.
pub(super) const fn number(name: &'static str, cell: Cell) -> BuiltInColumn {
    BuiltInColumn(name, "integer", 0, cell)
}

impl BuiltInColumn {
    pub(super) fn definition(&self) -> Value {
        let Self(name, kind, priority, _) = self;
        let format = if *name == "Name" { "name" } else { "" };
        let description = match *name {
            "Name" => "The name of the object, unique within its namespace.",
            "Age" | "Created At" => "When the object was created.",
            "Ready" => "How many of what is wanted are ready.",
            "Status" => "The state of the object, summed up.",
            "Restarts" => "How often containers of this pod were restarted, and when the last time was.",
            _ => "",
        };
        definition(name, kind, format, description, *priority)
    }

    pub(super) fn cell(&self, object: &Value, now_s: i64) -> Value {
        match self.3 {
            Cell::Text(pointer) => json!(text(object, pointer)),
            Cell::TextOr(pointer, none) => json!(text_opt(object, pointer).unwrap_or(none)),
            Cell::Int(pointer) => json!(int(object, pointer)),
            Cell::Since(pointer) => json!(since(text(object, pointer), now_s)),
            Cell::Made(make) => make(object, now_s),
        }
    }
}

/// A column as it stands in a Table.
pub fn definition(name: &str, kind: &str, format: &str, description: &str, priority: i64) -> Value {
    json!({"name": name, "type": kind, "format": format, "description": description, "priority": priority})
}

/// How long ago a time was; `<unknown>` if there is none.
pub(super) fn since(time: &str, now_s: i64) -> String {
    instant::seconds(time).map_or_else(|| "<unknown>".to_owned(), |then| duration::age(then, now_s))
}

/// One field of the items of a list, joined by commas.
pub(super) fn joined(object: &Value, pointer: &str, field: &str) -> Value {
    let found: Vec<&str> = list(object, pointer).iter().map(|item| text(item, field)).collect();
    json!(found.join(","))
}

/// The texts joined by commas, or `<none>`.
pub(super) fn or_none(found: &[String]) -> String {
    if found.is_empty() { "<none>".to_owned() } else { found.join(",") }
}

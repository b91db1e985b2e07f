//! The printer columns of kinds that aren't Kubernetes' own. The API server prints their cells from the whole object. So
//! a cell is shown as it was printed only if its path leads to nothing that the redaction hides; otherwise it is printed
//! anew, from the redacted object. Where the path isn't known, the title and the cell itself decide. Never a cell of
//! Kubernetes' own kinds: their printers print no credential.

use std::cell::OnceCell;

use serde_json::Value;
use shared::cell::Cell;
use shared::column::Column;
use shared::instant;
use shared::json_path::{JsonPath, Outline};
use shared::resource::Resource;

use super::names::may_count;
use super::redact::{Redacted, holds_credential};
use crate::feed::masks::MASK;
use crate::feed::redaction::Rules;

/// The `additionalPrinterColumns` of one version of a CustomResourceDefinition, in its order. Empty: they aren't known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrinterColumns(Vec<PrinterColumn>);

#[derive(Clone, Debug, PartialEq)]
struct PrinterColumn {
    name: Box<str>,
    kind: Box<str>,
    /// `None`: it can't be read.
    path: Option<JsonPath>,
}

/// A printer column whose path is known.
#[derive(Clone, Debug)]
pub(super) struct Defined {
    kind: ValueKind,
    path: JsonPath,
    /// The path may lead to managedFields, which are dropped of every object.
    may_be_managed: bool,
}

/// The `type` of a printer column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Date,
    Text,
    Other,
}

/// A printer column whose path isn't known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undefined {
    announces_credential: bool,
    may_count: bool,
}

/// What the defined columns of a table read of one redacted object. It is parsed only if a cell needs it.
pub(super) struct Parts<'a> {
    pub(super) outline: &'a Outline,
    pub(super) redacted: &'a Redacted,
    pub(super) read: OnceCell<Value>,
}

const MANAGED_FIELDS: [&str; 2] = ["metadata", "managedFields"];

impl PrinterColumns {
    #[must_use]
    pub fn of_definition(definition: &[u8], version: &str) -> Self {
        let definition: Value = serde_json::from_slice(definition).unwrap_or_default();
        let versions = definition.get("spec").into_iter().flat_map(|spec| list(spec, "versions"));
        let named = versions.filter(|found| text(found, "name") == Some(version));
        let columns = named.flat_map(|version| list(version, "additionalPrinterColumns"));
        let of = |column: &Value, member: &str| text(column, member).unwrap_or_default().into();
        let column = |column: &Value| PrinterColumn {
            name: of(column, "name"),
            kind: of(column, "type"),
            path: text(column, "jsonPath").and_then(|path| JsonPath::parse(path).ok()),
        };
        Self(columns.map(column).collect())
    }

    /// The column at this place of a table. `None` if the definition has another one there, because it is older or
    /// newer than the table.
    pub(super) fn at(&self, place: usize, column: &Column) -> Option<Defined> {
        // The object's name is the first column of every table.
        let defined = self.0.get(place.checked_sub(1)?)?;
        let is_it = defined.name == column.name && defined.kind == column.kind;
        let path = defined.path.clone().filter(|_| is_it)?;
        let kind = match &*defined.kind {
            "date" => ValueKind::Date,
            "string" => ValueKind::Text,
            _ => ValueKind::Other,
        };
        Some(Defined { kind, may_be_managed: path.may_lead_to(&MANAGED_FIELDS), path })
    }
}

impl Defined {
    pub(super) fn path(&self) -> &JsonPath {
        &self.path
    }

    pub(super) fn cell(&self, printed: Cell, parts: &Parts<'_>) -> Cell {
        let may_be_hidden = self.may_be_managed || parts.redacted.hides_anything();
        // The server prints nothing for a path without a value.
        if printed == Cell::Null || !(may_be_hidden || self.kind == ValueKind::Date) {
            return printed;
        }
        let Some(found) = self.path.first(parts.read()) else {
            // It was dropped, or it was chosen by a value that is masked.
            return if may_be_hidden { Cell::Null } else { printed };
        };
        if holds_mask(found) {
            return Cell::text(&found.as_str().map_or_else(|| found.to_string(), str::to_owned));
        }
        if may_be_hidden && (!self.path.is_direct() || found.is_object() || found.is_array()) {
            // A path that chooses among values may choose another one where some are masked, and the members of a
            // value may have been dropped.
            return self.print(found);
        }
        match self.kind {
            ValueKind::Date => date(found).unwrap_or(printed),
            ValueKind::Text | ValueKind::Other => printed,
        }
    }

    /// As the API server prints it.
    fn print(&self, found: &Value) -> Cell {
        match (self.kind, found) {
            (ValueKind::Date, _) => date(found).unwrap_or(Cell::Null),
            (ValueKind::Text, Value::String(text)) => Cell::text(text),
            (ValueKind::Text, Value::Null) => Cell::text("<nil>"),
            (ValueKind::Text, other) => Cell::text(&other.to_string()),
            (ValueKind::Other, Value::Bool(value)) => Cell::Bool(*value),
            (ValueKind::Other, Value::Number(number)) => {
                number.as_i64().map(Cell::Int).or(number.as_f64().map(Cell::Float)).unwrap_or_default()
            }
            (ValueKind::Other, _) => Cell::Null,
        }
    }
}

impl Undefined {
    /// `None` for Kubernetes' own columns. Events are shown as they are, whatever their messages say.
    pub(super) fn of(resource: &Resource, column: &Column, rules: &Rules) -> Option<Self> {
        let group = resource.group.as_str();
        // The group of a custom kind has a dot.
        let is_kubernetes = !group.contains('.') || group == "events.k8s.io";
        if is_kubernetes || &*column.format == "name" {
            return None;
        }
        let title = column.name.to_ascii_lowercase();
        Some(Self {
            announces_credential: rules.names.announce(title.as_bytes()),
            may_count: may_count(title.as_bytes()),
        })
    }

    /// `json`: the cell as the server sent it.
    pub(super) fn cell(self, printed: Cell, json: &str, redacted: &Redacted, rules: &Rules) -> Cell {
        let is_hidden = match &printed {
            _ if redacted.is_open => false,
            Cell::Text(text) => {
                self.announces_credential
                    || redacted.hides(json, rules)
                    || holds_credential(text, rules, 0)
                    || (text.starts_with('{') && rules.names_dropped_annotation(text))
            }
            Cell::Int(_) | Cell::Float(_) => {
                (self.announces_credential && !self.may_count) || redacted.hides(json, rules)
            }
            _ => false,
        };
        if is_hidden { Cell::text(MASK) } else { printed }
    }
}

impl Parts<'_> {
    fn read(&self) -> &Value {
        self.read.get_or_init(|| self.outline.read(&self.redacted.bytes).unwrap_or_default())
    }
}

fn date(found: &Value) -> Option<Cell> {
    Some(Cell::Age(Some(instant::seconds(found.as_str()?)?)))
}

fn holds_mask(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(MASK),
        Value::Array(items) => items.iter().any(holds_mask),
        Value::Object(fields) => fields.values().any(holds_mask),
        _ => false,
    }
}

// Members of a parsed JSON object.

fn text<'a>(object: &'a Value, member: &str) -> Option<&'a str> {
    object.get(member)?.as_str()
}

/// Nothing, if the member isn't an array.
fn list<'a>(object: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    object.get(member).and_then(Value::as_array).into_iter().flatten()
}

//! Objects, lists and events as bytes, in the representation that was asked for: whole, Table, or
//! PartialObjectMetadata. Pure; the stored text of an object is copied, not built again.

use serde_json::{Value, json};

use crate::resource::ResourceType;
use crate::store::Object;
use crate::table::Printer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    Object,
    Metadata,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Whole,
    Table(Include),
    Partial,
    /// Of a watch, where no event can be printed as a list: the stream ends at its first one.
    PartialList,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
}

impl EventType {
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Bookmark => "BOOKMARK",
        }
    }
}

/// Prints one resource in one shape at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Press<'a> {
    pub kind: &'a ResourceType,
    pub shape: Shape,
    pub now_s: i64,
}

impl Press<'_> {
    /// One object as the answer to a get.
    pub fn single(&self, object: &Object) -> Vec<u8> {
        match self.shape {
            Shape::Whole => self.whole(object),
            Shape::Partial | Shape::PartialList => partial(&object.value()).to_string().into_bytes(),
            Shape::Table(include) => {
                let mut bytes = self.table_head(&object.revision.to_string(), true, &Value::Null);
                self.row(&mut bytes, object, include);
                bytes.extend_from_slice(b"]}");
                bytes
            }
        }
    }

    /// What a list begins with. `metadata` is the list's.
    pub fn list_head(&self, metadata: &Value) -> Vec<u8> {
        let kind = self.kind;
        match self.shape {
            Shape::Whole => format!(
                "{{\"kind\":\"{}\",\"apiVersion\":\"{}\",\"metadata\":{metadata},\"items\":[",
                kind.list_kind,
                kind.api_version()
            )
            .into_bytes(),
            Shape::Partial | Shape::PartialList => format!(
                "{{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{metadata},\"items\":["
            )
            .into_bytes(),
            Shape::Table(_) => self.table_head("", true, metadata),
        }
    }

    /// One item of a list. Built-in ones carry no kind and apiVersion there.
    pub fn list_item(&self, into: &mut Vec<u8>, object: &Object) {
        match self.shape {
            Shape::Whole if self.kind.built_in => into.extend_from_slice(&object.body()),
            Shape::Whole => into.extend_from_slice(&self.whole(object)),
            Shape::Partial | Shape::PartialList => {
                into.extend_from_slice(partial(&object.value()).to_string().as_bytes());
            }
            Shape::Table(include) => self.row(into, object, include),
        }
    }

    /// One event, its line end included. Columns come with the first one only.
    pub fn event(&self, event: EventType, object: &Object, with_columns: bool) -> Vec<u8> {
        let mut bytes = format!("{{\"type\":\"{}\",\"object\":", event.name()).into_bytes();
        match self.shape {
            Shape::Whole => bytes.extend_from_slice(&self.whole(object)),
            Shape::Partial | Shape::PartialList => {
                bytes.extend_from_slice(partial(&object.value()).to_string().as_bytes());
            }
            Shape::Table(include) => {
                let revision = object.revision.to_string();
                bytes.extend_from_slice(&self.table_head(&revision, with_columns, &Value::Null));
                self.row(&mut bytes, object, include);
                bytes.extend_from_slice(b"]}");
            }
        }
        bytes.extend_from_slice(b"}\n");
        bytes
    }

    /// A bookmark is an empty object that carries a resourceVersion, and once the end mark.
    pub fn bookmark(&self, revision: u64, is_end: bool, with_columns: bool) -> Vec<u8> {
        let mut empty = json!({"metadata": {}});
        if is_end {
            empty = json!({"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}});
        }
        if self.kind.built_in && self.kind.plural == "pods" {
            crate::json::set(&mut empty, &["spec"], json!({"containers": null}));
            crate::json::set(&mut empty, &["status"], json!({}));
        }
        self.event(EventType::Bookmark, &Object::new(empty, revision), with_columns)
    }

    fn whole(&self, object: &Object) -> Vec<u8> {
        let mut bytes = self.kind.head().into_bytes();
        bytes.extend_from_slice(&object.tail());
        bytes
    }

    fn table_head(&self, revision: &str, with_columns: bool, metadata: &Value) -> Vec<u8> {
        let columns = if with_columns {
            let definitions = self.kind.printer.columns();
            Value::Array(definitions.iter().map(crate::table::Column::definition).collect())
        } else {
            Value::Null
        };
        let metadata = match metadata {
            Value::Null => json!({"resourceVersion": revision}),
            metadata => metadata.clone(),
        };
        format!(
            "{{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{metadata},\"columnDefinitions\":{columns},\"rows\":["
        )
        .into_bytes()
    }

    fn row(&self, into: &mut Vec<u8>, object: &Object, include: Include) {
        let value = object.value();
        let cells = Value::Array(self.kind.printer.cells(&value, self.now_s));
        into.extend_from_slice(b"{\"cells\":");
        into.extend_from_slice(cells.to_string().as_bytes());
        if let Some(conditions) = self.kind.printer.row_conditions(&value) {
            into.extend_from_slice(b",\"conditions\":");
            into.extend_from_slice(conditions.to_string().as_bytes());
        }
        into.extend_from_slice(b",\"object\":");
        match include {
            Include::Object => into.extend_from_slice(&self.whole(object)),
            Include::Metadata => into.extend_from_slice(partial(&value).to_string().as_bytes()),
            Include::None => into.extend_from_slice(b"null"),
        }
        into.push(b'}');
    }
}

/// The shape that is really sent: who has no printer sends the plain object.
pub fn possible(shape: Shape, kind: &ResourceType) -> Shape {
    match (&kind.printer, shape) {
        (Printer::None, Shape::Table(_)) => Shape::Whole,
        (_, shape) => shape,
    }
}

/// An ERROR event: always a plain Status, whatever was accepted.
pub fn error_event(status: &Value) -> Vec<u8> {
    format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n").into_bytes()
}

fn partial(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object.get("metadata"),
    })
}

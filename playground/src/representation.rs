//! Objects, lists and events as bytes, in the representation that was asked for: whole, Table, or
//! PartialObjectMetadata. Pure; the stored text of an object is copied, not built again.

use kubernetes_api::{Include, Representation, table_head};
use serde_json::{Value, json};

use crate::json::set;
use crate::resource::ResourceType;
use crate::store::Object;
use crate::table::{Printer, row_conditions};

/// Writes one resource in one representation at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Encoder<'a> {
    kind: &'a ResourceType,
    representation: Representation,
    now_s: i64,
}

impl<'a> Encoder<'a> {
    /// A resource without a printer is written whole instead of as a Table.
    pub fn new(kind: &'a ResourceType, wanted: Representation, now_s: i64) -> Self {
        let representation = match (&kind.printer, wanted) {
            (Printer::None, Representation::Table(_)) => Representation::Whole,
            (_, wanted) => wanted,
        };
        Self { kind, representation, now_s }
    }

    /// One object as the answer to a get.
    pub fn single(&self, object: &Object) -> Vec<u8> {
        self.object(object, true)
    }

    fn object(&self, object: &Object, with_columns: bool) -> Vec<u8> {
        match self.representation {
            Representation::Whole => self.whole(object),
            Representation::Partial | Representation::PartialList => partial_bytes(&object.value()),
            Representation::Table(include) => {
                let metadata = json!({"resourceVersion": object.revision.to_string()});
                let mut bytes = self.table_head(&metadata, with_columns);
                self.row(&mut bytes, object, include);
                bytes.extend_from_slice(b"]}");
                bytes
            }
        }
    }

    /// A whole list. `metadata` is the list's own.
    pub fn list<'o>(&self, metadata: &Value, objects: impl IntoIterator<Item = &'o Object>) -> Vec<u8> {
        let mut bytes = self.list_head(metadata);
        self.list_items(&mut bytes, objects, true);
        bytes.extend_from_slice(b"]}");
        bytes
    }

    pub fn list_head(&self, metadata: &Value) -> Vec<u8> {
        let (kind, api_version) = match self.representation {
            Representation::Whole => (self.kind.list_kind.as_str(), self.kind.api_version()),
            Representation::Table(_) => return self.table_head(metadata, true),
            _ => ("PartialObjectMetadataList", "meta.k8s.io/v1".to_owned()),
        };
        format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{api_version}\",\"metadata\":{metadata},\"items\":[")
            .into_bytes()
    }

    /// Items of a list. Built-in ones carry no kind and apiVersion there.
    pub fn list_items<'o>(
        &self,
        into: &mut Vec<u8>,
        objects: impl IntoIterator<Item = &'o Object>,
        is_first: bool,
    ) {
        for (at, object) in objects.into_iter().enumerate() {
            if at > 0 || !is_first {
                into.push(b',');
            }
            match self.representation {
                Representation::Whole if self.kind.built_in => into.extend_from_slice(&object.body()),
                Representation::Table(include) => self.row(into, object, include),
                _ => into.extend_from_slice(&self.object(object, false)),
            }
        }
    }

    /// One event of a type such as `ADDED`, with its line end. Columns come with the first one only.
    pub fn event(&self, event: &str, object: &Object, with_columns: bool) -> Vec<u8> {
        let mut bytes = format!("{{\"type\":\"{event}\",\"object\":").into_bytes();
        bytes.extend_from_slice(&self.object(object, with_columns));
        bytes.extend_from_slice(b"}\n");
        bytes
    }

    /// A bookmark is an empty object that carries a resourceVersion, and once the end mark.
    pub fn bookmark(&self, revision: u64, is_end: bool, with_columns: bool) -> Vec<u8> {
        let mut empty = json!({"metadata": {}});
        if is_end {
            empty = json!({"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}});
        }
        if self.kind.built_in && self.kind.is("", "pods") {
            set(&mut empty, &["spec"], json!({"containers": null}));
            set(&mut empty, &["status"], json!({}));
        }
        self.event("BOOKMARK", &Object::new(empty, revision), with_columns)
    }

    fn whole(&self, object: &Object) -> Vec<u8> {
        let mut bytes = self.kind.head().into_bytes();
        bytes.extend_from_slice(&object.tail());
        bytes
    }

    fn table_head(&self, metadata: &Value, with_columns: bool) -> Vec<u8> {
        let columns = if with_columns { Value::Array(self.kind.printer.columns()) } else { Value::Null };
        table_head(metadata, &columns).into_bytes()
    }

    fn row(&self, into: &mut Vec<u8>, object: &Object, include: Include) {
        let value = object.value();
        let cells = Value::Array(self.kind.printer.cells(&value, self.now_s));
        into.extend_from_slice(format!("{{\"cells\":{cells}").as_bytes());
        if self.kind.built_in
            && self.kind.is("", "pods")
            && let Some(conditions) = row_conditions(&value)
        {
            into.extend_from_slice(format!(",\"conditions\":{conditions}").as_bytes());
        }
        into.extend_from_slice(b",\"object\":");
        match include {
            Include::Object => into.extend_from_slice(&self.whole(object)),
            Include::Metadata => into.extend_from_slice(&partial_bytes(&value)),
            Include::None => into.extend_from_slice(b"null"),
        }
        into.push(b'}');
    }
}

pub fn partial(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object.get("metadata"),
    })
}

fn partial_bytes(object: &Value) -> Vec<u8> {
    partial(object).to_string().into_bytes()
}

//! Objects, lists and events as bytes, in the form that a client asked for. Pure: the time is an argument.

use std::fmt::Write;
use std::sync::Arc;

use kubernetes_api::{Include, Representation, cell_value, column_definition, pod_conditions, table_head};
use serde_json::{Value, json};
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::resource::{Kind, Resource};

use super::json::{member, partial, without_head};
use super::ring::Event;
use super::version::Version;

/// Writes one kind in one form.
#[derive(Clone, Debug)]
pub struct Printer {
    kind: Box<str>,
    api_version: String,
    is_custom: bool,
    is_pods: bool,
    pub(super) representation: Representation,
    pub(super) columns: Arc<[Column]>,
    pub(super) now_s: UnixSeconds,
}

/// The metadata of a list.
#[derive(Clone, Debug, Default)]
pub struct ListMetadata {
    pub resource_version: String,
    pub next: Option<String>,
    pub remaining: Option<u64>,
}

/// What happened, as a client whose selectors choose only some objects sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    Added,
    Modified,
    Deleted,
}

impl EventType {
    fn word(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl Printer {
    /// `resource`: in the version that was asked for.
    #[must_use]
    pub fn new(kind: &Kind, resource: &Resource, representation: Representation) -> Self {
        let api_version = match resource.is_core() {
            true => resource.version.to_string(),
            false => format!("{}/{}", resource.group, resource.version),
        };
        Self {
            kind: kind.kind.clone(),
            api_version,
            is_custom: kind.custom,
            is_pods: resource.is_pods(),
            representation,
            columns: Arc::new([]),
            now_s: 0,
        }
    }

    /// With the columns of the server and the time by which ages are told.
    #[must_use]
    pub fn with(&self, columns: &Arc<[Column]>, now_s: UnixSeconds) -> Self {
        Self { columns: Arc::clone(columns), now_s, ..self.clone() }
    }

    /// The answer to a get.
    #[must_use]
    pub fn one(&self, version: &Version) -> Option<String> {
        self.object(version, None, true)
    }

    fn object(&self, version: &Version, deleted: Option<u64>, with_columns: bool) -> Option<String> {
        match self.representation {
            Representation::Whole => version.json(deleted),
            Representation::Partial | Representation::PartialList => {
                version.json(deleted).map(|json| partial(&json))
            }
            Representation::Table(include) => {
                let revision = deleted.unwrap_or(version.revision);
                let metadata = json!({"resourceVersion": revision.to_string()});
                let mut table = self.table_head(&metadata, with_columns);
                table.push_str(&self.row(version, deleted, include)?);
                table.push_str("]}");
                Some(table)
            }
        }
    }

    #[must_use]
    pub fn list_head(&self, metadata: &ListMetadata) -> String {
        let ListMetadata { resource_version, next, remaining } = metadata;
        let next = next.as_ref().map(|next| ("continue".to_owned(), json!(next)));
        let remaining = remaining.map(|remaining| ("remainingItemCount".to_owned(), json!(remaining)));
        let version = Some(("resourceVersion".to_owned(), json!(resource_version)));
        let fields = Value::Object([version, next, remaining].into_iter().flatten().collect());
        match self.representation {
            Representation::Table(_) => self.table_head(&fields, true),
            Representation::Whole => {
                let Self { kind, api_version, .. } = self;
                format!(
                    "{{\"kind\":\"{kind}List\",\"apiVersion\":\"{api_version}\",\"metadata\":{fields},\"items\":["
                )
            }
            Representation::Partial | Representation::PartialList => format!(
                "{{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{fields},\"items\":["
            ),
        }
    }

    /// One item of a list. Built-in ones carry no kind and apiVersion there.
    #[must_use]
    pub fn item(&self, version: &Version) -> Option<String> {
        match self.representation {
            Representation::Whole if !self.is_custom => {
                let json = version.json(None)?;
                let Self { kind, api_version, .. } = self;
                let head = format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{api_version}\",");
                Some(without_head(&json, &head).into_owned())
            }
            Representation::Table(include) => self.row(version, None, include),
            _ => self.object(version, None, false),
        }
    }

    /// One line of a watch. Columns come with the first one alone.
    #[must_use]
    pub fn event(&self, event: EventType, of: &Event, with_columns: bool) -> Option<Vec<u8>> {
        let (version, deleted) = match event {
            EventType::Deleted => (of.before.as_ref()?, Some(of.revision)),
            EventType::Added | EventType::Modified => (of.after.as_ref()?, None),
        };
        let object = self.object(version, deleted, with_columns)?;
        Some(line(event.word(), &object))
    }

    /// The event of an object that was there when the watch began.
    #[must_use]
    pub fn added(&self, version: &Version, with_columns: bool) -> Option<Vec<u8>> {
        Some(line(EventType::Added.word(), &self.object(version, None, with_columns)?))
    }

    /// An object without content that carries a resourceVersion, and once the mark that ends the initial events.
    #[must_use]
    pub fn bookmark(&self, revision: u64, is_end: bool, with_columns: bool) -> Vec<u8> {
        let metadata = match is_end {
            true => {
                json!({"annotations": {"k8s.io/initial-events-end": "true"}, "resourceVersion": revision.to_string()})
            }
            false => json!({"resourceVersion": revision.to_string()}),
        };
        let Self { kind, api_version, .. } = self;
        let object = match self.is_pods {
            // The empty form of a pod has fields without a default.
            true => {
                json!({"kind": kind, "apiVersion": api_version, "metadata": metadata, "spec": {"containers": null}, "status": {}})
            }
            false => json!({"kind": kind, "apiVersion": api_version, "metadata": metadata}),
        };
        let object = match self.representation {
            Representation::Whole => object.to_string(),
            Representation::Partial | Representation::PartialList => partial(&object.to_string()),
            Representation::Table(include) => {
                let cells: Vec<Value> = self.columns.iter().map(|_| Value::Null).collect();
                let object = match include {
                    Include::Object => object.to_string(),
                    Include::Metadata => partial(&object.to_string()),
                    Include::None => "null".to_owned(),
                };
                let metadata = json!({"resourceVersion": revision.to_string()});
                let head = self.table_head(&metadata, with_columns);
                format!("{head}{{\"cells\":{},\"object\":{object}}}]}}", Value::Array(cells))
            }
        };
        line("BOOKMARK", &object)
    }

    fn table_head(&self, metadata: &Value, with_columns: bool) -> String {
        let definitions = match with_columns {
            true => self.columns.iter().map(column_definition).collect(),
            false => Value::Null,
        };
        table_head(metadata, &definitions)
    }

    fn row(&self, version: &Version, deleted: Option<u64>, include: Include) -> Option<String> {
        let cells: Vec<Value> = version.row.cells.iter().map(|cell| cell_value(cell, self.now_s)).collect();
        let mut row = format!("{{\"cells\":{}", Value::Array(cells));
        if self.is_pods
            && let Some(conditions) = conditions(&version.json(deleted)?)
        {
            write!(row, ",\"conditions\":{conditions}").ok()?;
        }
        let object = match include {
            Include::Object => version.json(deleted)?,
            Include::Metadata => partial(&version.json(deleted)?),
            Include::None => "null".to_owned(),
        };
        write!(row, ",\"object\":{object}}}").ok()?;
        Some(row)
    }
}

/// What a pod's row says of itself beside its cells, once it has finished.
fn conditions(pod: &str) -> Option<Value> {
    let phase: String = serde_json::from_str(member(member(pod, "status")?, "phase")?).ok()?;
    pod_conditions(&phase)
}

fn line(event: &str, object: &str) -> Vec<u8> {
    format!("{{\"type\":\"{event}\",\"object\":{object}}}\n").into_bytes()
}

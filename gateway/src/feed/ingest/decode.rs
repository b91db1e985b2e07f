//! Decodes one value of a stream, or one page of a list, for the machine.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;
use shared::column::Column;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;

use super::cells::{DatePaths, Plan};
use super::metadata::Metadata;
use super::object;
use super::redact::Redacted;
use super::role::AskedKind;
use super::wire::{WireEvent, WireTable};
use crate::cluster::Refusal;
use crate::feed::event::{Event, Page, What};
use crate::feed::{LeftOut, Object, Redaction};
use crate::limits;

/// Keeps the columns of the answer that it reads, because they come once, in its first value.
pub struct Decoder {
    resource: Resource,
    dates: DatePaths,
    redaction: Redaction,
    known: Option<Known>,
}

struct Known {
    columns: Arc<[Column]>,
    plan: Plan,
}

impl Known {
    fn of(resource: &Resource, columns: Arc<[Column]>, dates: &DatePaths) -> Self {
        Self { plan: Plan::of(resource, &columns, dates), columns }
    }
}

impl Decoder {
    /// `columns`: those of the last answer, for a server that doesn't repeat them.
    #[must_use]
    pub fn new(
        resource: Resource,
        dates: DatePaths,
        redaction: Redaction,
        columns: Option<Arc<[Column]>>,
    ) -> Self {
        let known = columns.map(|columns| Known::of(&resource, columns, &dates));
        Self { resource, dates, redaction, known }
    }

    /// The columns of the answer that was read so far.
    #[must_use]
    pub fn columns(&self) -> Option<Arc<[Column]>> {
        self.known.as_ref().map(|known| Arc::clone(&known.columns))
    }

    /// `None` if the value isn't an API server's: the stream can't be continued.
    pub fn event(&mut self, value: &Bytes) -> Option<Event> {
        let event: WireEvent<WireTable> = serde_json::from_slice(value).ok()?;
        if event.kind == "ERROR" {
            let refusal = Refusal::read(500, None, raw_object(value)?.get().as_bytes());
            return Some(Event::plain(What::Error(refusal)));
        }
        let table = event.object;
        let has_object = matches!(&*event.kind, "ADDED" | "MODIFIED" | "DELETED");
        let columns = self.learn(&table, has_object);
        let resource_version = table.metadata.resource_version();
        let row = table.rows.as_ref().and_then(|rows| rows.first());
        let is_table = table.kind == "Table";
        let object = if is_table { row.and_then(|row| row.object) } else { Some(raw_object(value)?) };
        let cells = row.filter(|_| is_table).map(|row| row.cells.as_slice());
        let what = match &*event.kind {
            "ADDED" | "MODIFIED" => self.object(cells, object, value).map_or_else(What::LeftOut, What::Put),
            "DELETED" => self.deleted(object),
            "BOOKMARK" => What::Bookmark { ends_initial: self.ends_initial(object) },
            _ => What::Unknown,
        };
        Some(Event { columns, resource_version, what })
    }

    /// `None` if the body is neither a table nor a list.
    pub fn page(&mut self, body: &Bytes) -> Option<Page> {
        let table: WireTable = serde_json::from_slice(body).ok()?;
        self.learn(&table, true);
        let objects: Vec<Result<Object, LeftOut>> = match (&table.rows, &table.items) {
            _ if table.kind == "Table" => {
                let rows = table.rows.iter().flatten();
                rows.map(|row| self.object(Some(&row.cells), row.object, body)).collect()
            }
            (_, Some(items)) => items.iter().map(|item| self.object(None, Some(item), body)).collect(),
            _ if table.kind.ends_with("List") => Vec::new(),
            _ => return None,
        };
        Some(Page {
            columns: self.known.as_ref().map(|known| Arc::clone(&known.columns)).unwrap_or_default(),
            objects,
            resource_version: table.metadata.resource_version(),
            next: table.metadata.next.map(|next| next.into_owned()).filter(|next| !next.is_empty()),
            remaining: table.metadata.remaining_item_count,
        })
    }

    /// The event for a value that was over the bound.
    #[must_use]
    pub fn too_large(head: &[u8]) -> Event {
        let limit = limits::UPSTREAM_VALUE_BYTES_MAX / 1024 / 1024;
        let name = object::name_in(head).unwrap_or_else(|| "an object whose name isn't known".to_owned());
        let problem =
            Problem::new(Reason::TooLarge, format!("{name} is larger than {limit} MiB and is left out"));
        Event::plain(What::LeftOut(LeftOut { object: name.into(), problem }))
    }

    /// The columns, if this value carries them or its object shows that none will come. A bookmark in its
    /// plain form shows nothing.
    fn learn(&mut self, table: &WireTable<'_>, has_object: bool) -> Option<Arc<[Column]>> {
        let columns: Arc<[Column]> = match &table.column_definitions {
            Some(columns) if !columns.is_empty() => columns.as_slice().into(),
            _ if table.kind == "Table" || self.known.is_some() || !has_object => return None,
            _ => plain_columns(),
        };
        self.known = Some(Known::of(&self.resource, Arc::clone(&columns), &self.dates));
        Some(columns)
    }

    fn object(
        &self,
        cells: Option<&[&RawValue]>,
        object: Option<&RawValue>,
        whole: &Bytes,
    ) -> Result<Object, LeftOut> {
        let (Some(known), Some(object)) = (&self.known, object) else {
            return Err(object::unreadable("a row without its object"));
        };
        let kind = AskedKind::of(&self.resource);
        object::build(&known.plan, (self.redaction.rules(), kind), cells, object, whole)
    }

    fn deleted(&self, object: Option<&RawValue>) -> What {
        self.with_metadata(object, |metadata| {
            if metadata.name.is_empty() {
                What::LeftOut(object::unreadable("a deleted object without a name"))
            } else {
                What::Deleted(object::row_id(metadata))
            }
        })
        .unwrap_or_else(|| What::LeftOut(object::unreadable("a deleted object")))
    }

    fn ends_initial(&self, object: Option<&RawValue>) -> bool {
        self.with_metadata(object, |metadata| metadata.ends_initial()).unwrap_or(false)
    }

    fn with_metadata<T>(
        &self,
        object: Option<&RawValue>,
        read: impl FnOnce(&Metadata<'_>) -> T,
    ) -> Option<T> {
        let redacted = Redacted::of(object?.get(), self.redaction.rules(), AskedKind::Other)?;
        let metadata: Metadata = serde_json::from_slice(redacted.metadata()).ok()?;
        Some(read(&metadata))
    }
}

/// The object of an event as it stands.
fn raw_object(value: &[u8]) -> Option<&RawValue> {
    let event: WireEvent<&RawValue> = serde_json::from_slice(value).ok()?;
    Some(event.object)
}

impl Event {
    fn plain(what: What) -> Self {
        Self { columns: None, resource_version: ResourceVersion::default(), what }
    }
}

/// A server that can't print a kind sends the plain object; kubectl then shows name and age.
fn plain_columns() -> Arc<[Column]> {
    let column = |name: &str, format: &str| Column {
        name: name.into(),
        kind: "string".into(),
        format: format.into(),
        description: Box::default(),
        priority: 0,
        path: "".into(),
    };
    [column("Name", "name"), column("Age", "")].into()
}

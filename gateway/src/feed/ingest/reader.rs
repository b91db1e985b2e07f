//! Reads the bytes of an answer, as they come, into inputs for the machine: a stream is split into values, each value is
//! decoded, and what the gateway doesn't show is left out. Pure; the request itself is made in [`crate::feed::driver`].

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use shared::column::Column;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;

use super::credentials::found_in;
use super::object::{self, Metadata, Plan};
use super::printer::PrinterColumns;
use super::redact::Redacted;
use super::role::AskedKind;
use super::scan::Scan;
use super::split::{Piece, Splitter};
use crate::cluster::{Ceiling, Failure, Refusal};
use crate::feed::event::{Event, Page, What};
use crate::feed::health::Judge;
use crate::feed::health::rows::RowsOfKind;
use crate::feed::machine::{Input, Request, RequestSlot};
use crate::feed::redaction::Rules;
use crate::feed::{LeftOut, Object, Redaction};
use crate::limits;

/// What is remembered from one answer to read the next.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub printer: PrinterColumns,
    pub redaction: Redaction,
    pub ceiling: Ceiling,
    columns: Option<Arc<[Column]>>,
}

impl Memory {
    /// A failure without what may be a credential in the server's own words.
    pub fn told(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Refused(refusal) => {
                Failure::Refused(without_credentials(refusal, self.redaction.rules()))
            }
            broken @ Failure::Broken(_) => broken,
        }
    }
}

fn without_credentials(mut refusal: Refusal, rules: &Rules) -> Refusal {
    for told in [&mut refusal.message, &mut refusal.about_request] {
        told.take_if(|message| !found_in(message, &rules.names).is_empty());
    }
    refusal
}

/// Reads one answer to its end. The driver makes one for each request, and so do the simulation and the fuzzer.
pub struct AnswerReader {
    slot: RequestSlot,
    request: Request,
    splitter: Splitter,
    decoder: Decoder,
    filter: Filter,
}

impl AnswerReader {
    #[must_use]
    pub fn new(resource: Resource, slot: RequestSlot, request: Request, memory: &Memory) -> Self {
        // A list carries its own columns, which may be new.
        let columns = memory.columns.clone().filter(|_| !request.begins_list());
        let filter = Filter { resource: resource.clone(), ceiling: memory.ceiling.clone() };
        let decoder = Decoder::new(resource, memory.printer.clone(), memory.redaction.clone(), columns);
        Self { slot, request, splitter: Splitter::default(), decoder, filter }
    }

    /// Reads a piece of a stream, wherever it was cut. After [`Input::Unreadable`] nothing more may be
    /// read.
    pub fn chunk(&mut self, bytes: impl Into<Bytes>, memory: &mut Memory) -> Vec<Input> {
        self.splitter.push(bytes.into());
        let mut inputs = Vec::new();
        while let Some(event) = self.next_event() {
            let Ok(event) = event else {
                inputs.push(Input::Unreadable { slot: self.slot });
                return inputs;
            };
            inputs.push(Input::Event(self.filter.event(event)));
        }
        self.splitter.give_back();
        self.keep_columns(memory);
        inputs
    }

    /// `Err`: the stream can't be continued.
    fn next_event(&mut self) -> Option<Result<Event, ()>> {
        if let Some(line) = self.splitter.next_line() {
            if let Some(event) = self.decoder.event(&line) {
                return Some(Ok(event));
            }
            self.splitter.put_back(&line);
        }
        Some(match self.splitter.next_piece()? {
            Piece::Value(value) => self.decoder.event(&value).ok_or(()),
            Piece::TooLarge { head } => Ok(Decoder::too_large(&head)),
            Piece::Garbage => Err(()),
        })
    }

    /// Reads the body of an answer that isn't a stream.
    pub fn whole(&mut self, body: &Bytes, memory: &mut Memory) -> Input {
        let input = match self.request {
            Request::Proof { columns: false } => {
                resource_version_of_list(body).map(|version| Input::Proof { version, columns: None })
            }
            Request::Proof { columns: true } => self.decoder.page(body).map(|page| {
                let columns = Some(page.columns).filter(|columns| !columns.is_empty());
                Input::Proof { version: page.resource_version, columns }
            }),
            _ => {
                let page = self.decoder.page(body);
                self.keep_columns(memory);
                page.map(|page| Input::Page(self.filter.page(page)))
            }
        };
        input.unwrap_or(Input::Unreadable { slot: self.slot })
    }

    fn keep_columns(&self, memory: &mut Memory) {
        if let Some(columns) = self.decoder.columns() {
            memory.columns = Some(columns);
        }
    }
}

/// Leaves out the objects of namespaces that the gateway doesn't show.
struct Filter {
    resource: Resource,
    ceiling: Ceiling,
}

impl Filter {
    fn event(&self, mut event: Event) -> Event {
        let is_shown = match &event.what {
            What::Put(object) => self.shows(object),
            What::LeftOut(left_out) => self.shows_left_out(left_out),
            // A deletion passes: a row that the hub doesn't have can't be deleted.
            What::Deleted(_) | What::Bookmark { .. } | What::Hidden | What::Error(_) | What::Unknown => true,
        };
        if !is_shown {
            event.what = What::Hidden;
        }
        event
    }

    fn page(&self, mut page: Page) -> Page {
        if self.ceiling.shows_all_namespaces() {
            return page;
        }
        page.objects.retain(|object| match object {
            Ok(object) => self.shows(object),
            Err(left_out) => self.shows_left_out(left_out),
        });
        // The server's number counts the objects that are left out, too.
        page.remaining = None;
        page
    }

    fn shows(&self, object: &Object) -> bool {
        self.ceiling.shows_object(&self.resource, object.row.namespace.as_deref(), &object.row.name)
    }

    fn shows_left_out(&self, left_out: &LeftOut) -> bool {
        let (namespace, name) = match left_out.object.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, &*left_out.object),
        };
        self.ceiling.shows_object(&self.resource, namespace, name)
    }
}

/// Keeps the columns of the answer that it reads, because they come once, in its first value.
pub(super) struct Decoder {
    resource: Resource,
    printer: PrinterColumns,
    redaction: Redaction,
    known: Option<Known>,
}

struct Known {
    columns: Arc<[Column]>,
    plan: Plan,
    judge: Judge,
    /// What the configuration says of the kind.
    rows: Option<RowsOfKind>,
}

impl Known {
    fn of(resource: &Resource, columns: Arc<[Column]>, printer: &PrinterColumns, rules: &Rules) -> Self {
        let plan = Plan::of(resource, &columns, printer, rules);
        let rows = RowsOfKind::of(resource, &rules.health);
        Self { plan, judge: Judge::of(resource), rows, columns }
    }
}

impl Decoder {
    /// `columns`: those of the last answer, for a server that doesn't repeat them.
    pub(super) fn new(
        resource: Resource,
        printer: PrinterColumns,
        redaction: Redaction,
        columns: Option<Arc<[Column]>>,
    ) -> Self {
        let known = columns.map(|columns| Known::of(&resource, columns, &printer, redaction.rules()));
        Self { resource, printer, redaction, known }
    }

    /// The columns of the answer that was read so far.
    fn columns(&self) -> Option<Arc<[Column]>> {
        self.known.as_ref().map(|known| Arc::clone(&known.columns))
    }

    /// `None` if the value isn't an API server's: the stream can't be continued.
    pub(super) fn event(&mut self, value: &Bytes) -> Option<Event> {
        self.put_of_row(value).or_else(|| self.any_event(value))
    }

    /// An event that puts the row of a table, which most are. `None`: it is another, or nothing that can be read. Its
    /// object is read once, where it stands; what is around it is small.
    pub(super) fn put_of_row(&mut self, value: &Bytes) -> Option<Event> {
        let json = std::str::from_utf8(value).ok()?.trim_ascii_end();
        // No text of JSON has a control character, and no API server writes them between its values.
        // Without an early end, so that many bytes are looked at together.
        if json.bytes().fold(false, |found, byte| found | (byte < b' ')) {
            return None;
        }
        let start = object_of_row(json)?;
        let kind = AskedKind::of(&self.resource);
        let (redacted, end) = Redacted::within(json, start, self.redaction.rules(), kind)?;
        let around = [json.get(..start)?, "null", json.get(end..)?].concat();
        let event: WireEvent<WireTable> = serde_json::from_str(&around).ok()?;
        let table = event.object;
        let row = table.rows.as_ref().and_then(|rows| rows.first())?;
        if table.kind != "Table" || !matches!(&*event.kind, "ADDED" | "MODIFIED") {
            return None;
        }
        let columns = self.learn(&table, true);
        let managed = json.as_bytes().get(redacted.managed_range()).unwrap_or_default();
        let object = self.object(Some(&row.cells), redacted, (managed, value));
        Some(Event {
            columns,
            resource_version: table.metadata.resource_version(),
            is_change: event.kind == "MODIFIED",
            what: object.map_or_else(What::LeftOut, What::Put),
        })
    }

    pub(super) fn any_event(&mut self, value: &Bytes) -> Option<Event> {
        let event: WireEvent<WireTable> = serde_json::from_slice(value).ok()?;
        if event.kind == "ERROR" {
            let refusal = Refusal::read(500, None, raw_object(value)?.get().as_bytes());
            let refusal = without_credentials(refusal, self.redaction.rules());
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
            "ADDED" | "MODIFIED" => {
                self.raw_object(cells, object, value).map_or_else(What::LeftOut, What::Put)
            }
            "DELETED" => self.deleted(object),
            "BOOKMARK" => What::Bookmark { ends_initial: self.ends_initial(object) },
            _ => What::Unknown,
        };
        let is_change = matches!(&*event.kind, "MODIFIED" | "DELETED");
        Some(Event { columns, resource_version, is_change, what })
    }

    /// `None` if the body is neither a table nor a list.
    pub(super) fn page(&mut self, body: &Bytes) -> Option<Page> {
        let table: WireTable = serde_json::from_slice(body).ok()?;
        self.learn(&table, true);
        let objects: Vec<Result<Object, LeftOut>> = match (&table.rows, &table.items) {
            _ if table.kind == "Table" => {
                let rows = table.rows.iter().flatten();
                rows.map(|row| self.raw_object(Some(&row.cells), row.object, body)).collect()
            }
            (_, Some(items)) => items.iter().map(|item| self.raw_object(None, Some(item), body)).collect(),
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
    pub(super) fn too_large(head: &[u8]) -> Event {
        Event::plain(What::LeftOut(too_large(head)))
    }

    /// The columns, if this value carries them or its object shows that none will come. A bookmark in its
    /// plain form shows nothing.
    fn learn(&mut self, table: &WireTable<'_>, has_object: bool) -> Option<Arc<[Column]>> {
        let columns: Arc<[Column]> = match &table.column_definitions {
            Some(columns) if !columns.is_empty() => columns.as_slice().into(),
            _ if table.kind == "Table" || self.known.is_some() || !has_object => return None,
            _ => plain_columns(),
        };
        let rules = self.redaction.rules();
        self.known = Some(Known::of(&self.resource, Arc::clone(&columns), &self.printer, rules));
        Some(columns)
    }

    fn raw_object(
        &self,
        cells: Option<&[&RawValue]>,
        object: Option<&RawValue>,
        whole: &Bytes,
    ) -> Result<Object, LeftOut> {
        let Some(object) = object.filter(|_| self.known.is_some()) else {
            return Err(object::unreadable("a row without its object"));
        };
        let json = object.get().as_bytes();
        if json.len() > limits::UPSTREAM_VALUE_BYTES_MAX {
            return Err(too_large(json.get(..limits::UPSTREAM_HEAD_BYTES_MAX).unwrap_or(json)));
        }
        let kind = AskedKind::of(&self.resource);
        let redacted = Redacted::of(object.get(), self.redaction.rules(), kind);
        let redacted = redacted.ok_or_else(|| object::unreadable("an object"))?;
        let managed = json.get(redacted.managed_range()).unwrap_or_default();
        self.object(cells, redacted, (managed, whole))
    }

    fn object(
        &self,
        cells: Option<&[&RawValue]>,
        redacted: Redacted,
        source: (&[u8], &Bytes),
    ) -> Result<Object, LeftOut> {
        let Some(known) = &self.known else { return Err(object::unreadable("a row without its object")) };
        let rules =
            (self.redaction.rules(), AskedKind::of(&self.resource), (known.judge, known.rows.as_ref()));
        object::build(&known.plan, rules, cells, redacted, source)
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

/// `head`: the beginning of an object over the bound, or of the event with it.
fn too_large(head: &[u8]) -> LeftOut {
    let limit = limits::UPSTREAM_VALUE_BYTES_MAX / 1024 / 1024;
    let name = object::name_in(head).unwrap_or_else(|| "an object whose name isn't known".to_owned());
    let problem =
        Problem::new(Reason::TooLarge, format!("{name} is larger than {limit} MiB and is left out"));
    LeftOut { object: name.into(), problem }
}

/// Where the object of the first row begins in an event that isn't known to be another than one that puts it.
fn object_of_row(json: &str) -> Option<usize> {
    let mut scan = Scan::of(json);
    scan.expect(b'{')?;
    if json.as_bytes().get(scan.at..)?.starts_with(b"\"type\"") {
        scan.find(b"\"type\"")?;
        let kind = scan.skip_scalar()?;
        if !matches!(scan.slice(kind), b"\"ADDED\"" | b"\"MODIFIED\"") {
            return None;
        }
        scan.expect(b',')?;
    }
    scan.find(b"\"object\"")?;
    scan.expect(b'{')?;
    scan.find(b"\"rows\"")?;
    scan.expect(b'[')?;
    scan.expect(b'{')?;
    scan.find(b"\"object\"")?;
    (scan.peek()? == b'{').then_some(scan.at)
}

/// The object of an event as it stands.
fn raw_object(value: &[u8]) -> Option<&RawValue> {
    let event: WireEvent<&RawValue> = serde_json::from_slice(value).ok()?;
    Some(event.object)
}

impl Event {
    fn plain(what: What) -> Self {
        Self { columns: None, resource_version: ResourceVersion::default(), is_change: false, what }
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

/// Any list without its items: the answer to a request for a proof.
fn resource_version_of_list(body: &[u8]) -> Option<ResourceVersion> {
    #[derive(Deserialize)]
    struct Head<'a> {
        #[serde(borrow)]
        metadata: WireListMetadata<'a>,
    }
    let head: Head = serde_json::from_slice(body).ok()?;
    Some(head.metadata.resource_version())
}

// The JSON of a watch and of a list, borrowed from the bytes, with objects and cells unparsed.

/// `T` is what the object is read as: mostly a [`WireTable`] at once, so that the bytes are read once.
#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct WireEvent<'a, T> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    object: T,
}

/// A `Table`, or another object, of which only `kind` and `metadata` are read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTable<'a> {
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    metadata: WireListMetadata<'a>,
    #[serde(default)]
    column_definitions: Option<Vec<Column>>,
    #[serde(borrow, default)]
    rows: Option<Vec<WireRow<'a>>>,
    /// The items of a list that isn't a table.
    #[serde(borrow, default)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct WireListMetadata<'a> {
    #[serde(borrow, default)]
    resource_version: Option<Cow<'a, str>>,
    #[serde(rename = "continue", borrow, default)]
    next: Option<Cow<'a, str>>,
    #[serde(default)]
    remaining_item_count: Option<u64>,
}

impl WireListMetadata<'_> {
    /// Empty if there is none.
    fn resource_version(&self) -> ResourceVersion {
        ResourceVersion::new(self.resource_version.as_deref().unwrap_or_default())
    }
}

#[derive(Deserialize)]
struct WireRow<'a> {
    #[serde(borrow, default)]
    cells: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    object: Option<&'a RawValue>,
}

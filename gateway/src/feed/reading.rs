//! Reads the bytes of an answer, as they come, into inputs for the machine. Pure; the request itself is
//! made in [`super::request_stream`].

use std::sync::Arc;

use bytes::Bytes;
use shared::column::Column;
use shared::resource::Resource;

use super::event::{Event, Page, What};
use super::ingest::{DatePaths, Decoder, Piece, Splitter, resource_version_of_list};
use super::machine::{Input, Request, RequestSlot};
use super::{LeftOut, Object, Redaction};
use crate::cluster::Ceiling;

/// What is remembered from one answer to read the next.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub dates: DatePaths,
    pub redaction: Redaction,
    pub ceiling: Ceiling,
    columns: Option<Arc<[Column]>>,
}

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
        let decoder = Decoder::new(resource, memory.dates.clone(), memory.redaction.clone(), columns);
        Self { slot, request, splitter: Splitter::default(), decoder, filter }
    }

    /// Reads a piece of a stream, wherever it was cut. After [`Input::Unreadable`] nothing more may be
    /// read.
    pub fn chunk(&mut self, bytes: &[u8], memory: &mut Memory) -> Vec<Input> {
        self.splitter.push(bytes);
        let mut inputs = Vec::new();
        while let Some(event) = self.next_event() {
            let Ok(event) = event else {
                inputs.push(Input::Unreadable { slot: self.slot });
                return inputs;
            };
            inputs.push(Input::Event(self.filter.event(event)));
        }
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

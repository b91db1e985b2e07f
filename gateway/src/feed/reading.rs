//! Reads the bytes of an answer, as they come, into inputs for the machine. Pure; the request itself is
//! made in [`super::request_stream`].

use std::sync::Arc;

use bytes::Bytes;
use shared::column::Column;
use shared::resource::Resource;

use super::Redaction;
use super::event::Event;
use super::ingest::{DatePaths, Decoder, Piece, Splitter, resource_version_of_list};
use super::machine::{Input, Request, RequestSlot};

/// What is remembered from one answer to read the next.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub dates: DatePaths,
    pub redaction: Redaction,
    columns: Option<Arc<[Column]>>,
}

pub struct AnswerReader {
    slot: RequestSlot,
    request: Request,
    splitter: Splitter,
    decoder: Decoder,
}

impl AnswerReader {
    #[must_use]
    pub fn new(resource: Resource, slot: RequestSlot, request: Request, memory: &Memory) -> Self {
        // A list carries its own columns, which may be new.
        let columns = memory.columns.clone().filter(|_| !request.begins_list());
        let decoder = Decoder::new(resource, memory.dates.clone(), memory.redaction.clone(), columns);
        Self { slot, request, splitter: Splitter::default(), decoder }
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
            inputs.push(Input::Event(event));
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
                page.map(Input::Page)
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

//! One request and what comes of it, as inputs for the machine: head, values, end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use shared::column::Column;
use shared::name::ObjectName;
use shared::problem::Reason;
use shared::resource::Resource;

use super::ingest::{DatePaths, Decoder, Piece, Splitter, resource_version_of_list};
use super::machine::{Input, Line, Request};
use super::{FeedKey, Representation};
use crate::cluster::{Accept, Answer, ApiRequest, Cluster, Failure, Selection};

/// What outlives a request: how to read the next answer.
#[derive(Default)]
pub(super) struct Reading {
    dates: DatePaths,
    columns: Option<Arc<[Column]>>,
}

pub(super) type SharedReading = Arc<Mutex<Reading>>;

pub(super) struct Exchange {
    cluster: Cluster,
    line: Line,
    request: Request,
    resource: Resource,
    api: ApiRequest,
    is_custom: bool,
    reading: SharedReading,
    stage: Stage,
    ready: VecDeque<Input>,
}

enum Stage {
    Asking,
    Stream { answer: Box<Answer>, splitter: Splitter, decoder: Box<Decoder> },
    Whole { answer: Box<Answer>, decoder: Box<Decoder> },
    Over,
}

impl Exchange {
    pub(super) fn new(
        cluster: &Cluster,
        key: &FeedKey,
        line: Line,
        request: Request,
        reading: &SharedReading,
    ) -> Self {
        let selection = Selection {
            resource: key.resource.clone(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            fields: key.fields.clone(),
        };
        Self {
            api: request.to_api(&selection, key.representation),
            is_custom: key.representation == Representation::Object
                && cluster.kind_of(&key.resource).is_some_and(|kind| kind.custom),
            cluster: cluster.clone(),
            line,
            request,
            resource: key.resource.clone(),
            reading: Arc::clone(reading),
            stage: Stage::Asking,
            ready: VecDeque::new(),
        }
    }

    /// Waiting for the next input may be given up and taken up again: what is under way stays.
    pub(super) fn inputs(self) -> BoxStream<'static, Input> {
        stream::unfold(self, |mut exchange| async move {
            let input = exchange.next().await?;
            Some((input, exchange))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Input> {
        loop {
            if let Some(input) = self.ready.pop_front() {
                return Some(input);
            }
            match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Over => return None,
                Stage::Asking => self.ask().await,
                Stage::Stream { answer, splitter, decoder } => {
                    self.read_stream(answer, splitter, decoder).await
                }
                Stage::Whole { answer, decoder } => self.read_whole(*answer, *decoder).await,
            }
        }
    }

    async fn ask(&mut self) {
        let begins_list = matches!(self.request, Request::WatchList | Request::List { next: None, .. });
        if self.is_custom && begins_list {
            let dates = date_paths(&self.cluster, &self.resource).await;
            self.reading.lock().unwrap_or_else(PoisonError::into_inner).dates = dates;
        }
        match self.cluster.send(&self.api).await {
            Err(failure) => self.fail(failure),
            Ok(answer) => {
                self.ready.push_back(Input::Opened { line: self.line, date_ms: answer.date_ms });
                let decoder = Box::new(self.decoder(begins_list));
                let answer = Box::new(answer);
                self.stage = if self.request.is_stream() {
                    Stage::Stream { answer, splitter: Splitter::default(), decoder }
                } else {
                    Stage::Whole { answer, decoder }
                };
            }
        }
    }

    /// A list says its columns itself, and they may be new ones.
    fn decoder(&self, begins_list: bool) -> Decoder {
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let columns = reading.columns.clone().filter(|_| !begins_list);
        Decoder::new(self.resource.clone(), reading.dates.clone(), columns)
    }

    async fn read_stream(
        &mut self,
        mut answer: Box<Answer>,
        mut splitter: Splitter,
        mut decoder: Box<Decoder>,
    ) {
        match answer.chunk().await {
            Err(problem) => return self.fail(Failure::Broken(problem)),
            // A value that was cut is no loss: the watch goes on from the one before it.
            Ok(None) => return self.ready.push_back(Input::Ended),
            Ok(Some(bytes)) => splitter.push(&bytes),
        }
        while let Some(piece) = splitter.next_piece() {
            let event = match piece {
                Piece::Value(value) => decoder.event(&value),
                Piece::TooLarge { head } => Ok(Decoder::too_large(&head)),
                Piece::Garbage => return self.ready.push_back(Input::Unreadable { line: self.line }),
            };
            match event {
                Ok(event) => self.ready.push_back(Input::Event(event)),
                Err(_) => return self.ready.push_back(Input::Unreadable { line: self.line }),
            }
        }
        self.keep_columns(&decoder);
        self.stage = Stage::Stream { answer, splitter, decoder };
    }

    async fn read_whole(&mut self, answer: Answer, mut decoder: Decoder) {
        let body = match answer.whole().await {
            Err(problem) => return self.fail(Failure::Broken(problem)),
            Ok(body) => body,
        };
        let input = match self.request {
            Request::Proof { columns: false } => {
                resource_version_of_list(&body).map(|version| Input::Proof { version, columns: None })
            }
            Request::Proof { columns: true } => decoder.page(&body).ok().map(|page| {
                let columns = Some(page.columns).filter(|columns| !columns.is_empty());
                Input::Proof { version: page.resource_version, columns }
            }),
            _ => {
                let page = decoder.page(&body).ok();
                self.keep_columns(&decoder);
                page.map(Input::Page)
            }
        };
        self.ready.push_back(input.unwrap_or(Input::Unreadable { line: self.line }));
    }

    fn keep_columns(&self, decoder: &Decoder) {
        if let Some(columns) = decoder.columns() {
            self.reading.lock().unwrap_or_else(PoisonError::into_inner).columns = Some(columns);
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.ready.push_back(Input::Failed { line: self.line, failure });
    }
}

/// Which instants the date columns of a custom resource show. Who may not read definitions gets
/// those columns as they were printed.
async fn date_paths(cluster: &Cluster, resource: &Resource) -> DatePaths {
    let found = async {
        let definitions = Resource::parse("apiextensions.k8s.io", "v1", "customresourcedefinitions").ok()?;
        let name = ObjectName::parse(&resource.to_string()).ok()?;
        let request = ApiRequest::object(&definitions, None, &name, Accept::Json);
        let body = cluster.send(&request).await.ok()?.whole().await.ok()?;
        Some(DatePaths::of_definition(&body, resource.version.as_str()))
    };
    found.await.unwrap_or_default()
}

/// For the log: the reason alone, never a body.
pub(super) fn reason_of(input: &Input) -> Option<Reason> {
    match input {
        Input::Failed { failure, .. } => Some(failure.reason()),
        Input::Unreadable { .. } => Some(Reason::NotKubernetes),
        _ => None,
    }
}

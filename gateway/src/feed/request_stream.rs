//! One request and its answer as inputs for the machine: head, values, end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use shared::name::ObjectName;
use shared::problem::Reason;
use shared::resource::Resource;

use super::ingest::DatePaths;
use super::machine::{Input, Request, RequestSlot};
use super::reading::{AnswerReader, Memory};
use super::{FeedKey, Representation};
use crate::cluster::{Accept, Answer, ApiRequest, Cluster, Failure};

pub(super) type SharedMemory = Arc<Mutex<Memory>>;

pub(super) struct RequestStream {
    cluster: Cluster,
    slot: RequestSlot,
    request: Request,
    resource: Resource,
    api: ApiRequest,
    is_custom: bool,
    memory: SharedMemory,
    stage: Stage,
    ready: VecDeque<Input>,
}

enum Stage {
    Asking,
    Stream { answer: Box<Answer>, reader: Box<AnswerReader> },
    Whole { answer: Box<Answer>, reader: Box<AnswerReader> },
    Over,
}

impl RequestStream {
    pub(super) fn new(
        cluster: &Cluster,
        key: &FeedKey,
        slot: RequestSlot,
        request: Request,
        memory: &SharedMemory,
    ) -> Self {
        Self {
            api: request.to_api(key),
            is_custom: key.representation == Representation::Object
                && cluster.kind_of(&key.resource).is_some_and(|kind| kind.custom),
            cluster: cluster.clone(),
            slot,
            request,
            resource: key.resource.clone(),
            memory: Arc::clone(memory),
            stage: Stage::Asking,
            ready: VecDeque::new(),
        }
    }

    /// A dropped wait for the next input loses nothing, for the state of the request stays in the stream.
    pub(super) fn inputs(self) -> BoxStream<'static, Input> {
        stream::unfold(self, |mut requests| async move {
            let input = requests.next().await?;
            Some((input, requests))
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
                Stage::Stream { answer, reader } => self.read_stream(answer, reader).await,
                Stage::Whole { answer, reader } => self.read_whole(*answer, *reader).await,
            }
        }
    }

    async fn ask(&mut self) {
        if self.is_custom && self.request.begins_list() {
            let dates = date_paths(&self.cluster, &self.resource).await;
            self.memory().dates = dates;
        }
        match self.cluster.send(&self.api).await {
            Err(failure) => self.fail(failure),
            Ok(answer) => {
                self.ready.push_back(Input::Opened { slot: self.slot, date_ms: answer.date_ms });
                let (resource, request) = (self.resource.clone(), self.request.clone());
                let reader = Box::new(AnswerReader::new(resource, self.slot, request, &self.memory()));
                let answer = Box::new(answer);
                self.stage = if self.request.is_stream() {
                    Stage::Stream { answer, reader }
                } else {
                    Stage::Whole { answer, reader }
                };
            }
        }
    }

    async fn read_stream(&mut self, mut answer: Box<Answer>, mut reader: Box<AnswerReader>) {
        let inputs = match answer.chunk().await {
            Err(problem) => return self.fail(Failure::Broken(problem)),
            // A value that was cut off is not lost, because the next watch starts before it.
            Ok(None) => return self.ready.push_back(Input::Ended),
            Ok(Some(bytes)) => reader.chunk(&bytes, &mut self.memory()),
        };
        let is_readable = !matches!(inputs.last(), Some(Input::Unreadable { .. }));
        self.ready.extend(inputs);
        if is_readable {
            self.stage = Stage::Stream { answer, reader };
        }
    }

    async fn read_whole(&mut self, answer: Answer, mut reader: AnswerReader) {
        let input = match answer.whole().await {
            Err(problem) => return self.fail(Failure::Broken(problem)),
            Ok(body) => reader.whole(&Bytes::from(body), &mut self.memory()),
        };
        self.ready.push_back(input);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&mut self, failure: Failure) {
        self.ready.push_back(Input::Failed { slot: self.slot, failure });
    }
}

/// Which instants the date columns of a custom resource show. Without the right to read definitions,
/// those columns stay as the server printed them.
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

/// The reason for the log, never a body.
pub(super) fn reason_of(input: &Input) -> Option<Reason> {
    match input {
        Input::Failed { failure, .. } => Some(failure.reason()),
        Input::Unreadable { .. } => Some(Reason::NotKubernetes),
        _ => None,
    }
}

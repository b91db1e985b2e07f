//! One request and its answer as inputs for the machine: head, values, end.

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
use crate::metrics::Answered;

pub(super) type SharedMemory = Arc<Mutex<Memory>>;

/// Sends the request. A dropped wait for the next input loses nothing, because the state of the request stays in the
/// stream.
pub(super) fn inputs_of(
    cluster: Cluster,
    key: FeedKey,
    slot: RequestSlot,
    request: Request,
    memory: SharedMemory,
) -> BoxStream<'static, Input> {
    let is_stream = request.is_stream();
    let opening = open(cluster, key, slot, request, memory);
    stream::once(opening)
        .flat_map(move |opened| match opened {
            Err(failure) => stream::iter([Input::Failed { slot, failure }]).boxed(),
            Ok(open) => {
                let head = Input::Opened { slot, date_ms: open.answer.date_ms };
                let body = if is_stream { open.values() } else { stream::once(open.whole()).boxed() };
                stream::iter([head]).chain(body).boxed()
            }
        })
        .boxed()
}

async fn open(
    cluster: Cluster,
    key: FeedKey,
    slot: RequestSlot,
    request: Request,
    memory: SharedMemory,
) -> Result<OpenAnswer, Failure> {
    let shows_custom_columns = key.representation == Representation::Object
        && cluster.kind_of(&key.resource).is_some_and(|kind| kind.custom);
    if shows_custom_columns && request.begins_list() {
        let dates = date_paths(&cluster, &key.resource).await;
        lock(&memory).dates = dates;
    }
    let answer = cluster.send_as(&key.upstream, &request.to_api(&key)).await;
    // Only lists and watches are counted: not proofs, and not further pages, which belong to their list.
    if request.is_stream() || request.begins_list() {
        let result = match &answer {
            Ok(_) => Answered::ok,
            Err(Failure::Refused(_)) => Answered::refused,
            Err(Failure::Broken(_)) => Answered::no_answer,
        };
        cluster.metrics().count_list_or_watch(request.is_stream(), &key.resource, result);
    }
    let answer = answer?;
    let reader = AnswerReader::new(key.resource, slot, request, &lock(&memory));
    Ok(OpenAnswer { answer, reader, slot, memory })
}

/// An answer whose head has come.
struct OpenAnswer {
    answer: Answer,
    reader: AnswerReader,
    slot: RequestSlot,
    memory: SharedMemory,
}

impl OpenAnswer {
    /// The values of a watch, until one that can't be read, or the end.
    fn values(self) -> BoxStream<'static, Input> {
        stream::unfold(Some(self), |open| async move {
            let mut open = open?;
            let (inputs, is_over) = open.next_values().await;
            Some((stream::iter(inputs), (!is_over).then_some(open)))
        })
        .flatten()
        .boxed()
    }

    async fn next_values(&mut self) -> (Vec<Input>, bool) {
        match self.answer.chunk().await {
            Err(problem) => {
                let failure = Failure::Broken(problem);
                (vec![Input::Failed { slot: self.slot, failure }], true)
            }
            // A value that was cut off is not lost, because the next watch starts before it.
            Ok(None) => (vec![Input::Ended], true),
            Ok(Some(bytes)) => {
                let inputs = self.reader.chunk(&bytes, &mut lock(&self.memory));
                let is_over = matches!(inputs.last(), Some(Input::Unreadable { .. }));
                (inputs, is_over)
            }
        }
    }

    async fn whole(mut self) -> Input {
        match self.answer.whole().await {
            Err(problem) => Input::Failed { slot: self.slot, failure: Failure::Broken(problem) },
            Ok(body) => self.reader.whole(&Bytes::from(body), &mut lock(&self.memory)),
        }
    }
}

fn lock(memory: &SharedMemory) -> MutexGuard<'_, Memory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which instants the date columns of a custom resource show. The gateway reads definitions with its own account, for
/// every viewer. Without the right to it, those columns stay as the server printed them.
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

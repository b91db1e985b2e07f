//! One answer of the API server without a feed: a list, a page of one, or an object. It is read and redacted as a feed's
//! answers are.

use bytes::Bytes;

use shared::problem::{Problem, Reason};

use super::printer_columns;
use crate::cluster::{Accept, ApiRequest, Cluster, Failure, Selection, UpstreamIdentity};
use crate::feed::event::Page;
use crate::feed::machine::{Input, Request, RequestSlot};
use crate::feed::{AnswerReader, Memory, Redaction, Representation};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Once {
    pub selection: Selection,
    /// More of the query, as the API server takes it.
    pub query: Vec<(&'static str, String)>,
}

/// Asks, as a feed of this identity would. A single object is asked for by its name, for which other rights are needed
/// than for a list.
///
/// # Errors
/// A [`Failure`]: the server refused, or its answer can't be read.
pub async fn read_once(
    cluster: &Cluster,
    whom: &UpstreamIdentity,
    redaction: &Redaction,
    once: &Once,
) -> Result<Page, Failure> {
    let resource = &once.selection.resource;
    let mut memory = Memory::default();
    memory.redaction.clone_from(redaction);
    memory.ceiling = cluster.ceiling();
    let representation = Representation::of(resource);
    if representation == Representation::Object && cluster.kind_of(resource).is_some_and(|kind| kind.custom) {
        memory.printer = printer_columns(cluster, resource).await;
    }
    let included = match representation {
        Representation::Object => "Object",
        Representation::Metadata => "Metadata",
    };
    let mut request = match &once.selection {
        Selection { resource, namespace, name: Some(name), fields: None } => {
            ApiRequest::object(resource, namespace.as_ref(), name, Accept::Table)
        }
        selection => ApiRequest::objects(selection, Accept::Table),
    };
    request = request.with("includeObject", included);
    for (name, value) in &once.query {
        request = request.with(name, value);
    }
    if representation == Representation::Metadata {
        request = request.without_second_choice();
    }
    let answer = cluster.send_as(whom, &request).await;
    let body = answer.map_err(|failure| memory.told(failure))?.whole().await.map_err(Failure::Broken)?;
    let list = Request::List { at: None, limit: None, next: None };
    let mut reader = AnswerReader::new(resource.clone(), RequestSlot::Main, list, &memory);
    match reader.whole(&Bytes::from(body), &mut memory) {
        Input::Page(page) => Ok(page),
        _ => Err(Failure::Broken(Problem::new(
            Reason::NotKubernetes,
            format!("the answer to a request for {resource} can't be read"),
        ))),
    }
}

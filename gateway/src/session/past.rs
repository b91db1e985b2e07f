//! The questions about the past that one connection waits for. The record is read on a thread that may wait for a disk.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use shared::frame::client::PastAsked;
use shared::frame::server::{Past, PastAnswer, ServerFrame};
use shared::problem::{Problem, Reason};

use super::protocol::{AnswerId, PastRequest};
use crate::cluster::{Ceiling, Cluster};
use crate::feed::Redaction;
use crate::past::{Record, Sees, changes, events, search, whole};

/// The answer to a question.
type Answer = (AnswerId, Result<ServerFrame, Problem>);

#[derive(Default)]
pub(super) struct PastReads {
    reads: FuturesUnordered<BoxFuture<'static, Answer>>,
}

impl PastReads {
    pub(super) fn ask(
        &mut self,
        (record, cluster): (Option<Arc<Record>>, Option<Cluster>),
        (ceiling, redaction): (Ceiling, Redaction),
        request: PastRequest,
    ) {
        let answer = request.answer;
        let (Some(record), Some(cluster)) = (record, cluster) else {
            let problem = Problem::new(Reason::NotFound, "this gateway shows the cluster no more");
            return self.reads.push(async move { (answer, Err(problem)) }.boxed());
        };
        let read =
            tokio::task::spawn_blocking(move || read(&record, &cluster, (ceiling, redaction), &request));
        let read = read.map(|read| read.unwrap_or_else(|_| Err(ended())));
        self.reads.push(read.map(move |read| (answer, read)).boxed());
    }

    /// Never returns while nothing is asked.
    pub(super) async fn next(&mut self) -> Answer {
        match self.reads.next().await {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }
}

fn ended() -> Problem {
    Problem::new(Reason::InternalError, "the record couldn't be read; see the gateway's log")
}

fn read(
    record: &Record,
    cluster: &Cluster,
    (ceiling, redaction): (Ceiling, Redaction),
    request: &PastRequest,
) -> Result<ServerFrame, Problem> {
    let PastRequest { request, asked, of_whole_cluster, .. } = request;
    let sees = Sees { request: Arc::clone(request), of_whole_cluster: *of_whole_cluster, ceiling, redaction };
    let past = match asked {
        PastAsked::Recorded { from_ms, to_ms, slots } => {
            Past::Recorded(record.recorded(cluster, &sees, (*from_ms, *to_ms), *slots)?)
        }
        PastAsked::History { row, before } => Past::History(record.history(cluster, &sees, *row, *before)?),
        PastAsked::Version { row, resource_version } => {
            Past::Version(whole::version(record, cluster, &sees, *row, resource_version)?)
        }
        PastAsked::Last => Past::Version(whole::last(record, cluster, &sees)?),
        PastAsked::Search { from_ms, to_ms, word } => {
            Past::Found(search::search(record, cluster, &sees, (*from_ms, *to_ms), word)?)
        }
        PastAsked::Events { row, before, at_ms } => {
            Past::Events(events::events(record, cluster, &sees, *row, (*before, *at_ms))?)
        }
        PastAsked::Changes(asked) => {
            let changes = changes(record, cluster, &sees, *asked)?;
            let answer = PastAnswer::of_changes(request.id, changes).ok_or_else(ended)?;
            return Ok(ServerFrame::Past(answer));
        }
    };
    let answer = PastAnswer::of(request.id, &past).ok_or_else(ended)?;
    Ok(ServerFrame::Past(answer))
}

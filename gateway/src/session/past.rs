//! The questions about the past that one connection waits for. The record is read on a thread that may wait for a disk.

mod searches;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use shared::frame::client::PastAsked;
use shared::frame::server::{Past, PastAnswer, ServerFrame};
use shared::problem::{Problem, Reason};
use tokio_util::sync::CancellationToken;

use self::searches::{Searches, superseded};
use super::protocol::{AnswerId, PastRequest};
use crate::cluster::{Ceiling, Cluster};
use crate::feed::Redaction;
use crate::past::{Record, Sees, Turn, changes, events, search, whole};

/// The answer to a question.
type Answer = (AnswerId, Result<ServerFrame, Problem>);

#[derive(Default)]
pub(super) struct PastReads {
    reads: FuturesUnordered<BoxFuture<'static, Answer>>,
    searches: Searches,
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
        let of = (record, cluster, (ceiling, redaction));
        let read = match &request.asked {
            PastAsked::Search { .. } => self.search(of, request).boxed(),
            _ => read_apart(of, request, None).boxed(),
        };
        self.reads.push(read.map(move |read| (answer, read)).boxed());
    }

    /// Waits for the turn of a search. It ends at once where a newer one takes its place or the connection closes.
    fn search(
        &mut self,
        of: Recorded,
        request: PastRequest,
    ) -> impl Future<Output = Result<ServerFrame, Problem>> + use<> {
        let (over, one_by_one) = (self.searches.begin(&request.request.scope), self.searches.one_by_one());
        async move {
            let _answered = over.clone().drop_guard();
            let read = async {
                let _mine = one_by_one.acquire().await.map_err(|_| ended())?;
                let turn = of.0.searches().next().await?;
                read_apart(of, request, Some((turn, over.clone()))).await
            };
            tokio::select! {
                biased;
                () = over.cancelled() => Err(superseded()),
                read = read => read,
            }
        }
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

/// The record of a cluster, and what of it may be shown.
type Recorded = (Arc<Record>, Cluster, (Ceiling, Redaction));
/// The turn of a search, and what says that its client takes no answer any more.
type SearchTurn = (Turn, CancellationToken);

async fn read_apart(
    (record, cluster, shown): Recorded,
    request: PastRequest,
    turn: Option<SearchTurn>,
) -> Result<ServerFrame, Problem> {
    let read = move || read(&record, &cluster, shown, (&request, turn.as_ref()));
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| Err(ended()))
}

fn read(
    record: &Record,
    cluster: &Cluster,
    (ceiling, redaction): (Ceiling, Redaction),
    (request, turn): (&PastRequest, Option<&SearchTurn>),
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
            let (turn, over) = turn.ok_or_else(ended)?;
            let how = (&**word, &(|| over.is_cancelled()) as &dyn Fn() -> bool, turn);
            Past::Found(search::search(record, cluster, &sees, (*from_ms, *to_ms), how)?)
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

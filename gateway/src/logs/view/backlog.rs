//! The lines that are there already and older than what is kept for all readers, or of the run before: one request of its
//! own, which isn't followed. It is read as fast as its reader takes the lines.

use std::collections::VecDeque;
use std::time::Duration;

use kubernetes_api::{LogOptions, Since};
use shared::problem::{Problem, Reason};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::super::kept::Wanted;
use super::super::line::{LineSplitter, LogLine};
use super::super::machine::{LogEntry, LogMark};
use super::super::streams::{LogKey, RedactionNow, masked, who};
use super::super::told::{Passed, Skip, Told};
use crate::cluster::{Answer, ApiRequest, Cluster, Failure};
use crate::limits::{LOG_TRIES_MAX, UPSTREAM_BODY_TIMEOUT_S, UPSTREAM_HEAD_TIMEOUT_S};

/// The batches of lines that wait for the reader.
const BATCHES_MAX: usize = 2;
/// The pause before an answer that broke off is asked for anew.
const PAUSE: Duration = Duration::from_millis(250);

/// The entries of one answer, over breaks.
pub struct Backlog {
    batches: mpsc::Receiver<Result<Vec<LogEntry>, Problem>>,
    ready: VecDeque<LogEntry>,
    /// How it ended.
    end: Option<Option<Problem>>,
    _task: AbortOnDropHandle<()>,
}

/// What is asked for.
pub struct BacklogAsked {
    pub key: LogKey,
    pub cluster: Cluster,
    pub redaction: RedactionNow,
    pub previous: bool,
    pub wanted: Wanted,
}

/// What a backlog has now.
#[derive(Debug, PartialEq)]
pub enum Ready {
    Entry(LogEntry),
    /// There will be more.
    Waiting,
    /// All was told, or the rest can't be had.
    Over(Option<Problem>),
}

impl Backlog {
    pub fn ask(asked: BacklogAsked) -> Self {
        let (sender, batches) = mpsc::channel(BATCHES_MAX);
        let task = tokio::spawn(async move {
            if let Err(problem) = read(&asked, &sender).await {
                // The reader may have gone.
                drop(sender.send(Err(problem)).await);
            }
        });
        Self { batches, ready: VecDeque::new(), end: None, _task: AbortOnDropHandle::new(task) }
    }

    /// The next entry, if it is there.
    pub fn take(&mut self) -> Ready {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                return Ready::Entry(entry);
            }
            if let Some(end) = &self.end {
                return Ready::Over(end.clone());
            }
            match self.batches.try_recv() {
                Ok(batch) => self.put(Some(batch)),
                Err(mpsc::error::TryRecvError::Disconnected) => self.put(None),
                Err(mpsc::error::TryRecvError::Empty) => return Ready::Waiting,
            }
        }
    }

    /// Returns when there is more to take, or it is over. Nothing is lost where that isn't waited for to its end.
    pub async fn changed(&mut self) {
        if self.ready.is_empty() && self.end.is_none() {
            let batch = self.batches.recv().await;
            self.put(batch);
        }
    }

    fn put(&mut self, batch: Option<Result<Vec<LogEntry>, Problem>>) {
        match batch {
            Some(Ok(batch)) => self.ready.extend(batch),
            Some(Err(problem)) => self.end = Some(Some(problem)),
            None => self.end = Some(None),
        }
    }
}

type Batches = mpsc::Sender<Result<Vec<LogEntry>, Problem>>;

/// Reads the answer to its end, and goes on where it broke off.
async fn read(asked: &BacklogAsked, batches: &Batches) -> Result<(), Problem> {
    let mut told = asked.wanted.told;
    let mut tail = asked.wanted.tail;
    for tries in 1.. {
        let options = LogOptions {
            container: asked.key.container.to_string(),
            follow: false,
            previous: asked.previous,
            timestamps: true,
            tail,
            limit_bytes: None,
            since: told.map(|told| Since::Time(told.second())),
        };
        let broken = match send(asked, &options).await {
            Ok(answer) => {
                let mut skip = Skip::of(told);
                match pass(asked, answer, (&mut skip, &mut told), batches).await {
                    Ok(()) => return Ok(()),
                    Err(broken) => broken,
                }
            }
            Err(Failure::Broken(problem)) => problem,
            Err(Failure::Refused(refusal)) if refusal.code >= 500 && tries < LOG_TRIES_MAX => {
                Problem::new(refusal.reason(), "the API server is in trouble")
            }
            Err(failure) => return Err(refusal(asked, &failure)),
        };
        if tries >= LOG_TRIES_MAX || batches.is_closed() {
            return Err(broken);
        }
        // What was told is behind; the rest is wanted as a whole.
        tail = if told == asked.wanted.told { tail } else { None };
        sleep(PAUSE * tries).await;
    }
    Ok(())
}

async fn send(asked: &BacklogAsked, options: &LogOptions) -> Result<Answer, Failure> {
    let BacklogAsked { key, cluster, .. } = asked;
    let request = ApiRequest::log(&key.namespace, &key.pod, options);
    let head = Duration::from_secs(UPSTREAM_HEAD_TIMEOUT_S);
    let answer = timeout(head, cluster.send_again_as(&key.upstream, &request)).await;
    answer.unwrap_or_else(|_| Err(Failure::Broken(timed_out())))
}

fn timed_out() -> Problem {
    Problem::new(Reason::TimedOut, "the API server did not answer in time")
}

/// Passes the lines on that weren't told yet.
async fn pass(
    asked: &BacklogAsked,
    mut answer: Answer,
    (skip, told): (&mut Skip, &mut Option<Told>),
    batches: &Batches,
) -> Result<(), Problem> {
    let mut splitter = LineSplitter::default();
    let silence = Duration::from_secs(UPSTREAM_BODY_TIMEOUT_S);
    loop {
        let chunk = timeout(silence, answer.chunk()).await.unwrap_or_else(|_| Err(timed_out()))?;
        let is_over = chunk.is_none();
        let lines = match chunk {
            Some(bytes) => splitter.push(&bytes),
            None => splitter.finish().into_iter().collect(),
        };
        let redaction = (asked.redaction)();
        let mut batch = Vec::with_capacity(lines.len());
        for line in lines {
            let LogLine { at_ns, .. } = line;
            match skip.pass(at_ns) {
                Passed::Again => continue,
                Passed::New => {}
                Passed::NewBehindAGap => batch.push(LogEntry::Mark(LogMark::MayMiss)),
            }
            Told::note(told, at_ns);
            batch.push(LogEntry::Line(masked(line, &redaction, &asked.key.namespace)));
        }
        if !batch.is_empty() && batches.send(Ok(batch)).await.is_err() || is_over {
            return Ok(());
        }
    }
}

/// Why there is no such log, in the words of the API server where it speaks of the container.
fn refusal(asked: &BacklogAsked, failure: &Failure) -> Problem {
    let BacklogAsked { key, .. } = asked;
    let LogKey { namespace, pod, container, .. } = key;
    let reason = failure.reason();
    let message = match failure {
        Failure::Broken(problem) => return problem.clone(),
        Failure::Refused(refusal) => match (&refusal.about_request, refusal.code) {
            (Some(said), 400) => said.to_string(),
            (_, 403) => format!("{} may not read the logs of {namespace}", who(&key.upstream)),
            (_, 404) => {
                format!("there is no log of {pod}/{container}: the pod is gone, or its node doesn't know it")
            }
            (_, code) => {
                let why = refusal.message.as_deref().map_or_else(|| format!("HTTP {code}"), str::to_owned);
                format!("the log of {pod}/{container} can't be read: {why}")
            }
        },
    };
    Problem::new(reason, message)
}

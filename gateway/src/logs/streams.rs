//! Readers of a container's log share a request at the API server: the rim of [`super::machine`]. A log is read while it has
//! a reader, and for a while longer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kubernetes_api::{LogOptions, Since};
use serde_json::Value;
use shared::name::{ClusterName, Namespace, ObjectName};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

use super::kept::{KeptLog, LogPart, Wanted};
use super::line::LogLine;
use super::machine::{Container, LogEntry, LogInput, LogMachine, LogOutput, LogQuestion};
use super::places::{LogPlaces, UpstreamPlace};
use super::pod::container_of;
use crate::cluster::{Accept, Answer, ApiRequest, Cluster, Failure, Selection, UpstreamIdentity};
use crate::feed::{Redaction, masked_line};
use crate::limits::{
    LOG_BYTES_MAX, LOG_LINGER_S, LOG_PART_ENTRIES_MAX, LOG_SETTLED_MS, LOG_TAIL_LINES, LOGS_BYTES_MAX,
};

/// Which log, and as whom it is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogKey {
    pub cluster: ClusterName,
    pub upstream: UpstreamIdentity,
    pub namespace: Namespace,
    pub pod: ObjectName,
    /// Another pod of that name has another log.
    pub uid: Box<str>,
    pub container: Box<str>,
}

/// What is masked from now on, whenever it is asked.
pub type RedactionNow = Arc<dyn Fn() -> Redaction + Send + Sync>;

/// The logs that are read. Cheap to clone.
#[derive(Clone)]
pub struct LogStreams {
    streams: Arc<Mutex<HashMap<LogKey, Arc<Stream>>>>,
    redaction: RedactionNow,
    places: LogPlaces,
    /// How long a log is read after its last reader.
    linger: Duration,
    /// How long the machine's pauses are, for each of their milliseconds.
    pause_of_ms: Duration,
}

/// A log that is read, with what its readers share.
struct Stream {
    kept: Mutex<KeptLog>,
    /// By what the entries are masked.
    masked_by: Mutex<Option<u64>>,
    redaction: RedactionNow,
    changed: watch::Sender<Progress>,
    /// A pause before the pod is looked at ends.
    look_now: Notify,
    readers: AtomicUsize,
    began: Instant,
}

/// How far a log is.
#[derive(Clone, Debug, Default, PartialEq)]
struct Progress {
    entries: u64,
    is_over: bool,
    /// Why it can't be read, if that is so.
    refused: Option<Problem>,
}

/// How a log ends.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEnd {
    /// Why it can't be read.
    pub refused: Option<Problem>,
}

/// A reader of a log. It is a position in what is kept.
pub struct LogReader {
    stream: Arc<Stream>,
    position: u64,
    changed: watch::Receiver<Progress>,
}

impl LogStreams {
    #[must_use]
    pub fn new(redaction: RedactionNow, places: LogPlaces) -> Self {
        Self {
            streams: Arc::default(),
            redaction,
            places,
            linger: Duration::from_secs(LOG_LINGER_S),
            pause_of_ms: Duration::from_millis(1),
        }
    }

    /// Nothing is looked at before it is said that there is news.
    #[cfg(test)]
    pub fn pause_without_end(&mut self) {
        self.pause_of_ms = Duration::from_secs(3_600);
    }

    /// Reads along, from what is kept on. Whether the viewer may, and how many logs they may read, is decided before.
    ///
    /// # Errors
    /// `Limit`: so many logs are read already.
    pub fn open(&self, key: LogKey, cluster: Cluster) -> Result<LogReader, Problem> {
        let mut streams = self.lock();
        let known = streams.get(&key).filter(|stream| !stream.changed.borrow().is_over);
        if let Some(stream) = known {
            stream.readers.fetch_add(1, Ordering::AcqRel);
            return Ok(LogReader::of(Arc::clone(stream)));
        }
        let place = self.places.take_upstream()?;
        let stream = Arc::new(Stream {
            kept: Mutex::default(),
            masked_by: Mutex::default(),
            redaction: Arc::clone(&self.redaction),
            changed: watch::Sender::default(),
            look_now: Notify::new(),
            readers: AtomicUsize::new(1),
            began: Instant::now(),
        });
        streams.insert(key.clone(), Arc::clone(&stream));
        drop(streams);
        let reader = LogReader::of(Arc::clone(&stream));
        let following = Following { streams: self.clone(), key, cluster, stream, _place: place };
        tokio::spawn(following.run());
        Ok(reader)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<LogKey, Arc<Stream>>> {
        lock(&self.streams)
    }

    /// How much of one log is kept, while so many are.
    fn bytes_max(&self) -> usize {
        LOG_BYTES_MAX.min(LOGS_BYTES_MAX / self.lock().len().max(1))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream {
    fn push(&self, entries: Vec<LogEntry>, bytes_max: usize) {
        let count = entries.len() as u64;
        let mut kept = lock(&self.kept);
        entries.into_iter().for_each(|entry| kept.push(entry, bytes_max));
        drop(kept);
        self.changed.send_modify(|progress| progress.entries += count);
    }

    /// The masks of now. What was masked by others is dropped: it may hold what is hidden by now.
    fn redaction(&self) -> Redaction {
        let redaction = (self.redaction)();
        let before = lock(&self.masked_by).replace(redaction.digest());
        if before.is_some_and(|before| before != redaction.digest()) {
            lock(&self.kept).clear();
        }
        redaction
    }

    fn end(&self, refused: Option<Problem>) {
        self.changed.send_modify(|progress| (progress.is_over, progress.refused) = (true, refused));
    }
}

impl LogReader {
    fn of(stream: Arc<Stream>) -> Self {
        Self { changed: stream.changed.subscribe(), position: 0, stream }
    }

    /// What is wanted of the lines that are there already; the reader goes on behind them. `None`: older ones are needed
    /// than are kept.
    pub fn wanted(&mut self, wanted: Wanted) -> Option<Vec<Arc<LogEntry>>> {
        self.stream.redaction();
        if self.stream.began.elapsed() < Duration::from_millis(LOG_SETTLED_MS) {
            // What was there already still comes in.
            return None;
        }
        let (entries, position) = lock(&self.stream.kept).wanted(wanted)?;
        self.position = position;
        Some(entries)
    }

    /// Whether all that was written since that time is kept. `None`: there is no line yet.
    #[must_use]
    pub fn covers(&self, at_ns: i128) -> Option<bool> {
        lock(&self.stream.kept).covers(at_ns)
    }

    /// What is next now, of so many bytes, and whether that was the end of the log.
    pub fn take(&mut self, bytes_max: usize) -> (LogPart, Option<LogEnd>) {
        let progress = self.changed.borrow_and_update().clone();
        self.stream.redaction();
        let part = lock(&self.stream.kept).read(&mut self.position, (LOG_PART_ENTRIES_MAX, bytes_max));
        let is_end = progress.is_over && part == LogPart::default();
        (part, is_end.then_some(LogEnd { refused: progress.refused }))
    }

    /// The container is known to have another run now: where that was waited for, it is read at once.
    pub fn look_now(&self) {
        self.stream.look_now.notify_one();
    }

    /// Returns when there may be more to take.
    pub async fn changed(&mut self) {
        if self.changed.changed().await.is_err() {
            std::future::pending().await
        }
    }
}

impl Drop for LogReader {
    fn drop(&mut self) {
        self.stream.readers.fetch_sub(1, Ordering::AcqRel);
        // The task that follows the log looks whether that was the last reader.
        self.stream.changed.send_modify(|_| {});
    }
}

/// The account whose right is missing, in words.
pub fn who(upstream: &UpstreamIdentity) -> &'static str {
    if *upstream == UpstreamIdentity::Gateway { "the gateway" } else { "you" }
}

/// The line without credentials.
pub fn masked(mut line: LogLine, redaction: &Redaction, namespace: &Namespace) -> LogLine {
    if let Cow::Owned(masked) = masked_line(redaction, namespace.as_str(), line.text.as_bytes()) {
        line.text = String::from_utf8_lossy(&masked).into();
    }
    line
}

/// Reads one log for as long as it has readers.
struct Following {
    streams: LogStreams,
    key: LogKey,
    cluster: Cluster,
    stream: Arc<Stream>,
    _place: UpstreamPlace,
}

impl Following {
    async fn run(self) {
        let refused = tokio::select! {
            refused = self.follow() => refused,
            () = self.left_alone() => None,
        };
        self.stream.end(refused);
        let mut streams = self.streams.lock();
        // Another one may have begun since this one was over.
        if streams.get(&self.key).is_some_and(|stream| Arc::ptr_eq(stream, &self.stream)) {
            streams.remove(&self.key);
        }
    }

    /// Returns when there was no reader for a while.
    async fn left_alone(&self) {
        let mut changed = self.stream.changed.subscribe();
        loop {
            if self.stream.readers.load(Ordering::Acquire) == 0 {
                let came = async {
                    while self.stream.readers.load(Ordering::Acquire) == 0 && changed.changed().await.is_ok()
                    {
                    }
                };
                if timeout(self.streams.linger, came).await.is_err() {
                    let streams = self.streams.lock();
                    // A reader comes while that is locked, or finds it over.
                    if self.stream.readers.load(Ordering::Acquire) == 0 {
                        self.stream.end(None);
                        drop(streams);
                        return;
                    }
                }
            } else if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Does what the machine asks for, until it is over. Says why it can't go on.
    async fn follow(&self) -> Option<Problem> {
        let (mut machine, mut due) = LogMachine::begin(LOG_TAIL_LINES);
        loop {
            due = match self.tell(due)? {
                LogOutput::Wait(ms) => {
                    let pause =
                        self.streams.pause_of_ms.saturating_mul(u32::try_from(ms).unwrap_or(u32::MAX));
                    drop(timeout(pause, self.stream.look_now.notified()).await);
                    machine.handle(LogInput::Due)
                }
                LogOutput::Look => match self.look().await {
                    Ok(found) => machine.handle(LogInput::Looked(found)),
                    Err(failure) => {
                        if let Some(problem) = self.refused(&failure).await {
                            return Some(problem);
                        }
                        machine.handle(LogInput::Broken)
                    }
                },
                LogOutput::Ask(question) => match self.ask(&question).await {
                    Ok(answer) => self.read(&mut machine, answer).await,
                    Err(failure) => {
                        if let Some(problem) = self.refused(&failure).await {
                            return Some(problem);
                        }
                        let is_refused = matches!(&failure, Failure::Refused(refusal) if matches!(refusal.code, 400 | 404));
                        machine.handle(if is_refused { LogInput::Refused } else { LogInput::Broken })
                    }
                },
                LogOutput::Tell(_) | LogOutput::Over => Vec::new(),
            };
        }
    }

    /// Reads an answer to its end.
    async fn read(&self, machine: &mut LogMachine, mut answer: Answer) -> Vec<LogOutput> {
        loop {
            match answer.chunk().await {
                // Bytes ask for nothing.
                Ok(Some(bytes)) => drop(self.tell(machine.handle(LogInput::Bytes(&bytes)))),
                Ok(None) => return machine.handle(LogInput::Ended),
                Err(_) => return machine.handle(LogInput::Broken),
            }
        }
    }

    /// Tells what is to be told, and returns what is to be done then. `None`: nothing, or it is over.
    fn tell(&self, outputs: Vec<LogOutput>) -> Option<LogOutput> {
        let redaction = self.stream.redaction();
        let (mut entries, mut next) = (Vec::new(), None);
        for output in outputs {
            match output {
                LogOutput::Tell(LogEntry::Line(line)) => {
                    entries.push(LogEntry::Line(masked(line, &redaction, &self.key.namespace)));
                }
                LogOutput::Tell(mark @ LogEntry::Mark(_)) => entries.push(mark),
                LogOutput::Over => next = None,
                output => next = Some(output),
            }
        }
        if !entries.is_empty() {
            self.stream.push(entries, self.streams.bytes_max());
        }
        next
    }

    async fn ask(&self, question: &LogQuestion) -> Result<Answer, Failure> {
        let options = LogOptions {
            container: self.key.container.to_string(),
            follow: true,
            previous: question.previous,
            timestamps: true,
            tail: question.tail,
            limit_bytes: None,
            since: question.since_s.map(Since::Time),
        };
        let request = ApiRequest::log(&self.key.namespace, &self.key.pod, &options);
        self.cluster.send_as(&self.key.upstream, &request).await
    }

    /// The gateway's account lists pods, and needn't be allowed to get one.
    async fn look(&self) -> Result<Option<Container>, Failure> {
        let resource = Resource::parse("", "v1", "pods").map_err(Failure::Broken)?;
        let (namespace, name) = (Some(self.key.namespace.clone()), Some(self.key.pod.clone()));
        let request =
            ApiRequest::objects(&Selection { resource, namespace, name, fields: None }, Accept::Json);
        let answer = self.cluster.send_as(&self.key.upstream, &request).await?;
        let body = answer.whole().await.map_err(Failure::Broken)?;
        let unreadable =
            || Problem::new(Reason::NotKubernetes, "the API server's list of pods can't be read");
        let list: Value = serde_json::from_slice(&body).map_err(|_| Failure::Broken(unreadable()))?;
        let pod = list.pointer("/items/0");
        let is_same = |pod: &&Value| {
            let uid = pod.pointer("/metadata/uid").and_then(Value::as_str);
            uid == Some(&*self.key.uid)
        };
        Ok(pod.filter(is_same).map(|pod| container_of(pod, &self.key.container)))
    }

    /// Why the log can't be read at all. `None`: it may be read later.
    async fn refused(&self, failure: &Failure) -> Option<Problem> {
        match failure.reason() {
            Reason::Forbidden => {
                let LogKey { upstream, namespace, .. } = &self.key;
                let message = format!("{} may not read the logs of {namespace}", who(upstream));
                Some(Problem::new(Reason::Forbidden, message))
            }
            Reason::Unauthorized => self.cluster.refresh_credentials_of(&self.key.upstream).await.err(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;

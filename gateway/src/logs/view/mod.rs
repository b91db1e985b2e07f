//! The logs of several containers as one: which those are, in which order their lines are told, and how much at once.
//!
//! Pure: [`owner`] (which pods an object has), [`pods`] (what a pod says of its containers), [`merge`] (the order of the
//! lines). The rim: [`watch`] (pods come and go), [`backlog`] (lines that are there already), [`source`] (one container, its
//! backlog joined with what comes), [`queue`] (what waits to be told of it), and this file, a stream of what one viewer is
//! told. It reads on only while it is asked, so a viewer that doesn't read holds nothing up and is told what was skipped.

mod backlog;
mod merge;
mod owner;
mod pods;
mod queue;
mod source;
#[cfg(test)]
mod tests;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{join_all, select_all};
use futures_util::stream::{self, BoxStream, StreamExt};
use shared::frame::client::LogAsked;
use shared::frame::server::{ContainerKind, LogEntry, LogPart};
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::scope::Scope;
use tokio::sync::watch as channel;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::kept::Wanted;
use super::places::LogPlaces;
use super::streams::{LogKey, LogStreams, RedactionNow};
use super::told::Told;
use crate::access::Identity;
use crate::cluster::{Cluster, UpstreamIdentity};
use crate::limits::{LOG_HEAD_S, LOG_LAST_WORDS_MS, LOG_PODS_S, LOG_TICK_MS};
use backlog::BacklogAsked;
use merge::{Order, merged};
use pods::{Pod, PodContainer, Pods};
use source::{Opening, Source};
use watch::{PodWatches, PodsKey, PodsNow, Watching, Which, which};

/// Lines of a frame, near which it is cut; its JSON is longer.
const PART_BYTES: usize = shared::frame::FRAME_BYTES_MAX / 2;
/// What one source may add at a time, so that none waits for the others.
const SOURCE_BYTES: usize = 32 * 1024;

/// What all views of logs of a gateway share. Cheap to clone.
#[derive(Clone)]
pub struct LogDesk {
    pub places: LogPlaces,
    streams: LogStreams,
    pods: PodWatches,
    redaction: RedactionNow,
}

/// The viewer who asks for logs, and which these are.
pub struct ViewAsked {
    pub cluster: Cluster,
    pub upstream: UpstreamIdentity,
    pub identity: Identity,
    pub namespace: Namespace,
    pub scope: Scope,
    /// The kind of pods.
    pub pods: Resource,
    pub asked: LogAsked,
}

/// What a view says.
#[derive(Debug, PartialEq)]
pub enum LogSaid {
    /// The logs of these containers are read from now on, each of a pod.
    Reads(Vec<(Box<str>, Box<str>)>),
    Part(LogPart),
    /// Nothing more comes, and why.
    Ended(Problem),
}

impl LogDesk {
    #[must_use]
    pub fn new(redaction: RedactionNow) -> Self {
        let places = LogPlaces::default();
        let streams = LogStreams::new(Arc::clone(&redaction), places.clone());
        Self { places, streams, pods: PodWatches::default(), redaction }
    }

    /// Whether the viewer may read these logs is decided before, and for how long.
    #[must_use]
    pub fn view(&self, asked: ViewAsked) -> BoxStream<'static, LogSaid> {
        let begun = LogView::begin(self.clone(), asked);
        let first = begun.map(|begun| match begun {
            Ok(view) => stream::unfold(Some(view), step).left_stream(),
            Err(problem) => stream::iter([LogSaid::Ended(problem)]).right_stream(),
        });
        stream::once(first).flatten().boxed()
    }
}

async fn step(view: Option<LogView>) -> Option<(LogSaid, Option<LogView>)> {
    let mut view = view?;
    let said = view.next().await;
    let is_last = match &said {
        LogSaid::Part(part) => part.over,
        LogSaid::Ended(_) => true,
        LogSaid::Reads(_) => false,
    };
    Some((said, (!is_last).then_some(view)))
}

/// The logs that one viewer is told as one. It owns the sources and what of them was told; it ends when it is dropped.
pub struct LogView {
    desk: LogDesk,
    of: ViewAsked,
    _watching: Arc<Watching>,
    pods: channel::Receiver<PodsNow>,
    /// By their numbers.
    sources: Vec<Source>,
    /// The containers that are there, each of a pod by its uid.
    known: HashMap<Box<str>, Runs>,
    stage: Stage,
    /// Those that were opened and not recorded yet.
    reads: Vec<(Box<str>, Box<str>)>,
    /// Another one begins the next part, so that a part that is full is another's the next time.
    turn: usize,
    last_part_at: Instant,
}

/// The run that each container is known to have. `None`: none has begun.
type Runs = BTreeMap<Box<str>, Option<Box<str>>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The sources that there are weren't told yet.
    New,
    /// What is there already is merged by its times.
    Backlog,
    Live,
}

impl LogView {
    async fn begin(desk: LogDesk, of: ViewAsked) -> Result<Self, Problem> {
        let which = which(&of.cluster, &of.upstream, &of.namespace, &of.scope).await?;
        let key = PodsKey {
            cluster: of.cluster.identity().name,
            upstream: of.upstream.clone(),
            pods: of.pods.clone(),
            namespace: of.namespace.clone(),
            which,
        };
        let watching = desk.pods.watch(&key, &of.cluster);
        let mut pods = watching.pods();
        let known = pods.wait_for(|now| now.pods.is_some() || now.problem.is_some());
        let known = timeout(Duration::from_secs(LOG_PODS_S), known).await;
        let known = known.ok().and_then(Result::ok).map(|now| now.clone()).unwrap_or_default();
        let pods_now = match known {
            PodsNow { pods: Some(pods), .. } => pods,
            PodsNow { problem, .. } => return Err(problem.unwrap_or_else(not_listed)),
        };
        if let Which::Named(name) = &key.which
            && pods_now.is_empty()
        {
            let message = format!("pods {:?} not found", name.as_str());
            return Err(Problem::new(Reason::NotFound, message));
        }
        let mut view = Self {
            desk,
            of,
            _watching: watching,
            pods,
            sources: Vec::new(),
            known: HashMap::new(),
            stage: Stage::New,
            reads: Vec::new(),
            turn: 0,
            last_part_at: Instant::now(),
        };
        view.meet(&pods_now);
        view.names_known_containers(&pods_now)?;
        Ok(view)
    }

    /// A container that is asked for by its name and that no pod has is most likely misspelt.
    fn names_known_containers(&self, pods: &Pods) -> Result<(), Problem> {
        let has = |name: &str| pods.values().any(|pod| pod.containers.iter().any(|own| *own.name == *name));
        let missing = self.of.asked.containers.iter().find(|name| !has(name));
        match missing {
            Some(name) if !pods.is_empty() => {
                let all: BTreeSet<&str> =
                    pods.values().flat_map(|pod| pod.containers.iter().map(|own| &*own.name)).collect();
                let all = all.into_iter().collect::<Vec<_>>().join(", ");
                Err(Problem::bad_request(format!("no pod has a container {name:?}; there are {all}")))
            }
            _ => Ok(()),
        }
    }

    fn is_followed(&self) -> bool {
        !self.of.asked.once && !self.of.asked.previous
    }

    /// Opens the logs of pods that are new, and lets those end whose pods have gone.
    fn meet(&mut self, pods: &Pods) {
        let is_first = self.stage == Stage::New;
        let mut in_order: Vec<&Pod> = pods.values().collect();
        in_order.sort_unstable_by_key(|pod| (&pod.created, &pod.name));
        // The regular containers of all pods come before others, where there is no place for all.
        for is_regular in [true, false] {
            for pod in &in_order {
                let wanted: Vec<_> = pod.wanted(&self.of.asked).cloned().collect();
                for PodContainer { name, kind, run } in wanted {
                    if (kind == ContainerKind::Regular) != is_regular {
                        continue;
                    }
                    let known = self.known.entry(pod.uid.clone()).or_default();
                    match known.insert(name.clone(), run.clone()) {
                        None => self.open(pod, name, kind, is_first),
                        Some(before) if before != run => self.begins_anew(&pod.uid, &name),
                        Some(_) => {}
                    }
                }
            }
        }
        let ends_at = Instant::now() + Duration::from_millis(LOG_LAST_WORDS_MS);
        self.known.retain(|uid, _| pods.contains_key(uid));
        for source in &mut self.sources {
            if !pods.contains_key(&source.key().uid) {
                source.end_at(ends_at);
            }
        }
    }

    /// The log of another run may be there now, so it isn't waited for any longer.
    fn begins_anew(&self, uid: &str, container: &str) {
        let of_container = |source: &&Source| {
            let key = source.key();
            *key.uid == *uid && *key.container == *container
        };
        self.sources.iter().filter(of_container).for_each(Source::look_now);
    }

    fn open(&mut self, pod: &Pod, container: Box<str>, kind: ContainerKind, is_first: bool) {
        let n = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        let key = LogKey {
            cluster: self.of.cluster.identity().name,
            upstream: self.of.upstream.clone(),
            namespace: self.of.namespace.clone(),
            pod: pod.name.clone(),
            uid: pod.uid.clone(),
            container,
        };
        let reader = self.is_followed().then(|| self.desk.streams.open(key.clone(), self.of.cluster.clone()));
        let opened = self.desk.places.take_shared(&self.of.identity);
        let opened = opened.and_then(|place| Ok((place, reader.transpose()?)));
        let wanted = self.wanted(&key, is_first);
        let source = match opened {
            Ok((place, reader)) => {
                self.reads.push((key.pod.as_str().into(), key.container.clone()));
                let previous = self.of.asked.previous;
                let opening = Opening { n, key, kind, wanted, previous, reader, place };
                Source::open(opening, &asks(&self.of.cluster, &self.desk.redaction))
            }
            Err(problem) => Source::refused(n, key, kind, problem),
        };
        self.sources.push(source);
    }

    /// What is wanted of a log: of a pod that came later, all.
    fn wanted(&self, key: &LogKey, is_first: bool) -> Wanted {
        let LogAsked { since, tail, has, .. } = &self.of.asked;
        let has = has.iter().find(|has| *has.pod == *key.pod.as_str() && has.container == key.container);
        if let Some(has) = has.filter(|_| is_first) {
            return Wanted { told: Some(Told::of_client(has.at, has.lines)), tail: None };
        }
        Wanted {
            told: since.map(|since| Told::nothing_before(since.nanoseconds())),
            tail: tail.filter(|_| is_first).map(u64::from),
        }
    }

    /// What is told next, when there is something.
    async fn next(&mut self) -> LogSaid {
        loop {
            if !self.reads.is_empty() {
                return LogSaid::Reads(std::mem::take(&mut self.reads));
            }
            let mut part = match self.stage {
                Stage::New => {
                    self.stage = Stage::Backlog;
                    LogPart::default()
                }
                Stage::Backlog => self.next_of_backlog().await,
                Stage::Live => match self.next_live().await {
                    Ok(part) => part,
                    Err(problem) => return LogSaid::Ended(problem),
                },
            };
            part.sources = self.sources.iter_mut().filter_map(Source::news).collect();
            let is_first_part = self.stage == Stage::Backlog && part.entries.is_empty() && !part.caught_up;
            if part != LogPart::default() || is_first_part {
                let bytes = part.entries.iter().map(bytes_of).sum();
                self.last_part_at = Instant::now();
                let wait = self.desk.places.spend(&self.of.identity, bytes);
                if !wait.is_zero() {
                    sleep(wait).await;
                }
                return LogSaid::Part(part);
            }
        }
    }

    /// The next lines of all that is there already, in the order of their times.
    async fn next_of_backlog(&mut self) -> LogPart {
        let mut part = LogPart::default();
        let (mut order, mut bytes) = (Order::default(), 0);
        self.fetch_heads().await;
        for (place, source) in self.sources.iter().enumerate() {
            order.offer(place, source.front());
        }
        while bytes < PART_BYTES
            && let Some(place) = order.next()
        {
            let Some(source) = self.sources.get_mut(place) else { continue };
            if let Some(entry) = source.pop() {
                bytes += bytes_of(&entry);
                part.entries.push(entry);
            }
            source.fill_from_backlog();
            if source.front().is_none() && source.is_awaited() {
                // Nothing is told before it says what comes next.
                return part;
            }
            order.offer(place, source.front());
        }
        if self.sources.iter().all(|source| source.front().is_none() && !source.is_awaited()) {
            let is_over = !self.is_followed() && self.sources.iter().all(Source::is_over);
            (part.caught_up, part.over) = (true, is_over);
            self.stage = Stage::Live;
        }
        part
    }

    /// Waits until the next entry of each backlog is known. One that isn't after a while is told later, so that a node that
    /// doesn't answer holds up no other log.
    async fn fetch_heads(&mut self) {
        let fetched = self.sources.iter_mut().map(|source| async move {
            let head = async {
                source.fill_from_backlog();
                while source.front().is_none() && source.is_awaited() {
                    source.changed().await;
                    source.fill_from_backlog();
                }
            };
            let is_known = timeout(Duration::from_secs(LOG_HEAD_S), head).await.is_ok();
            if !is_known {
                source.tell_later();
            }
        });
        join_all(fetched).await;
    }

    /// What was written meanwhile. May be empty.
    async fn next_live(&mut self) -> Result<LogPart, Problem> {
        self.wait().await?;
        let now = Instant::now();
        let ask = asks(&self.of.cluster, &self.desk.redaction);
        let sources = &mut self.sources;
        let mut queues: HashMap<usize, std::collections::VecDeque<LogEntry>> = HashMap::new();
        let (count, mut bytes) = (sources.len(), 0);
        loop {
            let before = bytes;
            for step in 0..count {
                let place = (self.turn + step) % count;
                let Some(source) = sources.get_mut(place).filter(|source| !source.is_over()) else {
                    continue;
                };
                source.fill(SOURCE_BYTES, now, &ask);
                let queue = source.take_queue();
                bytes += queue.iter().map(bytes_of).sum::<usize>();
                queues.entry(place).or_default().extend(queue);
                if bytes >= PART_BYTES {
                    self.turn = (place + 1) % count;
                    break;
                }
            }
            if bytes >= PART_BYTES || bytes == before {
                break;
            }
        }
        drop(ask);
        let mut in_order: Vec<(usize, _)> = queues.into_iter().collect();
        in_order.sort_unstable_by_key(|(place, _)| *place);
        let entries = merged(in_order).into_iter().map(|(_, entry)| entry).collect();
        Ok(LogPart { entries, over: self.is_finished(), ..LogPart::default() })
    }

    /// Returns when there may be something to tell, but not at once after the last part.
    async fn wait(&mut self) -> Result<(), Problem> {
        let due = self.last_part_at + Duration::from_millis(LOG_TICK_MS);
        let ends_at = self.sources.iter().filter_map(Source::ends_at).min();
        let pods_changed = {
            let Self { pods, sources, .. } = self;
            let mut woken: Vec<_> = sources.iter_mut().map(|source| source.changed().boxed()).collect();
            woken.push(std::future::pending().boxed());
            let ending = async {
                match ends_at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = pods.changed() => Some(changed.is_ok()),
                _ = select_all(woken) => None,
                () = ending => None,
            }
        };
        match pods_changed {
            Some(true) => {
                let now = self.pods.borrow_and_update().clone();
                if let Some(problem) = now.problem {
                    return Err(problem);
                }
                if self.is_followed() {
                    self.meet(&now.pods.unwrap_or_default());
                }
            }
            Some(false) => return Err(not_listed()),
            None => {}
        }
        sleep_until(due).await;
        Ok(())
    }

    /// Whether all has ended, and no pod will come.
    fn is_finished(&self) -> bool {
        let is_job = (self.of.scope.resource.group.as_str(), self.of.scope.resource.resource.as_str())
            == ("batch", "jobs");
        let is_bounded = is_job || self.of.scope.resource.is_pods() && self.of.scope.name.is_some();
        let is_bounded = is_bounded && !self.sources.is_empty() || !self.is_followed();
        is_bounded && self.sources.iter().all(Source::is_over)
    }
}

fn asks<'a>(
    cluster: &'a Cluster,
    redaction: &'a RedactionNow,
) -> impl Fn(&LogKey, bool, Wanted) -> BacklogAsked + 'a {
    |key, previous, wanted| BacklogAsked {
        key: key.clone(),
        cluster: cluster.clone(),
        redaction: Arc::clone(redaction),
        previous,
        wanted,
    }
}

fn bytes_of(entry: &LogEntry) -> usize {
    const ENTRY_BYTES: usize = 64;
    ENTRY_BYTES + entry.text.as_ref().map_or(0, |text| text.len())
}

fn not_listed() -> Problem {
    Problem::new(
        Reason::ServiceUnavailable,
        "the API server doesn't say which pods there are; try again later",
    )
}

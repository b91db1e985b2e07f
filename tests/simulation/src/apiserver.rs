//! A kube-apiserver as far as a watch client can tell: it reads the target of a request and answers
//! in bytes, from the truth. The script makes its cache forget, its watches end and its answers late.

mod json;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use crate::chance::Chance;
use crate::truth::{Kind, Thing, Things, Truth};

/// How it answers a WatchList.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchLists {
    Served,
    /// 1.33, or older with the feature off.
    Refused,
    Ignored,
}

#[derive(Clone, Debug)]
pub(crate) struct ServerBehaviour {
    pub(crate) watch_lists: WatchLists,
    /// `None`: it sends no bookmarks.
    pub(crate) bookmark_ms: Option<i64>,
    /// An expired version is refused as an HTTP status, not within the stream.
    pub(crate) expires_as_status: bool,
    pub(crate) clock_ahead_ms: i64,
}

pub(crate) type StreamId = u64;
pub(crate) enum Answer {
    Refused { code: u16, retry_after_s: Option<u64>, body: Vec<u8> },
    Whole { body: Vec<u8>, origin: Origin },
    Stream(StreamId),
}

/// The state of the truth that an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) branch: usize,
    pub(crate) version: u64,
    pub(crate) at_ms: i64,
}

/// What a stream sends next.
#[derive(Clone)]
pub(crate) struct StreamChunk {
    pub(crate) stream: StreamId,
    pub(crate) bytes: Vec<u8>,
    /// The state that an end mark, a bookmark or an event shows; `None` for other bytes.
    pub(crate) origin: Option<Origin>,
    pub(crate) ends: bool,
}

struct Stream {
    kind: Kind,
    /// The only one that it watches.
    namespace: Option<String>,
    branch: usize,
    /// Events after this are still to be sent.
    sent: u64,
    has_columns: bool,
    bookmark_at_ms: Option<i64>,
    initial: Option<Initial>,
    /// The server has forgotten it: it stays open and silent.
    is_forgotten: bool,
}

/// The initial objects of a watch that are still to be sent, and whether an end mark follows.
struct Initial {
    left: Vec<String>,
    version: u64,
    next_ms: i64,
    has_mark: bool,
}

impl Initial {
    fn is_coming(&self) -> bool {
        !self.left.is_empty() || self.has_mark
    }
}

impl Stream {
    fn origin(&self, version: u64, at_ms: i64) -> Origin {
        Origin { branch: self.branch, version, at_ms }
    }

    /// One event with a table of one row. The first table of a stream carries the columns.
    fn chunk(&mut self, id: StreamId, verb: &str, origin: Origin, row: Value, truth: &Truth) -> StreamChunk {
        let has_columns = std::mem::replace(&mut self.has_columns, true);
        let columns = (!has_columns).then(|| truth.columns(self.kind));
        let bytes = json::event(verb, origin.version, columns, row);
        StreamChunk { stream: id, bytes, origin: Some(origin), ends: false }
    }

    fn bookmark(&mut self, id: StreamId, origin: Origin, ends_initial: bool, truth: &Truth) -> StreamChunk {
        let columns = truth.columns(self.kind);
        let row = json::bookmark_row(self.kind, origin.version, ends_initial, columns);
        self.chunk(id, "BOOKMARK", origin, row, truth)
    }

    /// The next of its initial objects, or their end mark.
    fn next_initial(
        &mut self,
        id: StreamId,
        truth: &Truth,
        pause_ms: i64,
        now_ms: i64,
    ) -> Option<StreamChunk> {
        let initial = self.initial.as_mut().filter(|it| it.next_ms <= now_ms && it.is_coming())?;
        let version = initial.version;
        let Some(key) = initial.left.pop() else {
            initial.has_mark = false;
            // What happened meanwhile was sent before the mark.
            let origin = self.origin(version.max(self.sent), now_ms);
            return Some(self.bookmark(id, origin, true, truth));
        };
        initial.next_ms += pause_ms;
        let things = truth.at(self.kind, self.branch, version);
        let thing = things.get(&key).expect("it was there");
        let row = json::row(self.kind, thing, truth.columns(self.kind));
        Some(self.chunk(id, "ADDED", self.origin(thing.version, now_ms), row, truth))
    }
}

pub(crate) struct ApiServer {
    pub(crate) truth: Truth,
    behaviour: ServerBehaviour,
    /// Watches from before this version are refused.
    oldest_version: u64,
    streams: BTreeMap<StreamId, Stream>,
    next_stream: StreamId,
    /// Sent, and not collected yet.
    sent: Vec<StreamChunk>,
    /// The codes that the next requests are refused with.
    pub(crate) refusals: Vec<u16>,
    /// The gateway's credentials have lost their rights.
    pub(crate) is_forbidden: bool,
    /// A deliberate defect: requests for a proof are answered without those rights.
    pub(crate) lets_proofs_through: bool,
    /// The next events are sent twice.
    pub(crate) repeats: bool,
    /// Between the objects of an initial set.
    initial_pause_ms: i64,
}

impl ApiServer {
    pub(crate) fn new(behaviour: ServerBehaviour, initial_pause_ms: i64) -> Self {
        Self {
            truth: Truth::new(),
            behaviour,
            oldest_version: 0,
            streams: BTreeMap::new(),
            next_stream: 1,
            sent: Vec::new(),
            refusals: Vec::new(),
            is_forbidden: false,
            lets_proofs_through: false,
            repeats: false,
            initial_pause_ms,
        }
    }

    pub(crate) fn date_ms(&self, now_ms: i64) -> i64 {
        (now_ms + self.behaviour.clock_ahead_ms).div_euclid(1_000) * 1_000
    }

    pub(crate) fn answer(&mut self, target: &str, now_ms: i64) -> Answer {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query: Query<'_> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let Some((kind, namespace)) = resource_of(path) else { return refusal(404) };
        let is_proof = query.get("limit") == Some(&"1") && query.get("includeObject") != Some(&"Object");
        if self.is_forbidden && !(is_proof && self.lets_proofs_through) {
            return refusal(403);
        }
        if let Some(code) = self.refusals.pop() {
            return refusal(code);
        }
        if query.get("watch") == Some(&"1") {
            self.watch(kind, namespace, &query, now_ms)
        } else {
            self.list(kind, namespace, &query, now_ms)
        }
    }

    fn watch(&mut self, kind: Kind, namespace: Option<&str>, query: &Query<'_>, now_ms: i64) -> Answer {
        let is_watch_list = query.get("sendInitialEvents") == Some(&"true");
        let from = query.get("resourceVersion").and_then(|version| version.parse::<u64>().ok());
        if is_watch_list && self.behaviour.watch_lists == WatchLists::Refused {
            return refusal(422);
        }
        let initial = from.is_none().then(|| Initial {
            left: in_namespace(namespace, &self.truth.now(kind)).map(|(key, _)| key.clone()).rev().collect(),
            version: self.truth.revision,
            next_ms: now_ms,
            has_mark: is_watch_list && self.behaviour.watch_lists == WatchLists::Served,
        });
        let from = from.unwrap_or(self.truth.revision);
        let is_expired = from < self.oldest_version;
        if is_expired && self.behaviour.expires_as_status {
            return refusal(410);
        }
        let id = self.next_stream;
        self.next_stream += 1;
        if is_expired {
            self.end(id, json::expired(from));
            return Answer::Stream(id);
        }
        let bookmarks = query.get("allowWatchBookmarks") == Some(&"true");
        let stream = Stream {
            kind,
            namespace: namespace.map(str::to_owned),
            branch: self.truth.branch(),
            sent: from,
            has_columns: false,
            bookmark_at_ms: self.behaviour.bookmark_ms.filter(|_| bookmarks).map(|every| now_ms + every),
            initial,
            is_forgotten: false,
        };
        self.streams.insert(id, stream);
        self.send_events(now_ms);
        Answer::Stream(id)
    }

    fn list(&mut self, kind: Kind, namespace: Option<&str>, query: &Query<'_>, now_ms: i64) -> Answer {
        let branch = self.truth.branch();
        let (version, after) = match query.get("continue").and_then(|next| next.split_once('~')) {
            Some((version, after)) => {
                let version: u64 = version.parse().unwrap_or(0);
                // Its snapshot is compacted away, or of an etcd that is no more.
                if version < self.oldest_version || version > self.truth.revision {
                    return refusal(410);
                }
                (version, Some(after.replace("%2F", "/")))
            }
            None if query.get("resourceVersionMatch") == Some(&"Exact") => {
                let version = query.get("resourceVersion").and_then(|text| text.parse::<u64>().ok());
                match version.filter(|version| *version > 0) {
                    None => return refusal(400),
                    Some(version) if version < self.oldest_version => return refusal(410),
                    Some(version) if version > self.truth.revision => return refusal(504),
                    Some(version) => (version, None),
                }
            }
            None => (self.truth.revision, None),
        };
        let limit = query.get("limit").and_then(|limit| limit.parse::<usize>().ok()).unwrap_or(usize::MAX);
        let things = self.truth.at(kind, branch, version);
        let own = in_namespace(namespace, &things);
        let mut rest = own.filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after));
        let page: Vec<_> = rest.by_ref().take(limit).map(|(_, thing)| thing.as_ref()).collect();
        let remaining = rest.count();
        let next = page.last().filter(|_| remaining > 0).map(|thing| format!("{version}~{}", thing.key()));
        let columns = self.truth.columns(kind);
        let include = query.get("includeObject").copied();
        let next = next.as_deref().map(|next| (next, remaining));
        let body = json::list(kind, &page, version, next, columns, include);
        Answer::Whole { body, origin: Origin { branch, version, at_ms: now_ms } }
    }

    /// Takes what the streams have sent since the last time.
    pub(crate) fn collect(&mut self) -> Vec<StreamChunk> {
        std::mem::take(&mut self.sent)
    }

    /// When a stream sends something without a write.
    pub(crate) fn deadline_ms(&self) -> i64 {
        let streams = self.streams.values().filter(|stream| !stream.is_forgotten);
        let due_ms = streams.filter_map(|stream| match &stream.initial {
            Some(initial) if initial.is_coming() => Some(initial.next_ms),
            _ => stream.bookmark_at_ms,
        });
        due_ms.min().unwrap_or(i64::MAX)
    }

    pub(crate) fn timer(&mut self, now_ms: i64) {
        let Self { truth, streams, sent, initial_pause_ms, .. } = self;
        for (id, stream) in streams.iter_mut().filter(|(_, stream)| !stream.is_forgotten) {
            while let Some(chunk) = stream.next_initial(*id, truth, *initial_pause_ms, now_ms) {
                sent.push(chunk);
            }
            let is_due = stream.bookmark_at_ms.is_some_and(|at_ms| at_ms <= now_ms);
            if is_due && !stream.initial.as_ref().is_some_and(Initial::is_coming) {
                stream.bookmark_at_ms = self.behaviour.bookmark_ms.map(|every_ms| now_ms + every_ms);
                // A watch from a version of the future gets no bookmark of an older one.
                if stream.sent <= truth.revision {
                    stream.sent = truth.revision;
                    sent.push(stream.bookmark(*id, stream.origin(truth.revision, now_ms), false, truth));
                }
            }
        }
        self.send_events(now_ms);
    }

    /// Something was written: it is sent on every watch, after the initial objects and before or after their
    /// end mark.
    pub(crate) fn send_events(&mut self, now_ms: i64) {
        let times = if std::mem::take(&mut self.repeats) { 2 } else { 1 };
        for (id, stream) in &mut self.streams {
            if stream.initial.as_ref().is_some_and(|initial| !initial.left.is_empty()) {
                continue;
            }
            let events = self.truth.events(stream.kind, stream.branch);
            let first = events.partition_point(|event| event.version() <= stream.sent);
            for event in &events[first..] {
                stream.sent = event.version();
                let is_elsewhere =
                    stream.namespace.as_deref().is_some_and(|only| only != event.thing.namespace);
                if is_elsewhere || stream.is_forgotten {
                    continue;
                }
                let row = json::row(stream.kind, &event.thing, self.truth.columns(stream.kind));
                let origin = stream.origin(event.version(), now_ms);
                let chunk = stream.chunk(*id, event.verb, origin, row, &self.truth);
                self.sent.extend(std::iter::repeat_n(chunk, times));
            }
        }
    }

    pub(crate) fn close(&mut self, stream: StreamId) {
        self.streams.remove(&stream);
    }

    fn end(&mut self, stream: StreamId, bytes: Vec<u8>) {
        self.streams.remove(&stream);
        self.sent.push(StreamChunk { stream, bytes, origin: None, ends: true });
    }

    /// The watches of one resource, or all of them, end, as they do for many reasons.
    pub(crate) fn end_streams(&mut self, kind: Option<Kind>) {
        let ended = self.streams.iter().filter(|(_, stream)| kind.is_none_or(|kind| stream.kind == kind));
        for id in ended.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.end(id, Vec::new());
        }
    }

    pub(crate) fn forget_a_stream(&mut self, chance: &mut Chance) {
        let at = chance.index(self.streams.len());
        if let Some(stream) = self.streams.values_mut().nth(at) {
            stream.is_forgotten = true;
        }
    }

    pub(crate) fn send_garbage(&mut self, chance: &mut Chance) {
        let at = chance.index(self.streams.len());
        let Some(stream) = self.streams.keys().nth(at).copied() else { return };
        let bytes = chance.pick(&["<html>", "{\"type\":\"NEWS\",\"object\":{}}\n", "{\"type\":7}\n"]);
        self.sent.push(StreamChunk { stream, bytes: bytes.into(), origin: None, ends: false });
    }

    /// The cache and etcd forget what is older than now.
    pub(crate) fn compact(&mut self) {
        self.oldest_version = self.truth.revision;
    }

    /// Another process takes over: the watches are cut, and its cache begins now.
    pub(crate) fn restart(&mut self) {
        self.end_streams(None);
        self.compact();
    }
}

type Query<'a> = BTreeMap<&'a str, &'a str>;

fn resource_of(path: &str) -> Option<(Kind, Option<&str>)> {
    let (base, kind) = match path.rsplit_once('/')? {
        (base, "pods") => (base.strip_prefix("/api/v1")?, Kind::Pods),
        (base, "widgets") => (base.strip_prefix("/apis/example.com/v1")?, Kind::Widgets),
        _ => return None,
    };
    if base.is_empty() { Some((kind, None)) } else { Some((kind, Some(base.strip_prefix("/namespaces/")?))) }
}

fn in_namespace<'a>(
    namespace: Option<&'a str>,
    things: &'a Things,
) -> impl DoubleEndedIterator<Item = (&'a String, &'a Rc<Thing>)> {
    things.iter().filter(move |(_, thing)| namespace.is_none_or(|only| only == thing.namespace))
}

fn refusal(code: u16) -> Answer {
    Answer::Refused { code, retry_after_s: (code == 429).then_some(1), body: json::status(code) }
}

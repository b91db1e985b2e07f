//! A kube-apiserver as far as a watch client can tell: it reads the target of a request and answers
//! in bytes, from the truth. The script makes its cache forget, its watches end and its answers late.

mod json;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::chance::Chance;
use crate::truth::{Event, Happened, Sort, Thing, Things, Truth};

/// How its WatchList behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchLists {
    Served,
    /// 1.33, or older with the feature off.
    Refused,
    Ignored,
}

#[derive(Clone, Debug)]
pub(crate) struct Nature {
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
    Whole { body: Vec<u8>, tells: Tells },
    Stream(StreamId),
}

/// What an answer proves to who reads it to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tells {
    pub(crate) branch: usize,
    pub(crate) version: u64,
    pub(crate) at_ms: i64,
}

/// What a stream says next.
pub(crate) struct Said {
    pub(crate) stream: StreamId,
    pub(crate) bytes: Vec<u8>,
    /// A stream's end mark, a bookmark or an event.
    pub(crate) tells: Option<Tells>,
    pub(crate) ends: bool,
}

struct Stream {
    sort: Sort,
    /// The only one that it watches.
    namespace: Option<String>,
    branch: usize,
    /// Events after this.
    sent: u64,
    has_columns: bool,
    bookmark_at_ms: Option<i64>,
    /// Of a WatchList: how many of the initial objects are still to come, and at which version.
    initial: Option<Initial>,
    /// The server has forgotten it: it stays open and says nothing.
    is_forgotten: bool,
}

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

pub(crate) struct ApiServer {
    pub(crate) truth: Truth,
    pub(crate) nature: Nature,
    /// Watches from before this are refused.
    floor: u64,
    streams: BTreeMap<StreamId, Stream>,
    next_stream: StreamId,
    /// What was said and not collected.
    said: Vec<Said>,
    /// Refuses the next requests so.
    pub(crate) refusals: Vec<u16>,
    /// The credentials' rights were taken away.
    pub(crate) is_forbidden: bool,
    /// A mistake: who asks for a proof isn't asked for his rights.
    pub(crate) lets_proofs_through: bool,
    /// Events come twice.
    pub(crate) repeats: u32,
    /// Between the objects of an initial set.
    pub(crate) initial_pause_ms: i64,
}

impl ApiServer {
    pub(crate) fn new(nature: Nature) -> Self {
        Self {
            truth: Truth::new(),
            nature,
            floor: 0,
            streams: BTreeMap::new(),
            next_stream: 1,
            said: Vec::new(),
            refusals: Vec::new(),
            is_forbidden: false,
            lets_proofs_through: false,
            repeats: 0,
            initial_pause_ms: 0,
        }
    }

    pub(crate) fn date_ms(&self, now_ms: i64) -> i64 {
        (now_ms + self.nature.clock_ahead_ms).div_euclid(1_000) * 1_000
    }

    pub(crate) fn answer(&mut self, target: &str, now_ms: i64) -> Answer {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let Some((sort, namespace)) = resource_of(path) else { return refusal(404, None) };
        let is_proof = query.get("limit") == Some(&"1") && query.get("includeObject") != Some(&"Object");
        if self.is_forbidden && !(is_proof && self.lets_proofs_through) {
            return refusal(403, None);
        }
        if let Some(code) = self.refusals.pop() {
            return refusal(code, (code == 429).then_some(1));
        }
        if query.get("watch") == Some(&"1") {
            self.watch(sort, namespace, &query, now_ms)
        } else {
            self.list(sort, namespace, &query, now_ms)
        }
    }

    fn watch(
        &mut self,
        sort: Sort,
        namespace: Option<&str>,
        query: &BTreeMap<&str, &str>,
        now_ms: i64,
    ) -> Answer {
        let is_watch_list = query.get("sendInitialEvents") == Some(&"true");
        let from = query.get("resourceVersion").and_then(|version| version.parse::<u64>().ok());
        if is_watch_list && self.nature.watch_lists == WatchLists::Refused {
            return refusal(422, None);
        }
        let initial = from.is_none().then(|| Initial {
            left: in_namespace(namespace, &self.truth.now(sort)).map(|(key, _)| key.clone()).rev().collect(),
            version: self.truth.revision,
            next_ms: now_ms,
            has_mark: is_watch_list && self.nature.watch_lists == WatchLists::Served,
        });
        let from = from.unwrap_or(self.truth.revision);
        let is_expired = from < self.floor;
        if is_expired && self.nature.expires_as_status {
            return refusal(410, None);
        }
        let id = self.next_stream;
        self.next_stream += 1;
        if is_expired {
            self.said.push(Said { stream: id, bytes: json::expired(from), tells: None, ends: true });
            return Answer::Stream(id);
        }
        let bookmarks = query.get("allowWatchBookmarks") == Some(&"true");
        let stream = Stream {
            sort,
            namespace: namespace.map(str::to_owned),
            branch: self.truth.branch(),
            sent: from,
            has_columns: false,
            bookmark_at_ms: self.nature.bookmark_ms.filter(|_| bookmarks).map(|every| now_ms + every),
            initial,
            is_forgotten: false,
        };
        self.streams.insert(id, stream);
        self.send_events(now_ms);
        Answer::Stream(id)
    }

    fn list(
        &mut self,
        sort: Sort,
        namespace: Option<&str>,
        query: &BTreeMap<&str, &str>,
        now_ms: i64,
    ) -> Answer {
        let branch = self.truth.branch();
        let (version, after) = match query.get("continue").and_then(|next| next.split_once('~')) {
            Some((version, after)) => {
                let version: u64 = version.parse().unwrap_or(0);
                // Its snapshot is compacted away, or of an etcd that is no more.
                if version < self.floor || version > self.truth.revision {
                    return refusal(410, None);
                }
                (version, Some(after.replace("%2F", "/")))
            }
            None if query.get("resourceVersionMatch") == Some(&"Exact") => {
                let version = query.get("resourceVersion").and_then(|text| text.parse::<u64>().ok());
                match version.filter(|version| *version > 0) {
                    None => return refusal(400, None),
                    Some(version) if version < self.floor => return refusal(410, None),
                    Some(version) if version > self.truth.revision => return refusal(504, None),
                    Some(version) => (version, None),
                }
            }
            None => (self.truth.revision, None),
        };
        let limit = query.get("limit").and_then(|limit| limit.parse::<usize>().ok()).unwrap_or(usize::MAX);
        let things = self.truth.at(sort, branch, version);
        let own = in_namespace(namespace, &things);
        let mut rest = own.filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after));
        let page: Vec<_> = rest.by_ref().take(limit).map(|(_, thing)| thing.as_ref()).collect();
        let remaining = rest.count();
        let next = page.last().filter(|_| remaining > 0).map(|thing| format!("{version}~{}", thing.key()));
        let columns = self.truth.columns(sort);
        let include = query.get("includeObject").copied();
        let body =
            json::list(sort, &page, version, next.as_deref().map(|next| (next, remaining)), columns, include);
        Answer::Whole { body, tells: Tells { branch, version, at_ms: now_ms } }
    }

    /// Takes what streams have said since the last time.
    pub(crate) fn collect(&mut self) -> Vec<Said> {
        std::mem::take(&mut self.said)
    }

    /// When a stream says something by itself.
    pub(crate) fn deadline_ms(&self) -> i64 {
        let of = |stream: &Stream| match &stream.initial {
            _ if stream.is_forgotten => None,
            Some(initial) if initial.is_coming() => Some(initial.next_ms),
            _ => stream.bookmark_at_ms,
        };
        self.streams.values().filter_map(of).min().unwrap_or(i64::MAX)
    }

    pub(crate) fn timer(&mut self, now_ms: i64) {
        for (id, stream) in &mut self.streams {
            if stream.is_forgotten {
                continue;
            }
            if let Some(initial) = &mut stream.initial {
                while initial.next_ms <= now_ms && initial.is_coming() {
                    let columns = self.truth.columns(stream.sort);
                    let columns = (!std::mem::replace(&mut stream.has_columns, true)).then_some(columns);
                    let columns_now = self.truth.columns(stream.sort);
                    if let Some(key) = initial.left.pop() {
                        let things = self.truth.at(stream.sort, stream.branch, initial.version);
                        let thing = things.get(&key).expect("it was there");
                        let bytes =
                            json::event("ADDED", stream.sort, thing, thing.version, columns, columns_now);
                        let tells = Tells { branch: stream.branch, version: thing.version, at_ms: now_ms };
                        self.said.push(Said { stream: *id, bytes, tells: Some(tells), ends: false });
                        initial.next_ms += self.initial_pause_ms;
                    } else {
                        // What happened meanwhile was sent before the mark.
                        let version = initial.version.max(stream.sent);
                        let bytes = json::bookmark(stream.sort, version, true, columns, columns_now);
                        let tells = Tells { branch: stream.branch, version, at_ms: now_ms };
                        self.said.push(Said { stream: *id, bytes, tells: Some(tells), ends: false });
                        initial.has_mark = false;
                    }
                }
            }
            let is_initial = stream.initial.as_ref().is_some_and(Initial::is_coming);
            if let (Some(at_ms), Some(every_ms)) = (stream.bookmark_at_ms, self.nature.bookmark_ms)
                && at_ms <= now_ms
                && !is_initial
            {
                stream.bookmark_at_ms = Some(now_ms + every_ms);
                // A watch at a version that is still to come hears of none before it.
                if stream.sent > self.truth.revision {
                    continue;
                }
                let columns_now = self.truth.columns(stream.sort);
                let columns = (!std::mem::replace(&mut stream.has_columns, true)).then_some(columns_now);
                let version = self.truth.revision;
                stream.sent = version;
                let bytes = json::bookmark(stream.sort, version, false, columns, columns_now);
                let tells = Tells { branch: stream.branch, version, at_ms: now_ms };
                self.said.push(Said { stream: *id, bytes, tells: Some(tells), ends: false });
            }
        }
        self.send_events(now_ms);
    }

    /// Something was written: every watch says so, unless its initial objects are still coming.
    pub(crate) fn send_events(&mut self, now_ms: i64) {
        let repeats = std::mem::take(&mut self.repeats);
        for (id, stream) in &mut self.streams {
            // What happens goes out after the initial objects, before or after their mark.
            if stream.initial.as_ref().is_some_and(|initial| !initial.left.is_empty()) {
                continue;
            }
            let events = self.truth.events(stream.sort, stream.branch);
            let fresh = events.partition_point(|event| event.version <= stream.sent);
            for event in &events[fresh..] {
                if stream.namespace.as_deref().is_some_and(|only| only != event.thing.namespace) {
                    stream.sent = event.version;
                    continue;
                }
                let (columns, columns_now) =
                    (self.truth.columns(stream.sort), self.truth.columns(stream.sort));
                let columns = (!std::mem::replace(&mut stream.has_columns, true)).then_some(columns);
                stream.sent = event.version;
                if stream.is_forgotten {
                    continue;
                }
                let bytes =
                    json::event(verb(event), stream.sort, &event.thing, event.version, columns, columns_now);
                let tells = Tells { branch: stream.branch, version: event.version, at_ms: now_ms };
                for _ in 0..=repeats.min(1) {
                    let said = Said { stream: *id, bytes: bytes.clone(), tells: Some(tells), ends: false };
                    self.said.push(said);
                }
            }
        }
    }

    pub(crate) fn close(&mut self, stream: StreamId) {
        self.streams.remove(&stream);
    }

    /// The watches of a resource end, as they do for many reasons.
    pub(crate) fn end_streams(&mut self, sort: Option<Sort>) {
        let ended: Vec<StreamId> = self
            .streams
            .iter()
            .filter(|(_, stream)| sort.is_none_or(|sort| stream.sort == sort))
            .map(|(id, _)| *id)
            .collect();
        for id in ended {
            self.streams.remove(&id);
            self.said.push(Said { stream: id, bytes: Vec::new(), tells: None, ends: true });
        }
    }

    pub(crate) fn forget_a_stream(&mut self, chance: &mut Chance) {
        let at = chance.index(self.streams.len());
        if let Some(stream) = self.streams.values_mut().nth(at) {
            stream.is_forgotten = true;
        }
    }

    pub(crate) fn say_garbage(&mut self, chance: &mut Chance) {
        let at = chance.index(self.streams.len());
        let Some(stream) = self.streams.keys().nth(at).copied() else { return };
        let bytes = chance.pick(&["<html>", "{\"type\":\"NEWS\",\"object\":{}}\n", "{\"type\":7}\n"]);
        self.said.push(Said { stream, bytes: bytes.as_bytes().to_vec(), tells: None, ends: false });
    }

    /// The cache and etcd forget what is older than now.
    pub(crate) fn compact(&mut self) {
        self.floor = self.truth.revision;
    }

    /// The process is another: its watches are cut, its cache begins now.
    pub(crate) fn restart(&mut self) {
        self.end_streams(None);
        self.compact();
    }
}

fn resource_of(path: &str) -> Option<(Sort, Option<&str>)> {
    let (base, plural) = path.rsplit_once('/')?;
    let sort = match plural {
        "pods" => Sort::Pods,
        "widgets" => Sort::Widgets,
        _ => return None,
    };
    let base = base.strip_prefix(if sort == Sort::Pods { "/api/v1" } else { "/apis/example.com/v1" })?;
    if base.is_empty() { Some((sort, None)) } else { Some((sort, Some(base.strip_prefix("/namespaces/")?))) }
}

fn in_namespace<'a>(
    namespace: Option<&'a str>,
    things: &'a Things,
) -> impl DoubleEndedIterator<Item = (&'a String, &'a Rc<Thing>)> {
    things.iter().filter(move |(_, thing)| namespace.is_none_or(|only| only == thing.namespace))
}

fn verb(event: &Event) -> &'static str {
    match event.happened {
        Happened::Added => "ADDED",
        Happened::Modified => "MODIFIED",
        Happened::Deleted => "DELETED",
    }
}

fn refusal(code: u16, retry_after_s: Option<u64>) -> Answer {
    Answer::Refused { code, retry_after_s, body: json::status(code) }
}

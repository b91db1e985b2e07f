//! The logs of a hub's timelines. Each event is written into the logs of the views that it belongs to, as it happens;
//! ticks and walks have no part in it. A reader is a number of entries; a reader that was away too long is told how many
//! it missed. The timelines of one connection share the memory of one, however many they are: the largest give up
//! their oldest entries.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use shared::frame::server::{Gap, TimelineFrame, ViewId};
use shared::frame::timeline::{Entry, EntryType};
use shared::problem::Reason;
use shared::state::UnixMillis;
use shared::token::Token;

use super::entries::{EntryWriter, Seen, are_events, event_context, written};
use super::host::Bounds;
use super::request::SessionNumber;
use super::store::{Store, Watched};
use super::views::Encoded;
use crate::limits::{TIMELINE_LINGER_MS, TIMELINES_LINGERING_MAX};
use crate::subscription_request::SubscriptionRequest;

/// The logs of all timeline views.
///
/// It owns their entries, and how long a log is kept without a reader. The hub tells it each change of an object, and
/// each event that belongs to none; a subscriber asks it for the entries after its own position.
pub(super) struct Logs {
    // Ordered, so that the same history gives the same frames.
    logs: BTreeMap<ViewId, OpenLog>,
    growth: LogGrowth,
    /// A log has entries that no subscriber was told of.
    has_news: bool,
    bounds: Bounds,
}

struct OpenLog {
    request: Arc<SubscriptionRequest>,
    log: Log,
    /// The time since which it has had no reader.
    idle_since_ms: Option<UnixMillis>,
}

/// The position of a timeline's subscriber.
pub(super) struct LogReader {
    /// The number of entries that it has, or was told to have missed.
    pub(super) read: u64,
    /// Its former position isn't known here, and it has yet to be told.
    pub(super) is_lost: bool,
}

/// A subscriber to a timeline, as far as memory is shared.
pub(super) struct TimelineReader {
    pub(super) view: ViewId,
    pub(super) session: SessionNumber,
    /// The feeds in which its session has timelines.
    pub(super) feeds: usize,
}

/// Room for fewer entries is never given back.
const ENTRIES_ROOM: usize = 16;

impl Logs {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { logs: BTreeMap::new(), growth: LogGrowth::default(), has_news: false, bounds }
    }

    /// Without logs no object is read or compared.
    pub(super) fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    /// Whether a log has entries that no subscriber was told of.
    pub(super) fn has_news(&self) -> bool {
        self.has_news
    }

    /// The subscribers are told now.
    pub(super) fn mark_told(&mut self) {
        self.has_news = false;
    }

    /// A log begins with the last change of each object, as far as the watch has shown it.
    pub(super) fn open(
        &mut self,
        view: ViewId,
        request: Arc<SubscriptionRequest>,
        epoch: Box<str>,
        store: &Store,
    ) {
        let mut log = Log::new(epoch, self.bounds);
        let changes = store.last_changes().filter(|(_, stored)| request.matches(stored));
        let changes: Vec<_> = changes.take(self.bounds.log_entries).collect();
        let are_events = are_events(&request.scope.resource);
        for (Watched { at_ms, kind }, stored) in changes.into_iter().rev() {
            let row = &stored.row;
            let version = Some(row.resource_version.clone()).filter(|version| !version.is_empty());
            let entry = written(&Entry {
                resource_version: version,
                row: Some(row.id),
                namespace: row.namespace.clone(),
                name: Some(row.name.clone()),
                earlier: true,
                context: if are_events { event_context(stored) } else { BTreeMap::new() },
                ..Entry::of(kind, at_ms)
            });
            entry.into_iter().for_each(|entry| log.push(entry));
        }
        self.logs.insert(view, OpenLog { request, log, idle_since_ms: None });
    }

    /// A reader came.
    pub(super) fn join(&mut self, view: ViewId) {
        if let Some(open) = self.logs.get_mut(&view) {
            open.idle_since_ms = None;
        }
    }

    /// The last reader has gone.
    pub(super) fn leave(&mut self, view: ViewId, now_ms: UnixMillis) {
        if let Some(open) = self.logs.get_mut(&view) {
            open.idle_since_ms = Some(now_ms);
        }
    }

    pub(super) fn forget(&mut self, view: ViewId) {
        self.logs.remove(&view);
    }

    /// One change of one object. [`Logs::bound`] follows if the logs [have grown](Logs::have_grown).
    pub(super) fn note(&mut self, seen: &Seen<'_>) {
        // All logs of a hub are of one kind.
        let are_events =
            self.logs.values().next().is_some_and(|open| are_events(&open.request.scope.resource));
        let mut writer = EntryWriter::of(seen, are_events);
        for OpenLog { request, log, .. } in self.logs.values_mut() {
            let was_member = seen.before.is_some_and(|stored| request.matches(stored));
            let is_member = seen.now.is_some_and(|stored| request.matches(stored));
            if let Some(entry) = writer.entry(was_member, is_member) {
                self.growth.bytes += entry.get().len();
                log.push(entry);
                self.has_news = true;
            }
        }
    }

    /// An event that belongs to no object is written into all logs.
    pub(super) fn note_for_all(&mut self, entry: &Entry) {
        let Some(entry) = written(entry) else { return };
        for OpenLog { log, .. } in self.logs.values_mut() {
            self.growth.bytes += entry.get().len();
            log.push(entry.clone());
            self.has_news = true;
        }
    }

    /// Written before the changes that a list showed, because the events in between are in no entry.
    pub(super) fn note_gap(&mut self, gap: Option<&Gap>, since_ms: UnixMillis, now_ms: UnixMillis) {
        let unnamed = Gap { from_ms: since_ms, to_ms: now_ms, reason: Reason::Unproven };
        let gap = gap.cloned().unwrap_or(unnamed);
        self.note_for_all(&Entry { gap: Some(gap), ..Entry::of(EntryType::Gap, now_ms) });
    }

    /// A reader begins now, with what the log has, or where its token stands. `None`: the view has no log.
    pub(super) fn reader(
        &self,
        view: ViewId,
        request: &SubscriptionRequest,
        cluster: &str,
    ) -> Option<LogReader> {
        let log = &self.logs.get(&view)?.log;
        let token = request.token.as_ref();
        if token.is_none() && request.earlier {
            return Some(LogReader { read: log.first(), is_lost: false });
        }
        let known = token.filter(|token| *token.cluster == *cluster && token.epoch == log.epoch);
        let read = known.and_then(Token::sequence).filter(|read| *read <= log.end());
        let is_lost = token.is_some() && read.is_none();
        Some(LogReader { read: read.unwrap_or_else(|| log.end()), is_lost })
    }

    pub(super) fn is_behind(&self, view: ViewId, reader: &LogReader) -> bool {
        self.logs.get(&view).is_some_and(|open| reader.is_lost || reader.read < open.log.end())
    }

    /// The name of a log's epoch.
    pub(super) fn epoch(&self, view: ViewId) -> Option<&str> {
        Some(&self.logs.get(&view)?.log.epoch)
    }

    /// The entries after the reader's position, or that its position isn't known any more.
    pub(super) fn next_frame(
        &mut self,
        view: ViewId,
        reader: &mut LogReader,
        now_ms: UnixMillis,
    ) -> Option<Arc<Encoded>> {
        let log = &mut self.logs.get_mut(&view)?.log;
        if std::mem::take(&mut reader.is_lost) {
            return Log::frame_of_unknown_gap(view, reader.read, now_ms).map(Arc::new);
        }
        let (to, frame) = log.frame(view, reader.read, now_ms, self.bounds.frame_bytes)?;
        reader.read = to;
        Some(frame)
    }

    /// Whether the logs have grown by as much as matters.
    pub(super) fn have_grown(&self) -> bool {
        self.growth.bytes > self.growth.due
    }

    /// Drops the logs that had no reader for a while. Their views end with them.
    pub(super) fn drop_idle(&mut self, now_ms: UnixMillis) -> Vec<ViewId> {
        let oldest_ms = now_ms - TIMELINE_LINGER_MS;
        let is_idle = |open: &OpenLog| open.idle_since_ms.is_some_and(|since_ms| since_ms < oldest_ms);
        let idle = self.logs.extract_if(.., |_, open| is_idle(open));
        idle.map(|(view, _)| view).collect()
    }

    /// Cuts the logs to what the connections that read them may keep, all their timelines together. The share in
    /// this hub is smaller if a connection has timelines in other feeds. Logs without a reader are one
    /// connection's; the oldest of too many are dropped, and their views end with them.
    pub(super) fn bound(&mut self, readers: impl Iterator<Item = TimelineReader>) -> Vec<ViewId> {
        let sizes = self.sizes();
        let mut of_sessions: BTreeMap<SessionNumber, Share> = BTreeMap::new();
        for TimelineReader { view, session, feeds } in readers {
            let bytes = self.bounds.log_bytes / feeds;
            let share = of_sessions.entry(session);
            share.or_insert_with(|| Share { bytes, logs: BTreeSet::new() }).logs.insert(view);
        }
        let mut shares: Vec<Share> = of_sessions.into_values().collect();
        let smallest = shares.iter().map(|share| share.bytes).min().unwrap_or(self.bounds.log_bytes);
        let (lingering, dropped) = self.lingering();
        shares.push(Share { bytes: self.bounds.log_bytes, logs: lingering });
        for (view, bytes_max) in allowed(&sizes, &shares) {
            if let Some(open) = self.logs.get_mut(&view) {
                open.log.cut(bytes_max);
            }
        }
        self.growth = LogGrowth { bytes: 0, due: smallest / 8 };
        dropped
    }

    /// How many bytes of events each view may keep, of those that tell each by itself. The views of one connection share
    /// what its timelines in one feed share, and the connection that allows the most decides.
    pub(super) fn event_shares(
        &self,
        readers: impl Iterator<Item = TimelineReader>,
    ) -> BTreeMap<ViewId, usize> {
        let mut of_sessions: BTreeMap<SessionNumber, (usize, BTreeSet<ViewId>)> = BTreeMap::new();
        for TimelineReader { view, session, feeds } in readers {
            let of_session = of_sessions.entry(session);
            of_session.or_insert_with(|| (self.bounds.log_bytes / feeds, BTreeSet::new())).1.insert(view);
        }
        let mut shares = BTreeMap::new();
        for (bytes, views) in of_sessions.into_values() {
            for view in &views {
                let share: &mut usize = shares.entry(*view).or_default();
                *share = (bytes / views.len()).max(*share);
            }
        }
        shares
    }

    fn sizes(&self) -> BTreeMap<ViewId, usize> {
        self.logs.iter().map(|(view, open)| (*view, open.log.byte_count())).collect()
    }

    /// The logs without a reader, and those that were dropped because they were too many.
    fn lingering(&mut self) -> (BTreeSet<ViewId>, Vec<ViewId>) {
        let lingering = self.logs.iter().filter_map(|(view, open)| Some((open.idle_since_ms?, *view)));
        let mut lingering: BTreeSet<_> = lingering.collect();
        let mut dropped = Vec::new();
        while lingering.len() > TIMELINES_LINGERING_MAX
            && let Some((_, oldest)) = lingering.pop_first()
        {
            self.logs.remove(&oldest);
            dropped.push(oldest);
        }
        (lingering.into_iter().map(|(_, view)| view).collect(), dropped)
    }

    #[cfg(test)]
    pub(super) fn byte_count(&self) -> usize {
        self.sizes().into_values().sum()
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.logs.len()
    }
}

/// The log of one timeline: its last entries, in a ring with two bounds. Logs share the entries that they have in
/// common. It knows no object and no subscriber.
struct Log {
    /// The name of this log alone, so that a token of another log isn't continued.
    epoch: Box<str>,
    entries: VecDeque<Arc<RawValue>>,
    /// The bytes of the entries.
    byte_count: usize,
    /// How many entries there ever were.
    end: u64,
    bounds: Bounds,
    last: Option<Last>,
}

/// The frame that was written last, for most readers stand at its beginning.
struct Last {
    from: u64,
    end: u64,
    to: u64,
    frame: Arc<Encoded>,
}

#[derive(Serialize)]
struct Written<'a> {
    timeline: TimelineFrame<&'a RawValue>,
}

impl Log {
    fn new(epoch: Box<str>, bounds: Bounds) -> Self {
        Self { epoch, entries: VecDeque::new(), byte_count: 0, end: 0, bounds, last: None }
    }

    fn end(&self) -> u64 {
        self.end
    }

    /// The number of entries before the first that is kept.
    fn first(&self) -> u64 {
        self.end - u64::try_from(self.entries.len()).unwrap_or_default()
    }

    /// The bytes that it keeps, with the frame that it wrote last.
    fn byte_count(&self) -> usize {
        self.byte_count + self.last.as_ref().map_or(0, |last| last.frame.bytes.len())
    }

    fn push(&mut self, entry: Arc<RawValue>) {
        self.byte_count += entry.get().len();
        self.entries.push_back(entry);
        self.end += 1;
        self.last = None;
        self.cut(self.bounds.log_bytes);
    }

    /// Gives up its oldest entries, until it has so many bytes at most.
    fn cut(&mut self, bytes_max: usize) {
        if self.byte_count() > bytes_max {
            self.last = None;
        }
        while self.entries.len() > self.bounds.log_entries || self.byte_count > bytes_max {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.byte_count -= oldest.get().len();
        }
        if self.entries.capacity() > 4 * self.entries.len().max(ENTRIES_ROOM) {
            self.entries.shrink_to(2 * self.entries.len());
        }
    }

    /// The entries after `read`, as many as one frame takes, and where they end.
    fn frame(
        &mut self,
        view: ViewId,
        read: u64,
        now_ms: UnixMillis,
        frame_bytes_max: usize,
    ) -> Option<(u64, Arc<Encoded>)> {
        if let Some(last) = self.last.as_ref().filter(|last| last.from == read && last.end == self.end) {
            return Some((last.to, Arc::clone(&last.frame)));
        }
        let first = self.first();
        let lost = first.saturating_sub(read);
        let gap = (lost > 0)
            .then(|| to_raw_value(&Entry { lost: Some(lost), ..Entry::of(EntryType::Gap, now_ms) }).ok())
            .flatten();
        let skipped = usize::try_from(read.saturating_sub(first)).unwrap_or(usize::MAX);
        let mut to = read + lost;
        let mut byte_count = 0;
        let mut entries: Vec<&RawValue> = gap.iter().map(|gap| &**gap).collect();
        for entry in self.entries.iter().skip(skipped) {
            if byte_count >= frame_bytes_max {
                break;
            }
            byte_count += entry.get().len();
            entries.push(entry);
            to += 1;
        }
        let timeline = TimelineFrame { view, from: read, to, entries, reset: false };
        let frame = Arc::new(Encoded::new(&Written { timeline })?);
        self.last = Some(Last { from: read, end: self.end, to, frame: Arc::clone(&frame) });
        Some((to, frame))
    }

    /// For a reader whose position isn't known any more: it goes on here, and is told that it missed
    /// entries.
    fn frame_of_unknown_gap(view: ViewId, at: u64, now_ms: UnixMillis) -> Option<Encoded> {
        let gap = to_raw_value(&Entry::of(EntryType::Gap, now_ms)).ok()?;
        let timeline = TimelineFrame { view, from: at, to: at, entries: vec![&*gap], reset: true };
        Encoded::new(&Written { timeline })
    }
}

/// The timelines of one connection in one hub, and the bytes that they may have together.
struct Share {
    bytes: usize,
    logs: BTreeSet<ViewId>,
}

/// How far the logs have grown since they were bounded last.
#[derive(Default)]
struct LogGrowth {
    bytes: usize,
    /// They are bounded again from here on: an eighth of the smallest share.
    due: usize,
}

/// The bytes that a log may have if not all that it has. One that several connections read keeps what one of them
/// may have, so that a connection with many timelines takes nothing from another.
fn allowed(sizes: &BTreeMap<ViewId, usize>, shares: &[Share]) -> BTreeMap<ViewId, usize> {
    let mut allowed: BTreeMap<ViewId, usize> = BTreeMap::new();
    for share in shares {
        let own = share.logs.iter().filter_map(|log| sizes.get(log).copied());
        let level = level(own.collect(), share.bytes);
        for log in &share.logs {
            allowed.entry(*log).and_modify(|most| *most = level.max(*most)).or_insert(level);
        }
    }
    allowed.retain(|log, most| sizes.get(log).is_some_and(|size| size > most));
    allowed
}

/// The size to which the largest are cut so that all together have at most `bytes`.
fn level(mut sizes: Vec<usize>, bytes: usize) -> usize {
    sizes.sort_unstable();
    let mut left = bytes;
    for (index, size) in sizes.iter().enumerate() {
        let each = left / (sizes.len() - index);
        if *size > each {
            return each;
        }
        left -= size;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sizes: &[usize], shares: &[(usize, &[ViewId])], expected: &[(ViewId, usize)]) {
        let sizes = (0..).zip(sizes.iter().copied()).collect();
        let shares: Vec<Share> = shares
            .iter()
            .map(|(bytes, logs)| Share { bytes: *bytes, logs: logs.iter().copied().collect() })
            .collect();
        assert_eq!(allowed(&sizes, &shares), expected.iter().copied().collect());
    }

    #[test]
    fn the_largest_logs_of_a_connection_give_way_and_the_small_ones_stay_whole() {
        check(&[90, 5, 5], &[(100, &[0, 1, 2])], &[]);
        check(&[100, 5, 5], &[(100, &[0, 1, 2])], &[(0, 90)]);
        check(&[100, 80, 5], &[(100, &[0, 1, 2])], &[(0, 47), (1, 47)]);
        check(&[100, 100, 100, 100], &[(100, &[0, 1, 2, 3])], &[(0, 25), (1, 25), (2, 25), (3, 25)]);
    }

    #[test]
    fn a_log_that_another_connection_reads_keeps_what_that_one_may_have() {
        check(&[100, 100], &[(100, &[0, 1]), (100, &[1])], &[(0, 50)]);
        check(&[100, 100], &[(100, &[0, 1]), (70, &[1])], &[(0, 50), (1, 70)]);
        check(&[100, 100], &[], &[]);
    }
}

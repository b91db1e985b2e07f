//! What a test's gateway recorded: the rows of a kind at some times, and what it answers of them.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::column::Column;
use shared::frame::client::{self, ChangesAsked, ChangesEnd, PastAsked};
use shared::frame::server::{
    Changed, Changes, Found, FoundObject, History, Past, PastAnswer, ProblemFrame, Recorded, RecordedEvent,
    RecordedEvents, RecordedVersion, ServerFrame,
};
use shared::frame::timeline::Entry;
use shared::past::{PastState, Removed, Unrecorded};
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::row::Row;
use shared::scope::Scope;
use shared::state::UnixMillis;

/// The past of a test cluster.
#[derive(Default)]
pub struct TestPast {
    rows: BTreeMap<String, BTreeMap<UnixMillis, Vec<Row>>>,
    /// By resource and `namespace/name`.
    objects: BTreeMap<(String, String), BTreeMap<UnixMillis, Value>>,
    pub unrecorded: Vec<Unrecorded>,
    /// What was removed of the record.
    pub removed: Vec<Removed>,
    /// Why nothing is recorded now.
    pub problem: Option<Problem>,
    /// The versions of any object, the newest first.
    pub versions: Vec<Entry>,
    /// So many of them are in one answer.
    pub page: usize,
    /// Whole versions of any object. The last one is what an object that is gone was.
    pub whole: Vec<RecordedVersion>,
    /// Events about any object, the newest first.
    pub events: Vec<RecordedEvent>,
    /// None of them is about the object that is asked for.
    pub is_quiet: bool,
    /// All changes of any view, the oldest first, and the columns of their cells.
    pub changes: Vec<Changed>,
    pub columns: Vec<Column>,
    /// What any word finds.
    pub found: Vec<FoundObject>,
}

impl TestPast {
    pub(super) fn record(&mut self, resource: &str, rows: Vec<Row>, at_ms: UnixMillis) {
        self.rows.entry(resource.to_owned()).or_default().insert(at_ms, rows);
    }

    pub fn record_object(&mut self, resource: &str, key: &str, object: Value, at_ms: UnixMillis) {
        self.objects.entry((resource.to_owned(), key.to_owned())).or_default().insert(at_ms, object);
    }

    pub(super) fn object_as_of(&self, resource: &str, key: &str, at_ms: UnixMillis) -> Option<&Value> {
        let versions = self.objects.get(&(resource.to_owned(), key.to_owned()))?;
        Some(versions.range(..=at_ms).next_back()?.1)
    }

    pub(super) fn as_of(&self, resource: &str, at_ms: UnixMillis) -> Result<(PastState, Vec<Row>), Problem> {
        let nothing =
            || Problem::new(Reason::NotFound, format!("nothing of {resource} is recorded before then"));
        let rows = self.rows.get(resource).ok_or_else(nothing)?;
        let mut until = rows.range(..=at_ms).rev();
        let (changed_ms, held) = until.next().ok_or_else(nothing)?;
        let state = PastState {
            at_ms,
            recorded_ms: *changed_ms,
            changed_ms: Some(*changed_ms),
            before_ms: until.next().map(|(ms, _)| *ms),
            after_ms: rows.range(at_ms + 1..).next().map(|(ms, _)| *ms),
            unrecorded: self.unrecorded.iter().find(|gap| gap.from_ms < at_ms && at_ms < gap.to_ms).cloned(),
            removed: self
                .removed
                .iter()
                .find(|it| it.from_ms <= at_ms && at_ms < it.to_ms)
                .cloned()
                .map(Box::new),
        };
        Ok((state, held.clone()))
    }

    pub(super) fn answer(&self, asked: &client::Past, now_ms: UnixMillis) -> ServerFrame {
        let is_it = |whole: &&RecordedVersion, version: &ResourceVersion| {
            whole.object.pointer("/metadata/resourceVersion").and_then(Value::as_str)
                == Some(version.as_str())
        };
        let past = match &asked.asked {
            PastAsked::Recorded { from_ms, to_ms, slots } => {
                Some(Past::Recorded(self.recorded(&asked.scope, (*from_ms, *to_ms, *slots), now_ms)))
            }
            PastAsked::History { before, .. } => Some(Past::History(self.history(*before))),
            PastAsked::Version { resource_version, .. } => {
                let found = self.whole.iter().find(|whole| is_it(whole, resource_version));
                found.cloned().map(Past::Version)
            }
            PastAsked::Last => self.whole.last().cloned().map(Past::Version),
            PastAsked::Search { to_ms, .. } => Some(Past::Found(Found {
                objects: self.found.clone(),
                more: false,
                until_ms: *to_ms,
                since_ms: self.found.first().and_then(|found| Some(found.times.first()?.from_ms)),
                unrecorded: self.unrecorded.clone(),
                removed: self.removed.clone(),
            })),
            PastAsked::Events { .. } => Some(Past::Events(RecordedEvents {
                events: self.events.iter().filter(|_| !self.is_quiet).cloned().collect(),
                before: None,
                since_ms: self.events.last().map(|event| event.time_ms),
                unrecorded: self.unrecorded.clone(),
            })),
            PastAsked::Changes(changes) => {
                let changes = self.changes_since(changes, now_ms);
                return ServerFrame::Past(PastAnswer::of_changes(asked.id, changes).expect("an answer"));
            }
        };
        let Some(past) = past else {
            let problem = Problem::new(Reason::NotFound, "nothing of that name is recorded");
            return ServerFrame::Problem(ProblemFrame { id: Some(asked.id), problem });
        };
        ServerFrame::Past(PastAnswer::of(asked.id, &past).expect("an answer"))
    }

    fn changes_since(&self, asked: &ChangesAsked, now_ms: UnixMillis) -> Changes {
        let from = usize::try_from(asked.from.map_or(0, |from| from.number)).expect("a place");
        let all: Vec<&Changed> =
            self.changes.iter().filter(|change| change.time_ms >= asked.since_ms).collect();
        let page: Vec<Changed> =
            all.iter().skip(from).take(self.page.max(1)).map(|it| (*it).clone()).collect();
        let number = i64::try_from(from + page.len()).expect("few");
        Changes {
            columns: self.columns.clone(),
            end: ChangesEnd { to_ms: page.last().map_or(now_ms, |last| last.time_ms), number },
            more: from + page.len() < all.len(),
            changes: page,
            since_ms: self.changes.first().map(|first| first.time_ms),
            unrecorded: self.unrecorded.clone(),
            still: None,
            removed: self.removed.clone(),
            now_ms,
        }
    }

    fn recorded(
        &self,
        scope: &Scope,
        (from_ms, to_ms, slots): (UnixMillis, UnixMillis, u16),
        now_ms: UnixMillis,
    ) -> Recorded {
        let rows = self.rows.get(&scope.resource.to_string());
        let slot_ms = (to_ms - from_ms) / i64::from(slots);
        let mut changes = vec![0; usize::from(slots)];
        for at_ms in rows.into_iter().flat_map(BTreeMap::keys) {
            let slot = usize::try_from((at_ms - from_ms) / slot_ms).ok();
            if let Some(count) = slot.and_then(|slot| changes.get_mut(slot)) {
                *count += 1;
            }
        }
        Recorded {
            from_ms,
            since_ms: rows.and_then(|rows| rows.keys().next().copied()),
            until_ms: rows.and_then(|rows| rows.keys().next_back().copied()),
            slot_ms,
            trouble: vec![0; changes.len()],
            changes,
            unrecorded: self.unrecorded.clone(),
            removed: self.removed.iter().filter(|it| it.is_within(from_ms, to_ms)).cloned().collect(),
            problem: self.problem.clone(),
            now_ms,
        }
    }

    fn history(&self, before: Option<i64>) -> History {
        let from = usize::try_from(before.unwrap_or_default()).unwrap_or_default();
        let rest = self.versions.get(from..).unwrap_or_default();
        let entries: Vec<Entry> = rest.iter().take(self.page.max(1)).cloned().collect();
        let next = from + entries.len();
        History {
            before: (next < self.versions.len()).then(|| i64::try_from(next).unwrap_or_default()),
            since_ms: self.versions.last().map(|entry| entry.time_ms),
            unrecorded: self.unrecorded.clone(),
            removed: self.removed.clone(),
            entries,
        }
    }
}

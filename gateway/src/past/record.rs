//! The record of a gateway: who listens to hubs for it, and what is answered from it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use history::{
    Bounds, Extent, Head, Keepers, KindKey, Past, PastState, PastVersion, Postgres, RecordFile, Segments,
    Share, Standing, Store, StoreError, Within,
};
use serde_json::Value;
use shared::cell::Cell;
use shared::frame::server::{History, Recorded, ReplayedFile, Replays};
use shared::frame::timeline::{Entry, EntryType};
use shared::past::{Removed, Unrecorded};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::clock::RecordClock;
use super::database::connect;
use super::former_masks::say_what_is_masked_since;
use super::queue::Brought;
use super::refused::Refused;
use super::sees::{NamespaceRows, Sees, namespaces};
use super::settings::{HistorySettings, Place};
use super::turns::SearchTurns;
use super::writer::Writer;
use crate::clock::gateway_ms;
use crate::cluster::Cluster;
use crate::feed::labels::Labels;
use crate::feed::masks::{Masks, unmarked};
use crate::feed::{Redaction, masked_again};
use crate::hub::{Heard, PastEntry, are_events, past_entry};
use crate::limits::HISTORY_ENTRIES_MAX;
use crate::metrics::Metrics;

/// What this gateway records, and what it and former runs recorded; or a file that is replayed.
pub struct Record {
    settings: HistorySettings,
    source: Source,
    past: Arc<dyn Past>,
    /// Names this run: hashes of masked values are compared within it.
    run: u64,
    /// Where a former run's record of each kind ended, until its feed began there.
    ended_at: Mutex<HashMap<KindKey, ResourceVersion>>,
    clock: RecordClock,
    /// What the gateway may not list.
    refused: Refused,
    searches: SearchTurns,
}

/// How much of a kind was recorded, and from when to when.
pub struct Counted {
    pub changes: u64,
    pub from_ms: UnixMillis,
    pub to_ms: UnixMillis,
}

/// Names a run.
fn fresh_run() -> Result<u64, Problem> {
    getrandom::u64().map_err(|error| Problem::new(Reason::InternalError, format!("no randomness: {error}")))
}

/// Where what is read comes from.
enum Source {
    /// A thread writes what hubs tell.
    Hubs(Writer),
    /// A file of one cluster: to a reader, nothing has happened since its end.
    Replay { cluster: Box<str>, time: Replays, file: ReplayedFile },
}

impl Record {
    /// `None`: nothing is to be recorded.
    ///
    /// # Errors
    /// The folder or the files can't be used, in one sentence that says what to do. A database may be away.
    pub fn open(
        settings: &HistorySettings,
        redaction: &Redaction,
        metrics: Metrics,
    ) -> Result<Option<Arc<Self>>, Problem> {
        let bounds = Bounds { bytes: settings.bytes, age_ms: settings.age_ms };
        let run = fresh_run()?;
        let clock = RecordClock::before(settings.lead);
        let opened = (run, clock.now_ms());
        let keepers = match &settings.place {
            // A file has its own constructor.
            Place::Nowhere | Place::File => return Ok(None),
            Place::Memory => {
                let open = |_, bounds| Ok(Box::new(Segments::in_memory(bounds)) as Box<dyn Store>);
                Keepers::open::<Problem>(open, bounds, opened)?
            }
            Place::Postgres(database) => {
                let first = Postgres::new(connect(database)?, bounds);
                let open = |share, bounds| Ok(Box::new(first.of_share(share, bounds)) as Box<dyn Store>);
                Keepers::open::<Problem>(open, bounds, opened)?
            }
            Place::Folder(folder) => {
                Keepers::open(|share, bounds| of_folder(folder, share, bounds), bounds, opened)?
            }
        };
        say_what_is_masked_since(&keepers, redaction);
        Self::of_keepers(keepers, (run, clock), settings, metrics).map(Some)
    }

    /// Everything goes into one file.
    ///
    /// # Errors
    /// There is no thread or no randomness to be had.
    pub fn to_file(
        file: RecordFile,
        settings: &HistorySettings,
        metrics: Metrics,
    ) -> Result<Arc<Self>, Problem> {
        let (run, clock) = (fresh_run()?, RecordClock::default());
        let keepers = Keepers::alone(Box::new(file), (run, clock.now_ms()));
        Self::of_keepers(keepers, (run, clock), settings, metrics)
    }

    /// A file of one cluster that is read, and nothing else.
    #[must_use]
    pub fn of_replay(
        past: Arc<dyn Past>,
        cluster: Box<str>,
        (time, file): (Replays, ReplayedFile),
    ) -> Arc<Self> {
        Arc::new(Self {
            settings: HistorySettings::nothing(),
            source: Source::Replay { cluster, time, file },
            past,
            run: 0,
            ended_at: Mutex::default(),
            clock: RecordClock::default(),
            refused: Refused::default(),
            searches: SearchTurns::default(),
        })
    }

    fn of_keepers(
        keepers: Keepers,
        (run, clock): (u64, RecordClock),
        settings: &HistorySettings,
        metrics: Metrics,
    ) -> Result<Arc<Self>, Problem> {
        let past = keepers.past();
        let ended_at = Mutex::new(keepers.positions());
        let writer = Writer::start(keepers, clock.clone(), metrics).map_err(|error| {
            Problem::new(Reason::InternalError, format!("the record can't be written: {error}"))
        })?;
        let (settings, source) = (settings.clone(), Source::Hubs(writer));
        let (refused, searches) = (Refused::default(), SearchTurns::default());
        Ok(Arc::new(Self { settings, source, past, run, ended_at, clock, refused, searches }))
    }

    /// The time of a file that is replayed.
    #[must_use]
    pub fn replays(&self) -> Option<Replays> {
        match self.source {
            Source::Hubs(_) => None,
            Source::Replay { time, .. } => Some(time),
        }
    }

    /// What a file that is replayed says of itself.
    #[must_use]
    pub fn file(&self) -> Option<&ReplayedFile> {
        match &self.source {
            Source::Hubs(_) => None,
            Source::Replay { file, .. } => Some(file),
        }
    }

    /// What a kind of a cluster is recorded as.
    pub(super) fn key(&self, cluster: &Cluster, resource: &Resource) -> KindKey {
        let cluster = match &self.source {
            Source::Hubs(_) => cluster.identity().id,
            Source::Replay { cluster, .. } => cluster.clone(),
        };
        KindKey { cluster, resource: resource.clone() }
    }

    fn writer(&self) -> Option<&Writer> {
        match &self.source {
            Source::Hubs(writer) => Some(writer),
            Source::Replay { .. } => None,
        }
    }

    pub(super) fn settings(&self) -> &HistorySettings {
        &self.settings
    }

    pub(super) fn refused(&self) -> &Refused {
        &self.refused
    }

    pub(super) fn clock(&self) -> &RecordClock {
        &self.clock
    }

    /// What was heard is written.
    pub fn end(&self) {
        if let Some(writer) = self.writer() {
            writer.end();
        }
    }

    /// `None`: nothing of the kind was recorded.
    ///
    /// # Errors
    /// The record can't be read.
    pub fn counted(&self, cluster: &Cluster, resource: &Resource) -> Result<Option<Counted>, Problem> {
        let key = self.key(cluster, resource);
        let Some(extent) = self.past.extent(&key).map_err(unread)? else { return Ok(None) };
        let Extent { from_ms, to_ms, .. } = extent;
        let activity = self.past.activity(&key, (from_ms, to_ms), 1, &Within::All).map_err(unread)?;
        let changes = activity.slots.iter().map(|slot| u64::from(slot.changes)).sum();
        Ok(Some(Counted { changes, from_ms, to_ms }))
    }

    /// How much of a view was recorded.
    ///
    /// # Errors
    /// The record can't be read.
    pub fn recorded(
        &self,
        cluster: &Cluster,
        sees: &Sees,
        (from_ms, to_ms): (UnixMillis, UnixMillis),
        slots: u16,
    ) -> Result<Recorded, Problem> {
        let key = self.key(cluster, &sees.request.scope.resource);
        let extent = self.past.extent(&key).map_err(unread)?;
        let within = sees.within(&self.rows_for(cluster, sees)?);
        let activity = self.past.activity(&key, (from_ms, to_ms), usize::from(slots), &within);
        let activity = activity.map_err(unread)?;
        let now_ms = self.replays().map_or_else(gateway_ms, |replays| replays.to_ms);
        let (since_ms, until_ms) = extent.as_ref().map(|extent| (extent.from_ms, extent.to_ms)).unzip();
        let is_of_time = |unrecorded: &Unrecorded| unrecorded.from_ms < to_ms && unrecorded.to_ms > from_ms;
        let unrecorded = extent.map(|extent| extent.unrecorded).unwrap_or_default();
        Ok(Recorded {
            from_ms: activity.from_ms,
            since_ms,
            until_ms,
            slot_ms: activity.slot_ms,
            changes: activity.slots.iter().map(|slot| slot.changes).collect(),
            trouble: activity.slots.iter().map(|slot| slot.trouble).collect(),
            unrecorded: unrecorded.into_iter().filter(is_of_time).collect(),
            removed: self.removed_in(sees, &key, (from_ms, to_ms))?,
            problem: self.why_not(&key),
            now_ms,
        })
    }

    /// Why nothing of a kind is recorded now.
    pub(super) fn why_not(&self, key: &KindKey) -> Option<Problem> {
        if self.writer().is_none() {
            let message = format!("nothing of {} is in the file that is replayed", key.resource);
            return Some(Problem::new(Reason::NotFound, message)).filter(|_| !self.has(key));
        }
        if !self.settings.names(&key.resource) {
            let message = format!(
                "{} aren't recorded by this gateway; its setting history-kind names what is",
                key.resource
            );
            return Some(Problem::new(Reason::NotFound, message));
        }
        if let Some(why) = self.refused.why(key) {
            return Some(why);
        }
        match self.standing() {
            Standing::Recording => None,
            Standing::Stopped { why, .. } => Some(Problem::new(Reason::ServiceUnavailable, why.to_string())),
        }
    }

    /// The recorded versions of one object.
    ///
    /// # Errors
    /// The record can't be read.
    pub fn history(
        &self,
        cluster: &Cluster,
        sees: &Sees,
        row: RowId,
        before: Option<i64>,
    ) -> Result<History, Problem> {
        let key = self.key(cluster, &sees.request.scope.resource);
        // One more, because an entry tells what is different from the version before.
        let limit = HISTORY_ENTRIES_MAX + 1;
        let versions = self.past.versions(&key, row, before.unwrap_or(i64::MAX), limit).map_err(unread)?;
        let rows = self.rows_for(cluster, sees)?;
        let are_events = are_events(&sees.request.scope.resource);
        let read: Vec<ReadVersion> =
            versions.iter().map(|version| self.read_version(&sees.redaction, &key, version)).collect();
        let has_more = read.len() == limit;
        let shown = read.len() - usize::from(has_more);
        let mut entries = Vec::with_capacity(shown);
        for (place, version) in versions.iter().enumerate().take(shown) {
            let (Some(now), older) = (read.get(place), read.get(place + 1)) else { break };
            // A deletion shows what the version before did.
            let seen = if now.row.is_some() { Some(now) } else { older };
            let is_shown = seen.and_then(|seen| Some((seen.row.as_ref()?, &seen.labels)));
            let is_shown = is_shown.is_some_and(|seen| sees.shows(&rows, seen, version.namespace_row));
            if is_shown {
                entries.push(entry(version, now, older, are_events));
            }
        }
        let extent = self.past.extent(&key).map_err(unread)?;
        Ok(History {
            entries,
            before: versions.get(shown.saturating_sub(1)).filter(|_| has_more).map(|last| last.number),
            since_ms: extent.as_ref().map(|extent| extent.from_ms),
            unrecorded: extent.map(|extent| extent.unrecorded).unwrap_or_default(),
            removed: self.removed_of(sees, &key, &versions)?,
        })
    }

    /// What was removed of a kind of what was recorded in a time, as far as the viewer is told of it.
    pub(super) fn removed_in(
        &self,
        sees: &Sees,
        key: &KindKey,
        (from_ms, to_ms): (UnixMillis, UnixMillis),
    ) -> Result<Vec<Removed>, Problem> {
        let mut removed = self.past.removed(key).map_err(unread)?;
        removed.retain(|it| it.is_within(from_ms, to_ms) && sees.tells(it));
        Ok(removed)
    }

    /// What was removed of a kind, where it may have been of an object with these versions.
    fn removed_of(
        &self,
        sees: &Sees,
        key: &KindKey,
        versions: &[PastVersion],
    ) -> Result<Vec<Removed>, Problem> {
        let head = versions.iter().find_map(|version| match &version.state {
            history::PastState::There { head, .. } => Some(head),
            _ => None,
        });
        let may_be_of = |removed: &Removed| match (&removed.namespace, head) {
            (Some(_), Some(head)) => head.namespace == removed.namespace,
            _ => true,
        };
        let mut removed = self.past.removed(key).map_err(unread)?;
        removed.retain(|it| may_be_of(it) && sees.tells(it));
        Ok(removed)
    }

    /// The masks of a version. What another run hid can't be compared with what this one hides.
    pub(super) fn masks(&self, head: &Head) -> Masks {
        if head.run == self.run { Masks::of_parts(&head.masks) } else { Masks::without_hashes(&head.masks) }
    }

    pub(super) fn read_version(
        &self,
        redaction: &Redaction,
        key: &KindKey,
        version: &PastVersion,
    ) -> ReadVersion {
        let PastState::There { head, body } = &version.state else { return ReadVersion::default() };
        let mut row = head.row(version.row);
        let object = if head.rules == redaction.digest() {
            self.masks(head).marked(body)
        } else {
            let again = masked_again(redaction, &key.resource, (&[], &mut [] as &mut [Cell]), body);
            again.and_then(|(body, masks)| masks.marked(&body))
        };
        row.cells = Vec::new();
        ReadVersion {
            labels: Labels::of_packed(&head.labels),
            row: Some(row),
            run: head.run,
            object,
            writers: head.writers.clone(),
            relisted: head.relisted,
        }
    }

    /// None where no answer depends on them.
    pub(super) fn rows_for(&self, cluster: &Cluster, sees: &Sees) -> Result<NamespaceRows, Problem> {
        if sees.asks_for_namespaces() { self.namespace_rows(cluster) } else { Ok(NamespaceRows::new()) }
    }

    /// The namespaces that are there, as far as they are recorded.
    pub(super) fn namespace_rows(&self, cluster: &Cluster) -> Result<NamespaceRows, Problem> {
        let Some(resource) = namespaces() else { return Ok(NamespaceRows::new()) };
        // A namespace that was made anew shows nothing of the former one as soon as the gateway has heard of it.
        self.commit();
        let moment = self.past.moment(&self.key(cluster, &resource), UnixMillis::MAX).map_err(unread)?;
        let objects = moment.map(|moment| moment.objects).unwrap_or_default();
        Ok(objects.into_iter().map(|object| (object.head.name, object.row)).collect())
    }

    fn has(&self, key: &KindKey) -> bool {
        self.past.extent(key).is_ok_and(|extent| extent.is_some())
    }

    /// Whether what is heard is kept.
    pub fn standing(&self) -> Standing {
        let standing =
            |writer: &Writer| writer.standing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.writer().map_or(Standing::Recording, standing)
    }

    /// What was heard until now can be read then.
    pub(super) fn commit(&self) {
        if let Some(writer) = self.writer() {
            writer.commit();
        }
    }

    /// `false`: the writer can't take it now. One that has ended takes nothing, and nothing more is recorded.
    pub(super) fn bring(&self, brought: Brought) -> bool {
        self.writer().is_none_or(|writer| writer.bring(brought))
    }

    /// As [`Record::bring`].
    pub(super) fn hear(&self, key: &KindKey, rules: u64, heard: Vec<Heard>) -> bool {
        self.bring(Brought::Heard { key: key.clone(), rules, heard })
    }

    /// Where a former run's record of a kind ended, once.
    pub(super) fn take_end(&self, key: &KindKey) -> Option<ResourceVersion> {
        self.ended_at.lock().unwrap_or_else(PoisonError::into_inner).remove(key)
    }

    /// The turns of those who search.
    pub fn searches(&self) -> &SearchTurns {
        &self.searches
    }

    pub(super) fn past(&self) -> &Arc<dyn Past> {
        &self.past
    }
}

/// The files of a share, in the folder of the record.
fn of_folder(folder: &Path, share: Share, bounds: Bounds) -> Result<Box<dyn Store>, Problem> {
    let path = share.folder().map_or(folder.to_owned(), |name| folder.join(name));
    let (segments, notes) = Segments::open(&path, bounds)
        .map_err(|StoreError(why)| Problem::new(Reason::Configuration, format!("--history: {why}")))?;
    for StoreError(note) in notes {
        tracing::warn!("a file of the history isn't used: {note}");
    }
    Ok(Box::new(segments))
}

/// A version, as an entry is made of it.
#[derive(Default)]
pub(super) struct ReadVersion {
    /// `None`: deleted, or damaged.
    pub(super) row: Option<Row>,
    pub(super) labels: Labels,
    run: u64,
    /// With its masks told apart.
    pub(super) object: Option<Value>,
    writers: Vec<shared::frame::timeline::Writer>,
    relisted: bool,
}

fn entry(version: &PastVersion, now: &ReadVersion, older: Option<&ReadVersion>, are_events: bool) -> Entry {
    let before = older.filter(|older| older.row.is_some());
    let kind = match (&version.state, before) {
        (PastState::Deleted { .. }, _) => EntryType::Deleted,
        (_, Some(_)) => EntryType::Modified,
        (_, None) => EntryType::Added,
    };
    let of_row = now.row.as_ref().or(before.and_then(|before| before.row.as_ref()));
    let Some(row) = of_row else { return Entry::of(kind, version.at_ms) };
    // What two runs masked can't be compared: the masks are equal then.
    let are_of_one_run = before.is_none_or(|before| before.run == now.run);
    let plain = |value: Option<&Value>| {
        if are_of_one_run { value.cloned() } else { value.map(unmarked) }
    };
    let (old, new) = (plain(before.and_then(|before| before.object.as_ref())), plain(now.object.as_ref()));
    let written = past_entry(&PastEntry {
        kind,
        row,
        before: old.as_ref(),
        now: new.as_ref(),
        writers: &now.writers,
        are_events,
    });
    let relisted = now.relisted || matches!(version.state, PastState::Deleted { relisted: true });
    Entry {
        time_ms: version.at_ms,
        resource_version: Some(version.resource_version.clone()).filter(|it| !it.is_empty()),
        skipped: version.skipped,
        relisted,
        health: now.row.as_ref().and_then(Row::health).cloned().map(Box::new),
        ..written
    }
}

pub(super) fn unread(StoreError(why): StoreError) -> Problem {
    Problem::new(Reason::ServiceUnavailable, format!("the record can't be read: {why}"))
}

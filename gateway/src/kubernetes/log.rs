//! The events of one feed as an API server keeps them in its watch cache: what is there, and every event with its
//! object, as far back as a bound of bytes lets it. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use shared::column::Column;
use shared::row::RowId;

use super::ring::{Event, Ring};
use super::selection::Selection;
use super::version::Version;
use crate::hub::Heard;
use crate::limits::LEFT_OUT_MAX;

/// The objects of a feed and its last events. A hub's listener tells it what the hub hears; readers stand at a
/// resourceVersion of it.
///
/// A gap of the feed is a gap for each reader: what happened in it isn't known, so everything before its end is
/// forgotten, and who stands there has to list again.
pub struct Log {
    columns: Arc<[Column]>,
    objects: BTreeMap<Box<str>, Arc<Version>>,
    keys: HashMap<RowId, Box<str>>,
    /// Objects that can't be shown, by their keys.
    left_out: BTreeSet<Box<str>>,
    events: Ring,
    /// All up to here was heard.
    revision: u64,
    state: State,
    /// Readers of another generation list again.
    generation: u64,
    /// The generation that began with other columns.
    redefined: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A list is heard.
    Loading,
    Loaded,
    /// resourceVersions of this kind aren't numbers.
    Unordered,
    /// The hub has ended.
    Ended,
}

/// Where a reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub(super) generation: u64,
    pub(super) revision: u64,
}

/// Why a reader can't go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// What followed its revision isn't known any more.
    Expired { horizon: u64 },
    /// The kind is served with other columns, at which an API server ends its watches without an error.
    Redefined,
}

impl Log {
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        Self {
            columns: Arc::new([]),
            objects: BTreeMap::new(),
            keys: HashMap::new(),
            left_out: BTreeSet::new(),
            events: Ring::new(bytes_max),
            revision: 0,
            state: State::Loading,
            generation: 0,
            redefined: None,
        }
    }

    pub fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Lost(_) | Heard::Begun => {
                self.objects.clear();
                self.keys.clear();
                self.left_out.clear();
                if self.state == State::Loaded {
                    self.state = State::Loading;
                    self.forget();
                }
            }
            Heard::Columns(columns) => {
                if !self.columns.is_empty() && self.columns != columns {
                    self.forget();
                    self.redefined = Some(self.generation);
                }
                self.columns = columns;
            }
            Heard::Version(version) => {
                let is_listed = version.relisted;
                match Version::heard(*version) {
                    Some(version) => self.put(Arc::new(version), is_listed),
                    None => self.state = State::Unordered,
                }
            }
            Heard::Deleted { row, resource_version, relisted } => {
                let revision = resource_version.as_str().parse().unwrap_or_default();
                self.delete(row, revision, relisted);
            }
            Heard::LeftOut(key) => self.leave_out(key),
            Heard::Loaded(version) => self.loaded(version.as_str().parse().ok()),
            Heard::Missed(_) => self.forget(),
            Heard::Proof(version, _) => {
                if let Ok(revision) = version.as_str().parse() {
                    self.revision = self.revision.max(revision);
                }
            }
        }
    }

    /// The hub has ended.
    pub fn end(&mut self) {
        self.state = State::Ended;
        self.generation += 1;
    }

    /// What led here isn't known any more.
    fn forget(&mut self) {
        self.events.begin_anew(self.revision);
        self.generation += 1;
    }

    fn put(&mut self, version: Arc<Version>, is_listed: bool) {
        self.left_out.remove(&version.key);
        let before = self.objects.insert(version.key.clone(), Arc::clone(&version));
        if let Some(other) = before.as_ref().filter(|before| before.id() != version.id()) {
            self.keys.remove(&other.id());
        }
        self.keys.insert(version.id(), version.key.clone());
        self.note(version.revision, before, Some(version), is_listed);
    }

    fn delete(&mut self, row: RowId, revision: u64, is_listed: bool) {
        let Some(key) = self.keys.remove(&row) else { return };
        let Some(before) = self.objects.remove(&key) else { return };
        self.note(revision, Some(before), None, is_listed);
    }

    /// What becomes of it isn't known. So no reader is told that it is gone: each reader lists again, and the list says why
    /// the object isn't shown.
    fn leave_out(&mut self, key: Box<str>) {
        if let Some(before) = self.objects.remove(&key) {
            self.keys.remove(&before.id());
        }
        if self.left_out.len() < LEFT_OUT_MAX {
            self.left_out.insert(key);
        }
        if self.state == State::Loaded {
            self.forget();
        }
    }

    fn note(
        &mut self,
        revision: u64,
        before: Option<Arc<Version>>,
        after: Option<Arc<Version>>,
        is_listed: bool,
    ) {
        if self.state != State::Loaded {
            return;
        }
        self.revision = self.revision.max(revision);
        if is_listed {
            // A list showed it, and no event told what else happened meanwhile.
            self.forget();
            return;
        }
        self.events.push(revision, before, after);
    }

    /// Gives up its oldest events until the rest has so many bytes.
    pub fn fit(&mut self, bytes_max: usize) {
        self.events.fit(bytes_max);
    }

    fn loaded(&mut self, revision: Option<u64>) {
        let Some(revision) = revision else {
            self.state = State::Unordered;
            return;
        };
        if self.state == State::Loading {
            self.state = State::Loaded;
            self.revision = revision;
            self.forget();
        }
    }

    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.state == State::Loaded
    }

    /// Whether events of this kind can't be read from a resourceVersion.
    #[must_use]
    pub fn is_unordered(&self) -> bool {
        self.state == State::Unordered
    }

    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.events.bytes()
    }

    #[must_use]
    pub fn columns(&self) -> Arc<[Column]> {
        Arc::clone(&self.columns)
    }

    /// The key of an object that the selection may choose and that can't be shown: without it, the objects here aren't all.
    #[must_use]
    pub fn left_out(&self, selection: &Selection) -> Option<&str> {
        self.left_out.iter().map(|key| &**key).find(|key| selection.may_choose(key))
    }

    /// The objects in the order of their keys.
    pub fn objects(&self) -> impl Iterator<Item = &Arc<Version>> {
        self.objects.values()
    }

    /// Takes it as heard up to this revision, if a consistent list of that revision has just what is here. Whether it is
    /// heard up to there.
    pub fn confirm(&mut self, revision: u64, listed: &[Arc<Version>]) -> bool {
        if self.state != State::Loaded {
            return false;
        }
        if self.revision < revision {
            let is_same = self.objects.len() == listed.len()
                && listed.iter().all(|version| {
                    self.objects
                        .get(&version.key)
                        .is_some_and(|held| (held.id(), held.revision) == (version.id(), version.revision))
                });
            if is_same {
                self.revision = revision;
            }
        }
        self.revision >= revision
    }

    /// A reader that has all up to here.
    #[must_use]
    pub fn now(&self) -> Position {
        Position { generation: self.generation, revision: self.revision }
    }

    /// A reader that has all up to a revision, which may be one of the future.
    ///
    /// # Errors
    /// Not all that followed is known.
    pub fn after(&self, revision: u64) -> Result<Position, Stop> {
        if self.state != State::Loaded || revision < self.events.horizon() {
            return Err(Stop::Expired { horizon: self.events.horizon() });
        }
        Ok(Position { generation: self.generation, revision })
    }

    /// The next events of a reader, at most so many, and where it stands then.
    ///
    /// # Errors
    /// It has fallen behind, or there was a gap.
    pub fn next(&self, from: Position, max: usize) -> Result<(Vec<Arc<Event>>, Position), Stop> {
        if self.redefined.is_some_and(|redefined| from.generation < redefined) {
            return Err(Stop::Redefined);
        }
        if from.generation != self.generation || from.revision < self.events.horizon() {
            return Err(Stop::Expired { horizon: self.events.horizon() });
        }
        let (events, is_rest) = self.events.after(from.revision, max);
        let last = events.last().map_or(from.revision, |event| event.revision);
        // What is heard up to a revision has no more events before it.
        let revision = if is_rest { last.max(self.revision).max(from.revision) } else { last };
        Ok((events, Position { revision, ..from }))
    }
}

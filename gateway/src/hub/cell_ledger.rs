//! The bytes of custom cells of all hubs: what each person is shown, and all together. A set of columns is counted as
//! one of its viewers', as long as that one has room the same, and after its last viewer as theirs, until its hub
//! forgets it. Pure: the registry tells who views what, and the hubs tell the bytes.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use shared::problem::{Problem, Reason};

use super::columns::{ColumnsAsked, mebibytes};
use crate::access::Identity;
use crate::feed::FeedKey;
use crate::limits::{CUSTOM_IDENTITY_BYTES_MAX, CUSTOM_SETS_MAX, CUSTOM_TOTAL_BYTES_MAX};

/// What the cells of one person, and all cells together, may take.
#[derive(Clone, Copy)]
pub(super) struct CellBounds {
    pub(super) of_identity: usize,
    pub(super) total: usize,
}

impl Default for CellBounds {
    fn default() -> Self {
        Self { of_identity: CUSTOM_IDENTITY_BYTES_MAX, total: CUSTOM_TOTAL_BYTES_MAX }
    }
}

#[derive(Default)]
pub(super) struct CellLedger {
    bounds: CellBounds,
    feeds: HashMap<FeedKey, HashMap<ColumnsAsked, Held>>,
    /// Sets that were ended, with their bytes: a viewer without room for one is refused at once.
    ended: VecDeque<(FeedKey, ColumnsAsked, usize)>,
}

#[derive(Default)]
struct Held {
    bytes: usize,
    /// With the number of their subscriptions.
    viewers: HashMap<Identity, usize>,
    payer: Option<Identity>,
}

impl Held {
    /// The last viewer goes on paying.
    fn find_payer(&mut self) {
        let is_viewed = self.payer.as_ref().is_some_and(|payer| self.viewers.contains_key(payer));
        if !is_viewed && let Some(other) = self.viewers.keys().next() {
            self.payer = Some(other.clone());
        }
    }
}

impl CellLedger {
    /// A subscription of a viewer to a set.
    ///
    /// # Errors
    /// `Limit`: the set was ended before, and takes more than the viewer has room for. Nothing has changed then.
    pub(super) fn enter(
        &mut self,
        viewer: &Identity,
        (key, columns): (&FeedKey, Option<&ColumnsAsked>),
    ) -> Result<(), Problem> {
        let Some(columns) = columns else { return Ok(()) };
        let is_it = |(of, ended, _): &&(FeedKey, ColumnsAsked, usize)| of == key && ended == columns;
        let known = self.ended.iter().find(is_it).map_or(0, |(.., bytes)| *bytes);
        let held = self.feeds.get(key).and_then(|sets| sets.get(columns));
        let is_held = held.is_some_and(|held| held.bytes > 0);
        if known > 0 && !is_held {
            if self.bytes_of(viewer) + known > self.bounds.of_identity {
                return Err(self.too_much_of_one(known));
            }
            if self.total() + known > self.bounds.total {
                return Err(self.too_much_in_all(known));
            }
        }
        let held = self.feeds.entry(key.clone()).or_default().entry(columns.clone()).or_default();
        *held.viewers.entry(viewer.clone()).or_default() += 1;
        held.find_payer();
        Ok(())
    }

    pub(super) fn leave(&mut self, viewer: &Identity, (key, columns): (&FeedKey, Option<&ColumnsAsked>)) {
        let Some(columns) = columns else { return };
        let Some(sets) = self.feeds.get_mut(key) else { return };
        let Some(held) = sets.get_mut(columns) else { return };
        if let Some(count) = held.viewers.get_mut(viewer) {
            *count -= 1;
            if *count == 0 {
                held.viewers.remove(viewer);
            }
        }
        held.find_payer();
        // While there are bytes, its hub keeps the cells, and tells when it doesn't any more.
        if held.viewers.is_empty() && held.bytes == 0 {
            sets.remove(columns);
        }
        if self.feeds.get(key).is_some_and(HashMap::is_empty) {
            self.feeds.remove(key);
        }
    }

    /// The feed runs no more.
    pub(super) fn feed_ended(&mut self, key: &FeedKey) {
        self.feeds.remove(key);
    }

    pub(super) fn begin_anew(&mut self) {
        self.feeds.clear();
    }

    /// The bytes of all sets of a feed's hub. Returns the sets that must end, with what their viewers are told.
    pub(super) fn report(
        &mut self,
        key: &FeedKey,
        sizes: Vec<(ColumnsAsked, usize)>,
    ) -> Vec<(ColumnsAsked, Problem)> {
        let sets = self.feeds.entry(key.clone()).or_default();
        for held in sets.values_mut() {
            held.bytes = 0;
        }
        for (columns, bytes) in sizes {
            sets.entry(columns).or_default().bytes = bytes;
        }
        sets.retain(|_, held| held.bytes > 0 || !held.viewers.is_empty());
        let mut ended = Vec::new();
        while let Some(person) = self.person_without_room(key) {
            if self.pass_on(key, &person) {
                continue;
            }
            let is_theirs = |held: &Held| held.payer.as_ref() == Some(&person);
            let Some((columns, bytes)) = self.end_largest(key, is_theirs) else { break };
            ended.push((columns, self.too_much_of_one(bytes)));
        }
        while self.total() > self.bounds.total {
            let Some((columns, bytes)) = self.end_largest(key, |_| true) else { break };
            ended.push((columns, self.too_much_in_all(bytes)));
        }
        if self.feeds.get(key).is_some_and(HashMap::is_empty) {
            self.feeds.remove(key);
        }
        ended
    }

    /// A person who pays for sets of this feed and has no room for all of theirs.
    fn person_without_room(&self, key: &FeedKey) -> Option<Identity> {
        let paying = self.feeds.get(key)?.values().filter(|held| held.bytes > 0);
        let mut payers = paying.filter_map(|held| held.payer.as_ref());
        payers.find(|payer| self.bytes_of(payer) > self.bounds.of_identity).cloned()
    }

    /// Counts one set of a person as another viewer's who has room for it. Whether there was one.
    fn pass_on(&mut self, key: &FeedKey, person: &Identity) -> bool {
        let theirs = self.feeds.get(key).into_iter().flatten();
        let theirs = theirs.filter(|(_, held)| held.bytes > 0 && held.payer.as_ref() == Some(person));
        let found = theirs.into_iter().find_map(|(columns, held)| {
            let has_room = |other: &&Identity| {
                *other != person && self.bytes_of(other) + held.bytes <= self.bounds.of_identity
            };
            Some((columns.clone(), held.viewers.keys().find(has_room)?.clone()))
        });
        let Some((columns, other)) = found else { return false };
        if let Some(held) = self.feeds.get_mut(key).and_then(|sets| sets.get_mut(&columns)) {
            held.payer = Some(other);
        }
        true
    }

    /// First one without viewers. With its bytes.
    fn end_largest(
        &mut self,
        key: &FeedKey,
        may_end: impl Fn(&Held) -> bool,
    ) -> Option<(ColumnsAsked, usize)> {
        let sets = self.feeds.get_mut(key)?;
        let candidates = sets.iter().filter(|(_, held)| held.bytes > 0 && may_end(held));
        let largest = candidates.max_by_key(|(_, held)| (Reverse(held.viewers.len().min(1)), held.bytes));
        let columns = largest.map(|(columns, _)| columns.clone())?;
        let held = sets.get_mut(&columns)?;
        let bytes = std::mem::take(&mut held.bytes);
        // Subscriptions that are told so are counted until they leave.
        if held.viewers.is_empty() {
            sets.remove(&columns);
        }
        self.ended.retain(|(of, known, _)| of != key || *known != columns);
        if self.ended.len() >= CUSTOM_SETS_MAX {
            self.ended.pop_front();
        }
        self.ended.push_back((key.clone(), columns.clone(), bytes));
        Some((columns, bytes))
    }

    fn bytes_of(&self, person: &Identity) -> usize {
        let sets = self.feeds.values().flat_map(HashMap::values);
        sets.filter(|held| held.payer.as_ref() == Some(person)).map(|held| held.bytes).sum()
    }

    fn total(&self) -> usize {
        self.feeds.values().flat_map(HashMap::values).map(|held| held.bytes).sum()
    }

    /// The message names no person, because other viewers of these columns hear it, too.
    fn too_much_of_one(&self, bytes: usize) -> Problem {
        let message = format!(
            "the cells of these columns take {}, and all columns that one person is shown may take {} together; ask for fewer or shorter values, or close a view",
            mebibytes(bytes),
            mebibytes(self.bounds.of_identity)
        );
        Problem::new(Reason::Limit, message)
    }

    fn too_much_in_all(&self, bytes: usize) -> Problem {
        let message = format!(
            "the cells of these columns take {}, and all columns that this gateway shows take {} together, the most that they may; ask for fewer or shorter values, or again later",
            mebibytes(bytes),
            mebibytes(self.bounds.total)
        );
        Problem::new(Reason::Limit, message)
    }
}

#[cfg(test)]
mod tests;

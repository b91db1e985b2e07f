//! Which version of each object was told from the record, until the live view has told the same or a later one.

use std::cmp::Ordering;
use std::collections::HashMap;

use shared::frame::server::{Changed, Place};
use shared::frame::timeline::EntryType;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;

#[derive(Debug, Default)]
pub struct Told(HashMap<RowId, ToldRow>);

/// The last that was told of an object.
#[derive(Debug)]
struct ToldRow {
    version: ResourceVersion,
    place: Place,
    is_there: bool,
}

impl Told {
    /// `false`: this version of the object, or a later one, was told before.
    pub(super) fn tell(&mut self, changed: &Changed) -> bool {
        let is_there = changed.kind != EntryType::Deleted;
        let told = self.0.get(&changed.row);
        if told.is_some_and(|told| told.is_there == is_there && told.has(&changed.resource_version)) {
            return false;
        }
        let place = (changed.namespace.clone(), changed.name.clone());
        let version = changed.resource_version.clone();
        self.0.insert(changed.row, ToldRow { version, place, is_there });
        true
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it was told that the object is there.
    #[must_use]
    pub fn is_there(&self, row: RowId) -> bool {
        self.0.get(&row).is_some_and(|told| told.is_there)
    }

    /// Takes a row of the live view. `false`: the record told this version or a later one, so the row is left out.
    pub fn put(&mut self, row: RowId, version: &ResourceVersion) -> bool {
        let is_new = self.0.get(&row).is_none_or(|told| !told.has(version));
        if is_new {
            self.0.remove(&row);
        }
        is_new
    }

    /// Takes the end of a row of the live view. `false`: the record told it.
    pub fn remove(&mut self, row: RowId) -> bool {
        self.0.remove(&row).is_none_or(|told| told.is_there)
    }

    /// The live view has exact rows now, those that `holds` knows, as of this version and in the namespaces that `within`
    /// knows. Returns what isn't there any more although the record told it. What the record told of later versions comes.
    pub fn settle(
        &mut self,
        version: &ResourceVersion,
        within: impl Fn(Option<&str>) -> bool,
        holds: impl Fn(RowId) -> bool,
    ) -> Vec<(RowId, Place)> {
        let is_settled = |told: &ToldRow| {
            within(told.place.0.as_deref()) && told.version.compare(version) != Some(Ordering::Greater)
        };
        let settled: Vec<RowId> =
            self.0.iter().filter(|(_, told)| is_settled(told)).map(|(row, _)| *row).collect();
        let settled = settled.into_iter().filter_map(|row| Some((row, self.0.remove(&row)?)));
        let gone = settled.filter(|(row, told)| told.is_there && !holds(*row));
        let mut gone: Vec<_> = gone.map(|(row, told)| (row, told.place)).collect();
        gone.sort_unstable_by(|one, other| one.1.cmp(&other.1));
        gone
    }
}

impl ToldRow {
    /// Versions that can't be compared are told twice rather than never.
    fn has(&self, version: &ResourceVersion) -> bool {
        matches!(version.compare(&self.version), Some(Ordering::Less | Ordering::Equal))
    }
}

//! A list of a kind that is told after its record had ended. Its feed may begin before the record's end, because a viewer
//! stood there: then what it tells first is recorded already, and mustn't be taken for changes.

use std::collections::{BTreeMap, HashMap, HashSet};

use shared::past::Why;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;

use crate::kind_state::Known;
use crate::version::Version;

/// What a list has told, until the record goes on after it.
#[derive(Default)]
pub(crate) struct OpenList {
    /// The objects that were there, and those that came since while the list is behind.
    pub(crate) rows: HashSet<RowId>,
    /// Versions of before the record's end that it doesn't end with.
    pub(crate) earlier: BTreeMap<RowId, Version>,
    pub(crate) behind: Option<Behind>,
    /// An earlier list broke off, and told some of the objects: this list tells what has changed since then.
    pub(crate) goes_on: bool,
}

/// The list is complete, and older than the record's end. What follows is what happened until there, once more.
pub(crate) struct Behind {
    /// Why nothing was recorded since the end, if what follows shows another history.
    pub(crate) why: Why,
    /// The version of the list, or of the last change after it.
    pub(crate) at: ResourceVersion,
    /// How often the feed was proven since then without a change.
    pub(crate) proofs: u32,
    /// The feed listed again before it came to the record's end, so what happened in between isn't told.
    pub(crate) is_listed_again: bool,
}

impl Behind {
    pub(crate) fn list(at: ResourceVersion, why: Why) -> Self {
        Self { why, at, proofs: 0, is_listed_again: false }
    }
}

/// A proof says that the watch is open, and its next event may be on its way. After so many nothing is on its way.
const PROOFS_MIN: u32 = 3;

impl OpenList {
    /// Whether the cluster has another history than the record, as after a restore of its etcd.
    pub(crate) fn contradicts(&self, known: &HashMap<RowId, Known>) -> bool {
        let is_other = |(row, version): (&RowId, &Version)| {
            known
                .get(row)
                .is_none_or(|known| version.row.resource_version.is_older_than(&known.resource_version))
        };
        self.earlier.iter().any(is_other) || known.keys().any(|row| !self.rows.contains(row))
    }

    /// An object was there. `other`: its version, if that isn't the one that is recorded.
    pub(crate) fn had(&mut self, row: RowId, other: Option<Version>) {
        self.rows.insert(row);
        match other {
            Some(version) => drop(self.earlier.insert(row, version)),
            None => drop(self.earlier.remove(&row)),
        }
    }

    /// An object went, before the record's end.
    pub(crate) fn lost(&mut self, row: RowId) {
        self.rows.remove(&row);
        self.earlier.remove(&row);
    }

    /// Something happened, before the record's end.
    pub(crate) fn moved(&mut self, to: &ResourceVersion) {
        if let Some(behind) = &mut self.behind {
            behind.proofs = 0;
            // A list tells its objects in no order of time.
            if !to.is_older_than(&behind.at) {
                behind.at = to.clone();
            }
        }
    }

    /// The feed was proven. Whether the cluster itself is as the list and what followed it, before the record's end.
    pub(crate) fn proven(&mut self) -> bool {
        self.behind.as_mut().is_some_and(|behind| {
            behind.proofs += 1;
            behind.proofs >= PROOFS_MIN
        })
    }
}

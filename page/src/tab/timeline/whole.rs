//! Recorded versions of the object, asked for whole when they are compared. The entries of the record say what changed, but
//! not always all of it.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use shared::frame::client::{PastAsked, SubscriptionId};
use shared::frame::server::RecordedVersion;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::scope::Scope;
use shared::state::UnixMillis;

use crate::table_view::Client;

/// The versions of one object that came whole, and those that are wanted.
#[derive(Default)]
pub(super) struct WholeVersions {
    versions: VecDeque<(ResourceVersion, Whole)>,
}

enum Whole {
    Wanted,
    Asked(SubscriptionId),
    /// When the gateway heard of it, by its clock.
    Here(UnixMillis, Arc<Value>),
    /// The gateway hasn't it.
    Missing,
}

/// Two are compared; the others are kept for a reader who goes through them.
const VERSIONS_MAX: usize = 12;

impl WholeVersions {
    /// The version is picked and isn't known otherwise.
    pub(super) fn want(&mut self, version: &ResourceVersion) {
        if self.versions.iter().any(|(held, _)| held == version) {
            return;
        }
        if self.versions.len() >= VERSIONS_MAX {
            self.versions.pop_front();
        }
        self.versions.push_back((version.clone(), Whole::Wanted));
    }

    pub(super) fn has_wishes(&self) -> bool {
        self.versions.iter().any(|(_, whole)| matches!(whole, Whole::Wanted))
    }

    pub(super) fn ask(&mut self, (row, scope): (RowId, &Scope), client: &mut Client) {
        for (version, whole) in &mut self.versions {
            if matches!(whole, Whole::Wanted) {
                let asked = PastAsked::Version { row, resource_version: version.clone() };
                if let Some(id) = client.ask_past(scope.clone(), asked) {
                    *whole = Whole::Asked(id);
                }
            }
        }
    }

    fn asked(&mut self, id: SubscriptionId) -> Option<&mut Whole> {
        let of = self.versions.iter_mut().map(|(_, whole)| whole);
        of.into_iter().find(|whole| matches!(whole, Whole::Asked(asked) if *asked == id))
    }

    pub(super) fn waits_for(&self, id: SubscriptionId) -> bool {
        self.versions.iter().any(|(_, whole)| matches!(whole, Whole::Asked(asked) if *asked == id))
    }

    /// `None`: the answer can't be read.
    pub(super) fn came(&mut self, id: SubscriptionId, version: Option<RecordedVersion>) {
        if let Some(whole) = self.asked(id) {
            *whole = version
                .map_or(Whole::Missing, |version| Whole::Here(version.time_ms, Arc::new(version.object)));
        }
    }

    pub(super) fn failed(&mut self, id: SubscriptionId, problem: &Problem) {
        if let Some(whole) = self.asked(id) {
            // The next connection is asked again.
            let is_cut = problem.reason == Reason::ConnectionClosed;
            *whole = if is_cut { Whole::Wanted } else { Whole::Missing };
        }
    }

    fn of(&self, version: &ResourceVersion) -> Option<&Whole> {
        self.versions.iter().find(|(held, _)| held == version).map(|(_, whole)| whole)
    }

    pub(super) fn value(&self, version: &ResourceVersion) -> Option<Arc<Value>> {
        match self.of(version)? {
            Whole::Here(_, value) => Some(Arc::clone(value)),
            _ => None,
        }
    }

    pub(super) fn heard_ms(&self, version: &ResourceVersion) -> Option<UnixMillis> {
        match self.of(version)? {
            Whole::Here(time_ms, _) => Some(*time_ms),
            _ => None,
        }
    }

    /// The gateway is asked for it.
    pub(super) fn is_awaited(&self, version: &ResourceVersion) -> bool {
        matches!(self.of(version), Some(Whole::Wanted | Whole::Asked(_)))
    }
}

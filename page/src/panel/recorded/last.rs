//! The last recorded version of the object that had the panel's name last, asked for where there is no such object, or
//! where it is looked at as of a time: it may be deleted since.

use std::sync::Arc;

use serde_json::Value;
use shared::frame::client::{PastAsked, SubscriptionId};
use shared::frame::server::RecordedVersion;
use shared::row::RowId;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::records;
use crate::table_view::Client;

#[derive(Default)]
pub(crate) struct LastVersion(State);

#[derive(Default)]
enum State {
    #[default]
    Unknown,
    Asked(SubscriptionId),
    /// Nothing of the name is recorded.
    Nothing,
    Known(Last),
}

/// The last version, and what is known of the object's end.
pub(crate) struct Last {
    pub(crate) row: RowId,
    /// By the gateway's clock, as the end.
    pub(crate) time_ms: UnixMillis,
    pub(crate) deleted_ms: Option<UnixMillis>,
    /// A list showed the deletion, some time after it happened.
    pub(crate) relisted: bool,
    pub(crate) object: Arc<Value>,
}

impl LastVersion {
    /// Asks once. `scope`: of the name alone.
    pub(crate) fn follow(&mut self, scope: Scope, client: &mut Client) {
        if matches!(self.0, State::Unknown)
            && records(client)
            && let Some(id) = client.ask_past(scope, PastAsked::Last)
        {
            self.0 = State::Asked(id);
        }
    }

    /// The object is there, so that its end is another one when it comes.
    pub(crate) fn forget(&mut self) {
        if matches!(self.0, State::Known(_) | State::Nothing) {
            self.0 = State::Unknown;
        }
    }

    /// The last version, if it is what a panel shows.
    pub(crate) fn shown_as(&self, value: Option<&Arc<Value>>) -> Option<&Last> {
        self.known().filter(|last| value.is_some_and(|value| Arc::ptr_eq(&last.object, value)))
    }

    /// What is shown as of a time in place of an object that isn't there; `None`: now.
    pub(crate) fn instead(&self, at_ms: Option<UnixMillis>) -> Option<Arc<Value>> {
        let was_there = |last: &&Last| {
            at_ms.is_none_or(|at_ms| last.deleted_ms.is_some_and(|deleted_ms| deleted_ms <= at_ms))
        };
        self.known().filter(was_there).map(|last| Arc::clone(&last.object))
    }

    /// When the object of this row was deleted, if that was after a time.
    pub(crate) fn deleted_after(&self, at_ms: UnixMillis, row: RowId) -> Option<UnixMillis> {
        let last = self.known().filter(|last| last.row == row)?;
        last.deleted_ms.filter(|deleted_ms| *deleted_ms > at_ms)
    }

    /// `None`: nothing is known.
    fn known(&self) -> Option<&Last> {
        match &self.0 {
            State::Known(last) => Some(last),
            _ => None,
        }
    }

    pub(super) fn waits_for(&self, id: SubscriptionId) -> bool {
        matches!(self.0, State::Asked(asked) if asked == id)
    }

    pub(super) fn came(&mut self, version: RecordedVersion) {
        let RecordedVersion { row, time_ms, deleted_ms, relisted, object } = version;
        self.0 = State::Known(Last { row, time_ms, deleted_ms, relisted, object: Arc::new(object) });
    }

    pub(super) fn failed(&mut self, id: SubscriptionId, is_cut: bool) {
        if self.waits_for(id) {
            self.0 = if is_cut { State::Unknown } else { State::Nothing };
        }
    }
}

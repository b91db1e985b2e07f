//! The outputs of the feed, applied in their order. Subscribers are told by the tick, not here.

use std::sync::Arc;

use shared::digest;
use shared::frame::timeline::{Entry, EntryType};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

use super::timeline::SeenBy;
use super::{Hub, Listing, Restart};
use crate::feed::{Change, FeedOutput, LeftOut, Object};
use crate::hub::columns::Columns;
use crate::hub::host::Host;
use crate::hub::labels::Labels;
use crate::hub::store::Stored;
use crate::hub::subscriber::{PendingNotices, StatusNotice};
use crate::hub::view::Previous;
use crate::limits::LEFT_OUT_MAX;

impl<H: Host> Hub<H> {
    /// One output of the feed, in its order.
    pub fn apply(&mut self, output: FeedOutput) {
        match output {
            FeedOutput::Change(change) => self.change(change),
            FeedOutput::State(report) => {
                if report.state.is_current() {
                    // The rows that came before go out with it.
                    self.tick();
                }
                self.report = report;
                self.notify_all(PendingNotices::add_state);
            }
            FeedOutput::Proof(proof) => {
                self.proof = Some(proof);
                self.mark_sync_due();
            }
        }
    }

    fn change(&mut self, change: Change) {
        if !self.is_dirty() {
            self.head_version.clone_from(&self.resource_version);
        }
        match change {
            Change::Columns(list) => self.set_columns(Columns::new(list)),
            Change::Rewound => {
                self.restart.get_or_insert(Restart { columns: None });
            }
            Change::ListStart => self.list_start(),
            Change::Listed(object) => self.arrived(object),
            Change::ListEnd { resource_version, gap } => self.list_end(resource_version, gap),
            Change::ListAborted => self.listing = Listing::None,
            Change::Put(object) => {
                let version = object.row.resource_version.clone();
                self.arrived(object);
                self.advance(version);
            }
            Change::Delete { id, resource_version } => match &mut self.listing {
                // Neither the changes nor the version of this list are told before its end.
                Listing::Aside(aside) => drop(aside.remove(&id)),
                Listing::None | Listing::Shown => {
                    self.remove(id, &resource_version, &SeenBy::Event { managed: &[] });
                    self.advance(resource_version);
                }
            },
            Change::Bookmark(resource_version) => {
                let entry = Entry::of(EntryType::Bookmark, self.now_ms);
                self.log_for_all(&Entry { resource_version: Some(resource_version.clone()), ..entry });
                self.advance(resource_version);
            }
            Change::Error(problem) => {
                let entry = Entry::of(EntryType::Error, self.now_ms);
                self.log_for_all(&Entry { problem: Some(problem), ..entry });
            }
            Change::LeftOut(LeftOut { object, problem }) => {
                self.remove_outdated(&object);
                self.leave_out(object, problem);
            }
        }
    }

    /// If an object can no longer be shown, remove its row. In a list that is put aside, its end does so.
    fn remove_outdated(&mut self, object: &str) {
        if matches!(self.listing, Listing::Aside(_)) {
            return;
        }
        let found = self.store.iter().find(|(_, stored)| stored.row.order_key() == object);
        if let Some(id) = found.map(|(id, _)| id) {
            let version = self.resource_version.clone();
            self.remove(id, &version, &SeenBy::Event { managed: &[] });
        }
    }

    fn set_columns(&mut self, columns: Columns) {
        if columns.hash == self.columns.hash {
            // The former columns are back, so no new epoch is needed for them.
            if self.restart.as_ref().is_some_and(|restart| restart.columns.is_some()) {
                self.restart = None;
            }
        } else if self.columns.hash.is_empty() {
            self.columns = columns;
            self.notify_all(|pending| pending.status = StatusNotice::Subscribed);
        } else {
            self.restart = Some(Restart { columns: Some(columns) });
        }
    }

    fn advance(&mut self, version: ResourceVersion) {
        if !version.is_empty() && !version.is_older_than(&self.resource_version) {
            self.resource_version = version;
        }
    }

    pub(super) fn stored(&mut self, object: Object) -> Stored {
        Stored {
            hash: digest::row_hash(&object.row),
            labels: Labels::pack(&object.labels),
            body: self.bodies.pack(&object.body),
            masks: object.masks,
            custom: self.custom.print(&object.row, &object.body),
            row: Arc::new(object.row),
        }
    }

    /// Whether the hub has this state of the object, or a younger one. An answer may be older than what the
    /// watch sent meanwhile, and a subscriber never goes back.
    pub(super) fn is_known(&self, row: &Row) -> bool {
        self.store.get(row.id).is_some_and(|known| {
            row.resource_version == known.row.resource_version
                || row.resource_version.is_older_than(&known.row.resource_version)
        })
    }

    /// Whether two uids have the same 60 bits. It is not expected in a lifetime, but it must be reported.
    pub(super) fn collides(&self, row: &Row) -> bool {
        let is_other = |known: &Row| known.namespace != row.namespace || known.name != row.name;
        self.store.get(row.id).is_some_and(|known| is_other(&known.row))
    }

    pub(super) fn put(&mut self, id: RowId, stored: Stored, seen_by: &SeenBy<'_>) {
        self.next_sequence();
        if !self.custom.is_complete(&stored.custom, &stored.row) {
            // Other columns were asked for while the list was put aside.
            self.unread.push(id);
            self.wait_for_unread(&stored.custom, &stored.row);
        }
        // A log begins after the first list.
        let logged = (self.is_loaded && self.has_logs()).then(|| stored.clone());
        let before = self.store.put(id, stored, self.sequence, self.is_loaded.then_some(self.now_ms));
        if let Some(now) = logged {
            let version = now.row.resource_version.clone();
            self.log_change(before.as_ref(), Some(&now), &version, seen_by);
        }
        self.remember(id, before.as_ref());
        self.touch(id, before);
    }

    pub(super) fn remove(&mut self, id: RowId, version: &ResourceVersion, seen_by: &SeenBy<'_>) {
        if self.store.get(id).is_none() {
            return;
        }
        self.next_sequence();
        let before = self.store.delete::<H>(id, self.sequence);
        if self.is_loaded {
            self.log_change(before.as_ref(), None, version, seen_by);
        }
        self.remember(id, before.as_ref());
        self.touch(id, before);
    }

    /// Before the first list is complete, no viewer can have stood at a position of this hub.
    fn remember(&mut self, id: RowId, before: Option<&Stored>) {
        if self.is_loaded {
            self.history.changed(self.sequence, id, before);
        }
    }

    fn touch(&mut self, id: RowId, before: Option<Stored>) {
        self.touched.entry(id).or_insert_with(|| before.map(Previous::from));
    }

    pub(super) fn leave_out(&mut self, object: Box<str>, problem: Problem) {
        self.left_out.retain(|(known, _)| *known != object);
        if self.left_out.len() >= LEFT_OUT_MAX {
            self.left_out.pop_front();
        }
        self.left_out.push_back((object, problem));
        self.notify_all(PendingNotices::add_state);
    }
}

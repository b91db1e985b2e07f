//! A list in the hub. The first is shown as it comes; a later one is put aside and compared, so that a
//! relist resets no subscriber. Only other columns, or versions that went back, begin a new epoch.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use shared::frame::server::Gap;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

use super::timeline::SeenBy;
use super::{Hub, Listing, Restart};
use crate::feed::Object;
use crate::hub::bodies::Bodies;
use crate::hub::host::Host;
use crate::hub::store::{Store, Stored};
use crate::limits::GAPS_MAX;

impl<H: Host> Hub<H> {
    pub(super) fn list_start(&mut self) {
        let nothing_yet = !self.is_loaded && self.store.len() == 0 && self.restart.is_none();
        self.listing = if nothing_yet { Listing::Shown } else { Listing::Aside(BTreeMap::new()) };
        // This list names the objects that can't be shown again.
        self.left_out_before = !self.left_out.is_empty();
        self.left_out.clear();
    }

    pub(super) fn arrived(&mut self, object: Object) {
        let id = object.row.id;
        if self.restart.is_none() && self.collides(&object.row) {
            let problem = Problem::new(Reason::Conflict, "its row id is another object's");
            return self.leave_out(object.row.order_key().into(), problem);
        }
        if self.restart.is_none() && self.is_contradicted(&object.row) {
            self.restart = Some(Restart { columns: None });
        }
        let managed = object.managed.clone();
        // Before a new epoch nothing that is held can be compared.
        let stored = if self.restart.is_none() && self.is_known(&object.row) {
            None
        } else {
            Some(self.stored(object))
        };
        match (&mut self.listing, stored) {
            (Listing::Aside(aside), stored) => drop(aside.insert(id, stored)),
            (Listing::None | Listing::Shown, Some(stored)) => {
                self.put(id, stored, &SeenBy::Event { managed: &managed.0 });
            }
            (Listing::None | Listing::Shown, None) => {}
        }
    }

    /// Whether the object shows that resourceVersions went back and have passed ours since: a list is of
    /// the present, so it can't contain an object that is older than here, or an old one that isn't here.
    fn is_contradicted(&self, row: &Row) -> bool {
        if !matches!(self.listing, Listing::Aside(_)) {
            return false;
        }
        let version = &row.resource_version;
        match self.store.get(row.id) {
            Some(known) => version.is_older_than(&known.row.resource_version),
            None if self.is_loaded => {
                !self.left_out_before
                    && matches!(
                        version.compare(&self.resource_version),
                        Some(Ordering::Less | Ordering::Equal)
                    )
            }
            // Before the first list is complete, its objects' versions tell nothing; but a deleted object
            // doesn't come back.
            None => self.store.may_have_deleted(row.id),
        }
    }

    pub(super) fn list_end(&mut self, resource_version: ResourceVersion, gap: Option<Gap>) {
        match (std::mem::replace(&mut self.listing, Listing::None), self.restart.take()) {
            (Listing::Aside(aside), Some(restart)) => {
                self.log_gap(gap.as_ref());
                self.log_new_epoch(&aside);
                self.begin_anew(aside, restart);
            }
            (Listing::Aside(aside), None) => self.compare(aside, gap.as_ref(), &resource_version),
            // Other columns came within the first list, so its rows have them already.
            (Listing::Shown | Listing::None, restart) => self.restart = restart,
        }
        self.resource_version = resource_version;
        self.is_loaded = true;
        // The cut takes a number of its own, so that an empty list ends in a frame as well.
        self.next_sequence();
        if let Some(gap) = gap {
            self.counts.gaps += 1;
            if self.gaps.len() >= GAPS_MAX {
                self.gaps.pop_front();
            }
            self.gaps.push_back((self.sequence, gap));
        }
        self.pack_again();
    }

    /// Packs the objects again that came before there was a dictionary.
    fn pack_again(&mut self) {
        let Self { store, bodies, .. } = self;
        for stored in store.iter_mut() {
            if bodies.is_outdated(&stored.body)
                && let Some(json) = stored.body.unpack()
            {
                stored.body = bodies.pack(&json);
            }
        }
    }

    fn compare(
        &mut self,
        aside: BTreeMap<RowId, Option<Stored>>,
        gap: Option<&Gap>,
        resource_version: &ResourceVersion,
    ) {
        let gone: Vec<_> = self.store.iter().map(|(id, _)| id).filter(|id| !aside.contains_key(id)).collect();
        if gap.is_some() || !gone.is_empty() || aside.values().any(Option::is_some) {
            self.log_gap(gap);
        }
        for id in gone {
            self.remove(id, resource_version, &SeenBy::List);
        }
        for (id, stored) in aside {
            if let Some(stored) = stored {
                self.put(id, stored, &SeenBy::List);
            }
        }
    }

    /// Logs what differs from the former epoch: rows begin anew, logs go on.
    fn log_new_epoch(&mut self, aside: &BTreeMap<RowId, Option<Stored>>) {
        if !self.has_logs() {
            return;
        }
        let gone: Vec<Stored> = self
            .store
            .iter()
            .filter(|(id, _)| !aside.contains_key(id))
            .map(|(_, stored)| stored.clone())
            .collect();
        for stored in &gone {
            self.log_change(Some(stored), None, &ResourceVersion::default(), &SeenBy::List);
        }
        for (id, stored) in aside {
            let before = self.store.get(*id).cloned();
            if let Some(stored) = stored
                && before
                    .as_ref()
                    .is_none_or(|before| before.row.resource_version != stored.row.resource_version)
            {
                let version = stored.row.resource_version.clone();
                self.log_change(before.as_ref(), Some(stored), &version, &SeenBy::List);
            }
        }
    }

    /// Begins a new epoch: every subscriber's next frame replaces all that it has.
    fn begin_anew(&mut self, aside: BTreeMap<RowId, Option<Stored>>, restart: Restart) {
        self.epoch.next();
        if let Some(columns) = restart.columns {
            self.columns = columns;
            self.bodies = Bodies::new();
        }
        let former = std::mem::replace(&mut self.store, Store::with_budget(self.bounds.tombstones));
        self.gaps.clear();
        self.touched.clear();
        self.history.forget();
        self.sequence = 0;
        for (id, stored) in aside {
            // `None`: the object is as it was.
            if let Some(stored) = stored.or_else(|| former.get(id).cloned()) {
                self.next_sequence();
                self.store.put(id, stored, self.sequence, None);
            }
        }
        self.head = self.sequence;
        for view in self.views.values_mut() {
            view.is_waiting = false;
            view.recount(&self.store, self.head);
        }
        self.look_for_unread();
        for subscriber in self.subscribers.values_mut() {
            subscriber.begin_anew(self.head);
        }
    }
}

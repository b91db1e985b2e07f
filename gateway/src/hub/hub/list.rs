//! A list in the hub: the first is shown as it comes, a later one is put aside and compared, so that
//! a relist never resets anybody and nothing flickers.

use std::collections::HashMap;

use shared::frame::server::Gap;
use shared::resource_version::ResourceVersion;

use super::{GAPS_MAX, Hub, Listing, Restart};
use crate::feed::Object;
use crate::hub::bodies::Bodies;
use crate::hub::store::Store;

impl Hub {
    pub(super) fn list_start(&mut self) {
        let nothing_yet = !self.synced && self.store.len() == 0 && self.restart.is_none();
        self.listing = if nothing_yet { Listing::Shown } else { Listing::Aside(HashMap::new()) };
    }

    pub(super) fn listed(&mut self, object: Object) {
        let id = object.row.id;
        let stored = self.stored(object);
        match &mut self.listing {
            Listing::Aside(aside) => drop(aside.insert(id, stored)),
            Listing::None | Listing::Shown => self.put(id, stored),
        }
    }

    pub(super) fn list_end(&mut self, resource_version: ResourceVersion, gap: Option<Gap>) {
        match (std::mem::replace(&mut self.listing, Listing::None), self.restart.take()) {
            (Listing::Aside(aside), Some(restart)) => self.begin_anew(aside, restart),
            (Listing::Aside(aside), None) => self.compare(aside),
            // Other columns came within the first list itself: what is shown has them already.
            (Listing::Shown | Listing::None, restart) => self.restart = restart,
        }
        self.resource_version = resource_version;
        self.synced = true;
        self.left_out.clear();
        // The cut itself is a step, so that an empty list ends in a frame as well.
        self.sequence += 1;
        if let Some(gap) = gap {
            if self.gaps.len() >= GAPS_MAX {
                self.gaps.pop_front();
            }
            self.gaps.push_back((self.sequence, gap));
        }
        self.pack_again();
    }

    /// Objects that came before there was a dictionary are written again, once.
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

    fn compare(&mut self, aside: HashMap<super::RowId, super::Stored>) {
        let gone: Vec<_> = self.store.iter().map(|(id, _)| id).filter(|id| !aside.contains_key(id)).collect();
        for id in gone {
            self.remove(id);
        }
        for (id, stored) in aside {
            self.put(id, stored);
        }
    }

    /// A new epoch: every subscriber's next frame replaces all that it has.
    fn begin_anew(&mut self, aside: HashMap<super::RowId, super::Stored>, restart: Restart) {
        self.incarnation.next();
        if let Some(columns) = restart.columns {
            self.columns = columns;
            self.bodies = Bodies::new();
        }
        self.store = Store::default();
        self.gaps.clear();
        self.touched.clear();
        self.sequence = 0;
        for (id, stored) in aside {
            self.sequence += 1;
            self.store.put(id, stored, self.sequence);
        }
        self.head = self.sequence;
        for view in self.views.values_mut() {
            view.recount(&self.store);
        }
        for (subscriber, _) in self.subscribers.values_mut() {
            subscriber.cursor = 0;
            subscriber.start = self.head;
            subscriber.reset = true;
            subscriber.at_cut = false;
            subscriber.owed.subscribed = true;
        }
    }
}

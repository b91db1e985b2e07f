//! A hub, and beside it a map of what the cluster holds. What the map says is right.

use std::collections::BTreeMap;
use std::sync::Arc;

use replica::testing::column;
use serde_json::json;
use shared::cell::Cell;
use shared::frame::server::Gap;
use shared::health::{Health, HealthClass};
use shared::row::{Extra, Row, RowId};
use shared::state::{StateReport, ViewState};

use crate::feed::labels::Labels;
use crate::feed::{Change, FeedOutput, Object, Proof};
use crate::hub::{Bounds, Hub};

/// The colour of what isn't fine.
pub(super) const AILING: &str = "ailing";

pub(super) struct World {
    pub(super) hub: Hub,
    pub(super) now_ms: i64,
    things: BTreeMap<String, Thing>,
    version: u64,
    bounds: Bounds,
    hubs: u64,
    views: u32,
}

#[derive(Clone)]
struct Thing {
    version: u64,
    colour: &'static str,
}

impl World {
    /// With a hub that knows the columns and nothing else.
    pub(super) fn new(bounds: Bounds) -> Self {
        let mut world = Self {
            hub: Hub::with_bounds("c", 0, bounds),
            now_ms: 1_000,
            things: BTreeMap::new(),
            version: 100,
            bounds,
            hubs: 1,
            views: 0,
        };
        world.say_columns();
        world
    }

    /// With a hub that has listed these.
    pub(super) fn listed(bounds: Bounds, names: &[&str]) -> Self {
        Self::new(bounds).listing(names)
    }

    /// The same, with positions above this one.
    pub(super) fn counting_from(base: u32, names: &[&str]) -> Self {
        let mut world = Self::new(Bounds::default());
        world.hub = world.hub.counting_from(base);
        world.listing(names)
    }

    fn listing(mut self, names: &[&str]) -> Self {
        names.iter().for_each(|name| self.change_unseen(name));
        self.relist();
        self.hub.tick();
        self
    }

    /// Another hub takes the place of this one, and lists what the cluster holds now.
    pub(super) fn restart(&mut self) {
        self.hub = Hub::with_bounds("c", self.hubs, self.bounds);
        self.hubs += 1;
        self.say_columns();
        self.relist();
    }

    fn say_columns(&mut self) {
        self.say(Change::Columns(Arc::new([column("Name"), column("Value")])));
    }

    pub(super) fn say(&mut self, change: Change) {
        self.hub.apply(FeedOutput::Change(change));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.things.contains_key(name)
    }

    pub(super) fn relist(&mut self) {
        self.list(None);
    }

    /// The watch broke, and a list shows what differs.
    pub(super) fn relist_after(&mut self, gap: Gap) {
        self.list(Some(gap));
    }

    fn list(&mut self, gap: Option<Gap>) {
        self.say(Change::ListStart);
        for name in self.things.keys().cloned().collect::<Vec<_>>() {
            let object = self.object(&name);
            self.say(Change::Listed(object));
        }
        self.say(Change::ListEnd { resource_version: self.version.to_string().as_str().into(), gap });
    }

    /// The state of the view, and a proof.
    pub(super) fn say_state(&mut self, state: ViewState) {
        self.hub.apply(FeedOutput::State(StateReport::of(state)));
        self.hub.apply(FeedOutput::Proof(Proof { at_ms: 5, cluster_ahead_ms: 0 }));
    }

    /// The cluster holds what it held at an earlier version; nothing says so.
    pub(super) fn restore(&mut self, version: u64, names: &[&str]) {
        self.version = version;
        self.things.clear();
        names.iter().for_each(|name| self.change_unseen(name));
        self.relist();
    }

    pub(super) fn put(&mut self, name: &str) {
        self.change_unseen(name);
        let object = self.object(name);
        self.say(Change::Put(object));
    }

    pub(super) fn paint(&mut self, name: &str, colour: &'static str) {
        self.change_unseen(name);
        self.things.get_mut(name).expect("it exists").colour = colour;
        let object = self.object(name);
        self.say(Change::Put(object));
    }

    pub(super) fn delete(&mut self, name: &str) {
        self.delete_unseen(name);
        let resource_version = self.version.to_string().as_str().into();
        self.say(Change::Delete { id: id(name), resource_version });
    }

    /// What the hub isn't told.
    pub(super) fn change_unseen(&mut self, name: &str) {
        self.version += 1;
        let thing = self.things.entry(name.to_owned()).or_insert(Thing { version: 0, colour: "" });
        thing.version = self.version;
    }

    pub(super) fn delete_unseen(&mut self, name: &str) {
        self.version += 1;
        self.things.remove(name);
    }

    /// A round of `sync`, this much later.
    pub(super) fn sync_after(&mut self, wait_ms: i64) {
        self.now_ms += wait_ms;
        self.hub.set_clock(self.now_ms, 500);
        self.hub.mark_sync_due();
    }

    pub(super) fn fresh_view(&mut self) -> u32 {
        self.views += 1;
        self.views
    }

    pub(super) fn object(&self, name: &str) -> Object {
        let Thing { version, colour } = self.things.get(name).expect("it exists");
        let body = json!({
            "metadata": {"name": name, "labels": {"colour": colour}},
            "values": [version, version + 1],
            "spec": {"skipped": name.repeat(10)},
        });
        Object {
            row: self.row(name),
            labels: Labels::pack([("colour", *colour)].into_iter()),
            body: body.to_string().into(),
            managed: Default::default(),
            masks: Default::default(),
            verdict: None,
        }
    }

    pub(super) fn id(name: &str) -> RowId {
        id(name)
    }

    /// Reads the cells of custom columns of the objects that were here before the columns were asked for.
    pub(super) fn read_cells(&mut self) {
        while self.hub.has_unread() {
            self.hub.read_cells(2);
            self.hub.end_columns_turn();
        }
    }

    fn row(&self, name: &str) -> Row {
        let Thing { version, colour } = *self.things.get(name).expect("it exists");
        let (namespace, _) = name.split_once('/').expect("namespace/name");
        Row {
            id: id(name),
            resource_version: version.to_string().as_str().into(),
            namespace: Some(namespace.into()),
            name: name.into(),
            created: Some(1),
            cells: vec![Cell::text(name), Cell::Int(version.cast_signed())],
            extra: (colour == AILING)
                .then(|| Box::new(Extra { health: Some(failing()), ..Extra::default() })),
        }
    }

    /// The rows that a view of this namespace must have. `has_own`: with the columns of
    /// [`super::reader::Reader::with_columns`].
    pub(super) fn rows(
        &self,
        namespace: Option<&str>,
        has_own: bool,
        is_of_trouble: bool,
    ) -> BTreeMap<RowId, Row> {
        let row = |(name, Thing { version, colour }): (&String, &Thing)| {
            let mut row = self.row(name);
            if has_own {
                row.cells.extend([Cell::text(colour), Cell::text(&format!("{version},{}", version + 1))]);
            }
            (row.id, row)
        };
        let is_in = |row: &Row| {
            namespace.is_none_or(|namespace| row.namespace.as_deref() == Some(namespace))
                && (row.health().is_some() || !is_of_trouble)
        };
        self.things.iter().map(row).filter(|(_, row)| is_in(row)).collect()
    }
}

fn failing() -> Health {
    Health {
        class: HealthClass::Failing,
        reason: "Ailing".into(),
        since: Some(1),
        then: Vec::new(),
        failed: None,
    }
}

fn id(name: &str) -> RowId {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    RowId::from_hash(hash)
}

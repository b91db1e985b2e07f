//! A hub and the truth beside it: a map of what the cluster holds. What the map says is right.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use shared::cell::Cell;
use shared::column::Column;
use shared::frame::server::Gap;
use shared::problem::Reason;
use shared::row::{Row, RowId};

use crate::feed::{Change, FeedOutput, Object};
use crate::hub::{Bounds, Hub, Identity};

pub(super) struct World {
    pub(super) hub: Hub,
    pub(super) now_ms: i64,
    truth: BTreeMap<String, Thing>,
    version: u64,
    /// What it was at each version of this history.
    past: BTreeMap<u64, BTreeMap<String, Thing>>,
    bounds: Bounds,
    restarts: u64,
    next_view: u32,
}

#[derive(Clone)]
struct Thing {
    version: u64,
    value: u64,
    colour: &'static str,
}

impl World {
    pub(super) fn new(bounds: Bounds) -> Self {
        let mut world = Self {
            hub: new_hub(0, bounds),
            now_ms: 1_000,
            truth: BTreeMap::new(),
            version: 100,
            past: BTreeMap::new(),
            bounds,
            restarts: 0,
            next_view: 0,
        };
        world.say_columns();
        world
    }

    fn say_columns(&mut self) {
        let column = |name: &str| Column {
            name: name.into(),
            kind: "string".into(),
            format: "".into(),
            description: "".into(),
            priority: 0,
            path: "".into(),
        };
        self.say(Change::Columns(Arc::new([column("Name"), column("Value")])));
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Another hub in the place of this one, which has heard nothing yet.
    pub(super) fn restart(&mut self) {
        self.restarts += 1;
        self.hub = new_hub(self.restarts, self.bounds);
    }

    /// The first list is of a former time, and what has happened since follows as events.
    pub(super) fn begin_from(&mut self, version: u64) {
        self.begin_up_to(version, self.version);
    }

    pub(super) fn begin_up_to(&mut self, version: u64, last: u64) {
        let now = (self.version, std::mem::take(&mut self.truth));
        self.say_columns();
        (self.version, self.truth) = (version, self.truth_at(version));
        self.relist(false);
        (self.version, self.truth) = now;
        self.go_on_from(version, last);
    }

    /// What happened between the two, as events.
    pub(super) fn go_on_from(&mut self, version: u64, last: u64) {
        let now = (self.version, std::mem::take(&mut self.truth));
        let mut before = self.truth_at(version);
        for version in version + 1..=last {
            let resource_version = version.to_string().as_str().into();
            self.truth = self.truth_at(version);
            let changed = self.truth.iter().find(|(_, thing)| thing.version == version);
            if let Some(name) = changed.map(|(name, _)| name.clone()) {
                let object = self.object(&name);
                self.say(Change::Put(object));
            } else if let Some(name) = before.keys().find(|name| !self.truth.contains_key(*name)) {
                self.say(Change::Delete { id: id(name), resource_version });
            }
            before.clone_from(&self.truth);
        }
        (self.version, self.truth) = now;
    }

    fn truth_at(&self, version: u64) -> BTreeMap<String, Thing> {
        self.past.range(..=version).next_back().map(|(_, then)| then.clone()).unwrap_or_default()
    }

    fn note(&mut self) {
        self.past.insert(self.version, self.truth.clone());
    }

    pub(super) fn fresh_view(&mut self) -> u32 {
        self.next_view += 1;
        self.next_view
    }

    fn say(&mut self, change: Change) {
        self.hub.apply(FeedOutput::Change(change));
    }

    /// The first list.
    pub(super) fn list(&mut self, names: &[&str]) {
        self.truth.clear();
        for name in names {
            self.change_unseen(name);
        }
        self.relist(false);
        self.hub.tick();
    }

    /// A first list that breaks off after one change of what it had.
    pub(super) fn list_until_deleted(&mut self, names: &[&str], deleted: &str) {
        for name in names {
            self.change_unseen(name);
        }
        self.say(Change::ListStart);
        for name in names {
            let object = self.object(name);
            self.say(Change::Listed(object));
        }
        self.say(Change::ListAborted);
        self.delete(deleted);
    }

    pub(super) fn relist(&mut self, has_gap: bool) {
        self.say(Change::ListStart);
        for name in self.truth.keys().cloned().collect::<Vec<_>>() {
            let object = self.object(&name);
            self.say(Change::Listed(object));
        }
        let gap = has_gap.then_some(Gap { from_ms: 1, to_ms: 2, reason: Reason::Expired });
        self.say(Change::ListEnd { resource_version: self.version.to_string().as_str().into(), gap });
    }

    pub(super) fn rewind(&mut self, names: &[&str]) {
        self.say(Change::Rewound);
        self.restore(50, names);
    }

    /// A list of another state, of which the feed didn't notice that it is one.
    pub(super) fn restore(&mut self, version: u64, names: &[&str]) {
        self.rewind_unheard(version, names);
        self.relist(false);
    }

    pub(super) fn rewind_unheard(&mut self, version: u64, names: &[&str]) {
        self.version = version;
        self.truth.clear();
        self.past.clear();
        self.note();
        for name in names {
            self.change_unseen(name);
        }
    }

    pub(super) fn put(&mut self, name: &str) {
        self.change_unseen(name);
        let object = self.object(name);
        self.say(Change::Put(object));
    }

    pub(super) fn paint(&mut self, name: &str, colour: &'static str) {
        if let Some(thing) = self.truth.get_mut(name) {
            thing.colour = colour;
        }
        self.put(name);
    }

    pub(super) fn change_unseen(&mut self, name: &str) {
        self.version += 1;
        let (version, value) = (self.version, self.version);
        let thing = self.truth.entry(name.to_owned()).or_insert(Thing { version, value, colour: "" });
        (thing.version, thing.value) = (version, value);
        self.note();
    }

    /// As it was in a cluster that was restored.
    pub(super) fn age_unseen(&mut self, name: &str, version: u64) {
        if let Some(thing) = self.truth.get_mut(name) {
            thing.version = version;
        }
    }

    pub(super) fn delete(&mut self, name: &str) {
        self.delete_unseen(name);
        let resource_version = self.version.to_string().as_str().into();
        self.say(Change::Delete { id: id(name), resource_version });
    }

    pub(super) fn delete_unseen(&mut self, name: &str) {
        self.version += 1;
        self.truth.remove(name);
        self.note();
    }

    pub(super) fn bookmark(&mut self) {
        self.say(Change::Bookmark(self.version.to_string().as_str().into()));
    }

    pub(super) fn object(&self, name: &str) -> Object {
        let thing = self.truth.get(name).expect("it exists");
        Object {
            row: self.row(name, thing),
            labels: Arc::new([("colour".into(), thing.colour.into())]),
            body: json!({
                "metadata": {"name": name, "labels": {"colour": thing.colour}},
                "values": [thing.value, thing.value + 1],
                "spec": {"skipped": name.repeat(10)},
            })
            .to_string()
            .into(),
            managed: Default::default(),
        }
    }

    /// Of the columns that a reader may ask for.
    pub(super) fn cells_of(&self, name: &str) -> [Cell; 2] {
        let thing = self.truth.get(name).expect("it exists");
        [Cell::text(thing.colour), Cell::text(&format!("{},{}", thing.value, thing.value + 1))]
    }

    /// What is left to read of objects that were here before somebody asked.
    pub(super) fn read_cells(&mut self) {
        while self.hub.has_unread() {
            self.hub.read_cells(2);
        }
    }

    fn row(&self, name: &str, thing: &Thing) -> Row {
        let (namespace, _) = name.split_once('/').expect("namespace/name");
        Row {
            id: id(name),
            resource_version: thing.version.to_string().as_str().into(),
            namespace: Some(namespace.into()),
            name: name.into(),
            created: Some(1),
            cells: vec![Cell::text(name), Cell::Int(thing.value.cast_signed())],
            extra: None,
        }
    }

    /// What a reader of this filter must hold.
    pub(super) fn rows(&self, namespace: Option<&str>, colour: Option<&str>) -> BTreeMap<RowId, Row> {
        self.truth
            .iter()
            .map(|(name, thing)| (self.row(name, thing), thing))
            .filter(|(row, thing)| {
                namespace.is_none_or(|namespace| row.namespace.as_deref() == Some(namespace))
                    && colour.is_none_or(|colour| thing.colour == colour)
            })
            .map(|(row, _)| (row.id, row))
            .collect()
    }
}

fn new_hub(seed: u64, bounds: Bounds) -> Hub {
    Hub::with_bounds(Identity { cluster: "c".into() }, seed, bounds)
}

fn id(name: &str) -> RowId {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    RowId::from_hash(hash)
}

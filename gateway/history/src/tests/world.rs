//! Objects that come, change and go, told to a recorder and kept whole beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{
    Keeper, Keepers, KindKey, Moment, Past, PastChange, PastObject, PastState, Store, Told, Version,
};
use fastrand::Rng;
use serde_json::{Value, json};
use shared::cell::Cell;
use shared::column::Column;
use shared::past::Why;
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

pub fn key() -> KindKey {
    KindKey { cluster: "c".into(), resource: Resource::parse("", "v1", "pods").expect("a resource") }
}

impl Hears for Keepers {
    fn tell(&mut self, key: &KindKey, told: Told, now_ms: UnixMillis) {
        Self::tell(self, key, told, now_ms);
    }
}

/// What a world is told to.
pub trait Hears {
    fn tell(&mut self, key: &KindKey, told: Told, now_ms: UnixMillis);
}

impl<S: Store> Hears for Keeper<S> {
    fn tell(&mut self, key: &KindKey, told: Told, now_ms: UnixMillis) {
        Self::tell(self, key, told, now_ms);
    }
}

pub struct World {
    key: KindKey,
    rng: Rng,
    now_ms: UnixMillis,
    first_ms: UnixMillis,
    revision: u64,
    version: ResourceVersion,
    objects: BTreeMap<RowId, Object>,
    /// After each change that was told: all objects.
    past: Vec<(UnixMillis, BTreeMap<RowId, String>)>,
    made: u64,
}

#[derive(Clone)]
struct Object {
    name: String,
    image: u32,
    phase: &'static str,
    beat: u64,
    revision: u64,
    about: Option<RowId>,
}

/// So many times are looked at, of all that there were.
const MOMENTS: usize = 150;
/// So many objects are there at once.
const OBJECTS: usize = 60;
const PHASES: [&str; 4] = ["Pending", "Running", "CrashLoopBackOff", "Completed"];

impl World {
    pub fn new(seed: u64) -> Self {
        Self::of(key(), seed)
    }

    /// One of objects of this kind.
    pub fn of(key: KindKey, seed: u64) -> Self {
        let now_ms = 1_790_000_000_000;
        Self {
            key,
            rng: Rng::with_seed(seed),
            now_ms,
            first_ms: now_ms,
            revision: 100,
            version: ResourceVersion::new("100"),
            objects: BTreeMap::new(),
            past: Vec::new(),
            made: 0,
        }
    }

    pub fn now_ms(&self) -> UnixMillis {
        self.now_ms
    }

    pub fn first_ms(&self) -> UnixMillis {
        self.first_ms
    }

    pub fn set_clock(&mut self, now_ms: UnixMillis) {
        self.now_ms = now_ms;
    }

    /// What was told so far isn't expected of the record.
    pub fn forget_times(&mut self) {
        self.past.truncate(1);
    }

    pub fn version(&self) -> &ResourceVersion {
        &self.version
    }

    pub fn rows(&self) -> Vec<RowId> {
        self.objects.keys().copied().collect()
    }

    /// Those of all objects that there ever were.
    pub fn all_rows(&self) -> Vec<RowId> {
        let mut rows: Vec<RowId> = self.past.iter().flat_map(|(_, told)| told.keys().copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The first step lists; each other one is a change. The time after it.
    pub fn step(&mut self, keeper: &mut impl Hears) -> UnixMillis {
        if self.past.is_empty() {
            self.list_again(keeper);
        }
        self.now_ms += self.rng.i64(1..400);
        let rows = self.rows();
        match self.rng.u8(0..10) {
            0..=2 if rows.len() < OBJECTS => {
                let row = self.make();
                self.tell(keeper, row);
            }
            3 if !rows.is_empty() => {
                let row = rows[self.rng.usize(..rows.len())];
                self.remove(keeper, row);
            }
            4 if self.rng.bool() => self.prove(keeper),
            _ if !rows.is_empty() => {
                let row = rows[self.rng.usize(..rows.len())];
                self.change(keeper, row);
            }
            _ => {}
        }
        self.now_ms
    }

    pub fn remove(&mut self, keeper: &mut impl Hears, row: RowId) {
        self.objects.remove(&row);
        self.advance();
        let resource_version = self.version.clone();
        keeper.tell(&self.key, Told::Deleted { row, resource_version, relisted: false }, self.now_ms);
        self.remember();
    }

    /// As a feed lists when it begins.
    pub fn list_again(&mut self, keeper: &mut impl Hears) {
        self.list(keeper, 0);
    }

    /// A list that takes so long for each object.
    pub fn list_slowly(&mut self, keeper: &mut impl Hears, count: usize, each_ms: i64) {
        for _ in 0..count {
            self.make();
        }
        self.list(keeper, each_ms);
    }

    fn list(&mut self, keeper: &mut impl Hears, each_ms: i64) {
        let columns: Arc<[Column]> = serde_json::from_value::<Vec<Column>>(json!([
            { "name": "Name", "type": "string", "format": "name", "priority": 0 },
            { "name": "Status", "type": "string", "format": "", "priority": 0 },
        ]))
        .expect("columns")
        .into();
        keeper.tell(&self.key, Told::Columns(columns), self.now_ms);
        keeper.tell(&self.key, Told::Begun, self.now_ms);
        for row in self.rows() {
            let version = Told::Version(Box::new(self.told(row)));
            keeper.tell(&self.key, version, self.now_ms);
            self.now_ms += each_ms;
        }
        keeper.tell(&self.key, Told::Loaded { resource_version: self.version.clone() }, self.now_ms);
        self.remember();
    }

    /// Changes that no recorder is told.
    pub fn pass_unseen(&mut self, changes: usize) {
        for _ in 0..changes {
            self.now_ms += 100;
            let row = self.make();
            let rows = self.rows();
            if self.rng.bool() {
                self.objects.remove(&rows[self.rng.usize(..rows.len())]);
            } else {
                self.touch(row);
            }
        }
    }

    pub fn prove(&mut self, keeper: &mut impl Hears) {
        keeper.tell(&self.key, Told::Proof { resource_version: self.version.clone() }, self.now_ms);
        keeper.tell(&self.key, Told::Ended(Why::Down), self.now_ms);
        self.list_again(keeper);
    }

    /// Objects that are listed and never change.
    pub fn put_still(&mut self, keeper: &mut impl Hears, count: usize) {
        for _ in 0..count {
            self.make();
        }
        self.list_again(keeper);
    }

    pub fn put_about(&mut self, keeper: &mut impl Hears, about: RowId, count: usize) {
        for _ in 0..count {
            let row = self.make();
            self.objects.get_mut(&row).expect("made").about = Some(about);
            self.tell(keeper, row);
        }
    }

    /// Two objects of one name, one after the other; both are deleted. They change in between.
    pub fn put_twice(&mut self, keeper: &mut impl Hears, name: &str) -> (RowId, RowId) {
        self.list_again(keeper);
        let mut put = || {
            let row = self.make();
            name.clone_into(&mut self.objects.get_mut(&row).expect("made").name);
            self.tell(keeper, row);
            self.change(keeper, row);
            self.remove(keeper, row);
            row
        };
        (put(), put())
    }

    pub fn change(&mut self, keeper: &mut impl Hears, row: RowId) {
        self.touch(row);
        self.tell(keeper, row);
    }

    /// A change that means nothing.
    pub fn beat(&mut self, keeper: &mut impl Hears, row: RowId) {
        self.advance();
        let object = self.objects.get_mut(&row).expect("an object");
        (object.beat, object.revision) = (object.beat + 1, self.revision);
        self.tell(keeper, row);
    }

    fn make(&mut self) -> RowId {
        self.made += 1;
        self.advance();
        let row = RowId::from_hash(self.made.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let object = Object {
            name: format!("pod-{}", self.made),
            image: 1,
            phase: PHASES[0],
            beat: 0,
            revision: self.revision,
            about: None,
        };
        self.objects.insert(row, object);
        row
    }

    fn touch(&mut self, row: RowId) {
        self.advance();
        let (phase, revision) = (PHASES[self.rng.usize(..PHASES.len())], self.revision);
        if let Some(object) = self.objects.get_mut(&row) {
            *object = Object { phase, revision, image: object.image + 1, ..object.clone() };
        }
    }

    fn advance(&mut self) {
        self.revision += 1;
        self.version = ResourceVersion::new(&self.revision.to_string());
    }

    fn tell(&mut self, keeper: &mut impl Hears, row: RowId) {
        keeper.tell(&self.key, Told::Version(Box::new(self.told(row))), self.now_ms);
        self.remember();
    }

    /// A version of an object of no world.
    pub fn version_of(row: RowId, name: &str, revision: u64) -> Version {
        let (phase, image) = (PHASES[1], revision as u32);
        version_of(row, &Object { name: name.to_owned(), image, phase, beat: 0, revision, about: None })
    }

    fn told(&self, row: RowId) -> Version {
        version_of(row, &self.objects[&row])
    }

    fn remember(&mut self) {
        let now = self.objects.iter().map(|(row, object)| (*row, object.body().to_string())).collect();
        self.past.push((self.now_ms, now));
    }

    /// What the past says of every time since one equals what was told.
    pub fn expect(&self, past: &dyn Past, since_ms: UnixMillis) {
        let every = self.past.len() / MOMENTS + 1;
        for (place, (at_ms, told)) in self.past.iter().enumerate().step_by(every) {
            // What was told at one time shows its last state.
            let is_last = self.past.get(place + 1).is_none_or(|(next_ms, _)| next_ms > at_ms);
            if *at_ms < since_ms || !is_last {
                continue;
            }
            let moment = past.moment(&self.key, *at_ms).expect("read").expect("recorded");
            assert_eq!(&bodies(&moment), told, "at {at_ms}");
        }
        for row in self.all_rows().into_iter().take(20) {
            self.expect_versions(past, row, since_ms);
        }
    }

    /// All changes since a time, asked for in pages of so many: each that was told, once, in its order.
    pub fn expect_changes(&self, past: &dyn Past, since_ms: UnixMillis, page: usize) {
        let mut told = Vec::new();
        let mut before = BTreeMap::new();
        for (at_ms, now) in &self.past {
            let mut rows: Vec<RowId> = before.keys().chain(now.keys()).copied().collect();
            rows.sort_unstable();
            rows.dedup();
            for row in rows.into_iter().filter(|row| before.get(row) != now.get(row)) {
                told.push((*at_ms, row, before.contains_key(&row), now.get(&row).cloned()));
            }
            before.clone_from(now);
        }
        told.retain(|(at_ms, ..)| *at_ms >= since_ms);
        let (mut heard, mut after, mut from_ms) = (Vec::new(), 0, since_ms);
        loop {
            let changes = past.changes(&self.key, (from_ms, self.now_ms), after, page).expect("read");
            let Some(last) = changes.last() else { break };
            (after, from_ms) = (last.version.number, last.version.at_ms);
            for PastChange { version, before, columns } in changes {
                let body = match &version.state {
                    PastState::There { head, body } => {
                        assert_eq!(head.cells.len(), columns.len());
                        Some(String::from_utf8(body.clone()).expect("a text"))
                    }
                    PastState::Deleted { .. } => None,
                    PastState::Damaged => panic!("{} is damaged", version.row),
                };
                let was_there = before.is_some();
                assert!(before.is_none_or(|head| head.name.starts_with("pod-")));
                heard.push((version.at_ms, version.row, was_there, body));
            }
        }
        assert_eq!(heard.len(), told.len(), "since {since_ms}");
        // A list tells its objects at one time and in no order.
        heard.sort_by_key(|(at_ms, row, ..)| (*at_ms, *row));
        for (heard, told) in heard.iter().zip(&told) {
            assert_eq!(heard, told);
        }
    }

    /// The same of every time until one.
    pub fn expect_until(&self, past: &dyn Past, until_ms: UnixMillis) {
        for (place, (at_ms, told)) in self.past.iter().enumerate() {
            let is_last = self.past.get(place + 1).is_none_or(|(next_ms, _)| next_ms > at_ms);
            if *at_ms <= until_ms && is_last {
                let moment = past.moment(&self.key, *at_ms).expect("read").expect("recorded");
                assert_eq!(&bodies(&moment), told, "at {at_ms}");
            }
        }
    }

    fn expect_versions(&self, past: &dyn Past, row: RowId, since_ms: UnixMillis) {
        let versions = past.versions(&self.key, row, i64::MAX, 10_000).expect("read");
        // A child that was killed may have committed more than it said.
        let until_ms = self.past.last().map_or(UnixMillis::MAX, |(at_ms, _)| *at_ms);
        let is_told = |at_ms: UnixMillis| at_ms >= since_ms && at_ms <= until_ms;
        for version in versions.iter().filter(|version| is_told(version.at_ms)) {
            let told = self.past.iter().filter(|(at_ms, _)| *at_ms == version.at_ms);
            let mut told = told.map(|(_, told)| told.get(&row));
            match &version.state {
                PastState::There { body, head } => {
                    let body = String::from_utf8(body.clone()).expect("a text");
                    assert!(told.any(|told| told == Some(&body)), "{row} at {}", version.at_ms);
                    assert_eq!((&*head.labels, &*head.masks), ("app\0web\0", &[(3, 4)][..]));
                }
                PastState::Deleted { .. } => assert!(told.any(|told| told.is_none()), "{row} was there"),
                PastState::Damaged => panic!("{row} is damaged"),
            }
        }
    }

    /// From now on the record is expected to have other bodies.
    pub fn rewrite(&mut self, change: impl Fn(&str) -> String) {
        for body in self.past.iter_mut().flat_map(|(_, told)| told.values_mut()) {
            *body = change(body);
        }
    }

    pub fn expect_now(&self, moment: &Moment) {
        let now: BTreeMap<_, _> =
            self.objects.iter().map(|(row, object)| (*row, object.body().to_string())).collect();
        assert_eq!(bodies(moment), now);
    }
}

fn bodies(moment: &Moment) -> BTreeMap<RowId, String> {
    let text =
        |object: &PastObject| String::from_utf8(object.body.unpack().expect("a body")).expect("a text");
    moment.objects.iter().map(|object| (object.row, text(object))).collect()
}

impl Object {
    fn body(&self) -> Value {
        let filler: Vec<Value> = (0..20)
            .map(|n| json!({ "name": format!("variable-{n}"), "value": format!("{}", n * 7919) }))
            .collect();
        json!({
            "metadata": { "name": self.name, "namespace": "default", "resourceVersion": self.revision.to_string() },
            "spec": { "containers": [{ "image": format!("a.example/api:{}", self.image), "env": filler }] },
            "status": { "phase": self.phase, "conditions": [{ "type": "Ready", "lastHeartbeatTime": self.beat }] },
        })
    }
}

fn version_of(row: RowId, object: &Object) -> Version {
    Version {
        row: Arc::new(Row {
            id: row,
            resource_version: ResourceVersion::new(&object.revision.to_string()),
            namespace: Some("default".into()),
            name: object.name.as_str().into(),
            created: Some(1_790_000_000),
            cells: vec![Cell::text(&object.name), Cell::text(object.phase)],
            extra: None,
        }),
        labels: "app\0web\0".into(),
        body: object.body().to_string().into(),
        masks: Box::new([(3, 4)]),
        rules: 0,
        writers: Vec::new(),
        relisted: false,
        about: object.about,
    }
}

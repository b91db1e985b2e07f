//! A kind that is noisy drives out its own past, and nothing of the others.

use std::sync::Arc;

use fastrand::Rng;
use serde_json::json;
use shared::cell::Cell;
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::places::each_record;
use super::world::World;
use crate::{Bounds, Keepers, KindKey, Standing, Told, Version};

fn kind(group: &str, plural: &str) -> KindKey {
    KindKey { cluster: "c".into(), resource: Resource::parse(group, "v1", plural).expect("a resource") }
}

/// Objects that can't be compressed.
struct Noise {
    key: KindKey,
    rng: Rng,
    made: u64,
}

impl Noise {
    fn of(key: KindKey) -> Self {
        Self { key, rng: Rng::with_seed(5), made: 1_000 }
    }

    fn version(&mut self) -> Version {
        self.made += 1;
        let bytes: Vec<u8> = (0..6_000).map(|_| self.rng.alphanumeric() as u8).collect();
        let body = json!({ "note": String::from_utf8(bytes).expect("a text") });
        plain(RowId::from_hash(self.made << 24), self.made, "noise", &body)
    }

    fn make(&mut self, keepers: &mut Keepers, now_ms: UnixMillis) {
        let version = self.version();
        let row = version.row.id;
        keepers.tell(&self.key, Told::Version(Box::new(version)), now_ms);
        self.made += 1;
        let resource_version = ResourceVersion::new(&self.made.to_string());
        keepers.tell(&self.key, Told::Deleted { row, resource_version, relisted: false }, now_ms);
    }

    fn list(&self, keepers: &mut Keepers, now_ms: UnixMillis) {
        keepers.tell(&self.key, Told::Columns(Arc::new([])), now_ms);
        keepers.tell(&self.key, Told::Begun, now_ms);
        let resource_version = ResourceVersion::new(&self.made.to_string());
        keepers.tell(&self.key, Told::Loaded { resource_version }, now_ms);
    }
}

fn plain(row: RowId, revision: u64, name: &str, body: &serde_json::Value) -> Version {
    let row = Row {
        id: row,
        resource_version: ResourceVersion::new(&revision.to_string()),
        namespace: Some("shop".into()),
        name: name.into(),
        created: None,
        cells: vec![Cell::text(name)],
        extra: None,
    };
    Version {
        row: Arc::new(row),
        labels: "".into(),
        body: body.to_string().into(),
        masks: Box::default(),
        rules: 0,
        writers: Vec::new(),
        relisted: false,
        about: None,
    }
}

const MIB: u64 = 1 << 20;

/// The noisy kind writes twice the budget while the others live, and all of the others is there.
fn make_noise(noisy: &KindKey, quiet: [KindKey; 3], most: u64) {
    each_record(|open| {
        let bounds = Bounds { bytes: 16 * MIB, age_ms: i64::MAX };
        let mut worlds: Vec<World> =
            quiet.iter().cloned().zip(70..).map(|(key, seed)| World::of(key, seed)).collect();
        let mut keepers = open(bounds, worlds[0].now_ms());
        let mut noise = Noise::of(noisy.clone());
        let began_ms = worlds[0].now_ms();
        noise.list(&mut keepers, began_ms);
        let mut now_ms = began_ms;
        for step in 0..5_600 {
            if step % 80 == 0 {
                for world in &mut worlds {
                    world.set_clock(now_ms);
                    now_ms = world.step(&mut keepers);
                }
            }
            noise.make(&mut keepers, now_ms);
            if step % 20 == 0 {
                keepers.commit(now_ms);
                assert_eq!(*keepers.standing(), Standing::Recording);
            }
        }
        noise.list(&mut keepers, now_ms);
        keepers.commit(now_ms);
        let past = keepers.past();
        for world in &worlds {
            world.expect(&*past, 0);
        }
        let extent = past.extent(noisy).expect("read").expect("recorded");
        assert!(extent.from_ms > began_ms, "the noisy kind has lost its oldest");
        assert_eq!((extent.to_ms, extent.unrecorded), (now_ms, Vec::new()), "and nothing since");
        let bytes = keepers.byte_count();
        // The quiet kinds take less than a quarter, and a file may be begun above the bound.
        let bound = most + 16 * MIB / 4 + 2 * MIB;
        assert!(bytes < bound, "{bytes} of {bound}");
    });
}

#[test]
fn events_drive_out_no_other_kind() {
    let quiet = [kind("", "pods"), kind("apps", "deployments"), kind("example.org", "doors")];
    make_noise(&kind("", "events"), quiet, 4 * MIB);
}

#[test]
fn a_kind_that_kubernetes_has_not_drives_out_no_other_one() {
    let quiet = [kind("", "pods"), kind("apps", "deployments"), kind("", "events")];
    make_noise(&kind("example.org", "doors"), quiet, 8 * MIB);
}

/// The row of the namespace that the record has for an object of a kind.
fn namespace_row(keepers: &Keepers, key: &KindKey) -> Option<RowId> {
    let moment = keepers.past().moment(key, UnixMillis::MAX).expect("read").expect("recorded");
    moment.objects.first().expect("an object").namespace_row
}

#[test]
fn objects_of_every_share_have_the_row_of_their_namespace_over_restarts_and_lists() {
    each_record(|open| {
        let bounds = Bounds { bytes: 64 * MIB, age_ms: i64::MAX };
        let (namespaces, mut now_ms) = (kind("", "namespaces"), 1_790_000_000_000);
        let mut revision = 1;
        let mut list = |keepers: &mut Keepers, key: &KindKey, name: &str, row: RowId| {
            (now_ms, revision) = (now_ms + 10, revision + 1);
            keepers.tell(key, Told::Columns(Arc::new([])), now_ms);
            keepers.tell(key, Told::Begun, now_ms);
            let version = plain(row, revision, name, &json!({ "of": revision }));
            keepers.tell(key, Told::Version(Box::new(version)), now_ms);
            let resource_version = ResourceVersion::new(&revision.to_string());
            keepers.tell(key, Told::Loaded { resource_version }, now_ms);
            keepers.commit(now_ms);
        };
        let row = |n: u64| RowId::from_hash(n << 24);
        let kinds =
            [kind("", "pods"), kind("", "events"), kind("apps", "deployments"), kind("example.org", "doors")];
        let mut keepers = open(bounds, 1_790_000_000_000);
        list(&mut keepers, &kinds[0], "early", row(10));
        list(&mut keepers, &namespaces, "shop", row(1));
        for (key, n) in kinds.iter().zip(10..) {
            list(&mut keepers, key, "x", row(n));
            assert_eq!(namespace_row(&keepers, key), Some(row(1)), "{}", key.resource);
        }
        drop(keepers);
        let mut keepers = open(bounds, 1_790_000_100_000);
        for (key, n) in kinds.iter().zip(20..) {
            list(&mut keepers, key, "x", row(n));
            assert_eq!(namespace_row(&keepers, key), Some(row(1)), "{}", key.resource);
        }
        // The namespace is gone, and the one that has its name now isn't known yet.
        list(&mut keepers, &namespaces, "other", row(2));
        for (key, n) in kinds.iter().zip(30..) {
            list(&mut keepers, key, "x", row(n));
            assert_eq!(namespace_row(&keepers, key), None, "{}", key.resource);
        }
    });
}

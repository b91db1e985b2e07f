//! What is removed of a record: nothing of it is left, and all else is what was told.

use std::io::{BufRead, BufReader, Write};

use shared::past::Removed;
use shared::resource::Resource;

use super::ROOMY;
use super::places::{Place, connect};
use super::world::{World, key};
use crate::postgres::LOCK_OF_WRITERS;
use crate::{Keepers, KindKey, PastState, Purge, Purged, Standing};

fn deployments() -> KindKey {
    KindKey {
        cluster: "c".into(),
        resource: Resource::parse("apps", "v1", "deployments").expect("a resource"),
    }
}

const WORD: &str = "hidden-word";
const DAY_MS: i64 = 25 * 3_600_000;

/// A world of pods and one of deployments over three segments. In each a name comes and goes.
fn two_worlds(place: &Place) -> (World, World) {
    let (mut pods, mut others) = (World::new(50), World::of(deployments(), 51));
    let mut keepers = place.open(ROOMY, pods.now_ms());
    for segment in 0..3 {
        pods.set_clock(pods.now_ms() + segment.min(1) * DAY_MS);
        for _ in 0..40 {
            step(&mut pods, &mut keepers);
            others.set_clock(pods.now_ms());
            step(&mut others, &mut keepers);
            pods.set_clock(others.now_ms());
        }
        others.put_twice(&mut keepers, WORD);
        keepers.commit(others.now_ms());
        pods.set_clock(others.now_ms());
    }
    (pods, others)
}

fn step(world: &mut World, keepers: &mut Keepers) {
    let now_ms = world.step(keepers);
    keepers.commit(now_ms);
    assert_eq!(*keepers.standing(), Standing::Recording);
}

fn is_deployments(key: &KindKey) -> bool {
    *key == deployments()
}

/// A purge of deployments, and of nothing else.
const OF_DEPLOYMENTS: Purge<'static> = Purge {
    kind: &is_deployments,
    namespace: None,
    before_ms: None,
    change: None,
    path: None,
    removed_ms: PURGED_MS,
};

/// Long after all that was told.
const PURGED_MS: i64 = 2_000_000_000_000;

/// What the record says of what was removed of deployments.
fn marks(place: &Place, now_ms: i64) -> Vec<Removed> {
    let keepers = place.open(ROOMY, now_ms);
    let past = keepers.past();
    assert_eq!(past.removed(&key()), Ok(Vec::new()), "nothing was removed of pods");
    past.removed(&deployments()).expect("read")
}

#[test]
fn a_kind_is_removed_with_its_last_byte_and_the_others_are_what_they_were() {
    for place in Place::each() {
        let (pods, others) = two_worlds(&place);
        assert!(place.has(WORD), "its name is there as text");
        let told = place.purge(&OF_DEPLOYMENTS, true).expect("counted");
        assert!(place.has(WORD), "a dry run removes nothing");
        let objects = others.all_rows().len();
        assert!(told.objects == objects && told.versions > objects, "{told:?} of {objects}");
        assert_eq!(place.purge(&OF_DEPLOYMENTS, false).expect("purged"), told);
        assert!(!place.has(WORD));
        let keepers = place.open(ROOMY, pods.now_ms());
        pods.expect(&*keepers.past(), 0);
        assert_eq!(keepers.past().extent(&deployments()).expect("read"), None);
        assert!(
            keepers.positions().contains_key(&key()) && !keepers.positions().contains_key(&deployments())
        );
        drop(keepers);
        assert_eq!(place.purge(&OF_DEPLOYMENTS, false), Ok(Purged::default()), "it is gone");
        let [mark] = &marks(&place, pods.now_ms())[..] else { panic!("one purge") };
        let first_ms = others.first_ms();
        assert!((first_ms..first_ms + 60_000).contains(&mark.from_ms), "{mark:?} of {first_ms}");
        assert_eq!((mark.to_ms, mark.removed_ms), (PURGED_MS, PURGED_MS));
        assert_eq!((&mark.namespace, &mark.path, mark.masked), (&None, &None, false));
    }
}

#[test]
fn a_namespace_is_removed_and_what_is_still_there_is_listed_again() {
    for place in Place::each() {
        let (pods, mut others) = two_worlds(&place);
        let of_no_other = Purge { namespace: Some("other"), ..OF_DEPLOYMENTS };
        assert_eq!(place.purge(&of_no_other, false), Ok(Purged::default()));
        let of_namespace = Purge { namespace: Some("default"), ..OF_DEPLOYMENTS };
        assert!(place.purge(&of_namespace, false).expect("purged").versions > 0);
        assert!(!place.has(WORD));
        let mut keepers = place.open(ROOMY, pods.now_ms());
        pods.expect(&*keepers.past(), 0);
        let was = keepers.past().moment(&deployments(), others.now_ms()).expect("read").expect("recorded");
        assert!(was.objects.is_empty());
        assert!(!keepers.positions().contains_key(&deployments()), "a feed may not go on there");
        others.set_clock(pods.now_ms());
        others.list_again(&mut keepers);
        keepers.commit(others.now_ms());
        others.expect_now(
            &keepers.past().moment(&deployments(), others.now_ms()).expect("read").expect("there"),
        );
        drop(keepers);
        let [mark] = &marks(&place, others.now_ms())[..] else { panic!("one purge") };
        assert_eq!(mark.namespace.as_deref(), Some("default"));
    }
}

#[test]
fn what_was_replaced_before_a_time_is_removed_and_every_moment_since_is_what_was_told() {
    for place in Place::each() {
        let (pods, others) = two_worlds(&place);
        // Within the second of three segments.
        let before_ms = others.first_ms() + DAY_MS + 20_000;
        let before = Purge { before_ms: Some(before_ms), ..OF_DEPLOYMENTS };
        let purged = place.purge(&before, false).expect("purged");
        assert!(purged.versions > 40, "{purged:?}");
        let keepers = place.open(ROOMY, pods.now_ms());
        let past = keepers.past();
        pods.expect(&*past, 0);
        let extent = past.extent(&deployments()).expect("read").expect("recorded");
        assert!(extent.from_ms >= before_ms && extent.from_ms < others.now_ms() - DAY_MS, "{extent:?}");
        others.expect(&*past, extent.from_ms);
        assert!(past.moment(&deployments(), before_ms - 1).expect("read").is_none());
        let marks = past.removed(&deployments()).expect("read");
        let [mark] = &marks[..] else { panic!("{marks:?}") };
        assert!(others.first_ms() <= mark.from_ms && mark.to_ms <= before_ms, "{mark:?} before {before_ms}");
        assert!(mark.to_ms > before_ms - 60_000, "{mark:?} before {before_ms}");
        assert!(keepers.positions().contains_key(&deployments()), "no object is missing");
    }
}

#[test]
fn something_within_versions_is_removed_and_the_rest_of_them_stays() {
    for place in Place::each() {
        let (pods, mut others) = two_worlds(&place);
        let without =
            |body: &str| body.replace("a.example/api", "removed").replace("\"variable-7\"", "\"x\"");
        let change = |_: &KindKey, columns: &[_], head: &mut crate::Head, body: &mut Vec<u8>| {
            assert_eq!(columns.len(), head.cells.len());
            head.cells[0] = shared::cell::Cell::text("removed");
            let text = without(std::str::from_utf8(body).expect("a text"));
            let is_changed = text.as_bytes() != &**body;
            *body = text.into_bytes();
            is_changed
        };
        let within = Purge { change: Some(&change), path: Some(".spec.badge"), ..OF_DEPLOYMENTS };
        assert!(place.has("a.example/api"));
        let told = place.purge(&within, true).expect("counted");
        assert!(told.versions > 100, "{told:?}");
        assert_eq!(place.purge(&within, false), Ok(told));
        // The pods have their images still.
        let within_pods = Purge { kind: &|key: &KindKey| *key == super::world::key(), ..within };
        let pods_have = |place: &Place| place.has("a.example/api");
        assert!(pods_have(&place));
        others.rewrite(without);
        let mut keepers = place.open(ROOMY, pods.now_ms());
        others.expect(&*keepers.past(), 0);
        pods.expect(&*keepers.past(), 0);
        let now = keepers.past().moment(&deployments(), others.now_ms()).expect("read").expect("recorded");
        assert!(now.objects.iter().all(|object| object.head.cells[0] == shared::cell::Cell::text("removed")));
        assert!(keepers.positions().contains_key(&deployments()), "no object is missing");
        let marks = keepers.past().removed(&deployments()).expect("read");
        let [mark] = &marks[..] else { panic!("{marks:?}") };
        assert_eq!((mark.path.as_deref(), mark.masked), (Some(".spec.badge"), false));
        // A recorder goes on with what is there now.
        others.set_clock(pods.now_ms() + 1_000);
        let row = others.rows()[0];
        others.change(&mut keepers, row);
        keepers.commit(others.now_ms());
        let versions = keepers.past().versions(&deployments(), row, i64::MAX, 2).expect("read");
        let images = versions.iter().map(|version| match &version.state {
            PastState::There { body, .. } => String::from_utf8_lossy(body).contains("a.example/api"),
            _ => panic!("{version:?}"),
        });
        assert_eq!(images.collect::<Vec<_>>(), [true, false]);
        drop(keepers);
        assert!(place.purge(&within, false).is_ok() && place.purge(&within_pods, false).is_ok());
        assert!(!pods_have(&place), "no keyframe and no model has it");
        assert_eq!(
            place.purge(&Purge { before_ms: Some(pods.now_ms()), ..within }, false),
            Ok(Purged::default())
        );
    }
}

#[test]
fn a_record_that_a_gateway_has_is_left_alone_and_what_to_stop_is_said() {
    for place in Place::each() {
        let keepers = place.open(ROOMY, 1_790_000_000_000);
        let refused = place.purge(&OF_DEPLOYMENTS, false).expect_err("a gateway has it").0;
        assert!(refused.contains("record into") || refused.contains("records into"), "{refused}");
        assert!(refused.contains("stop"), "{refused}");
        drop(keepers);
        assert_eq!(place.purge(&OF_DEPLOYMENTS, false), Ok(Purged::default()));
    }
}

#[test]
fn gateways_do_not_write_while_a_database_is_purged_and_go_on_afterwards() {
    let [_, place] = Place::each();
    let Place::Database(name) = &place else { panic!("a database") };
    let mut purging = connect(name)().expect("connected");
    let lock = |client: &mut postgres::Client, what: &str| {
        client.execute(&format!("SELECT {what}({LOCK_OF_WRITERS})"), &[]).expect("asked")
    };
    lock(&mut purging, "pg_advisory_lock");
    let mut world = World::new(52);
    let mut keepers = place.open(ROOMY, world.now_ms());
    let Standing::Stopped { why, .. } = keepers.standing() else { panic!("it writes") };
    assert!(why.contains("dogwatch history purge"), "{why}");
    world.list_again(&mut keepers);
    lock(&mut purging, "pg_advisory_unlock");
    world.set_clock(world.now_ms() + 60_000);
    for _ in 0..20 {
        step(&mut world, &mut keepers);
    }
    world.expect_now(&keepers.past().moment(&key(), world.now_ms()).expect("read").expect("recorded"));
}

#[test]
fn what_an_end_in_between_leaves_is_neither_read_nor_kept() {
    let place = Place::each().into_iter().next().expect("a folder");
    let Place::Folder(path) = &place else { panic!("a folder") };
    let (pods, _) = two_worlds(&place);
    let leave = || {
        std::fs::write(path.path().join("1.dwh.unfinished"), WORD).expect("written");
        std::fs::write(path.path().join("pods/1.dwh.unfinished-wal"), WORD).expect("written");
    };
    let is_left = || {
        path.path().join("1.dwh.unfinished").exists()
            || path.path().join("pods/1.dwh.unfinished-wal").exists()
    };
    leave();
    let keepers = place.open(ROOMY, pods.now_ms());
    pods.expect(&*keepers.past(), 0);
    drop(keepers);
    assert!(!is_left());
    leave();
    place.purge(&OF_DEPLOYMENTS, false).expect("purged");
    assert!(!is_left() && !place.has(WORD));
}

/// The folder that a child purges.
const FOLDER: &str = "DOGWATCH_PURGE_CHILD";

/// It is the child of the test below, and does nothing without it.
#[test]
fn a_child_that_purges() {
    let Some(path) = std::env::var_os(FOLDER) else { return };
    println!("begun");
    std::io::stdout().flush().expect("written");
    crate::purge_folder(std::path::Path::new(&path), &OF_DEPLOYMENTS, false).expect("purged");
}

#[test]
fn a_purge_that_is_killed_leaves_a_record_that_opens_and_another_one_ends_it() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut unended = 0;
    for _ in 0..8 {
        let place = Place::each().into_iter().next().expect("a folder");
        let Place::Folder(path) = &place else { panic!("a folder") };
        let (pods, others) = two_worlds(&place);
        let mut child = std::process::Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "tests::purge::a_child_that_purges", "--nocapture"])
            .env(FOLDER, path.path())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("started");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(lines.any(|line| line.expect("read").contains("begun")));
        // A purge writes the files one after the other: it is killed beside one of them.
        let begun = std::time::Instant::now();
        let patience = std::time::Duration::from_micros(rng.u64(0..60_000));
        while begun.elapsed() < patience && child.try_wait().expect("asked").is_none() {
            std::hint::spin_loop();
        }
        drop(child.kill());
        unended += usize::from(!child.wait().expect("gone").success());
        let keepers = place.open(ROOMY, pods.now_ms());
        pods.expect(&*keepers.past(), 0);
        if let Some(extent) = keepers.past().extent(&deployments()).expect("read") {
            // The files are purged from the oldest on.
            others.expect(&*keepers.past(), extent.from_ms);
        }
        drop(keepers);
        place.purge(&OF_DEPLOYMENTS, false).expect("purged");
        assert!(!place.has(WORD));
    }
    assert!(unended > 0, "some were killed before their end");
}

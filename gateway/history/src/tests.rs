//! What every store must do, against an oracle that keeps each version whole.

mod file;
mod killed;
mod lists;
mod places;
mod purge;
mod replay;
mod replicas;
mod shares;
mod world;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{
    Bounds, Entry, Found, Keeper, KindKey, Past, PastChange, PastState, Scanned, Segments, Standing, Store,
    StoreError, Told, Within,
};
use places::{each_place, folder};
use shared::past::Why;
use shared::resource_version::ResourceVersion;
use world::{World, key};

const ROOMY: Bounds = Bounds { bytes: 1 << 30, age_ms: i64::MAX };
/// A segment is an eighth of it.
const SMALL: Bounds = Bounds { bytes: 8 * 64 * 1024, age_ms: i64::MAX };

/// Steps of a world, each told and committed.
fn live(world: &mut World, keeper: &mut Keeper<impl Store>, steps: usize) {
    for _ in 0..steps {
        let now_ms = world.step(keeper);
        keeper.commit(now_ms);
        assert_eq!(*keeper.standing(), Standing::Recording);
    }
}

#[test]
fn every_moment_and_every_version_is_what_was_told() {
    for seed in 0..4 {
        let mut world = World::new(seed);
        let mut keeper = Keeper::open(Segments::in_memory(ROOMY), seed, world.now_ms());
        live(&mut world, &mut keeper, 300);
        world.expect(&*keeper.past(), 0);
        each_place(|open| {
            let mut world = World::new(seed);
            let mut keeper = Keeper::open(open(ROOMY), seed, world.now_ms());
            live(&mut world, &mut keeper, 150);
            drop(keeper);
            // The next run finds all of it, and goes on.
            let mut keeper = Keeper::open(open(ROOMY), seed + 100, world.now_ms());
            world.expect(&*keeper.past(), 0);
            world.list_again(&mut keeper);
            live(&mut world, &mut keeper, 150);
            world.expect(&*keeper.past(), 0);
        });
    }
}

#[test]
fn all_changes_of_a_kind_come_once_in_their_order_over_pages_and_segments() {
    each_place(|open| {
        let mut world = World::new(7);
        let mut keeper = Keeper::open(open(ROOMY), 7, world.now_ms());
        world.put_still(&mut keeper, 40);
        live(&mut world, &mut keeper, 120);
        // Objects that a segment begins with are no changes, and are known to have been there.
        world.set_clock(world.now_ms() + 25 * 3_600_000);
        live(&mut world, &mut keeper, 120);
        for page in [3, 1_000] {
            world.expect_changes(&*keeper.past(), 0, page);
        }
        let half_ms = world.first_ms().midpoint(world.now_ms());
        world.expect_changes(&*keeper.past(), half_ms, 10);
    });
}

#[test]
fn the_oldest_segments_are_dropped_and_the_rest_is_whole() {
    each_place(|open| {
        let mut world = World::new(7);
        let mut keeper = Keeper::open(open(SMALL), 7, world.now_ms());
        world.put_still(&mut keeper, 40);
        for _ in 0..8 {
            live(&mut world, &mut keeper, 100);
            // Each segment is as large as one is at its end and what it began with.
            let most = SMALL.bytes + SMALL.bytes / 2;
            assert!(keeper.byte_count() <= most, "{} of {most}", keeper.byte_count());
        }
        let past = keeper.past();
        let extent = past.extent(&key()).expect("read").expect("recorded");
        assert!(extent.from_ms > world.first_ms(), "segments were dropped");
        // Objects that stood still all the time are in each table.
        world.expect(&*past, extent.from_ms);
    });
}

#[test]
fn files_of_dropped_segments_are_gone() {
    let folder_of_test = tempfile::tempdir().expect("a folder");
    let mut world = World::new(7);
    let mut keeper = Keeper::open(folder(folder_of_test.path(), SMALL), 7, world.now_ms());
    live(&mut world, &mut keeper, 1_200);
    let on_disk = std::fs::read_dir(folder_of_test.path()).expect("read");
    assert!(on_disk.count() < 40);
}

#[test]
fn what_came_between_two_runs_is_a_gap_and_its_differences() {
    each_place(|open| {
        let mut world = World::new(3);
        let mut keeper = Keeper::open(open(ROOMY), 3, world.now_ms());
        live(&mut world, &mut keeper, 50);
        world.prove(&mut keeper);
        let ended_ms = world.now_ms();
        keeper.commit(ended_ms);
        drop(keeper);
        world.pass_unseen(20);
        let mut keeper = Keeper::open(open(ROOMY), 4, world.now_ms());
        world.list_again(&mut keeper);
        keeper.commit(world.now_ms());
        let extent = keeper.past().extent(&key()).expect("read").expect("recorded");
        let [gap] = &extent.unrecorded[..] else { panic!("{extent:?}") };
        assert_eq!((gap.from_ms, gap.to_ms, &gap.why), (ended_ms, world.now_ms(), &Why::Down));
        let during = keeper.past().moment(&key(), ended_ms + 1).expect("read").expect("recorded");
        assert_eq!(during.unrecorded.as_ref(), Some(gap));
        world.expect(&*keeper.past(), 0);
        // A feed that begins where the record ended loses nothing.
        world.prove(&mut keeper);
        keeper.commit(world.now_ms());
        drop(keeper);
        let mut keeper = Keeper::open(open(ROOMY), 5, world.now_ms());
        assert_eq!(keeper.positions().get(&key()), Some(world.version()));
        world.list_again(&mut keeper);
        keeper.commit(world.now_ms());
        let extent = keeper.past().extent(&key()).expect("read").expect("recorded");
        assert_eq!(extent.unrecorded.len(), 1, "no other gap");
    });
}

/// A store that takes nothing while its disk is full.
struct Disk {
    segments: Segments,
    is_full: Arc<AtomicBool>,
}

impl Disk {
    fn check(&self) -> Result<(), StoreError> {
        if self.is_full.load(Ordering::Relaxed) { Err(StoreError("the disk is full".into())) } else { Ok(()) }
    }
}

impl Store for Disk {
    fn commit(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        self.check().and_then(|()| self.segments.commit(entries))
    }

    fn is_segment_over(&self, now_ms: i64) -> bool {
        self.segments.is_segment_over(now_ms)
    }

    fn begin_segment(&mut self, entries: &[Entry], from_ms: i64) -> Result<(), StoreError> {
        self.check().and_then(|()| self.segments.begin_segment(entries, from_ms))
    }

    fn bound(&mut self, bytes: u64) {
        self.segments.bound(bytes);
    }

    fn resume(&mut self) -> Result<Vec<Entry>, StoreError> {
        self.segments.resume()
    }

    fn end(&self) -> (i64, i64) {
        self.segments.end()
    }

    fn past(&self) -> Arc<dyn Past> {
        self.segments.past()
    }

    fn byte_count(&self) -> u64 {
        self.segments.byte_count()
    }
}

#[test]
fn a_disk_that_is_full_stops_the_record_until_it_has_room_and_the_gap_is_named() {
    let is_full = Arc::new(AtomicBool::new(false));
    let disk = Disk { segments: Segments::in_memory(ROOMY), is_full: Arc::clone(&is_full) };
    let mut world = World::new(21);
    let mut keeper = Keeper::open(disk, 21, world.now_ms());
    live(&mut world, &mut keeper, 60);
    let full_ms = world.now_ms();
    is_full.store(true, Ordering::Relaxed);
    world.forget_times();
    for _ in 0..40 {
        let now_ms = world.step(&mut keeper);
        keeper.commit(now_ms);
    }
    let Standing::Stopped { since_ms, why, .. } = keeper.standing() else { panic!("it is full") };
    assert_eq!((*since_ms, &**why), (full_ms, "the disk is full"));
    is_full.store(false, Ordering::Relaxed);
    world.set_clock(world.now_ms() + 20_000);
    live(&mut world, &mut keeper, 60);
    let past = keeper.past();
    let extent = past.extent(&key()).expect("read").expect("recorded");
    let [gap] = &extent.unrecorded[..] else { panic!("{extent:?}") };
    assert_eq!((gap.from_ms, &gap.why), (full_ms, &Why::Failed("the disk is full".into())));
    let during = past.moment(&key(), full_ms + 1).expect("read").expect("recorded");
    assert!(during.unrecorded.is_some(), "{during:?}");
    // All that was told before and after is there.
    world.expect(&*past, gap.to_ms);
    world.expect_now(&past.moment(&key(), world.now_ms()).expect("read").expect("recorded"));
}

#[test]
fn a_run_that_ends_before_its_full_disk_was_tried_again_names_the_gap() {
    let is_full = Arc::new(AtomicBool::new(false));
    let disk = Disk { segments: Segments::in_memory(ROOMY), is_full: Arc::clone(&is_full) };
    let mut world = World::new(22);
    let mut keeper = Keeper::open(disk, 22, world.now_ms());
    live(&mut world, &mut keeper, 60);
    let full_ms = world.now_ms();
    is_full.store(true, Ordering::Relaxed);
    for _ in 0..40 {
        let now_ms = world.step(&mut keeper);
        keeper.commit(now_ms);
    }
    is_full.store(false, Ordering::Relaxed);
    world.set_clock(world.now_ms() + 20_000);
    keeper.end(world.now_ms());
    keeper.commit(world.now_ms());
    assert_eq!(*keeper.standing(), Standing::Recording);
    let extent = keeper.past().extent(&key()).expect("read").expect("recorded");
    let [gap] = &extent.unrecorded[..] else { panic!("{extent:?}") };
    assert_eq!((gap.from_ms, gap.to_ms), (full_ms, world.now_ms()));
}

#[test]
fn a_full_disk_under_a_clock_that_was_set_back_hides_nothing_of_before_and_is_tried_again() {
    const HOUR_MS: i64 = 3_600_000;
    let is_full = Arc::new(AtomicBool::new(false));
    let disk = Disk { segments: Segments::in_memory(ROOMY), is_full: Arc::clone(&is_full) };
    let mut world = World::new(23);
    let mut keeper = Keeper::open(disk, 23, world.now_ms());
    live(&mut world, &mut keeper, 60);
    // From here on the record's time stands still.
    let set_back_ms = world.now_ms();
    world.set_clock(set_back_ms - HOUR_MS);
    live(&mut world, &mut keeper, 20);
    is_full.store(true, Ordering::Relaxed);
    let now_ms = world.step(&mut keeper);
    keeper.commit(now_ms);
    let Standing::Stopped { since_ms, .. } = keeper.standing() else { panic!("it is full") };
    assert_eq!(*since_ms, set_back_ms);
    is_full.store(false, Ordering::Relaxed);
    world.set_clock(now_ms - HOUR_MS);
    keeper.commit(world.now_ms());
    assert_eq!(*keeper.standing(), Standing::Recording, "it is tried again, and not after an hour alone");
    let extent = keeper.past().extent(&key()).expect("read").expect("recorded");
    let [gap] = &extent.unrecorded[..] else { panic!("{extent:?}") };
    assert_eq!((gap.from_ms, gap.to_ms), (set_back_ms, set_back_ms + 1));
    let before = keeper.past().moment(&key(), set_back_ms - 1).expect("read").expect("recorded");
    assert_eq!(before.unrecorded, None, "what was recorded before is known");
}

#[test]
fn a_clock_that_is_set_back_loses_nothing() {
    each_place(|open| {
        let mut world = World::new(11);
        let mut keeper = Keeper::open(open(ROOMY), 11, world.now_ms());
        live(&mut world, &mut keeper, 50);
        let before_ms = world.now_ms();
        world.set_clock(before_ms - 3_600_000);
        live(&mut world, &mut keeper, 50);
        let last = keeper.past().moment(&key(), before_ms).expect("read").expect("recorded");
        world.expect_now(&last);
        let [row, ..] = world.rows()[..] else { panic!("no object") };
        let versions = keeper.past().versions(&key(), row, i64::MAX, 1_000).expect("read");
        assert!(versions.is_sorted_by_key(|version| std::cmp::Reverse(version.at_ms)));
    });
}

#[test]
fn a_busy_object_gives_every_tenth_version_and_their_number() {
    each_place(|open| {
        let mut world = World::new(1);
        let mut keeper = Keeper::open(open(ROOMY), 1, world.now_ms());
        world.put_still(&mut keeper, 1);
        let [row] = world.rows()[..] else { panic!("one object") };
        for _ in 0..500 {
            world.change(&mut keeper, row);
        }
        keeper.commit(world.now_ms());
        world.set_clock(world.now_ms() + 61_000);
        keeper.commit(world.now_ms());
        let versions = keeper.past().versions(&key(), row, i64::MAX, 1_000).expect("read");
        let told: usize = versions.iter().map(|version| 1 + version.skipped as usize).sum();
        assert_eq!(told, 501, "each is kept or counted");
        assert!(versions.len() < 120, "{}", versions.len());
        world.expect_now(&keeper.past().moment(&key(), world.now_ms()).expect("read").expect("recorded"));
    });
}

#[test]
fn a_view_as_of_a_time_has_a_busy_object_as_it_was_five_seconds_before() {
    each_place(|open| {
        let mut world = World::new(1);
        let mut keeper = Keeper::open(open(ROOMY), 1, world.now_ms());
        world.put_still(&mut keeper, 1);
        let [row] = world.rows()[..] else { panic!("one object") };
        // For two minutes and a half.
        for _ in 0..220 {
            world.set_clock(world.now_ms() + 700);
            world.change(&mut keeper, row);
            keeper.commit(world.now_ms());
        }
        let versions = keeper.past().versions(&key(), row, i64::MAX, 1_000).expect("read");
        let told: usize = versions.iter().map(|version| 1 + version.skipped as usize).sum();
        assert!((211..=221).contains(&told), "each is kept, counted or waits: {told}");
        let apart = versions.windows(2).map(|pair| pair[0].at_ms - pair[1].at_ms);
        assert!(apart.max() <= Some(6_300), "{:?}", versions.iter().map(|it| it.at_ms).collect::<Vec<_>>());
        assert!(versions.len() < 190, "{}", versions.len());
    });
}

#[test]
fn heartbeats_are_counted_and_not_kept() {
    each_place(|open| {
        let mut world = World::new(2);
        let mut keeper = Keeper::open(open(ROOMY), 2, world.now_ms());
        world.put_still(&mut keeper, 1);
        let [row] = world.rows()[..] else { panic!("one object") };
        for _ in 0..5 {
            world.beat(&mut keeper, row);
        }
        world.change(&mut keeper, row);
        keeper.commit(world.now_ms());
        let versions = keeper.past().versions(&key(), row, i64::MAX, 1_000).expect("read");
        let skipped: Vec<u32> = versions.iter().map(|version| version.skipped).collect();
        assert_eq!(skipped, [5, 0]);
    });
}

#[test]
fn what_is_in_the_way_is_said_in_one_sentence() {
    let folder_of_test = tempfile::tempdir().expect("a folder");
    let path = folder_of_test.path();
    let said = |path: &Path| Segments::open(path, ROOMY).map(|(_, notes)| notes).expect_err("refused").0;
    let file = path.join("file");
    std::fs::write(&file, "x").expect("written");
    assert!(said(&file.join("below")).contains("can't be made"));
    let used = path.join("used");
    let first = folder(&used, ROOMY);
    assert!(said(&used).contains("another process records into"));
    drop(first);
    // Files that aren't ours, or not whole, are named and left alone; the others are read.
    let mut world = World::new(5);
    let mut keeper = Keeper::open(folder(&used, ROOMY), 5, world.now_ms());
    live(&mut world, &mut keeper, 20);
    drop(keeper);
    let mut segment = std::fs::read_dir(&used).expect("read").filter_map(|entry| Some(entry.ok()?.path()));
    let segment = segment.find(|path| path.extension().is_some_and(|it| it == "dwh")).expect("a segment");
    let whole = std::fs::read(&segment).expect("read");
    let beside = |name: &str, bytes: &[u8]| std::fs::write(used.join(name), bytes).expect("written");
    beside(
        "text.dwh",
        b"not a database, but long enough to have a header of a hundred bytes. ".repeat(9).as_slice(),
    );
    beside("cut.dwh", &whole[..whole.len() / 2]);
    let foreign = rusqlite::Connection::open(used.join("foreign.dwh")).expect("made");
    foreign.execute_batch("CREATE TABLE t (x)").expect("made");
    drop(foreign);
    let newer = used.join("newer.dwh");
    std::fs::copy(&segment, &newer).expect("copied");
    rusqlite::Connection::open(&newer).expect("open").pragma_update(None, "user_version", 99).expect("set");
    let (segments, notes) = Segments::open(&used, ROOMY).expect("a folder");
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    for (name, says) in [
        ("text.dwh", "isn't a database"),
        ("foreign.dwh", "isn't a record of Dogwatch"),
        ("newer.dwh", "is a record of version 99"),
        ("cut.dwh", "is damaged"),
    ] {
        assert!(notes.iter().any(|note| note.contains(name) && note.contains(says)), "{name}: {notes:?}");
    }
    let keeper = Keeper::open(segments, 6, world.now_ms());
    world.expect(&*keeper.past(), 0);
}

#[test]
fn nothing_is_told_of_a_kind_that_was_never_recorded() {
    each_place(|open| {
        let mut world = World::new(9);
        let mut keeper = Keeper::open(open(ROOMY), 9, world.now_ms());
        live(&mut world, &mut keeper, 5);
        let resource = shared::resource::Resource::parse("apps", "v1", "deployments").expect("a resource");
        let other = KindKey { cluster: "c".into(), resource };
        keeper.tell(&other, Told::Ended(Why::NoViewers), world.now_ms());
        keeper.commit(world.now_ms());
        let past = keeper.past();
        assert_eq!(past.extent(&other), Ok(None));
        assert!(past.moment(&other, world.now_ms()).expect("read").is_none());
        assert!(past.moment(&key(), world.first_ms() - 1).expect("read").is_none());
        assert_eq!(keeper.positions().get(&other), None::<&ResourceVersion>);
    });
}

#[test]
fn the_record_of_a_kind_begins_when_its_first_list_is_whole() {
    each_place(|open| {
        let mut world = World::new(33);
        let mut keeper = Keeper::open(open(ROOMY), 33, world.now_ms());
        world.list_slowly(&mut keeper, 10, 5);
        keeper.commit(world.now_ms());
        let past = keeper.past();
        let whole_ms = world.now_ms();
        assert!(past.moment(&key(), whole_ms - 20).expect("read").is_none());
        world.expect_now(&past.moment(&key(), whole_ms).expect("read").expect("recorded"));
        assert_eq!(past.extent(&key()).expect("read").expect("recorded").from_ms, whole_ms);
    });
}

#[test]
fn a_scan_hands_on_all_changes_and_the_contents_of_those_that_are_wanted() {
    each_place(|open| {
        let mut world = World::new(61);
        let mut keeper = Keeper::open(open(ROOMY), 61, world.now_ms());
        live(&mut world, &mut keeper, 250);
        world.set_clock(world.now_ms() + 25 * 3_600_000);
        live(&mut world, &mut keeper, 250);
        let past = keeper.past();
        let is_wanted = |body: &[u8]| String::from_utf8_lossy(body).contains("CrashLoopBackOff");
        let all = (world.first_ms() + 2_000, world.now_ms() - 2_000);
        for time in [all, (all.0, i64::MAX), (all.1, all.1 + 500)] {
            let changes = past.changes(&key(), time, 0, 10_000).expect("read");
            let expected = changes.into_iter().map(|PastChange { version, .. }| match version.state {
                PastState::There { head, body } if is_wanted(&body) => {
                    (version.at_ms, version.row, Some((head.name, body)))
                }
                _ => (version.at_ms, version.row, None),
            });
            let expected: Vec<_> = expected.collect();
            let mut scanned = Vec::new();
            let mut hear = |Scanned { at_ms, row, found, .. }: Scanned| {
                scanned.push(match found {
                    Found::Wanted { head, body } => (at_ms, row, Some((head.name, body))),
                    Found::Nothing => (at_ms, row, None),
                    Found::Damaged => panic!("{row} is damaged"),
                });
                true
            };
            past.scan(&key(), time, &is_wanted, &mut hear).expect("read");
            assert!(scanned == expected && !expected.is_empty(), "{time:?}");
            // It ends where it is told to.
            let mut heard = 0;
            let mut hear = |_: Scanned| {
                heard += 1;
                heard < 3
            };
            past.scan(&key(), time, &is_wanted, &mut hear).expect("read");
            assert_eq!(heard, 3.min(expected.len()));
        }
    });
}

#[test]
fn events_are_found_by_what_they_are_about() {
    each_place(|open| {
        let mut world = World::new(4);
        let mut keeper = Keeper::open(open(ROOMY), 4, world.now_ms());
        world.put_still(&mut keeper, 2);
        let [one, other] = world.rows()[..] else { panic!("two objects") };
        world.put_about(&mut keeper, one, 3);
        keeper.commit(world.now_ms());
        let about = |row| keeper.past().about(&key(), row, i64::MAX, 10).expect("read");
        assert_eq!((about(one).len(), about(other).len()), (3, 0));
        assert!(about(one).iter().all(|version| matches!(version.state, PastState::There { .. })));
    });
}

#[test]
fn what_happened_is_counted_by_time_and_namespace() {
    each_place(|open| {
        let mut world = World::new(12);
        let mut keeper = Keeper::open(open(ROOMY), 12, world.now_ms());
        live(&mut world, &mut keeper, 80);
        let (from_ms, to_ms) = (world.first_ms(), world.now_ms());
        let count = |within: &Within| {
            let activity = keeper.past().activity(&key(), (from_ms, to_ms), 7, within).expect("read");
            activity.slots.iter().map(|slot| slot.changes).sum::<u32>()
        };
        let mut versions = 0;
        for row in world.all_rows() {
            let of_row = keeper.past().versions(&key(), row, i64::MAX, 1_000).expect("read");
            versions += u32::try_from(of_row.len()).expect("few");
        }
        assert_eq!(count(&Within::All), versions);
        assert_eq!(count(&Within::Named(vec!["default".into()])), versions);
        assert_eq!(count(&Within::Named(vec!["other".into()])), 0);
        assert_eq!(count(&Within::Rows(Vec::new())), 0);
    });
}

#[test]
fn a_name_leads_to_the_object_that_had_it_last_also_when_it_is_gone() {
    each_place(|open| {
        let mut world = World::new(32);
        let mut keeper = Keeper::open(open(ROOMY), 32, world.now_ms());
        let (first, second) = world.put_twice(&mut keeper, "web");
        assert_ne!(first, second);
        keeper.commit(world.now_ms());
        // The next segment hasn't got what is gone.
        world.set_clock(world.now_ms() + 25 * 3_600_000);
        live(&mut world, &mut keeper, 30);
        let past = keeper.past();
        let named = |namespace, name: &str| past.named(&key(), namespace, name).expect("read");
        assert_eq!(named(Some("default"), "web"), Some(second));
        assert_eq!(
            (named(Some("default"), "no-such"), named(Some("other"), "web"), named(None, "web")),
            (None, None, None)
        );
        let versions = past.versions(&key(), second, i64::MAX, 2).expect("read");
        let [deleted, last] = &versions[..] else { panic!("{versions:?}") };
        assert!(
            matches!(deleted.state, PastState::Deleted { .. })
                && matches!(last.state, PastState::There { .. })
        );
    });
}

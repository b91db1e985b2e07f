//! A subscriber that wants each event gets each by itself, beside others that get states; and one that is too slow is
//! told of a gap. The list of what happened is right.

use shared::frame::client::RowDetail;
use shared::frame::server::{Gap, Rows, ServerFrame};
use shared::problem::Reason;
use shared::state::ViewState;

use super::reader::Reader;
use super::world::World;
use super::{following, listed};
use crate::feed::Change;
use crate::hub::Bounds;

const NAMES: [&str; 5] = ["a/1", "a/2", "a/3", "b/1", "b/2"];

/// `name version` of an object that came or changed, and `-name version` of one that left.
fn told(frames: &[ServerFrame]) -> Vec<String> {
    let of_frame = |rows: &Rows| {
        let version = &rows.resource_version;
        let left = rows.left.iter().map(move |(namespace, name)| {
            assert!(namespace.is_some());
            format!("-{name} {version}")
        });
        let put = rows.put.iter().map(|row| format!("{} {}", row.name, row.resource_version));
        left.chain(put).collect::<Vec<_>>()
    };
    rows(frames).flat_map(of_frame).collect()
}

fn rows(frames: &[ServerFrame]) -> impl Iterator<Item = &Rows> {
    frames.iter().filter_map(|frame| match frame {
        ServerFrame::Rows(rows) => Some(rows),
        _ => None,
    })
}

fn gaps(frames: &[ServerFrame]) -> Vec<Gap> {
    rows(frames).filter_map(|rows| rows.gap.clone()).collect()
}

#[test]
fn what_changes_forty_times_within_a_tick_comes_forty_times_to_the_one_and_once_to_the_other() {
    for detail in [RowDetail::Whole, RowDetail::Objects] {
        let mut world = listed(&["a/1", "a/2"]);
        let mut of_states = following(&mut world, Reader::all());
        let mut of_events = following(&mut world, Reader::all().of_events(detail));
        (0..40).for_each(|_| world.put("a/1"));
        world.hub.tick();
        let frames = of_events.read(&mut world);
        assert_eq!(told(&frames).len(), 40, "{detail:?}");
        assert!(gaps(&frames).is_empty());
        let has_object = rows(&frames).flat_map(|rows| &rows.put).all(|row| row.extra.is_some());
        assert_eq!(has_object, detail == RowDetail::Objects);
        of_states.rows_received = 0;
        of_states.read(&mut world);
        assert_eq!(of_states.rows_received, 1);
        of_events.expect_exact(&world);
    }
}

#[test]
fn a_deletion_has_a_version_of_its_own_and_an_object_that_is_made_anew_comes_after_it() {
    let mut world = listed(&["a/1"]);
    let mut reader = following(&mut world, Reader::all().of_events(RowDetail::Whole));
    world.delete("a/1");
    world.put("a/1");
    world.delete("a/1");
    world.put("a/2");
    world.hub.tick();
    assert_eq!(told(&reader.read(&mut world)), ["-a/1 102", "a/1 103", "-a/1 104", "a/2 105"]);
    reader.expect_exact(&world);
}

/// Whatever the order of changes, ticks, reads, proofs and readers that come: each event comes once, in order.
#[test]
fn each_event_comes_once_whatever_happens_between() {
    for seed in 0..200 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut world = listed(&["a/1", "a/2", "b/1"]);
        world.say_state(ViewState::Live);
        let columns = seed % 3 == 0;
        let other = || {
            let reader = if seed % 2 == 0 { Reader::all() } else { Reader::of_namespace("a") };
            let reader = if columns { reader.with_columns() } else { reader };
            reader.of_events(RowDetail::Whole)
        };
        let mut reader = following(&mut world, other());
        let (mut happened, mut heard) = (Vec::new(), Vec::new());
        let mut version = 103;
        for _ in 0..60 {
            let name = NAMES[chance.usize(0..NAMES.len())];
            let is_mine = seed % 2 == 0 || name.starts_with("a/");
            match chance.u8(0..12) {
                0..=4 => {
                    version += 1;
                    world.put(name);
                    happened.extend(is_mine.then(|| format!("{name} {version}")));
                }
                5..=6 if world.has(name) => {
                    version += 1;
                    world.delete(name);
                    happened.extend(is_mine.then(|| format!("-{name} {version}")));
                }
                7..=8 => world.hub.tick(),
                9 => world.sync_after(5_000),
                // Another one of the same view, which walks to the head.
                10 => drop(following(&mut world, other())),
                _ => heard.extend(told(&reader.read(&mut world))),
            }
        }
        world.hub.tick();
        let frames = reader.read(&mut world);
        assert!(gaps(&frames).is_empty(), "{seed}");
        heard.extend(told(&frames));
        assert_eq!(heard, happened, "{seed}");
        reader.expect_exact(&world);
    }
}

#[test]
fn events_of_which_more_came_than_are_kept_are_a_gap_and_the_rows_are_exact() {
    let bounds = Bounds { log_bytes: 2_000, ..Bounds::default() };
    for in_one_tick in [true, false] {
        let mut world = World::listed(bounds, &["a/1", "a/2"]);
        let mut reader = following(&mut world, Reader::all().of_events(RowDetail::Whole));
        for _ in 0..500 {
            world.put("a/1");
            if !in_one_tick {
                world.now_ms += 10;
                world.hub.set_clock(world.now_ms, 500);
                world.hub.tick();
            }
        }
        world.hub.tick();
        let frames = reader.read(&mut world);
        assert!(told(&frames).len() < 100, "{in_one_tick}");
        let [gap] = &gaps(&frames)[..] else { panic!("one gap in {frames:?}") };
        assert_eq!(gap.reason, Reason::Limit);
        assert!(world.hub.event_bytes() <= bounds.log_bytes, "{}", world.hub.event_bytes());
        reader.expect_exact(&world);
        world.put("a/2");
        world.hub.tick();
        let frames = reader.read(&mut world);
        assert_eq!((told(&frames).len(), gaps(&frames).len()), (1, 0), "it goes on");
        reader.expect_exact(&world);
    }
}

#[test]
fn a_list_after_a_break_is_told_with_its_gap() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = following(&mut world, Reader::all().of_events(RowDetail::Whole));
    world.change_unseen("a/1");
    world.delete_unseen("a/2");
    world.relist_after(Gap { from_ms: 1, to_ms: 2, reason: Reason::Expired });
    world.hub.tick();
    let frames = reader.read(&mut world);
    assert_eq!(told(&frames), ["-a/2 104", "a/1 103"]);
    assert_eq!(gaps(&frames).len(), 1, "{frames:?}");
    reader.expect_exact(&world);
}

/// What a list shows to be different comes in no order of the cluster's, so the rows are its state after all of it.
#[test]
fn only_the_last_difference_that_a_list_shows_is_a_cut_and_has_the_lists_version() {
    let mut world = listed(&["a/1", "a/2", "a/3"]);
    let mut reader = following(&mut world, Reader::all().of_events(RowDetail::Whole));
    world.change_unseen("a/3");
    world.change_unseen("a/1");
    world.delete_unseen("a/2");
    world.relist_after(Gap { from_ms: 1, to_ms: 2, reason: Reason::Expired });
    world.hub.tick();
    let frames = reader.read(&mut world);
    let of_frames: Vec<&Rows> = rows(&frames).collect();
    let (last, before) = of_frames.split_last().expect("frames");
    assert!(!before.is_empty() && before.iter().all(|frame| frame.more), "{before:?}");
    let mut put = rows(&frames).flat_map(|frame| &frame.put);
    assert!(
        !last.more && put.all(|row| !last.resource_version.is_older_than(&row.resource_version)),
        "{last:?}"
    );
    reader.expect_exact(&world);
}

/// A list may show that nothing differs, and events may have been missed all the same.
#[test]
fn a_gap_without_a_difference_reaches_a_reader_who_is_behind_it() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = following(&mut world, Reader::all().of_events(RowDetail::Whole));
    world.put("a/1");
    world.hub.tick();
    world.relist_after(Gap { from_ms: 1, to_ms: 2, reason: Reason::Expired });
    world.hub.tick();
    world.put("a/2");
    world.hub.tick();
    let frames = reader.read(&mut world);
    assert_eq!((told(&frames).len(), gaps(&frames).len()), (2, 1), "{frames:?}");
    reader.expect_exact(&world);
}

/// A frame that moves a quiet view on waits for a slow reader, and what comes after it waits as well.
#[test]
fn a_slow_reader_of_a_quiet_view_gets_each_event_that_comes_then() {
    let mut world = listed(&["a/1", "b/1"]);
    let mut reader = following(&mut world, Reader::of_namespace("a").of_events(RowDetail::Whole));
    for _ in 0..3 {
        world.put("b/1");
        world.hub.tick();
        world.sync_after(5_000);
    }
    world.put("b/1");
    world.hub.tick();
    (0..4).for_each(|_| world.put("a/1"));
    world.hub.tick();
    let frames = reader.read(&mut world);
    assert_eq!((told(&frames).len(), gaps(&frames).len()), (4, 0), "{frames:?}");
    reader.expect_exact(&world);
}

#[test]
fn before_the_first_list_is_complete_more_comes_to_a_reader_of_events_as_well() {
    // A walk takes a frame for each row, and its last one brings the view on.
    let mut world = World::new(Bounds { frame_bytes: 1, ..Bounds::default() });
    ["a/1", "b/1"].into_iter().for_each(|name| world.change_unseen(name));
    world.say(Change::ListStart);
    let (mine, other) = (world.object("a/1"), world.object("b/1"));
    world.say(Change::Listed(mine));
    world.hub.tick();
    let opened = |world: &mut World| {
        let mut reader = Reader::of_namespace("a").of_events(RowDetail::Whole);
        reader.open(world);
        reader.read(world);
        reader
    };
    let mut first = opened(&mut world);
    world.say(Change::Listed(other));
    world.hub.tick();
    opened(&mut world);
    let frames = first.read(&mut world);
    assert!(rows(&frames).count() > 0 && rows(&frames).all(|frame| frame.more), "{frames:?}");
}

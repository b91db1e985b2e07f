//! The hub against an oracle that is just a map: readers that follow, stall, resume and filter, under
//! random changes, lists and ticks. At every cut a reader's rows equal the oracle's.

mod bounds;
mod custom;
mod reader;
mod resume;
mod scenario;
mod schedule;
mod sync;
mod timeline;
mod world;

use shared::frame::server::ServerFrame;
use shared::problem::{Problem, Reason};

use super::{Bounds, LogBounds};
use crate::feed::{Change, FeedOutput, LeftOut};
use reader::Reader;
use world::World;

const SMALL: Bounds = Bounds {
    tombstones: 3,
    remembered_changes: 8,
    frame_bytes: 300,
    log: LogBounds { entries: 5, bytes: 10_000 },
};

fn listed(names: &[&str]) -> World {
    let mut world = World::new(Bounds::default());
    world.list(names);
    world
}

#[test]
fn a_first_load_ends_in_a_cut_with_everything() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.row_count(), 3);
}

#[test]
fn an_empty_list_is_a_cut_as_well() {
    let mut world = World::new(Bounds::default());
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    world.list(&[]);
    world.hub.tick();
    reader.read_all(&mut world);
    reader.expect_exact(&world);
}

#[test]
fn a_live_change_is_the_cell_that_changed_and_the_same_bytes_for_all() {
    let mut world = listed(&["a/1", "a/2"]);
    let (mut first, mut second) = (Reader::all(1), Reader::all(2));
    for reader in [&mut first, &mut second] {
        reader.open(&mut world);
        reader.read_all(&mut world);
    }
    world.put("a/1");
    world.hub.tick();
    let frames = [first.read_all(&mut world), second.read_all(&mut world)];
    let [one, two] = frames.each_ref().map(|frames| match frames.as_slice() {
        [ServerFrame::Rows(rows)] => rows.clone(),
        other => panic!("one frame of rows, not {other:?}"),
    });
    assert_eq!(one, two);
    assert_eq!((one.put.len(), one.set.len()), (0, 1));
    assert_eq!(one.set.first().map(|patch| patch.cells.len()), Some(1));
    first.expect_exact(&world);
}

#[test]
fn who_reads_while_the_next_change_has_come_gets_the_same_bytes_all_the_same() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut readers = [Reader::all(1), Reader::all(2)];
    for reader in &mut readers {
        reader.open(&mut world);
        reader.read_all(&mut world);
    }
    world.put("a/1");
    world.hub.tick();
    // In no frame yet.
    world.put("a/2");
    let [one, two] = readers.each_mut().map(|reader| reader.read_all(&mut world));
    assert!(matches!(one.as_slice(), [ServerFrame::Rows(rows)] if rows.put.is_empty()), "{one:?}");
    assert_eq!(one, two);
    world.hub.tick();
    readers.iter_mut().for_each(|reader| drop(reader.read_all(&mut world)));
    readers.iter().for_each(|reader| reader.expect_exact(&world));
}

#[test]
fn a_slow_reader_gets_the_latest_value_once() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    for _ in 0..100 {
        world.put("a/1");
        world.hub.tick();
    }
    let frames = reader.read_all(&mut world);
    let puts: usize =
        frames.iter().map(|frame| if let ServerFrame::Rows(rows) = frame { rows.put.len() } else { 0 }).sum();
    assert_eq!(puts, 1, "{frames:?}");
    reader.expect_exact(&world);
}

#[test]
fn a_token_continues_with_what_changed_and_nothing_else() {
    let mut world = listed(&["a/1", "a/2", "a/3"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    reader.leave(&mut world);
    world.put("a/1");
    world.delete("a/2");
    world.hub.tick();
    reader.resume(&mut world);
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!((reader.resets, reader.rows_received), (0, 4));
}

#[test]
fn a_token_behind_the_horizon_begins_anew_and_loses_nothing() {
    let mut world = World::new(SMALL);
    world.list(&["a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "a/7"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    reader.leave(&mut world);
    for name in ["a/1", "a/2", "a/3", "a/4", "a/5"] {
        world.delete(name);
        world.hub.tick();
    }
    reader.resume(&mut world);
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.resets, 1);
}

#[test]
fn the_first_walk_of_a_busy_hub_does_not_reset_itself() {
    let mut world = World::new(SMALL);
    let names: Vec<String> = (0..40).map(|n| format!("a/{n}")).collect();
    world.list(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for name in names.iter().take(10) {
        world.delete(name);
    }
    world.hub.tick();
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    let mut steps = 0;
    while reader.read(&mut world) {
        world.put("a/39");
        steps += 1;
        assert!(steps < 1_000, "it never ends");
        if steps > 60 {
            world.hub.tick();
            break;
        }
    }
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.resets, 0);
}

#[test]
fn a_relist_is_the_changes_that_it_found_and_a_gap() {
    let mut world = listed(&["a/1", "a/2", "a/3"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    world.change_unseen("a/1");
    world.delete_unseen("a/2");
    world.relist(true);
    world.hub.tick();
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!((reader.resets, reader.gaps), (0, 1));
}

#[test]
fn a_list_that_breaks_off_changes_nothing() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    let object = world.object("a/1");
    for change in [Change::ListStart, Change::Listed(object), Change::ListAborted] {
        world.hub.apply(FeedOutput::Change(change));
    }
    world.hub.tick();
    assert!(reader.read_all(&mut world).is_empty());
    reader.expect_exact(&world);
}

#[test]
fn resource_versions_that_go_back_are_a_new_epoch_and_the_old_rows_stay_until_its_cut() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    let before = reader.epoch().to_owned();
    world.rewind(&["a/2", "a/9"]);
    world.hub.tick();
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.resets, 1);
    assert_ne!(reader.epoch(), before);
}

#[test]
fn a_list_with_an_older_object_is_of_another_history_and_keeps_the_rows_that_it_shares_with_ours() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    let before = reader.epoch().to_owned();
    world.age_unseen("a/2", 50);
    world.relist(false);
    world.hub.tick();
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_ne!(reader.epoch(), before);
    assert_eq!(reader.row_count(), 2);
}

#[test]
fn a_deleted_object_that_is_in_the_first_list_after_all_is_a_new_epoch() {
    let mut world = World::new(Bounds::default());
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    world.list_until_deleted(&["a/1", "a/2"], "a/1");
    world.hub.tick();
    reader.read_all(&mut world);
    let before = reader.epoch().to_owned();
    world.restore(900, &["a/1", "a/2"]);
    world.hub.tick();
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_ne!(reader.epoch(), before);
}

#[test]
fn a_new_epoch_is_not_told_as_a_continuation_to_one_that_came_with_a_token() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    reader.leave(&mut world);
    reader.resume(&mut world);
    let continued = |frames: &[ServerFrame]| {
        let at = |frame: &ServerFrame| match frame {
            ServerFrame::Subscribed(answer) => Some(answer.at),
            _ => None,
        };
        frames.iter().find_map(at).expect("an answer")
    };
    assert!(continued(&reader.read_all(&mut world)).is_some());
    world.rewind(&["a/2", "a/9"]);
    assert_eq!(continued(&reader.read_all(&mut world)), None);
    reader.expect_exact(&world);
}

#[test]
fn an_answer_from_before_what_is_held_takes_nobody_back() {
    let mut world = listed(&["a/1"]);
    let old = world.object("a/1");
    world.put("a/1");
    world.hub.tick();
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    world.hub.apply(FeedOutput::Change(Change::Put(old)));
    world.hub.tick();
    reader.read_all(&mut world);
    reader.expect_exact(&world);
}

#[test]
fn a_view_in_which_nothing_happens_costs_nothing_and_its_token_stays_young() {
    let mut world = listed(&["a/1", "b/1"]);
    let mut reader = Reader::of_namespace(1, "b");
    reader.open(&mut world);
    reader.read_all(&mut world);
    for _ in 0..50 {
        world.put("a/1");
        world.hub.tick();
        assert!(reader.read_all(&mut world).is_empty());
    }
    world.hub.owe_sync();
    assert_eq!(reader.read_all(&mut world).len(), 1, "where the hub is by now");
    world.put("b/1");
    world.hub.tick();
    let frames = reader.read_all(&mut world);
    assert!(matches!(frames.as_slice(), [ServerFrame::Rows(rows)] if rows.set.len() == 1), "{frames:?}");
    reader.expect_exact(&world);
}

#[test]
fn an_object_that_stops_matching_is_a_delete_and_comes_back_as_a_row() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = Reader::of_label(1, "colour=red");
    reader.open(&mut world);
    reader.read_all(&mut world);
    for colour in ["red", "blue", "red"] {
        world.paint("a/1", colour);
        world.hub.tick();
        reader.read_all(&mut world);
        reader.expect_exact(&world);
        assert_eq!(reader.row_count(), usize::from(colour == "red"));
    }
}

#[test]
fn a_second_subscription_of_one_connection_has_a_number_of_its_own() {
    let mut world = listed(&["a/1"]);
    let (mut first, mut second) = (Reader::all(1), Reader::all(2));
    first.open(&mut world);
    second.is_second = true;
    second.open(&mut world);
    first.read_all(&mut world);
    second.read_all(&mut world);
    assert_ne!(first.view(), second.view());
}

#[test]
fn an_object_reads_back_as_it_came_in() {
    let world = listed(&["a/1"]);
    let object = world.object("a/1");
    assert_eq!(world.hub.object(object.row.id).as_deref(), Some(&*object.body));
}

#[test]
fn an_object_with_the_row_id_of_another_is_left_out_and_named() {
    let mut world = listed(&["a/1"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    let mut other = world.object("a/1");
    other.row.name = "twin".into();
    other.row.resource_version = "999".into();
    world.hub.apply(FeedOutput::Change(Change::Put(other)));
    world.hub.tick();
    let frames = reader.read_all(&mut world);
    assert!(
        matches!(frames.as_slice(), [ServerFrame::State(frame)]
            if frame.report.problem.as_ref().is_some_and(|problem| problem.message.contains("a/twin"))),
        "{frames:?}"
    );
    reader.expect_exact(&world);
}

#[test]
fn of_an_object_that_has_become_too_large_no_old_row_stays() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    reader.read_all(&mut world);
    let object = world.object("a/1").row.order_key().into();
    let problem = Problem::new(Reason::TooLarge, "a/1 is larger than 16 MiB and is left out");
    world.hub.apply(FeedOutput::Change(Change::LeftOut(LeftOut { object, problem })));
    world.delete_unseen("a/1");
    world.hub.tick();
    let frames = reader.read_all(&mut world);
    assert!(frames.iter().any(|frame| matches!(frame, ServerFrame::Rows(rows) if rows.delete.len() == 1)));
    reader.expect_exact(&world);
}

//! What a hub sends, and how little. That rows are exact after any history and any fault is the
//! simulation's to test (`tests/simulation`).

mod bounds;
mod cells;
mod custom;
mod effort;
mod events;
mod heard;
mod outside;
mod reader;
mod schedule;
mod timeline;
mod timelines;
mod trouble;
mod world;

use shared::frame::server::ServerFrame;
use shared::problem::{Problem, Reason};
use shared::state::{ViewState, Whom};

use super::Bounds;
use crate::feed::{Change, LeftOut};
use reader::Reader;
use world::World;

fn listed(names: &[&str]) -> World {
    World::listed(Bounds::default(), names)
}

/// Has read all there is.
fn following(world: &mut World, mut reader: Reader) -> Reader {
    reader.open(world);
    world.read_cells();
    reader.read(world);
    reader.expect_exact(world);
    reader
}

#[test]
fn a_live_change_is_the_cell_that_changed_in_the_same_frame_for_all_even_if_another_change_has_come() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut readers = [0, 1].map(|_| following(&mut world, Reader::all()));
    world.put("a/1");
    world.hub.tick();
    // In no frame yet.
    world.put("a/2");
    let [one, two] = readers.each_mut().map(|reader| reader.read(&mut world));
    assert_eq!(one, two);
    let [ServerFrame::Rows(rows)] = one.as_slice() else { panic!("one frame of rows, not {one:?}") };
    assert_eq!((rows.put.len(), rows.set.len()), (0, 1));
    assert_eq!(rows.set.first().map(|patch| patch.cells.len()), Some(1));
    world.hub.tick();
    for reader in &mut readers {
        reader.read(&mut world);
        reader.expect_exact(&world);
    }
}

#[test]
fn a_digest_comes_with_the_first_sync_and_then_every_30_s() {
    let mut world = listed(&["a/1"]);
    world.say_state(ViewState::Live);
    let mut reader = Reader::all();
    reader.open(&mut world);
    let mut seconds = Vec::new();
    for second in (0..=90).step_by(5) {
        let frames = reader.read(&mut world);
        let has_digest =
            |frame: &ServerFrame| matches!(frame, ServerFrame::Sync(sync) if sync.digest.is_some());
        seconds.extend(frames.iter().any(has_digest).then_some(second));
        world.sync_after(5_000);
    }
    assert_eq!(seconds, [0, 30, 60, 90]);
}

#[test]
fn a_slow_reader_gets_the_latest_value_once() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = following(&mut world, Reader::all());
    reader.rows_received = 0;
    for _ in 0..100 {
        world.put("a/1");
        world.hub.tick();
    }
    reader.read(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.rows_received, 1);
}

#[test]
fn a_token_continues_with_what_changed_and_nothing_else() {
    let mut world = listed(&["a/1", "a/2", "a/3"]);
    let mut reader = following(&mut world, Reader::all());
    reader.leave(&mut world);
    world.put("a/1");
    world.delete("a/2");
    world.hub.tick();
    reader.open(&mut world);
    reader.read(&mut world);
    reader.expect_exact(&world);
    assert_eq!((reader.resets, reader.rows_received), (0, 1));
}

#[test]
fn a_viewer_of_another_hub_that_missed_more_changes_than_are_remembered_begins_anew() {
    const REMEMBERED: usize = 8;
    for (changes, resets) in [(REMEMBERED, 0), (REMEMBERED + 1, 1)] {
        let bounds = Bounds { remembered_changes: REMEMBERED, ..Bounds::default() };
        let mut world = World::listed(bounds, &["a/1", "a/2"]);
        let mut reader = following(&mut world, Reader::all());
        reader.leave(&mut world);
        world.restart();
        (0..changes).for_each(|_| world.put("a/1"));
        reader.open(&mut world);
        reader.read(&mut world);
        reader.expect_exact(&world);
        assert_eq!(reader.resets, resets, "{changes}");
    }
}

#[test]
fn an_object_that_is_listed_although_it_was_deleted_is_of_another_history() {
    let mut world = World::new(Bounds::default());
    let mut reader = Reader::all();
    reader.open(&mut world);
    // A first list that broke off.
    for name in ["a/1", "a/2"] {
        world.put(name);
    }
    world.delete("a/1");
    world.hub.tick();
    reader.read(&mut world);
    world.restore(900, &["a/1", "a/2"]);
    world.hub.tick();
    reader.read(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.resets, 1);
}

#[test]
fn a_view_in_which_nothing_happens_costs_nothing_and_its_token_stays_young() {
    let mut world = listed(&["a/1", "b/1"]);
    world.say_state(ViewState::Live);
    let mut reader = following(&mut world, Reader::of_namespace("b"));
    for _ in 0..50 {
        world.put("a/1");
        world.hub.tick();
        assert!(reader.read(&mut world).is_empty());
    }
    world.sync_after(0);
    let frames = reader.read(&mut world);
    assert!(
        matches!(frames.as_slice(), [ServerFrame::Rows(_), ServerFrame::Sync(_)]),
        "where the hub is by now: {frames:?}"
    );
    world.put("b/1");
    world.hub.tick();
    let frames = reader.read(&mut world);
    assert!(matches!(frames.as_slice(), [ServerFrame::Rows(rows)] if rows.set.len() == 1), "{frames:?}");
    reader.expect_exact(&world);
}

#[test]
fn a_view_is_said_to_be_live_after_the_rows_that_came_before() {
    let mut world = listed(&["a/1"]);
    let mut reader = following(&mut world, Reader::all());
    world.say_state(ViewState::Resuming { since_ms: 0 });
    reader.read(&mut world);
    world.put("a/2");
    world.say_state(ViewState::Live);
    let frames = reader.read(&mut world);
    let is_last = |frame: &ServerFrame| matches!(frame, ServerFrame::State(said) if said.report.state == ViewState::Live);
    assert!(matches!(frames.as_slice(), [ServerFrame::Rows(_), last, ..] if is_last(last)), "{frames:?}");
}

#[test]
fn a_second_subscription_of_one_connection_has_a_number_of_its_own() {
    let mut world = listed(&["a/1"]);
    let first = following(&mut world, Reader::all());
    let mut second = Reader::all();
    second.is_second = true;
    let second = following(&mut world, second);
    assert_ne!(first.view, second.view);
}

#[test]
fn an_object_with_the_row_id_of_another_is_left_out_and_named() {
    let mut world = listed(&["a/1"]);
    let mut reader = following(&mut world, Reader::all());
    let mut other = world.object("a/1");
    other.row.name = "twin".into();
    other.row.resource_version = "999".into();
    world.say(Change::Put(other));
    world.hub.tick();
    let frames = reader.read(&mut world);
    assert!(
        matches!(frames.as_slice(), [ServerFrame::State(frame)]
            if frame.report.problem.as_ref().is_some_and(|problem| problem.message.contains("a/twin"))),
        "{frames:?}"
    );
    reader.expect_exact(&world);
}

#[test]
fn an_object_that_has_become_too_large_loses_its_old_row() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = following(&mut world, Reader::all());
    let object = world.object("a/1").row.order_key().into();
    let problem = Problem::new(Reason::TooLarge, "a/1 is larger than 16 MiB and is left out");
    world.say(Change::LeftOut(LeftOut { object, problem }));
    world.delete_unseen("a/1");
    world.hub.tick();
    reader.read(&mut world);
    reader.expect_exact(&world);
}

#[test]
fn a_view_that_is_not_current_gets_no_sync() {
    let mut world = listed(&["a/1"]);
    world.say_state(ViewState::Stale { since_ms: 9 });
    let mut reader = Reader::all();
    reader.open(&mut world);
    let frames = reader.read(&mut world);
    assert!(!frames.iter().any(|frame| matches!(frame, ServerFrame::Sync(_))), "{frames:?}");
}

#[test]
fn a_viewer_that_comes_while_the_cluster_forbids_the_list_gets_no_rows_until_it_is_allowed() {
    let mut world = listed(&["a/1"]);
    world.say_state(ViewState::Forbidden { to: Whom::Gateway });
    let mut reader = Reader::all();
    reader.open(&mut world);
    let frames = reader.read(&mut world);
    assert!(matches!(frames.as_slice(), [ServerFrame::Subscribed(_)]), "{frames:?}");
    world.say_state(ViewState::Live);
    reader.read(&mut world);
    reader.expect_exact(&world);
}

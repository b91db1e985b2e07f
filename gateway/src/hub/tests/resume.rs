//! Tokens of another hub: who comes with one is continued where the rows are the same, or begins anew.

use super::reader::Reader;
use super::world::World;
use super::{SMALL, listed};
use crate::hub::Bounds;

fn following(world: &mut World) -> Reader {
    let mut reader = Reader::all(1);
    reader.open(world);
    reader.read_all(world);
    reader
}

fn restarted(world: &mut World, readers: &mut [&mut Reader]) {
    world.restart();
    for reader in readers {
        reader.lose(world);
        reader.rows_received = 0;
    }
}

#[test]
fn a_token_of_another_gateway_continues_with_what_changed_and_what_went_and_nothing_else() {
    let mut world = listed(&["a/1", "a/2", "a/3"]);
    let mut reader = following(&mut world);
    let version = world.version();
    restarted(&mut world, &mut [&mut reader]);
    world.change_unseen("a/1");
    world.delete_unseen("a/2");
    reader.resume(&mut world);
    reader.read_all(&mut world);
    assert!(reader.is_waiting, "nothing is known yet");
    world.begin_from(version);
    world.hub.tick();
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!((reader.resets, reader.rows_received), (0, 1));
}

#[test]
fn who_stands_between_two_changes_and_comes_later_than_both_is_continued_there() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    let version = world.version();
    let (mut early, mut late) = (following(&mut world), Reader::of_namespace(2, "b"));
    world.put("b/1");
    world.put("a/1");
    late.open(&mut world);
    late.read_all(&mut world);
    restarted(&mut world, &mut [&mut early, &mut late]);
    world.change_unseen("a/2");
    world.change_unseen("b/1");
    world.begin_from(version);
    for (reader, rows) in [(&mut early, 3), (&mut late, 1)] {
        reader.resume(&mut world);
        reader.read_all(&mut world);
        reader.expect_exact(&world);
        assert_eq!((reader.resets, reader.rows_received), (0, rows));
    }
}

#[test]
fn who_stands_ahead_of_the_first_list_waits_for_the_watch_and_not_for_ever() {
    let mut world = listed(&["a/1", "a/2"]);
    let version = world.version();
    world.put("a/1");
    let mut reader = following(&mut world);
    let ahead = world.version();
    for (is_brought, resets) in [(true, 0), (false, 1)] {
        restarted(&mut world, &mut [&mut reader]);
        reader.resume(&mut world);
        // What was written since the list comes a moment later, or never.
        world.begin_up_to(version, version);
        world.hub.tick();
        reader.read_all(&mut world);
        assert!(reader.is_waiting && world.hub.has_waiting());
        if is_brought {
            world.go_on_from(version, ahead);
            world.hub.tick();
        } else {
            world.hub.give_up_waiting();
        }
        reader.read_all(&mut world);
        assert!(!reader.is_waiting && !world.hub.has_waiting());
        assert_eq!(reader.resets, resets);
    }
}

#[test]
fn a_history_that_went_another_way_continues_nobody_though_its_version_has_passed_the_token() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = following(&mut world);
    restarted(&mut world, &mut [&mut reader]);
    // A snapshot was restored, and as much was written again as had been before.
    let version = world.version();
    world.rewind_unheard(version - 1, &["a/1", "a/2"]);
    world.begin_from(world.version());
    reader.resume(&mut world);
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.resets, 1);
}

#[test]
fn who_missed_more_changes_than_are_remembered_begins_anew() {
    for (changes, resets) in [(SMALL.remembered_changes, 0), (SMALL.remembered_changes + 1, 1)] {
        let mut world = World::new(Bounds { frame_bytes: 10_000, ..SMALL });
        world.list(&["a/1", "a/2"]);
        let mut reader = following(&mut world);
        let version = world.version();
        restarted(&mut world, &mut [&mut reader]);
        (0..changes).for_each(|_| world.change_unseen("a/1"));
        world.begin_from(version);
        reader.resume(&mut world);
        reader.read_all(&mut world);
        reader.expect_exact(&world);
        assert_eq!(reader.resets, resets, "{changes}");
    }
}

#[test]
fn who_missed_more_deletes_than_are_remembered_begins_anew() {
    let names = ["a/1", "a/2", "a/3", "a/4", "a/5"];
    for (deletes, resets) in [(SMALL.tombstones, 0), (SMALL.tombstones + 1, 1)] {
        let mut world = World::new(SMALL);
        world.list(&names);
        let mut reader = following(&mut world);
        let version = world.version();
        restarted(&mut world, &mut [&mut reader]);
        names.iter().take(deletes).for_each(|name| world.delete_unseen(name));
        world.begin_from(version);
        reader.resume(&mut world);
        reader.read_all(&mut world);
        reader.expect_exact(&world);
        assert_eq!(reader.resets, resets, "{deletes}");
    }
}

#[test]
fn who_lost_its_gateway_in_the_middle_of_a_walk_begins_anew() {
    let mut world = World::new(SMALL);
    world.list(&["a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "a/7", "a/8"]);
    let mut reader = following(&mut world);
    for name in ["a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "a/7", "a/8"] {
        world.put(name);
    }
    world.hub.tick();
    assert!(reader.read(&mut world), "a part of it");
    let version = world.version();
    restarted(&mut world, &mut [&mut reader]);
    world.begin_from(version);
    reader.resume(&mut world);
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.resets, 1);
}

//! Columns that readers ask for beyond the server's.

use proptest::prelude::*;
use serde_json::json;
use shared::cell::Cell;
use shared::problem::Reason;

use super::reader::Reader;
use super::world::World;
use super::{following, listed};
use crate::feed::Change;
use crate::hub::Bounds;
use crate::limits::{CUSTOM_LINGER_MS, CUSTOM_SETS_MAX};

/// A reader of these columns alone, with the cells that it has of one object.
fn cells_of(world: &mut World, columns: &str) -> (Reader, Vec<Cell>) {
    let mut reader = Reader::all();
    reader.ask_for(columns);
    reader.open(world);
    world.read_cells();
    reader.read(world);
    let cells = reader.table.rows().next().and_then(|row| row.cells.get(2..)).unwrap_or_default().to_vec();
    (reader, cells)
}

#[test]
fn columns_that_a_reader_asked_for_stand_behind_the_servers_and_change_as_any_cell_does() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    let mut reader = following(&mut world, Reader::all().with_columns());
    let names: Vec<&str> = reader.table.columns().iter().map(|column| &*column.name).collect();
    assert_eq!(names, ["Name", "Value", "COLOUR", "VALUES"]);
    world.paint("a/2", "red");
    world.put("b/1");
    world.delete("a/1");
    world.hub.tick();
    let frames = reader.read(&mut world);
    assert_eq!(frames.len(), 1, "one live frame: {frames:?}");
    reader.expect_exact(&world);
}

#[test]
fn only_the_reader_that_asks_for_columns_of_a_hub_that_runs_waits_for_their_cells() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    let (mut other, mut reader) = (Reader::all(), Reader::all().with_columns());
    other.open(&mut world);
    reader.open(&mut world);
    assert!(world.hub.has_unread());
    world.put("a/1");
    world.hub.tick();
    other.read(&mut world);
    other.expect_exact(&world);
    reader.read(&mut world);
    assert!(reader.table.is_empty(), "cells are missing yet");
    assert!(!world.hub.read_cells(2), "one is left");
    assert!(world.hub.read_cells(2), "it has news now");
    reader.read(&mut world);
    reader.expect_exact(&world);
}

#[test]
fn a_token_continues_with_the_same_columns_and_with_no_others() {
    for is_other_hub in [false, true] {
        let mut world = listed(&["a/1", "a/2", "b/1"]);
        let mut reader = following(&mut world, Reader::all().with_columns());
        reader.leave(&mut world);
        if is_other_hub {
            // A first reader with these columns, so that their cells are known from the start.
            world.restart();
            following(&mut world, Reader::all().with_columns());
        }
        world.put("b/1");
        reader.open(&mut world);
        assert!(!world.hub.has_unread(), "they were kept up");
        reader.read(&mut world);
        reader.expect_exact(&world);
        assert_eq!((reader.resets, reader.rows_received), (0, 1));
        reader.leave(&mut world);
        reader.ask_for("COLOUR:.metadata.labels.colour");
        reader.open(&mut world);
        world.read_cells();
        reader.read(&mut world);
        assert_eq!((reader.resets, reader.table.len()), (1, 3));
    }
}

#[test]
fn cells_that_have_no_viewer_are_forgotten_after_a_minute() {
    let mut world = listed(&["a/1"]);
    world.sync_after(0);
    let mut reader = following(&mut world, Reader::all().with_columns());
    for (wait_ms, is_forgotten) in [(CUSTOM_LINGER_MS - 1, false), (CUSTOM_LINGER_MS, true)] {
        reader.leave(&mut world);
        world.sync_after(wait_ms);
        reader.open(&mut world);
        assert_eq!(world.hub.has_unread(), is_forgotten);
        world.read_cells();
    }
}

#[test]
fn a_resource_is_shown_with_64_sets_of_columns_and_one_more_is_refused_with_a_reason() {
    let mut world = listed(&["a/1"]);
    let open = |world: &mut World, number: usize| cells_of(world, &format!("C{number}:.values[0]"));
    let mut readers: Vec<Reader> = Vec::new();
    for number in 0..CUSTOM_SETS_MAX {
        let (reader, cells) = open(&mut world, number);
        assert_eq!((&reader.problem, cells.len()), (&None, 1), "{number}");
        readers.push(reader);
    }
    let (mut refused, _) = open(&mut world, CUSTOM_SETS_MAX);
    let problem = refused.problem.take().expect("it is told");
    assert_eq!((problem.reason, refused.table.len()), (Reason::Limit, 0));
    // A set without a viewer makes room.
    refused.leave(&mut world);
    readers.first_mut().expect("many").leave(&mut world);
    assert_eq!(open(&mut world, CUSTOM_SETS_MAX).1.len(), 1);
}

#[test]
fn a_value_keeps_its_type_and_what_is_long_or_missing_says_so() {
    let mut world = listed(&["a/1"]);
    let mut object = world.object("a/1");
    object.row.resource_version = "900".into();
    let body = json!({
        "whole": 3, "part": 1.5, "yes": true, "nothing": null, "list": ["a", 1],
        "long": "x".repeat(5_000), "many": vec![0; 30_000],
    });
    object.body = body.to_string().into();
    world.say(Change::Put(object));
    let expected = [
        (".whole", Cell::Int(3)),
        (".part", Cell::Float(1.5)),
        (".yes", Cell::Bool(true)),
        (".nothing", Cell::text("<nil>")),
        (".missing", Cell::text("<none>")),
        (".list", Cell::text("[a 1]")),
        (".list[*]", Cell::text("a,1")),
    ];
    for (path, cell) in expected {
        assert_eq!(cells_of(&mut world, &format!("C:{path}")).1, [cell], "{path}");
    }
    // Too long, too much to read, and after that even a short one.
    let (_, cells) = cells_of(&mut world, "LONG:.long,MANY:.many[*],AFTER:.whole");
    let texts: Vec<String> = cells.iter().map(|cell| cell.print(0)).collect();
    assert!(texts.iter().all(|text| text.ends_with('…')), "{texts:?}");
    assert_eq!(texts.first().map(String::len), Some(1_024 + '…'.len_utf8()));
}

#[derive(Clone, Debug)]
enum Step {
    Put(usize),
    Delete(usize),
    /// A list, after a change that no event told.
    Relist(usize),
    Tick,
    ReadCells,
    Restart,
    Open,
    Leave,
    Read,
}

const NAMES: [&str; 5] = ["a/0", "a/1", "a/2", "b/0", "b/1"];

fn step() -> impl Strategy<Value = Step> {
    let name = 0..NAMES.len();
    prop_oneof![
        4 => name.clone().prop_map(Step::Put),
        2 => name.clone().prop_map(Step::Delete),
        1 => name.prop_map(Step::Relist),
        3 => Just(Step::Tick),
        4 => Just(Step::ReadCells),
        1 => Just(Step::Restart),
        2 => Just(Step::Open),
        1 => Just(Step::Leave),
        4 => Just(Step::Read),
    ]
}

proptest! {
    #[test]
    fn rows_with_custom_columns_are_exact_after_any_history(
        steps in proptest::collection::vec(step(), 0..60),
        tombstones in 1_usize..6,
        frame_bytes in 60_usize..600,
    ) {
        let bounds = Bounds { tombstones, frame_bytes, ..Bounds::default() };
        let mut world = World::listed(bounds, &NAMES[..3]);
        let mut reader = Reader::of_namespace("a").with_columns();
        for step in steps {
            match step {
                Step::Put(name) => world.put(NAMES[name]),
                Step::Delete(name) => world.delete(NAMES[name]),
                Step::Relist(name) => {
                    world.change_unseen(NAMES[name]);
                    world.relist();
                }
                Step::Tick => world.hub.tick(),
                Step::ReadCells => drop(world.hub.read_cells(2)),
                Step::Restart => {
                    if reader.is_open() {
                        reader.leave(&mut world);
                    }
                    world.restart();
                }
                Step::Open if !reader.is_open() => reader.open(&mut world),
                Step::Leave if reader.is_open() => reader.leave(&mut world),
                Step::Read if reader.is_open() => drop(reader.read(&mut world)),
                Step::Open | Step::Leave | Step::Read => {}
            }
        }
        if !reader.is_open() {
            reader.open(&mut world);
        }
        world.read_cells();
        world.hub.give_up_waiting();
        world.hub.tick();
        reader.read(&mut world);
        reader.expect_exact(&world);
    }
}

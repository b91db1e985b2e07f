//! Columns that readers ask for beyond the server's.

use shared::cell::Cell;
use shared::problem::Reason;

use super::listed;
use super::reader::Reader;
use super::world::World;
use crate::feed::FeedOutput;
use crate::limits::{CUSTOM_LINGER_MS, CUSTOM_SETS_MAX};

fn following(world: &mut World) -> Reader {
    let mut reader = Reader::all(1).with_columns();
    reader.open(world);
    world.read_cells();
    reader.read_all(world);
    reader
}

#[test]
fn columns_that_a_reader_asked_for_stand_behind_the_servers_and_change_as_any_cell_does() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    let mut reader = following(&mut world);
    reader.expect_exact(&world);
    assert_eq!(*reader.titles, ["Name", "Value", "COLOUR", "VALUES"].map(Box::from));
    world.paint("a/2", "red");
    world.put("b/1");
    world.delete("a/1");
    world.hub.tick();
    let frames = reader.read_all(&mut world);
    assert_eq!(frames.len(), 1, "one live frame: {frames:?}");
    reader.expect_exact(&world);
}

#[test]
fn who_asks_for_columns_of_a_hub_that_runs_waits_for_their_cells_and_nobody_else_does() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    let (mut other, mut reader) = (Reader::all(1), Reader::all(2).with_columns());
    other.open(&mut world);
    reader.open(&mut world);
    assert!(world.hub.has_unread());
    world.put("a/1");
    world.hub.tick();
    other.read_all(&mut world);
    other.expect_exact(&world);
    reader.read_all(&mut world);
    assert_eq!(reader.row_count(), 0, "cells are missing yet");
    assert!(!world.hub.read_cells(2), "one is left");
    assert!(world.hub.read_cells(2), "it has news now");
    reader.read_all(&mut world);
    reader.expect_exact(&world);
}

#[test]
fn a_token_continues_with_the_same_columns_and_with_no_others() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    let mut reader = following(&mut world);
    reader.leave(&mut world);
    world.put("b/1");
    (reader.rows_received, reader.resets) = (0, 0);
    reader.resume(&mut world);
    assert!(!world.hub.has_unread(), "they were kept up");
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!((reader.resets, reader.rows_received), (0, 1));
    reader.leave(&mut world);
    reader.ask_for(&[("COLOUR", ".metadata.labels.colour")]);
    reader.resume(&mut world);
    world.read_cells();
    reader.read_all(&mut world);
    assert_eq!((reader.resets, reader.row_count()), (1, 3));
}

#[test]
fn a_token_of_another_gateway_continues_with_the_same_columns() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    let mut reader = following(&mut world);
    let version = world.version();
    world.restart();
    reader.lose(&mut world);
    (reader.rows_received, reader.resets) = (0, 0);
    world.change_unseen("a/1");
    reader.resume(&mut world);
    world.begin_from(version);
    world.hub.tick();
    reader.read_all(&mut world);
    reader.expect_exact(&world);
    assert_eq!((reader.resets, reader.rows_received), (0, 1));
}

#[test]
fn cells_that_nobody_looks_at_are_forgotten_after_a_minute() {
    let mut world = listed(&["a/1"]);
    world.hub.set_clock(world.now_ms, 500);
    let mut reader = following(&mut world);
    reader.leave(&mut world);
    let mut opens_after = |ms: i64| {
        world.now_ms += ms;
        world.hub.set_clock(world.now_ms, 500);
        world.hub.owe_sync();
        reader.open(&mut world);
        let has_unread = world.hub.has_unread();
        world.read_cells();
        reader.leave(&mut world);
        has_unread
    };
    assert_eq!([opens_after(CUSTOM_LINGER_MS - 1), opens_after(CUSTOM_LINGER_MS)], [false, true]);
}

#[test]
fn a_resource_is_shown_with_64_sets_of_columns_and_one_more_is_refused_with_a_reason() {
    let mut world = listed(&["a/1"]);
    let mut readers: Vec<Reader> = Vec::new();
    for number in 0..=CUSTOM_SETS_MAX {
        let mut reader = Reader::all(u32::try_from(number).expect("few"));
        let name: &'static str = Box::leak(format!("C{number}").into_boxed_str());
        reader.ask_for(Box::leak(Box::new([(name, ".values[0]")])));
        reader.open(&mut world);
        world.read_cells();
        reader.read_all(&mut world);
        readers.push(reader);
    }
    let mut refused = readers.pop().expect("the last");
    assert!(readers.iter().all(|reader| reader.problem.is_none() && reader.row_count() == 1));
    let problem = refused.problem.take().expect("it is told");
    assert_eq!((problem.reason, refused.row_count()), (Reason::Limit, 0));
    // A set that nobody looks at makes room.
    refused.leave(&mut world);
    readers.first_mut().expect("many").leave(&mut world);
    refused.open(&mut world);
    world.read_cells();
    refused.read_all(&mut world);
    assert_eq!((refused.row_count(), refused.problem), (1, None));
}

#[test]
fn a_value_keeps_its_type_and_what_is_long_or_missing_says_so() {
    let mut world = World::new(Default::default());
    let mut object = {
        world.list(&["a/1"]);
        world.put("a/1");
        world.object("a/1")
    };
    object.row.resource_version = "900".into();
    let long = "x".repeat(5_000);
    object.body = serde_json::json!({
        "whole": 3, "part": 1.5, "yes": true, "nothing": null, "long": long, "list": ["a", 1],
        "many": vec![0; 30_000],
    })
    .to_string()
    .into();
    world.hub.apply(FeedOutput::Change(crate::feed::Change::Put(object)));
    let mut reader = Reader::all(1);
    reader.ask_for(&[
        ("WHOLE", ".whole"),
        ("PART", ".part"),
        ("YES", ".yes"),
        ("NOTHING", ".nothing"),
        ("MISSING", ".missing"),
        ("LIST", ".list"),
        ("ITEMS", ".list[*]"),
        ("LONG", ".long"),
        ("MANY", ".many[*]"),
        ("AFTER", ".whole"),
    ]);
    reader.open(&mut world);
    world.read_cells();
    reader.read_all(&mut world);
    let cells = reader.cells().next().expect("one row").get(2..).expect("own cells").to_vec();
    assert_eq!(
        cells.get(..7).expect("seven"),
        [
            Cell::Int(3),
            Cell::Float(1.5),
            Cell::Bool(true),
            Cell::text("<nil>"),
            Cell::text("<none>"),
            Cell::text("[a 1]"),
            Cell::text("a,1"),
        ]
    );
    let texts: Vec<String> = cells.iter().skip(7).map(|cell| cell.print(0)).collect();
    assert!(texts.iter().all(|text| text.ends_with('…')), "{texts:?}");
    assert_eq!(texts.first().map(String::len), Some(1_024 + '…'.len_utf8()));
}

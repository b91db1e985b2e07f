//! The bytes that cells of custom columns take in a hub.

use serde_json::{Map, Value, json};
use shared::problem::Reason;

use super::reader::Reader;
use super::world::World;
use crate::feed::{Change, Object};
use crate::hub::Bounds;
use crate::limits::{
    CUSTOM_CELL_BYTES_MAX, CUSTOM_HUB_BYTES_MAX, CUSTOM_READ_OBJECTS, CUSTOM_SETS_PER_IDENTITY_MAX,
};

const COLUMNS: usize = 32;

/// An object with 32 texts that are as long as a cell may be.
fn put(world: &mut World, name: &str) {
    world.change_unseen(name);
    let text = |number: usize| (format!("t{number}"), format!("{number:0>CUSTOM_CELL_BYTES_MAX$}").into());
    let texts: Map<String, Value> = (0..COLUMNS).map(text).collect();
    let body = json!({ "data": texts }).to_string();
    world.say(Change::Put(Object { body: body.into(), ..world.object(name) }));
}

fn asking(world: &mut World, set: usize) -> Reader {
    let columns: Vec<String> =
        (0..COLUMNS).map(|number| format!("C{set}-{number}:.data.t{number}")).collect();
    let mut reader = Reader::all();
    reader.ask_for(&columns.join(","));
    reader.open(world);
    reader
}

/// The bytes of all sets, as the gateway is told them.
fn bytes(world: &mut World) -> usize {
    let mut told = None;
    world.hub.report_columns(|sizes| {
        told = Some(sizes.iter().map(|(_, bytes)| bytes).sum());
        Vec::new()
    });
    told.unwrap_or_default()
}

#[test]
fn r_net_8_however_many_columns_are_asked_for_their_cells_are_bounded_and_who_asked_for_most_is_told() {
    const OBJECTS: usize = 10;
    const BYTES_MAX: usize = 2 * 1024 * 1024;
    let mut world = World::listed(Bounds { custom_bytes: BYTES_MAX, ..Bounds::default() }, &[]);
    let names: Vec<String> = (0..OBJECTS).map(|number| format!("a/{number}")).collect();
    names.iter().for_each(|name| put(&mut world, name));
    world.hub.tick();
    let mut plain = Reader::all();
    plain.open(&mut world);
    let mut readers: Vec<Reader> =
        (0..CUSTOM_SETS_PER_IDENTITY_MAX).map(|set| asking(&mut world, set)).collect();
    world.read_cells();
    let kept = bytes(&mut world);
    let unbounded = CUSTOM_SETS_PER_IDENTITY_MAX * OBJECTS * COLUMNS * CUSTOM_CELL_BYTES_MAX;
    assert!(unbounded > 2 * BYTES_MAX, "{unbounded}");
    assert!((BYTES_MAX / 2..=BYTES_MAX).contains(&kept), "{kept}");
    readers.iter_mut().for_each(|reader| drop(reader.read(&mut world)));
    let (refused, mut shown): (Vec<_>, Vec<_>) =
        readers.into_iter().partition(|reader| reader.problem.is_some());
    assert!(!shown.is_empty() && shown.iter().all(|reader| reader.table.len() == OBJECTS));
    for problem in refused.iter().filter_map(|reader| reader.problem.as_ref()) {
        assert_eq!(problem.reason, Reason::Limit);
        let words = "take 1 MiB, and those of all columns of a resource together may take 2 MiB";
        assert!(problem.message.contains(words), "{problem}");
    }
    plain.read(&mut world);
    assert_eq!(plain.table.len(), OBJECTS);
    // Changes replace cells, and deletions drop them.
    names.iter().for_each(|name| put(&mut world, name));
    world.hub.tick();
    world.hub.end_columns_turn();
    shown.iter_mut().for_each(|reader| drop(reader.read(&mut world)));
    assert!(shown.iter().all(|reader| reader.problem.is_none()), "nothing has grown");
    names.iter().for_each(|name| world.delete(name));
    world.hub.tick();
    assert_eq!(bytes(&mut world), 0, "no history keeps cells");
}

/// All sets that one person may ask for, over as many objects as a large cluster has pods. The bound is a part of the
/// product's, so that it is reached with two columns of a set.
#[test]
fn r_net_8_over_ten_thousand_objects_the_sets_that_stay_are_whole_and_within_the_bound() {
    const OBJECTS: usize = 10_000;
    const BYTES_MAX: usize = CUSTOM_HUB_BYTES_MAX / 32;
    let mut world = World::listed(Bounds { custom_bytes: BYTES_MAX, ..Bounds::default() }, &[]);
    for number in 0..OBJECTS {
        let name = format!("a/{number}");
        world.change_unseen(&name);
        let body = json!({"metadata": {"annotations": {"note": format!("{number:0>60}")}}}).to_string();
        world.say(Change::Put(Object { body: body.into(), ..world.object(&name) }));
    }
    world.hub.tick();
    for set in 0..CUSTOM_SETS_PER_IDENTITY_MAX {
        let mut reader = Reader::all();
        reader.ask_for(&format!("C{set}:.metadata.annotations,D{set}:.metadata.annotations.note"));
        reader.open(&mut world);
    }
    while world.hub.has_unread() {
        world.hub.read_cells(CUSTOM_READ_OBJECTS);
        world.hub.end_columns_turn();
    }
    let mut of_sets = Vec::new();
    world.hub.report_columns(|sizes| {
        of_sets.extend(sizes.into_iter().map(|(_, bytes)| bytes));
        Vec::new()
    });
    let (kept, of_one) = (of_sets.iter().sum::<usize>(), of_sets.first().copied().unwrap_or_default());
    assert!(of_one * CUSTOM_SETS_PER_IDENTITY_MAX > 4 * BYTES_MAX, "{of_sets:?}");
    assert!(of_one > OBJECTS * 200 && of_sets.iter().all(|bytes| *bytes == of_one), "{of_sets:?}");
    assert!(kept <= BYTES_MAX && kept + of_one > BYTES_MAX / 2, "{kept}");
}

#[test]
fn a_set_that_the_gateway_has_no_room_for_ends_with_its_reason_and_the_others_go_on() {
    let mut world = World::listed(Bounds::default(), &[]);
    for number in 0..10 {
        put(&mut world, &format!("a/{number}"));
    }
    world.hub.tick();
    let mut readers: Vec<Reader> = (0..2).map(|set| asking(&mut world, set)).collect();
    world.read_cells();
    let problem = shared::problem::Problem::new(Reason::Limit, "no room");
    world
        .hub
        .report_columns(|sizes| sizes.into_iter().take(1).map(|(set, _)| (set, problem.clone())).collect());
    let before = bytes(&mut world);
    readers.iter_mut().for_each(|reader| drop(reader.read(&mut world)));
    let [ended, other] = readers.as_slice() else { panic!("two") };
    assert_eq!(ended.problem.as_ref(), Some(&problem));
    assert_eq!((other.problem.as_ref(), other.table.len()), (None, 10));
    assert!((300_000..400_000).contains(&before), "of one set: {before}");
}

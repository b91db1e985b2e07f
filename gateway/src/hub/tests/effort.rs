//! What columns may cost, counted in values that are visited: for one change, and between two looks at what else
//! is to be done.

use serde_json::{Map, Value, json};
use shared::problem::Reason;

use super::reader::Reader;
use super::world::World;
use super::{following, listed};
use crate::feed::{Change, Object};
use crate::limits::{
    CUSTOM_BYTES_PER_VALUE, CUSTOM_EFFORT_MAX, CUSTOM_EFFORT_PER_TURN, CUSTOM_EFFORT_TOTAL_MAX,
    CUSTOM_READ_OBJECTS,
};

const NAMES: [&str; 6] = ["a/1", "a/2", "a/3", "b/1", "b/2", "b/3"];
const KEYS: usize = 6_000;

/// Objects with so many keys.
fn world() -> World {
    let mut world = listed(&NAMES);
    NAMES.iter().for_each(|name| change(&mut world, name));
    world.hub.tick();
    world.hub.end_columns_turn();
    world
}

fn body() -> String {
    let keys: Map<String, Value> = (0..KEYS).map(|key| (format!("key-{key}"), json!("x"))).collect();
    json!({ "metadata": { "labels": { "colour": "blue" } }, "data": keys }).to_string()
}

fn change(world: &mut World, name: &str) {
    world.change_unseen(name);
    world.say(Change::Put(Object { body: body().into(), ..world.object(name) }));
}

/// A set that no other reader has, of 32 columns that look at everything.
fn costly(world: &mut World, set: usize) -> Reader {
    asking(world, Reader::all(), &costly_columns(set))
}

fn costly_columns(set: usize) -> String {
    let columns: Vec<String> = (0..32).map(|column| format!("C{set}-{column}:..[*]")).collect();
    columns.join(",")
}

fn asking(world: &mut World, mut reader: Reader, columns: &str) -> Reader {
    reader.ask_for(columns);
    reader.open(world);
    reader
}

/// The most effort of one turn, until all cells are read. As the task does it.
fn most_of_a_turn(world: &mut World) -> usize {
    let mut most = 0;
    while world.hub.has_unread() {
        world.hub.read_cells(CUSTOM_READ_OBJECTS);
        most = most.max(world.hub.end_columns_turn());
    }
    most
}

fn of_reading() -> usize {
    body().len() / CUSTOM_BYTES_PER_VALUE
}

#[test]
fn however_many_sets_look_at_everything_a_turn_is_bounded_and_a_plain_reader_has_its_rows_at_once() {
    let mut world = world();
    let mut readers: Vec<Reader> = (0..64).map(|set| costly(&mut world, set)).collect();
    let mut plain = Reader::all();
    plain.open(&mut world);
    plain.read(&mut world);
    assert_eq!(plain.table.len(), NAMES.len(), "before any cell is read");
    // What one set visits, and what it takes to read one object, is begun before the turn is full.
    let most = most_of_a_turn(&mut world);
    let bound = CUSTOM_EFFORT_PER_TURN + CUSTOM_EFFORT_MAX + of_reading();
    assert!(most > CUSTOM_EFFORT_MAX && most <= bound, "{most} of {bound}");
    readers.iter_mut().for_each(|reader| drop(reader.read(&mut world)));
    let ended: Vec<_> = readers.iter().filter_map(|reader| reader.problem.clone()).collect();
    assert_eq!(readers.len() - ended.len(), CUSTOM_EFFORT_TOTAL_MAX / CUSTOM_EFFORT_MAX);
    for problem in ended {
        assert_eq!(problem.reason, Reason::Limit);
        let words = format!("visit {CUSTOM_EFFORT_MAX} values of an object, and");
        assert!(problem.message.contains(&words), "{problem}");
    }
    // From now on a change costs what those may that are left.
    change(&mut world, "a/1");
    let effort = world.hub.end_columns_turn();
    assert!(effort <= CUSTOM_EFFORT_TOTAL_MAX + of_reading(), "{effort}");
}

#[test]
fn a_cheap_set_goes_on_beside_costly_ones_and_a_costly_one_that_ended_is_refused_without_effort() {
    let mut world = world();
    let mut cheap = asking(&mut world, Reader::all(), "COLOUR:.metadata.labels.colour");
    most_of_a_turn(&mut world);
    let mut readers: Vec<Reader> = (0..3).map(|set| costly(&mut world, set)).collect();
    most_of_a_turn(&mut world);
    cheap.read(&mut world);
    assert_eq!((cheap.problem.take(), cheap.table.len()), (None, NAMES.len()));
    let ended = readers.iter_mut().rposition(|reader| {
        reader.read(&mut world);
        reader.problem.is_some()
    });
    let ended = ended.expect("three are too many");
    let mut again = costly(&mut world, ended);
    assert!(!world.hub.has_unread());
    again.read(&mut world);
    let problem = again.problem.take().expect("refused");
    assert!(problem.message.contains("name fields"), "{problem}");
    // When another has gone, and its cells with it, there is room.
    for reader in readers.iter_mut().filter(|reader| reader.problem.is_none()) {
        reader.leave(&mut world);
    }
    world.sync_after(120_000);
    let mut again = costly(&mut world, ended);
    most_of_a_turn(&mut world);
    again.read(&mut world);
    assert_eq!((again.problem.take(), again.table.len()), (None, NAMES.len()));
}

#[test]
fn a_step_that_descends_pays_for_every_leaf_that_it_passes() {
    let mut world = world();
    let mut reader = asking(&mut world, Reader::all(), "C:..none");
    world.hub.read_cells(1);
    let effort = world.hub.end_columns_turn() - of_reading();
    assert!((KEYS..2 * KEYS).contains(&effort), "{effort}");
    most_of_a_turn(&mut world);
    reader.read(&mut world);
    assert_eq!(reader.table.len(), NAMES.len());
}

#[test]
fn a_reader_without_columns_of_its_own_costs_no_effort() {
    let mut world = world();
    following(&mut world, Reader::all());
    change(&mut world, "a/1");
    assert_eq!(world.hub.end_columns_turn(), 0);
}

#[test]
fn r_authz_3_what_columns_cost_tells_nothing_of_objects_that_their_viewer_may_not_see() {
    let mut world = listed(&["a/1", "b/1"]);
    change(&mut world, "b/1");
    world.hub.tick();
    world.hub.end_columns_turn();
    let of_a = |world: &mut World, set| asking(world, Reader::of_namespace("a"), &costly_columns(set));
    let mut readers: Vec<Reader> = (0..8).map(|set| of_a(&mut world, set)).collect();
    let most = most_of_a_turn(&mut world);
    assert!(most < CUSTOM_EFFORT_MAX, "{most}: one set would have visited as many values of b/1");
    change(&mut world, "b/1");
    assert_eq!(world.hub.end_columns_turn(), 0);
    for reader in &mut readers {
        reader.read(&mut world);
        assert_eq!((reader.problem.take(), reader.table.len()), (None, 1));
    }
    let mut of_all: Vec<Reader> = (0..8).map(|set| costly(&mut world, set)).collect();
    most_of_a_turn(&mut world);
    of_all.iter_mut().for_each(|reader| drop(reader.read(&mut world)));
    assert!(of_all.iter().any(|reader| reader.problem.is_some()), "who may see it is told what it costs");
    readers.iter_mut().for_each(|reader| drop(reader.read(&mut world)));
    assert!(readers.iter().all(|reader| reader.problem.is_none()), "the cheaper ones go on");
}

//! Random histories: what the cluster does and what readers do, in any order. After each, everybody
//! who reads to the end holds what the map holds.

use proptest::prelude::*;
use shared::state::{StateReport, ViewState};

use super::reader::Reader;
use super::world::World;
use crate::feed::{FeedOutput, Proof};
use crate::hub::Bounds;

#[derive(Clone, Debug)]
enum Step {
    Put(usize),
    Paint(usize, bool),
    Delete(usize),
    Bookmark,
    /// Some changes that no event told, then a list.
    Relist(Vec<usize>, Vec<usize>),
    Rewind(Vec<usize>),
    /// Another hub, that begins where it was so many changes ago.
    Restart(u64),
    Tick,
    ReadCells,
    SyncRound,
    Open(usize),
    Leave(usize),
    Resume(usize),
    Read(usize),
    ReadAll(usize),
}

const NAMES: [&str; 12] =
    ["a/0", "a/1", "a/2", "a/3", "a/4", "b/0", "b/1", "b/2", "b/3", "c/0", "c/1", "c/2"];
const READERS: usize = 7;

fn step() -> impl Strategy<Value = Step> {
    let name = 0..NAMES.len();
    let reader = 0..READERS;
    let some = proptest::collection::vec(0..NAMES.len(), 0..4);
    prop_oneof![
        6 => name.clone().prop_map(Step::Put),
        2 => (name.clone(), any::<bool>()).prop_map(|(name, red)| Step::Paint(name, red)),
        4 => name.prop_map(Step::Delete),
        1 => Just(Step::Bookmark),
        1 => (some.clone(), some.clone()).prop_map(|(changed, gone)| Step::Relist(changed, gone)),
        1 => some.prop_map(Step::Rewind),
        2 => (0_u64..12).prop_map(Step::Restart),
        5 => Just(Step::Tick),
        4 => Just(Step::ReadCells),
        2 => Just(Step::SyncRound),
        1 => reader.clone().prop_map(Step::Open),
        1 => reader.clone().prop_map(Step::Leave),
        2 => reader.clone().prop_map(Step::Resume),
        6 => reader.clone().prop_map(Step::Read),
        2 => reader.prop_map(Step::ReadAll),
    ]
}

fn readers() -> [Reader; READERS] {
    [
        Reader::all(1),
        Reader::all(2),
        Reader::of_namespace(3, "a"),
        Reader::of_namespace(4, "c"),
        Reader::of_label(5, "colour=red"),
        Reader::all(6).with_columns(),
        Reader::of_label(7, "colour=red").with_columns(),
    ]
}

fn tell_live(world: &mut World) {
    world.hub.apply(FeedOutput::State(StateReport::of(ViewState::Live)));
    world.hub.apply(FeedOutput::Proof(Proof { at_ms: 1, cluster_ahead_ms: 0 }));
}

fn names(picked: &[usize]) -> Vec<&'static str> {
    picked.iter().filter_map(|place| NAMES.get(*place).copied()).collect()
}

fn take(step: Step, world: &mut World, readers: &mut [Reader]) {
    match step {
        Step::Put(name) => names(&[name]).into_iter().for_each(|name| world.put(name)),
        Step::Paint(name, red) => {
            let colour = if red { "red" } else { "blue" };
            names(&[name]).into_iter().for_each(|name| world.paint(name, colour));
        }
        Step::Delete(name) => names(&[name]).into_iter().for_each(|name| world.delete(name)),
        Step::Bookmark => world.bookmark(),
        Step::Relist(changed, gone) => {
            names(&changed).into_iter().for_each(|name| world.change_unseen(name));
            names(&gone).into_iter().for_each(|name| world.delete_unseen(name));
            world.relist(true);
        }
        Step::Rewind(kept) => world.rewind(&names(&kept)),
        Step::Restart(back) => {
            world.restart();
            readers.iter_mut().for_each(|reader| reader.lose(world));
            world.begin_from(world.version().saturating_sub(back));
            tell_live(world);
        }
        Step::Tick => world.hub.tick(),
        Step::ReadCells => drop(world.hub.read_cells(2)),
        Step::SyncRound => {
            world.now_ms += 10_000;
            world.hub.set_clock(world.now_ms, 500);
            world.hub.give_up_waiting();
            world.hub.owe_sync();
        }
        Step::Open(reader) => {
            if let Some(reader) = readers.get_mut(reader).filter(|reader| !reader.is_open()) {
                reader.open(world);
            }
        }
        Step::Leave(reader) => {
            if let Some(reader) = readers.get_mut(reader) {
                reader.leave(world);
            }
        }
        Step::Resume(reader) => {
            if let Some(reader) = readers.get_mut(reader).filter(|reader| !reader.is_open()) {
                reader.resume(world);
            }
        }
        Step::Read(reader) => {
            if let Some(reader) = readers.get_mut(reader).filter(|reader| reader.is_open()) {
                reader.read(world);
            }
        }
        Step::ReadAll(reader) => {
            if let Some(reader) = readers.get_mut(reader).filter(|reader| reader.is_open()) {
                reader.read_all(world);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whoever_reads_to_the_end_of_any_history_holds_what_the_map_holds(
        first in proptest::collection::vec(0..NAMES.len(), 0..12),
        steps in proptest::collection::vec(step(), 0..80),
        tombstones in 1_usize..6,
        frame_bytes in 60_usize..600,
    ) {
        let mut world = World::new(Bounds { tombstones, frame_bytes, ..Bounds::default() });
        let mut readers = readers();
        if let Some(reader) = readers.first_mut() {
            reader.open(&mut world);
        }
        world.list(&names(&first));
        tell_live(&mut world);
        for step in steps {
            take(step, &mut world, &mut readers);
        }
        world.hub.tick();
        for reader in &mut readers {
            if !reader.is_open() {
                reader.resume(&mut world);
            }
            world.read_cells();
            world.hub.give_up_waiting();
            reader.read_all(&mut world);
            reader.expect_exact(&world);
        }
        // And once more, live.
        world.put("a/0");
        world.hub.tick();
        for reader in &mut readers {
            reader.read_all(&mut world);
            reader.expect_exact(&world);
        }
    }
}

//! A process that is killed while it records: what it had committed is there, and the store opens.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use fastrand::Rng;

use super::world::{World, key};
use super::{ROOMY, folder};
use crate::{Keeper, Standing};

/// The folder that a child records into, and the seed of its world.
const FOLDER: &str = "DOGWATCH_HISTORY_CHILD";
const SEED: &str = "DOGWATCH_HISTORY_SEED";
/// How often a child is killed: `DOGWATCH_HISTORY_KILLS=200` for as many as the record was built for.
const KILLS: &str = "DOGWATCH_HISTORY_KILLS";
const KILLS_USUAL: u64 = 12;
const STEPS: usize = 400;

/// Records, and says after each commit how many steps there were. It is the child of the tests below, and does nothing
/// without them.
#[test]
fn a_child_that_records() {
    let (Some(path), Ok(seed)) = (std::env::var_os(FOLDER), std::env::var(SEED)) else { return };
    let mut world = World::new(seed.parse().expect("a number"));
    let mut keeper = Keeper::open(folder(Path::new(&path), ROOMY), 1, world.now_ms());
    for step in 1..=STEPS {
        let now_ms = world.step(&mut keeper);
        keeper.commit(now_ms);
        assert_eq!(*keeper.standing(), Standing::Recording);
        println!("kept {step}");
        std::io::stdout().flush().expect("written");
    }
}

/// Kills a child after so many steps that it said, and gives the last that it said.
fn killed_after(path: &Path, seed: u64, steps: usize) -> usize {
    let program = std::env::current_exe().expect("this test");
    let mut child = Command::new(program)
        .args(["--exact", "tests::killed::a_child_that_records", "--nocapture"])
        .env(FOLDER, path)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    // `None` at its end. A line of the harness, and one that was cut by the kill, says no step.
    let mut said = || {
        let line = lines.next()?.ok()?;
        Some(line.rsplit_once("kept ").and_then(|(_, step)| step.parse::<usize>().ok()).unwrap_or_default())
    };
    let mut last = 0;
    while last < steps
        && let Some(step) = said()
    {
        last = last.max(step);
    }
    child.kill().expect("killed");
    while let Some(step) = said() {
        last = last.max(step);
    }
    child.wait().expect("gone");
    last
}

/// The same world, told to a record in memory.
fn world_after(seed: u64, steps: usize) -> World {
    let mut world = World::new(seed);
    let mut keeper = Keeper::open(crate::Segments::in_memory(ROOMY), 1, world.now_ms());
    for _ in 0..steps {
        world.step(&mut keeper);
    }
    world
}

fn expect_all(path: &Path, seed: u64, steps: usize) {
    let world = world_after(seed, steps);
    let keeper = Keeper::open(folder(path, ROOMY), 2, world.now_ms());
    world.expect(&*keeper.past(), 0);
}

#[test]
fn what_was_committed_before_a_kill_is_there() {
    let kills = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS_USUAL);
    let mut rng = Rng::with_seed(41);
    for seed in 0..kills {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = killed_after(folder.path(), seed, rng.usize(1..STEPS));
        assert!(kept > 0, "it recorded");
        expect_all(folder.path(), seed, kept);
    }
}

#[test]
fn a_log_that_is_torn_costs_its_end_alone() {
    let mut rng = Rng::with_seed(43);
    for seed in 0..4 {
        let folder_of_test = tempfile::tempdir().expect("a folder");
        let kept = killed_after(folder_of_test.path(), seed, 150);
        let mut files = std::fs::read_dir(folder_of_test.path()).expect("read");
        let log = files
            .find_map(|file| Some(file.ok()?.path()).filter(|path| path.to_string_lossy().ends_with("-wal")));
        let log = log.expect("it was killed, so its log is there");
        let bytes = std::fs::metadata(&log).expect("read").len();
        let file = std::fs::OpenOptions::new().write(true).open(&log).expect("open");
        file.set_len(bytes - rng.u64(1..bytes / 2)).expect("cut");
        drop(file);
        let world = world_after(seed, kept);
        let keeper = Keeper::open(folder(folder_of_test.path(), ROOMY), 2, world.now_ms());
        assert_eq!(*keeper.standing(), Standing::Recording);
        // What is there is a beginning of what was told, and whole.
        if let Some(extent) = keeper.past().extent(&key()).expect("read") {
            world.expect_until(&*keeper.past(), extent.to_ms);
        }
    }
}

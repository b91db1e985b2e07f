//! Several replicas that record the same into one database: what any of them heard is there, once.

use std::collections::BTreeSet;

use fastrand::Rng;
use postgres_server::PostgresServer;
use shared::state::UnixMillis;

use super::places::{connect, database};
use super::world::{Hears, World, key};
use super::{ROOMY, live};
use crate::{Bounds, Keeper, KindKey, PastState, Postgres, Standing, Told};

/// Replicas, some of which are away or deaf, each with a clock of its own.
struct Replicas {
    database: String,
    bounds: Bounds,
    keepers: Vec<(Option<Keeper<Postgres>>, i64)>,
    /// The replica whose feed lost its connection.
    deaf: Option<usize>,
    runs: u64,
}

impl Hears for Replicas {
    fn tell(&mut self, key: &KindKey, told: Told, now_ms: UnixMillis) {
        for (place, (keeper, ahead_ms)) in self.keepers.iter_mut().enumerate() {
            if let Some(keeper) = keeper
                && self.deaf != Some(place)
            {
                keeper.tell(key, told.clone(), now_ms + *ahead_ms);
            }
        }
    }
}

impl Replicas {
    fn start(clocks: &[i64], bounds: Bounds, world: &World) -> Self {
        let keepers = clocks.iter().map(|ahead_ms| (None, *ahead_ms)).collect();
        let mut replicas = Self { database: database(), bounds, keepers, deaf: None, runs: 0 };
        for place in 0..clocks.len() {
            replicas.begin(place, world);
        }
        replicas
    }

    fn begin(&mut self, place: usize, world: &World) {
        self.runs += 1;
        let store = Postgres::new(connect(&self.database), self.bounds);
        let (keeper, ahead_ms) = &mut self.keepers[place];
        *keeper = Some(Keeper::open(store, self.runs, world.now_ms() + *ahead_ms));
    }

    /// As a process is killed: what wasn't committed is lost.
    fn kill(&mut self, place: usize) {
        self.keepers[place].0 = None;
    }

    fn commit(&mut self, place: usize, now_ms: UnixMillis) {
        let (Some(keeper), ahead_ms) = &mut self.keepers[place] else { return };
        keeper.commit(now_ms + *ahead_ms);
        assert_eq!(*keeper.standing(), Standing::Recording);
    }

    fn one(&self) -> &Keeper<Postgres> {
        self.keepers.iter().find_map(|(keeper, _)| keeper.as_ref()).expect("one lives")
    }
}

/// Each replica is away or deaf now and then, and the others are there. A change is committed by one of them before the next one
/// is killed.
fn live_with_deaths(world: &mut World, replicas: &mut Replicas, rng: &mut Rng, steps: usize) {
    let mut away: Option<usize> = None;
    for step in 0..steps {
        let now_ms = world.step(replicas);
        for place in 0..replicas.keepers.len() {
            if rng.bool() || step % 10 == 9 {
                replicas.commit(place, now_ms);
            }
        }
        if step % 10 == 9 {
            match away.take() {
                Some(place) => {
                    if replicas.deaf.take().is_none() {
                        replicas.begin(place, world);
                    }
                    let keeper = replicas.keepers[place].0.as_mut().expect("begun");
                    world.list_again(keeper);
                }
                None => {
                    let place = rng.usize(..replicas.keepers.len());
                    if rng.bool() {
                        replicas.deaf = Some(place)
                    } else {
                        replicas.kill(place)
                    }
                    away = Some(place);
                }
            }
        }
    }
    for place in 0..replicas.keepers.len() {
        replicas.commit(place, world.now_ms());
    }
}

#[test]
fn the_union_of_replicas_that_die_in_turn_is_what_happened() {
    for (seed, bounds) in [(1, ROOMY), (2, ROOMY), (3, Bounds { bytes: 3 << 20, age_ms: i64::MAX })] {
        let mut rng = Rng::with_seed(seed);
        let mut world = World::new(seed);
        let mut replicas = Replicas::start(&[0, 0, 0], bounds, &world);
        live_with_deaths(&mut world, &mut replicas, &mut rng, 300);
        let past = replicas.one().past();
        let extent = past.extent(&key()).expect("read").expect("recorded");
        assert_eq!(extent.unrecorded, [], "one was always there");
        world.expect(&*past, extent.from_ms.max(world.first_ms() + 1));
        world.expect_now(&past.moment(&key(), world.now_ms()).expect("read").expect("recorded"));
    }
}

#[test]
fn each_version_is_kept_once_and_clocks_that_differ_change_no_order() {
    let mut rng = Rng::with_seed(5);
    let mut world = World::new(5);
    let mut replicas = Replicas::start(&[0, 3_000, -2_000], ROOMY, &world);
    live_with_deaths(&mut world, &mut replicas, &mut rng, 200);
    let past = replicas.one().past();
    for row in world.all_rows() {
        let versions = past.versions(&key(), row, i64::MAX, 1_000).expect("read");
        let ends = versions.iter().map(|version| matches!(version.state, PastState::Deleted { .. }));
        let ends: Vec<bool> = ends.collect();
        assert!(!ends.windows(2).any(|pair| pair == [true, true]), "{row} went twice");
        let numbers: Vec<u64> = versions
            .iter()
            .map(|version| version.resource_version.as_str().parse().expect("a number"))
            .collect();
        let unique: BTreeSet<u64> = numbers.iter().copied().collect();
        assert_eq!(unique.len(), numbers.len(), "{row} has one twice");
        assert!(numbers.is_sorted_by(|newer, older| newer > older), "{row}: {numbers:?}");
    }
    world.expect_now(&past.moment(&key(), world.now_ms() + 3_000).expect("read").expect("recorded"));
}

#[test]
fn a_version_is_of_the_time_when_the_first_replica_heard_it_whoever_writes_first() {
    let mut world = World::new(8);
    let mut replicas = Replicas::start(&[0, 500], ROOMY, &world);
    for _ in 0..30 {
        let now_ms = world.step(&mut replicas);
        replicas.commit(1, now_ms);
        replicas.commit(0, now_ms);
        world.expect_now(&replicas.one().past().moment(&key(), now_ms).expect("read").expect("recorded"));
    }
}

#[test]
fn a_database_that_is_away_at_the_start_or_leaves_later_costs_a_gap_that_is_named() {
    let mut server = PostgresServer::start().expect("PostgreSQL");
    server.create("past").expect("made");
    let parameters = server.parameters("past");
    server.stop().expect("stopped");
    let mut world = World::new(6);
    let store = Postgres::new(connect(&parameters), ROOMY);
    let mut keeper = Keeper::open(store, 6, world.now_ms());
    let Standing::Stopped { why, .. } = keeper.standing() else { panic!("it is away") };
    assert!(why.contains("PostgreSQL can't be reached"), "{why}");
    let read = keeper.past().extent(&key()).expect_err("away").0;
    assert!(read.contains("PostgreSQL can't be reached"), "{read}");
    world.step(&mut keeper);
    server.start_again().expect("started");
    world.set_clock(world.now_ms() + 20_000);
    live(&mut world, &mut keeper, 40);
    // It leaves, and comes back after some changes.
    let left_ms = world.now_ms();
    let [gone, ..] = world.rows()[..] else { panic!("no object") };
    server.stop().expect("stopped");
    world.remove(&mut keeper, gone);
    for _ in 0..20 {
        let now_ms = world.step(&mut keeper);
        keeper.commit(now_ms);
    }
    assert!(matches!(keeper.standing(), Standing::Stopped { since_ms, .. } if *since_ms == left_ms));
    server.start_again().expect("started");
    world.set_clock(world.now_ms() + 20_000);
    live(&mut world, &mut keeper, 40);
    let past = keeper.past();
    let extent = past.extent(&key()).expect("read").expect("recorded");
    let gap = extent.unrecorded.iter().find(|gap| gap.from_ms == left_ms).expect("a gap");
    world.expect(&*past, gap.to_ms);
    world.expect_now(&past.moment(&key(), world.now_ms()).expect("read").expect("recorded"));
    // A server that came back while nothing was to be told isn't noticed at all.
    server.stop().expect("stopped");
    server.start_again().expect("started");
    live(&mut world, &mut keeper, 5);
}

#[test]
fn what_is_in_the_way_is_said_in_one_sentence() {
    let parameters = database();
    let said = |parameters: &str| {
        let keeper = Keeper::open(Postgres::new(connect(parameters), ROOMY), 1, 1_000);
        let Standing::Stopped { why, .. } = keeper.standing() else {
            panic!("{parameters} is recorded into")
        };
        why.to_string()
    };
    assert!(said(&format!("{parameters}_none")).contains("has no such database"));
    let (host, name) = parameters.split_once(" user=").expect("a user");
    let name = name.rsplit('=').next().expect("a name");
    let run = |statement: &str| super::places::SERVER.run(name, statement).expect("run");
    run("CREATE ROLE reader LOGIN");
    let reader = format!("{host} user=reader dbname={name}");
    assert!(said(&reader).contains("may not make or write tables"), "{}", said(&reader));
    run("CREATE TABLE dogwatch_meta (key text PRIMARY KEY, value text NOT NULL)");
    run("INSERT INTO dogwatch_meta VALUES ('version', '99')");
    assert!(said(&parameters).contains("of version 99, and this gateway reads version 3"));
    run("DROP TABLE dogwatch_meta");
    run(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    assert!(said(&parameters).contains("is read-only here"));
}

#[test]
fn all_that_one_list_found_gone_is_told_over_pages() {
    let mut world = World::new(14);
    let mut replicas = Replicas::start(&[0], ROOMY, &world);
    world.put_still(&mut replicas, 30);
    let gone = world.rows();
    replicas.deaf = Some(0);
    for row in &gone {
        world.remove(&mut replicas, *row);
    }
    replicas.deaf = None;
    world.list_again(&mut replicas);
    replicas.commit(0, world.now_ms());
    let (past, mut ends, mut after) = (replicas.one().past(), BTreeSet::new(), 0);
    loop {
        let page = past.changes(&key(), (0, i64::MAX), after, 7).expect("read");
        let Some(last) = page.last() else { break };
        after = last.version.number;
        let of_page =
            page.iter().filter(|it| matches!(it.version.state, PastState::Deleted { relisted: true }));
        ends.extend(of_page.map(|it| it.version.row));
    }
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), gone);
}

//! The product's feed, hub, wire format and replica in one thread, with a simulated clock and a network that
//! fails as the seed says. Beside them runs the truth: a map of what the cluster holds. After every step every
//! guarantee of the wire is checked.
//!
//! The product's parts are the real ones: the feed's machine reads bytes that an API server could have sent,
//! and the client reads bytes that the hub wrote. Only their surroundings are simulated: the API server, the
//! network, the channels between tasks, the driver in the browser.
//!
//! Read in this order: [`truth`], [`apiserver`], [`script`] (what happens), [`world`], [`oracle`].

mod apiserver;
pub mod chance;
mod defect;
mod delayed;
pub mod effects;
mod gateway;
mod guarantee;
mod oracle;
mod record;
mod reviews;
mod script;
mod shrink;
mod truth;
mod upstream;
mod viewer;
mod wire;
mod world;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

pub use defect::Defect;
pub use guarantee::{Counts, Guarantee, Violation};
pub use shrink::explain;
pub use world::outage::{Outage, outlast};

use script::Script;
use world::World;

/// One run. It gives what was checked.
///
/// # Errors
/// The first guarantee that was broken.
pub fn run(seed: u64, defect: Option<Defect>) -> Result<Counts, Violation> {
    run_script(seed, Script::of(seed), defect, false)
}

/// One run of gateways that record: what their records say is what happened, or says that it isn't.
///
/// # Errors
/// As [`run`].
pub fn run_recorded(seed: u64, defect: Option<Defect>) -> Result<Counts, Violation> {
    run_script(seed, Script::recorded(seed), defect, false)
}

/// The same, with every action, every delivery and what is recorded on stderr. `is_shortest`: of a seed that fails, the
/// shortest script.
///
/// # Errors
/// As [`run`].
pub fn trace(seed: u64, records: bool, is_shortest: bool) -> Result<Counts, Violation> {
    let mut script = if records { Script::recorded(seed) } else { Script::of(seed) };
    if is_shortest && let Err(violation) = run_script(seed, script.clone(), None, false) {
        script = shrink::shrink(seed, script, violation).0;
    }
    run_script(seed, script, None, true)
}

fn run_script(
    seed: u64,
    script: Script,
    defect: Option<Defect>,
    is_traced: bool,
) -> Result<Counts, Violation> {
    Defect::switch(defect);
    let mut world = World::new(seed, script, defect);
    if is_traced {
        world.trace();
    }
    world.run()?;
    Ok(world.counts)
}

/// The first seed from `first` on that finds a defect, within `count` of them.
#[must_use]
pub fn find(defect: Defect, first: u64, count: u64) -> Option<(u64, Violation)> {
    let run = if defect.is_of_record() { run_recorded } else { run };
    let found = |seed| Some((seed, run(seed, Some(defect)).err()?));
    // A seed that fails without the defect as well doesn't count.
    (first..first + count).filter_map(found).find(|(seed, _)| run(*seed, None).is_ok())
}

/// Enough failing seeds to see which kinds of failure there are.
const FAILURES_MAX: usize = 20;

/// Runs all seeds on all processors: what was checked, and the seeds that failed.
#[must_use]
pub fn run_all(seeds: Range<u64>, records: bool) -> (Counts, BTreeMap<u64, Violation>) {
    let run = if records { run_recorded } else { run };
    let (seeds, sum) = (Mutex::new(seeds), Mutex::<(Counts, BTreeMap<_, _>)>::default());
    let next = || seeds.lock().expect("no run panics").next();
    let work = || {
        while let Some(seed) = next() {
            let outcome = run(seed, None);
            let (counts, failures) = &mut *sum.lock().expect("no run panics");
            match outcome {
                Ok(passed) => counts.join(&passed),
                Err(violation) => drop(failures.insert(seed, violation)),
            }
            if failures.len() >= FAILURES_MAX {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    sum.into_inner().expect("no run panics")
}

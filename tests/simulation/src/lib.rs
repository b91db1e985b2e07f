//! Feed, hub, wire and replica of the product in one thread, with a time of their own and a network
//! that is as bad as a seed wants it; beside them the truth, which is just a map. After every step
//! every guarantee of the wire is looked at.
//!
//! Nothing here is a mock of ours: the machine reads bytes that an API server could have sent, the
//! client reads bytes that the hub wrote. What is simulated is the world around them: the API server,
//! the network, the tasks' channels, the browser's driver.
//!
//! Read in this order: [`truth`], [`apiserver`], [`script`] (what happens), [`world`], [`oracle`].

mod apiserver;
pub mod chance;
mod defect;
mod gateway;
mod guarantee;
mod oracle;
mod outage;
mod script;
mod shrink;
mod truth;
mod upstream;
mod viewer;
mod wire;
mod world;

pub use defect::{DEFECTS, Defect};
pub use guarantee::{Counts, Guarantee, Violation};
pub use outage::{Outage, outlast};
pub use shrink::explain;

use script::Script;
use world::World;

/// What a run that broke nothing has to show for it.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    pub counts: Counts,
    pub steps: u64,
}

/// One run.
///
/// # Errors
/// The first guarantee that was broken.
pub fn run(seed: u64, defect: Option<Defect>) -> Result<Passed, Violation> {
    run_script(seed, Script::of(seed), defect, false)
}

/// The same, with every action and every delivery on stderr.
///
/// # Errors
/// As [`run`].
pub fn trace(seed: u64) -> Result<Passed, Violation> {
    run_script(seed, Script::of(seed), None, true)
}

fn run_script(
    seed: u64,
    script: Script,
    defect: Option<Defect>,
    is_traced: bool,
) -> Result<Passed, Violation> {
    Defect::switch(defect);
    let mut world = World::new(seed, script, defect);
    world.is_traced = is_traced;
    world.run()?;
    Ok(Passed { counts: world.counts, steps: world.steps })
}

/// The first seed from `first` on that finds a defect, within `count` of them.
#[must_use]
pub fn find(defect: Defect, first: u64, count: u64) -> Option<(u64, Violation)> {
    let found = |seed| Some((seed, run(seed, Some(defect)).err()?));
    // What goes wrong without it doesn't find it.
    (first..first + count).filter_map(found).find(|(seed, _)| run(*seed, None).is_ok())
}

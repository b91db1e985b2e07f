//! Every deliberate defect is found, within some seeds.

use clap::ValueEnum;
use simulation::{Defect, find};

const SEEDS: u64 = 3_000;

#[test]
fn every_deliberate_defect_is_found() {
    let defects = Defect::value_variants().iter();
    let missed: Vec<_> = defects.filter(|defect| find(**defect, 0, SEEDS).is_none()).collect();
    assert!(missed.is_empty(), "{missed:?} weren't found in {SEEDS} seeds");
}

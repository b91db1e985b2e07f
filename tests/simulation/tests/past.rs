//! What the records of gateways say, over many seeds: of any time it was so, or the record says that it doesn't know.

use simulation::{Guarantee, explain, run_all, run_recorded};

const SEEDS: u64 = 100;
/// Seeds that broke a guarantee once, of the many that a night has room for.
const FOUND: [u64; 5] = [42_210, 44_846, 56_695, 82_923, 88_637];

#[test]
fn recorded_each_version_is_there_or_counted_or_in_a_gap_and_each_time_is_a_state_of_the_cluster() {
    let (counts, failures) = run_all(0..SEEDS, true);
    if let Some((seed, violation)) = failures.first_key_value() {
        panic!("{}", explain(*seed, violation, true));
    }
    assert!(counts.of(Guarantee::Recorded) > 20 * SEEDS, "it was checked often enough");
}

#[test]
fn recorded_seeds_that_broke_a_guarantee_once_break_none() {
    for seed in FOUND {
        if let Err(violation) = run_recorded(seed, None) {
            panic!("{}", explain(seed, &violation, true));
        }
    }
}

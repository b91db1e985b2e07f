//! R-REL-3 and R-REL-4 for as long as SECURITY.md says: whatever the seed, no view claims to be live after 15 s,
//! all are exact within 15 s of the end, and nothing goes back or is lost meanwhile.

use simulation::{Guarantee, Outage, outlast};

const SEEDS: u64 = 40;

fn holds(outage: Outage) {
    for seed in 0..SEEDS {
        match outlast(seed, outage) {
            Ok(counts) => assert!(counts.of(Guarantee::Ordered) > 0, "seed {seed}: nothing was checked"),
            Err(violation) => panic!("{outage:?}, seed {seed}: {violation}"),
        }
    }
}

#[test]
fn r_rel_3_an_upstream_that_is_half_open_for_five_minutes() {
    holds(Outage::HalfOpen);
}

#[test]
fn r_rel_3_an_api_server_that_is_stopped_for_five_minutes() {
    holds(Outage::ServerDown);
}

#[test]
fn r_rel_3_an_etcd_that_is_dead_for_five_minutes_behind_a_living_api_server() {
    holds(Outage::EtcdDead);
}

#[test]
fn r_rel_4_a_gateway_that_stands_still_for_a_minute_and_goes_on() {
    holds(Outage::GatewayStopped);
}

//! Bad frames, made from real ones by a seed: what a client could say goes into the real conversation
//! of a session, what a gateway could say into the real replica, what an API server could say into the real reader.
//! Nobody panics, nobody else is
//! disturbed, every refusal is a documented one, and whoever was fed nonsense is exact again after.
//!
//! A failure prints its seed. `DOGWATCH_FUZZ_SEED=N` runs that one alone, `DOGWATCH_FUZZ_SEEDS=N` as many
//! from a fresh one on, for a night.

mod chance;
mod clients;
mod corpus;
mod gateways;
mod mutate;
mod sockets;
mod texts;
mod upstream;

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use chance::Chance;

/// A few seconds in a debug build.
const SEEDS: u64 = 250;

#[test]
fn no_frame_of_a_client_disturbs_its_gateway_or_another_viewer() {
    each_seed(clients::run);
}

#[test]
fn no_frame_of_a_gateway_breaks_a_viewer_for_good() {
    each_seed(gateways::run);
}

#[test]
fn nothing_that_an_api_server_says_ends_its_reader_or_steps_around_the_masks() {
    each_seed(upstream::run);
}

#[test]
fn every_selector_column_and_link_is_read_or_refused() {
    each_seed(texts::run);
}

#[tokio::test]
async fn no_nonsense_on_a_socket_ends_more_than_that_socket() -> anyhow::Result<()> {
    // One gateway serves all that is said in a run.
    let seed = seeds().start;
    let _told = Told(seed);
    sockets::run(&mut Chance::new(seed)).await
}

fn each_seed(run: fn(&mut Chance)) {
    for seed in seeds() {
        let told = Told(seed);
        run(&mut Chance::new(seed));
        drop(told);
    }
}

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    if let Some(seed) = number("DOGWATCH_FUZZ_SEED") {
        return seed..seed + 1;
    }
    let Some(count) = number("DOGWATCH_FUZZ_SEEDS") else { return 0..SEEDS };
    let first = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()) << 20;
    println!("seeds {first} to {}", first + count);
    first..first + count
}

/// Says which seed it was when a test fails.
struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("found by DOGWATCH_FUZZ_SEED={}", self.0);
        }
    }
}

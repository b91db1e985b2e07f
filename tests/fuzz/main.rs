//! Bad input, made from real input by a seed. Frames of a client go to a session, frames of a gateway to the replica,
//! an API server's answers to what reads them, texts of links and fields to their parsers, and heads of requests to the
//! gateway's listener. Nothing panics, no
//! other client is disturbed, every refusal is a documented one, and a replica that got bad frames is exact again
//! afterwards.
//!
//! A failure prints its seed. `DOGWATCH_FUZZ_SEED=N` runs that one alone, `DOGWATCH_FUZZ_SEEDS=N` as many
//! from a fresh one on, `DOGWATCH_FUZZ_MINUTES=N` for so long, which is `cargo xtask fuzz`.

mod clients;
mod corpus;
mod gateways;
mod heads;
mod mutate;
mod sockets;
mod texts;
mod upstream;

use std::env;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use simulation::chance::Chance;

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
fn every_selector_column_link_and_filter_is_read_or_refused() {
    each_seed(texts::run);
}

#[test]
fn r_brow_4_no_other_host_and_no_other_origin_passes_than_those_that_are_written_down() {
    each_seed(heads::policy);
}

/// R-AUTHZ-6, R-AUTHZ-11
#[test]
fn no_name_leaves_its_segment_of_a_url() {
    each_seed(texts::names);
}

/// R-AUTHN-7
#[tokio::test]
async fn no_head_of_a_request_opens_a_socket_for_another_site_or_ends_its_gateway() -> anyhow::Result<()> {
    let count = if minutes().is_some() { usize::MAX } else { 1 };
    for seed in seeds().take(count) {
        let _told = Told(seed);
        heads::over_sockets(&mut Chance::new(seed, 0)).await?;
    }
    Ok(())
}

#[tokio::test]
async fn no_nonsense_on_a_socket_ends_more_than_that_socket() -> anyhow::Result<()> {
    // One gateway takes the frames of one seed, which takes seconds.
    let count = if minutes().is_some() { usize::MAX } else { 1 };
    for seed in seeds().take(count) {
        let _told = Told(seed);
        sockets::run(&mut Chance::new(seed, 0)).await?;
    }
    Ok(())
}

fn each_seed(run: fn(&mut Chance)) {
    for seed in seeds() {
        let told = Told(seed);
        run(&mut Chance::new(seed, 0));
        drop(told);
    }
}

fn seeds() -> impl Iterator<Item = u64> {
    let end = minutes().map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    seed_range().take_while(move |_| end.is_none_or(|end| Instant::now() < end))
}

fn seed_range() -> std::ops::Range<u64> {
    if let Some(seed) = number("DOGWATCH_FUZZ_SEED") {
        return seed..seed + 1;
    }
    let Some(count) = minutes().map(|_| SEEDS_MAX).or_else(|| number("DOGWATCH_FUZZ_SEEDS")) else {
        return 0..SEEDS;
    };
    let first = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()) << 20;
    println!("seeds from {first}");
    first..first + count
}

/// More seeds than there is time for.
const SEEDS_MAX: u64 = 1 << 40;

fn minutes() -> Option<u64> {
    number("DOGWATCH_FUZZ_MINUTES")
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse::<u64>().expect(name))
}

/// Prints the seed when a test fails.
struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("found by DOGWATCH_FUZZ_SEED={}", self.0);
        }
    }
}

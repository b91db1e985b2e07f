//! The simulation for as many seeds as a night has room for: `cargo xtask simulate`.

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use simulation::{Defect, Guarantee, explain, find, run_all, trace};

#[derive(Parser)]
#[command(name = "cargo xtask simulate", about = "Feed, hub, wire and replica under every fault")]
struct Arguments {
    /// How many seeds
    #[arg(long, default_value_t = 100_000)]
    seeds: u64,
    /// The first of them
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// This one alone; where it fails, with its shortest script
    #[arg(long)]
    seed: Option<u64>,
    /// With --seed: print every action, every delivery and what is recorded
    #[arg(long, requires = "seed")]
    trace: bool,
    /// With --trace: the shortest script of a seed that fails
    #[arg(long, requires = "trace")]
    shortest: bool,
    /// Gateways that record the past
    #[arg(long)]
    past: bool,
    /// Show after how many seeds each deliberate defect is found
    #[arg(long)]
    defects: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let passes = match arguments.seed {
        _ if arguments.defects => find_defects(arguments.from, arguments.seeds),
        Some(seed) if arguments.trace => {
            let outcome = trace(seed, arguments.past, arguments.shortest);
            outcome.inspect_err(|violation| eprintln!("{violation}")).is_ok()
        }
        Some(seed) => run_many((seed, 1), arguments.past),
        None => run_many((arguments.from, arguments.seeds), arguments.past),
    };
    if passes { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run_many((from, seeds): (u64, u64), records: bool) -> bool {
    let started = Instant::now();
    let (counts, failures) = run_all(from..from + seeds, records);
    for (seed, violation) in &failures {
        eprintln!("seed {seed}: {violation}");
    }
    if let Some((seed, violation)) = failures.first_key_value() {
        eprintln!("{}", explain(*seed, violation, records));
        return false;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{seeds} seeds, {} steps, in {seconds:.1} s: no guarantee was broken", counts.steps);
    for guarantee in Guarantee::value_variants() {
        println!("{:>14} {}", format!("{guarantee:?}"), counts.of(*guarantee));
    }
    true
}

fn find_defects(from: u64, seeds: u64) -> bool {
    let mut all_found = true;
    for defect in Defect::value_variants() {
        let started = Instant::now();
        let name = format!("{defect:?}");
        if let Some((seed, violation)) = find(*defect, from, seeds) {
            let (after, took_ms) = (seed - from + 1, started.elapsed().as_millis());
            println!("{name:<20} after {after:>5} seeds, {took_ms:>6} ms: {violation}");
        } else {
            all_found = false;
            println!("{name:<20} not found");
        }
    }
    all_found
}

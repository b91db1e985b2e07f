//! The simulation for as many seeds as a night has room for: `cargo xtask simulate`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use simulation::{Counts, DEFECTS, Guarantee, Violation, explain, find, run, trace};

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
    /// With --seed: print every action and every delivery
    #[arg(long, requires = "seed")]
    trace: bool,
    /// Show after how many seeds each deliberate defect is found
    #[arg(long)]
    defects: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.defects {
        return defects(arguments.from, arguments.seeds);
    }
    if let Some(seed) = arguments.seed.filter(|_| arguments.trace) {
        return trace(seed).map_or_else(
            |violation| {
                eprintln!("{violation}");
                ExitCode::FAILURE
            },
            |_| ExitCode::SUCCESS,
        );
    }
    let (from, seeds) = arguments.seed.map_or((arguments.from, arguments.seeds), |seed| (seed, 1));
    many(from, seeds)
}

/// Enough to see which kinds there are.
const FAILURES_MAX: usize = 20;

#[derive(Default)]
struct Sum {
    counts: Counts,
    steps: u64,
    failures: BTreeMap<u64, Violation>,
}

fn many(from: u64, seeds: u64) -> ExitCode {
    let started = Instant::now();
    let next = AtomicU64::new(from);
    let sum = Mutex::new(Sum::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&next, from + seeds, &sum));
        }
    });
    let sum = sum.into_inner().expect("nobody panics");
    if let Some((seed, violation)) = sum.failures.first_key_value() {
        for (seed, violation) in &sum.failures {
            eprintln!("seed {seed}: {violation}");
        }
        eprintln!("{}", explain(*seed, violation, None));
        return ExitCode::FAILURE;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{seeds} seeds, {} steps, in {seconds:.1} s: no guarantee was broken", sum.steps);
    for guarantee in GUARANTEES {
        println!("{:>14} {}", format!("{guarantee:?}"), sum.counts.of(guarantee));
    }
    ExitCode::SUCCESS
}

fn work(next: &AtomicU64, end: u64, sum: &Mutex<Sum>) {
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            return;
        }
        let outcome = run(seed, None);
        let mut sum = sum.lock().expect("nobody panics");
        match outcome {
            Ok(passed) => {
                sum.counts.join(&passed.counts);
                sum.steps += passed.steps;
            }
            Err(violation) => drop(sum.failures.insert(seed, violation)),
        }
        if sum.failures.len() >= FAILURES_MAX {
            return;
        }
    }
}

const GUARANTEES: [Guarantee; 12] = [
    Guarantee::Chained,
    Guarantee::Ordered,
    Guarantee::Unique,
    Guarantee::Exact,
    Guarantee::Reliable,
    Guarantee::Bookmarkable,
    Guarantee::Resumable,
    Guarantee::Convergent,
    Guarantee::Honest,
    Guarantee::Bounded,
    Guarantee::Authorised,
    Guarantee::Live,
];

fn defects(from: u64, seeds: u64) -> ExitCode {
    let mut all_found = true;
    for defect in DEFECTS {
        let started = Instant::now();
        match find(defect, from, seeds) {
            Some((seed, violation)) => {
                println!(
                    "{:<20} after {:>5} seeds, {:>6} ms: {violation}",
                    format!("{defect:?}"),
                    seed - from + 1,
                    started.elapsed().as_millis()
                );
            }
            None => {
                all_found = false;
                println!("{:<20} not found", format!("{defect:?}"));
            }
        }
    }
    if all_found { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

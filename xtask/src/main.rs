//! What a developer runs: `cargo xtask run`, `build`, `package`, `test`, `versions`, `coverage`, `kube`, `bench`,
//! `chaos`, `soak`, `simulate`, `fuzz`, `examples`, `upgrade`, `requirements`, `reference`, `chart`, `image`, `deny`,
//! `advisories`, `sbom`, `reproducible`, `release`.
//!
//! It only calls other programs, in the right order, and says what it is doing. It never builds what
//! `cargo` would build by itself, and needs nothing but rustup, git and a C compiler until a command
//! says what else it wants.

mod bench;
mod build;
mod chart;
mod commands;
mod copy;
mod coverage;
mod examples;
mod image;
mod kube;
mod machine;
mod reference;
mod release;
mod run;
mod seconds;
mod steps;
mod supply;
mod test;
mod upgrade;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Build, run and test Dogwatch")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build page and gateway, start the gateway and print its URL
    ///
    /// With a kubeconfig it shows that cluster; where there is none, or with --demo, the playground.
    Run {
        /// Show the playground, whatever kubeconfig there is
        #[arg(long)]
        demo: bool,
        /// Build page and gateway as users get them: smaller and faster, and some minutes later to start
        #[arg(long)]
        release: bool,
        /// Flags for `dogwatch serve`, after --
        #[arg(last = true, value_name = "FLAGS")]
        flags: Vec<String>,
    },
    /// Build page and gateway for release: target/release/dogwatch, the page inside
    Build {
        /// As the tests build them: target/debug/dogwatch
        #[arg(long)]
        quick: bool,
    },
    /// Write the npm package as it is published, with the program in it
    Package {
        /// Where it is written [default: target/package]
        folder: Option<PathBuf>,
    },
    /// Test everything: formatting, clippy (native and wasm32), unit, kube-apiserver, browser
    ///
    /// What the machine lacks is installed where that is possible, or named. Nothing is skipped.
    Test,
    /// The tests on real API servers, on each Kubernetes version that is supported
    Versions {
        /// Others, like 1.34.4 [default: the supported ones]
        versions: Vec<String>,
    },
    /// The share of lines that native tests run: shared, replica, page, and frontend without its views
    Coverage,
    /// Write docs/REQUIREMENTS.md: each row of the threat model with the tests of its name
    Requirements,
    /// Write what docs/EMBEDDING.md and element/dogwatch.d.ts say of the elements, from element/custom-elements.json
    Reference,
    /// Write what the chart has from the gateway's own code, deploy/chart/files/rbac.yaml, and the table of its values,
    /// deploy/chart/VALUES.md
    Chart,
    /// Check licences, sources and duplicates of the dependencies, by deny.toml; part of `test`
    Deny,
    /// Check the dependencies for known vulnerabilities; needs the RustSec database
    Advisories,
    /// List what gateway and page are made of, as CycloneDX: target/sbom
    Sbom,
    /// Write the image of the gateway as an OCI layout, for x86_64 and aarch64: target/image
    Image {
        /// Where it is written [default: target/image]
        folder: Option<PathBuf>,
        /// Use the binary of the tests, which doesn't run in it: shows the layout alone
        #[arg(long)]
        quick: bool,
    },
    /// Write the folder of a release, signed; or check or try one
    Release {
        /// The folder, which mustn't be there
        #[arg(long, value_name = "FOLDER", required_unless_present_any = ["check", "try_out"])]
        out: Option<PathBuf>,
        /// Check this folder by nothing but itself and the key
        #[arg(long, value_name = "FOLDER", conflicts_with = "out")]
        check: Option<PathBuf>,
        /// Check it, and install each part from it: program, image, chart and npm package. As root
        #[arg(long = "try", value_name = "FOLDER", conflicts_with_all = ["out", "check"])]
        try_out: Option<PathBuf>,
        /// A file of `minisign -G -W`: to write, the secret key; to check, the public one
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
    /// Build page and gateway twice in two folders, and compare the hashes
    Reproducible {
        /// As the tests build them
        #[arg(long, conflicts_with = "image")]
        quick: bool,
        /// The image, too, for both architectures
        #[arg(long)]
        image: bool,
    },
    /// A real control plane on loopback that stays up after the command
    Kube {
        #[command(subcommand)]
        command: KubeCommand,
    },
    /// Feed, hub, wire and replica under every fault, seed after seed, for as long as there is time
    Simulate {
        /// Arguments for the simulation, like --seeds 100000 or --seed 7
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Bad frames, answers of API servers, selectors, paths and links, seed after seed
    Fuzz {
        /// How long each kind of bad input is tried; all at once
        #[arg(long, default_value_t = 60)]
        minutes: u64,
        /// A seed that failed, alone
        #[arg(long, conflicts_with = "minutes")]
        seed: Option<u64>,
    },
    /// Every fault on a real control plane, under a writer: each replica has to be exact afterwards
    Chaos {
        /// Arguments for the run: --minutes 10, --seed 1, --rate 200 (changes a second), --short
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// The examples of the elements in each framework, in Chromium and Firefox ESR
    Examples {
        /// Names of examples, --chromium or --firefox [default: all, in both]
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// A former release and this one, while one takes the other's place
    ///
    /// Its page and its `tail` at gateways of this release, and the reverse; it is built from its commit, once.
    Upgrade {
        /// The folder of a release or a program; or a commit, a tag or a branch, which is built [default: the newest tag]
        former: Option<String>,
        /// What takes its place: the folder of a release, or a program [default: this clone, as the tests build it]
        #[arg(long, value_name = "RELEASE")]
        to: Option<PathBuf>,
        /// Arguments for the run, like --page: one part alone
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Viewers that come and go for an hour, on a real control plane: none may leave memory or a file behind
    Soak {
        /// Arguments for the run: --minutes 60, --seed 1, --rate 100 (changes a second)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run a bench of docs/BENCHMARKS.md; without a name, list them
    Bench {
        name: Option<String>,
        /// Arguments for the bench, like --json
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

#[derive(Subcommand)]
enum KubeCommand {
    /// Start what isn't running, with the data of the last time, and print the kubeconfig's path
    Up {
        /// The Kubernetes version, like 1.35.4 [default: the last one of the folder, or the pinned one]
        #[arg(long)]
        version: Option<String>,
        /// The folder of its data, logs and kubeconfig [default: target/kube]
        #[arg(long)]
        dir: Option<PathBuf>,
        /// The apiserver's port [default: the last one of the folder, or a free one]
        #[arg(long)]
        port: Option<u16>,
        /// With controller manager, scheduler, nodes and workloads that live, SPEED times faster than usual
        #[arg(long, value_name = "SPEED", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
        #[arg(value_parser = clap::value_parser!(u32).range(1..=20))]
        fleet: Option<u32>,
    },
    /// End it; the data stays in the folder
    Down {
        /// The folder given to `up` [default: target/kube]
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match dispatch(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: Command) -> Result<()> {
    match command {
        Command::Run { demo, release, flags } => run::run(demo, release, flags),
        Command::Build { quick: false } => build::release(build::Page::Release).map(drop),
        Command::Build { quick: true } => build::quick(),
        Command::Package { folder } => build::package(folder),
        Command::Test => test::test(),
        Command::Versions { versions } => test::versions(&versions),
        Command::Chart => chart::write(),
        Command::Coverage => coverage::coverage(),
        Command::Deny => supply::deny(),
        Command::Advisories => supply::advisories(),
        Command::Sbom => supply::sbom(),
        Command::Reproducible { quick, image } => supply::reproducible(quick, image),
        Command::Release { check: Some(folder), key, .. } => release::check(&folder, &key),
        Command::Release { try_out: Some(folder), key, .. } => release::try_out(&folder, &key),
        Command::Release { out, key, .. } => release::write(&out.unwrap_or_default(), &key),
        Command::Image { folder, quick } => image::image(folder, quick),
        Command::Reference => reference::write(),
        Command::Requirements => tidy::requirements::write().context("write the table of requirements"),
        Command::Kube { command } => match command {
            KubeCommand::Up { version, dir, port, fleet } => kube::up(version.as_deref(), dir, port, fleet),
            KubeCommand::Down { dir } => kube::down(dir),
        },
        Command::Simulate { arguments } => simulate(&arguments),
        Command::Fuzz { minutes, seed } => fuzz(minutes, seed),
        Command::Chaos { arguments } => bench::chaos(&arguments),
        Command::Examples { arguments } => examples::examples(&arguments),
        Command::Upgrade { former, to, arguments } => {
            upgrade::upgrade(former.as_deref(), to.as_deref(), &arguments)
        }
        Command::Soak { arguments } => bench::soak(arguments),
        Command::Bench { name, arguments } => bench::bench(name.as_deref(), &arguments),
    }
}

fn simulate(arguments: &[String]) -> Result<()> {
    let mut run = commands::cargo("run");
    run.args(["--release", "--package=simulation", "--bin=simulate", "--"]);
    commands::succeed(run.args(arguments))
}

/// A debug build, because it finds overflows too.
fn fuzz(minutes: u64, seed: Option<u64>) -> Result<()> {
    commands::succeed(commands::cargo("build").args(["--package=dogwatch"]))?;
    let mut test = commands::cargo("test");
    test.args(["--package=tests", "--test=fuzz", "--", "--nocapture", "--test-threads=8"]);
    commands::succeed(match seed {
        Some(seed) => test.env("DOGWATCH_FUZZ_SEED", seed.to_string()),
        None => test.env("DOGWATCH_FUZZ_MINUTES", minutes.to_string()),
    })
}

//! `cargo xtask test`: everything, cheapest first, and the tests themselves last. It ends with the seconds
//! of each phase and of each test binary.
//!
//! Nothing is skipped: if the machine lacks something that can't be installed, the run ends before the tests.
//!
//! `cargo xtask versions` runs the scenarios of real API servers on one Kubernetes version after the other.

mod binaries;
mod requests;

use anyhow::{Result, ensure};
use cluster::{Binaries, Version};

use crate::build::{self, Page};
use crate::commands::{cargo, say, succeed, target};
use crate::machine;
use crate::seconds::Seconds;
use crate::supply;

pub(crate) fn test() -> Result<()> {
    let mut seconds = Seconds::default();
    let tested = phases(&mut seconds);
    seconds.print();
    tested
}

fn phases(seconds: &mut Seconds) -> Result<()> {
    say("what the tests need: Rust components, the wasm target, programs of the machine");
    seconds.of("tools", || {
        machine::rust_components()?;
        machine::wasm_target()?;
        machine::tools(&machine::TESTS)
    })?;
    seconds.of("formatting", || succeed(cargo("fmt").args(["--all", "--check"])))?;

    seconds.of("dependencies", supply::deny)?;

    // After the formatting: building the apiserver takes minutes on a machine that has none yet.
    seconds.of("control plane", || {
        Binaries::ensure()?;
        Binaries::ensure_fleet()?;
        Binaries::ensure_promtool()?;
        Binaries::ensure_clients(&target())?;
        Binaries::ensure_helm().map(drop)
    })?;

    // Clippy reads everything while it is built: on its own it would compile all dependencies once more.
    seconds.of("page", || build::page(Page::Quick))?;
    say("building everything with its tests, the gateway with the page inside");
    let tests = seconds.of("build", binaries::build)?;
    machine::free_disk()?;
    say("tests: unit, playground, kube-apiserver, browser");
    binaries::run(&tests, &Version::pinned(), seconds)
}

/// Each of them, whatever fails on the way.
pub(crate) fn versions(texts: &[String]) -> Result<()> {
    let supported = SUPPORTED.map(str::to_owned);
    let texts = if texts.is_empty() { &supported } else { texts };
    let versions: Vec<Version> = texts.iter().map(|text| Version::parse(text)).collect::<Result<_>>()?;
    machine::tools(&machine::TESTS)?;
    build::page(Page::Quick)?;
    let tests = binaries::of_api_servers(binaries::build()?);
    let mut seconds = Seconds::default();
    let mut failed = Vec::new();
    for version in &versions {
        say(&format!("Kubernetes {version}"));
        let tested = seconds.of(&format!("Kubernetes {version}"), || {
            Binaries::ensure_version(version)?;
            binaries::run(&tests, version, &mut Seconds::default())
        });
        failed.extend(tested.err().map(|why| format!("Kubernetes {version}: {why:#}")));
    }
    seconds.print();
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// The oldest whose API servers can be asked for everything, with WatchList off, and those that are maintained.
const SUPPORTED: [&str; 4] = ["1.33.13", "1.35.4", "1.36.3", "1.37.2"];

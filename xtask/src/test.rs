//! `cargo xtask test`: everything, cheapest first, and the tests themselves last. It ends with the seconds
//! of each phase and of each test binary.
//!
//! Nothing is skipped: if the machine lacks something that can't be installed, the run ends before the tests.

mod binaries;
mod requests;
mod seconds;

use anyhow::Result;
use cluster::Binaries;

use crate::build::{self, Page};
use crate::commands::{cargo, say, succeed};
use crate::machine;
use crate::supply;
use seconds::Seconds;

pub(crate) fn test() -> Result<()> {
    let mut seconds = Seconds::default();
    let tested = phases(&mut seconds);
    seconds.print();
    tested
}

fn phases(seconds: &mut Seconds) -> Result<()> {
    say("what the tests need: Rust components, the wasm target, Chromium, nginx, the real control plane");
    seconds.of("tools", || {
        machine::rust_components()?;
        machine::wasm_target()?;
        machine::browser()?;
        machine::reverse_proxy()
    })?;
    seconds.of("formatting", || succeed(cargo("fmt").args(["--all", "--check"])))?;

    seconds.of("dependencies", supply::deny)?;

    // After the formatting: building the apiserver takes minutes on a machine that has none yet.
    seconds.of("control plane", || {
        Binaries::ensure()?;
        Binaries::ensure_fleet()
    })?;

    // Clippy reads everything while it is built: on its own it would compile all dependencies once more.
    seconds.of("page", || build::page(Page::Quick))?;
    say("building everything with its tests, the gateway with the page inside");
    let tests = seconds.of("build", binaries::build)?;
    say("tests: unit, playground, kube-apiserver, browser");
    binaries::run(tests, &build::gateway_path(false), seconds)
}

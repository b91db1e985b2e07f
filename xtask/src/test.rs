//! `cargo xtask test`: everything, cheapest first, and the tests themselves last.
//!
//! Nothing is skipped: what the machine lacks and can't be given ends the run before it begins.

use anyhow::Result;
use cluster::Binaries;

use crate::build::{self, Names, Profile};
use crate::commands::{cargo, say, succeed};
use crate::machine::{self, WASM};

pub(crate) fn test() -> Result<()> {
    say("what the tests need: Rust components, the wasm target, Chromium, the real control plane");
    machine::rust_components()?;
    machine::wasm_target()?;
    machine::browser()?;

    say("formatting");
    succeed(cargo("fmt").args(["--all", "--check"]))?;

    // The apiserver is the longest of all on a machine that has none yet; a mistake in the
    // formatting is told before it.
    Binaries::ensure()?;
    Binaries::ensure_fleet()?;

    say("clippy");
    succeed(cargo("clippy").args(["--workspace", "--all-targets"]).args(DENY_WARNINGS))?;
    say("clippy for the browser");
    // In the page's own profile: building the page then finds its macros built.
    let browser = ["--package=frontend", "--package=page", "--package=replica", "--package=shared"];
    succeed(cargo("clippy").args(browser).args(["--profile=page", "--target", WASM]).args(DENY_WARNINGS))?;

    build::page(Names::Dropped)?;
    say("building everything with its tests, the gateway with the page inside");
    succeed(cargo("build").args(EVERYTHING))?;
    let gateway = build::gateway_path(Profile::Dev);

    say("examples in the documentation");
    succeed(cargo("test").args(["--workspace", "--doc"]))?;
    say("tests: unit, playground, kube-apiserver, browser");
    let mut test = cargo("test");
    test.args(EVERYTHING).arg("--no-fail-fast");
    // The gateway that the scenarios start.
    succeed(test.env("DOGWATCH_BIN", gateway))
}

/// The same for building and testing: another selection would mean other features, and building
/// the dependencies again.
const EVERYTHING: [&str; 4] = ["--workspace", "--lib", "--bins", "--tests"];

const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];

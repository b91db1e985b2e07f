//! The page and the gateway that carries it.
//!
//! The page comes first: the gateway's build script compresses `dist/` into the binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::commands::{cargo, program, root, say, succeed, succeed_both, target};
use crate::machine::{self, WASM};
use crate::steps::step;

/// How the page is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// As users get it.
    Release,
    /// The same, with the names of its functions, for a profile.
    Profiled,
    /// For the tests: built in less time, and larger. Clippy reads it on the way, and a warning is an error.
    Quick,
    /// To be looked at: as for the tests, without clippy, and with the gateway's library built beside it.
    Plain,
}

/// The path of the gateway that users get.
pub(crate) fn release(page: Page) -> Result<PathBuf> {
    self::page(page)?;
    let gateway = gateway(true)?;
    say(&format!("built {}", gateway.display()));
    Ok(gateway)
}

/// The same as the tests have it.
pub(crate) fn quick() -> Result<()> {
    self::page(Page::Quick)?;
    gateway(false).map(drop)
}

/// What `cargo xtask run` shows: the page takes a third of the time, and the gateway's library is
/// compiled beside it.
pub(crate) fn plain() -> Result<PathBuf> {
    self::page(Page::Plain)?;
    // The same packages as beside the page, or the libraries would get other features.
    let mut build = cargo("build");
    unoptimised(&mut build).args(["--package=xtask-page", "--package=dogwatch"]);
    step("the gateway: putting the page inside", || succeed(&mut build))?;
    Ok(gateway_path(false))
}

/// Writes the npm package as users get it.
pub(crate) fn package(folder: Option<PathBuf>) -> Result<()> {
    // The tool that writes it runs in the root of the clone.
    let folder = folder.map_or_else(|| Ok(target().join("package")), std::path::absolute)?;
    page_and_package(Page::Release, &folder)?;
    say(&format!("wrote {}: `npm publish` takes it", folder.display()));
    Ok(())
}

/// Writes `dist/`, and a package for the tests, so that no other one is published by mistake.
pub(crate) fn page(page: Page) -> Result<()> {
    page_and_package(page, &target().join("package-of-tests"))
}

fn page_and_package(page: Page, package: &Path) -> Result<()> {
    machine::wasm_target()?;
    let compiled = match page {
        Page::Release | Page::Profiled => {
            "the page: compiling the frontend to WebAssembly, and what makes JavaScript of it"
        }
        Page::Quick => "the page for the tests: compiling the frontend to WebAssembly",
        Page::Plain => "the page and the gateway: compiling both at once",
    };
    let profile = if matches!(page, Page::Quick | Page::Plain) { QUICK } else { "page" };
    let mut compile = cargo("rustc");
    compile.args(["--package=frontend", "--lib", "--profile", profile, "--target", WASM]);
    let mut build_tool = cargo("build");
    if page == Page::Plain {
        unoptimised(&mut build_tool).args(["--package=xtask-page", "--package=gateway"]);
    } else if page == Page::Quick {
        with_clippy(&mut compile).args(["--", "-Dwarnings"]);
        // The tool's libraries get the features that the whole workspace with its tests asks for, so the build of the
        // tests has them already. That test is the one that needs the least.
        with_clippy(build_tool.args(["--workspace", "--bin=xtask-page", "--test=standing"]));
    } else {
        build_tool.arg("--package=xtask-page");
    }
    // At once: the page's own crates wait for each other, and leave a core idle.
    step(compiled, || succeed_both(&mut compile, &mut build_tool))?;
    let wasm = target().join(WASM).join(profile).join("frontend.wasm");
    let tool = target().join("debug").join("xtask-page");
    let mut write = program(tool);
    write.arg(wasm).arg(root()).arg(root().join("dist")).arg(package);
    write.args(match page {
        Page::Release => Some("--sizes"),
        Page::Profiled => Some("--names"),
        Page::Plain => Some("--plain"),
        Page::Quick => None,
    });
    step("the page: writing dist/", || succeed(&mut write))
}

pub(crate) fn gateway(is_release: bool) -> Result<PathBuf> {
    let mut build = cargo("build");
    build.arg("--package=dogwatch");
    if is_release {
        build.arg("--release");
    }
    let compiled = if is_release {
        "the gateway as it ships: compiling it with the page inside"
    } else {
        "the gateway: compiling it with the page inside"
    };
    step(compiled, || succeed(&mut build))?;
    Ok(gateway_path(is_release))
}

pub(crate) fn gateway_path(is_release: bool) -> PathBuf {
    target().join(if is_release { "release" } else { "debug" }).join("dogwatch")
}

/// Clippy's driver is rustc with more lints, and compiles the members of the workspace without the optimisations
/// of MIR: for tests alone.
pub(crate) fn with_clippy(command: &mut Command) -> &mut Command {
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
}

/// For a first look: a demo is small, so what works through large clusters and records in the tests isn't optimised.
fn unoptimised(command: &mut Command) -> &mut Command {
    for package in ["playground", "history", "libsqlite3-sys"] {
        command.arg("--config").arg(format!("profile.dev.package.{package}.opt-level=0"));
    }
    command
}

/// The profile of [`Page::Quick`] and [`Page::Plain`].
const QUICK: &str = "page-quick";

//! The page and the gateway that carries it.
//!
//! The page comes first: the gateway's build script compresses `dist/` into the binary.

use std::path::PathBuf;

use anyhow::Result;

use crate::commands::{cargo, program, root, say, succeed, target};
use crate::machine::{self, WASM};

/// How the gateway is compiled; the page is always the one that ships.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Dev,
    Release,
}

/// Whether the page's functions keep their names, for a profile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    Dropped,
    Kept,
}

/// The path of the gateway that users get.
pub(crate) fn release(names: Names) -> Result<PathBuf> {
    page(names)?;
    let gateway = gateway(Profile::Release)?;
    say(&format!("built {}", gateway.display()));
    Ok(gateway)
}

/// Writes `dist/`.
pub(crate) fn page(names: Names) -> Result<()> {
    machine::wasm_target()?;
    say("the page: compiling the frontend to WebAssembly");
    succeed(cargo("build").args(["--package=frontend", "--profile=page", "--target", WASM]))?;
    say("the page: building what makes JavaScript of it, then writing dist/");
    succeed(cargo("build").arg("--package=xtask-page"))?;
    let wasm = target().join(WASM).join("page/frontend.wasm");
    let tool = target().join("debug").join("xtask-page");
    let mut write = program(tool);
    write.arg(wasm).arg(root()).arg(root().join("dist"));
    if names == Names::Kept {
        write.arg("--names");
    }
    succeed(&mut write)
}

pub(crate) fn gateway(profile: Profile) -> Result<PathBuf> {
    say("the gateway: compiling it with the page inside");
    let mut build = cargo("build");
    build.arg("--package=gateway");
    if profile == Profile::Release {
        build.arg("--release");
    }
    succeed(&mut build)?;
    Ok(gateway_path(profile))
}

pub(crate) fn gateway_path(profile: Profile) -> PathBuf {
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => "release",
    };
    target().join(folder).join("dogwatch")
}

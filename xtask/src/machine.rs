//! What the machine needs beyond rustup, git and a C compiler: installed where it can be, otherwise
//! named together with the command that installs it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::commands::{cargo, program, say, succeed, succeeds, target};

pub(crate) fn wasm_target() -> Result<()> {
    rust_target(WASM)
}

/// Asked of rustc, not of rustup: not every Rust comes from rustup.
pub(crate) fn rust_target(target: &str) -> Result<()> {
    let output = program("rustc")
        .args(["--print", "target-libdir", "--target", target])
        .stderr(Stdio::null())
        .output()
        .context("run rustc")?;
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && Path::new(&folder).exists() {
        return Ok(());
    }
    say(&format!("installing the Rust target {target}"));
    succeed(program("rustup").args(["target", "add", target]))
        .with_context(|| format!("this needs the Rust target {target}"))
}

pub(crate) fn rust_components() -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !succeeds(program(cargo(subcommand).get_program()).args([subcommand, "--version"])) {
            say(&format!("installing the Rust component {component}"));
            succeed(program("rustup").args(["component", "add", component]))
                .with_context(|| format!("the tests need the Rust component {component}"))?;
        }
    }
    Ok(())
}

/// Chromium and its driver, of the same version, from Debian or whoever else put them on the PATH.
pub(crate) fn browser() -> Result<()> {
    if has_browser() {
        return Ok(());
    }
    if on_path("apt-get").is_none() || !is_root() {
        bail!(
            "the browser tests need chromium and chromedriver on the PATH; install them, on Debian with\n  {INSTALL}"
        );
    }
    say("installing Chromium, its driver and a font");
    succeed(&mut apt(&["update"]))?;
    let mut install = apt(&["install", "-y", "--no-install-recommends"]);
    succeed(install.args(BROWSER_PACKAGES))?;
    if !has_browser() {
        bail!("chromium or chromedriver still isn't on the PATH after installing it");
    }
    Ok(())
}

/// Firefox ESR from Debian, and its driver, which is compiled: it is in no package of Debian's.
pub(crate) fn firefox() -> Result<()> {
    if on_path("firefox-esr").is_none() {
        if on_path("apt-get").is_none() || !is_root() {
            bail!("the examples need firefox-esr on the PATH; on Debian: sudo apt-get install firefox-esr");
        }
        say("installing Firefox ESR");
        succeed(&mut apt(&["update"]))?;
        succeed(&mut apt(&["install", "-y", "--no-install-recommends", "firefox-esr"]))?;
    }
    let folder = target().join("geckodriver");
    if on_path("geckodriver").is_none() && !folder.join("bin/geckodriver").is_file() {
        say("compiling geckodriver");
        let mut install = cargo("install");
        succeed(install.args(["geckodriver", "--version", GECKODRIVER, "--debug", "--root"]).arg(folder))?;
    }
    Ok(())
}

/// The reverse proxy that stands before a gateway in the tests.
pub(crate) fn reverse_proxy() -> Result<()> {
    if on_path("nginx").is_some() {
        return Ok(());
    }
    if on_path("apt-get").is_none() || !is_root() {
        bail!(
            "the tests of mode proxy need nginx on the PATH; install it, on Debian with\n  \
             sudo apt-get install -y --no-install-recommends nginx-light"
        );
    }
    say("installing nginx");
    succeed(&mut apt(&["update"]))?;
    succeed(&mut apt(&["install", "-y", "--no-install-recommends", "nginx-light"]))
}

/// What reads an image as others do.
pub(crate) fn image_tools() -> Result<()> {
    let missing: Vec<&str> = IMAGE_TOOLS.into_iter().filter(|name| on_path(name).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    if on_path("apt-get").is_none() || !is_root() {
        bail!(
            "the tests of the image need {names} on the PATH; install them, on Debian with\n  \
             sudo apt-get install -y --no-install-recommends {names}"
        );
    }
    say(&format!("installing {names}"));
    succeed(&mut apt(&["update"]))?;
    succeed(apt(&["install", "-y", "--no-install-recommends"]).args(missing))
}

/// The folder with Zig and its helper for cargo: a C compiler and a linker for every target, in one package of PyPI.
pub(crate) fn zig() -> Result<PathBuf> {
    let folder = target().join("zig");
    let programs = folder.join("bin");
    if !programs.join("cargo-zigbuild").is_file() {
        say("installing Zig from PyPI");
        succeed(program("python3").args(["-m", "venv"]).arg(&folder))
            .context("the image needs Python 3 with venv; on Debian: sudo apt-get install python3-venv")?;
        succeed(program(programs.join("pip")).args(["install", "--quiet"]).args(ZIG))?;
    }
    Ok(programs)
}

/// On a full disk etcd writes no log, and every test that needs it waits for its deadline.
pub(crate) fn free_disk() -> Result<()> {
    for folder in [target(), env::temp_dir()] {
        let output = program("df").arg("-Pk").arg(&folder).output().context("run df")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let free = text.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
        let free = free.with_context(|| format!("df -Pk {} prints no number:\n{text}", folder.display()))?;
        ensure!(
            free >= LEAST_FREE_KIB,
            "{} has {} MiB free, and the tests need {}: remove what isn't needed, target/ of former builds first",
            folder.display(),
            free / 1024,
            LEAST_FREE_KIB / 1024
        );
    }
    Ok(())
}

fn has_browser() -> bool {
    let chromium = CHROMIUM.iter().any(|name| on_path(name).is_some());
    chromium && on_path("chromedriver").is_some()
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = program("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn is_root() -> bool {
    let output = program("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let candidates = env::split_paths(&path).map(|folder| folder.join(name));
    candidates.into_iter().find(|candidate| candidate.is_file())
}

const LEAST_FREE_KIB: u64 = 4 * 1024 * 1024;
const IMAGE_TOOLS: [&str; 2] = ["skopeo", "umoci"];
const ZIG: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];
const GECKODRIVER: &str = "0.37.1";
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const BROWSER_PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "fonts-dejavu-core"];
const INSTALL: &str =
    "sudo apt-get install -y --no-install-recommends chromium chromium-driver fonts-dejavu-core";

pub(crate) const WASM: &str = "wasm32-unknown-unknown";

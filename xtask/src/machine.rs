//! What the machine needs beyond rustup, git and a C compiler: installed where it can be, otherwise
//! named together with the command that installs it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

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

/// Installs what the machine lacks of `tools`, or names it with the command that installs it.
pub(crate) fn tools(tools: &[&Tool]) -> Result<()> {
    let missing: Vec<&Tool> = tools.iter().copied().filter(|tool| !(tool.is_there)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().flat_map(|tool| tool.packages.iter().copied()).collect();
    let may_install = on_path("apt-get").is_some() && is_root();
    ensure!(
        may_install && missing.iter().all(|tool| !tool.packages.is_empty()),
        "this machine lacks {}{}",
        purposes(&missing),
        by_hand(&packages)
    );
    say(&format!("installing {}", purposes(&missing)));
    succeed(&mut apt(&["update"]))?;
    succeed(apt(&["install", "-y", "--no-install-recommends"]).args(packages))?;
    let still: Vec<&Tool> = missing.into_iter().filter(|tool| !(tool.is_there)()).collect();
    ensure!(
        still.is_empty(),
        "the packages of this machine don't bring {}; install it from elsewhere",
        purposes(&still)
    );
    Ok(())
}

fn purposes(tools: &[&Tool]) -> String {
    let purposes: Vec<&str> = tools.iter().map(|tool| tool.purpose).collect();
    purposes.join("; ")
}

/// How a user installs what has packages.
fn by_hand(packages: &[&str]) -> String {
    if packages.is_empty() {
        return String::new();
    }
    format!("; on Debian:\n  sudo apt-get install -y --no-install-recommends {}", packages.join(" "))
}

/// Firefox's driver, which is compiled: no package of Debian has it.
pub(crate) fn geckodriver() -> Result<()> {
    let folder = target().join("geckodriver");
    if on_path("geckodriver").is_none() && !folder.join("bin/geckodriver").is_file() {
        say("compiling geckodriver");
        let mut install = cargo("install");
        succeed(install.args(["geckodriver", "--version", GECKODRIVER, "--debug", "--root"]).arg(folder))?;
    }
    Ok(())
}

/// Every crate of the lock file, those of other platforms too: `cargo-deny` reads them offline.
pub(crate) fn crates() -> Result<()> {
    say("fetching the crates of the lock file, for every platform");
    succeed(&mut cargo("fetch"))
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

/// Without a font the browser measures every text as empty.
fn has_font() -> bool {
    let fonts = program("fc-list").output();
    fonts.is_ok_and(|fonts| String::from_utf8_lossy(&fonts.stdout).contains("DejaVu"))
}

fn has_python() -> bool {
    let check = "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))";
    succeeds(program("python3").args(["-c", check]))
}

fn has_node() -> bool {
    let version = program("node").arg("--version").output();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let major =
        text.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    on_path("npm").is_some() && major.is_some_and(|major| major >= 20)
}

/// Debian keeps the programs of each version in a folder that isn't on the path.
fn has_postgresql() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut versions = versions.filter_map(|version| Some(version.ok()?.path()));
    on_path("initdb").is_some() || versions.any(|version| version.join("bin/initdb").is_file())
}

fn has_go() -> bool {
    succeeds(program("go").arg("version"))
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = program("apt-get");
    command.args(["-o", "Acquire::Retries=3"]).args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
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

/// As the files of a release name it.
pub(crate) fn architecture() -> &'static str {
    if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" }
}

const LEAST_FREE_KIB: u64 = 4 * 1024 * 1024;
const ZIG: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];
const GECKODRIVER: &str = "0.37.1";
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A program of the machine that a command runs, and the Debian packages that bring it.
pub(crate) struct Tool {
    /// What it is and what for, as an error names it.
    purpose: &'static str,
    is_there: fn() -> bool,
    packages: &'static [&'static str],
}

/// Chromium and its driver must be of the same version.
pub(crate) const BROWSER: Tool = Tool {
    purpose: "Chromium and chromedriver, which the browser tests drive",
    is_there: has_browser,
    packages: &["chromium", "chromium-driver"],
};
pub(crate) const FONT: Tool = Tool {
    purpose: "the font DejaVu, whose widths the browser tests measure",
    is_there: has_font,
    packages: &["fontconfig", "fonts-dejavu-core"],
};
pub(crate) const FIREFOX: Tool = Tool {
    purpose: "Firefox ESR, which shows the examples",
    is_there: || on_path("firefox-esr").is_some(),
    packages: &["firefox-esr"],
};
pub(crate) const REVERSE_PROXY: Tool = Tool {
    purpose: "nginx, the reverse proxy before a gateway",
    is_there: || on_path("nginx").is_some(),
    packages: &["nginx-light"],
};
const OTHER_REVERSE_PROXIES: Tool = Tool {
    purpose: "haproxy and Caddy, which stand before a gateway as the documents say it",
    is_there: || on_path("haproxy").is_some() && on_path("caddy").is_some(),
    packages: &["haproxy", "caddy"],
};
const IMAGE_READERS: Tool = Tool {
    purpose: "skopeo and umoci, which read the image as others do",
    is_there: || on_path("skopeo").is_some() && on_path("umoci").is_some(),
    packages: &["skopeo", "umoci"],
};
const PYTHON: Tool = Tool {
    purpose: "Python 3.11 or newer with venv, which the protocol's example client runs on",
    is_there: has_python,
    packages: &["python3", "python3-venv"],
};
const NODE: Tool = Tool {
    purpose: "Node 20 or newer with npm, which the identity provider and the portals run on",
    is_there: has_node,
    packages: &["nodejs", "npm"],
};
const PROCESSES: Tool = Tool {
    purpose: "ps and kill, which end the tests' own clusters",
    is_there: || on_path("ps").is_some() && on_path("kill").is_some(),
    packages: &["procps"],
};
/// Debian's Go may be too old to fetch the version that the modules name, so it is never installed from there.
const GO: Tool = Tool {
    purpose: "Go 1.26 or newer (https://go.dev/dl/), which builds the control plane",
    is_there: has_go,
    packages: &[],
};

const DATABASE: Tool = Tool {
    purpose: "PostgreSQL 13 or newer, which keeps the record of several replicas",
    is_there: has_postgresql,
    packages: &["postgresql"],
};

/// What the gate runs beside cargo.
pub(crate) const TESTS: [&Tool; 10] = [
    &GO,
    &BROWSER,
    &FONT,
    &REVERSE_PROXY,
    &DATABASE,
    &OTHER_REVERSE_PROXIES,
    &IMAGE_READERS,
    &PYTHON,
    &NODE,
    &PROCESSES,
];

pub(crate) const WASM: &str = "wasm32-unknown-unknown";

//! `cargo xtask release`: the folder of a release, all that people install and verify. It is built of the tracked files
//! in a folder of their own, so that it is the same from every clone.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::commands::{cargo, git, program, say, succeed, target};
use crate::copy::Copy;
use crate::machine;
use crate::seconds::Seconds;

/// `key`: a file of `minisign -G -W`.
pub(crate) fn write(folder: &Path, key: &Path) -> Result<()> {
    let [folder, key] = [std::path::absolute(folder)?, std::path::absolute(key)?];
    ensure!(!folder.exists(), "{} is there already; name a folder that isn't", folder.display());
    ensure!(key.is_file(), "{} isn't a secret key; `minisign -G -W` makes one", key.display());
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    ensure!(
        changed.is_empty(),
        "these files differ from the commit, so no release is made of it:\n{changed}"
    );
    let commit = git(&["rev-parse", "HEAD"])?;
    let copy = Copy::of_tracked(&target().join("release-source"))?;
    let at = |name: &str| copy.target().join(name);
    say(&format!("the release of {commit}: building in {}", copy.folder().display()));
    let mut seconds = Seconds::default();
    for part in ["image", "package", "sbom"] {
        seconds.of(part, || copy.xtask(&[part]))?;
    }
    let [amd64, arm64] =
        ["x86_64", "aarch64"].map(|name| at(&format!("{name}-unknown-linux-musl/release/dogwatch")));
    let here = if cfg!(target_arch = "aarch64") { &arm64 } else { &amd64 };
    let (manual, completions) = (at("release-manual"), at("release-completions"));
    // What a former commit's program wrote there is no part of this release.
    for folder in [&manual, &completions].into_iter().filter(|folder| folder.exists()) {
        std::fs::remove_dir_all(folder).with_context(|| format!("remove {}", folder.display()))?;
    }
    succeed(program(here).arg("manual").arg(&manual))?;
    complete(here, &completions)?;
    let mut write = cargo("run");
    write.args(["--quiet", "--package=xtask-release", "--", "write"]).arg(&folder);
    write.args(["--version", env!("CARGO_PKG_VERSION"), "--commit", &commit]);
    for (flag, path) in [
        ("--key", &key),
        ("--source", &copy.folder().to_owned()),
        ("--amd64", &amd64),
        ("--arm64", &arm64),
        ("--manual", &manual),
        ("--completions", &completions),
        ("--image", &at("image")),
        ("--element", &at("package")),
        ("--components", &at("sbom")),
    ] {
        write.arg(flag).arg(path);
    }
    seconds.of("the folder", || succeed(&mut write))?;
    seconds.print();
    Ok(())
}

/// `key`: the file `*.pub` beside the secret one.
pub(crate) fn check(folder: &Path, key: &Path) -> Result<()> {
    let [folder, key] = [std::path::absolute(folder)?, std::path::absolute(key)?];
    let mut check = cargo("run");
    check.args(["--quiet", "--package=xtask-release", "--", "check"]).arg(folder).arg("--key").arg(key);
    succeed(&mut check)
}

/// Checks it first: what isn't signed isn't run.
pub(crate) fn try_out(folder: &Path, key: &Path) -> Result<()> {
    check(folder, key)?;
    machine::tools(&machine::TESTS)?;
    let mut run = cargo("run");
    run.args(["--package=tests", "--bin=released", "--"]).arg(std::path::absolute(folder)?);
    succeed(run.env("RUST_BACKTRACE", "0"))
}

/// By the names under which the shells look for them.
fn complete(dogwatch: &Path, folder: &PathBuf) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    for (shell, file) in [("bash", "dogwatch.bash"), ("zsh", "_dogwatch"), ("fish", "dogwatch.fish")] {
        let printed = program(dogwatch).args(["completion", shell]).output().context("run dogwatch")?;
        ensure!(printed.status.success(), "dogwatch completion {shell} failed");
        std::fs::write(folder.join(file), printed.stdout).with_context(|| format!("write {file}"))?;
    }
    Ok(())
}

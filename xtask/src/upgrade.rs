//! `cargo xtask upgrade [COMMIT]`: a former release is built from its commit, and the program `upgrade` of the tests
//! package shows how its page, its `tail` and its gateway get on with those of this release.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::build;
use crate::commands::{cargo, git, program, say, succeed, target};
use crate::machine;

pub(crate) fn upgrade(commit: Option<&str>, arguments: &[String]) -> Result<()> {
    machine::tools(&[&machine::BROWSER, &machine::FONT, &machine::REVERSE_PROXY])?;
    let commit = commit_of(commit)?;
    let former = former(&commit)?;
    build::quick()?;
    let mut run = cargo("run");
    run.args(["--package=tests", "--bin=upgrade", "--"]).args(arguments);
    run.env("DOGWATCH_BIN", build::gateway_path(false)).env("RUST_BACKTRACE", "0");
    succeed(run.env("DOGWATCH_FORMER_BIN", former).env("DOGWATCH_FORMER_COMMIT", commit))
}

/// The newest tag's, where none is named.
fn commit_of(named: Option<&str>) -> Result<String> {
    let named = match named {
        Some(named) => named.to_owned(),
        None => git(&["describe", "--tags", "--abbrev=0"])
            .context("no tag names a former release: name a commit")?,
    };
    git(&["rev-parse", "--short=12", "--verify", &format!("{named}^{{commit}}")])
}

/// The gateway of that commit with its page inside, built as the tests build them. It is kept, so that another run
/// builds nothing.
fn former(commit: &str) -> Result<PathBuf> {
    let folder = target().join("former");
    let (clone, kept) = (folder.join(commit), folder.join(format!("dogwatch-{commit}")));
    if kept.is_file() {
        return Ok(kept);
    }
    say(&format!("the former release: building {commit}"));
    if clone.exists() {
        remove(&clone)?;
    }
    succeed(program("git").args(["worktree", "add", "--force", "--detach"]).arg(&clone).arg(commit))?;
    // One folder for all former commits: most dependencies are the same.
    let built = folder.join("target");
    let mut build = Command::new("cargo");
    build.args(["xtask", "build", "--quick"]).current_dir(&clone).env("CARGO_TARGET_DIR", &built);
    // Its own toolchain, not the one that runs this program.
    for of_this in ["CARGO", "RUSTUP_TOOLCHAIN"] {
        build.env_remove(of_this);
    }
    succeed(&mut build)?;
    std::fs::copy(built.join("debug").join("dogwatch"), &kept).context("keep what was built")?;
    remove(&clone)?;
    Ok(kept)
}

fn remove(clone: &Path) -> Result<()> {
    succeed(program("git").args(["worktree", "remove", "--force"]).arg(clone))
}

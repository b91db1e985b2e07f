//! `cargo xtask upgrade [FORMER]`: a former release is built from its commit, or is the program of a release that was
//! built already, and the program `upgrade` of the tests package shows how its page, its `tail` and its gateway get on with
//! those of this release.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::build;
use crate::commands::{cargo, git, program, say, succeed, target};
use crate::machine;

/// `to`: what takes its place; this clone's own build where it is `None`.
pub(crate) fn upgrade(former: Option<&str>, to: Option<&Path>, arguments: &[String]) -> Result<()> {
    machine::tools(&[&machine::BROWSER, &machine::FONT, &machine::REVERSE_PROXY])?;
    let former = match former.map(Path::new).filter(|path| path.exists()) {
        Some(path) => built(path, "from")?,
        None => {
            let commit = commit_of(former)?;
            Release { program: self::former(&commit)?, name: commit }
        }
    };
    let this = match to {
        Some(path) => built(path, "to")?,
        None => {
            build::quick()?;
            Release { program: build::gateway_path(false), name: "this release".to_owned() }
        }
    };
    let mut run = cargo("run");
    run.args(["--package=tests", "--bin=upgrade", "--"]).args(arguments).env("RUST_BACKTRACE", "0");
    run.env("DOGWATCH_BIN", this.program).env("DOGWATCH_NAME", this.name);
    succeed(run.env("DOGWATCH_FORMER_BIN", former.program).env("DOGWATCH_FORMER_NAME", former.name))
}

struct Release {
    program: PathBuf,
    /// As it is called in what is printed.
    name: String,
}

/// A program, or the one in the folder of a release, unpacked into a folder of this name: both may be of one version.
fn built(path: &Path, side: &str) -> Result<Release> {
    let path = std::path::absolute(path)?;
    let program = if path.is_dir() { unpacked(&path, side)? } else { path };
    let printed = crate::commands::program(&program).arg("--version").output();
    let printed = printed.with_context(|| format!("run {}", program.display()))?;
    ensure!(printed.status.success(), "{} says no version", program.display());
    let name = String::from_utf8_lossy(&printed.stdout).trim().to_owned();
    Ok(Release { program, name })
}

fn unpacked(folder: &Path, side: &str) -> Result<PathBuf> {
    let ending = format!("-linux-{}.tar.gz", machine::architecture());
    let names = std::fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
    let names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let archive = names.into_iter().find(|name| name.starts_with("dogwatch-") && name.ends_with(&ending));
    let archive = archive
        .with_context(|| format!("{} is no folder of a release: no dogwatch-…{ending}", folder.display()))?;
    let name = archive.trim_end_matches(".tar.gz");
    let into = target().join("former").join(side);
    std::fs::create_dir_all(&into).with_context(|| format!("create {}", into.display()))?;
    let mut unpack = program("tar");
    succeed(unpack.arg("-xzf").arg(folder.join(&archive)).arg("-C").arg(&into))?;
    Ok(into.join(name).join("dogwatch"))
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

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_release_is_a_program_or_the_folder_that_holds_its_archive() {
        let home = std::env::temp_dir().join(format!("dogwatch-upgrade-{}", std::process::id()));
        let name = format!("dogwatch-9.9.9-linux-{}", machine::architecture());
        let (folder, program) = (home.join("release"), home.join(&name).join("dogwatch"));
        for made in [&folder, &home.join(&name)] {
            fs::create_dir_all(made).expect("made");
        }
        fs::write(&program, "#!/bin/sh\necho dogwatch 9.9.9 of $1\n").expect("written");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("set");
        let refused = built(&folder, "tested").err().expect("nothing is in it");
        let mut pack = Command::new("tar");
        pack.arg("-czf").arg(folder.join(format!("{name}.tar.gz"))).arg("-C").arg(&home).arg(&name);
        succeed(&mut pack).expect("packed");
        let names = [&folder, &program].map(|path| built(path, "tested").map(|release| release.name));
        fs::remove_dir_all(&home).expect("removed");
        fs::remove_dir_all(target().join("former/tested")).expect("it was unpacked there");
        assert!(refused.to_string().contains("is no folder of a release: no dogwatch-"), "{refused}");
        for name in names {
            assert_eq!(name.expect("a release"), "dogwatch 9.9.9 of --version");
        }
    }
}

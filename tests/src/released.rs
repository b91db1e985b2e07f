//! A release as people install it, from nothing but its folder: the program from its archive, the image as a runtime of
//! containers starts it, the chart on a real API server with that image in its pods, and the npm package in an empty app of
//! Vite. It builds nothing of Dogwatch.

pub mod chart;
pub mod container;
pub mod package;
pub mod program;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The folder of a release, and one for what is unpacked of it, which is removed with this.
pub struct Released {
    folder: PathBuf,
    version: String,
    unpacked: tempfile::TempDir,
}

impl Released {
    pub fn open(folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize().with_context(|| format!("open {}", folder.display()))?;
        let notes = folder.join("NOTES.md");
        let text = fs::read_to_string(&notes).with_context(|| format!("read {}", notes.display()))?;
        let version = text.lines().next().and_then(|line| line.strip_prefix("# Dogwatch "));
        let version = version.with_context(|| format!("{} names no version", notes.display()))?.to_owned();
        let unpacked = tempfile::Builder::new().prefix("dogwatch-release-").tempdir()?;
        Ok(Self { folder, version, unpacked })
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    /// The commit that the provenance names.
    pub fn commit(&self) -> Result<String> {
        let provenance = fs::read(self.file(&format!("dogwatch-{}.intoto.json", self.version)))?;
        let provenance: Value = serde_json::from_slice(&provenance)?;
        let commit = "/predicate/buildDefinition/resolvedDependencies/0/digest/gitCommit";
        let commit = provenance.pointer(commit).and_then(Value::as_str);
        commit.map(str::to_owned).context("the provenance names no commit")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// An empty folder.
    fn empty(&self, name: &str) -> Result<PathBuf> {
        let folder = self.unpacked.path().join(name);
        fs::create_dir(&folder).with_context(|| format!("create {}", folder.display()))?;
        Ok(folder)
    }
}

/// The architecture of this machine, as the files of a release name it.
fn architecture() -> &'static str {
    if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" }
}

/// What a program prints; what it complains of becomes the error.
fn said<A: AsRef<OsStr>>(program: impl AsRef<OsStr>, arguments: &[A], folder: &Path) -> Result<String> {
    let program = program.as_ref();
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.with_context(|| format!("run {}", program.display()))?;
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
    let complaint = [&output.stdout[..], &output.stderr].concat();
    let complaint = String::from_utf8_lossy(&complaint);
    ensure!(output.status.success(), "{} {} failed: {complaint}", program.display(), arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

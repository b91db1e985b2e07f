//! How a program is built: the Go module it comes from and the flags it needs.
//!
//! The pinned version is built from the committed go.mod and go.sum. For another version the same
//! module is written anew from what that version's own go.mod says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::program::{PINNED_VERSION, Program, Version};

/// Builds `program` and puts it at `path`, which then is whole or absent.
pub(crate) fn build(program: Program, version: &Version, path: &Path) -> Result<()> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let generated;
    let module = match program {
        Program::Etcd => source.join("etcd"),
        Program::Kwok => source.join("kwok"),
        Program::Promtool => source.join("promtool"),
        Program::Alertmanager => source.join("alertmanager"),
        Program::Helm => source.join("helm"),
        Program::Actionlint => source.join("actionlint"),
        _ if version.to_string() == PINNED_VERSION => source.to_owned(),
        _ => {
            generated = tempfile::tempdir().context("create a folder for the Go module")?;
            write_module(generated.path(), version)?;
            generated.path().to_owned()
        }
    };
    let folder = path.parent().context("a program needs a folder")?;
    let unfinished = tempfile::Builder::new()
        .prefix(".building-")
        .tempdir_in(folder)
        .with_context(|| format!("write into {}", folder.display()))?;
    let binary = unfinished.path().join(program.name());
    eprintln!(
        "building {} from Go modules into {} ({}, once)",
        program.name(),
        folder.display(),
        cost(program),
    );
    download(program, &module)?;
    let status = go(&module)
        .args(["build", "-trimpath", "-tags", tags(program)])
        .args(["-ldflags", &link_flags(program, version), "-o"])
        .args([binary.as_os_str(), package(program).as_ref()])
        .status()
        .context(NO_GO)?;
    ensure!(status.success(), "go build of {} failed ({status})", program.name());
    fs::rename(&binary, path).with_context(|| format!("put {} in place", path.display()))
}

/// Downloads the modules that the program needs, and no other of its go.mod.
fn download(program: Program, module: &Path) -> Result<()> {
    try_again(|| {
        let mut list = go(module);
        list.args(["list", "-deps", "-tags", tags(program), package(program)]);
        let status = list.stdout(Stdio::null()).status().context(NO_GO)?;
        ensure!(status.success(), "the Go modules of {} can't be had ({status})", program.name());
        Ok(())
    })
}

/// A failure of the module proxy may be over at the next attempt.
pub(crate) fn try_again<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    for number in 1..DOWNLOAD_ATTEMPTS {
        match attempt() {
            Ok(found) => return Ok(found),
            Err(error) => eprintln!("attempt {number} of {DOWNLOAD_ATTEMPTS}: {error:#}"),
        }
    }
    attempt()
}

fn package(program: Program) -> &'static str {
    match program {
        Program::Etcd => "go.etcd.io/etcd/server/v3",
        Program::KubeApiserver => "k8s.io/kubernetes/cmd/kube-apiserver",
        Program::Kubectl => "k8s.io/kubernetes/cmd/kubectl",
        Program::KubeControllerManager => "k8s.io/kubernetes/cmd/kube-controller-manager",
        Program::KubeScheduler => "k8s.io/kubernetes/cmd/kube-scheduler",
        Program::Kwok => "sigs.k8s.io/kwok/cmd/kwok",
        Program::Promtool => "github.com/prometheus/prometheus/cmd/promtool",
        Program::Alertmanager => "github.com/prometheus/alertmanager/cmd/alertmanager",
        Program::Helm => "helm.sh/helm/v4/cmd/helm",
        Program::Actionlint => "github.com/rhysd/actionlint/cmd/actionlint",
    }
}

/// The time of a build without a cache, on 2 cores. It is printed so that a long build doesn't look like a hung one.
fn cost(program: Program) -> &'static str {
    match program {
        Program::Etcd | Program::Kubectl => "half a minute",
        Program::KubeApiserver => "4 minutes",
        Program::KubeControllerManager | Program::Helm | Program::Alertmanager => "a minute",
        Program::Kwok | Program::Promtool => "2 minutes",
        Program::KubeScheduler | Program::Actionlint => "some seconds",
    }
}

/// Rules need no service discovery, whose libraries of every cloud would be four fifths of the program.
fn tags(program: Program) -> &'static str {
    if program == Program::Promtool { "remove_all_sd" } else { "" }
}

/// Without its version a server calls itself v0.0.0 and clients misjudge what it can do.
fn link_flags(program: Program, version: &Version) -> String {
    let mut flags = "-s -w".to_owned();
    if !matches!(
        program,
        Program::Etcd
            | Program::Kwok
            | Program::Promtool
            | Program::Alertmanager
            | Program::Helm
            | Program::Actionlint
    ) {
        let variables = "k8s.io/component-base/version";
        let minor = version.minor();
        flags += &format!(
            " -X {variables}.gitVersion=v{version} -X {variables}.gitMajor=1 -X {variables}.gitMinor={minor}"
        );
    }
    flags
}

fn write_module(folder: &Path, version: &Version) -> Result<()> {
    eprintln!("asking for the Go modules of Kubernetes {version}");
    let output = go(folder)
        .args(["mod", "download", "-json"])
        .arg(format!("k8s.io/kubernetes@v{version}"))
        .stderr(Stdio::inherit())
        .output()
        .context(NO_GO)?;
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("no answer from go mod download ({})", output.status))?;
    let Some(path) = answer.get("GoMod").and_then(|path| path.as_str()) else {
        let reason = answer.get("Error").and_then(|error| error.as_str());
        bail!("Kubernetes {version} can't be had as a Go module: {}", reason.unwrap_or("no reason given"));
    };
    let theirs = fs::read_to_string(PathBuf::from(path)).with_context(|| format!("read {path}"))?;
    fs::write(folder.join("go.mod"), go_mod(&theirs, version))?;
    fs::write(folder.join("tools.go"), include_str!("../tools.go"))?;
    let status = go(folder).args(["mod", "tidy"]).status().context(NO_GO)?;
    ensure!(status.success(), "go mod tidy for Kubernetes {version} failed ({status})");
    Ok(())
}

/// Kubernetes replaces its staging modules by folders of its own repository; a replacement counts
/// only in the main module, so ours names the published ones.
fn go_mod(theirs: &str, version: &Version) -> String {
    let go_line = theirs.lines().find(|line| line.starts_with("go ")).unwrap_or("go 1.26.0");
    let mut ours = format!(
        "module dogwatch.dev/tests/cluster\n\n{go_line}\n\nrequire k8s.io/kubernetes v{version}\n\nreplace (\n"
    );
    for line in theirs.lines() {
        if let Some((module, target)) = line.split_once(" => ")
            && target.starts_with("./staging/")
        {
            let module = module.trim().trim_start_matches("replace ");
            ours += &format!("\t{module} => {module} v{}\n", version.staging());
        }
    }
    ours + ")\n"
}

/// The folder with the sources of a module that `definitions/go.mod` names, downloaded if need be.
pub fn sources_of(module: &str) -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("definitions");
    try_again(|| {
        let output = go(&folder).args(["mod", "download", "-json", module]).output().context(NO_GO)?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("no answer from go mod download ({})", output.status))?;
        let sources = answer.get("Dir").and_then(|path| path.as_str());
        sources.map(PathBuf::from).with_context(|| format!("{module} can't be had as a Go module: {answer}"))
    })
}

/// `go` without what the user's environment would change in the build.
pub(crate) fn go(folder: &Path) -> Command {
    let mut command = Command::new("go");
    command
        .current_dir(folder)
        .env("CGO_ENABLED", "0")
        .env("GOWORK", "off")
        .env("GOFLAGS", "-buildvcs=false")
        .stdin(Stdio::null());
    command
}

const DOWNLOAD_ATTEMPTS: u32 = 3;
pub(crate) const NO_GO: &str = "the control plane is built with Go 1.26 or newer, and `go` could not be run; \
    install it from https://go.dev/dl/ or let KUBEBUILDER_ASSETS name a folder with etcd, kube-apiserver and kubectl";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_module_replaces_what_the_recipe_would_replace() {
        let theirs =
            "go 1.26.0\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n\tx.io/y => x.io/y v1.0.0\n)\n";
        let ours = go_mod(theirs, &Version::pinned());
        assert!(ours.contains("\tk8s.io/api => k8s.io/api v0.36.3\n"));
        assert!(!ours.contains("x.io/y"));
        assert!(include_str!("../go.mod").contains("\tk8s.io/api => k8s.io/api v0.36.3\n"));
    }
}

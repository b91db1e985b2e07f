//! The workflows of the forge, as two programs of others read them: `actionlint` checks their form and expressions, `zizmor`
//! what an attacker could make of them. That they run isn't shown here.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cluster::Binaries;
use testkit::python;

const ZIZMOR: &str = "zizmor==1.32.0\n";

#[test]
fn the_workflows_are_right_and_safe() -> Result<()> {
    let workflows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/workflows");
    actionlint(&workflows)?;
    zizmor(&workflows)
}

#[test]
fn a_workflow_that_runs_what_a_stranger_wrote_is_found() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let workflow = |step: &str| {
        let text = format!(
            "name: a\non: pull_request_target\npermissions: {{}}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n    - {step}\n"
        );
        std::fs::write(folder.path().join("a.yml"), text)
    };
    workflow("run: echo ${{ github.event.pull_request.title }}")?;
    ensure!(zizmor(folder.path()).is_err() && actionlint(folder.path()).is_err());
    workflow("run: echo ${{ github.nothing }}")?;
    ensure!(actionlint(folder.path()).is_err());
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
    Ok(entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?)
}

fn actionlint(folder: &Path) -> Result<()> {
    // What it finds with programs that this machine may have or not isn't asked.
    let mut check = Command::new(Binaries::ensure_actionlint()?);
    passes(check.args(["-shellcheck=", "-pyflakes="]).args(files(folder)?))
}

fn zizmor(folder: &Path) -> Result<()> {
    let python = python::environment("zizmor", ZIZMOR)?;
    let program = python.with_file_name("zizmor");
    passes(
        Command::new(program).args(["--offline", "--no-config", "--persona=pedantic"]).args(files(folder)?),
    )
}

fn passes(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("run {command:?}"))?;
    let said = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&said));
    Ok(())
}

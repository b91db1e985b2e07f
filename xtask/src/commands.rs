//! Running other programs from the root of the clone, and saying so.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, ensure};

/// One line about what happens now; on stderr, like cargo's own.
pub(crate) fn say(what: &str) {
    eprintln!("==> {what}");
}

pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => env::current_dir().unwrap_or_default().join(folder),
        None => root().join("target"),
    }
}

/// Where cargo keeps the sources of dependencies.
pub(crate) fn cargo_home() -> Result<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    home.context("neither CARGO_HOME nor a home folder is known")
}

/// The cargo that runs us, with the lock file as it is.
pub(crate) fn cargo(subcommand: &str) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = program(&cargo);
    command.arg(subcommand);
    if subcommand != "fmt" {
        command.arg("--locked");
    }
    command
}

pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).env("CARGO_TARGET_DIR", target());
    if env::var_os("CI").is_some() {
        // A gate builds once: what would make a second build faster takes half of the disk.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Runs it to its end; anything but success is an error that repeats the command.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    ended(command, |command| command.status())
}

/// Runs both at once, each to its end.
pub(crate) fn succeed_both(one: &mut Command, other: &mut Command) -> Result<()> {
    let mut beside = other.spawn().with_context(|| format!("run {}", line(other)))?;
    let result = succeed(one);
    result.and(ended(other, |_| beside.wait()))
}

fn ended(command: &mut Command, wait: impl FnOnce(&mut Command) -> io::Result<ExitStatus>) -> Result<()> {
    let line = line(command);
    let status = wait(command).with_context(|| format!("run {line}"))?;
    ensure!(status.success(), "`{line}` failed ({status})");
    Ok(())
}

/// Whether it runs and succeeds; nothing is printed.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// What git answers.
pub(crate) fn git(arguments: &[&str]) -> Result<String> {
    let output = program("git").args(arguments).output().context("run git")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {}: {}", arguments.join(" "), said.trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = [name].into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

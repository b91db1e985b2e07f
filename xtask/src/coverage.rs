//! `cargo xtask coverage`: how many lines of the crates behind the page native tests run, by LLVM's own
//! instrumentation. It builds into a folder of its own, so that no other build becomes stale. Lines of tests
//! don't count; the frontend, which only runs in a browser, counts as uncovered, without its views.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::commands::{cargo, program, root, say, succeed, succeeds, target};

/// The crates whose tests run.
const PACKAGES: [&str; 3] = ["shared", "replica", "page"];
const FRONTEND: &str = "frontend/src";
const VIEWS: &str = "frontend/src/views";

#[derive(Clone, Copy, Default)]
struct Lines {
    covered: u64,
    all: u64,
}

pub(crate) fn coverage() -> Result<()> {
    let tools = llvm_tools()?;
    let folder = target().join("coverage");
    let profiles = folder.join("profiles");
    if profiles.exists() {
        fs::remove_dir_all(&profiles).context("remove the former profiles")?;
    }
    say("testing with instrumentation");
    let tests = |extra: &[&str]| {
        let mut command = cargo("test");
        command.args(PACKAGES.iter().map(|name| format!("--package={name}"))).args(extra);
        command.env("CARGO_TARGET_DIR", &folder).env("RUSTFLAGS", "-C instrument-coverage");
        command.env("CARGO_INCREMENTAL", "0").env("LLVM_PROFILE_FILE", profiles.join("%p-%m.profraw"));
        command
    };
    succeed(&mut tests(&["--lib", "--tests", "--quiet"]))?;
    let built = tests(&["--lib", "--tests", "--no-run", "--message-format=json", "--quiet"]).output()?;
    let binaries = executables(&String::from_utf8_lossy(&built.stdout));
    let merged = folder.join("tests.profdata");
    let raw = fs::read_dir(&profiles).context("read the profiles")?;
    let raw: Vec<PathBuf> = raw.filter_map(|entry| Some(entry.ok()?.path())).collect();
    succeed(program(tools.join("llvm-profdata")).args(["merge", "--sparse", "-o"]).arg(&merged).args(raw))?;
    let mut export = program(tools.join("llvm-cov"));
    export.args(["export", "--format=lcov", "--instr-profile"]).arg(&merged);
    for (place, binary) in binaries.iter().enumerate() {
        if place > 0 {
            export.arg("--object");
        }
        export.arg(binary);
    }
    let report = export.output().context("run llvm-cov")?;
    let mut found = by_package(&String::from_utf8_lossy(&report.stdout));
    found.insert("frontend", Lines { covered: 0, all: code_lines(&root().join(FRONTEND))? });
    print(&found);
    Ok(())
}

/// The LLVM tools of the toolchain that compiles: another version of LLVM can't read its profiles.
fn llvm_tools() -> Result<PathBuf> {
    let output = program("rustc").args(["--print", "target-libdir"]).output().context("run rustc")?;
    let libraries = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let tools = libraries.parent().unwrap_or(Path::new("/")).join("bin");
    let has_tools = || tools.join("llvm-cov").exists();
    if !has_tools() {
        say("installing the Rust component llvm-tools");
        if !succeeds(program("rustup").args(["component", "add", "llvm-tools"])) || !has_tools() {
            bail!("the coverage needs the Rust component llvm-tools: rustup component add llvm-tools");
        }
    }
    Ok(tools)
}

/// The test binaries that cargo names in its messages.
fn executables(messages: &str) -> Vec<String> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.filter_map(|message| Some(message.get("executable")?.as_str()?.to_owned())).collect()
}

/// Reads lcov: a line `SF:PATH` begins a file, `DA:LINE,COUNT` is one of its lines.
fn by_package(report: &str) -> BTreeMap<&'static str, Lines> {
    let root = root();
    let mut found: BTreeMap<&'static str, Lines> = BTreeMap::new();
    let mut file: Option<(&'static str, u64)> = None;
    for line in report.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            file = Path::new(path).strip_prefix(&root).ok().and_then(|path| {
                let package =
                    PACKAGES.into_iter().find(|package| path.starts_with(format!("{package}/src")))?;
                (!is_test(path)).then(|| (package, tests_begin(&root.join(path))))
            });
        }
        let Some((package, end)) = file else { continue };
        let Some((number, count)) = line.strip_prefix("DA:").and_then(|line| line.split_once(',')) else {
            continue;
        };
        if number.parse().is_ok_and(|number: u64| number < end) {
            let lines = found.entry(package).or_default();
            lines.all += 1;
            lines.covered += u64::from(count != "0");
        }
    }
    found
}

/// The line at which the tests of a file begin.
fn tests_begin(path: &Path) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let at = text.lines().position(|line| line == "#[cfg(test)]");
    at.and_then(|at| u64::try_from(at + 1).ok()).unwrap_or(u64::MAX)
}

/// Lines that are neither empty nor a comment.
fn code_lines(path: &Path) -> Result<u64> {
    if path.ends_with(VIEWS) {
        return Ok(0);
    }
    if path.is_dir() {
        let entries = fs::read_dir(path).with_context(|| format!("read {}", path.display()))?;
        return entries.map(|entry| code_lines(&entry?.path())).sum();
    }
    let text = fs::read_to_string(path)?;
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    let is_code = |line: &&str| is_rust && !line.trim().is_empty() && !line.trim_start().starts_with("//");
    Ok(u64::try_from(text.lines().filter(is_code).count())?)
}

/// Tests and their rigs aren't what is measured.
fn is_test(path: &Path) -> bool {
    let parts = path.iter().filter_map(|part| part.to_str());
    parts.map(|part| part.trim_end_matches(".rs")).any(|part| matches!(part, "tests" | "testing"))
}

fn print(found: &BTreeMap<&'static str, Lines>) {
    let of = |package: &str| found.get(package).copied().unwrap_or_default();
    let line = |name: &str, Lines { covered, all }: Lines| {
        let percent = covered.saturating_mul(1_000) / all.max(1);
        println!("{name:<28}{covered:>8} of {all:>6} lines  {:>3}.{} %", percent / 10, percent % 10);
    };
    let browser = ["replica", "page", "frontend"];
    ["shared"].into_iter().chain(browser).for_each(|package| line(package, of(package)));
    let sum = browser.into_iter().map(of).fold(Lines::default(), |sum, lines| Lines {
        covered: sum.covered + lines.covered,
        all: sum.all + lines.all,
    });
    line("replica + page + frontend", sum);
}

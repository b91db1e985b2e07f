//! The test binaries: built by one call of cargo, then run one after the other, each on two threads, because a test
//! may start a browser, a control plane and a gateway. The one that waits most has eight, and runs beside those that
//! only compute.

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cluster::{VERSION_VARIABLE, Version};
use serde_json::Value;

use super::requests::Requests;
use crate::build::{self, with_clippy};
use crate::commands::{cargo, program, say, target};
use crate::seconds::Seconds;

pub(crate) struct TestBinary {
    /// `tests::ui`: the package and the target.
    name: String,
    path: PathBuf,
    /// The folder of its package, where cargo runs it too.
    folder: PathBuf,
}

/// Builds everything with its tests, and `dogwatch`, which the gateway's own tests ask for. Clippy reads all of
/// it on the way.
pub(crate) fn build() -> Result<Vec<TestBinary>> {
    let mut build = cargo("test");
    // `--all-targets` would build each program without tests a second time, as a test.
    build.args(["--workspace", "--no-run", "--message-format=json"]);
    let output = with_clippy(&mut build).stderr(Stdio::inherit()).output().context("run cargo test")?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> =
        messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).collect();
    let warnings: Vec<&str> = messages.iter().filter_map(warning).collect();
    warnings.iter().for_each(|warning| eprintln!("{warning}"));
    ensure!(output.status.success(), "the tests can't be built ({})", output.status);
    ensure!(warnings.is_empty(), "rustc and clippy warn {} times", warnings.len());
    let mut tests: Vec<TestBinary> = messages.iter().filter_map(test_binary).collect();
    tests.sort_by_key(|test| {
        let place = LONGEST_FIRST.iter().position(|name| *name == test.name);
        (place.unwrap_or(LONGEST_FIRST.len()), test.name.clone())
    });
    Ok(tests)
}

/// A warning or an error, as rustc prints it.
fn warning(message: &Value) -> Option<&str> {
    message.pointer("/message/rendered")?.as_str()
}

fn test_binary(artifact: &Value) -> Option<TestBinary> {
    let is_test = artifact.pointer("/profile/test")?.as_bool()?;
    let path = artifact.get("executable")?.as_str().filter(|_| is_test)?;
    let folder = Path::new(artifact.get("manifest_path")?.as_str()?).parent()?;
    let package = folder.file_name()?.to_string_lossy().into_owned();
    let target = artifact.pointer("/target/name")?.as_str()?;
    let name = if package == target { package } else { format!("{package}::{target}") };
    Some(TestBinary { name, path: path.into(), folder: folder.to_owned() })
}

/// Runs all of them, whatever fails on the way; the output of each goes to a file of its own. `version`: of the real API
/// servers.
pub(crate) fn run(tests: &[TestBinary], version: &Version, seconds: &mut Seconds) -> Result<()> {
    let gateway = &build::gateway_path(false);
    let logs = &target().join("test-logs");
    fs::create_dir_all(logs).with_context(|| format!("create {}", logs.display()))?;
    let mut requests = Requests::new(target().join("test-requests"))?;
    let mut of_waiting = Requests::new(target().join("test-requests-beside"))?;
    let began = Instant::now();
    let (waiting, rest): (Vec<&TestBinary>, Vec<_>) = tests.iter().partition(|test| test.name == WAITING);
    let (computing, others): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|test| COMPUTING.contains(&&*test.name));
    let mut ran = run_each(&others, (gateway, version), logs, &mut requests);
    ran.extend(thread::scope(|scope| {
        let waiting = scope.spawn(|| run_each(&waiting, (gateway, version), logs, &mut of_waiting));
        let mut ran = run_each(&computing, (gateway, version), logs, &mut requests);
        ran.extend(waiting.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ran
    }));
    let failed = ran
        .iter()
        .flat_map(|ran| ran.failed.iter().cloned())
        .chain(requests.finish().err().map(|error| error.to_string()));
    let failed: Vec<String> = failed.collect();
    let total = |count: fn(&Counts) -> u64| ran.iter().map(|ran| count(&ran.counts)).sum::<u64>();
    println!("{} passed, {} failed", total(|counts| counts.passed), total(|counts| counts.failed));
    seconds.add("tests".to_owned(), began.elapsed());
    ran.into_iter().for_each(|ran| seconds.add(ran.name, ran.took));
    ensure!(failed.is_empty(), "{} failures of test binaries\n{}", failed.len(), failed.join("\n"));
    Ok(())
}

/// What one binary said.
struct Ran {
    name: String,
    took: Duration,
    counts: Counts,
    failed: Vec<String>,
}

fn run_each(
    tests: &[&TestBinary],
    under: (&Path, &Version),
    logs: &Path,
    requests: &mut Requests,
) -> Vec<Ran> {
    let run = |test: &&TestBinary| {
        let began = Instant::now();
        let results = [run_one(test, under, logs, requests.folder()), requests.check()];
        let failed = results.into_iter().filter_map(Result::err);
        let mut counts = Counts::default();
        // Before the next one: a library and a program of one name share a log.
        counts.read(&log_of(logs, &test.name));
        counts.read(&log_of(logs, &format!("{}::alone", test.name)));
        Ran {
            name: format!("  {}", test.name),
            took: began.elapsed(),
            counts,
            failed: failed.map(|error| format!("{}: {error:#}", test.name)).collect(),
        }
    };
    tests.iter().map(run).collect()
}

fn run_one(test: &TestBinary, under: (&Path, &Version), logs: &Path, requests: &Path) -> Result<()> {
    let is_pinned = *under.1 == Version::pinned();
    let left_out = OF_THE_PINNED_VERSION.iter().filter(|_| !is_pinned);
    let mut skipped: Vec<&str> = left_out.flat_map(|filter| ["--skip", filter]).collect();
    let alone = ALONE.iter().find(|(name, _)| *name == test.name).map(|(_, filter)| *filter);
    let Some(filter) = alone else {
        return run_part(test, &skipped, under, requests, &log_of(logs, &test.name));
    };
    skipped.extend(["--skip", filter]);
    let rest = run_part(test, &skipped, under, requests, &log_of(logs, &test.name));
    rest.and(run_part(test, &[filter], under, requests, &log_of(logs, &format!("{}::alone", test.name))))
}

fn run_part(
    test: &TestBinary,
    filter: &[&str],
    (gateway, version): (&Path, &Version),
    requests: &Path,
    log: &Path,
) -> Result<()> {
    let output = fs::File::create(log).with_context(|| format!("create {}", log.display()))?;
    let began = Instant::now();
    let status = program(&test.path)
        .args(filter)
        .current_dir(&test.folder)
        .env("CARGO_MANIFEST_DIR", &test.folder)
        .env("DOGWATCH_BIN", gateway)
        .env(VERSION_VARIABLE, version.to_string())
        .env("DOGWATCH_REQUESTS", requests)
        .env("RUST_TEST_THREADS", if test.name == WAITING { WAITING_THREADS } else { THREADS })
        // A failed test is found by its message, which is lost among the frames of the test's own runtime.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .status()
        .with_context(|| format!("run {}", test.path.display()))?;
    let (name, took_s) = (&test.name, began.elapsed().as_secs_f64());
    if status.success() {
        say(&format!("{name}: ok after {took_s:.1} s"));
        return Ok(());
    }
    eprintln!("{}", String::from_utf8_lossy(&fs::read(log).unwrap_or_default()));
    say(&format!("{name}: FAILED after {took_s:.1} s"));
    anyhow::bail!("{status}, its output is in {}", log.display())
}

fn log_of(logs: &Path, name: &str) -> PathBuf {
    logs.join(format!("{}.log", name.replace("::", "-")))
}

/// How many tests all binaries ran.
#[derive(Default)]
struct Counts {
    passed: u64,
    failed: u64,
}

/// Those that start gateways before real API servers.
pub(crate) fn of_api_servers(tests: Vec<TestBinary>) -> Vec<TestBinary> {
    tests.into_iter().filter(|test| test.name == "tests::scenarios").collect()
}

impl Counts {
    /// Adds the closing lines of one binary: `test result: ok. 52 passed; 0 failed; …`.
    fn read(&mut self, log: &Path) {
        let text = fs::read_to_string(log).unwrap_or_default();
        for line in text.lines().filter(|line| line.starts_with("test result: ")) {
            let count = |word| {
                let (before, _) = line.split_once(word)?;
                before.trim_end().rsplit([' ', '.']).next()?.parse::<u64>().ok()
            };
            self.passed += count("passed").unwrap_or(0);
            self.failed += count("failed").unwrap_or(0);
        }
    }
}

/// The slowest run first, so that their failures show early.
const LONGEST_FIRST: [&str; 2] = ["tests::ui", "tests::scenarios"];
/// What it asks is answered by servers that stand already. It has no gateway.
const WAITING: &str = "conformance";
const WAITING_THREADS: &str = "8";
/// They start neither API servers nor browsers.
const COMPUTING: [&str; 5] =
    ["gateway", "playground", "simulation::defects", "simulation::guarantees", "simulation::outages"];
/// With more, API servers start too slowly on two cores, and refuse requests meanwhile.
const THREADS: &str = "2";
/// What is said of that version alone: how a playground prints, and which account of a gateway that impersonates is the
/// least, for which a server before Kubernetes 1.36 has no words.
const OF_THE_PINNED_VERSION: [&str; 2] =
    ["every_kind_is_printed_as_by_a_real_server", "the_gateways_account_needs_no_more_than_is_written"];
/// Tests that stop and start API servers all the time: beside them nothing else runs.
const ALONE: [(&str, &str); 1] = [("tests::scenarios", "chaos::")];

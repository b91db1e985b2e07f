//! How the gateway reads kubeconfigs and the environment, held against kubectl: both are asked the same question with the same
//! files, and the server or the proxy of the test says who came, by which way and with what. Nothing leaves this machine.

mod cases;
mod rig;
mod visit;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cases::Case;
use cluster::Binaries;
use rig::Rig;
use visit::Visit;

/// What came of one question.
#[derive(Debug, PartialEq)]
struct Outcome {
    visit: Option<Visit>,
    /// What an exec plugin was told each time that it was called.
    told: Vec<serde_json::Value>,
}

/// Cases in which the gateway differs on purpose, by the beginning of their names, and why.
const DIFFERS: [(&str, &str); 3] = [
    ("user: nothing", ASKS),
    ("files: after an empty user of the name", ASKS),
    (
        "plugin: gives a token that is over",
        "kubectl calls the plugin for the header and again for TLS; the gateway calls it once",
    ),
];
const ASKS: &str =
    "kubectl asks for a user and a password at the terminal; the gateway goes without a credential";

#[test]
fn a_kubeconfig_is_read_as_kubectl_reads_it() {
    let kubectl = Binaries::kubectl().expect("kubectl");
    let ours = std::env::var_os("ASK_API_SERVER")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_ask-api-server")), PathBuf::from);
    let cases = cases::all();
    let mut names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() == cases.len() && cases.len() >= 200, "{} cases, {} names", cases.len(), names.len());
    let (next, differing) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let rig = Rig::start();
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let compared = compare(&rig, case, &kubectl, &ours);
                    differing.lock().expect("no panic").extend(compared);
                }
            });
        }
    });
    let mut differing = differing.into_inner().expect("no panic");
    differing.sort();
    assert!(differing.is_empty(), "{} of {} differ:\n{}", differing.len(), cases.len(), differing.join("\n"));
}

/// What differs, in some lines.
fn compare(rig: &Rig, case: &Case, kubectl: &Path, ours: &Path) -> Option<String> {
    let (theirs, said) = ask(rig, case, Command::new(kubectl).args(["version", "--output=json"]));
    let (mine, told) = ask(rig, case, &mut Command::new(ours));
    let known = DIFFERS.iter().find(|(name, _)| case.name.starts_with(name));
    match known {
        None if theirs != mine => Some(format!(
            "{}\n    kubectl: {theirs:?}\n        {}\n    gateway: {mine:?}\n        {}",
            case.name,
            said.trim(),
            told.trim()
        )),
        // One that differs no more must be struck from the list.
        Some(_) if theirs == mine => Some(format!("{} doesn't differ any more", case.name)),
        // A refusal is one sentence, and never a panic.
        _ if mine.visit.is_none() && (told.trim().lines().count() != 1 || told.contains("panicked")) => {
            Some(format!("{} isn't refused in one sentence: {told}", case.name))
        }
        _ => None,
    }
}

fn ask(rig: &Rig, case: &Case, command: &mut Command) -> (Outcome, String) {
    let folder = tempfile::tempdir().expect("a folder");
    case.write(folder.path(), rig);
    command.env_clear().envs(case.environment(folder.path(), rig)).stdin(Stdio::null());
    let output = command.current_dir("/").output().expect("it runs");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let told = std::fs::read_to_string(folder.path().join("told")).unwrap_or_default();
    let told = told
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    // Each connection of kubectl may be tried twice.
    (Outcome { visit: rig.take().into_iter().next(), told }, said)
}

/// Two CPUs are kept busy while processes start.
const WORKERS: usize = 4;

//! A real control plane leaves nothing behind, however its owner ends.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use cluster::{ControlPlane, Options};

/// The owner is this same test in a process of its own, which says what it started and then waits.
#[test]
fn an_owner_that_is_killed_leaves_nothing_behind() {
    if env::var_os(OWNER).is_some() {
        let plane = ControlPlane::start(Options::default()).unwrap();
        println!("\nfolder {}", plane.folder().display());
        plane.pids().iter().for_each(|pid| println!("pid {pid}"));
        println!("started");
        std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
        return;
    }
    let mut owner = Command::new(env::current_exe().unwrap())
        .args(["--exact", "an_owner_that_is_killed_leaves_nothing_behind", "--nocapture"])
        .env(OWNER, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(owner.stdout.take().unwrap()).lines();
    let (mut pids, mut folders) = (Vec::new(), Vec::new());
    for line in said.by_ref().map(Result::unwrap) {
        match line.split_once(' ') {
            Some(("pid", pid)) => pids.push(pid.parse::<u32>().unwrap()),
            Some(("folder", folder)) => folders.push(folder.to_owned()),
            _ if line == "started" => break,
            _ => {}
        }
    }
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| runs(*pid)));

    owner.kill().unwrap();
    owner.wait().unwrap();
    // The folder goes last.
    wait_until(|| !folders.iter().any(|folder| Path::new(folder).exists()));
    assert!(!pids.iter().any(|pid| runs(*pid)));
}

fn runs(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

fn wait_until(holds: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !holds() {
        assert!(start.elapsed().as_secs() < 60, "it did not come true within 60 s");
        std::thread::yield_now();
    }
}

const OWNER: &str = "DOGWATCH_TEST_OWNER";

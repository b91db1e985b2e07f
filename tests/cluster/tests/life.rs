//! The life of a real control plane: it answers, comes back after a kill with its data, and leaves
//! nothing behind, whatever ends its owner.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use cluster::{ControlPlane, Options, User};

#[test]
fn a_control_plane_answers_survives_kills_and_leaves_nothing_behind() {
    let mut plane =
        ControlPlane::start(Options { users: vec![User::new("nobody", &[])], ..Options::default() }).unwrap();

    let version = plane.kubectl_output(&["version", "-o", "json"]).unwrap();
    let version: serde_json::Value = serde_json::from_str(&version).unwrap();
    assert_eq!(version["serverVersion"]["gitVersion"], "v1.36.3");

    plane.apply(CRD).unwrap();
    plane.kubectl_output(&["wait", "--for=condition=Established", "crd/kennels.dogwatch.dev"]).unwrap();
    plane.apply(KENNEL).unwrap();
    let table = plane.kubectl_output(&["get", "kennels"]).unwrap();
    assert!(table.contains("rex"), "{table}");

    let refused = plane.kubectl_as("nobody").args(["get", "kennels"]).output().unwrap();
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.contains("Forbidden"), "{refused}");

    let server = plane.server();
    plane.kill_apiserver().unwrap();
    assert!(plane.kubectl_output(&["get", "kennels"]).is_err());
    plane.start_apiserver().unwrap();
    assert_eq!(plane.server(), server);
    plane.terminate_apiserver().unwrap();
    plane.kill_etcd().unwrap();
    plane.start_etcd().unwrap();
    plane.start_apiserver().unwrap();
    let table = plane.kubectl_output(&["get", "kennels"]).unwrap();
    assert!(table.contains("rex"), "{table}");

    plane.pause_apiserver().unwrap();
    let silent = plane.kubectl_output(&["get", "--request-timeout=1s", "kennels"]);
    assert!(silent.is_err(), "{silent:?}");
    plane.resume_apiserver().unwrap();
    plane.kubectl_output(&["get", "kennels"]).unwrap();

    let (pids, folder) = (plane.pids(), plane.folder().to_owned());
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| runs(*pid)));
    drop(plane);
    assert!(!pids.iter().any(|pid| runs(*pid)));
    assert!(!folder.exists());
}

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
    // Nobody of ours waits for them any more; the folder goes last.
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

const CRD: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kennels.dogwatch.dev}
spec:
  group: dogwatch.dev
  scope: Namespaced
  names: {plural: kennels, singular: kennel, kind: Kennel}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
"#;

const KENNEL: &str = r#"
apiVersion: dogwatch.dev/v1
kind: Kennel
metadata: {name: rex, namespace: default}
"#;

//! No import runs in a circle: within a crate, files import one another in one direction. A parent module
//! may use its children, or be used by them, but never both; a re-export counts as its definition's file.

mod paths;

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::root;
use paths::Crate;

const CRATES: &[&str] = &[
    "shared/src/lib.rs",
    "page/src/lib.rs",
    "replica/src/lib.rs",
    "frontend/src/lib.rs",
    "gateway/src/lib.rs",
    "gateway/program/src/main.rs",
    "playground/src/lib.rs",
    "tests/src/lib.rs",
    "tests/bench/main.rs",
    "tests/cluster/src/lib.rs",
    "tests/conformance/src/lib.rs",
    "tests/conformance/statements/main.rs",
    "tests/deploy/main.rs",
    "tests/edge/main.rs",
    "tests/fuzz/main.rs",
    "tests/scenarios/main.rs",
    "tests/simulation/src/lib.rs",
    "tests/team/main.rs",
    "tests/tidy/lib.rs",
    "tests/ui/main.rs",
    "page/tests/reader/main.rs",
    "gateway/tests/sessions/main.rs",
    "playground/tests/server/main.rs",
    "xtask/src/main.rs",
    "xtask/image/src/main.rs",
    "xtask/page/src/main.rs",
];

#[test]
fn no_import_runs_in_a_circle() {
    let mut found = Vec::new();
    for entry in CRATES {
        let source = Crate::read(&root().join(entry)).unwrap_or_else(|| panic!("{entry} is no file"));
        found.extend(circles(&source.imports()));
    }
    let shown: Vec<String> = found.iter().map(|circle| circle.join("\n  ")).collect();
    assert!(found.is_empty(), "{} circles:\n  {}", found.len(), shown.join("\n\n  "));
}

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Strongly connected files: each reaches the others.
fn circles(imports: &Graph) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|file| (file.as_str(), reached(imports, file))).collect();
    let is_mutual = |a: &str, b: &str| {
        reach.get(a).is_some_and(|reach| reach.contains(b))
            && reach.get(b).is_some_and(|reach| reach.contains(a))
    };
    let mut done = BTreeSet::new();
    let mut circles = Vec::new();
    for file in imports.keys().filter(|file| is_mutual(file, file)) {
        if done.contains(file) {
            continue;
        }
        let circle: Vec<String> = imports.keys().filter(|other| is_mutual(file, other)).cloned().collect();
        done.extend(circle.iter().cloned());
        circles.push(circle);
    }
    circles
}

fn reached<'a>(imports: &'a Graph, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&str> = vec![from];
    while let Some(file) = left.pop() {
        for next in imports.get(file).into_iter().flatten() {
            if reached.insert(next.as_str()) {
                left.push(next);
            }
        }
    }
    reached
}

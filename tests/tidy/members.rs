//! R-SUP-2: what no crate of ours may hold. Walls between modules stand in [`super::walls`].

use std::fs;
use std::path::PathBuf;

use crate::tree::{all_sources, product_lines, read, root, shown};

/// The manifests of all members.
fn manifests() -> Vec<PathBuf> {
    let workspace = read(&root().join("Cargo.toml"));
    let members = workspace.split_once("members = [").map_or("", |(_, rest)| rest).split(']').next();
    let names = members.unwrap_or_default().split(',').map(|name| name.trim().trim_matches('"'));
    names.map(|name| root().join(name).join("Cargo.toml")).collect()
}

#[test]
fn r_sup_2_every_crate_forbids_unsafe_code() {
    let workspace = read(&root().join("Cargo.toml"));
    let lints = workspace.split_once("[workspace.lints.rust]").map_or("", |(_, rest)| rest);
    assert!(lints.split("\n[").next().unwrap_or_default().contains("unsafe_code = \"forbid\""));
    let forbids = |text: &str| {
        text.contains("[lints]\nworkspace = true") || text.contains("[lints.rust]\nunsafe_code = \"forbid\"")
    };
    let manifests = manifests();
    assert!(manifests.len() > 10 && manifests.iter().all(|manifest| manifest.is_file()), "{manifests:?}");
    let without: Vec<String> = manifests
        .iter()
        .filter(|manifest| !forbids(&read(manifest)))
        .map(|manifest| shown(manifest))
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn r_sup_2_the_crates_of_the_product_deny_what_could_panic() {
    let workspace = read(&root().join("Cargo.toml"));
    for lint in ["unwrap_used", "expect_used", "indexing_slicing", "panic", "todo", "unreachable"] {
        assert!(workspace.contains(&format!("\n{lint} = \"deny\"")), "{lint}");
    }
    for member in ["frontend", "gateway", "page", "playground", "replica", "shared"] {
        let manifest = read(&root().join(member).join("Cargo.toml"));
        assert!(manifest.contains("[lints]\nworkspace = true"), "{member}");
    }
}

#[test]
fn r_sup_2_no_text_becomes_markup() {
    // Put together, so that this file doesn't hold them.
    let words =
        [["inner", "_html"].concat(), ["inner", "HTML"].concat(), ["insert_adjacent", "_html"].concat()];
    let mut found = Vec::new();
    for file in all_sources().iter().filter(|file| !shown(file).starts_with("tests/")) {
        for (number, line) in product_lines(file) {
            if words.iter().any(|word| line.contains(word.as_str())) {
                found.push(format!("{}:{number}: {}", shown(file), line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// An action by a tag is whatever its owner puts there next.
#[test]
fn r_sup_2_no_workflow_uses_an_action_that_is_not_pinned() {
    let workflows = fs::read_dir(root().join(".github/workflows")).into_iter().flatten().flatten();
    for workflow in workflows.map(|entry| entry.path()) {
        for line in read(&workflow)
            .lines()
            .filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses:"))
        {
            let version =
                line.split('#').next().unwrap_or_default().trim().rsplit('@').next().unwrap_or_default();
            let is_commit = version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit || line.trim().starts_with("./"), "{}: {line}", shown(&workflow));
        }
    }
}

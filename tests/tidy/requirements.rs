//! The table of requirements: each row of the threat model with the tests that are named after it, what they run
//! against, and what is still missing. It reads the tree as text, and never runs a test.

mod found;
mod rows;

use std::collections::BTreeSet;

use crate::tree::{all_sources, read, root, shown};
use found::{Test, tests_in};
use rows::{Kind, ROWS, Row};

/// Where the table stands.
pub const DOCUMENT: &str = "docs/REQUIREMENTS.md";

const HEAD: &str = "# Requirements

Each row of the threat model, in a few words, with the tests that are named after it: `r_authn_1_…` is of R-AUTHN-1.
A test of another name says its rows in its comment. The file that a test stands in says what it runs against, unless
its comment does (`Against: nginx`). Written by `cargo xtask requirements` from the names of the tests; a test fails
when the table isn't what the tree gives. [SECURITY.md](../SECURITY.md) says what happens in each row.

A row wants tests of certain kinds: **U** unit or property, **I** a gateway that runs, on the playground or over real
sockets, **K** a real kube-apiserver, **B** a browser, **F** fuzzed input, **S** the source and the build. What runs
against more than that counts as well (a kube-apiserver for I, anything for U), what runs against less doesn't.

";

/// The document as the tree gives it.
pub fn document() -> String {
    let mut tests: Vec<Test> =
        all_sources().iter().flat_map(|file| tests_in(&shown(file), &read(file))).collect();
    tests.sort();
    let mut lines = Vec::new();
    let (mut whole, mut partly, mut open) = (0, 0, 0);
    for row in ROWS {
        let own: Vec<&Test> = tests.iter().filter(|test| test.rows.contains(row.id)).collect();
        let lacks = lacking(row, &own);
        match (own.is_empty(), lacks.is_empty()) {
            (true, _) => open += 1,
            (false, false) => partly += 1,
            (false, true) => whole += 1,
        }
        lines.push(line(row, &own, &lacks));
    }
    let count = format!(
        "{whole} of {} rows have what they want, {partly} lack a kind, {open} have no test of their name yet.\n\n",
        ROWS.len()
    );
    let table_head = "| row | what | wants | tests | lacks |\n|---|---|---|---|---|\n";
    format!("{HEAD}{count}{table_head}{}\n", lines.join("\n"))
}

/// Tests that are named after a row that isn't there.
pub fn strays() -> BTreeSet<String> {
    let known: BTreeSet<&str> = ROWS.iter().map(|row| row.id).collect();
    let tests = all_sources().into_iter().flat_map(|file| tests_in(&shown(&file), &read(&file)));
    tests.flat_map(|test| test.rows).filter(|row| !known.contains(row.as_str())).collect()
}

/// Writes the document.
pub fn write() -> std::io::Result<()> {
    std::fs::write(root().join(DOCUMENT), document())
}

fn lacking(row: &Row, tests: &[&Test]) -> Vec<Kind> {
    let is_met = |wanted: &Kind| tests.iter().any(|test| test.kind.stands_for(*wanted));
    row.wants.iter().copied().filter(|wanted| !is_met(wanted)).collect()
}

fn line(row: &Row, tests: &[&Test], lacks: &[Kind]) -> String {
    let letters =
        |kinds: &[Kind]| kinds.iter().map(|kind| kind.letter().to_string()).collect::<Vec<_>>().join(", ");
    let lacks = match (tests.is_empty(), lacks.is_empty()) {
        (true, _) => "**open**".to_owned(),
        (false, true) => String::new(),
        (false, false) => format!("**{}**", letters(lacks)),
    };
    let mut groups: Vec<(&str, &Test, Vec<&str>)> = Vec::new();
    for test in tests {
        match groups.last_mut().filter(|(file, first, _)| *file == test.file && first.part == test.part) {
            Some((.., names)) => names.push(&test.name),
            None => groups.push((&test.file, test, vec![&test.name])),
        }
    }
    let groups = groups.iter().map(|(file, test, names)| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        format!("{} ({}) `{file}`: {}", test.kind.letter(), test.part, names.join(", "))
    });
    let groups: Vec<String> = groups.collect();
    format!("| {} | {} | {} | {} | {lacks} |", row.id, row.what, letters(row.wants), groups.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_what_the_tree_gives() {
        let written = read(&root().join(DOCUMENT));
        assert!(
            written == document(),
            "run `cargo xtask requirements`, and look at what changed in {DOCUMENT}"
        );
    }

    #[test]
    fn every_test_with_the_name_of_a_row_names_one_that_is_there() {
        assert_eq!(strays(), BTreeSet::new());
    }

    #[test]
    fn a_unit_test_proves_no_row_that_wants_an_api_server_or_a_browser() {
        let row = ROWS.iter().find(|row| row.id == "R-BROW-1").expect("a row");
        let test = |file: &str| tests_in(file, "#[test]\nfn r_brow_1_x() {}").remove(0);
        let lacks = |files: &[&str]| {
            let tests: Vec<Test> = files.iter().map(|file| test(file)).collect();
            lacking(row, &tests.iter().collect::<Vec<_>>())
        };
        assert_eq!(lacks(&["gateway/src/http/origin.rs"]), [Kind::Running, Kind::Browser]);
        assert_eq!(lacks(&["tests/scenarios/rights.rs"]), [Kind::Browser]);
        assert_eq!(lacks(&["gateway/tests/sessions/rights.rs", "tests/ui/session.rs"]), []);
    }
}

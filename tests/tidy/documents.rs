//! The documents that name tests and folders name those that exist.

use std::fs;

use crate::tree::{read, root, sources};

#[test]
fn every_test_that_the_security_table_names_exists() {
    let table = read(&root().join("SECURITY.md"));
    let mut missing = Vec::new();
    for row in table.lines().filter(|line| line.starts_with("| R-")) {
        let shown_by = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
        for group in shown_by.split("; ") {
            missing.extend(missing_of(group).into_iter().map(|name| format!("{name} in {group}")));
        }
    }
    assert!(table.contains("| R-") && missing.is_empty(), "\n{}", missing.join("\n"));
}

/// Tests and places in backticks: each test stands in one of the places, each place holds one of the tests.
fn missing_of(group: &str) -> Vec<&str> {
    let quoted = group.split('`').skip(1).step_by(2);
    let (places, names): (Vec<&str>, Vec<&str>) = quoted.partition(|word| word.contains('/'));
    if places.is_empty() {
        return vec!["a place"];
    }
    let text_of =
        |place: &&str| sources(&root().join(place)).iter().map(|file| read(file)).collect::<String>();
    let texts: Vec<String> = places.iter().map(text_of).collect();
    let is_in = |name: &str, text: &String| match name.strip_suffix('…') {
        Some(beginning) => text.contains(&format!("fn {beginning}")),
        None => text.contains(&format!("fn {name}(")),
    };
    let nowhere = names.iter().filter(|name| !texts.iter().any(|text| is_in(name, text)));
    let holds =
        |text: &String| !text.is_empty() && (names.is_empty() || names.iter().any(|name| is_in(name, text)));
    let without = places.iter().zip(&texts).filter(|(_, text)| !holds(text)).map(|(place, _)| place);
    nowhere.chain(without).copied().collect()
}

#[test]
fn the_map_names_every_folder() {
    let map = read(&root().join("ARCHITECTURE.md"));
    let missing: Vec<String> = fs::read_dir(root())
        .expect("the root can be read")
        .filter_map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_built = ["target", "dist", "node_modules"].contains(&name.as_str());
            let is_listed = map.contains(&format!("{name}/"));
            (entry.path().is_dir() && !name.starts_with('.') && !is_built && !is_listed).then_some(name)
        })
        .collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md doesn't name {missing:?}");
}

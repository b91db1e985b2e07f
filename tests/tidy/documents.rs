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

#[test]
fn every_path_in_the_documents_for_contributors_exists_and_holds_the_names_behind_it() {
    let mut wrong = Vec::new();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(&root().join(document));
        // Every second part stands in backticks.
        let parts: Vec<&str> = text.split('`').collect();
        for at in (1..parts.len()).step_by(2).filter(|at| is_path(parts[*at])) {
            let path = parts[at];
            if !root().join(path).exists() {
                wrong.push(format!("{document}: there is no {path}"));
                continue;
            }
            let held: String = sources(&root().join(path)).iter().map(|file| read(file)).collect();
            let missing = names_behind(&parts[at + 1..]).into_iter().filter(|name| !held.contains(name));
            wrong.extend(missing.map(|name| format!("{document}: {path} has no {name}")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// From the root: the first part is one of its folders, and not what a build makes.
fn is_path(quoted: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/_.-".contains(c);
    let first = quoted.split_once('/').map(|(first, _)| first);
    quoted.chars().all(is_plain)
        && first.is_some_and(|first| !["", "target"].contains(&first) && root().join(first).is_dir())
}

/// The names in backticks of the parentheses that follow a path: ` (`, name, `, `, name, `)`.
fn names_behind<'a>(parts: &[&'a str]) -> Vec<&'a str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if parts.first().is_none_or(|between| !between.starts_with(" (")) {
        return Vec::new();
    }
    let open = parts.chunks(2).take_while(|pair| !pair[0].contains(')'));
    open.filter_map(|pair| pair.get(1).copied()).filter(|name| name.chars().all(is_name)).collect()
}

//! Which lines show a field that differs between two versions. Never when it changed.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::diff::differences;

use super::Line;

/// One mark for each line of the new version. For a removed field the line of its parent is marked.
pub fn changed(old: &Value, new: &Value, lines: &[Line]) -> Vec<bool> {
    let mut there = BTreeSet::new();
    let mut emptied = BTreeSet::new();
    for difference in differences(old, new) {
        match difference.new {
            Some(_) => there.insert(difference.path),
            None => {
                let parent = difference.path.rsplit_once('/').map_or("", |(parent, _)| parent);
                emptied.insert(parent.to_owned())
            }
        };
    }
    let is_marked =
        |line: &Line| emptied.contains(&line.path) || upwards(&line.path).any(|path| there.contains(path));
    lines.iter().map(is_marked).collect()
}

/// The path and those of its parents.
fn upwards(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(parent, _)| parent))
}

//! Which lines show a field that differs between two versions. Never when that was.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::diff::differences;

use super::Line;

/// One mark for each of the new version's lines. If a field is gone, the line that it stood under is marked.
#[must_use]
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

/// The path and those of all that it stands in.
fn upwards(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(parent, _)| parent))
}

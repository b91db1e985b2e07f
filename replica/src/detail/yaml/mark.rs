//! Which lines show a field that differs between two versions. Never when that was.

use serde_json::Value;
use shared::diff::differences;

use super::Line;

/// One for each of the new version's lines. Of a field that is gone, the line that it stood under is
/// marked.
#[must_use]
pub fn changed(old: &Value, new: &Value, lines: &[Line]) -> Vec<bool> {
    let found = differences(old, new);
    let mut marks = vec![false; lines.len()];
    for difference in found {
        let path = &*difference.path;
        let is_gone = difference.new.is_none();
        let path = if is_gone { path.rsplit_once('/').map_or("", |(parent, _)| parent) } else { path };
        for (mark, line) in marks.iter_mut().zip(lines) {
            let is_within = || line.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
            *mark |= line.path == path || (!is_gone && is_within());
        }
    }
    marks
}

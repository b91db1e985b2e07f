//! Since which version the lines of the YAML are marked: the one that the reader saw last, and some seconds later none.

use std::collections::VecDeque;
use std::sync::Arc;

use litemap::LiteMap;
use serde_json::Value;
use shared::state::UnixMillis;

use crate::limits::{MARK_MS, PANEL_VERSIONS_MAX};

#[derive(Default)]
pub(super) struct YamlMarks {
    /// The versions before each of the last changes, and when it was replaced.
    replaced: VecDeque<(Arc<Value>, UnixMillis)>,
    /// The masked fields that changed, with the last change that is known here.
    masked: LiteMap<Box<str>, UnixMillis>,
    masked_to_ms: UnixMillis,
    /// Since when the reader sees the YAML, and when it was drawn last.
    seen_since_ms: UnixMillis,
    drawn_ms: UnixMillis,
}

/// The YAML is drawn once a second while it is shown: after a longer pause the reader was elsewhere.
const AWAY_MS: i64 = 2_500;

impl YamlMarks {
    pub(super) fn replaced(&mut self, version: Arc<Value>, now_ms: UnixMillis) {
        if self.replaced.len() >= PANEL_VERSIONS_MAX {
            // The oldest stays, because all that changed since then is marked.
            self.replaced.remove(1);
        }
        self.replaced.push_back((version, now_ms));
    }

    /// A version differs only behind its masks, or there as well.
    pub(super) fn changed_behind_masks(&mut self, changes: &LiteMap<Box<str>, UnixMillis>) {
        let newer = changes.iter().filter(|(_, at_ms)| **at_ms > self.masked_to_ms);
        self.masked.extend(newer.map(|(path, at_ms)| (path.clone(), *at_ms)));
        self.masked_to_ms = changes.values().copied().fold(self.masked_to_ms, UnixMillis::max);
    }

    pub(super) fn is_behind_mask(&self, path: &str) -> bool {
        self.masked.contains_key(path)
    }

    pub(super) fn clear(&mut self) {
        self.masked.clear();
        self.replaced.clear();
    }

    /// The reader sees the YAML now. Returns whether older marks end.
    pub(super) fn drawn(&mut self, now_ms: UnixMillis) -> bool {
        if now_ms.saturating_sub(self.drawn_ms) > AWAY_MS {
            self.seen_since_ms = now_ms;
        }
        self.drawn_ms = now_ms;
        let count = self.replaced.len();
        let seen_since_ms = self.seen_since_ms;
        let is_marked = |at_ms: UnixMillis| now_ms.saturating_sub(seen_since_ms.max(at_ms)) < MARK_MS;
        self.replaced.retain(|(_, at_ms)| is_marked(*at_ms));
        self.masked.retain(|_, at_ms| is_marked(*at_ms));
        self.replaced.len() < count
    }

    /// Lines that differ from this version are marked.
    pub(super) fn since(&self) -> Option<&Value> {
        self.replaced.front().map(|(version, _)| &**version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_changed_behind_its_mask_is_marked_once_for_as_long_as_any_other() {
        let mut marks = YamlMarks::default();
        let changes = [("/data/a".into(), 1_000)].into_iter().collect();
        marks.drawn(1_000);
        marks.changed_behind_masks(&changes);
        assert!(marks.is_behind_mask("/data/a") && !marks.is_behind_mask("/data/b"));
        for at_ms in (1_000..1_000 + MARK_MS).step_by(1_000) {
            marks.drawn(at_ms);
            assert!(marks.is_behind_mask("/data/a"), "at {at_ms}");
        }
        marks.drawn(1_000 + MARK_MS);
        marks.changed_behind_masks(&changes);
        assert!(!marks.is_behind_mask("/data/a"));
    }
}

//! What a record says of what was removed from it. Each segment has it as one text beside its tables, so that a store that
//! was made before there were such marks has room for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::past::Removed;
use shared::resource::Resource;
use shared::state::UnixMillis;

use crate::kind::KindKey;
use crate::purge::Purge;

/// The name of the text.
pub(crate) const REMOVED: &str = "removed";

/// So many marks of a kind are kept. Beyond them the two oldest become one.
const MARKS_MAX: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    cluster: Box<str>,
    resource: Resource,
    #[serde(flatten)]
    removed: Removed,
}

/// The times of what a purge removes from a segment.
#[derive(Default)]
pub(crate) struct Spans(BTreeMap<KindKey, (UnixMillis, UnixMillis)>);

impl Spans {
    pub(crate) fn add(&mut self, key: &KindKey, (from_ms, to_ms): (UnixMillis, UnixMillis)) {
        let span = self.0.entry(key.clone()).or_insert((from_ms, to_ms));
        *span = (span.0.min(from_ms), span.1.max(to_ms));
    }

    pub(crate) fn marks(self, purge: &Purge<'_>) -> Vec<Mark> {
        let marks = self.0.into_iter().map(|(KindKey { cluster, resource }, (from_ms, to_ms))| {
            let (removed_ms, namespace) = (purge.removed_ms, purge.namespace.map(Box::from));
            let path: Option<Box<str>> = purge.path.map(Box::from);
            let masked = purge.change.is_some() && path.is_none();
            let removed = Removed { from_ms, to_ms, removed_ms, namespace, path, masked };
            Mark { cluster, resource, removed }
        });
        marks.collect()
    }
}

/// The text with these marks as well.
pub(crate) fn with_marks(text: Option<&str>, marks: Vec<Mark>) -> String {
    let mut all = read(text);
    for mark in marks {
        let is_it = |held: &Mark| (&held.cluster, &held.resource) == (&mark.cluster, &mark.resource);
        let mut of_kind: Vec<Mark> = all.extract_if(.., |held| is_it(held)).collect();
        match of_kind.iter_mut().find(|held| is_of_same_purge(&held.removed, &mark.removed)) {
            Some(held) => join(&mut held.removed, &mark.removed),
            None => of_kind.push(mark),
        }
        if of_kind.len() > MARKS_MAX {
            let oldest = of_kind.remove(0);
            if let Some(next) = of_kind.first_mut() {
                join(&mut next.removed, &oldest.removed);
            }
        }
        all.extend(of_kind);
    }
    serde_json::to_string(&all).unwrap_or_default()
}

/// What was removed of a kind, as the texts of all segments say it: each purge once, the oldest first.
pub(crate) fn removed_of<'a>(texts: impl IntoIterator<Item = &'a str>, key: &KindKey) -> Vec<Removed> {
    let mut found: Vec<Removed> = Vec::new();
    for Mark { cluster, resource, removed } in texts.into_iter().flat_map(|text| read(Some(text))) {
        if (&cluster, &resource) != (&key.cluster, &key.resource) {
            continue;
        }
        match found.iter_mut().find(|held| is_of_same_purge(held, &removed)) {
            Some(held) => join(held, &removed),
            None => found.push(removed),
        }
    }
    found.sort_by_key(|removed| removed.removed_ms);
    found
}

/// What a later version wrote otherwise isn't read.
fn read(text: Option<&str>) -> Vec<Mark> {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn is_of_same_purge(one: &Removed, other: &Removed) -> bool {
    let what = |it: &Removed| (it.removed_ms, it.namespace.clone(), it.path.clone(), it.masked);
    what(one) == what(other)
}

/// Joins another mark to this one, which then has the time of both and only what both say.
fn join(held: &mut Removed, other: &Removed) {
    held.from_ms = held.from_ms.min(other.from_ms);
    held.to_ms = held.to_ms.max(other.to_ms);
    held.removed_ms = held.removed_ms.max(other.removed_ms);
    if held.namespace != other.namespace {
        held.namespace = None;
    }
    if (&held.path, held.masked) != (&other.path, other.masked) {
        (held.path, held.masked) = (None, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> KindKey {
        KindKey { cluster: "c".into(), resource: Resource::parse("", "v1", "pods").expect("a resource") }
    }

    /// A mark of a purge at a time, for all from its half on.
    fn mark(removed_ms: UnixMillis) -> Mark {
        let (from_ms, to_ms, path) = (removed_ms / 2, removed_ms, Some(".spec".into()));
        let removed = Removed { from_ms, to_ms, removed_ms, namespace: None, path, masked: false };
        Mark { cluster: key().cluster, resource: key().resource, removed }
    }

    #[test]
    fn many_purges_keep_few_marks_and_the_time_of_all_of_them() {
        let mut text = None;
        for purge in 1..=100 {
            text = Some(with_marks(text.as_deref(), vec![mark(purge * 10)]));
        }
        let removed = removed_of(text.as_deref(), &key());
        assert_eq!(removed.len(), MARKS_MAX);
        assert_eq!(removed.first().map(|oldest| (oldest.from_ms, oldest.removed_ms)), Some((5, 690)));
        assert_eq!(removed.last().map(|newest| (newest.from_ms, newest.removed_ms)), Some((500, 1_000)));
    }

    #[test]
    fn a_purge_of_several_segments_is_one_mark() {
        let (mut one, mut other) = (mark(40), mark(40));
        (one.removed.from_ms, one.removed.to_ms) = (3, 7);
        (other.removed.from_ms, other.removed.to_ms) = (7, 11);
        let texts = [with_marks(None, vec![one]), with_marks(None, vec![other, mark(90)])];
        let removed = removed_of(texts.iter().map(String::as_str), &key());
        let times: Vec<_> = removed.iter().map(|it| (it.from_ms, it.to_ms, it.removed_ms)).collect();
        assert_eq!(times, [(3, 11, 40), (45, 90, 90)]);
    }
}

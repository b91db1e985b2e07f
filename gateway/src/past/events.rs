//! Events about an object from the record, which the API server forgets after an hour. An Event that goes on has many
//! versions, and is told once, as it was last.

use std::collections::HashSet;

use history::{KindKey, PastState, PastVersion};
use serde_json::Value;
use shared::duration::UnixSeconds;
use shared::frame::server::{RecordedEvent, RecordedEvents};
use shared::instant;
use shared::problem::Problem;
use shared::resource::Resource;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::record::{Record, unread};
use super::sees::Sees;
use crate::cluster::Cluster;
use crate::feed::masks::unmarked;
use crate::feed::row_of_uid;
use crate::limits::HISTORY_EVENTS_MAX;

/// The recorded Events about an object. `sees`: of the kind of Events.
///
/// # Errors
/// The record can't be read.
pub fn events(
    record: &Record,
    cluster: &Cluster,
    sees: &Sees,
    about: RowId,
    (before, at_ms): (Option<i64>, Option<UnixMillis>),
) -> Result<RecordedEvents, Problem> {
    let key = record.key(cluster, &sees.request.scope.resource);
    let (limit, at_ms) = (HISTORY_EVENTS_MAX, at_ms.unwrap_or(UnixMillis::MAX));
    let mut before = before.unwrap_or(i64::MAX);
    // All that came after the time is passed over.
    let ids = ids_in_events(record, cluster, about)?;
    let versions = loop {
        let versions = about_any(record, &key, &ids, (before, limit))?;
        match versions.last() {
            Some(last) if versions.len() == limit && last.at_ms > at_ms => before = last.number,
            _ => break versions,
        }
    };
    let rows = record.rows_for(cluster, sees)?;
    let mut told = HashSet::new();
    let mut events = Vec::new();
    for version in &versions {
        // The end of an Event says only that the API server forgot it.
        let is_of_time = version.at_ms <= at_ms && matches!(version.state, PastState::There { .. });
        if !is_of_time || !told.insert(version.row) {
            continue;
        }
        let read = record.read_version(&sees.redaction, &key, version);
        let (Some(row), Some(object)) = (read.row, read.object) else { continue };
        if sees.shows(&rows, (&row, &read.labels), version.namespace_row) {
            events.push(event((row.id, &row.name), version.at_ms, &unmarked(&object)));
        }
    }
    let extent = record.past().extent(&key).map_err(unread)?;
    Ok(RecordedEvents {
        events,
        before: versions.last().filter(|_| versions.len() == limit).map(|last| last.number),
        since_ms: extent.as_ref().map(|extent| extent.from_ms),
        unrecorded: extent.map(|extent| extent.unrecorded).unwrap_or_default(),
    })
}

/// The rows by which Events name an object. `kubectl describe` looks for these as well: a kubelet knows its node by its
/// name alone, and a static pod by the hash of its file, while the API server gives each another uid.
fn ids_in_events(record: &Record, cluster: &Cluster, about: RowId) -> Result<Vec<RowId>, Problem> {
    let mut ids = vec![about];
    for plural in ["nodes", "pods"] {
        let Ok(resource) = Resource::parse("", "v1", plural) else { continue };
        // The last version may be its end.
        let key = record.key(cluster, &resource);
        let versions = record.past().versions(&key, about, i64::MAX, 2).map_err(unread)?;
        let there = versions.iter().find_map(|version| match &version.state {
            PastState::There { head, body } => Some((head, body)),
            PastState::Deleted { .. } | PastState::Damaged => None,
        });
        let uid = there.and_then(|(head, body)| uid_in_events(plural, &head.name, body));
        ids.extend(uid.map(|uid| row_of_uid(&uid)));
    }
    Ok(ids)
}

/// The uid that a kubelet's Events have for an object, where it isn't the object's own.
fn uid_in_events(plural: &str, name: &str, body: &[u8]) -> Option<String> {
    if plural == "nodes" {
        return Some(name.to_owned());
    }
    const OF_STATIC_PODS: &[u8] = b"kubernetes.io/config.mirror";
    memchr::memmem::find(body, OF_STATIC_PODS)?;
    let pod: Value = serde_json::from_slice(body).ok()?;
    let hash = pod.pointer("/metadata/annotations/kubernetes.io~1config.mirror")?.as_str()?;
    Some(hash.to_owned())
}

/// Events about any of these, the newest first.
fn about_any(
    record: &Record,
    key: &KindKey,
    ids: &[RowId],
    (before, limit): (i64, usize),
) -> Result<Vec<PastVersion>, Problem> {
    let mut found = Vec::new();
    for id in ids {
        found.extend(record.past().about(key, *id, before, limit).map_err(unread)?);
    }
    found.sort_by_key(|version| std::cmp::Reverse(version.number));
    found.truncate(limit);
    Ok(found)
}

/// Where the two APIs of Events say when one happened last, the best first.
const SEEN: [&str; 6] = [
    "/series/lastObservedTime",
    "/lastTimestamp",
    "/deprecatedLastTimestamp",
    "/eventTime",
    "/firstTimestamp",
    "/metadata/creationTimestamp",
];

fn event((row, name): (RowId, &str), time_ms: UnixMillis, object: &Value) -> RecordedEvent {
    let text = |paths: &[&str]| {
        let found = paths.iter().find_map(|path| object.pointer(path)?.as_str());
        found.unwrap_or_default().into()
    };
    let seen = SEEN.iter().find_map(|path| -> Option<UnixSeconds> {
        object.pointer(path)?.as_str().and_then(instant::seconds)
    });
    let count = ["/series/count", "/count", "/deprecatedCount"];
    RecordedEvent {
        row,
        name: name.into(),
        time_ms,
        seen,
        kind: text(&["/type"]),
        reason: text(&["/reason"]),
        message: text(&["/message", "/note"]),
        count: count.iter().find_map(|path| object.pointer(path)?.as_i64()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_node_goes_by_its_name_and_a_static_pod_by_the_hash_of_its_file() {
        let pod = |annotations: Value| {
            json!({ "metadata": { "annotations": annotations } }).to_string().into_bytes()
        };
        let mirror = pod(json!({ "kubernetes.io/config.mirror": "b1946ac9" }));
        assert_eq!(uid_in_events("pods", "etcd-node-1", &mirror).as_deref(), Some("b1946ac9"));
        for other in [json!({}), json!({ "note": "kubernetes.io/config.mirror" })] {
            assert_eq!(uid_in_events("pods", "web", &pod(other)), None);
        }
        assert_eq!(uid_in_events("nodes", "node-1", b"{}").as_deref(), Some("node-1"));
    }

    #[test]
    fn both_apis_of_events_are_read() {
        let row = RowId::from_hash(7 << 20);
        let core = json!({ "type": "Warning", "reason": "BackOff", "message": "restarting", "count": 61,
            "firstTimestamp": "2026-11-29T14:00:00Z", "lastTimestamp": "2026-11-29T14:02:10Z" });
        let new = json!({ "type": "Warning", "reason": "BackOff", "note": "restarting",
            "series": { "count": 61, "lastObservedTime": "2026-11-29T14:02:10.120000Z" }, "lastTimestamp": null });
        let read = event((row, "a.1"), 9, &core);
        assert_eq!((read.seen, read.count), (instant::seconds("2026-11-29T14:02:10Z"), Some(61)));
        assert_eq!((&*read.kind, &*read.reason, &*read.message), ("Warning", "BackOff", "restarting"));
        assert_eq!(event((row, "a.1"), 9, &new), read);
        let silent = event((row, "a.1"), 9, &json!({}));
        assert_eq!((silent.seen, silent.count, &*silent.message), (None, None, ""));
    }
}

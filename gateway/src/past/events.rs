//! Events about an object from the record, which the API server forgets after an hour. An Event that goes on has many
//! versions, and is told once, as it was last.

use std::collections::HashSet;

use history::PastState;
use serde_json::Value;
use shared::duration::UnixSeconds;
use shared::frame::server::{RecordedEvent, RecordedEvents};
use shared::instant;
use shared::problem::Problem;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::record::{Record, unread};
use super::sees::Sees;
use crate::cluster::Cluster;
use crate::feed::masks::unmarked;
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
    let versions = loop {
        let versions = record.past().about(&key, about, before, limit).map_err(unread)?;
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

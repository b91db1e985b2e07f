//! What of an object changes without meaning anything: heartbeats, and the notes of leaders. Versions that differ in
//! these alone are counted and not kept.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::version::Version;

/// A hash of what matters in a version: two versions with the same one differ by noise alone. It is compared within one
/// process, so the standard library's hasher may change with its release.
pub(crate) fn meaning(version: &Version) -> u64 {
    let mut hasher = DefaultHasher::new();
    let row = &version.row;
    for cell in &row.cells {
        // A cell is a scalar or a short object, whose text tells all of it.
        format!("{cell:?}").hash(&mut hasher);
    }
    format!("{:?}", row.extra).hash(&mut hasher);
    version.labels.hash(&mut hasher);
    for (_, hash) in &*version.masks {
        hash.hash(&mut hasher);
    }
    match serde_json::from_slice::<Value>(&version.body) {
        Ok(mut object) => {
            drop_noise(&mut object);
            object.hash(&mut hasher);
        }
        Err(_) => version.body.hash(&mut hasher),
    }
    hasher.finish()
}

/// Annotations that a leader or a controller renews while nothing happens.
const RENEWED_ANNOTATIONS: [&str; 2] =
    ["control-plane.alpha.kubernetes.io/leader", "endpoints.kubernetes.io/last-change-trigger-time"];
/// Times of a condition that move while it stays.
const HEARTBEATS: [&str; 2] = ["lastHeartbeatTime", "lastProbeTime"];

fn drop_noise(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            RENEWED_ANNOTATIONS.iter().for_each(|name| drop(annotations.remove(*name)));
        }
    }
    let conditions = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        HEARTBEATS.iter().for_each(|name| drop(condition.remove(*name)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use shared::cell::Cell;
    use shared::resource_version::ResourceVersion;
    use shared::row::{Row, RowId};

    use super::*;

    fn version(body: &Value, cell: &str) -> Version {
        let row = Row {
            id: RowId::from_hash(1),
            resource_version: ResourceVersion::new("7"),
            namespace: None,
            name: "node-1".into(),
            created: None,
            cells: vec![Cell::text(cell)],
            extra: None,
        };
        Version {
            row: Arc::new(row),
            labels: "".into(),
            body: body.to_string().into_bytes(),
            masks: Box::default(),
            rules: 0,
            writers: Vec::new(),
            relisted: false,
            about: None,
        }
    }

    #[test]
    fn a_heartbeat_means_nothing_and_what_it_tells_does() {
        let node = |version: &str, beat: &str, ready: &str, leader: &str, other: &str| {
            json!({
                "metadata": { "resourceVersion": version, "annotations": {
                    "control-plane.alpha.kubernetes.io/leader": leader, "other": other } },
                "status": { "conditions": [{ "type": "Ready", "status": ready, "lastHeartbeatTime": beat }] },
            })
        };
        let first = meaning(&version(&node("1", "10:00", "True", "a", "x"), "Ready"));
        assert_eq!(first, meaning(&version(&node("2", "10:05", "True", "b", "x"), "Ready")));
        assert_ne!(first, meaning(&version(&node("2", "10:05", "False", "a", "x"), "Ready")));
        assert_ne!(first, meaning(&version(&node("1", "10:00", "True", "a", "y"), "Ready")));
        assert_ne!(first, meaning(&version(&node("1", "10:00", "True", "a", "x"), "NotReady")));
    }
}

//! The writer of a field, by managedFields
//! (<https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>). Read when an entry of a
//! timeline is written, and not kept. `fieldsV1` never leaves this module.

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::diff::keys;
use shared::frame::timeline::Writer;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    manager: Box<str>,
    #[serde(default)]
    operation: Box<str>,
    #[serde(default)]
    subresource: Box<str>,
    #[serde(default)]
    time: Option<Box<str>>,
    #[serde(default)]
    fields_v1: Map<String, Value>,
}

pub(super) struct Managers(Vec<(Writer, Map<String, Value>)>);

impl Managers {
    /// No writer is known if it can't be read.
    pub(super) fn read(managed_fields: &[u8]) -> Self {
        let entries: Vec<Entry> = serde_json::from_slice(managed_fields).unwrap_or_default();
        let with_writer = |entry: Entry| {
            let time = entry.time.as_deref().and_then(shared::instant::seconds);
            let (manager, operation, subresource) = (entry.manager, entry.operation, entry.subresource);
            (Writer { manager, operation, subresource, time }, entry.fields_v1)
        };
        Self(entries.into_iter().map(with_writer).collect())
    }

    /// The manager of the field. If several apply the same value, the last writer.
    pub(super) fn of_field(&self, object: &Value, path: &str) -> Option<&Writer> {
        let path: Vec<String> = keys(path).collect();
        let depth = |fields| covered(fields, object, &path, 0);
        self.0
            .iter()
            .filter_map(|(writer, fields)| Some((depth(fields)?, writer.time, writer)))
            .max_by_key(|(depth, time, _)| (*depth, *time))
            .map(|(_, _, writer)| writer)
    }

    /// The last writer, for no entry names the writer that removed a field.
    pub(super) fn latest(&self) -> Option<&Writer> {
        self.0.iter().map(|(writer, _)| writer).max_by_key(|writer| writer.time)
    }
}

/// How deep the managed fields follow the path. `None`: they don't lead to it. A set that ends before the
/// path covers everything below (an atomic list, a map taken whole).
fn covered(fields: &Map<String, Value>, object: &Value, path: &[String], depth: usize) -> Option<usize> {
    let Some((key, rest)) = path.split_first() else { return Some(depth) };
    if fields.keys().all(|key| key == ".") {
        return (depth > 0).then_some(depth);
    }
    let child = match object {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
        _ => object.get(key).unwrap_or(&Value::Null),
    };
    let next = match object {
        Value::Array(_) => fields.iter().find(|(name, _)| is_element(name, child, key))?.1,
        _ => fields.get(&format!("f:{key}"))?,
    };
    covered(next.as_object()?, child, rest, depth + 1)
}

/// `k:{"type":"Ready"}` by its keys, `v:"x"` by its value, `i:3` by its index.
fn is_element(name: &str, item: &Value, index: &str) -> bool {
    match name.split_once(':') {
        Some(("k", keys)) => serde_json::from_str::<Map<String, Value>>(keys)
            .is_ok_and(|keys| keys.iter().all(|(key, value)| item.get(key) == Some(value))),
        Some(("v", value)) => serde_json::from_str::<Value>(value).is_ok_and(|value| value == *item),
        Some(("i", named)) => named == index,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_its_managers_whatever_leads_to_it() {
        let managed = json!([
            {"manager": "kubectl", "operation": "Apply", "time": "2026-11-21T02:43:01Z", "fieldsV1": {
                "f:spec": {"f:replicas": {}, "f:template": {}},
                "f:metadata": {"f:labels": {"f:app.kubernetes.io/name": {}}, "f:finalizers": {"v:\"a\"": {}}},
            }},
            {"manager": "hpa", "operation": "Update", "subresource": "scale", "time": "2026-11-21T02:44:01Z",
                "fieldsV1": {"f:spec": {"f:replicas": {}}}},
            {"manager": "kubelet", "operation": "Update", "subresource": "status", "time": "2026-11-21T02:42:01Z",
                "fieldsV1": {"f:status": {"f:conditions": {".": {}, "k:{\"type\":\"Ready\"}": {".": {}, "f:status": {}}}}}},
        ]);
        let managers = Managers::read(managed.to_string().as_bytes());
        let object = json!({
            "metadata": {"labels": {"app.kubernetes.io/name": "x"}, "finalizers": ["b", "a"]},
            "spec": {"replicas": 2, "template": {"a": {"b": 1}}},
            "status": {"conditions": [{"type": "Started", "status": "True"}, {"type": "Ready", "status": "True"}]},
        });
        for (path, expected) in [
            ("/spec/replicas", Some("hpa")),
            ("/spec/template/a/b", Some("kubectl")),
            ("/spec/other", None),
            ("/metadata/labels/app.kubernetes.io~1name", Some("kubectl")),
            ("/metadata/finalizers/1", Some("kubectl")),
            ("/metadata/finalizers/0", None),
            ("/status/conditions/1/status", Some("kubelet")),
            ("/status/conditions/1", Some("kubelet")),
            ("/status/conditions/0/status", None),
            ("/status/conditions/7", None),
        ] {
            let found = managers.of_field(&object, path).map(|writer| &*writer.manager);
            assert_eq!(found, expected, "{path}");
        }
        assert_eq!(managers.latest().map(|writer| &*writer.manager), Some("hpa"));
        assert_eq!(managers.latest().and_then(|writer| writer.time), Some(1_795_229_041));
    }

    #[test]
    fn managed_fields_that_cannot_be_read_name_no_writer() {
        for text in ["", "{}", "[1]", "[{\"fieldsV1\":3}]"] {
            assert!(Managers::read(text.as_bytes()).latest().is_none(), "{text}");
        }
    }
}

//! `metadata.managedFields`: the manager who wrote each field last, as the real server keeps it. Pure.
//! It never refuses a write.

use serde_json::{Map, Value, json};

use crate::json;
use crate::patch::merge_key;

/// The manager of a write, its subresource, and its time.
#[derive(Clone, Debug)]
pub struct Writer<'a> {
    pub manager: &'a str,
    pub subresource: Option<&'a str>,
    pub api_version: String,
    /// RFC 3339, whole seconds, as the server writes times.
    pub now: &'a str,
}

/// The name of the whole object here; no field has this name.
const ROOT: &str = "$";

/// Maps with keys of the user's choice, which are themselves owned as the field `.`.
const MAPS: &[&str] = &["annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector"];

/// Fields of metadata that clients write; the rest is the server's own.
const METADATA: &[&str] = &["annotations", "finalizers", "generateName", "labels", "ownerReferences"];

/// Notes a write in the new object's managedFields. `before` is none for a new object.
pub(super) fn note(before: Option<&Value>, after: &mut Value, writer: &Writer<'_>) {
    let changed = match before {
        Some(before) => changed(before, after, ROOT),
        None => fields_of(after),
    };
    let has_removed = before.is_some_and(|before| lacks(before, after, ROOT));
    if changed.is_empty() && !has_removed && before.is_some() {
        return;
    }
    // Walking the whole object is slow, and only needed if a field may have lost its owner.
    let all = has_removed.then(|| fields_of(after));
    let mut entries: Vec<Value> = Vec::new();
    let mut own = Map::new();
    let old = before.map_or(&[][..], |before| json::list(before, "/metadata/managedFields"));
    for entry in old {
        let mut entry = entry.clone();
        let is_own = is_of(&entry, writer);
        let Some(Value::Object(fields)) = entry.get_mut("fieldsV1") else {
            continue;
        };
        if !is_own {
            subtract(fields, &changed);
        }
        if let Some(all) = &all {
            *fields = intersect(fields, all);
        }
        if is_own {
            own = std::mem::take(fields);
        } else if !fields.is_empty() {
            entries.push(entry);
        }
    }
    merge(&mut own, changed);
    let mut entry = json!({
        "manager": writer.manager, "operation": "Update",
        "apiVersion": writer.api_version, "time": writer.now,
        "fieldsType": "FieldsV1", "fieldsV1": own,
    });
    if let Some(subresource) = writer.subresource {
        json::set(&mut entry, &["subresource"], json!(subresource));
    }
    entries.push(entry);
    json::set(after, &["metadata", "managedFields"], Value::Array(entries));
}

fn is_of(entry: &Value, writer: &Writer<'_>) -> bool {
    json::text(entry, "/manager") == writer.manager
        && json::text_opt(entry, "/subresource") == writer.subresource
}

/// Whether the new object lacks a field of the old one.
fn lacks(old: &Value, new: &Value, name: &str) -> bool {
    if old == new {
        return false;
    }
    let news = children(name, new).unwrap_or_default();
    children(name, old).into_iter().flatten().any(|(key, child_name, child)| {
        match news.iter().find(|(found, _, _)| *found == key) {
            Some((_, _, there)) => lacks(child, there, child_name),
            None => true,
        }
    })
}

/// Whether this field of a parent has an owner. The server's own fields have none.
fn is_tracked(parent: &str, field: &str) -> bool {
    match parent {
        ROOT => !matches!(field, "kind" | "apiVersion"),
        "metadata" => METADATA.contains(&field),
        _ => true,
    }
}

/// The children of a value under the names that fieldsV1 gives them; none for a leaf.
fn children<'a>(name: &str, value: &'a Value) -> Option<Vec<(String, &'a str, &'a Value)>> {
    match value {
        Value::Object(fields) => Some(
            fields
                .iter()
                .filter(|(field, _)| is_tracked(name, field))
                .map(|(field, value)| (format!("f:{field}"), field.as_str(), value))
                .collect(),
        ),
        Value::Array(items) => {
            let key = merge_key(name)?;
            items.iter().map(|item| Some((format!("k:{}", json!({key: item.get(key)?})), "", item))).collect()
        }
        _ => None,
    }
}

/// An item of a list, or a map with keys of the user's choice.
fn is_owned_whole(key: &str, name: &str) -> bool {
    key.starts_with("k:") || MAPS.contains(&name)
}

/// The fields of a whole object.
fn fields_of(value: &Value) -> Map<String, Value> {
    changed(&Value::Null, value, ROOT)
}

fn changed(old: &Value, new: &Value, name: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let olds = children(name, old).unwrap_or_default();
    for (key, child_name, child) in children(name, new).into_iter().flatten() {
        let before = olds.iter().find(|(found, _, _)| *found == key).map(|(_, _, before)| *before);
        let below = match before {
            Some(before) if before == child => continue,
            Some(before) if children(child_name, child).is_some() => {
                let below = changed(before, child, child_name);
                if below.is_empty() {
                    continue;
                }
                below
            }
            Some(_) => Map::new(),
            None => {
                let mut below = changed(&Value::Null, child, child_name);
                if is_owned_whole(&key, child_name) {
                    below.insert(".".to_owned(), json!({}));
                }
                // Metadata without a tracked field isn't owned.
                if below.is_empty() && name == ROOT && child_name == "metadata" {
                    continue;
                }
                below
            }
        };
        fields.insert(key, Value::Object(below));
    }
    fields
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(have)), Value::Object(more)) => merge(have, more),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

fn subtract(from: &mut Map<String, Value>, what: &Map<String, Value>) {
    for (key, less) in what {
        let is_gone = match (from.get_mut(key), less) {
            (Some(Value::Object(have)), Value::Object(less)) if !have.is_empty() => {
                subtract(have, less);
                have.is_empty()
            }
            (found, _) => found.is_some(),
        };
        if is_gone {
            from.remove(key);
        }
    }
}

fn intersect(fields: &Map<String, Value>, all: &Map<String, Value>) -> Map<String, Value> {
    let mut kept = Map::new();
    for (key, value) in fields {
        match (value, all.get(key)) {
            (Value::Object(have), Some(Value::Object(there))) if !have.is_empty() => {
                let rest = intersect(have, there);
                if !rest.is_empty() {
                    kept.insert(key.clone(), Value::Object(rest));
                }
            }
            (_, Some(_)) => {
                kept.insert(key.clone(), value.clone());
            }
            (_, None) => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_removed_loses_its_owner() {
        let by = |manager| Writer {
            manager,
            subresource: None,
            api_version: "v1".to_owned(),
            now: "2026-01-01T00:00:00Z",
        };
        let mut before = json!({"metadata": {"name": "a"}, "data": {"a": "1"}});
        note(None, &mut before, &by("test"));
        let mut after = before.clone();
        json::set(&mut after, &["data"], json!({"b": "1"}));
        note(Some(&before), &mut after, &by("other"));
        let entries = json::list(&after, "/metadata/managedFields").iter();
        let owners: Vec<_> =
            entries.map(|entry| (json::text(entry, "/manager"), &entry["fieldsV1"])).collect();
        // The map itself is still the first one's.
        let (map, field) = (json!({"f:data": {".": {}}}), json!({"f:data": {"f:b": {}}}));
        assert_eq!(owners, [("test", &map), ("other", &field)]);
    }
}

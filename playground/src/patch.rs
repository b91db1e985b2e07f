//! JSON merge patch (RFC 7386), JSON patch (RFC 6902), and as much of the strategic merge as lists
//! with a name or a type need. Pure.

use serde_json::{Map, Value};

use crate::json::{list, text};

/// RFC 7386.
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(into) = target else { return };
    for (key, value) in fields {
        if value.is_null() {
            into.remove(key);
        } else {
            merge(into.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

/// The field by which items of a list of this name are told apart.
fn merge_key(name: &str) -> Option<&'static str> {
    match name {
        "containers" | "initContainers" | "env" | "volumes" | "imagePullSecrets" => Some("name"),
        "conditions" | "addresses" => Some("type"),
        "volumeMounts" => Some("mountPath"),
        "ownerReferences" => Some("uid"),
        _ => None,
    }
}

/// A merge in which items of known lists are merged one by one.
pub fn strategic(target: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(into) = target else { return };
    for (key, value) in fields {
        match (value, merge_key(key)) {
            _ if key.starts_with('$') => {}
            (Value::Null, _) => {
                into.remove(key);
            }
            (Value::Array(items), Some(by)) => {
                let there = into.entry(key.clone()).or_insert_with(|| Value::Array(Vec::new()));
                merge_items(there, items, by);
            }
            _ => strategic(into.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

fn merge_items(target: &mut Value, items: &[Value], by: &str) {
    if !target.is_array() {
        *target = Value::Array(Vec::new());
    }
    let Value::Array(there) = target else { return };
    for item in items {
        let same = |found: &&mut Value| found.get(by) == item.get(by);
        if text(item, "/$patch") == "delete" {
            there.retain(|found| found.get(by) != item.get(by));
        } else if let Some(found) = there.iter_mut().find(same) {
            strategic(found, item);
        } else {
            there.push(item.clone());
        }
    }
}

/// RFC 6902.
///
/// # Errors
/// Which operation doesn't apply.
pub fn json_patch(target: &mut Value, operations: &Value) -> Result<(), String> {
    if !operations.is_array() {
        return Err("a JSON patch is a list of operations".to_owned());
    }
    for operation in list(operations, "") {
        let path = text(operation, "/path");
        let value = || operation.get("value").cloned().ok_or("an operation lacks its value".to_owned());
        match text(operation, "/op") {
            "add" => add(target, path, value()?)?,
            "remove" => drop(take(target, path)?),
            "replace" => {
                let at = target.pointer_mut(path).ok_or_else(|| missing("replace", path))?;
                *at = value()?;
            }
            "test" => {
                if target.pointer(path) != Some(&value()?) {
                    return Err(format!("testing value {path} failed"));
                }
            }
            "copy" => {
                let from = text(operation, "/from");
                let found = target.pointer(from).cloned().ok_or_else(|| missing("copy", from))?;
                add(target, path, found)?;
            }
            "move" => {
                let found = take(target, text(operation, "/from"))?;
                add(target, path, found)?;
            }
            other => return Err(format!("unexpected kind: {other}")),
        }
    }
    Ok(())
}

fn missing(operation: &str, path: &str) -> String {
    format!("{operation} operation does not apply: doc is missing path: {path}: missing value")
}

fn split(path: &str) -> Option<(&str, String)> {
    let (parent, last) = path.rsplit_once('/')?;
    Some((parent, last.replace("~1", "/").replace("~0", "~")))
}

fn add(target: &mut Value, path: &str, value: Value) -> Result<(), String> {
    if path.is_empty() {
        *target = value;
        return Ok(());
    }
    let (parent, last) = split(path).ok_or_else(|| missing("add", path))?;
    match target.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.insert(last, value);
            Ok(())
        }
        Some(Value::Array(items)) if last == "-" => {
            items.push(value);
            Ok(())
        }
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(at) if at <= items.len() => {
                items.insert(at, value);
                Ok(())
            }
            _ => Err(missing("add", path)),
        },
        _ => Err(missing("add", path)),
    }
}

fn take(target: &mut Value, path: &str) -> Result<Value, String> {
    let (parent, last) = split(path).ok_or_else(|| missing("remove", path))?;
    let taken = match target.pointer_mut(parent) {
        Some(Value::Object(fields)) => fields.remove(&last),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(at) if at < items.len() => Some(items.remove(at)),
            _ => None,
        },
        _ => None,
    };
    taken.ok_or_else(|| missing("remove", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_merge_patch_replaces_lists_and_removes_by_null() {
        let mut object = json!({"a": {"b": 1, "c": [1, 2]}, "d": 4});
        merge(&mut object, &json!({"a": {"b": null, "c": [3]}, "e": {"f": null, "g": 1}}));
        assert_eq!(object, json!({"a": {"c": [3]}, "d": 4, "e": {"g": 1}}));
    }

    #[test]
    fn a_strategic_patch_merges_the_items_of_named_lists() {
        let mut object = json!({"containers": [{"name": "a", "image": "x"}, {"name": "b"}]});
        strategic(
            &mut object,
            &json!({"containers": [{"name": "a", "tty": true}, {"name": "b", "$patch": "delete"}]}),
        );
        assert_eq!(object, json!({"containers": [{"name": "a", "image": "x", "tty": true}]}));
    }

    #[test]
    fn a_json_patch_applies_its_operations_in_order() {
        let mut object = json!({"list": [1, 2], "map": {"a/b": 1}});
        let patch = json!([
            {"op": "add", "path": "/list/-", "value": 3},
            {"op": "remove", "path": "/list/0"},
            {"op": "replace", "path": "/map/a~1b", "value": 9},
            {"op": "test", "path": "/list/0", "value": 2},
            {"op": "copy", "from": "/map", "path": "/copy"},
        ]);
        json_patch(&mut object, &patch).expect("it applies");
        assert_eq!(object, json!({"list": [2, 3], "map": {"a/b": 9}, "copy": {"a/b": 9}}));
    }

    #[test]
    fn a_json_patch_that_does_not_fit_says_where() {
        let told = json_patch(&mut json!({}), &json!([{"op": "remove", "path": "/a"}]));
        assert_eq!(told, Err(missing("remove", "/a")));
    }
}

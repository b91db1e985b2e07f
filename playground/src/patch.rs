//! JSON merge patch (RFC 7386), JSON patch (RFC 6902), and as much of the strategic merge as lists
//! with a name or a type need. Pure.

use serde_json::{Map, Value};
use shared::patch::{Operation, apply};

use crate::json::{list, text};

/// RFC 7386.
pub fn merge(target: &mut Value, patch: &Value) {
    merge_fields(target, patch, false);
}

/// A merge in which items of known lists are merged one by one.
pub fn strategic(target: &mut Value, patch: &Value) {
    merge_fields(target, patch, true);
}

/// The field that names an item of this list, if its items are merged and owned one by one.
pub fn merge_key(list: &str) -> Option<&'static str> {
    match list {
        "containers" | "initContainers" | "env" | "volumes" | "imagePullSecrets" => Some("name"),
        "conditions" | "addresses" => Some("type"),
        "volumeMounts" => Some("mountPath"),
        "ownerReferences" => Some("uid"),
        "podIPs" | "hostIPs" => Some("ip"),
        _ => None,
    }
}

fn merge_fields(target: &mut Value, patch: &Value, is_strategic: bool) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(into) = target else { return };
    for (name, value) in fields {
        match (value, merge_key(name).filter(|_| is_strategic)) {
            (Value::Null, _) => drop(into.remove(name)),
            (Value::Array(items), Some(key)) => {
                let there = into.entry(name.clone()).or_insert_with(|| Value::Array(Vec::new()));
                merge_items(there, items, key);
            }
            // A directive such as `$setElementOrder` is no field.
            _ if is_strategic && name.starts_with('$') => {}
            _ => merge_fields(into.entry(name.clone()).or_insert(Value::Null), value, is_strategic),
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

/// RFC 6902: `shared` applies additions, removals and replacements, by which the others are expressed.
pub fn json_patch(target: &mut Value, operations: &Value) -> Result<(), String> {
    for operation in list(operations, "") {
        let path = || text(operation, "/path").into();
        let from = || {
            let from = text(operation, "/from");
            target.pointer(from).cloned().ok_or_else(|| format!("there is nothing to copy at {from}"))
        };
        let steps = match text(operation, "/op") {
            "test" => {
                let value = operation.get("value");
                if value.is_none() || target.pointer(text(operation, "/path")) != value {
                    return Err(format!("testing value {} failed", text(operation, "/path")));
                }
                Vec::new()
            }
            "copy" => vec![Operation::Add { path: path(), value: from()? }],
            "move" => vec![
                Operation::Remove { path: text(operation, "/from").into() },
                Operation::Add { path: path(), value: from()? },
            ],
            _ => vec![serde_json::from_value(operation.clone()).map_err(|why| why.to_string())?],
        };
        *target = apply(target, &steps).map_err(|misfit| misfit.to_string())?;
    }
    Ok(())
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
            {"op": "move", "from": "/list/0", "path": "/moved"},
        ]);
        json_patch(&mut object, &patch).expect("it applies");
        assert_eq!(object, json!({"list": [3], "moved": 2, "map": {"a/b": 9}, "copy": {"a/b": 9}}));
    }

    #[test]
    fn a_json_patch_that_does_not_fit_is_refused() {
        for operation in [
            json!({"op": "remove", "path": "/a"}),
            json!({"op": "test", "path": "/a"}),
            json!({"op": "copy", "from": "/a", "path": "/b"}),
            json!({"op": "scale", "path": "/a"}),
        ] {
            assert!(json_patch(&mut json!({}), &json!([operation])).is_err(), "{operation}");
        }
    }
}

//! Reading and changing JSON values by paths: a path that isn't there is empty, never a panic.
//! It knows nothing of Kubernetes beyond `status.conditions`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The text at a JSON pointer, or nothing.
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The text at a JSON pointer, if there is one and it isn't empty.
pub fn text_opt<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    let found = text(value, pointer);
    (!found.is_empty()).then_some(found)
}

/// The integer at a JSON pointer, or 0 (as Go's zero value).
pub fn int(value: &Value, pointer: &str) -> i64 {
    int_opt(value, pointer).unwrap_or_default()
}

/// The integer at a JSON pointer.
pub fn int_opt(value: &Value, pointer: &str) -> Option<i64> {
    value.pointer(pointer).and_then(Value::as_i64)
}

/// The boolean at a JSON pointer, or false.
pub fn flag(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
}

/// The array at a JSON pointer, or an empty one.
pub fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The object at a JSON pointer.
pub fn map<'a>(value: &'a Value, pointer: &str) -> Option<&'a Map<String, Value>> {
    value.pointer(pointer).and_then(Value::as_object)
}

/// The texts of a map at a JSON pointer, such as labels, in key order.
pub fn texts(value: &Value, pointer: &str) -> BTreeMap<String, String> {
    map(value, pointer)
        .into_iter()
        .flatten()
        .filter_map(|(key, found)| Some((key.clone(), found.as_str()?.to_owned())))
        .collect()
}

/// The `status` of the condition of a type, and its `reason`.
pub fn condition<'a>(value: &'a Value, kind: &str) -> Option<(&'a str, &'a str)> {
    list(value, "/status/conditions")
        .iter()
        .find(|found| text(found, "/type") == kind)
        .map(|found| (text(found, "/status"), text(found, "/reason")))
}

/// Sets a value below a chain of objects, which are made where they are missing.
pub fn set(value: &mut Value, path: &[&str], new: Value) {
    let mut at = value;
    for step in path {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(fields) = at else { return };
        at = fields.entry((*step).to_owned()).or_insert(Value::Null);
    }
    *at = new;
}

/// Removes a field below a chain of objects.
pub fn remove(value: &mut Value, path: &[&str]) {
    let Some((last, parents)) = path.split_last() else {
        return;
    };
    let mut at = value;
    for step in parents {
        let Some(next) = at.get_mut(*step) else {
            return;
        };
        at = next;
    }
    if let Some(fields) = at.as_object_mut() {
        fields.remove(*last);
    }
}

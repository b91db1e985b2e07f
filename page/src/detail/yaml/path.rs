//! The path of a field as kubectl's JSONPath writes it: `.spec.containers[0].name`. It can be pasted behind
//! `-o jsonpath=` and as the path of a column.

use serde_json::Value;
use shared::diff;

/// `pointer`: the JSON Pointer of a field of `object`.
pub fn json_path(pointer: &str, object: &Value) -> String {
    let mut path = String::new();
    let mut at = Some(object);
    for key in diff::keys(pointer) {
        if at.is_some_and(Value::is_array) {
            path.push_str(&format!("[{key}]"));
            at = at.and_then(|value| value.get(key.parse::<usize>().ok()?));
        } else {
            path.push('.');
            for character in key.chars() {
                let is_plain = character.is_alphanumeric() || matches!(character, '_' | '-' | '/');
                path.extend((!is_plain).then_some('\\'));
                path.push(character);
            }
            at = at.and_then(|value| value.get(&key));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::custom_column::CustomColumn;

    use super::*;

    #[test]
    fn a_path_is_one_that_kubectl_and_a_column_can_read() {
        let object = json!({"metadata": {"labels": {"app.kubernetes.io/name": "a", "0": "b"}},
            "spec": {"containers": [{"name": "app"}]}});
        for (pointer, expected) in [
            ("/spec/containers/0/name", ".spec.containers[0].name"),
            ("/metadata/labels/app.kubernetes.io~1name", r".metadata.labels.app\.kubernetes\.io/name"),
            ("/metadata/labels/0", ".metadata.labels.0"),
        ] {
            assert_eq!(json_path(pointer, &object), expected);
            assert!(CustomColumn::parse("X", expected).is_ok(), "{expected}");
        }
    }
}

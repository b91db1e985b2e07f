//! Checks of an object's content: labels, size, definitions that can't be served. Pure.
//! It never knows the schema of a built-in kind.

use serde_json::Value;
use shared::selector::{key_faults, value_faults};

use crate::json::{list, map, text, texts};
use crate::resource::ResourceType;
use kubernetes_api::{Cause, Failure};

/// The content of a ConfigMap or a Secret, keys aside.
const CONTENT_BYTES_MAX: usize = 1024 * 1024;

/// # Errors
/// 422 with a cause for each field that is wrong.
pub fn check(kind: &ResourceType, value: &Value) -> Result<(), Failure> {
    let mut causes = labels(value);
    match (kind.group.as_str(), kind.plural.as_str()) {
        ("", "configmaps") => causes.extend(content(value, "[]")),
        ("", "secrets") => causes.extend(content(value, "data")),
        ("apiextensions.k8s.io", "customresourcedefinitions") => causes.extend(definition(value)),
        _ => {}
    }
    if causes.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid(&kind.group, &kind.kind, text(value, "/metadata/name"), &causes))
}

fn invalid(value: &str, why: &str, field: &str) -> Cause {
    ("FieldValueInvalid", format!("Invalid value: {value:?}: {why}"), field.to_owned())
}

fn labels(value: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (key, value) in texts(value, "/metadata/labels") {
        let wrong = |text: &str, why: Vec<String>| {
            let cause = |why: String| invalid(text, &why, "metadata.labels");
            why.into_iter().map(cause).collect::<Vec<_>>()
        };
        causes.extend(wrong(&key, key_faults(&key)));
        causes.extend(wrong(&value, value_faults(&value)));
    }
    causes
}

fn content(value: &Value, field: &str) -> Option<Cause> {
    let bytes: usize = ["/data", "/binaryData"]
        .iter()
        .filter_map(|pointer| map(value, pointer))
        .flat_map(|entries| entries.values())
        .filter_map(Value::as_str)
        .map(str::len)
        .sum();
    (bytes > CONTENT_BYTES_MAX).then(|| {
        let message = format!("Too long: may not be more than {CONTENT_BYTES_MAX} bytes");
        ("FieldValueTooLong", message, field.to_owned())
    })
}

fn definition(value: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let name = text(value, "/metadata/name");
    if name != format!("{}.{}", text(value, "/spec/names/plural"), text(value, "/spec/group")) {
        causes.push(invalid(name, r#"must be spec.names.plural+"."+spec.group"#, "metadata.name"));
    }
    for (at, version) in list(value, "/spec/versions").iter().enumerate() {
        if version.pointer("/schema/openAPIV3Schema").is_none() {
            let field = format!("spec.versions[{at}].schema.openAPIV3Schema");
            causes.push(("FieldValueRequired", "Required value".to_owned(), field));
        }
    }
    causes
}

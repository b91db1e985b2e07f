//! Checks of an object's content: labels, size, definitions that can't be served. Pure.
//! It never knows the schema of a built-in kind.

use serde_json::Value;

use crate::failure::{Cause, Failure};
use crate::json::{list, map, text, texts};
use crate::resource::ResourceType;

/// The content of a ConfigMap or a Secret, keys aside.
const CONTENT_BYTES_MAX: usize = 1024 * 1024;

const LABEL_MAX: usize = 63;

const LABEL_NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

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
        let name = key.rsplit('/').next().unwrap_or_default();
        if name.len() > LABEL_MAX {
            causes.push(invalid(&key, "name part must be no more than 63 bytes", "metadata.labels"));
        }
        if name.is_empty() {
            causes.push(invalid(&key, "name part must be non-empty", "metadata.labels"));
        }
        if !is_label(name) {
            causes.push(invalid(&key, LABEL_NAME, "metadata.labels"));
        }
        if value.len() > LABEL_MAX {
            causes.push(invalid(&value, "must be no more than 63 bytes", "metadata.labels"));
        }
        if !value.is_empty() && !is_label(&value) {
            causes.push(invalid(&value, LABEL_VALUE, "metadata.labels"));
        }
    }
    causes
}

fn is_label(text: &str) -> bool {
    let edge = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
        && edge(text.chars().next())
        && edge(text.chars().last())
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

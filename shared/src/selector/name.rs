//! Label keys and values as the API server checks them, in its words. Pure.

use crate::name::is_dns_label;

const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
/// The rule of most names, in the API server's words.
pub const SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const NAME_BYTES_MAX: usize = crate::name::LABEL_BYTES_MAX;
const PREFIX_BYTES_MAX: usize = crate::name::NAME_BYTES_MAX;

/// What is wrong with a key, `name` or `prefix/name`.
pub fn key_faults(key: &str) -> Vec<String> {
    let parts: Vec<&str> = key.split('/').collect();
    let mut wrong = Vec::new();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_owned());
            } else if prefix.len() > PREFIX_BYTES_MAX {
                wrong.push(format!("prefix part must be no more than {PREFIX_BYTES_MAX} bytes"));
            } else if !prefix.split('.').all(is_dns_label) {
                wrong.push(format!("prefix part {SUBDOMAIN_RULE}"));
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > NAME_BYTES_MAX {
        wrong.push(format!("name part must be no more than {NAME_BYTES_MAX} bytes"));
    }
    if !is_name(name) {
        wrong.push(format!("name part {NAME}"));
    }
    wrong
}

/// What is wrong with a label's value.
pub fn value_faults(value: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if value.len() > NAME_BYTES_MAX {
        wrong.push(format!("must be no more than {NAME_BYTES_MAX} bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        wrong.push(VALUE.to_owned());
    }
    wrong
}

/// The server's own selector parser names no field, and Go prints that as `<nil>`.
pub(super) fn check_key(key: &str) -> Result<(), String> {
    match key_faults(key) {
        wrong if wrong.is_empty() => Ok(()),
        wrong => Err(format!("<nil>: Invalid value: {key:?}: {}", wrong.join("; "))),
    }
}

/// Checks one of a requirement's values.
pub(super) fn check_value(key: &str, at: usize, value: &str) -> Result<(), String> {
    match value_faults(value) {
        wrong if wrong.is_empty() => Ok(()),
        wrong => Err(format!("values[{at}][{key}]: Invalid value: {value:?}: {}", wrong.join("; "))),
    }
}

fn is_name(text: &str) -> bool {
    let edge = |found: Option<char>| found.is_some_and(|found| found.is_ascii_alphanumeric());
    edge(text.chars().next())
        && edge(text.chars().last())
        && text.chars().all(|found| found.is_ascii_alphanumeric() || "-_.".contains(found))
}

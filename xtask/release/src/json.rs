//! Fields of JSON that may be missing.

use serde_json::Value;

/// The field, or null.
pub(crate) fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

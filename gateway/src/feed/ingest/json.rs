//! Members of a parsed JSON object.

use serde_json::Value;
use shared::duration::UnixSeconds;
use shared::instant;

pub(super) fn text<'a>(object: &'a Value, member: &str) -> Option<&'a str> {
    object.get(member)?.as_str()
}

pub(super) fn time(object: &Value, member: &str) -> Option<UnixSeconds> {
    instant::seconds(text(object, member)?)
}

/// Nothing, if the member isn't an array.
pub(super) fn list<'a>(object: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    object.get(member).and_then(Value::as_array).into_iter().flatten()
}

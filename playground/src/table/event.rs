//! An event's row.

use serde_json::{Value, json};

use super::duration::since;
use crate::json::{int, text, text_opt};

pub(super) fn event(object: &Value, now_s: i64) -> Vec<Value> {
    let first = text_opt(object, "/firstTimestamp").unwrap_or_else(|| text(object, "/eventTime"));
    let (last, count) = if object.get("series").is_some_and(Value::is_object) {
        (text(object, "/series/lastObservedTime"), int(object, "/series/count"))
    } else {
        (text_opt(object, "/lastTimestamp").unwrap_or(first), int(object, "/count").max(1))
    };
    let kind = text(object, "/involvedObject/kind").to_lowercase();
    let target = match text(object, "/involvedObject/name") {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    vec![
        json!(since(last, now_s)),
        json!(text(object, "/type")),
        json!(text(object, "/reason")),
        json!(target),
        json!(text(object, "/involvedObject/fieldPath")),
        json!(source(object)),
        json!(text(object, "/message").trim()),
        json!(since(first, now_s)),
        json!(count),
        json!(text(object, "/metadata/name")),
    ]
}

fn source(object: &Value) -> String {
    let component =
        text_opt(object, "/source/component").unwrap_or_else(|| text(object, "/reportingComponent"));
    let host = text_opt(object, "/source/host").unwrap_or_else(|| text(object, "/reportingInstance"));
    if host.is_empty() { component.to_owned() } else { format!("{component}, {host}") }
}

//! Rows of what runs pods: deployments, replica sets, stateful sets, daemon sets, and of what
//! scales and protects them.

use serde_json::{Value, json};

use super::duration::since;
use crate::json::{int, int_opt, list, map, text, text_opt, texts};

pub(super) fn name(object: &Value) -> Value {
    json!(text(object, "/metadata/name"))
}

pub(super) fn age(object: &Value, now_s: i64) -> Value {
    json!(since(text(object, "/metadata/creationTimestamp"), now_s))
}

/// The names and the images of a pod template's containers.
pub(super) fn containers(object: &Value, pointer: &str) -> (Value, Value) {
    let joined = |field: &str| {
        let found: Vec<&str> = list(object, pointer).iter().map(|container| text(container, field)).collect();
        json!(found.join(","))
    };
    (joined("/name"), joined("/image"))
}

const TEMPLATE: &str = "/spec/template/spec/containers";

/// `a=b,c=d`, or `<none>`.
pub(super) fn labels(object: &Value, pointer: &str) -> String {
    let found: Vec<String> =
        texts(object, pointer).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    if found.is_empty() { "<none>".to_owned() } else { found.join(",") }
}

/// A label selector with its expressions, as one line; empty where it selects everything.
fn selector(object: &Value, pointer: &str) -> String {
    let mut terms: Vec<(String, String)> = texts(object, &format!("{pointer}/matchLabels"))
        .into_iter()
        .map(|(key, value)| (key.clone(), format!("{key}={value}")))
        .collect();
    for found in list(object, &format!("{pointer}/matchExpressions")) {
        let key = text(found, "/key");
        let mut values: Vec<&str> = list(found, "/values").iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let term = match text(found, "/operator") {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        terms.push((key.to_owned(), term));
    }
    terms.sort();
    let terms: Vec<String> = terms.into_iter().map(|(_, term)| term).collect();
    terms.join(",")
}

pub(super) fn selector_or_none(object: &Value, pointer: &str) -> Value {
    let found = selector(object, pointer);
    json!(if found.is_empty() { "<none>".to_owned() } else { found })
}

pub(super) fn deployment(object: &Value, now_s: i64) -> Vec<Value> {
    let (names, images) = containers(object, TEMPLATE);
    vec![
        name(object),
        json!(format!("{}/{}", int(object, "/status/readyReplicas"), int(object, "/spec/replicas"))),
        json!(int(object, "/status/updatedReplicas")),
        json!(int(object, "/status/availableReplicas")),
        age(object, now_s),
        names,
        images,
        json!(selector(object, "/spec/selector")),
    ]
}

pub(super) fn replica_set(object: &Value, now_s: i64) -> Vec<Value> {
    let (names, images) = containers(object, TEMPLATE);
    vec![
        name(object),
        json!(int(object, "/spec/replicas")),
        json!(int(object, "/status/replicas")),
        json!(int(object, "/status/readyReplicas")),
        age(object, now_s),
        names,
        images,
        selector_or_none(object, "/spec/selector"),
    ]
}

pub(super) fn stateful_set(object: &Value, now_s: i64) -> Vec<Value> {
    let (names, images) = containers(object, TEMPLATE);
    vec![
        name(object),
        json!(format!("{}/{}", int(object, "/status/readyReplicas"), int(object, "/spec/replicas"))),
        age(object, now_s),
        names,
        images,
    ]
}

pub(super) fn daemon_set(object: &Value, now_s: i64) -> Vec<Value> {
    let (names, images) = containers(object, TEMPLATE);
    vec![
        name(object),
        json!(int(object, "/status/desiredNumberScheduled")),
        json!(int(object, "/status/currentNumberScheduled")),
        json!(int(object, "/status/numberReady")),
        json!(int(object, "/status/updatedNumberScheduled")),
        json!(int(object, "/status/numberAvailable")),
        json!(labels(object, "/spec/template/spec/nodeSelector")),
        age(object, now_s),
        names,
        images,
        selector_or_none(object, "/spec/selector"),
    ]
}

pub(super) fn autoscaler(object: &Value, now_s: i64) -> Vec<Value> {
    let minimum =
        int_opt(object, "/spec/minReplicas").map_or_else(|| "<unset>".to_owned(), |count| count.to_string());
    vec![
        name(object),
        json!(format!(
            "{}/{}",
            text(object, "/spec/scaleTargetRef/kind"),
            text(object, "/spec/scaleTargetRef/name")
        )),
        json!(targets(object)),
        json!(minimum),
        json!(int(object, "/spec/maxReplicas")),
        json!(int(object, "/status/currentReplicas")),
        age(object, now_s),
    ]
}

/// The metrics of an autoscaler by resource, as `cpu: 12%/80%`.
fn targets(object: &Value) -> String {
    const SHOWN_MAX: usize = 2;
    let metrics = list(object, "/spec/metrics");
    if metrics.is_empty() {
        return "<none>".to_owned();
    }
    let current = list(object, "/status/currentMetrics");
    let mut told: Vec<String> = Vec::new();
    for (at, metric) in metrics.iter().take(SHOWN_MAX).enumerate() {
        let now = current.get(at);
        let percent = |value: Option<&Value>, pointer: &str| {
            value.and_then(|value| int_opt(value, pointer)).map(|found| format!("{found}%"))
        };
        told.push(format!(
            "{}: {}/{}",
            text(metric, "/resource/name"),
            percent(now, "/resource/current/averageUtilization").unwrap_or_else(|| "<unknown>".to_owned()),
            percent(Some(metric), "/resource/target/averageUtilization")
                .unwrap_or_else(|| "<auto>".to_owned()),
        ));
    }
    let line = told.join(", ");
    match metrics.len().saturating_sub(SHOWN_MAX) {
        0 => line,
        more => format!("{line} + {more} more..."),
    }
}

pub(super) fn disruption_budget(object: &Value, now_s: i64) -> Vec<Value> {
    let count = |field: &str| match map(object, "/spec").and_then(|spec| spec.get(field)) {
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) => text.clone(),
        _ => "N/A".to_owned(),
    };
    vec![
        name(object),
        json!(count("minAvailable")),
        json!(count("maxUnavailable")),
        json!(int(object, "/status/disruptionsAllowed")),
        age(object, now_s),
    ]
}

/// A text, or what stands where there is none.
pub(super) fn text_or(object: &Value, pointer: &str, none: &str) -> Value {
    json!(text_opt(object, pointer).unwrap_or(none))
}

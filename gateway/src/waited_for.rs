//! What `kubectl wait` reads in an object
//! (<https://kubernetes.io/docs/reference/kubectl/generated/kubectl_wait/>), for `dogwatch wait` and for rules.

use std::sync::LazyLock;

use serde_json::Value;
use shared::json_path::{Clipped, Effort, JsonPath};
use shared::rollout::{self, Rollout, Workload};

/// No value of a command line is longer: Linux has 128 KiB for each argument.
const VALUE_BYTES_MAX: usize = 128 << 10;
/// Conditions of a workload are a few.
const ROLLOUT_EFFORT: usize = 1_000;
/// A revision's name is no longer.
const ROLLOUT_TEXT_BYTES_MAX: usize = 512;

/// The first condition of this type that has a status.
pub(crate) fn condition<'v>(object: &'v Value, kind: &str) -> Option<&'v Value> {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten().find(|condition| {
        let is_asked = text(condition, "type").is_some_and(|name| is_folded_equal(name, kind));
        is_asked && text(condition, "status").is_some()
    })
}

/// The condition, if it has this status and its controller has seen the object's spec.
pub(crate) fn has_condition<'v>(object: &'v Value, kind: &str, status: &str) -> Option<&'v Value> {
    let condition = condition(object, kind)?;
    let observed = condition.get("observedGeneration").and_then(Value::as_i64);
    let observed = observed.or_else(|| object.pointer("/status/observedGeneration")?.as_i64());
    let generation = object.pointer("/metadata/generation").and_then(Value::as_i64);
    let is_old = generation.zip(observed).is_some_and(|(generation, observed)| observed < generation);
    let has = text(condition, "status").is_some_and(|found| is_folded_equal(found, status));
    (has && !is_old).then_some(condition)
}

/// Whether a value that a path leads to is the one that was asked for.
pub(crate) fn is_value(found: &Value, asked: &str) -> bool {
    let mut text = Clipped::new(VALUE_BYTES_MAX);
    text.push_value(found);
    text.finish().trim() == asked.trim()
}

/// What `kubectl rollout status` would say of an object of this kind.
pub(crate) fn rollout(workload: Workload, object: &Value) -> Rollout {
    workload.rollout(&rollout_texts(object))
}

/// What decides about the rollout of an object.
pub(crate) fn rollout_texts(object: &Value) -> Vec<String> {
    static PATHS: LazyLock<Vec<JsonPath>> = LazyLock::new(rollout_paths);
    let value = |path: &JsonPath| {
        let found = path.select(object, &mut Effort(ROLLOUT_EFFORT)).values;
        let mut text = Clipped::new(ROLLOUT_TEXT_BYTES_MAX);
        found.first().into_iter().for_each(|value| text.push_value(value));
        String::from(text.finish())
    };
    PATHS.iter().map(value).collect()
}

/// The fields that it reads.
pub(crate) fn rollout_paths() -> Vec<JsonPath> {
    rollout::PATHS.iter().filter_map(|path| JsonPath::parse(path).ok()).collect()
}

fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field).and_then(Value::as_str)
}

fn is_folded_equal(one: &str, other: &str) -> bool {
    one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
}

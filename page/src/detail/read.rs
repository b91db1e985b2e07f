//! Reads fields of an untrusted object: a field that is missing or has another type is nothing. Text comes out
//! safe to show: control characters and marks that reorder text are replaced by visible signs.

use serde_json::Value;
use shared::duration::{self, UnixSeconds};
use shared::instant;
use shared::state::UnixMillis;

use super::words;
use crate::cells::{cut, shown};
use crate::limits::PANEL_TEXT_CHARACTERS_MAX;
use crate::messages::{self, Zone};

/// The time that ages are computed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The viewer's clock.
    pub ms: UnixMillis,
    /// The cluster's clock, which ages are computed by.
    pub cluster_s: UnixSeconds,
    pub zone: Zone,
}

impl Now {
    /// `21m`
    pub fn age(&self, since: UnixSeconds) -> String {
        duration::age(since, self.cluster_s)
    }

    /// `13:41:02`, a time of the cluster in the viewer's zone.
    pub fn clock(&self, at: UnixSeconds) -> String {
        messages::instant(at.saturating_mul(1_000), self.ms, self.zone)
    }

    /// The same for a time that may lie ahead: `2027-02-23 18:20:41, in 86d`
    pub fn clock_and_distance(&self, at: UnixSeconds) -> String {
        if at <= self.cluster_s {
            return self.clock_and_age(at);
        }
        words::detail_ahead(&self.clock(at), &duration::age(self.cluster_s, at))
    }

    /// `13:41:02, 21m ago`
    pub fn clock_and_age(&self, at: UnixSeconds) -> String {
        words::detail_at(&self.clock(at), &self.age(at))
    }
}

/// The group, empty for the core one, and the kind. A custom kind may have the name of one of Kubernetes' own, so no rule
/// goes by the kind alone.
pub(super) fn group_and_kind(object: &Value) -> Option<(&str, &str)> {
    let group =
        raw(object, "/apiVersion").and_then(|version| version.split_once('/')).map_or("", |(group, _)| group);
    match (group, raw(object, "/kind")?) {
        // The gateway asks for the metadata alone of Secrets, and of no other kind.
        ("meta.k8s.io", "PartialObjectMetadata") => Some(("", "Secret")),
        of => Some(of),
    }
}

/// When the object was created.
pub fn created(object: &Value) -> Option<UnixSeconds> {
    time(object, "/metadata/creationTimestamp")
}

/// When its deletion began: the timestamp is when the grace period ends.
pub(super) fn deletion_began(object: &Value) -> Option<UnixSeconds> {
    let ends = time(object, "/metadata/deletionTimestamp")?;
    Some(ends.saturating_sub(whole(object, "/metadata/deletionGracePeriodSeconds").unwrap_or(0)))
}

/// A text as it is in the object, to compare and not to show.
pub(super) fn raw<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}

/// A scalar, safe to show; `None` if it is empty or not a scalar.
pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).map(scalar).filter(|text| !text.is_empty())
}

pub(super) fn whole(value: &Value, pointer: &str) -> Option<i64> {
    value.pointer(pointer)?.as_i64()
}

pub(super) fn time(value: &Value, pointer: &str) -> Option<UnixSeconds> {
    instant::seconds(raw(value, pointer)?)
}

pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The members of a map whose values are scalars: labels, capacity, `nodeSelector`.
pub(super) fn pairs(value: &Value, pointer: &str) -> Vec<(String, String)> {
    let members = value.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    members.map(|(key, value)| (shown(key).into_owned(), scalar(value))).collect()
}

/// `app=cart tier=api`
pub(super) fn joined(pairs: &[(String, String)]) -> String {
    let pair = |(key, value): &(String, String)| format!("{key}={value}");
    pairs.iter().map(pair).collect::<Vec<_>>().join(" ")
}

pub(super) fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => cut(shown(text).into_owned(), PANEL_TEXT_CHARACTERS_MAX),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

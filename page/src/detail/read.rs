//! Reading an object of which nothing is known for sure: a field that is missing or of another type
//! is nothing. Text comes out as it may be shown: what moves a cursor or turns text is a sign.

use serde_json::Value;
use shared::duration::{self, UnixSeconds};
use shared::instant;
use shared::state::UnixMillis;

use crate::cells::{cut, shown};
use crate::limits::PANEL_TEXT_CHARACTERS_MAX;
use crate::messages::{self, Zone};

/// What relative times are read at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The viewer's clock.
    pub ms: UnixMillis,
    /// The cluster's: what ages tick by.
    pub cluster_s: UnixSeconds,
    pub zone: Zone,
}

impl Now {
    /// `21m`
    #[must_use]
    pub fn age(&self, since: UnixSeconds) -> String {
        duration::age(since, self.cluster_s)
    }

    /// `13:41:02`, the cluster's instant in the viewer's zone.
    #[must_use]
    pub fn clock(&self, at: UnixSeconds) -> String {
        messages::instant(at.saturating_mul(1_000), self.ms, self.zone)
    }

    /// `13:41:02, 21m ago`
    #[must_use]
    pub fn clock_and_age(&self, at: UnixSeconds) -> String {
        messages::detail_at(&self.clock(at), &self.age(at))
    }
}

/// When the object was made.
#[must_use]
pub fn created(object: &Value) -> Option<UnixSeconds> {
    time(object, "/metadata/creationTimestamp")
}

/// A text as it stands, for comparing; never for showing.
pub(super) fn raw<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}

/// A scalar as it may be shown; nothing for what is empty or not a scalar.
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

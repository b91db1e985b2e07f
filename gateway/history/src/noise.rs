//! What of an object changes without meaning anything: heartbeats, and the notes of leaders. Versions that differ in
//! these alone are counted and not kept.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use memchr::memrchr_iter;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::difference::same_length;
use crate::version::{Head, Mask, Version};

/// Whether a version of this run has what another one has that isn't in its body.
pub(crate) fn shows_the_same(head: &Head, version: &Version) -> bool {
    let row = &version.row;
    let hidden = |masks: &[Mask]| masks.iter().map(|(_, hash)| *hash).collect::<Vec<_>>();
    head.cells == row.cells
        && head.extra == row.extra
        && *head.labels == *version.labels
        && hidden(&head.masks) == hidden(&version.masks)
}

/// Whether two bodies differ by noise alone, or not at all.
pub(crate) fn is_noise(before: &[u8], now: &[u8]) -> bool {
    !differ_plainly(before, now) && meaning(before) == meaning(now)
}

/// Whether two texts differ elsewhere than in a value whose name is one of noise, wherever that stands. To read an
/// object takes a hundred times as long, and most changes mean something.
fn differ_plainly(before: &[u8], now: &[u8]) -> bool {
    let (mut at_before, mut at_now) = (0, 0);
    loop {
        let (Some(rest_before), Some(rest_now)) = (before.get(at_before..), now.get(at_now..)) else {
            return false;
        };
        let same = same_length(rest_before, rest_now);
        if same == rest_before.len() && same == rest_now.len() {
            return false;
        }
        let read = now.get(..at_now + same).unwrap_or_default();
        let Some(begin) = renewed_value(read) else { return true };
        let of_before = (at_before + same).checked_sub(read.len() - begin);
        let ends = (of_before.and_then(|begin| value_end(before, begin)), value_end(now, begin));
        let (Some(end_before), Some(end_now)) = ends else { return false };
        (at_before, at_now) = (end_before, end_now);
    }
}

/// Where the value begins in which a text ends, if its name is one of noise.
fn renewed_value(read: &[u8]) -> Option<usize> {
    let bare = read.iter().rev().take_while(|byte| is_bare(byte)).count();
    let bare = read.len() - bare;
    let quote = || memrchr_iter(b'"', read).find(|quote| read.get(quote.wrapping_sub(1)) != Some(&b'\\'));
    let is_renewed = |begin: &usize| is_renewed(read.get(..*begin).unwrap_or_default());
    Some(bare).filter(is_renewed).or_else(|| quote().filter(is_renewed))
}

/// Where a text or a number ends. `None`: it is neither.
fn value_end(text: &[u8], begin: usize) -> Option<usize> {
    let mut bytes = text.iter().enumerate().skip(begin);
    if text.get(begin) != Some(&b'"') {
        let length = bytes.take_while(|(_, byte)| is_bare(byte)).count();
        return (length > 0).then_some(begin + length);
    }
    bytes.next();
    loop {
        match bytes.next()? {
            (_, b'\\') => drop(bytes.next()),
            (at, b'"') => return Some(at + 1),
            _ => {}
        }
    }
}

/// A byte of a number, `true` or `null`.
fn is_bare(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Whether what stands before a value is a name of noise.
fn is_renewed(before: &[u8]) -> bool {
    let name = before.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
    let Some(name) = name.and_then(|name| name.strip_suffix(b"\"")) else { return false };
    let names = ["resourceVersion"].iter().chain(&HEARTBEATS).chain(&RENEWED_ANNOTATIONS);
    names
        .into_iter()
        .any(|noise| name.strip_suffix(noise.as_bytes()).is_some_and(|rest| rest.ends_with(b"\"")))
}

/// A hash of what matters in a body.
fn meaning(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Its text is hashed while it is read: to make a tree of it first takes three times as long. An API server writes the
    // fields of a kind in one order.
    let mut reader = serde_json::Deserializer::from_slice(body);
    if (Meaning { hasher: &mut hasher, place: Place::Object }).deserialize(&mut reader).is_err() {
        body.hash(&mut hasher);
    }
    hasher.finish()
}

/// Annotations that a leader or a controller renews while nothing happens.
const RENEWED_ANNOTATIONS: [&str; 2] =
    ["control-plane.alpha.kubernetes.io/leader", "endpoints.kubernetes.io/last-change-trigger-time"];
/// Times of a condition that move while it stays.
const HEARTBEATS: [&str; 2] = ["lastHeartbeatTime", "lastProbeTime"];

/// Where a value stands in an object, as far as noise may be below it.
#[derive(Clone, Copy)]
enum Place {
    Object,
    Metadata,
    Annotations,
    Status,
    Conditions,
    Condition,
    Elsewhere,
}

impl Place {
    /// The place of a field. `None`: it means nothing.
    fn of(self, field: &str) -> Option<Self> {
        Some(match (self, field) {
            (Self::Object, "metadata") => Self::Metadata,
            (Self::Object, "status") => Self::Status,
            (Self::Metadata, "resourceVersion" | "managedFields") => return None,
            (Self::Metadata, "annotations") => Self::Annotations,
            (Self::Annotations, name) if RENEWED_ANNOTATIONS.contains(&name) => return None,
            (Self::Status, "conditions") => Self::Conditions,
            (Self::Condition, name) if HEARTBEATS.contains(&name) => return None,
            _ => Self::Elsewhere,
        })
    }

    fn of_item(self) -> Self {
        if matches!(self, Self::Conditions) { Self::Condition } else { Self::Elsewhere }
    }
}

/// Hashes a value while it is read, but for its noise.
struct Meaning<'a> {
    hasher: &'a mut DefaultHasher,
    place: Place,
}

/// Hashes the name of a field, and finds its place.
struct Field<'a>(Meaning<'a>);

impl<'de> DeserializeSeed<'de> for Meaning<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Meaning<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        0_u8.hash(self.hasher);
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        (1_u8, value).hash(self.hasher);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        (2_u8, value).hash(self.hasher);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        (3_u8, value).hash(self.hasher);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        (4_u8, value.to_bits()).hash(self.hasher);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        (5_u8, value).hash(self.hasher);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        6_u8.hash(self.hasher);
        let place = self.place.of_item();
        while items.next_element_seed(Meaning { hasher: self.hasher, place })?.is_some() {}
        7_u8.hash(self.hasher);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        8_u8.hash(self.hasher);
        let Self { hasher, place } = self;
        while let Some(found) = fields.next_key_seed(Field(Meaning { hasher, place }))? {
            match found {
                Some(place) => fields.next_value_seed(Meaning { hasher, place })?,
                None => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        9_u8.hash(hasher);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Field<'_> {
    type Value = Option<Place>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Place>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Field<'_> {
    type Value = Option<Place>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<Place>, E> {
        let found = self.0.place.of(name);
        if found.is_some() {
            name.hash(self.0.hasher);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(before: &Value, now: &Value, noise: bool) {
        let (before, now) = (before.to_string(), now.to_string());
        assert_eq!(is_noise(before.as_bytes(), now.as_bytes()), noise, "{before} {now}");
        let means = meaning(before.as_bytes()) == meaning(now.as_bytes());
        assert_eq!(means, noise, "what is read says the same: {before} {now}");
    }

    #[test]
    fn a_heartbeat_means_nothing_and_what_it_tells_does() {
        let node = |version: &str, beat: &str, ready: &str, leader: &str, other: &str| {
            json!({
                "metadata": { "resourceVersion": version, "annotations": {
                    "control-plane.alpha.kubernetes.io/leader": leader, "other": other } },
                "spec": { "claim": { "resourceVersion": other } },
                "status": { "conditions": [{ "type": "Ready", "status": ready, "lastHeartbeatTime": beat }] },
            })
        };
        let leader = |time: &str| json!({ "renewTime": time, "holder": "a\\\"b" }).to_string();
        let (a, b) = (leader("10:00"), leader("10:00:05"));
        let first = node("1", "10:00", "True", &a, "x");
        check(&first, &first, true);
        check(&first, &node("20", "10:05", "True", &b, "x"), true);
        check(&first, &node("2", "10:05", "False", &a, "x"), false);
        check(&first, &node("1", "10:00", "True", &a, "y"), false);
        check(&first, &node("2", "10:05", "True", &b, "xy"), false);
        let elsewhere =
            |version: &str| json!({ "spec": { "resourceVersion": version, "lastHeartbeatTime": version } });
        check(&elsewhere("1"), &elsewhere("2"), false);
        let beat = |time: Value, next: u32| json!({ "status": { "conditions": [{ "lastProbeTime": time, "next": next }] } });
        check(&beat(Value::Null, 1), &beat("10:00".into(), 1), true);
        check(&beat(7.into(), 1), &beat(107.into(), 1), true);
        check(&beat(7.into(), 1), &beat(107.into(), 2), false);
    }
}

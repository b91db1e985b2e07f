//! What of an object changes without meaning anything: heartbeats, and the notes of leaders. Versions that differ in
//! these alone are counted and not kept.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::version::Version;

/// A hash of what matters in a version: two versions with the same one differ by noise alone. It is compared within one
/// process, so the standard library's hasher may change with its release.
pub(crate) fn meaning(version: &Version) -> u64 {
    let mut hasher = DefaultHasher::new();
    let row = &version.row;
    for cell in &row.cells {
        // A cell is a scalar or a short object, whose text tells all of it.
        format!("{cell:?}").hash(&mut hasher);
    }
    format!("{:?}", row.extra).hash(&mut hasher);
    version.labels.hash(&mut hasher);
    for (_, hash) in &*version.masks {
        hash.hash(&mut hasher);
    }
    // Its text is hashed while it is read: to make a tree of it first took a third of the time that recording took. An API
    // server writes the fields of a kind in one order.
    let mut reader = serde_json::Deserializer::from_slice(&version.body);
    if (Meaning { hasher: &mut hasher, place: Place::Object }).deserialize(&mut reader).is_err() {
        version.body.hash(&mut hasher);
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
    use std::sync::Arc;

    use serde_json::{Value, json};
    use shared::cell::Cell;
    use shared::resource_version::ResourceVersion;
    use shared::row::{Row, RowId};

    use super::*;

    fn version(body: &Value, cell: &str) -> Version {
        let row = Row {
            id: RowId::from_hash(1),
            resource_version: ResourceVersion::new("7"),
            namespace: None,
            name: "node-1".into(),
            created: None,
            cells: vec![Cell::text(cell)],
            extra: None,
        };
        Version {
            row: Arc::new(row),
            labels: "".into(),
            body: body.to_string().into_bytes(),
            masks: Box::default(),
            rules: 0,
            writers: Vec::new(),
            relisted: false,
            about: None,
        }
    }

    #[test]
    fn a_heartbeat_means_nothing_and_what_it_tells_does() {
        let node = |version: &str, beat: &str, ready: &str, leader: &str, other: &str| {
            json!({
                "metadata": { "resourceVersion": version, "annotations": {
                    "control-plane.alpha.kubernetes.io/leader": leader, "other": other } },
                "status": { "conditions": [{ "type": "Ready", "status": ready, "lastHeartbeatTime": beat }] },
            })
        };
        let first = meaning(&version(&node("1", "10:00", "True", "a", "x"), "Ready"));
        assert_eq!(first, meaning(&version(&node("2", "10:05", "True", "b", "x"), "Ready")));
        assert_ne!(first, meaning(&version(&node("2", "10:05", "False", "a", "x"), "Ready")));
        assert_ne!(first, meaning(&version(&node("1", "10:00", "True", "a", "y"), "Ready")));
        assert_ne!(first, meaning(&version(&node("1", "10:00", "True", "a", "x"), "NotReady")));
    }
}

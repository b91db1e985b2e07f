//! Which parts of an object some paths can lead to: the rest of its JSON is skipped when it is read,
//! not built. A Pod has 15 KB, a column of it a few bytes.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{JsonPath, Step};

#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// All that is here.
    whole: bool,
    fields: BTreeMap<Box<str>, Outline>,
}

impl Outline {
    pub fn add(&mut self, path: &JsonPath) {
        let mut at = self;
        for step in &path.0 {
            let Step::Field(name) = step else { break };
            at = at.fields.entry(name.clone()).or_default();
        }
        at.whole = true;
    }

    /// The names that paths begin with; `None` where one begins with anything.
    pub fn roots(&self) -> Option<impl Iterator<Item = &str>> {
        (!self.whole).then(|| self.fields.keys().map(|name| &**name))
    }

    /// The object as far as the paths can tell. `None`: it isn't JSON.
    pub fn read(&self, json: &[u8]) -> Option<Value> {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        self.deserialize(&mut deserializer).ok()
    }
}

impl<'de> DeserializeSeed<'de> for &Outline {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.whole {
            return serde::Deserialize::deserialize(deserializer);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &Outline {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut found = Map::new();
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            match self.fields.get(key.as_ref()) {
                Some(inner) => drop(found.insert(key.into_owned(), map.next_value_seed(inner)?)),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Value::Object(found))
    }

    // A field of a value that isn't an object leads nowhere.
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Null)
    }
    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: Error>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_u64<E: Error>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_f64<E: Error>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_str<E: Error>(self, _: &str) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

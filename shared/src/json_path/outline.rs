//! Which parts of an object some paths can lead to: the rest of its JSON is skipped when it is read,
//! not built. A Pod has 15 KB, a column of it a few bytes.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{Condition, JsonPath, Right, Step};

#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// All that is here.
    whole: bool,
    fields: BTreeMap<Box<str>, Outline>,
    /// What is wanted of each element of an array, and of each value of an object.
    each: Option<Box<Outline>>,
}

static WHOLE: Outline = Outline { whole: true, fields: BTreeMap::new(), each: None };

impl Outline {
    pub fn add(&mut self, path: &JsonPath) {
        let mut at = self;
        for step in &path.0 {
            at = match step {
                Step::Field(name) => at.fields.entry(name.clone()).or_default(),
                Step::All | Step::Index(_) | Step::Slice(_) => at.each.get_or_insert_default(),
                Step::Where(Condition { left, compared }) => {
                    let each = at.each.get_or_insert_default();
                    each.add(left);
                    if let Some((_, Right::Path(right))) = compared {
                        each.add(right);
                    }
                    each
                }
                Step::Descend | Step::Union(_) => break,
            };
        }
        at.whole = true;
    }

    /// The names that paths begin with; `None` where one begins with anything.
    pub fn roots(&self) -> Option<impl Iterator<Item = &str>> {
        (!self.whole && self.each.is_none()).then(|| self.fields.keys().map(|name| &**name))
    }

    fn of_field(&self, name: &str) -> Option<&Self> {
        match (self.fields.get(name), &self.each) {
            (Some(_), Some(_)) => Some(&WHOLE),
            (Some(field), None) => Some(field),
            (None, each) => each.as_deref(),
        }
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
        while let Some(key) = map.next_key_seed(Key(self))? {
            match key {
                Some((name, inner)) => drop(found.insert(name, map.next_value_seed(inner)?)),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Value::Object(found))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        if let Some(each) = &self.each {
            let mut found = Vec::new();
            while let Some(value) = seq.next_element_seed(&**each)? {
                found.push(value);
            }
            return Ok(Value::Array(found));
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Null)
    }
    // A field of a value that isn't an object leads nowhere.
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

/// A name, and what is wanted of the value that it has. What isn't wanted isn't copied.
struct Key<'o>(&'o Outline);

impl<'de, 'o> DeserializeSeed<'de> for Key<'o> {
    type Value = Option<(String, &'o Outline)>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'o> Visitor<'_> for Key<'o> {
    type Value = Option<(String, &'o Outline)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.of_field(name).map(|inner| (name.to_owned(), inner)))
    }
}

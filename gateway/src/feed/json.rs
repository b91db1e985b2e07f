//! Parts of an object, read once and borrowed from its bytes. What isn't of the type that is expected is missing: a
//! custom kind may have anything under any name.

use std::borrow::Cow;
use std::fmt::{Formatter, Result as Written};
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

pub(super) type Text<'a> = Option<Cow<'a, str>>;

/// An object. `None`: there is none, or it can't be read.
pub(super) fn part<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Option<T> {
    object(&mut serde_json::Deserializer::from_slice(json)).ok()?
}

/// A list of objects.
pub(super) fn parts<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Vec<T> {
    list(&mut serde_json::Deserializer::from_slice(json)).unwrap_or_default()
}

pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Text<'de>, D::Error> {
    Reading::<AText>::NEW.deserialize(deserializer)
}

pub(super) fn truth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Reading::<ATruth>::NEW.deserialize(deserializer)
}

pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Reading::<ANumber>::NEW.deserialize(deserializer)
}

pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Reading::<AnObject<T>>::NEW.deserialize(deserializer)
}

/// Its entries are objects.
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Reading::<AList<AnObject<T>>>::NEW.deserialize(deserializer).map(Option::unwrap_or_default)
}

pub(super) fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Cow<'de, str>>, D::Error> {
    Reading::<AList<AText>>::NEW.deserialize(deserializer).map(Option::unwrap_or_default)
}

/// The type of JSON that is expected. Each other is missing, and is read to its end.
trait Wanted<'de> {
    type Value;

    fn text(_: Cow<'de, str>) -> Option<Self::Value> {
        None
    }

    fn truth(_: bool) -> Option<Self::Value> {
        None
    }

    fn number(_: i64) -> Option<Self::Value> {
        None
    }

    fn object<A: MapAccess<'de>>(mut object: A) -> Result<Option<Self::Value>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self::Value>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

struct AText;
struct ATruth;
struct ANumber;
struct AnObject<T>(PhantomData<T>);
/// Also an entry of another type makes the list missing.
struct AList<W>(PhantomData<W>);

impl<'de> Wanted<'de> for AText {
    type Value = Cow<'de, str>;

    fn text(text: Cow<'de, str>) -> Option<Self::Value> {
        Some(text)
    }
}

impl Wanted<'_> for ATruth {
    type Value = bool;

    fn truth(truth: bool) -> Option<bool> {
        Some(truth)
    }
}

impl Wanted<'_> for ANumber {
    type Value = i64;

    fn number(number: i64) -> Option<i64> {
        Some(number)
    }
}

impl<'de, T: Deserialize<'de>> Wanted<'de> for AnObject<T> {
    type Value = T;

    fn object<A: MapAccess<'de>>(object: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

impl<'de, W: Wanted<'de>> Wanted<'de> for AList<W> {
    type Value = Vec<W::Value>;

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self::Value>, A::Error> {
        let mut entries = Some(Vec::new());
        while let Some(entry) = list.next_element_seed(Reading::<W>::NEW)? {
            entries = entries.zip(entry).map(|(mut entries, entry)| {
                entries.push(entry);
                entries
            });
        }
        Ok(entries)
    }
}

/// Reads a value once, whatever its type is.
struct Reading<W>(PhantomData<W>);

impl<W> Reading<W> {
    const NEW: Self = Self(PhantomData);
}

impl<'de, W: Wanted<'de>> DeserializeSeed<'de> for Reading<W> {
    type Value = Option<W::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, W: Wanted<'de>> Visitor<'de> for Reading<W> {
    type Value = Option<W::Value>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(W::text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(W::text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(W::truth(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(W::number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(number).ok().and_then(W::number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        W::object(object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        W::list(list)
    }
}

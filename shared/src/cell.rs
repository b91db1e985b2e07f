//! One cell of a table, as it is on the wire. A relative time is sent as an instant, so that the browser updates
//! the printed age without traffic.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::duration::{self, UnixSeconds};
use crate::go;
use crate::json::{self, Malformed, Number, Read, Reader};

/// On the wire: JSON's scalars as they are, times as objects: `{"age":1763690000}`,
/// `{"text":"3","at":1763690000}`, `{"start":1763690000,"end":1763690012}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Box<str>),
    /// Time since an instant; `None` is Kubernetes' zero time, `<unknown>`.
    Age(Option<UnixSeconds>),
    /// A text, then how long ago: a pod's `3 (5m ago)`.
    Ago(Box<Ago>),
    /// From an instant to another, or to now: a job's DURATION.
    Span(Box<Span>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ago {
    pub text: Box<str>,
    pub at: UnixSeconds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    pub start: UnixSeconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<UnixSeconds>,
}

impl Cell {
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// The text that kubectl prints for this cell at `now`, before any cutting or escaping.
    pub fn print(&self, now: UnixSeconds) -> String {
        match self {
            Self::Null => String::new(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => go::float(*value),
            Self::Text(text) => text.to_string(),
            Self::Age(None) => "<unknown>".to_owned(),
            Self::Age(Some(since)) => duration::age(*since, now),
            Self::Ago(ago) => format!("{} ({} ago)", ago.text, duration::age(ago.at, now)),
            Self::Span(span) => duration::human(span.end.unwrap_or(now).saturating_sub(span.start)),
        }
    }

    /// Whether its text changes as time passes.
    pub fn ticks(&self) -> bool {
        match self {
            Self::Age(since) => since.is_some(),
            Self::Ago(_) => true,
            Self::Span(span) => span.end.is_none(),
            _ => false,
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Age(since) => serializer.collect_map([("age", since)]),
            Self::Ago(ago) => ago.serialize(serializer),
            Self::Span(span) => span.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cell: null, a boolean, a number, a text, or an object with age, text and at, or start")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Cell, E> {
        Ok(Cell::Null)
    }
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Cell, E> {
        Ok(Cell::Bool(value))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Cell, E> {
        Ok(Cell::Int(value))
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Cell, E> {
        // What is no int64 is a float64 for Kubernetes.
        #[expect(clippy::cast_precision_loss, reason = "as Go reads it")]
        Ok(i64::try_from(value).map_or_else(|_| Cell::Float(value as f64), Cell::Int))
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Cell, E> {
        Ok(Cell::Float(value))
    }
    fn visit_str<E: de::Error>(self, value: &str) -> Result<Cell, E> {
        Ok(Cell::Text(value.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Cell, A::Error> {
        let time = Time::deserialize(MapAccessDeserializer::new(map))?;
        Cell::try_from(time).map_err(de::Error::custom)
    }
}

impl TryFrom<Time> for Cell {
    type Error = &'static str;

    fn try_from(time: Time) -> Result<Self, Self::Error> {
        match time {
            Time { age: Some(since), text: None, at: None, start: None, end: None } => Ok(Cell::Age(since)),
            Time { age: None, text: Some(text), at: Some(at), start: None, end: None } => {
                Ok(Cell::Ago(Box::new(Ago { text, at })))
            }
            Time { age: None, text: None, at: None, start: Some(start), end } => {
                Ok(Cell::Span(Box::new(Span { start, end })))
            }
            _ => Err("a cell of time needs age, or text and at, or start"),
        }
    }
}

/// The fields of the cells that are objects.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Time {
    /// `Some(None)` is `"age":null`, Kubernetes' zero time.
    #[serde(default, deserialize_with = "present")]
    age: Option<Option<UnixSeconds>>,
    text: Option<Box<str>>,
    at: Option<UnixSeconds>,
    start: Option<UnixSeconds>,
    end: Option<UnixSeconds>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<UnixSeconds>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl Read for Cell {
    #[inline(never)]
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        Ok(match json.peek() {
            Some(b'"') => Self::Text(Read::read(json)?),
            Some(b'{') => Time::read(json)?.try_into().map_err(|_| Malformed)?,
            Some(b'n') => json.null().map(|_| Self::Null)?,
            Some(b't' | b'f') => Self::Bool(json.boolean()?),
            _ => match json.number()? {
                // What is no int64 is a float64 for Kubernetes.
                #[expect(clippy::cast_precision_loss, reason = "as Go reads it")]
                Number::Positive(number) => {
                    i64::try_from(number).map_or_else(|_| Self::Float(number as f64), Self::Int)
                }
                Number::Negative(number) => Self::Int(number),
                Number::Float(number) => Self::Float(number),
            },
        })
    }
}

impl Read for Time {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let (mut age, mut text, mut at, mut start, mut end) = (None, None, None, None, None);
        json.object(&mut |json, name| match name {
            "age" => json.field(&mut age),
            "text" => json.field(&mut text),
            "at" => json.field(&mut at),
            "start" => json.field(&mut start),
            "end" => json.field(&mut end),
            _ => Err(Malformed),
        })?;
        let (text, at) = (text.unwrap_or_default(), at.unwrap_or_default());
        Ok(Self { age, text, at, start: start.unwrap_or_default(), end: end.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_reads_back_as_it_was_written_and_prints_as_kubectl_does() {
        let now = 1_763_690_300;
        for (json, printed) in [
            ("null", ""),
            ("true", "true"),
            ("3", "3"),
            ("1.5", "1.5"),
            ("1234567.5", "1.2345675e+06"),
            ("\"<none>\"", "<none>"),
            ("{\"age\":1763690000}", "5m"),
            ("{\"age\":null}", "<unknown>"),
            ("{\"text\":\"3\",\"at\":1763690000}", "3 (5m ago)"),
            ("{\"start\":1763690000,\"end\":1763690012}", "12s"),
            ("{\"start\":1763690000}", "5m"),
        ] {
            let cell: Cell = serde_json::from_str(json).expect(json);
            assert_eq!(serde_json::to_string(&cell).expect("json"), json);
            assert_eq!(cell.print(now), printed, "{json}");
        }
    }

    #[test]
    fn an_object_that_is_no_time_is_refused() {
        for json in ["{}", "{\"at\":1}", "{\"age\":1,\"at\":2}", "{\"colour\":1}", "[1]"] {
            assert!(serde_json::from_str::<Cell>(json).is_err(), "{json}");
        }
    }
}

//! How `kubectl -o custom-columns` writes a value: as Go's `%v` does, never more than a bound.

use std::fmt;

use serde_json::{Number, Value};

use crate::go::float;

/// A text that stops growing at its bound.
pub struct Clipped {
    text: String,
    bytes_max: usize,
    is_cut: bool,
}

/// Stands at the end of what was cut.
const CUT: char = '…';

impl Clipped {
    pub fn new(bytes_max: usize) -> Self {
        Self { text: String::new(), bytes_max, is_cut: false }
    }

    pub fn push(&mut self, text: &str) {
        if self.is_cut {
            return;
        }
        let room = self.bytes_max.saturating_sub(self.text.len());
        let end = text.floor_char_boundary(room.min(text.len()));
        self.text.push_str(text.get(..end).unwrap_or_default());
        self.is_cut = end < text.len();
    }

    /// There would be more.
    pub fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Strings as they are, `[a b]`, `map[a:1 b:2]`, `<nil>`.
    pub fn push_value(&mut self, value: &Value) {
        if self.is_cut {
            return;
        }
        match value {
            Value::Null => self.push("<nil>"),
            Value::Bool(value) => self.push(if *value { "true" } else { "false" }),
            Value::Number(number) => self.push(&print(number)),
            Value::String(text) => self.push(text),
            Value::Array(items) => {
                self.push("[");
                for (place, item) in items.iter().enumerate() {
                    self.push(if place > 0 { " " } else { "" });
                    self.push_value(item);
                }
                self.push("]");
            }
            Value::Object(fields) => {
                self.push("map[");
                for (place, (name, value)) in fields.iter().enumerate() {
                    self.push(if place > 0 { " " } else { "" });
                    self.push(name);
                    self.push(":");
                    self.push_value(value);
                }
                self.push("]");
            }
        }
    }

    pub fn finish(self) -> Box<str> {
        let mut text = self.text;
        if self.is_cut {
            text.push(CUT);
        }
        text.into()
    }
}

/// Kubernetes reads a number as an int64 where it is one, else as a float64.
fn print(number: &Number) -> String {
    match number.as_i64() {
        Some(whole) => whole.to_string(),
        None => number.as_f64().map_or_else(|| number.to_string(), float),
    }
}

impl fmt::Debug for Clipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clipped").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

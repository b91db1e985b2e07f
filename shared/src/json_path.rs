//! JSONPath as Kubernetes writes it (<https://kubernetes.io/docs/reference/kubectl/jsonpath/>): in
//! `kubectl -o custom-columns`, in the printer columns of a custom resource's definition, and in the
//! columns that a client asks for. A path that can't be read is refused in `kubectl`'s own words, with the
//! place. Here are the types; [`parse`] reads a path, [`select`] follows one.

mod go;
mod outline;
mod parse;
mod select;

use std::fmt;

use serde_json::Value;

pub use go::Clipped;
pub use outline::Outline;
pub use select::{Effort, Selected};

/// `.spec.containers[*].image`, read.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(Box<str>),
    /// An element of an array, counted from its end if negative.
    Index(i64),
    Slice(Slice),
    /// Every element of an array, every value of an object.
    All,
    /// `..`: the value, and all arrays and objects below it that aren't empty.
    Descend,
    /// `['a','b']`, `[0,2]`
    Union(Vec<Step>),
    Where(Condition),
}

/// `[start:end:step]`
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    step: usize,
}

/// `[?(@.type=="Ready")]`; without an operator the field must exist.
#[derive(Clone, Debug, PartialEq)]
struct Condition {
    left: JsonPath,
    compared: Option<(Comparison, Right)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug, PartialEq)]
enum Right {
    Literal(Value),
    Path(JsonPath),
}

/// Why a path can't be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// In `kubectl`'s words, where it refuses the same.
    pub message: String,
    /// In bytes of the given text.
    pub at: usize,
    /// In characters from 1, for messages.
    pub character: usize,
}

/// Steps of one path: the deepest field of a Pod has 12.
const STEPS_MAX: usize = 64;

impl JsonPath {
    /// Whether it leads to the whole object.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it names each step, and so chooses nothing by what the object holds.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.0.iter().all(|step| matches!(step, Step::Field(_) | Step::Index(_)))
    }

    /// Whether it may lead to this field, given by the names above it, or to a value that holds the field.
    #[must_use]
    pub fn may_lead_to(&self, names: &[&str]) -> bool {
        let named = self.0.iter().map_while(|step| match step {
            Step::Field(name) => Some(&**name),
            _ => None,
        });
        named.zip(names).all(|(name, other)| name == *other)
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at character {}", self.message, self.character)
    }
}

impl std::error::Error for PathError {}

#[cfg(test)]
mod tests;

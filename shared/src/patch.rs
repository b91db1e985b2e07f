//! A change of one object as a JSON Patch (RFC 6902) of three operations: `add`, `remove`, `replace`.
//! A merge patch would be shorter, but it can't say null, and repeats a whole list for one condition.
//! A patch that doesn't fit changes nothing.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::diff::{differences, keys};
use crate::json::{self, Malformed, Reader, words};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", try_from = "Read")]
pub enum Operation {
    Add { path: Box<str>, value: Value },
    Remove { path: Box<str> },
    Replace { path: Box<str>, value: Value },
}

/// An operation as it is read: serde reads a tagged one through a copy of each value.
#[derive(Deserialize)]
struct Read {
    op: Op,
    path: Box<str>,
    /// A missing value isn't null.
    #[serde(default, deserialize_with = "any_value")]
    value: Option<Value>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Op {
    Add,
    Remove,
    Replace,
}

impl TryFrom<Read> for Operation {
    type Error = &'static str;

    fn try_from(Read { op, path, value }: Read) -> Result<Self, Self::Error> {
        let value = value.ok_or("missing field `value`");
        Ok(match op {
            Op::Add => Self::Add { path, value: value? },
            Op::Remove => Self::Remove { path },
            Op::Replace => Self::Replace { path, value: value? },
        })
    }
}

/// The patch was made for another value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the patch doesn't fit at {path:?}")]
pub struct Misfit {
    pub path: Box<str>,
}

fn any_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The patch that leads from the old value to the new one.
pub fn between(old: &Value, new: &Value) -> Vec<Operation> {
    let operation = |path: String, old: Option<&Value>, new: Option<&Value>| {
        let path = path.into();
        match (old, new) {
            (Some(_), Some(new)) => Operation::Replace { path, value: new.clone() },
            (None, Some(new)) => Operation::Add { path, value: new.clone() },
            (_, None) => Operation::Remove { path },
        }
    };
    differences(old, new)
        .into_iter()
        .map(|difference| operation(difference.path, difference.old, difference.new))
        .collect()
}

/// Fails with [`Misfit`] if the patch was made for another value.
pub fn apply(value: &Value, patch: &[Operation]) -> Result<Value, Misfit> {
    let mut patched = value.clone();
    for operation in patch {
        let (Operation::Add { path, .. } | Operation::Remove { path } | Operation::Replace { path, .. }) =
            operation;
        apply_one(&mut patched, operation).ok_or_else(|| Misfit { path: path.clone() })?;
    }
    Ok(patched)
}

/// The fields that a patch replaces by the same value: masked values that changed, which is all that a client is
/// told.
pub fn unseen<'a>(value: &'a Value, patch: &'a [Operation]) -> impl Iterator<Item = &'a str> {
    patch.iter().filter_map(|operation| match operation {
        Operation::Replace { path, value: new } if value.pointer(path) == Some(new) => Some(&**path),
        _ => None,
    })
}

fn apply_one(root: &mut Value, operation: &Operation) -> Option<()> {
    match operation {
        Operation::Replace { path, value } => {
            *root.pointer_mut(path)? = value.clone();
        }
        Operation::Add { path, value } => match place(root, path)? {
            Place::Key(fields, key) => drop(fields.insert(key, value.clone())),
            Place::Index(items, index) if index <= items.len() => items.insert(index, value.clone()),
            Place::Index(..) => return None,
        },
        Operation::Remove { path } => match place(root, path)? {
            Place::Key(fields, key) => drop(fields.remove(&key)?),
            Place::Index(items, index) if index < items.len() => drop(items.remove(index)),
            Place::Index(..) => return None,
        },
    }
    Some(())
}

/// The place that a path's last key names.
enum Place<'a> {
    Key(&'a mut serde_json::Map<String, Value>, String),
    Index(&'a mut Vec<Value>, usize),
}

fn place<'a>(root: &'a mut Value, path: &str) -> Option<Place<'a>> {
    let (parent, _) = path.rsplit_once('/')?;
    let key = keys(path).last()?;
    match root.pointer_mut(parent)? {
        Value::Object(fields) => Some(Place::Key(fields, key)),
        Value::Array(items) => {
            // `-` is the place behind the last item.
            let index = if key == "-" { items.len() } else { key.parse().ok()? };
            Some(Place::Index(items, index))
        }
        _ => None,
    }
}

words! { Op: "add" => Add, "remove" => Remove, "replace" => Replace }

impl json::Read for Operation {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let (mut op, mut path, mut value) = (None, None, None);
        json.object(&mut |json, name| match name {
            "op" => json.field(&mut op),
            "path" => json.field(&mut path),
            // Null is a value, and a missing one isn't.
            "value" => json.field(&mut value),
            _ => json.skip(),
        })?;
        let (op, path) = (op.ok_or(Malformed)?, path.ok_or(Malformed)?);
        Self::try_from(Read { op, path, value }).map_err(|_| Malformed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-c/~]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c/~]{0,2}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn a_field_that_is_replaced_by_what_it_was_changed_unseen() {
        let patch: Vec<Operation> = serde_json::from_value(json!([
            {"op": "replace", "path": "/a", "value": 1},
            {"op": "replace", "path": "/b/0", "value": 2},
            {"op": "add", "path": "/c", "value": 3},
        ]))
        .expect("a patch");
        let value = json!({"a": 1, "b": [1], "c": 3});
        assert_eq!(unseen(&value, &patch).collect::<Vec<_>>(), ["/a"]);
    }

    proptest! {
        #[test]
        fn a_patch_that_was_written_and_read_leads_to_exactly_the_new_value(old in any_json(), new in any_json()) {
            let written = serde_json::to_string(&between(&old, &new)).expect("json");
            let read: Vec<Operation> = serde_json::from_str(&written).expect(&written);
            prop_assert_eq!(apply(&old, &read), Ok(new));
        }

        #[test]
        fn a_patch_for_another_value_is_a_misfit_or_a_value_but_never_a_panic(
            one in any_json(), two in any_json(), other in any_json(),
        ) {
            let _ = apply(&other, &between(&one, &two));
        }
    }

    #[test]
    fn a_patch_that_does_not_fit_says_where() {
        for (patch, path) in [
            (json!([{"op": "remove", "path": "/b"}]), "/b"),
            (json!([{"op": "replace", "path": "/a/9", "value": 1}]), "/a/9"),
            (json!([{"op": "add", "path": "/a/9", "value": 1}]), "/a/9"),
            (json!([{"op": "add", "path": "a", "value": 1}]), "a"),
        ] {
            let patch: Vec<Operation> = serde_json::from_value(patch).expect("a patch");
            assert_eq!(apply(&json!({"a": [1]}), &patch), Err(Misfit { path: path.into() }));
        }
    }

    #[test]
    fn an_operation_without_its_value_is_not_read() {
        assert!(serde_json::from_str::<Operation>(r#"{"op":"add","path":"/a"}"#).is_err());
        assert!(serde_json::from_str::<Operation>(r#"{"op":"add","path":"/a","value":null}"#).is_ok());
    }
}

//! The fields of a kubeconfig's tree. A field that is absent, `null` or empty is unset. An error names the field and never
//! shows its value, which may be a credential.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::problem::Problem;

use super::wrong;

/// One mapping of the tree, and where it stands: `users[me].user`.
pub(super) struct Fields<'a> {
    values: Option<&'a serde_json::Map<String, Value>>,
    at: String,
}

impl<'a> Fields<'a> {
    pub(super) fn of(value: &'a Value, at: impl Into<String>) -> Result<Self, Problem> {
        let at = at.into();
        match value {
            Value::Null => Ok(Self { values: None, at }),
            Value::Object(values) => Ok(Self { values: Some(values), at }),
            _ => Err(wrong(format!("`{at}` must be a mapping"))),
        }
    }

    fn get(&self, key: &str) -> &'a Value {
        self.values.and_then(|values| values.get(key)).unwrap_or(&Value::Null)
    }

    pub(super) fn path(&self, key: &str) -> String {
        if self.at.is_empty() { key.to_owned() } else { format!("{}.{key}", self.at) }
    }

    /// `None`: the mapping isn't there.
    pub(super) fn below(&self, key: &str) -> Result<Option<Fields<'a>>, Problem> {
        match self.get(key) {
            Value::Null => Ok(None),
            value => Fields::of(value, self.path(key)).map(Some),
        }
    }

    pub(super) fn value(&self, key: &str) -> Option<&'a Value> {
        Some(self.get(key)).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Result<String, Problem> {
        text(self.get(key), || self.path(key))
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool, Problem> {
        match self.get(key) {
            Value::Null => Ok(false),
            Value::Bool(set) => Ok(*set),
            _ => Err(wrong(format!("`{}` must be true or false", self.path(key)))),
        }
    }

    fn list(&self, key: &str) -> Result<&'a [Value], Problem> {
        match self.get(key) {
            Value::Null => Ok(&[]),
            Value::Array(values) => Ok(values),
            _ => Err(wrong(format!("`{}` must be a list", self.path(key)))),
        }
    }

    /// A list of mappings. Each error comes in its turn.
    pub(super) fn mappings(
        &self,
        key: &str,
    ) -> Result<impl Iterator<Item = Result<Fields<'a>, Problem>>, Problem> {
        let path = self.path(key);
        let entries = self.list(key)?.iter().enumerate();
        Ok(entries.map(move |(number, value)| Fields::of(value, format!("{path}[{number}]"))))
    }

    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, Problem> {
        self.list(key)?.iter().map(|value| text(value, || self.path(key))).collect()
    }

    /// A mapping of texts.
    pub(super) fn map(&self, key: &str) -> Result<BTreeMap<String, String>, Problem> {
        let Some(below) = self.below(key)? else { return Ok(BTreeMap::new()) };
        below.keys().map(|name| Ok((name.clone(), below.text(name)?))).collect()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a String> {
        self.values.into_iter().flat_map(serde_json::Map::keys)
    }
}

fn text(value: &Value, path: impl FnOnce() -> String) -> Result<String, Problem> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        _ => Err(wrong(format!("`{}` must be a text; put it in quotes", path()))),
    }
}

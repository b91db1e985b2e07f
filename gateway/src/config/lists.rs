//! The settings that are lists in the configuration file, and have no flag of their form.

use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use shared::problem::Problem;

use super::wrong;
use crate::feed::{HealthRow, WrittenRow};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoardLink {
    pub(super) name: String,
    pub(super) link: String,
}

/// An entry of the list `clusters` in the configuration file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ClusterSettings {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kubeconfig: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) context: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) in_cluster: bool,
}

/// An entry of the list `health` in the configuration file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HealthSettings {
    kind: String,
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "scalar")]
    value: Option<String>,
    class: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl HealthSettings {
    /// Fails with one sentence that says what to do.
    pub(super) fn row(&self) -> Result<HealthRow, Problem> {
        let Self { kind, path, value, class, why } = self;
        let written = WrittenRow { kind, path, value: value.as_deref(), class, why: why.as_deref() };
        HealthRow::read(&written).map_err(|sentence| wrong(format!("health: {sentence}")))
    }
}

/// YAML reads `true` and `3` as what they are.
fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Array(_) | Value::Object(_) => {
            Err(D::Error::custom("value is a text, a number, true or false"))
        }
        scalar => Ok(Some(scalar.to_string())),
    }
}

/// A text, or a list of them.
pub(super) fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let several = match Value::deserialize(deserializer)? {
        Value::String(one) => vec![Value::String(one)],
        Value::Array(several) => several,
        _ => return Err(D::Error::custom("context is a name, or a list of names")),
    };
    let text = |value| match value {
        Value::String(text) => Ok(text),
        _ => Err(D::Error::custom("context is a name, or a list of names")),
    };
    several.into_iter().map(text).collect()
}

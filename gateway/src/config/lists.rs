//! The settings that are lists in the configuration file, and have no flag of their form.

use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

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

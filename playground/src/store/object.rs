//! An object as it is kept: its JSON once, and the parts that every request needs.
//! It never changes; a new state is a new `Object`.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::body::{Body, Dictionary};
use crate::json;

/// An object at one resourceVersion. 100,000 of 15 KB fit, because only the text is kept.
#[derive(Clone, Debug)]
pub struct Object {
    pub key: String,
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub revision: u64,
    /// Shared by objects with equal labels, such as the pods of a deployment.
    pub labels: Arc<BTreeMap<String, String>>,
    /// JSON without kind and apiVersion, which differ between versions and lists.
    body: Body,
}

/// `namespace/name`, or the name alone: the order of every list.
pub fn key_of(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}

impl Object {
    /// An object whose JSON is known already, its resourceVersion in it.
    pub fn written(
        namespace: &str,
        name: &str,
        uid: String,
        labels: Arc<BTreeMap<String, String>>,
        revision: u64,
        json: String,
    ) -> Self {
        Self {
            key: key_of(namespace, name),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid,
            revision,
            labels,
            body: Body::Plain(Bytes::from(json)),
        }
    }

    /// Takes a whole object; kind and apiVersion are left aside, and the resourceVersion is set.
    pub fn new(mut value: Value, revision: u64) -> Self {
        json::remove(&mut value, &["kind"]);
        json::remove(&mut value, &["apiVersion"]);
        json::set(&mut value, &["metadata", "resourceVersion"], Value::String(revision.to_string()));
        let namespace = json::text(&value, "/metadata/namespace").to_owned();
        let name = json::text(&value, "/metadata/name").to_owned();
        Self {
            key: key_of(&namespace, &name),
            uid: json::text(&value, "/metadata/uid").to_owned(),
            labels: Arc::new(json::texts(&value, "/metadata/labels")),
            body: Body::Plain(Bytes::from(value.to_string())),
            namespace,
            name,
            revision,
        }
    }

    /// The JSON without kind and apiVersion.
    pub fn body(&self) -> Bytes {
        self.body.read()
    }

    /// What follows a head such as `{"kind":"Pod","apiVersion":"v1",`.
    pub fn tail(&self) -> Bytes {
        let body = self.body();
        body.slice(1.min(body.len())..)
    }

    /// The object read again, without kind and apiVersion.
    pub fn value(&self) -> Value {
        serde_json::from_slice(&self.body()).unwrap_or_default()
    }

    /// The same object, packed.
    pub fn packed(self, dictionary: &Arc<Dictionary>) -> Self {
        Self { body: self.body.packed(dictionary), ..self }
    }

    /// The same content under another resourceVersion: the last state in a DELETED event.
    pub fn at_revision(&self, revision: u64) -> Self {
        Self::new(self.value(), revision)
    }

    /// Bytes of its JSON.
    pub fn bytes(&self) -> usize {
        self.body.length()
    }

    /// Bytes that are kept for its JSON.
    pub fn kept_bytes(&self) -> usize {
        self.body.kept()
    }
}

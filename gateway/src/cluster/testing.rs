//! The playground as a test's cluster, and a custom resource to define in it.

use playground::Playground;
use serde_json::{Value, json};

use super::{Ceiling, Cluster, Source};
use crate::metrics::Metrics;

pub(crate) async fn connect(playground: &Playground) -> Cluster {
    let token = playground.token().map(str::to_owned);
    let source = Source::Url { url: playground.url(), token, certificate: None, name: "demo".into() };
    Cluster::connect(source, Ceiling::default(), Metrics::new()).await.expect("the playground answers")
}

/// The definition of `plural.example.org/v1`.
pub(crate) fn definition(plural: &str, scope: &str, is_served: bool) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.org")},
        "spec": {
            "group": "example.org", "scope": scope,
            "names": {"plural": plural, "singular": plural, "kind": plural, "listKind": format!("{plural}List")},
            "versions": [{"name": "v1", "served": is_served, "storage": true, "schema": schema}],
        },
    })
}

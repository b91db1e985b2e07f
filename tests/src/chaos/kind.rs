//! The three kinds whose objects the writer changes, one of them custom: their paths, their objects,
//! and a change that shows in the table. Never who writes or reads them.

use anyhow::Result;
use serde_json::{Value, json};
use shared::resource::Resource;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Pods,
    ConfigMaps,
    Beacons,
}

pub const NAMESPACE: &str = "chaos";

pub const DEFINITION: &str = r#"{
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "beacons.chaos.dogwatch.dev"},
  "spec": {
    "group": "chaos.dogwatch.dev", "scope": "Namespaced",
    "names": {"plural": "beacons", "singular": "beacon", "kind": "Beacon"},
    "versions": [{
      "name": "v1", "served": true, "storage": true,
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
        "properties": {"turns": {"type": "integer"}, "colour": {"type": "string"}}}}}},
      "additionalPrinterColumns": [
        {"name": "Turns", "type": "integer", "jsonPath": ".spec.turns"},
        {"name": "Colour", "type": "string", "jsonPath": ".spec.colour"}
      ]
    }]
  }
}"#;

impl Kind {
    pub const ALL: [Self; 3] = [Self::Pods, Self::ConfigMaps, Self::Beacons];

    pub fn plural(self) -> &'static str {
        match self {
            Self::Pods => "pods",
            Self::ConfigMaps => "configmaps",
            Self::Beacons => "beacons",
        }
    }

    pub fn resource(self) -> Result<Resource> {
        let group = if self == Self::Beacons { "chaos.dogwatch.dev" } else { "" };
        Ok(Resource::parse(group, "v1", self.plural())?)
    }

    /// The path of the list of the whole cluster.
    pub fn list_path(self) -> String {
        format!("{}/{}", self.root(), self.plural())
    }

    pub fn path(self) -> String {
        format!("{}/namespaces/{NAMESPACE}/{}", self.root(), self.plural())
    }

    fn root(self) -> &'static str {
        if self == Self::Beacons { "/apis/chaos.dogwatch.dev/v1" } else { "/api/v1" }
    }

    pub fn object(self, number: u64) -> Value {
        let metadata = json!({ "name": name(number), "labels": { "shard": shard(number) } });
        match self {
            Self::Pods => json!({ "metadata": metadata, "spec": {
                "nodeName": format!("node-{}", number % 8),
                "containers": [{ "name": "main", "image": "registry.example.com/main:1" }],
            } }),
            Self::ConfigMaps => json!({ "metadata": metadata, "data": { "value": "0" } }),
            Self::Beacons => json!({
                "apiVersion": "chaos.dogwatch.dev/v1", "kind": "Beacon",
                "metadata": metadata, "spec": { "turns": 0, "colour": "white" },
            }),
        }
    }

    /// Where a change goes, and the merge patch. It shows in a cell; those of the shard make objects
    /// enter and leave a view with a selector.
    pub fn change(self, number: u64, value: u64) -> (String, Value) {
        let path = format!("{}/{}", self.path(), name(number));
        let labels = json!({ "labels": { "shard": shard(value) } });
        match self {
            Self::Pods => (
                format!("{path}/status"),
                json!({ "status": { "phase": "Running", "containerStatuses": [{
                    "name": "main", "image": "main", "imageID": "main", "ready": value.is_multiple_of(2),
                    "restartCount": value, "state": { "running": {} },
                }] } }),
            ),
            Self::ConfigMaps => {
                let key = format!("key-{}", value % 5);
                let set = if value.is_multiple_of(2) { json!("set") } else { Value::Null };
                (path, json!({ "metadata": labels, "data": { "value": value.to_string(), key: set } }))
            }
            Self::Beacons => (path, json!({ "metadata": labels, "spec": { "turns": value } })),
        }
    }
}

pub fn name(number: u64) -> String {
    format!("object-{number:03}")
}

fn shard(value: u64) -> &'static str {
    if value.is_multiple_of(3) { "a" } else { "b" }
}

//! Two custom kinds with printer columns of every type, and their objects.

use serde_json::{Value, json};

use super::create;
use super::workload::{service, template};
use crate::fleet::Mutation;

struct Kind {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
    short: &'static str,
    columns: Value,
}

fn definition(kind: &Kind) -> Mutation {
    let names = json!({
        "kind": kind.kind, "listKind": format!("{}List", kind.kind), "plural": kind.plural,
        "singular": kind.kind.to_lowercase(), "shortNames": [kind.short], "categories": ["all"],
    });
    let mut value = json!({
        "metadata": {"name": format!("{}.{}", kind.plural, kind.group)},
        "spec": {
            "group": kind.group, "scope": "Namespaced", "names": names, "conversion": {"strategy": "None"},
            "versions": [{
                "name": kind.version, "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                "additionalPrinterColumns": kind.columns,
            }],
        },
    });
    let status = crate::crd::established(&value, "2025-01-01T00:00:00Z");
    crate::json::set(&mut value, &["status"], status);
    create("customresourcedefinitions.apiextensions.k8s.io", value)
}

pub(super) fn definitions() -> Vec<Mutation> {
    let certificates = Kind {
        group: "cert-manager.io",
        version: "v1",
        kind: "Certificate",
        plural: "certificates",
        short: "cert",
        columns: json!([
            {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
            {"name": "Secret", "type": "string", "jsonPath": ".spec.secretName"},
            {"name": "Issuer", "type": "string", "jsonPath": ".spec.issuerRef.name", "priority": 1},
            {"name": "Revision", "type": "integer", "jsonPath": ".status.revision"},
            {"name": "Issued", "type": "date", "jsonPath": ".status.notBefore"},
            {"name": "Status", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].message", "priority": 1},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ]),
    };
    let rollouts = Kind {
        group: "argoproj.io",
        version: "v1alpha1",
        kind: "Rollout",
        plural: "rollouts",
        short: "ro",
        columns: json!([
            {"name": "Desired", "type": "integer", "jsonPath": ".spec.replicas"},
            {"name": "Updated", "type": "integer", "jsonPath": ".status.updatedReplicas"},
            {"name": "Weight", "type": "number", "jsonPath": ".status.canary.weight"},
            {"name": "Paused", "type": "boolean", "jsonPath": ".status.controllerPause"},
            {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ]),
    };
    vec![definition(&certificates), definition(&rollouts)]
}

pub(super) fn certificate(namespace: &str, name: &str) -> Mutation {
    create(
        "certificates.cert-manager.io",
        json!({
            "metadata": {"name": name, "namespace": namespace, "labels": {"app.kubernetes.io/part-of": namespace}},
            "spec": {
                "secretName": name, "dnsNames": [format!("{name}.example.com")], "duration": "2160h",
                "issuerRef": {"name": "letsencrypt", "kind": "ClusterIssuer"},
            },
        }),
    )
}

pub(super) fn rollout(namespace: &str, name: &str) -> Vec<Mutation> {
    let image = format!("registry.example.com/{namespace}/{name}:v1.40.0");
    let rollout = json!({
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
        "spec": {
            "replicas": 4, "revisionHistoryLimit": 2, "selector": {"matchLabels": {"app": name}},
            "template": template(namespace, name, &image, "50m"),
            "strategy": {"canary": {"steps": [{"setWeight": 25}, {"setWeight": 50}, {"setWeight": 75}]}},
        },
    });
    vec![create("rollouts.argoproj.io", rollout), service(namespace, name, 80)]
}

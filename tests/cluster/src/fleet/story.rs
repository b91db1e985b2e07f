//! What moves: CronJobs, the autoscaler and its metric, the outage, and the objects of two custom kinds.

use serde_json::{Value, json};

use super::nodes;

/// Definitions first: kwok has stages for these kinds.
pub(super) fn definitions() -> Vec<Value> {
    let column = |name: &str, kind: &str, path: &str| json!({"name": name, "type": kind, "jsonPath": path});
    let wide = |mut column: Value| {
        if let Some(fields) = column.as_object_mut() {
            fields.insert("priority".to_owned(), json!(1));
        }
        column
    };
    let age = column("Age", "date", ".metadata.creationTimestamp");
    let ready = |field: &str| format!(".status.conditions[?(@.type==\"Ready\")].{field}");
    let certificates = json!([
        column("Ready", "string", &ready("status")),
        column("Secret", "string", ".spec.secretName"),
        wide(column("Issuer", "string", ".spec.issuerRef.name")),
        column("Revision", "integer", ".status.revision"),
        column("Issued", "date", ".status.notBefore"),
        wide(column("Status", "string", &ready("message"))),
        age,
    ]);
    let rollouts = json!([
        column("Desired", "integer", ".spec.replicas"),
        column("Updated", "integer", ".status.updatedReplicas"),
        column("Weight", "number", ".status.canary.weight"),
        column("Paused", "boolean", ".status.controllerPause"),
        column("Phase", "string", ".status.phase"),
        age,
    ]);
    vec![
        definition("cert-manager.io", "v1", ["Certificate", "certificates", "cert"], certificates),
        definition("argoproj.io", "v1alpha1", ["Rollout", "rollouts", "ro"], rollouts),
        // Where an adapter's API server would stand: a metric is a list of such values by its name.
        definition(
            "external.metrics.k8s.io",
            "v1beta1",
            ["ExternalMetricValue", METRIC, "rps"],
            json!([column("Value", "string", ".value"), age]),
        ),
    ]
}

fn definition(group: &str, version: &str, [kind, plural, short]: [&str; 3], columns: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            "annotations": {"api-approved.kubernetes.io": "unapproved, for a fleet on loopback"},
        },
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {
                "kind": kind, "listKind": format!("{kind}List"), "plural": plural,
                "singular": kind.to_lowercase(), "shortNames": [short], "categories": ["all"],
            },
            "versions": [{
                "name": version, "served": true, "storage": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                "additionalPrinterColumns": columns,
            }],
        },
    })
}

pub(super) fn all() -> Vec<Value> {
    let mut items = vec![
        cron("batch", "reports", json!({"backoffLimit": 1}), "sometimes"),
        // Pods that come and go.
        cron("batch", "thumbnails", json!({"completions": 6, "parallelism": 3}), "never"),
        autoscaler(),
        metric(),
        outage(),
        ingress(),
    ];
    for (namespace, name) in [("payments", "payments-tls"), ("shop", "cart-tls"), ("shop", "storefront-tls")]
    {
        items.push(certificate(namespace, name));
    }
    items.extend([rollout("payments", "checkout"), rollout("shop", "search")]);
    items
}

fn cron(namespace: &str, name: &str, mut job: Value, fails: &str) -> Value {
    let labels = json!({"app": name, "team": namespace, "fleet.dogwatch.dev/fails": fails});
    let resources = json!({"requests": {"cpu": "200m", "memory": "128Mi"}});
    let image = format!("registry.example.com/{namespace}/{name}:v1.1.0");
    if let Some(fields) = job.as_object_mut() {
        let pod = json!({
            "restartPolicy": "Never",
            "containers": [{"name": name, "image": image, "resources": resources}],
        });
        fields.insert("template".to_owned(), json!({"metadata": {"labels": labels}, "spec": pod}));
    }
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name, "team": namespace}},
        "spec": {
            "schedule": "* * * * *", "concurrencyPolicy": "Forbid",
            "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 2,
            "jobTemplate": {"spec": job},
        },
    })
}

fn autoscaler() -> Value {
    let target = json!({"type": "AverageValue", "averageValue": "20"});
    json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 3, "maxReplicas": 12,
            "metrics": [{"type": "External", "external": {"metric": {"name": METRIC}, "target": target}}],
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}},
        },
    })
}

fn metric() -> Value {
    json!({
        "apiVersion": "external.metrics.k8s.io/v1beta1", "kind": "ExternalMetricValue",
        "metadata": {"name": "web", "namespace": "shop"},
        "metricName": METRIC, "metricLabels": {"app": "web"}, "value": "60", "timestamp": "2026-01-01T00:00:00Z",
    })
}

fn outage() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "outage", "namespace": "kube-system", "labels": {"fleet.dogwatch.dev/story": "outage"},
        },
        "data": {"node": nodes::doomed(), "kubelet": "answers"},
    })
}

fn ingress() -> Value {
    let backend = json!({"service": {"name": "storefront", "port": {"name": "http"}}});
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"name": "storefront", "namespace": "shop"},
        "spec": {
            "ingressClassName": "nginx",
            "tls": [{"hosts": ["shop.example.com"], "secretName": "storefront-tls"}],
            "rules": [{
                "host": "shop.example.com",
                "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]},
            }],
        },
    })
}

fn certificate(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "cert-manager.io/v1", "kind": "Certificate",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "secretName": name, "dnsNames": [format!("{name}.example.com")], "duration": "2160h",
            "issuerRef": {"name": "letsencrypt", "kind": "ClusterIssuer"},
        },
    })
}

fn rollout(namespace: &str, name: &str) -> Value {
    let steps = json!([{"setWeight": 20}, {"setWeight": 50}, {"setWeight": 100}]);
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
        "spec": {
            "replicas": 4, "version": "v1.0.0", "selector": {"matchLabels": {"app": name}},
            "strategy": {"canary": {"steps": steps}},
        },
    })
}

/// What kwok must find published when it starts.
pub(super) const SCHEMAS: [&str; 3] = [
    "/openapi/v3/apis/cert-manager.io/v1",
    "/openapi/v3/apis/argoproj.io/v1alpha1",
    "/openapi/v3/apis/external.metrics.k8s.io/v1beta1",
];

const METRIC: &str = "requests-per-second";

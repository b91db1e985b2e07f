//! The roles and bindings that every cluster has from its start, as far as they concern who reads:
//! `cluster-admin`, `admin`, `edit`, `view`, and what everybody may ask. Data alone.

use serde_json::{Value, json};

const ROLES: &str = "clusterroles.rbac.authorization.k8s.io";
const BINDINGS: &str = "clusterrolebindings.rbac.authorization.k8s.io";
const READ: &[&str] = &["get", "list", "watch"];
const WRITE: &[&str] = &["create", "delete", "deletecollection", "patch", "update"];

/// API group and the resources of it that a person may see in a namespace; no Secrets.
const VIEWED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "configmaps",
            "endpoints",
            "events",
            "limitranges",
            "namespaces",
            "namespaces/status",
            "persistentvolumeclaims",
            "persistentvolumeclaims/status",
            "pods",
            "pods/log",
            "pods/status",
            "replicationcontrollers",
            "replicationcontrollers/scale",
            "resourcequotas",
            "resourcequotas/status",
            "serviceaccounts",
            "services",
            "services/status",
        ],
    ),
    (
        "apps",
        &[
            "controllerrevisions",
            "daemonsets",
            "daemonsets/status",
            "deployments",
            "deployments/scale",
            "deployments/status",
            "replicasets",
            "replicasets/scale",
            "replicasets/status",
            "statefulsets",
            "statefulsets/scale",
            "statefulsets/status",
        ],
    ),
    ("autoscaling", &["horizontalpodautoscalers", "horizontalpodautoscalers/status"]),
    ("batch", &["cronjobs", "cronjobs/status", "jobs", "jobs/status"]),
    ("discovery.k8s.io", &["endpointslices"]),
    ("networking.k8s.io", &["ingresses", "ingresses/status", "networkpolicies"]),
    ("policy", &["poddisruptionbudgets", "poddisruptionbudgets/status"]),
];

const DISCOVERY: &[&str] = &[
    "/api",
    "/api/*",
    "/apis",
    "/apis/*",
    "/healthz",
    "/livez",
    "/openapi",
    "/openapi/*",
    "/readyz",
    "/version",
    "/version/",
];
const PUBLIC: &[&str] = &["/healthz", "/livez", "/readyz", "/version", "/version/"];

/// Resources and the objects of them, to be created at the start.
pub fn default_objects() -> Vec<(&'static str, Value)> {
    vec![
        (ROLES, role("cluster-admin", &[], &everything())),
        (ROLES, aggregate("admin", "admin", Some("admin"))),
        (ROLES, aggregate("edit", "edit", Some("admin"))),
        (ROLES, aggregate("view", "view", Some("edit"))),
        (ROLES, role("system:aggregate-to-admin", &["admin"], &[secrets(&[READ, WRITE].concat())])),
        (ROLES, role("system:aggregate-to-edit", &["edit"], &edited())),
        (ROLES, role("system:aggregate-to-view", &["view"], &viewed(READ))),
        (ROLES, role("system:discovery", &[], &[paths(DISCOVERY)])),
        (ROLES, role("system:public-info-viewer", &[], &[paths(PUBLIC)])),
        (ROLES, role("system:basic-user", &[], &reviews())),
        (BINDINGS, binding("cluster-admin", &["system:masters"])),
        (BINDINGS, binding("system:discovery", &["system:authenticated"])),
        (BINDINGS, binding("system:basic-user", &["system:authenticated"])),
        (BINDINGS, binding("system:public-info-viewer", &["system:authenticated", "system:unauthenticated"])),
    ]
}

fn everything() -> [Value; 2] {
    [
        json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}),
        json!({"nonResourceURLs": ["*"], "verbs": ["*"]}),
    ]
}

fn viewed(verbs: &[&str]) -> Vec<Value> {
    VIEWED
        .iter()
        .map(|(group, resources)| json!({"apiGroups": [group], "resources": resources, "verbs": verbs}))
        .collect()
}

fn edited() -> Vec<Value> {
    let mut rules = viewed(WRITE);
    rules.push(secrets(&[READ, WRITE].concat()));
    rules
}

fn secrets(verbs: &[&str]) -> Value {
    json!({"apiGroups": [""], "resources": ["secrets"], "verbs": verbs})
}

fn paths(paths: &[&str]) -> Value {
    json!({"nonResourceURLs": paths, "verbs": ["get"]})
}

fn reviews() -> [Value; 2] {
    [
        json!({
            "apiGroups": ["authorization.k8s.io"], "verbs": ["create"],
            "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        }),
        json!({"apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"], "verbs": ["create"]}),
    ]
}

fn aggregated_to(name: &str) -> String {
    format!("rbac.authorization.k8s.io/aggregate-to-{name}")
}

fn metadata(name: &str, into: &[&str]) -> Value {
    let mut labels = json!({"kubernetes.io/bootstrapping": "rbac-defaults"});
    for role in into {
        crate::json::set(&mut labels, &[&aggregated_to(role)], json!("true"));
    }
    json!({
        "name": name, "labels": labels,
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    })
}

fn role(name: &str, into: &[&str], rules: &[Value]) -> Value {
    json!({"metadata": metadata(name, into), "rules": rules})
}

/// A role made of all that are labelled for it, and itself part of another one.
fn aggregate(name: &str, of: &str, into: Option<&str>) -> Value {
    let into: Vec<&str> = into.into_iter().filter(|into| *into != name).collect();
    json!({
        "metadata": metadata(name, &into), "rules": [],
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {aggregated_to(of): "true"}}]},
    })
}

fn binding(role: &str, groups: &[&str]) -> Value {
    let subjects: Vec<Value> = groups
        .iter()
        .map(|group| json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}))
        .collect();
    json!({
        "metadata": metadata(role, &[]), "subjects": subjects,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
    })
}

//! Roles and bindings, secrets, and what guards the namespaces.

use serde_json::{Value, json};

use super::create;
use crate::fleet::Mutation;

const TEAMS: &[&str] = &["ledger", "observability", "payments", "shop"];

pub(super) fn all() -> Vec<Mutation> {
    let mut done = vec![
        role("cluster-admin", json!(["*"]), json!(["*"]), json!(["*"])),
        role(
            "view",
            json!(["", "apps", "batch"]),
            json!(["pods", "deployments", "jobs"]),
            json!(["get", "list", "watch"]),
        ),
        binding("", "cluster-admins", "cluster-admin", "platform"),
    ];
    for team in TEAMS {
        done.push(binding(team, &format!("{team}-view"), "view", &format!("{team}-team")));
        done.push(secret(
            team,
            "registry-credentials",
            "kubernetes.io/dockerconfigjson",
            json!({".dockerconfigjson": "e30="}),
        ));
        done.push(network_policy(
            team,
            "default-deny",
            json!({"podSelector": {}, "policyTypes": ["Ingress"]}),
        ));
        done.push(network_policy(
            team,
            "allow-same-namespace",
            json!({"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": {}}]}]}),
        ));
        done.push(quota(team));
    }
    done
}

fn role(name: &str, groups: Value, resources: Value, verbs: Value) -> Mutation {
    let rules = json!([{"apiGroups": groups, "resources": resources, "verbs": verbs}]);
    create("clusterroles.rbac.authorization.k8s.io", json!({"metadata": {"name": name}, "rules": rules}))
}

fn binding(namespace: &str, name: &str, role: &str, group: &str) -> Mutation {
    let mut value = json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
    });
    if namespace.is_empty() {
        return create("clusterrolebindings.rbac.authorization.k8s.io", value);
    }
    crate::json::set(&mut value, &["metadata", "namespace"], json!(namespace));
    create("rolebindings.rbac.authorization.k8s.io", value)
}

fn secret(namespace: &str, name: &str, kind: &str, keys: Value) -> Mutation {
    create("secrets", json!({"metadata": {"name": name, "namespace": namespace}, "type": kind, "data": keys}))
}

fn network_policy(namespace: &str, name: &str, spec: Value) -> Mutation {
    let value = json!({"metadata": {"name": name, "namespace": namespace}, "spec": spec});
    create("networkpolicies.networking.k8s.io", value)
}

fn quota(namespace: &str) -> Mutation {
    create(
        "limitranges",
        json!({
            "metadata": {"name": "defaults", "namespace": namespace},
            "spec": {"limits": [{"type": "Container", "defaultRequest": {"cpu": "50m", "memory": "64Mi"}}]},
        }),
    )
}

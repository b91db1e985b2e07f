//! The workloads: what six teams and the cluster itself run, about 150 pods.

use serde_json::{Value, json};

use Kind::{DaemonSet, Deployment, StatefulSet};

/// What is declared for one app; everything else follows from it.
struct App {
    namespace: &'static str,
    name: &'static str,
    kind: Kind,
    replicas: u32,
    character: Character,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Deployment,
    StatefulSet,
    DaemonSet,
}

#[derive(Clone, Copy, PartialEq)]
enum Character {
    Calm,
    /// What goes wrong with its pods: a label that `fleet/faults.yaml` reads.
    Fault(&'static str),
    /// What happens to it as a whole: a label that `fleet/story.yaml` reads.
    Story(&'static str),
    /// Has an init container.
    Migrates,
    /// An autoscaler decides how many there are.
    Scaled,
}

const CALM: Character = Character::Calm;

pub(super) const NAMESPACES: [&str; 6] = ["batch", "ledger", "observability", "payments", "platform", "shop"];

const APPS: [App; 28] = [
    app("payments", "payments-api", Deployment, 8, Character::Migrates),
    app("payments", "fraud-check", Deployment, 4, Character::Fault("probe")),
    app("payments", "gateway", Deployment, 6, CALM),
    app("payments", "redis", StatefulSet, 3, CALM),
    app("shop", "storefront", Deployment, 8, Character::Story("rolls")),
    app("shop", "cart", Deployment, 6, CALM),
    app("shop", "catalog", Deployment, 8, CALM),
    app("shop", "recommendations", Deployment, 2, Character::Fault("crash-loop")),
    app("shop", "web", Deployment, 3, Character::Scaled),
    app("ledger", "ledger-writer", Deployment, 4, CALM),
    app("ledger", "ledger-reader", Deployment, 8, CALM),
    app("ledger", "postgres", StatefulSet, 3, CALM),
    app("ledger", "statements", Deployment, 2, Character::Fault("out-of-memory")),
    app("observability", "grafana", Deployment, 2, CALM),
    app("observability", "prometheus", StatefulSet, 2, CALM),
    app("observability", "loki", StatefulSet, 3, CALM),
    app("observability", "node-exporter", DaemonSet, 0, CALM),
    app("observability", "otel-collector", DaemonSet, 0, CALM),
    app("batch", "worker", Deployment, 12, CALM),
    app("batch", "importer", Deployment, 1, Character::Fault("image-pull")),
    app("batch", "scheduler", Deployment, 2, CALM),
    app("platform", "ingress", Deployment, 6, CALM),
    app("platform", "cert-manager", Deployment, 3, CALM),
    app("platform", "argo-rollouts", Deployment, 2, CALM),
    app("platform", "registry", StatefulSet, 1, CALM),
    app("kube-system", "coredns", Deployment, 2, CALM),
    app("kube-system", "kube-proxy", DaemonSet, 0, CALM),
    app("kube-system", "cilium", DaemonSet, 0, CALM),
];

pub(super) fn namespaces() -> Vec<Value> {
    let namespace =
        |name: &&str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    NAMESPACES.iter().map(namespace).collect()
}

pub(super) fn all() -> Vec<Value> {
    let mut items = vec![json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "disks.fleet.dogwatch.dev", "volumeBindingMode": "WaitForFirstConsumer",
    })];
    for app in &APPS {
        items.push(configuration(app));
        if app.kind != DaemonSet {
            items.push(service(app));
        }
        if app.kind == Deployment && app.replicas >= 6 {
            items.push(budget(app));
        }
        items.push(workload(app));
    }
    items
}

const fn app(
    namespace: &'static str,
    name: &'static str,
    kind: Kind,
    replicas: u32,
    character: Character,
) -> App {
    App { namespace, name, kind, replicas, character }
}

fn metadata(app: &App) -> Value {
    let mut labels = json!({"app": app.name, "team": app.namespace});
    if let Character::Story(story) = app.character {
        set(&mut labels, "fleet.dogwatch.dev/story", json!(story));
    }
    json!({"name": app.name, "namespace": app.namespace, "labels": labels})
}

fn configuration(app: &App) -> Value {
    let mut metadata = metadata(app);
    set(&mut metadata, "name", json!(format!("{}-config", app.name)));
    let lines = format!("name: {}\nlisten: 0.0.0.0:8080\nlog: info\n", app.name);
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"config.yaml": lines}})
}

fn service(app: &App) -> Value {
    let mut spec = json!({
        "selector": {"app": app.name},
        "ports": [{"name": "http", "port": 80, "targetPort": "http"}],
    });
    if app.kind == StatefulSet {
        set(&mut spec, "clusterIP", json!("None"));
    }
    json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata(app), "spec": spec})
}

fn budget(app: &App) -> Value {
    let spec = json!({"maxUnavailable": 1, "selector": {"matchLabels": {"app": app.name}}});
    json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata(app), "spec": spec})
}

fn workload(app: &App) -> Value {
    let mut spec = json!({
        "selector": {"matchLabels": {"app": app.name}},
        "template": template(app),
        "revisionHistoryLimit": 2,
    });
    if app.kind != DaemonSet && app.character != Character::Scaled {
        set(&mut spec, "replicas", json!(app.replicas));
    }
    let kind = match app.kind {
        Deployment => {
            set(&mut spec, "strategy", json!({"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}}));
            "Deployment"
        }
        StatefulSet => {
            set(&mut spec, "serviceName", json!(app.name));
            let claim = json!([{
                "metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}},
            }]);
            set(&mut spec, "volumeClaimTemplates", claim);
            "StatefulSet"
        }
        DaemonSet => "DaemonSet",
    };
    json!({"apiVersion": "apps/v1", "kind": kind, "metadata": metadata(app), "spec": spec})
}

fn template(app: &App) -> Value {
    let image = format!("registry.example.com/{}/{}:v1.1.0", app.namespace, app.name);
    let mut labels = json!({"app": app.name, "team": app.namespace});
    let mut container = json!({
        "name": app.name, "image": image,
        "env": [{"name": "LOG_LEVEL", "value": "info"}, {"name": "REGION", "value": "eu1"}],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app"}],
    });
    if app.kind != DaemonSet {
        // On the network of the host they would fight for the port.
        set(&mut container, "ports", json!([{"name": "http", "containerPort": 8080}]));
        set(&mut container, "readinessProbe", json!({"httpGet": {"path": "/ready", "port": "http"}}));
    }
    if app.kind == StatefulSet {
        push(&mut container, "volumeMounts", json!({"name": "data", "mountPath": "/var/lib/data"}));
    }
    let mut spec = json!({
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": format!("{}-config", app.name)}}],
    });
    if app.kind == DaemonSet {
        set(&mut spec, "hostNetwork", json!(true));
        set(&mut spec, "tolerations", json!([{"operator": "Exists"}]));
        set(&mut spec, "priorityClassName", json!("system-node-critical"));
    }
    match app.character {
        Character::Fault(fault) => set(&mut labels, "fleet.dogwatch.dev/fault", json!(fault)),
        Character::Migrates => {
            let command = json!(["/app/migrate", "--wait"]);
            set(
                &mut spec,
                "initContainers",
                json!([{"name": "migrate", "image": image, "command": command}]),
            );
        }
        Character::Calm | Character::Scaled | Character::Story(_) => {}
    }
    json!({"metadata": {"labels": labels}, "spec": spec})
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

fn push(object: &mut Value, name: &str, value: Value) {
    if let Some(items) = object.get_mut(name).and_then(Value::as_array_mut) {
        items.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_app_lives_in_a_namespace_that_exists() {
        for app in &APPS {
            let known = NAMESPACES.contains(&app.namespace) || app.namespace == "kube-system";
            assert!(known, "{} is in {}", app.name, app.namespace);
        }
    }
}

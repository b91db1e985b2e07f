//! The pod of the benchmarks: two containers and an init container, about 15.4 KB as the API server
//! stores it, 40 % of that managedFields, its status written by a second manager.

use serde_json::{Value, json};

pub const NAMESPACE: &str = "bench";

pub fn name(number: usize) -> String {
    format!("checkout-api-{:09x}-{:05x}", (number / 10).wrapping_mul(0x9e37_79b9) & 0xf_ffff_ffff, number)
}

pub fn pod(number: usize) -> Value {
    let labels: serde_json::Map<String, Value> = (0..12)
        .map(|place| {
            (format!("example.com/label-{place:02}"), json!(format!("value-{}", number % (place + 2))))
        })
        .collect();
    let annotations: serde_json::Map<String, Value> = (0..23)
        .map(|place| (format!("example.com/annotation-{place:02}"), json!("0123456789abcdef".repeat(6))))
        .collect();
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name(number), "namespace": NAMESPACE, "labels": labels, "annotations": annotations },
        "spec": {
            "nodeName": format!("node-{:03}", number % 100),
            "initContainers": [container("migrate", 4)],
            "containers": [container("api", 16), container("proxy", 10)],
            "tolerations": [
                { "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 },
                { "key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 },
            ],
        },
    })
}

fn container(name: &str, variables: usize) -> Value {
    let env: Vec<Value> = (0..variables)
        .map(|place| json!({ "name": format!("SETTING_{place:02}"), "value": format!("value-of-{name}-{place:02}") }))
        .collect();
    let probe = json!({ "httpGet": { "path": "/healthz", "port": 8080, "scheme": "HTTP" }, "periodSeconds": 10, "timeoutSeconds": 2 });
    let mut container = json!({
        "name": name,
        "image": format!("registry.example.com/team/{name}:1.42.7"),
        "args": ["--listen=0.0.0.0:8080", "--log-format=json", "--shutdown-grace=20s"],
        "env": env,
        "ports": [{ "name": "http", "containerPort": 8080, "protocol": "TCP" }],
        "resources": { "requests": { "cpu": "100m", "memory": "128Mi" }, "limits": { "cpu": "1", "memory": "512Mi" } },
    });
    if name != "migrate" {
        for kind in ["livenessProbe", "readinessProbe"] {
            container[kind] = probe.clone();
        }
    }
    container
}

/// What the kubelet's manager writes; `restarts` is the cell that the latency run changes.
pub fn status(number: usize, restarts: u64) -> Value {
    let state = |name: &str, count: u64| {
        json!({
            "name": name,
            "image": format!("registry.example.com/team/{name}:1.42.7"),
            "imageID": format!("registry.example.com/team/{name}@sha256:{}", "0123456789abcdef".repeat(4)),
            "containerID": format!("containerd://{}", "fedcba9876543210".repeat(4)),
            "ready": true, "started": true, "restartCount": count,
            "state": { "running": { "startedAt": "2026-01-01T00:00:00Z" } },
        })
    };
    let condition = |kind: &str| json!({ "type": kind, "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "lastProbeTime": null });
    let conditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]
        .map(condition);
    let ip = format!("10.{}.{}.{}", 40 + number / 62_500, number / 250 % 250, number % 250 + 1);
    json!({ "status": {
        "phase": "Running",
        "hostIP": "10.0.0.1",
        "podIP": ip,
        "podIPs": [{ "ip": ip }],
        "qosClass": "Burstable",
        "startTime": "2026-01-01T00:00:00Z",
        "conditions": conditions,
        "containerStatuses": [state("api", restarts), state("proxy", 0)],
    } })
}

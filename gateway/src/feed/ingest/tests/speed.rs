//! What one event costs, printed for whoever asks with `--nocapture` in a release build; nothing
//! is asserted about time, for a shared machine has none to promise.

use std::time::Instant;

use super::*;

/// Two containers and an init container, 40 % of it managedFields: about 10 KB as an event.
fn pod() -> Value {
    let container = |name: &str| {
        let environment: Vec<Value> = (0..24)
            .map(|n| json!({"name": format!("VARIABLE_{n}"), "value": format!("value-{n}")}))
            .collect();
        json!({
            "name": name, "image": "registry.example.com/shop/cart:1.2.3", "env": environment,
            "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
            "volumeMounts": [{"name": "data", "mountPath": "/data"}, {"name": "token", "mountPath": "/var/run/secrets", "readOnly": true}],
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10},
            "terminationMessagePath": "/dev/termination-log", "imagePullPolicy": "IfNotPresent",
        })
    };
    let fields: serde_json::Map<String, Value> = (0..75)
        .map(|n| (format!("f:a-field-that-is-managed-{n}"), json!({".": {}, "f:value": {}})))
        .collect();
    let status = |name: &str| {
        json!({"name": name, "ready": true, "restartCount": 3, "image": "registry.example.com/shop/cart:1.2.3",
        "state": {"running": {"startedAt": "2026-11-21T02:43:01Z"}},
        "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2026-11-21T02:42:01Z", "startedAt": "2026-11-21T02:41:01Z"}}})
    };
    json!({
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": "cart-7d9f-x2x4", "namespace": "shop", "uid": "0c2b5a0e-54a6-4f5e-9b41-3a8f5d1f0f11",
            "resourceVersion": "884129317", "creationTimestamp": "2026-11-21T02:40:01Z",
            "labels": {"app": "cart", "pod-template-hash": "7d9f", "tier": "backend"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "cart-7d9f", "uid": "u", "controller": true}],
            "managedFields": [{"manager": "kubelet", "operation": "Update", "fieldsV1": fields}]},
        "spec": {"containers": [container("cart"), container("proxy")], "initContainers": [container("setup")]},
        "status": {"phase": "Running", "containerStatuses": [status("cart"), status("proxy")]},
    })
}

#[test]
fn an_event_of_ten_kilobytes_is_read_and_its_cost_printed() {
    const ROUNDS: u32 = 3_000;
    let columns: Vec<(&str, &str)> =
        ["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"]
            .map(|name| (name, "string"))
            .to_vec();
    let cells = json!([
        "cart-7d9f-x2x4",
        "2/2",
        "Running",
        "6 (2m ago)",
        "5m",
        "10.0.0.1",
        "node-1",
        "<none>",
        "<none>"
    ]);
    let mut value = event("MODIFIED", &table(&columns, cells, &pod())).to_vec();
    value.push(b'\n');
    let mut decoder = decoder("v1/pods");
    let mut splitter = Splitter::default();
    let (mut splitting, mut decoding) = (0, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        splitter.push(&value);
        let Some(Piece::Value(piece)) = splitter.next_piece() else { panic!("a value") };
        let split = Instant::now();
        let object = put(decoder.event(&piece).expect("an event"));
        decoding += split.elapsed().as_nanos();
        splitting += (split - start).as_nanos();
        assert!(matches!(object.row.cells.get(3), Some(shared::cell::Cell::Ago(_))));
    }
    let mean = |total: u128| total as f64 / f64::from(ROUNDS) / 1_000.0;
    println!(
        "{} bytes an event: splitting {:.1} µs, decoding and redacting {:.1} µs",
        value.len(),
        mean(splitting),
        mean(decoding)
    );
}

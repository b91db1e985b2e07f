//! Tests of the facts: what a person looks for in `kubectl describe` is there, in their words.

use serde_json::json;

use super::*;
use crate::limits::{PANEL_FIELDS_MAX, PANEL_VALUE_CHARACTERS_MAX};
use crate::messages::Zone;

const NOW: Now = Now { ms: 1_795_228_981_000, cluster_s: 1_795_228_981, zone: Zone::UTC };

fn said(object: &Value) -> Vec<String> {
    let fact = |fact: &Fact| {
        let link = fact.link.as_ref().map_or_else(String::new, |to| format!(" -> {}", to.kind));
        format!(
            "{}: {}{}{link}",
            fact.label,
            fact.value,
            if fact.note.is_empty() { String::new() } else { format!(" ({})", fact.note) }
        )
    };
    overview(object, NOW).facts.iter().map(fact).collect()
}

fn check(object: &Value, expected: &[&str]) {
    let said = said(object);
    for line in expected {
        assert!(said.iter().any(|fact| fact == line), "{line:?} isn't among {said:#?}");
    }
}

fn pod() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "a", "namespace": "shop", "creationTimestamp": "2026-11-21T02:22:01Z",
            "labels": {"app": "cart", "tier": "api"}, "annotations": {"note": "safe\u{202e}txt.exe"},
            "finalizers": ["example.com/hold"]},
        "spec": {"nodeName": "n1", "volumes": [{"name": "config", "configMap": {"name": "cfg"}},
            {"name": "all", "projected": {"sources": [{"secret": {"name": "keys"}}]}},
            {"name": "data", "persistentVolumeClaim": {"claimName": "disk"}}, {"name": "tmp", "emptyDir": {}}],
            "initContainers": [
                {"name": "setup", "image": "busybox"},
                {"name": "mesh", "image": "envoy", "restartPolicy": "Always"}],
            "containers": [
                {"name": "app", "image": "cart:1", "ports": [{"containerPort": 8080}],
                 "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "64Mi"}}},
                {"name": "proxy", "image": "envoy:1"}]},
        "status": {"podIP": "10.0.0.1", "qosClass": "Burstable",
            "initContainerStatuses": [{"name": "setup", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}],
            "containerStatuses": [
                {"name": "proxy", "ready": true, "restartCount": 0, "state": {"running": {}}},
                {"name": "app", "ready": false, "restartCount": 8,
                 "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                 "lastState": {"terminated": {"exitCode": 1, "reason": "Error",
                    "startedAt": "2026-11-21T02:38:23Z", "finishedAt": "2026-11-21T02:38:32Z"}}}]},
    })
}

#[test]
fn a_pod_says_where_it_runs_and_what_it_is_made_of() {
    check(
        &pod(),
        &[
            "Node: n1 -> Node",
            "Pod IP: 10.0.0.1",
            "QoS class: Burstable",
            "Images: cart:1 (app)",
            ": envoy:1 (proxy)",
            "Created: 02:22:01, 21m ago",
            "Labels: app=cart tier=api",
            "Volumes: ConfigMap cfg (config) -> ConfigMap",
            ": Secret keys (all)",
            ": PersistentVolumeClaim disk (data) -> PersistentVolumeClaim",
        ],
    );
}

#[test]
fn a_container_says_how_it_stands_and_how_it_ended_before() {
    let found = containers(&pod(), NOW);
    let names: Vec<(&str, &str, Class)> =
        found.iter().map(|container| (&*container.name, container.role.word(), container.class)).collect();
    use crate::status::Class;
    assert_eq!(
        names,
        [
            ("setup", "init", Class::Done),
            ("mesh", "sidecar", Class::Idle),
            ("app", "", Class::Bad),
            ("proxy", "", Class::Ok),
        ]
    );
    let app = &found[2];
    assert_eq!(app.state, "Waiting: CrashLoopBackOff");
    assert_eq!((&*app.restarts, &*app.restarted), ("8", " (4m29s ago)"));
    assert_eq!(app.last_state, "Terminated: Error, exit code 1, ran 9s");
    assert_eq!(app.details, "not ready, ports 8080/TCP, requests cpu 100m, limits memory 64Mi");
    assert_eq!(found[1].state, "Not started");
}

#[test]
fn what_turns_text_is_shown_and_not_obeyed() {
    let overview = overview(&pod(), NOW);
    assert_eq!(overview.annotations, [("note".to_owned(), "safe⟨202E⟩txt.exe".to_owned())]);
    assert_eq!(overview.finalizers, ["example.com/hold"]);
}

#[test]
fn workloads_say_how_many_of_their_pods_there_are() {
    check(
        &json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"annotations": {"deployment.kubernetes.io/revision": "49"}, "generation": 4},
            "spec": {"replicas": 8, "selector": {"matchLabels": {"app": "cart"}},
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
                "template": {"spec": {"containers": [{"name": "app", "image": "cart:2"}]}}},
            "status": {"readyReplicas": 6, "updatedReplicas": 3, "availableReplicas": 6, "observedGeneration": 3}}),
        &[
            "Replicas: 8 desired, 3 updated, 6 ready, 6 available",
            "Strategy: RollingUpdate, 1 max unavailable, 25% max surge",
            "Revision: 49",
            "Selector: app=cart",
            "Image: cart:2 (app)",
            "Generation: 3 of 4 observed",
        ],
    );
    check(
        &json!({"apiVersion": "batch/v1", "kind": "Job", "spec": {"completions": 3},
            "status": {"succeeded": 2, "active": 1, "startTime": "2026-11-21T02:42:51Z"}}),
        &["Pods: 1 active, 2 succeeded, 0 failed", "Completions: 3", "Duration: 10s"],
    );
    check(
        &json!({"apiVersion": "batch/v1", "kind": "CronJob",
            "spec": {"schedule": "*/5 * * * *", "timeZone": "UTC", "suspend": true}}),
        &["Schedule: */5 * * * * (UTC)", "Suspended: yes"],
    );
}

#[test]
fn services_nodes_and_volumes_say_how_they_are_reached() {
    check(
        &json!({"apiVersion": "v1", "kind": "Service", "spec": {"type": "NodePort", "clusterIPs": ["10.1.0.1"],
            "ports": [{"name": "http", "port": 80, "targetPort": "web", "nodePort": 30080}],
            "selector": {"app": "cart"}}}),
        &[
            "Type: NodePort",
            "Cluster IPs: 10.1.0.1",
            "Ports: 80/TCP to web, node port 30080 (http)",
            "Selector: app=cart",
        ],
    );
    check(
        &json!({"apiVersion": "v1", "kind": "Node",
            "spec": {"unschedulable": true, "taints": [{"key": "gpu", "value": "a", "effect": "NoSchedule"}]},
            "status": {"capacity": {"cpu": "8", "ephemeral-storage": "101430960Ki", "hugepages-2Mi": "0", "memory": "32929340Ki",
                "nvidia.com/gpu": "2", "pods": "110"}, "allocatable": {"cpu": "7910m", "memory": "3900Mi"}, "addresses": [{"type": "InternalIP", "address": "10.0.0.9"}]}}),
        &[
            "Scheduling: disabled",
            "Taints: gpu=a:NoSchedule",
            "Capacity: 8 CPU · 31 GiB memory · 97 GiB storage · 110 pods · 2 nvidia.com/gpu",
            "Allocatable: 7.91 CPU · 3.8 GiB memory",
            "Addresses: 10.0.0.9 (InternalIP)",
        ],
    );
    check(
        &json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "spec": {"volumeName": "pv1", "storageClassName": "fast", "accessModes": ["ReadWriteOnce"]},
            "status": {"phase": "Bound", "capacity": {"storage": "5Gi"}}}),
        &["Phase: Bound", "Volume: pv1 -> PersistentVolume", "Storage class: fast -> StorageClass"],
    );
}

#[test]
fn facts_of_half_a_line_leave_no_hole() {
    let overview = overview(&pod(), NOW);
    let halves: Vec<bool> = overview.facts.iter().map(|fact| !fact.is_wide).collect();
    let first_wide = halves.iter().position(|is_half| !is_half).expect("wide ones");
    assert_eq!(first_wide % 2, 0, "{:?}", overview.facts);
    assert!(halves[first_wide..].iter().all(|is_half| !is_half), "{:?}", overview.facts);
    let labels = overview.facts.iter().find(|fact| fact.label == "Labels").expect("labels");
    assert_eq!(labels.chips, ["app=cart", "tier=api"]);
}

#[test]
fn a_config_map_lists_its_keys_and_how_much_they_hold() {
    let object = json!({"kind": "ConfigMap", "data": {"a.conf": "12345"}, "binaryData": {"b": "AAAA"}});
    let expected = [("a.conf", "5 B"), ("b", "4 B")].map(|(key, size)| (key.to_owned(), size.to_owned()));
    assert_eq!(overview(&object, NOW).data, expected);
    let masked = json!({"kind": "ConfigMap", "data": {"a.conf": MASK}});
    let Overview { data, data_note, .. } = overview(&masked, NOW);
    assert_eq!(data, [("a.conf".to_owned(), "masked".to_owned())]);
    assert!(data_note.contains("--config-map-values"), "said once, with the setting: {data_note}");
    assert_eq!(overview(&object, NOW).data_note, "");
}

#[test]
fn an_object_of_no_known_shape_has_no_facts_and_does_no_harm() {
    for odd in [
        json!(null),
        json!([1]),
        json!({"kind": 3, "metadata": "x", "spec": [], "status": {"conditions": {}}}),
    ] {
        assert_eq!(overview(&odd, NOW), Overview::default());
    }
    let half = json!({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{}, 3]}});
    assert_eq!(overview(&half, NOW).containers.len(), 2);
}

fn fields(scalars: &Scalars) -> Vec<String> {
    scalars.fields.iter().map(|field| format!("{} = {}", field.path, field.value)).collect()
}

#[test]
fn a_custom_kind_shows_the_scalars_of_its_spec_and_status_the_highest_first() {
    let rollout = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout",
        "metadata": {"name": "a", "namespace": "shop"},
        "spec": {"replicas": 4, "steps": [{"setWeight": 25}, {"pause": {}}], "selector": {"matchLabels": {"app": "a"}}, "args": ["x", "y"],
            "strategy": {"canary": {"service": "a-canary", "deep": {"er": {"still": 1}}}},
            "template": {"spec": {"restartPolicy": "Always", "containers": [{"name": "a", "image": "a:1"}]}}},
        "status": {"phase": "Healthy", "paused": false, "startedAt": "2026-11-21T02:22:01Z", "until": "2026-11-22T02:43:01Z",
            "note": "safe\u{202e}txt", "empty": "", "conditions": [{"type": "Available", "status": "True"}]}});
    let held = overview(&rollout, NOW);
    assert_eq!(fields(&held.spec), ["args = x, y", "replicas = 4", "strategy.canary.service = a-canary"]);
    let expected = [
        "paused = false",
        "phase = Healthy",
        "note = safe⟨202E⟩txt",
        "startedAt = 02:22:01, 21m ago",
        "until = 2026-11-22 02:43:01, in 24h",
    ];
    assert_eq!(fields(&held.status), expected);
    assert_eq!(held.conditions.len(), 1);
    check(&rollout, &["Selector: app=a", "Image: a:1 (a)"]);
    assert!(overview(&pod(), NOW).status.fields.is_empty(), "a pod has facts of its own");
}

#[test]
fn many_fields_and_long_values_of_a_custom_kind_are_cut_at_their_end() {
    let spec: serde_json::Map<String, Value> =
        (0..40).map(|at| (format!("field{at:02}"), json!("x".repeat(5_000)))).collect();
    let held = overview(&json!({"apiVersion": "example.com/v1", "kind": "Odd", "spec": spec}), NOW);
    assert_eq!((held.spec.fields.len(), held.spec.more), (PANEL_FIELDS_MAX, 40 - PANEL_FIELDS_MAX));
    let value = &held.spec.fields[0].value;
    assert!(value.ends_with('…') && value.chars().count() <= PANEL_VALUE_CHARACTERS_MAX + 1, "{value}");
}

#[test]
fn a_secret_of_which_the_metadata_came_alone_is_a_secret() {
    let secret =
        json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": {"name": "a"}});
    assert!(said(&secret)[0].starts_with("Values: The gateway reads the metadata"), "{:?}", said(&secret));
    let other =
        json!({"apiVersion": "example.com/v1", "kind": "PartialObjectMetadata", "metadata": {"name": "a"}});
    assert!(said(&other).is_empty());
}

#[test]
fn each_path_of_an_ingress_is_a_link_to_what_answers_it() {
    let service = |name: &str, port: Value| json!({"service": {"name": name, "port": port}});
    let ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"name": "a", "namespace": "shop"},
        "spec": {"defaultBackend": service("rest", json!({"name": "http"})), "rules": [
            {"host": "shop.example.com", "http": {"paths": [
                {"path": "/cart", "backend": service("cart", json!({"number": 80}))},
                {"path": "/old"}]}},
            {"http": {"paths": [{"path": "/files", "backend":
                {"resource": {"apiGroup": "example.com", "kind": "Bucket", "name": "files"}}}]}}]}});
    check(
        &ingress,
        &[
            "Rules: shop.example.com/cart → cart:80 -> Service",
            ": */files → Bucket files -> Bucket",
            ": other paths → rest:http -> Service",
        ],
    );
    let facts = overview(&ingress, NOW).facts;
    let to: Vec<&Reference> = facts.iter().filter_map(|fact| fact.link.as_ref()).collect();
    assert_eq!((&*to[0].name, to[0].namespace.as_deref()), ("cart", Some("shop")));
    assert_eq!((&*to[1].group, &*to[1].name), ("example.com", "files"));
}

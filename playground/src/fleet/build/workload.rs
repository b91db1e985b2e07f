//! Deployments, replica sets, pods and jobs.

use serde_json::{Value, json};

use super::{CONTROLLERS, KUBELET, PEOPLE, SCHEDULER, create};
use crate::fleet::Mutation;
use crate::fleet::plan::{App, Pod, ReplicaSet, status_patch};

fn image(app: &App, set: &ReplicaSet) -> String {
    format!("{}:v1.{}.0", app.image, set.tag)
}

fn template(app: &App, image: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": app.name, "tier": app.namespace}},
        "spec": {
            "containers": [{
                "name": app.name, "image": image, "imagePullPolicy": "IfNotPresent",
                "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
                "env": [{"name": "LOG_LEVEL", "value": "info"}],
                "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            }],
            "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
            "securityContext": {}, "terminationGracePeriodSeconds": 30,
        },
    })
}

fn owner(api_version: &str, kind: &str, name: &str, uid: &str) -> Value {
    json!([{
        "apiVersion": api_version, "kind": kind, "name": name, "uid": uid,
        "controller": true, "blockOwnerDeletion": true,
    }])
}

pub(in crate::fleet) fn deployment(app: &App, born: &str) -> Mutation {
    let tag = app.sets.last().map_or(0, |set| set.tag);
    create(
        "deployments.apps",
        PEOPLE,
        json!({
            "metadata": {
                "name": app.name, "namespace": app.namespace, "uid": app.uid, "creationTimestamp": born,
                "labels": {"app": app.name, "tier": app.namespace},
                "annotations": {"deployment.kubernetes.io/revision": "1"},
            },
            "spec": {
                "replicas": app.replicas, "revisionHistoryLimit": 2, "progressDeadlineSeconds": 600,
                "selector": {"matchLabels": {"app": app.name}},
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
                "template": template(app, &format!("{}:v1.{tag}.0", app.image)),
            },
        }),
    )
}

/// Somebody sets a new image.
pub(in crate::fleet) fn deployment_image(app: &App, tag: u64) -> Mutation {
    let image = format!("{}:v1.{tag}.0", app.image);
    Mutation::Patch {
        resource: "deployments.apps",
        namespace: app.namespace.clone(),
        name: app.name.clone(),
        patch: json!({"spec": {"template": {"spec": {"containers": [{"name": app.name, "image": image}]}}}}),
        subresource: None,
        manager: "kubectl-set",
    }
}

/// An autoscaler has chosen another number of replicas.
pub(in crate::fleet) fn scaled(app: &App, before: usize) -> Vec<Mutation> {
    let load = 61 * before / app.replicas.max(1);
    vec![
        Mutation::Patch {
            resource: "deployments.apps",
            namespace: app.namespace.clone(),
            name: app.name.clone(),
            patch: json!({"spec": {"replicas": app.replicas}}),
            subresource: None,
            manager: CONTROLLERS,
        },
        status_patch(
            "horizontalpodautoscalers.autoscaling",
            &app.namespace,
            &app.name,
            CONTROLLERS,
            json!({
                "currentReplicas": before, "desiredReplicas": app.replicas,
                "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": load, "averageValue": format!("{load}m")}}}],
            }),
        ),
    ]
}

pub(in crate::fleet) fn deployment_status(app: &App, now: &str) -> Mutation {
    let all = app.pods();
    let updated = app.sets.last().map_or(0, |set| set.pods.len());
    let ready = all.min(app.replicas);
    let done = updated >= app.replicas && all == app.replicas;
    let (reason, message) = if done {
        ("NewReplicaSetAvailable", "has successfully progressed.")
    } else {
        ("ReplicaSetUpdated", "is progressing.")
    };
    let set = app.sets.last().map_or("", |set| set.name.as_str());
    status_patch(
        "deployments.apps",
        &app.namespace,
        &app.name,
        CONTROLLERS,
        json!({
            "replicas": all, "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": ready,
            "conditions": [
                {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable",
                 "message": "Deployment has minimum availability.", "lastUpdateTime": now, "lastTransitionTime": now},
                {"type": "Progressing", "status": "True", "reason": reason,
                 "message": format!("ReplicaSet \"{set}\" {message}"), "lastUpdateTime": now, "lastTransitionTime": now},
            ],
        }),
    )
}

pub(in crate::fleet) fn replica_set(app: &App, set: &ReplicaSet, replicas: usize, born: &str) -> Mutation {
    let mut template = template(app, &image(app, set));
    crate::json::set(&mut template, &["metadata", "labels", "pod-template-hash"], json!(set.hash));
    create(
        "replicasets.apps",
        CONTROLLERS,
        json!({
            "metadata": {
                "name": set.name, "namespace": app.namespace, "uid": set.uid, "creationTimestamp": born,
                "labels": {"app": app.name, "tier": app.namespace, "pod-template-hash": set.hash},
                "ownerReferences": owner("apps/v1", "Deployment", &app.name, &app.uid),
            },
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"app": app.name, "pod-template-hash": set.hash}},
                "template": template,
            },
            "status": {"replicas": 0},
        }),
    )
}

pub(in crate::fleet) fn set_scale(app: &App, set: &ReplicaSet, replicas: usize) -> Mutation {
    Mutation::Patch {
        resource: "replicasets.apps",
        namespace: app.namespace.clone(),
        name: set.name.clone(),
        patch: json!({"spec": {"replicas": replicas}}),
        subresource: None,
        manager: CONTROLLERS,
    }
}

pub(in crate::fleet) fn set_status(app: &App, set: &ReplicaSet, ready: usize) -> Mutation {
    status_patch(
        "replicasets.apps",
        &app.namespace,
        &set.name,
        CONTROLLERS,
        json!({
            "replicas": set.pods.len(), "fullyLabeledReplicas": set.pods.len(),
            "readyReplicas": ready, "availableReplicas": ready, "observedGeneration": 1,
        }),
    )
}

/// A new pod, as its replica set makes it: Pending, on no node.
pub(in crate::fleet) fn pod(
    pod_bytes: usize,
    app: &App,
    set: &ReplicaSet,
    pod: &Pod,
    born: &str,
) -> Mutation {
    let mut value = template(app, &image(app, set));
    for (path, new) in [
        (&["metadata", "name"][..], json!(pod.name)),
        (&["metadata", "namespace"], json!(app.namespace)),
        (&["metadata", "uid"], json!(pod.uid)),
        (&["metadata", "creationTimestamp"], json!(born)),
        (&["metadata", "generateName"], json!(format!("{}-", set.name))),
        (&["metadata", "labels", "pod-template-hash"], json!(set.hash)),
        (&["metadata", "ownerReferences"], owner("apps/v1", "ReplicaSet", &set.name, &set.uid)),
        (&["status"], json!({"phase": "Pending", "qosClass": "Burstable"})),
    ] {
        crate::json::set(&mut value, path, new);
    }
    if pod_bytes > 0 {
        grow(&mut value, pod_bytes);
    }
    create("pods", CONTROLLERS, value)
}

/// What one environment variable costs, its share of managedFields included.
const VARIABLE_BYTES: usize = 171;
/// What a variable says: long enough that managedFields are two fifths of the whole.
const VALUE: &str = "postgresql.ledger.svc.cluster.local:5432/settlements?sslmode=full";
/// A pod with its sidecar, init container and status, before any variable is added.
const GROWN_BYTES: usize = 5_050;

/// Makes a pod as large as the benches' exemplar: a sidecar, an init container, many variables.
fn grow(value: &mut Value, pod_bytes: usize) {
    let container = |name: &str| {
        json!({
            "name": name, "image": format!("registry.example.com/platform/{name}:v2.3.1"),
            "imagePullPolicy": "IfNotPresent", "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        })
    };
    let variables: Vec<Value> = (0..pod_bytes.saturating_sub(GROWN_BYTES) / VARIABLE_BYTES)
        .map(
            |number| json!({"name": format!("SETTING_{number:03}"), "value": format!("{number:03}-{VALUE}")}),
        )
        .collect();
    let patch =
        json!({"spec": {"initContainers": [container("migrate")], "containers": [container("proxy")]}});
    crate::patch::strategic(value, &patch);
    if let Some(first) = value.pointer_mut("/spec/containers/0") {
        crate::patch::strategic(first, &json!({"env": variables}));
    }
}

/// The scheduler has chosen a node.
pub(in crate::fleet) fn bound(namespace: &str, pod: &Pod, now: &str) -> Mutation {
    Mutation::Patch {
        resource: "pods",
        namespace: namespace.to_owned(),
        name: pod.name.clone(),
        patch: json!({
            "spec": {"nodeName": pod.node},
            "status": {"conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": now}]},
        }),
        subresource: None,
        manager: SCHEDULER,
    }
}

fn conditions(initialized: &str, ready: &str, now: &str) -> Value {
    let condition =
        |kind: &str, status: &str| json!({"type": kind, "status": status, "lastTransitionTime": now});
    json!([
        condition("PodReadyToStartContainers", initialized),
        condition("Initialized", initialized),
        condition("Ready", ready),
        condition("ContainersReady", ready),
        condition("PodScheduled", "True"),
    ])
}

/// A pod whose container waits, for a reason such as `ContainerCreating` or `ImagePullBackOff`.
pub(in crate::fleet) fn waiting(app: &App, set: &ReplicaSet, pod: &Pod, reason: &str, now: &str) -> Mutation {
    status_patch(
        "pods",
        &app.namespace,
        &pod.name,
        KUBELET,
        json!({
            "phase": "Pending", "startTime": now, "conditions": conditions("False", "False", now),
            "containerStatuses": [{
                "name": app.name, "image": image(app, set), "imageID": "", "ready": false, "started": false,
                "restartCount": pod.restarts, "lastState": {}, "state": {"waiting": {"reason": reason}},
            }],
        }),
    )
}

/// A pod that runs, ready or not yet.
pub(in crate::fleet) fn running(app: &App, set: &ReplicaSet, pod: &Pod, now: &str, ready: bool) -> Mutation {
    let status = |name: &str, image: String| {
        json!({
            "name": name, "image": image, "imageID": format!("{}@sha256:{:064x}", app.image, set.tag),
            "containerID": format!("containerd://{:064x}", crate::random::mix(pod.name.len() as u64)),
            "ready": ready, "started": ready, "restartCount": pod.restarts, "lastState": {},
            "state": {"running": {"startedAt": now}},
        })
    };
    status_patch(
        "pods",
        &app.namespace,
        &pod.name,
        KUBELET,
        json!({
            "phase": "Running", "startTime": now, "podIP": pod.ip, "podIPs": [{"ip": pod.ip}],
            "hostIP": "192.168.7.11", "hostIPs": [{"ip": "192.168.7.11"}],
            "conditions": conditions("True", if ready { "True" } else { "False" }, now),
            "containerStatuses": [status(&app.name, image(app, set))],
        }),
    )
}

pub(super) fn cron_job(uid: &str, born: &str) -> Mutation {
    create(
        "cronjobs.batch",
        PEOPLE,
        json!({
            "metadata": {"name": "settle", "namespace": "ledger", "uid": uid, "creationTimestamp": born, "labels": {"app": "settle"}},
            "spec": {
                "schedule": "* * * * *", "suspend": false, "concurrencyPolicy": "Forbid",
                "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1,
                "jobTemplate": {"spec": {"backoffLimit": 0, "template": job_template()}},
            },
            "status": {},
        }),
    )
}

fn job_template() -> Value {
    json!({
        "metadata": {"labels": {"app": "settle"}},
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "settle", "image": "registry.example.com/ledger/settle:v3.2.0", "args": ["--until", "now"]}],
        },
    })
}

pub(in crate::fleet) fn cron_job_status(status: Value) -> Mutation {
    status_patch("cronjobs.batch", "ledger", "settle", CONTROLLERS, status)
}

pub(in crate::fleet) fn job(name: &str, uid: &str, now: &str) -> Mutation {
    let mut template = job_template();
    crate::json::set(&mut template, &["metadata", "labels", "job-name"], json!(name));
    create(
        "jobs.batch",
        CONTROLLERS,
        json!({
            "metadata": {"name": name, "namespace": "ledger", "uid": uid, "labels": {"app": "settle", "job-name": name}},
            "spec": {
                "parallelism": 1, "completions": 1, "backoffLimit": 0,
                "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}, "template": template,
            },
            "status": {"active": 1, "startTime": now, "ready": 0},
        }),
    )
}

pub(in crate::fleet) fn job_pod(job: &str, job_uid: &str, pod: &Pod, now: &str) -> Mutation {
    let mut value = job_template();
    for (path, new) in [
        (&["metadata", "name"][..], json!(pod.name)),
        (&["metadata", "namespace"], json!("ledger")),
        (&["metadata", "uid"], json!(pod.uid)),
        (&["metadata", "creationTimestamp"], json!(now)),
        (&["metadata", "labels", "job-name"], json!(job)),
        (&["metadata", "ownerReferences"], owner("batch/v1", "Job", job, job_uid)),
        (&["status"], json!({"phase": "Pending", "qosClass": "BestEffort"})),
    ] {
        crate::json::set(&mut value, path, new);
    }
    create("pods", CONTROLLERS, value)
}

pub(in crate::fleet) fn job_status(name: &str, status: Value) -> Mutation {
    status_patch("jobs.batch", "ledger", name, CONTROLLERS, status)
}

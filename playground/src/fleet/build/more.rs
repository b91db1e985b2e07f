//! What else a cluster is full of: accounts, rights, storage, ingress, budgets, agents, a database.
//! These stand still; the actors move the rest.

use serde_json::{Value, json};

use super::{CONTROLLERS, KUBELET, PEOPLE, create};
use crate::clock;
use crate::fleet::Mutation;
use crate::fleet::plan::{NAMESPACES, World};

const DATABASE: &str = "ledger-db";
const AGENT: &str = "node-agent";

pub(super) fn standing(world: &mut World, now_s: i64) -> Vec<Mutation> {
    let born = clock::text_of(now_s - 90 * 86_400);
    let mut done = Vec::new();
    for namespace in NAMESPACES {
        done.push(create(
            "serviceaccounts",
            CONTROLLERS,
            json!({
                "metadata": {"name": "default", "namespace": namespace, "creationTimestamp": born},
            }),
        ));
    }
    done.extend(rights(&born));
    done.extend(at_the_edge(&born));
    done.extend(database(world, &born));
    done.extend(agents(world, &born));
    done
}

fn rights(born: &str) -> Vec<Mutation> {
    let role = |name: &str, groups: Value, resources: Value, verbs: Value| {
        create(
            "clusterroles.rbac.authorization.k8s.io",
            PEOPLE,
            json!({
                "metadata": {"name": name, "creationTimestamp": born},
                "rules": [{"apiGroups": groups, "resources": resources, "verbs": verbs}],
            }),
        )
    };
    let binding = |namespace: &str, name: &str, role: &str, group: &str| {
        let resource = if namespace.is_empty() {
            "clusterrolebindings.rbac.authorization.k8s.io"
        } else {
            "rolebindings.rbac.authorization.k8s.io"
        };
        let mut value = json!({
            "metadata": {"name": name, "creationTimestamp": born},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
        });
        if !namespace.is_empty() {
            crate::json::set(&mut value, &["metadata", "namespace"], json!(namespace));
        }
        create(resource, PEOPLE, value)
    };
    vec![
        role("cluster-admin", json!(["*"]), json!(["*"]), json!(["*"])),
        role(
            "view",
            json!(["", "apps", "batch"]),
            json!(["pods", "deployments", "jobs"]),
            json!(["get", "list", "watch"]),
        ),
        binding("", "cluster-admins", "cluster-admin", "platform"),
        binding("payments", "payments-view", "view", "payments-team"),
        binding("shop", "shop-view", "view", "shop-team"),
    ]
}

fn at_the_edge(born: &str) -> Vec<Mutation> {
    let ingress = json!({
        "metadata": {"name": "storefront", "namespace": "shop", "creationTimestamp": born},
        "spec": {
            "ingressClassName": "nginx", "tls": [{"hosts": ["shop.example.com"], "secretName": "storefront-tls"}],
            "rules": [{"host": "shop.example.com", "http": {"paths": [{
                "path": "/", "pathType": "Prefix", "backend": {"service": {"name": "storefront", "port": {"number": 80}}},
            }]}}],
        },
        "status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.17"}]}},
    });
    let budget = |namespace: &str, name: &str, allowed: i64| {
        create(
            "poddisruptionbudgets.policy",
            PEOPLE,
            json!({
                "metadata": {"name": name, "namespace": namespace, "creationTimestamp": born},
                "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": name}}},
                "status": {"disruptionsAllowed": allowed, "currentHealthy": allowed + 1, "desiredHealthy": 1, "expectedPods": allowed + 1},
            }),
        )
    };
    let secret = |name: &str, kind: &str, keys: Value| {
        create(
            "secrets",
            PEOPLE,
            json!({
                "metadata": {"name": name, "namespace": "shop", "creationTimestamp": born}, "type": kind, "data": keys,
            }),
        )
    };
    vec![
        create("ingresses.networking.k8s.io", PEOPLE, ingress),
        budget("payments", "payments-api", 2),
        budget("shop", "storefront", 3),
        secret(
            "storefront-tls",
            "kubernetes.io/tls",
            json!({"tls.crt": "c3Rvcnlib29r", "tls.key": "c3Rvcnlib29r"}),
        ),
        create(
            "storageclasses.storage.k8s.io",
            PEOPLE,
            json!({
                "metadata": {"name": "fast", "creationTimestamp": born, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
                "provisioner": "csi.example.com", "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer", "allowVolumeExpansion": true,
            }),
        ),
        create(
            "horizontalpodautoscalers.autoscaling",
            PEOPLE,
            json!({
                "metadata": {"name": "storefront", "namespace": "shop", "creationTimestamp": born},
                "spec": {
                    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "storefront"},
                    "minReplicas": 3, "maxReplicas": 6,
                    "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}}],
                },
                "status": {
                    "currentReplicas": 4, "desiredReplicas": 4,
                    "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 61, "averageValue": "61m"}}}],
                },
            }),
        ),
    ]
}

/// A pod of a stateful set or a daemon set, running on a node.
fn pod(
    world: &mut World,
    namespace: &str,
    owner: (&str, &str, &str),
    name: &str,
    node: Option<&str>,
    born: &str,
) -> Mutation {
    let (kind, owner_name, owner_uid) = owner;
    let planned = world.pod_named(name.to_owned());
    let image = format!("registry.example.com/{namespace}/{owner_name}:v2.0.4");
    let truth = |kind: &str| json!({"type": kind, "status": "True", "lastTransitionTime": born});
    create(
        "pods",
        CONTROLLERS,
        json!({
            "metadata": {
                "name": name, "namespace": namespace, "uid": planned.uid, "creationTimestamp": born, "labels": {"app": owner_name},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": owner_name, "uid": owner_uid, "controller": true}],
            },
            "spec": {
                "nodeName": node.unwrap_or(&planned.node), "restartPolicy": "Always",
                "containers": [{"name": owner_name, "image": image, "resources": {}}],
            },
            "status": {
                "phase": "Running", "qosClass": "BestEffort", "startTime": born, "podIP": planned.ip, "podIPs": [{"ip": planned.ip}],
                "conditions": [truth("Initialized"), truth("Ready"), truth("ContainersReady"), truth("PodScheduled")],
                "containerStatuses": [{
                    "name": owner_name, "image": image, "imageID": "", "ready": true, "started": true, "restartCount": 0,
                    "lastState": {}, "state": {"running": {"startedAt": born}},
                }],
            },
        }),
    )
}

fn template(namespace: &str, name: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": name, "image": format!("registry.example.com/{namespace}/{name}:v2.0.4")}]},
    })
}

fn database(world: &mut World, born: &str) -> Vec<Mutation> {
    const REPLICAS: usize = 2;
    let uid = world.uid();
    let mut done = vec![create(
        "statefulsets.apps",
        PEOPLE,
        json!({
            "metadata": {"name": DATABASE, "namespace": "ledger", "uid": uid, "creationTimestamp": born, "labels": {"app": DATABASE}},
            "spec": {"replicas": REPLICAS, "serviceName": DATABASE, "selector": {"matchLabels": {"app": DATABASE}}, "template": template("ledger", DATABASE)},
            "status": {"replicas": REPLICAS, "readyReplicas": REPLICAS, "availableReplicas": REPLICAS, "currentReplicas": REPLICAS, "updatedReplicas": REPLICAS},
        }),
    )];
    for number in 0..REPLICAS {
        let name = format!("{DATABASE}-{number}");
        done.push(pod(world, "ledger", ("StatefulSet", DATABASE, &uid), &name, None, born));
        let claim = format!("data-{name}");
        let volume = format!("pvc-{}", world.uid());
        done.push(create("persistentvolumes", CONTROLLERS, json!({
            "metadata": {"name": volume, "creationTimestamp": born},
            "spec": {
                "capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Delete",
                "storageClassName": "fast", "volumeMode": "Filesystem", "claimRef": {"namespace": "ledger", "name": claim},
            },
            "status": {"phase": "Bound"},
        })));
        done.push(create("persistentvolumeclaims", CONTROLLERS, json!({
            "metadata": {"name": claim, "namespace": "ledger", "creationTimestamp": born, "labels": {"app": DATABASE}},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}, "storageClassName": "fast",
                "volumeMode": "Filesystem", "volumeName": volume,
            },
            "status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "20Gi"}},
        })));
    }
    done
}

/// An agent on each node, and the node's lease.
fn agents(world: &mut World, born: &str) -> Vec<Mutation> {
    let uid = world.uid();
    let nodes = world.nodes.clone();
    let count = nodes.len();
    let mut done = vec![create(
        "daemonsets.apps",
        PEOPLE,
        json!({
            "metadata": {"name": AGENT, "namespace": "observability", "uid": uid, "creationTimestamp": born, "labels": {"app": AGENT}},
            "spec": {"selector": {"matchLabels": {"app": AGENT}}, "template": template("observability", AGENT), "updateStrategy": {"type": "RollingUpdate"}},
            "status": {
                "desiredNumberScheduled": count, "currentNumberScheduled": count, "numberReady": count,
                "updatedNumberScheduled": count, "numberAvailable": count, "numberMisscheduled": 0,
            },
        }),
    )];
    for node in &nodes {
        let name = format!("{AGENT}-{}", world.chance.suffix(5));
        done.push(pod(world, "observability", ("DaemonSet", AGENT, &uid), &name, Some(&node.name), born));
        done.push(create(
            "leases.coordination.k8s.io",
            KUBELET,
            json!({
                "metadata": {"name": node.name, "namespace": "kube-node-lease", "creationTimestamp": born},
                "spec": {"holderIdentity": node.name, "leaseDurationSeconds": 40, "renewTime": born.replace('Z', ".000000Z")},
            }),
        ));
    }
    done
}

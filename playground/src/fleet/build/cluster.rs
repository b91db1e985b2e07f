//! Namespaces, nodes, and what stands beside an app: its service and configuration.

use serde_json::{Value, json};

use super::{CONTROLLERS, KUBELET, PEOPLE, create};
use crate::clock;
use crate::fleet::Mutation;
use crate::fleet::plan::{App, NAMESPACES, Node, World, status_patch};

pub(in crate::fleet) fn namespace(name: &str, born: &str) -> Mutation {
    create(
        "namespaces",
        "kube-apiserver",
        json!({
            "metadata": {"name": name, "creationTimestamp": born, "labels": {"kubernetes.io/metadata.name": name}},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        }),
    )
}

/// Namespaces and nodes. An empty cluster has only the namespaces that every one has.
pub(in crate::fleet) fn base(world: &World, now_s: i64) -> Vec<Mutation> {
    let born = clock::text_of(now_s - 214 * 86_400);
    let spaces: &[&str] = if world.is_empty() { &["default", "kube-system"] } else { NAMESPACES };
    let mut done: Vec<Mutation> = spaces.iter().map(|name| namespace(name, &born)).collect();
    for node in &world.nodes {
        done.push(self::node(node, &born));
        done.push(node_status(node, true, &born, &clock::text_of(now_s)));
    }
    done
}

fn node(node: &Node, born: &str) -> Mutation {
    let role = if node.number == 0 { "control-plane" } else { "worker" };
    create(
        "nodes",
        KUBELET,
        json!({
            "metadata": {
                "name": node.name, "uid": node.uid, "creationTimestamp": born,
                "labels": {
                    "kubernetes.io/hostname": node.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                    (format!("node-role.kubernetes.io/{role}")): "",
                    "topology.kubernetes.io/zone": node.name.get(..5).unwrap_or_default(),
                },
            },
            "spec": {"podCIDR": format!("10.{}.0.0/16", 64 + node.number), "podCIDRs": [format!("10.{}.0.0/16", 64 + node.number)]},
        }),
    )
}

/// A node that answers, or one whose kubelet has gone silent.
pub(in crate::fleet) fn node_status(node: &Node, ready: bool, since: &str, now: &str) -> Mutation {
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": now, "lastTransitionTime": since,
        })
    };
    let conditions: Vec<Value> = if ready {
        vec![
            condition(
                "MemoryPressure",
                "False",
                "KubeletHasSufficientMemory",
                "kubelet has sufficient memory available",
            ),
            condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
            condition(
                "PIDPressure",
                "False",
                "KubeletHasSufficientPID",
                "kubelet has sufficient PID available",
            ),
            condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
        ]
    } else {
        ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"]
            .into_iter()
            .map(|kind| {
                condition(kind, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
            })
            .collect()
    };
    status_patch(
        "nodes",
        "",
        &node.name,
        if ready { KUBELET } else { CONTROLLERS },
        json!({
            "conditions": conditions,
            "addresses": [
                {"type": "InternalIP", "address": format!("192.168.7.{}", 10 + node.number)},
                {"type": "Hostname", "address": node.name},
            ],
            "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
            "allocatable": {"cpu": "7800m", "memory": "30Gi", "pods": "110"},
            "nodeInfo": {
                "architecture": "amd64", "operatingSystem": "linux", "kubeletVersion": "v1.36.3",
                "kernelVersion": "6.12.48", "osImage": "Debian GNU/Linux 13 (trixie)",
                "containerRuntimeVersion": "containerd://2.1.4", "bootID": "", "machineID": "", "systemUUID": "",
                "kubeProxyVersion": "",
            },
        }),
    )
}

/// A service and a config map for an app.
pub(in crate::fleet) fn companions(world: &mut World, app: &App, born: &str) -> Vec<Mutation> {
    let ip = format!("10.96.{}.{}", world.chance.below(250), 2 + world.chance.below(250));
    let is_public = app.name == "storefront";
    let mut service = json!({
        "metadata": {"name": app.name, "namespace": app.namespace, "creationTimestamp": born, "labels": {"app": app.name}},
        "spec": {
            "type": "ClusterIP", "clusterIP": ip, "clusterIPs": [ip], "selector": {"app": app.name},
            "ports": [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080}],
            "sessionAffinity": "None", "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
        },
        "status": {"loadBalancer": {}},
    });
    if is_public {
        crate::json::set(&mut service, &["spec", "type"], json!("LoadBalancer"));
        crate::json::set(
            &mut service,
            &["spec", "ports"],
            json!([
                {"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080, "nodePort": 30080},
                {"name": "https", "port": 443, "protocol": "TCP", "targetPort": 8443, "nodePort": 30443},
            ]),
        );
        crate::json::set(
            &mut service,
            &["status"],
            json!({"loadBalancer": {"ingress": [{"ip": "203.0.113.17"}]}}),
        );
    }
    let config = json!({
        "metadata": {"name": format!("{}-config", app.name), "namespace": app.namespace, "creationTimestamp": born},
        "data": {"config.yaml": format!("service: {}\nlog: info\n", app.name), "features": "checkout-v2,search"},
    });
    vec![create("services", PEOPLE, service), create("configmaps", PEOPLE, config)]
}

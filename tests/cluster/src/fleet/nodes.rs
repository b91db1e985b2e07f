//! The machines: eight nodes in three zones, registered as a kubelet registers itself. Their
//! conditions come from kwok.

use serde_json::{Value, json};

pub(super) fn all() -> Vec<Value> {
    (1..=NODES).map(node).collect()
}

/// The one that the story takes away: never the control plane's.
pub(super) fn doomed() -> String {
    name(NODES)
}

fn name(number: usize) -> String {
    let zone = ["a", "b", "c"].get((number - 1) % 3).copied().unwrap_or("a");
    format!("eu1-{zone}-{number:02}")
}

fn node(number: usize) -> Value {
    let name = name(number);
    let control_plane = number == 1;
    let role = if control_plane { "control-plane" } else { "worker" };
    let taints = if control_plane {
        json!([{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}])
    } else {
        json!([])
    };
    let resources = json!({"cpu": "8", "memory": "32Gi", "pods": "110", "ephemeral-storage": "200Gi"});
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {
            "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
            "node.kubernetes.io/instance-type": "m8.2xlarge",
            (format!("node-role.kubernetes.io/{role}")): "",
            "topology.kubernetes.io/region": "eu1",
            "topology.kubernetes.io/zone": name.get(..5).unwrap_or_default(),
        }},
        "spec": {
            "podCIDR": format!("10.64.{number}.0/24"), "podCIDRs": [format!("10.64.{number}.0/24")],
            "taints": taints,
        },
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": format!("10.1.0.{}", 10 + number)},
                {"type": "Hostname", "address": name},
            ],
            "capacity": resources,
            "allocatable": resources,
            "nodeInfo": {
                "architecture": "amd64", "operatingSystem": "linux", "osImage": "Debian GNU/Linux 12 (bookworm)",
                "kernelVersion": "6.1.0-31-amd64", "containerRuntimeVersion": "containerd://2.1.4",
                "kubeletVersion": "v1.36.3", "kubeProxyVersion": "", "bootID": "", "machineID": "", "systemUUID": "",
            },
        },
    })
}

const NODES: usize = 8;

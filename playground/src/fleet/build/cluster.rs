//! Namespaces, nodes and their leases, storage.

use serde_json::{Value, json};

use super::create;
use crate::fleet::Mutation;
use crate::fleet::cast::{STORAGE_CLASS, node_name};
use crate::fleet::stage::{KUBELET, condition_of};

pub(in crate::fleet) fn namespace(name: &str) -> Mutation {
    Mutation::Create {
        resource: "namespaces",
        value: json!({
            "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        }),
        manager: "kube-apiserver",
    }
}

pub(super) fn base(namespaces: &[&str], nodes: usize) -> Vec<Mutation> {
    let mut done: Vec<Mutation> = namespaces.iter().map(|name| namespace(name)).collect();
    for number in 0..nodes {
        done.push(node(&node_name(number), number, number == 0));
        done.push(lease("kube-node-lease", &node_name(number), &node_name(number), KUBELET));
    }
    let holder = node_name(0);
    for component in ["kube-controller-manager", "kube-scheduler"] {
        done.push(lease("kube-system", component, &format!("{holder}_6f0c"), component));
    }
    done.push(create(
        "storageclasses.storage.k8s.io",
        json!({
            "metadata": {
                "name": STORAGE_CLASS, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
            },
            "provisioner": "csi.example.com", "reclaimPolicy": "Delete",
            "volumeBindingMode": "WaitForFirstConsumer", "allowVolumeExpansion": true,
        }),
    ));
    done
}

fn lease(namespace: &str, name: &str, holder: &str, manager: &'static str) -> Mutation {
    let seconds = if manager == KUBELET { 40 } else { 15 };
    let value = json!({
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"holderIdentity": holder, "leaseDurationSeconds": seconds},
    });
    Mutation::Create { resource: "leases.coordination.k8s.io", value, manager }
}

/// A node; the first is the control plane's too.
pub(in crate::fleet) fn node(name: &str, number: usize, is_first: bool) -> Mutation {
    let zone = name.get(..5).unwrap_or_default();
    let mut labels = json!({
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/instance-type": "c8m32", "topology.kubernetes.io/region": "eu1",
        "topology.kubernetes.io/zone": zone,
    });
    if is_first {
        crate::json::set(&mut labels, &["node-role.kubernetes.io/control-plane"], json!(""));
    }
    if crate::fleet::filling::is_filling_node(name) {
        // Agents run on the nodes of the first region only.
        crate::json::set(&mut labels, &["topology.kubernetes.io/region"], json!("scale"));
        crate::json::set(&mut labels, &["topology.kubernetes.io/zone"], json!("scale-a"));
    }
    let range = format!("10.{}.0.0/16", 64 + number % 128);
    Mutation::Create {
        resource: "nodes",
        value: json!({
            "metadata": {
                "name": name, "labels": labels, "annotations": {"node.alpha.kubernetes.io/ttl": "0"},
            },
            "spec": {"podCIDR": range, "podCIDRs": [range]},
            "status": {
                "addresses": [
                    {"type": "InternalIP", "address": format!("192.168.{}.{}", 7 + number / 200, 10 + number % 200)},
                    {"type": "Hostname", "address": name},
                ],
                "capacity": {"cpu": "8", "ephemeral-storage": "203056560Ki", "hugepages-2Mi": "0", "memory": "32863636Ki", "pods": "110"},
                "allocatable": {"cpu": "7800m", "ephemeral-storage": "187136925Ki", "hugepages-2Mi": "0", "memory": "31814036Ki", "pods": "110"},
                "nodeInfo": {
                    "architecture": "amd64", "operatingSystem": "linux", "kubeletVersion": "v1.36.3",
                    "kernelVersion": "6.12.48", "osImage": "Debian GNU/Linux 13 (trixie)",
                    "containerRuntimeVersion": "containerd://2.1.4", "bootID": "", "machineID": "", "systemUUID": "",
                    "kubeProxyVersion": "",
                },
                "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            },
        }),
        manager: KUBELET,
    }
}

/// What a kubelet that is well says of its node.
pub(in crate::fleet) fn node_status(node: &Value, now: &str) -> Value {
    let conditions: Vec<Value> = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ]
    .into_iter()
    .map(|(kind, status, reason, message)| {
        let mut condition = condition_of(node, kind, status, reason, message, now);
        crate::json::set(&mut condition, &["lastHeartbeatTime"], json!(now));
        condition
    })
    .collect();
    json!({"conditions": conditions})
}

//! The facts of the objects around pods: Services, Ingresses, nodes and volumes.

use serde_json::Value;

use super::super::read;
use super::super::reference::Reference;
use super::{Fact, lines};
use crate::cells::shown;
use crate::messages;

pub(super) fn service(object: &Value) -> Vec<Option<Fact>> {
    let joined = |pointer: &str| {
        let values: Vec<String> = read::list(object, pointer).iter().map(read::scalar).collect();
        Some(values.join(", "))
    };
    let ingress = |entry: &Value| read::text(entry, "/ip").or_else(|| read::text(entry, "/hostname"));
    let balanced: Vec<String> =
        read::list(object, "/status/loadBalancer/ingress").iter().filter_map(ingress).collect();
    let mut facts = vec![
        Fact::some(messages::TYPE, read::text(object, "/spec/type")),
        Fact::some(messages::CLUSTER_IPS, joined("/spec/clusterIPs")).map(Fact::mono),
        Fact::some(messages::EXTERNAL_IPS, joined("/spec/externalIPs")).map(Fact::mono),
        Fact::some(messages::EXTERNAL_NAME, read::text(object, "/spec/externalName")).map(Fact::mono),
        Fact::some(messages::LOAD_BALANCER, Some(balanced.join(", "))).map(Fact::mono),
        Fact::some(messages::TRAFFIC_POLICY, read::text(object, "/spec/externalTrafficPolicy")),
    ];
    facts.extend(lines(messages::PORTS, read::list(object, "/spec/ports").iter().map(port).collect()));
    let selector = read::joined(&read::pairs(object, "/spec/selector"));
    facts.push(Fact::some(messages::SELECTOR, Some(selector)).map(|fact| fact.mono().wide()));
    facts
}

fn port(port: &Value) -> (String, String) {
    let part = |pointer| read::text(port, pointer);
    let number = part("/port").unwrap_or_default();
    let protocol = part("/protocol").unwrap_or_else(|| "TCP".to_owned());
    let ways = messages::port(&number, &protocol, part("/targetPort"), part("/nodePort"));
    (ways, part("/name").unwrap_or_default())
}

pub(super) fn ingress(object: &Value) -> Vec<Option<Fact>> {
    let host = |rule: &Value| read::text(rule, "/host").unwrap_or_else(|| "*".to_owned());
    let rules = read::list(object, "/spec/rules");
    let of_rule = |rule: &Value| {
        let path = |path: &Value| {
            let service = read::text(path, "/backend/service/name").unwrap_or_default();
            (format!("{}{}", host(rule), read::text(path, "/path").unwrap_or_default()), service)
        };
        read::list(rule, "/http/paths").iter().map(path).collect::<Vec<_>>()
    };
    let mut facts = vec![
        Fact::some(messages::INGRESS_CLASS, read::text(object, "/spec/ingressClassName")).map(Fact::mono),
    ];
    facts.extend(lines(messages::RULES, rules.iter().flat_map(of_rule).collect()));
    facts
}

pub(super) fn node(object: &Value) -> Vec<Option<Fact>> {
    let system = |part: &str| read::text(object, &format!("/status/nodeInfo/{part}"));
    let is_cordoned = object.pointer("/spec/unschedulable").and_then(Value::as_bool) == Some(true);
    let address = |entry: &Value| {
        let text = |pointer| read::text(entry, pointer).unwrap_or_default();
        (text("/address"), text("/type"))
    };
    let taint = |taint: &Value| {
        let value = read::text(taint, "/value").map_or_else(String::new, |value| format!("={value}"));
        let text = |pointer| read::text(taint, pointer).unwrap_or_default();
        (format!("{}{value}:{}", text("/key"), text("/effect")), String::new())
    };
    let resources = |pointer: &str| {
        let pairs = read::pairs(object, pointer);
        Some(pairs.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", "))
    };
    let mut facts = vec![
        Fact::some(messages::SCHEDULING, is_cordoned.then(|| messages::CORDONED.to_owned())),
        Fact::some(messages::KUBELET, system("kubeletVersion")),
        Fact::some(messages::RUNTIME, system("containerRuntimeVersion")),
        Fact::some(messages::SYSTEM, system("osImage")),
        Fact::some(messages::KERNEL, system("kernelVersion")),
        Fact::some(messages::ARCHITECTURE, system("architecture")),
        Fact::some(messages::POD_CIDR, read::text(object, "/spec/podCIDR")).map(Fact::mono),
    ];
    facts.extend(lines(
        messages::ADDRESSES,
        read::list(object, "/status/addresses").iter().map(address).collect(),
    ));
    facts.push(Fact::some(messages::CAPACITY, resources("/status/capacity")).map(Fact::wide));
    facts.push(Fact::some(messages::ALLOCATABLE, resources("/status/allocatable")).map(Fact::wide));
    facts.extend(lines(messages::TAINTS, read::list(object, "/spec/taints").iter().map(taint).collect()));
    facts
}

pub(super) fn claim(object: &Value) -> Vec<Option<Fact>> {
    let volume = read::raw(object, "/spec/volumeName");
    let mut facts = vec![
        Fact::some(messages::PHASE, read::text(object, "/status/phase")),
        Fact::some(messages::VOLUME, read::text(object, "/spec/volumeName")).map(|fact| {
            fact.mono().linked(Reference::new("v1", "PersistentVolume", None, volume.unwrap_or_default()))
        }),
        Fact::some(messages::CAPACITY, read::text(object, "/status/capacity/storage")),
        Fact::some(messages::REQUESTED, read::text(object, "/spec/resources/requests/storage")),
    ];
    facts.extend(storage(object));
    facts
}

pub(super) fn volume(object: &Value) -> Vec<Option<Fact>> {
    let claim = || {
        let of = |part: &str| read::raw(object, &format!("/spec/claimRef/{part}"));
        Some(Reference::new("v1", "PersistentVolumeClaim", Some(of("namespace")?), of("name")?))
    };
    let named = |to: Reference| {
        let place = to.namespace.as_deref().unwrap_or_default();
        Fact::of(messages::CLAIM, shown(&format!("{place}/{}", to.name)).into_owned())
            .mono()
            .linked(to.clone())
    };
    let mut facts = vec![
        Fact::some(messages::PHASE, read::text(object, "/status/phase")),
        claim().map(named),
        Fact::some(messages::CAPACITY, read::text(object, "/spec/capacity/storage")),
        Fact::some(messages::RECLAIM_POLICY, read::text(object, "/spec/persistentVolumeReclaimPolicy")),
    ];
    facts.extend(storage(object));
    facts
}

/// The facts that claims and volumes share.
fn storage(object: &Value) -> Vec<Option<Fact>> {
    let modes: Vec<String> = read::list(object, "/spec/accessModes").iter().map(read::scalar).collect();
    let class = read::raw(object, "/spec/storageClassName");
    vec![
        Fact::some(messages::STORAGE_CLASS, read::text(object, "/spec/storageClassName")).map(|fact| {
            let to = Reference::new("storage.k8s.io/v1", "StorageClass", None, class.unwrap_or_default());
            fact.mono().linked(to)
        }),
        Fact::some(messages::ACCESS_MODES, Some(modes.join(", "))),
        Fact::some(messages::VOLUME_MODE, read::text(object, "/spec/volumeMode")),
    ]
}

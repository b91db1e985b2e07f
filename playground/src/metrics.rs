//! `metrics.k8s.io` as metrics-server answers it: what nodes and pods use, made up from the seed and
//! the time. Pure. It is served while its APIService exists; nothing of it is ever kept.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::random::{mix, seeded};
use crate::resource::{ResourceType, Verbs};
use crate::store::Object;

pub const GROUP: &str = "metrics.k8s.io";

/// The APIService that stands for it.
pub const API_SERVICE: &str = "v1beta1.metrics.k8s.io";

/// metrics-server asks the kubelets this often; between two answers the figures stay.
const SCRAPE_S: i64 = 15;

/// What a node uses besides its pods: a kubelet and an operating system.
const NODE_OWN: Usage = Usage { cpu_n: 120_000_000, memory_ki: 900 * 1024 };

/// The resources of the group. They have no singular name.
pub fn types() -> Vec<ResourceType> {
    let of = |plural, kind, namespaced| ResourceType {
        singular: String::new(),
        namespaced,
        ..ResourceType::new("metrics.k8s.io/v1beta1", plural, kind, Verbs::GetList)
    };
    vec![of("nodes", "NodeMetrics", false), of("pods", "PodMetrics", true)]
}

/// The object by which the aggregator knows the group.
pub fn api_service() -> Value {
    json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": {"name": API_SERVICE, "labels": {"k8s-app": "metrics-server"}},
        "spec": {
            "group": GROUP, "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100,
            "insecureSkipTLSVerify": true,
            "service": {"name": "metrics-server", "namespace": "kube-system", "port": 443},
        },
    })
}

/// What the aggregator writes into the status of a new APIService.
pub fn availability(api_service: &Value, now: &str) -> Value {
    let is_ours = crate::json::text(api_service, "/metadata/name") == API_SERVICE;
    let is_local = api_service.pointer("/spec/service").is_none();
    let (status, reason, message) = match (is_ours, is_local) {
        (true, _) => ("True", "Passed", "all checks passed".to_owned()),
        (_, true) => ("True", "Local", "Local APIServices are always available".to_owned()),
        _ => ("False", "ServiceNotFound", "nothing but metrics.k8s.io is aggregated here".to_owned()),
    };
    json!({"conditions": [{
        "type": "Available", "status": status, "reason": reason, "message": message, "lastTransitionTime": now,
    }]})
}

/// What a container or node used over the last window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub cpu_n: u64,
    pub memory_ki: u64,
}

impl Usage {
    fn and(self, other: Self) -> Self {
        Self { cpu_n: self.cpu_n + other.cpu_n, memory_ki: self.memory_ki + other.memory_ki }
    }

    fn value(self) -> Value {
        json!({"cpu": format!("{}n", self.cpu_n), "memory": format!("{}Ki", self.memory_ki)})
    }
}

/// One NodeMetrics or PodMetrics, without kind and apiVersion, and its row.
#[derive(Clone, Debug)]
pub struct Measured {
    pub value: Value,
    pub cells: Vec<Value>,
}

/// An instant, and the seed by which each container gets a load of its own.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    pub seed: u64,
    pub now_s: i64,
}

#[derive(Deserialize)]
struct Pod {
    #[serde(default)]
    spec: PodSpec,
    #[serde(default)]
    status: PodStatus,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PodSpec {
    #[serde(default)]
    node_name: String,
    #[serde(default)]
    containers: Vec<Container>,
}

#[derive(Deserialize)]
struct Container {
    name: String,
}

#[derive(Default, Deserialize)]
struct PodStatus {
    #[serde(default)]
    phase: String,
}

fn is_ready(node: &Object) -> bool {
    crate::json::condition(&node.value(), "Ready").is_some_and(|(status, _)| status == "True")
}

impl Meter {
    /// The pods that run on nodes that are ready: metrics-server gets no answer from the kubelets of the others.
    pub fn pods<'a>(
        &self,
        pods: impl Iterator<Item = &'a Object>,
        nodes: impl Iterator<Item = &'a Object>,
    ) -> Vec<Measured> {
        let silent: BTreeSet<&str> =
            nodes.filter(|node| !is_ready(node)).map(|node| node.name.as_str()).collect();
        pods.filter_map(|pod| self.pod(pod, &silent)).collect()
    }

    fn pod(&self, object: &Object, silent: &BTreeSet<&str>) -> Option<Measured> {
        let pod: Pod = serde_json::from_slice(&object.body()).ok()?;
        if silent.contains(pod.spec.node_name.as_str()) {
            return None;
        }
        let used = self.containers(object, &pod)?;
        let total = used.iter().fold(Usage::default(), |sum, (_, usage)| sum.and(*usage));
        let containers: Vec<Value> =
            used.iter().map(|(name, usage)| json!({"name": name, "usage": usage.value()})).collect();
        Some(self.measured(object, total, &[("containers", json!(containers))]))
    }

    /// The nodes of a cluster; one that isn't ready has no metrics.
    pub fn nodes<'a>(
        &self,
        nodes: impl Iterator<Item = &'a Object>,
        pods: impl Iterator<Item = &'a Object>,
    ) -> Vec<Measured> {
        let mut by_node: BTreeMap<String, Usage> = BTreeMap::new();
        for object in pods {
            let Ok(pod) = serde_json::from_slice::<Pod>(&object.body()) else {
                continue;
            };
            for (_, usage) in self.containers(object, &pod).unwrap_or_default() {
                let sum = by_node.entry(pod.spec.node_name.clone()).or_default();
                *sum = sum.and(usage);
            }
        }
        nodes
            .filter(|node| is_ready(node))
            .map(|node| {
                let pods = by_node.get(&node.name).copied().unwrap_or_default();
                let total = NODE_OWN.and(self.load(&node.uid)).and(pods);
                self.measured(node, total, &[("usage", total.value())])
            })
            .collect()
    }

    fn containers(&self, object: &Object, pod: &Pod) -> Option<Vec<(String, Usage)>> {
        (pod.status.phase == "Running").then(|| {
            let load = |one: &Container| self.load(&format!("{}/{}", object.uid, one.name));
            pod.spec.containers.iter().map(|one| (one.name.clone(), load(one))).collect()
        })
    }

    fn scraped_s(&self) -> i64 {
        self.now_s - self.now_s.rem_euclid(SCRAPE_S)
    }

    /// A load that rises and falls around a mean, both its own by its name.
    fn load(&self, who: &str) -> Usage {
        let mut own = seeded(who.bytes().fold(self.seed, |state, byte| mix(state ^ u64::from(byte))));
        let mean_n = 2_000_000 + own.u64(..60_000_000);
        let period_s = 120 + own.u64(..480);
        let resident_ki = (16 + own.u64(..112)) * 1024;
        let phase =
            u64::try_from(self.scraped_s()).unwrap_or_default().wrapping_add(own.u64(..period_s)) % period_s;
        // A triangle between 0 and 1,000.
        let height = (2_000 * phase / period_s).abs_diff(1_000);
        Usage {
            cpu_n: mean_n / 2 + mean_n * height / 1_000,
            memory_ki: resident_ki + resident_ki * height / 8_000,
        }
    }

    /// The kubelet's samples aren't taken on the second.
    fn window(&self) -> String {
        let ms = mix(self.seed ^ self.scraped_s().unsigned_abs()) % 9_000;
        format!("1{}.{:03}s", ms / 1_000, ms % 1_000)
    }

    /// Neither uid nor resourceVersion: metrics-server has none.
    fn measured(&self, object: &Object, total: Usage, own: &[(&str, Value)]) -> Measured {
        let window = self.window();
        let mut value = json!({
            "metadata": {"name": object.name, "creationTimestamp": clock::text_of(self.now_s)},
            "timestamp": clock::text_of(self.scraped_s()), "window": window,
        });
        if !object.namespace.is_empty() {
            crate::json::set(&mut value, &["metadata", "namespace"], json!(object.namespace));
        }
        if !object.labels.is_empty() {
            crate::json::set(&mut value, &["metadata", "labels"], json!(*object.labels));
        }
        for (field, content) in own {
            crate::json::set(&mut value, &[field], content.clone());
        }
        let cells = vec![
            json!(object.name),
            json!(format!("{}n", total.cpu_n)),
            json!(format!("{}Ki", total.memory_ki)),
            json!(window),
        ];
        Measured { value, cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(phase: &str) -> Object {
        let value = json!({
            "metadata": {"name": "web-1", "namespace": "shop", "uid": "u", "labels": {"app": "web"}},
            "spec": {"nodeName": "node-1", "containers": [{"name": "web"}, {"name": "proxy"}]},
            "status": {"phase": phase},
        });
        Object::new(value, 3)
    }

    const METER: Meter = Meter { seed: 7, now_s: 1_000_000_000 };

    #[test]
    fn the_same_seed_and_time_measure_the_same_and_the_next_scrape_something_else() {
        let usage =
            |meter: Meter| meter.pods([pod("Running")].iter(), [].iter())[0].value["containers"].clone();
        let at = |now_s| usage(Meter { now_s, ..METER });
        assert_eq!(at(METER.now_s), at(METER.now_s + 4));
        assert_ne!(at(METER.now_s), at(METER.now_s + SCRAPE_S));
        assert_ne!(usage(METER), usage(Meter { seed: 8, ..METER }));
    }

    #[test]
    fn a_node_uses_what_its_pods_use_and_more_and_one_that_isn_t_ready_is_left_out_with_its_pods() {
        let node = |name: &str, status: &str| {
            let ready = json!([{"type": "Ready", "status": status}]);
            Object::new(json!({"metadata": {"name": name, "uid": name}, "status": {"conditions": ready}}), 1)
        };
        let nodes = [node("node-1", "True"), node("node-2", "Unknown")];
        let cpu = |pods: &[Object]| {
            let found = METER.nodes(nodes.iter(), pods.iter());
            let names: Vec<&Value> = found.iter().map(|one| &one.value["metadata"]["name"]).collect();
            assert_eq!(names, ["node-1"]);
            found[0].value["usage"]["cpu"]
                .as_str()
                .and_then(|text| text.trim_end_matches('n').parse::<u64>().ok())
        };
        assert!(cpu(&[pod("Running")]) > cpu(&[pod("Failed")]));
        let measured = |node: &Object| METER.pods([pod("Running")].iter(), [node].into_iter()).len();
        assert_eq!((measured(&nodes[0]), measured(&node("node-1", "Unknown"))), (1, 0));
    }
}

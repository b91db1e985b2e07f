//! The facts of each kind as one table: the label, the path of the value in the object, and how it is shown. The
//! labels are those of `kubectl describe`.

use serde_json::Value;

use super::super::read::{self, Now};
use super::super::reference::Reference;
use super::Fact;
use super::own::{
    allocatable, capacity, claim, count, event_object, first_of, in_a_line, ingress_rules, job_duration,
    lines, load_balancer, namespace_of, observed_generation, pairs, part, pod_reason, port, scale_range,
    scale_target, schedule, seen, strategy, taint, volumes,
};
use crate::detail::words;

use Row::*;

type Label = &'static str;
/// A JSON Pointer into the object.
type Pointer = &'static str;

/// Makes one fact, or several under one label. A field that is missing makes none.
enum Row {
    Text(Label, Pointer),
    Mono(Label, Pointer),
    Wide(Label, Pointer),
    /// The name of another object of this apiVersion and kind.
    Link(Label, Pointer, &'static str, &'static str),
    Clock(Label, Pointer),
    ClockAndAge(Label, Pointer),
    /// This word, if the field is true.
    Flag(Label, Pointer, &'static str),
    /// `8 desired, 6 ready`
    Counts(Label, &'static [(Pointer, &'static str)]),
    /// `app=cart tier=api`
    Pairs(Label, Pointer),
    Selector,
    /// The images of the containers of this pod spec.
    Images(Pointer),
    /// A line for each element of a list: its text, and a note.
    Lines(Label, Pointer, fn(&Value) -> (String, String)),
    /// The ConfigMaps, Secrets and claims that a pod mounts, each with the name of its volume.
    Volumes,
    /// Each path with its host, and what answers it.
    IngressRules,
    Own(fn(&Value, Now) -> Option<Fact>),
}

fn rows_of(group: &str, kind: &str) -> &'static [Row] {
    match (group, kind) {
        ("", "Pod") => &[
            Link("Node", "/spec/nodeName", "v1", "Node"),
            Mono("Pod IP", "/status/podIP"),
            Text("QoS class", "/status/qosClass"),
            Link("Service account", "/spec/serviceAccountName", "v1", "ServiceAccount"),
            Mono("Priority", "/spec/priorityClassName"),
            Clock("Started", "/status/startTime"),
            Own(pod_reason),
            Images("/spec"),
            Volumes,
        ],
        ("apps", "Deployment") => &[
            Counts(
                "Replicas",
                &[
                    ("/spec/replicas", "desired"),
                    ("/status/updatedReplicas", "updated"),
                    ("/status/readyReplicas", "ready"),
                    ("/status/availableReplicas", "available"),
                ],
            ),
            Own(strategy),
            REVISION,
            Flag("Paused", "/spec/paused", "yes"),
            Selector,
            TEMPLATE_IMAGES,
        ],
        ("apps", "ReplicaSet") | ("", "ReplicationController") => {
            &[REPLICAS, REVISION, Selector, TEMPLATE_IMAGES]
        }
        ("apps", "StatefulSet") => &[
            REPLICAS,
            Link("Service", "/spec/serviceName", "v1", "Service"),
            Text("Strategy", "/spec/updateStrategy/type"),
            Text("Pod management", "/spec/podManagementPolicy"),
            Selector,
            TEMPLATE_IMAGES,
        ],
        ("apps", "DaemonSet") => &[
            Counts(
                "Pods",
                &[
                    ("/status/desiredNumberScheduled", "desired"),
                    ("/status/currentNumberScheduled", "current"),
                    ("/status/updatedNumberScheduled", "updated"),
                    ("/status/numberReady", "ready"),
                    ("/status/numberAvailable", "available"),
                ],
            ),
            Text("Strategy", "/spec/updateStrategy/type"),
            Selector,
            TEMPLATE_IMAGES,
        ],
        ("batch", "Job") => &[
            Counts(
                "Pods",
                &[
                    ("/status/active", "active"),
                    ("/status/succeeded", "succeeded"),
                    ("/status/failed", "failed"),
                ],
            ),
            Text("Completions", "/spec/completions"),
            Text("Parallelism", "/spec/parallelism"),
            Clock("Started", "/status/startTime"),
            Clock("Completed", "/status/completionTime"),
            Own(job_duration),
            Text("Backoff limit", "/spec/backoffLimit"),
            TEMPLATE_IMAGES,
        ],
        ("batch", "CronJob") => &[
            Own(schedule),
            Flag("Suspended", "/spec/suspend", "yes"),
            Text("Concurrency", "/spec/concurrencyPolicy"),
            ClockAndAge("Last run", "/status/lastScheduleTime"),
            ClockAndAge("Last success", "/status/lastSuccessfulTime"),
            Images("/spec/jobTemplate/spec/template/spec"),
        ],
        ("autoscaling", "HorizontalPodAutoscaler") => &[
            Own(scale_target),
            Counts(
                "Replicas",
                &[("/status/currentReplicas", "current"), ("/status/desiredReplicas", "desired")],
            ),
            Own(scale_range),
        ],
        ("", "Service") => &[
            Text("Type", "/spec/type"),
            Mono("Cluster IPs", "/spec/clusterIPs"),
            Mono("External IPs", "/spec/externalIPs"),
            Mono("External name", "/spec/externalName"),
            Own(load_balancer),
            Text("Traffic", "/spec/externalTrafficPolicy"),
            Lines("Ports", "/spec/ports", port),
            Selector,
        ],
        ("networking.k8s.io", "Ingress") => &[
            Link("Ingress class", "/spec/ingressClassName", "networking.k8s.io/v1", "IngressClass"),
            IngressRules,
        ],
        ("", "Node") => &[
            Flag("Scheduling", "/spec/unschedulable", "disabled"),
            Text("Kubelet", "/status/nodeInfo/kubeletVersion"),
            Text("Runtime", "/status/nodeInfo/containerRuntimeVersion"),
            Text("System", "/status/nodeInfo/osImage"),
            Text("Kernel", "/status/nodeInfo/kernelVersion"),
            Text("Architecture", "/status/nodeInfo/architecture"),
            Mono("Pod CIDR", "/spec/podCIDR"),
            Lines("Addresses", "/status/addresses", |address| {
                (part(address, "/address"), part(address, "/type"))
            }),
            Own(capacity),
            Own(allocatable),
            Lines("Taints", "/spec/taints", taint),
        ],
        ("", "PersistentVolumeClaim") => &[
            Text("Phase", "/status/phase"),
            Link("Volume", "/spec/volumeName", "v1", "PersistentVolume"),
            Text("Capacity", "/status/capacity/storage"),
            Text("Requested", "/spec/resources/requests/storage"),
            STORAGE_CLASS,
            ACCESS_MODES,
            VOLUME_MODE,
        ],
        ("", "PersistentVolume") => &[
            Text("Phase", "/status/phase"),
            Own(claim),
            Text("Capacity", "/spec/capacity/storage"),
            Text("Reclaim policy", "/spec/persistentVolumeReclaimPolicy"),
            STORAGE_CLASS,
            ACCESS_MODES,
            VOLUME_MODE,
        ],
        ("", "Secret") => &[Own(|_, _| Some(Fact::of("Values", words::SECRET_VALUES.to_owned()).wide()))],
        ("" | "events.k8s.io", "Event") => &[
            Own(event_object),
            Wide("Message", "/message"),
            Wide("Message", "/note"),
            Text("Reason", "/reason"),
            Text("Type", "/type"),
            Own(|object, _| first_of("Count", object, &["/series/count", "/count", "/deprecatedCount"])),
            Own(|object, now| {
                seen(
                    "First seen",
                    object,
                    now,
                    &["/firstTimestamp", "/deprecatedFirstTimestamp", "/eventTime"],
                )
            }),
            Own(|object, now| {
                let last =
                    ["/series/lastObservedTime", "/lastTimestamp", "/deprecatedLastTimestamp", "/eventTime"];
                seen("Last seen", object, now, &last)
            }),
            Own(|object, _| {
                first_of(
                    "Source",
                    object,
                    &["/reportingComponent", "/reportingController", "/source/component"],
                )
            }),
            Own(|object, _| first_of("Source host", object, &["/source/host", "/deprecatedSource/host"])),
            Text("Action", "/action"),
        ],
        _ => &[],
    }
}

/// The rows of every kind, after its own rows.
const GENERAL: &[Row] = &[
    ClockAndAge("Created", "/metadata/creationTimestamp"),
    Own(observed_generation),
    Pairs("Labels", "/metadata/labels"),
];

const REPLICAS: Row = Counts(
    "Replicas",
    &[("/spec/replicas", "desired"), ("/status/replicas", "current"), ("/status/readyReplicas", "ready")],
);
const REVISION: Row = Text("Revision", "/metadata/annotations/deployment.kubernetes.io~1revision");
const TEMPLATE_IMAGES: Row = Images("/spec/template/spec");
const STORAGE_CLASS: Row =
    Link("Storage class", "/spec/storageClassName", "storage.k8s.io/v1", "StorageClass");
const ACCESS_MODES: Row = Text("Access modes", "/spec/accessModes");
const VOLUME_MODE: Row = Text("Volume mode", "/spec/volumeMode");

/// What a kind without facts of its own shares with those of Kubernetes.
const OF_ANY_KIND: &[Row] = &[Selector, TEMPLATE_IMAGES];

/// The kind's own facts, then those of every kind.
pub(super) fn facts(object: &Value, now: Now) -> Vec<Fact> {
    let (group, kind) = read::group_and_kind(object).unwrap_or_default();
    let own = rows_of(group, kind);
    let own = if own.is_empty() { OF_ANY_KIND } else { own };
    own.iter().chain(GENERAL).flat_map(|row| row.facts(object, now)).collect()
}

/// Whether the kind has facts of its own.
pub(super) fn are_known(object: &Value) -> bool {
    read::group_and_kind(object).is_none_or(|(group, kind)| !rows_of(group, kind).is_empty())
}

impl Row {
    fn facts(&self, object: &Value, now: Now) -> Vec<Fact> {
        let text = |at: &str| object.pointer(at).map(in_a_line).unwrap_or_default();
        let time = |at: &str, shown: fn(&Now, i64) -> String| {
            read::time(object, at).map(|at| shown(&now, at)).unwrap_or_default()
        };
        let fact = match *self {
            Text(label, at) => Fact::some(label, text(at)),
            Mono(label, at) => Fact::some(label, text(at)).map(Fact::mono),
            Wide(label, at) => Fact::some(label, text(at)).map(Fact::wide),
            Link(label, at, api_version, kind) => Fact::some(label, text(at)).map(|fact| {
                let name = read::raw(object, at).unwrap_or_default();
                fact.mono().linked(Reference::new(api_version, kind, namespace_of(object), name))
            }),
            Clock(label, at) => Fact::some(label, time(at, Now::clock)),
            ClockAndAge(label, at) => Fact::some(label, time(at, Now::clock_and_age)),
            Flag(label, at, word) => {
                let is_true = object.pointer(at).and_then(Value::as_bool) == Some(true);
                is_true.then(|| Fact::of(label, word.to_owned()))
            }
            Counts(label, counts) => {
                let count = |(at, word): &(Pointer, &str)| format!("{} {word}", count(object, at));
                Some(Fact::of(label, counts.iter().map(count).collect::<Vec<_>>().join(", ")))
            }
            Pairs(label, at) => pairs(label, object, at),
            Selector => match object.pointer("/spec/selector/matchLabels") {
                Some(_) => pairs("Selector", object, "/spec/selector/matchLabels"),
                None => pairs("Selector", object, "/spec/selector"),
            },
            Images(spec) => {
                let containers = read::list(object, &format!("{spec}/containers"));
                let image = |container: &Value| (part(container, "/image"), part(container, "/name"));
                let label = if containers.len() == 1 { "Image" } else { "Images" };
                return lines(label, containers.iter().map(image));
            }
            Volumes => return volumes(object),
            Lines(label, at, line) => return lines(label, read::list(object, at).iter().map(line)),
            IngressRules => return ingress_rules(object),
            Own(fact) => fact(object, now),
        };
        fact.into_iter().collect()
    }
}

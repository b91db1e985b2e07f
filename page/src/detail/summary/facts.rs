//! The facts of each kind as one table: the label, the path of the value in the object, and how it is shown. The
//! labels are those of `kubectl describe`.

use serde_json::Value;

use super::super::read::{self, Now};
use super::super::reference::Reference;
use super::Fact;
use crate::cells::shown;

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
    /// Each path with its host, and the service that answers it.
    IngressRules,
    Own(fn(&Value, Now) -> Option<Fact>),
}

fn rows_of(group: &str, kind: &str) -> &'static [Row] {
    match (group, kind) {
        ("", "Pod") => &[
            Link("Node", "/spec/nodeName", "v1", "Node"),
            Mono("Pod IP", "/status/podIP"),
            Text("QoS class", "/status/qosClass"),
            Mono("Account", "/spec/serviceAccountName"),
            Mono("Priority", "/spec/priorityClassName"),
            Clock("Started", "/status/startTime"),
            Own(pod_reason),
            Images("/spec"),
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
            Text("Management", "/spec/podManagementPolicy"),
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
        ("networking.k8s.io", "Ingress") => &[Mono("Class", "/spec/ingressClassName"), IngressRules],
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
            Wide("Capacity", "/status/capacity"),
            Wide("Allocatable", "/status/allocatable"),
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
            Text("Reclaim", "/spec/persistentVolumeReclaimPolicy"),
            STORAGE_CLASS,
            ACCESS_MODES,
            VOLUME_MODE,
        ],
        ("", "Secret") => &[Mono("Type", "/type")],
        _ => &[],
    }
}

/// Of every kind, after its own.
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

/// The kind's own facts, then those of every kind.
pub(super) fn facts(object: &Value, now: Now) -> Vec<Fact> {
    let api_version = read::raw(object, "/apiVersion").unwrap_or_default();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let kind = read::raw(object, "/kind").unwrap_or_default();
    rows_of(group, kind).iter().chain(GENERAL).flat_map(|row| row.facts(object, now)).collect()
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
            Lines(label, at, line) => return lines(label, read::list(object, at).iter().map(line)),
            IngressRules => {
                return lines("Rules", read::list(object, "/spec/rules").iter().flat_map(ingress_paths));
            }
            Own(fact) => fact(object, now),
        };
        fact.into_iter().collect()
    }
}

/// A scalar; the elements of a list; the names and values of a map.
fn in_a_line(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(read::scalar).collect::<Vec<_>>().join(", "),
        Value::Object(_) => {
            let pairs = read::pairs(value, "");
            pairs.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
        }
        scalar => read::scalar(scalar),
    }
}

/// An unset `spec.replicas` means 1; an unset count of the status means 0.
fn count(object: &Value, at: &str) -> i64 {
    read::whole(object, at).unwrap_or(i64::from(at == "/spec/replicas"))
}

fn pairs(label: Label, object: &Value, at: &str) -> Option<Fact> {
    Fact::some(label, read::joined(&read::pairs(object, at))).map(|fact| fact.mono().wide())
}

/// One line each, under one label.
fn lines(label: Label, lines: impl Iterator<Item = (String, String)>) -> Vec<Fact> {
    let lines = lines.filter(|(value, _)| !value.is_empty()).enumerate();
    lines
        .map(|(place, (value, note))| Fact {
            note,
            ..Fact::of(if place == 0 { label } else { "" }, value).mono().wide()
        })
        .collect()
}

fn part(value: &Value, pointer: &str) -> String {
    read::text(value, pointer).unwrap_or_default()
}

fn namespace_of(object: &Value) -> Option<&str> {
    read::raw(object, "/metadata/namespace")
}

/// Why the pod as a whole is in its phase: evicted, unschedulable.
fn pod_reason(pod: &Value, _: Now) -> Option<Fact> {
    let reason = Fact::some("Reason", part(pod, "/status/reason"))?;
    Some(Fact { note: part(pod, "/status/message"), ..reason.wide() })
}

fn strategy(object: &Value, _: Now) -> Option<Fact> {
    let rolling = |what: &str, word: &str| {
        let value = read::text(object, &format!("/spec/strategy/rollingUpdate/{what}"));
        value.map_or_else(String::new, |value| format!(", {value} {word}"))
    };
    let limits = [rolling("maxUnavailable", "max unavailable"), rolling("maxSurge", "max surge")];
    Some(Fact::of("Strategy", read::text(object, "/spec/strategy/type")? + &limits.concat()).wide())
}

fn job_duration(object: &Value, now: Now) -> Option<Fact> {
    let start = read::time(object, "/status/startTime")?;
    let end = read::time(object, "/status/completionTime").unwrap_or(now.cluster_s);
    Some(Fact::of("Duration", shared::duration::human(end.saturating_sub(start))))
}

fn schedule(object: &Value, _: Now) -> Option<Fact> {
    let schedule = Fact::some("Schedule", part(object, "/spec/schedule"))?;
    Some(Fact { note: part(object, "/spec/timeZone"), ..schedule.mono() })
}

fn scale_target(object: &Value, _: Now) -> Option<Fact> {
    let of = |part: &str| read::raw(object, &format!("/spec/scaleTargetRef/{part}"));
    let (kind, name) = (of("kind")?, of("name")?);
    let to = Reference::new(of("apiVersion").unwrap_or("apps/v1"), kind, namespace_of(object), name);
    Some(Fact::of("Scales", shown(&format!("{kind} {name}")).into_owned()).mono().linked(to))
}

fn scale_range(object: &Value, _: Now) -> Option<Fact> {
    let most = read::whole(object, "/spec/maxReplicas")?;
    let least = read::whole(object, "/spec/minReplicas").unwrap_or(1);
    Some(Fact::of("Range", format!("{least} to {most} replicas")))
}

fn load_balancer(object: &Value, _: Now) -> Option<Fact> {
    let address = |entry: &Value| read::text(entry, "/ip").or_else(|| read::text(entry, "/hostname"));
    let addresses = read::list(object, "/status/loadBalancer/ingress").iter().filter_map(address);
    Fact::some("Load balancer", addresses.collect::<Vec<_>>().join(", ")).map(Fact::mono)
}

/// `80/TCP to web, node port 30080`, and the port's name.
fn port(port: &Value) -> (String, String) {
    let number = part(port, "/port");
    let protocol = read::text(port, "/protocol").unwrap_or_else(|| "TCP".to_owned());
    let target = read::text(port, "/targetPort").filter(|target| *target != number);
    let target = target.map_or_else(String::new, |target| format!(" to {target}"));
    let node = read::text(port, "/nodePort").map_or_else(String::new, |port| format!(", node port {port}"));
    (format!("{number}/{protocol}{target}{node}"), part(port, "/name"))
}

/// `gpu=a:NoSchedule`
fn taint(taint: &Value) -> (String, String) {
    let value = read::text(taint, "/value").map_or_else(String::new, |value| format!("={value}"));
    (format!("{}{value}:{}", part(taint, "/key"), part(taint, "/effect")), String::new())
}

fn ingress_paths(rule: &Value) -> Vec<(String, String)> {
    let host = read::text(rule, "/host").unwrap_or_else(|| "*".to_owned());
    let path = |path: &Value| (host.clone() + &part(path, "/path"), part(path, "/backend/service/name"));
    read::list(rule, "/http/paths").iter().map(path).collect()
}

/// The claim that a volume is bound to.
fn claim(object: &Value, _: Now) -> Option<Fact> {
    let of = |part: &str| read::raw(object, &format!("/spec/claimRef/{part}"));
    let (namespace, name) = (of("namespace")?, of("name")?);
    let to = Reference::new("v1", "PersistentVolumeClaim", Some(namespace), name);
    Some(Fact::of("Claim", shown(&format!("{namespace}/{name}")).into_owned()).mono().linked(to))
}

/// Shown if the controller hasn't seen the newest spec.
fn observed_generation(object: &Value, _: Now) -> Option<Fact> {
    let generation = read::whole(object, "/metadata/generation")?;
    let observed = read::whole(object, "/status/observedGeneration")?;
    (observed < generation).then(|| Fact::of("Generation", format!("{observed} of {generation} observed")))
}

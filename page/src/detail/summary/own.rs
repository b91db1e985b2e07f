//! Facts that are more than one field of an object, or a field in other words.

use serde_json::Value;

use super::super::read::{self, Now};
use super::super::reference::Reference;
use super::super::words;
use super::Fact;
use crate::cells::shown;
use crate::query::value::quantity;

/// A scalar; the elements of a list; the names and values of a map.
pub(super) fn in_a_line(value: &Value) -> String {
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
pub(super) fn count(object: &Value, at: &str) -> i64 {
    read::whole(object, at).unwrap_or(i64::from(at == "/spec/replicas"))
}

pub(super) fn pairs(label: &'static str, object: &Value, at: &str) -> Option<Fact> {
    let pairs = read::pairs(object, at);
    let chips = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let fact = Fact::some(label, read::joined(&pairs))?;
    Some(Fact { chips, ..fact.mono().wide() })
}

/// A fact for each line. The label stands beside the first line alone.
pub(super) fn lines(label: &'static str, lines: impl Iterator<Item = (String, String)>) -> Vec<Fact> {
    let lines = lines.filter(|(value, _)| !value.is_empty()).enumerate();
    lines
        .map(|(place, (value, note))| Fact {
            note,
            ..Fact::of(if place == 0 { label } else { "" }, value).mono().wide()
        })
        .collect()
}

pub(super) fn part(value: &Value, pointer: &str) -> String {
    read::text(value, pointer).unwrap_or_default()
}

pub(super) fn namespace_of(object: &Value) -> Option<&str> {
    read::raw(object, "/metadata/namespace")
}

/// Why the pod as a whole is in its phase: evicted, unschedulable.
pub(super) fn pod_reason(pod: &Value, _: Now) -> Option<Fact> {
    let reason = Fact::some("Reason", part(pod, "/status/reason"))?;
    Some(Fact { note: part(pod, "/status/message"), ..reason.wide() })
}

pub(super) fn strategy(object: &Value, _: Now) -> Option<Fact> {
    let rolling = |what: &str, word: &str| {
        let value = read::text(object, &format!("/spec/strategy/rollingUpdate/{what}"));
        value.map_or_else(String::new, |value| format!(", {value} {word}"))
    };
    let limits = [rolling("maxUnavailable", "max unavailable"), rolling("maxSurge", "max surge")];
    Some(Fact::of("Strategy", read::text(object, "/spec/strategy/type")? + &limits.concat()).wide())
}

/// `8 CPU · 31 GiB memory · 110 pods`
pub(super) fn capacity(object: &Value, _: Now) -> Option<Fact> {
    amounts("Capacity", object, "/status/capacity")
}

pub(super) fn allocatable(object: &Value, _: Now) -> Option<Fact> {
    amounts("Allocatable", object, "/status/allocatable")
}

/// What people ask about a node stands first; of the others those that it has.
fn amounts(label: &'static str, object: &Value, at: &str) -> Option<Fact> {
    let held = read::pairs(object, at);
    let order = ["cpu", "memory", "ephemeral-storage", "pods"];
    let place = |name: &str| order.iter().position(|known| *known == name).unwrap_or(order.len());
    let mut held: Vec<(String, String)> =
        held.into_iter().filter(|(name, amount)| place(name) < order.len() || amount != "0").collect();
    shared::sorted::sort_by_key(&mut held, |(name, _)| place(name));
    let said: Vec<String> = held.iter().map(|(name, amount)| amount_in_words(name, amount)).collect();
    Some(Fact::some(label, said.join(" · "))?.wide())
}

/// As people say it; the YAML has it to the byte. An amount that can't be read stays as it is.
fn amount_in_words(name: &str, amount: &str) -> String {
    let read = quantity(amount);
    match (name, read) {
        ("cpu", Some(cores)) => words::cores(cores),
        ("memory", Some(bytes)) => words::memory(bytes),
        ("ephemeral-storage", Some(bytes)) => words::storage(bytes),
        ("pods", _) => words::pods(amount),
        _ => format!("{amount} {name}"),
    }
}

pub(super) fn job_duration(object: &Value, now: Now) -> Option<Fact> {
    let start = read::time(object, "/status/startTime")?;
    let end = read::time(object, "/status/completionTime").unwrap_or(now.cluster_s);
    Some(Fact::of("Duration", shared::duration::human(end.saturating_sub(start))))
}

pub(super) fn schedule(object: &Value, _: Now) -> Option<Fact> {
    let schedule = Fact::some("Schedule", part(object, "/spec/schedule"))?;
    Some(Fact { note: part(object, "/spec/timeZone"), ..schedule.mono() })
}

pub(super) fn scale_target(object: &Value, _: Now) -> Option<Fact> {
    let of = |part: &str| read::raw(object, &format!("/spec/scaleTargetRef/{part}"));
    let (kind, name) = (of("kind")?, of("name")?);
    let to = Reference::new(of("apiVersion").unwrap_or("apps/v1"), kind, namespace_of(object), name);
    Some(Fact::of("Scale target", shown(&format!("{kind} {name}")).into_owned()).mono().linked(to))
}

pub(super) fn scale_range(object: &Value, _: Now) -> Option<Fact> {
    let most = read::whole(object, "/spec/maxReplicas")?;
    let least = read::whole(object, "/spec/minReplicas").unwrap_or(1);
    Some(Fact::of("Range", format!("{least} to {most} replicas")))
}

pub(super) fn load_balancer(object: &Value, _: Now) -> Option<Fact> {
    let address = |entry: &Value| read::text(entry, "/ip").or_else(|| read::text(entry, "/hostname"));
    let addresses = read::list(object, "/status/loadBalancer/ingress").iter().filter_map(address);
    Fact::some("Load balancer", addresses.collect::<Vec<_>>().join(", ")).map(Fact::mono)
}

/// `80/TCP to web, node port 30080`, and the port's name.
pub(super) fn port(port: &Value) -> (String, String) {
    let number = part(port, "/port");
    let protocol = read::text(port, "/protocol").unwrap_or_else(|| "TCP".to_owned());
    let target = read::text(port, "/targetPort").filter(|target| *target != number);
    let target = target.map_or_else(String::new, |target| format!(" to {target}"));
    let node = read::text(port, "/nodePort").map_or_else(String::new, |port| format!(", node port {port}"));
    (format!("{number}/{protocol}{target}{node}"), part(port, "/name"))
}

/// `gpu=a:NoSchedule`
pub(super) fn taint(taint: &Value) -> (String, String) {
    let value = read::text(taint, "/value").map_or_else(String::new, |value| format!("={value}"));
    (format!("{}{value}:{}", part(taint, "/key"), part(taint, "/effect")), String::new())
}

/// A line for each path, with a link to what answers it: `shop.example.com/cart → web:80`.
pub(super) fn ingress_rules(ingress: &Value) -> Vec<Fact> {
    let default =
        ingress.pointer("/spec/defaultBackend").map(|backend| (words::OTHER_PATHS.to_owned(), backend));
    let rules = read::list(ingress, "/spec/rules").iter().flat_map(|rule| {
        let host = read::text(rule, "/host").unwrap_or_else(|| "*".to_owned());
        let paths = read::list(rule, "/http/paths").iter();
        paths.filter_map(move |path| Some((host.clone() + &part(path, "/path"), path.get("backend")?)))
    });
    let mut facts = Vec::new();
    for (place, backend) in rules.chain(default) {
        let label = if facts.is_empty() { "Rules" } else { "" };
        let Some((name, to)) = backend_of(backend, namespace_of(ingress)) else { continue };
        facts.push(Fact::of(label, words::answered_by(&place, &name)).mono().wide().linked(to));
    }
    facts
}

/// A Service with its port, or another object of the Ingress's namespace.
fn backend_of(backend: &Value, namespace: Option<&str>) -> Option<(String, Reference)> {
    if let Some(service) = read::raw(backend, "/service/name") {
        let port = read::text(backend, "/service/port/number");
        let port = port.or_else(|| read::text(backend, "/service/port/name"));
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        return Some((
            shown(service).into_owned() + &port,
            Reference::new("v1", "Service", namespace, service),
        ));
    }
    let (kind, name) = (read::raw(backend, "/resource/kind")?, read::raw(backend, "/resource/name")?);
    let group =
        read::raw(backend, "/resource/apiGroup").map_or_else(String::new, |group| format!("{group}/"));
    Some((shown(&format!("{kind} {name}")).into_owned(), Reference::new(&group, kind, namespace, name)))
}

/// The claim that a volume is bound to.
pub(super) fn claim(object: &Value, _: Now) -> Option<Fact> {
    let of = |part: &str| read::raw(object, &format!("/spec/claimRef/{part}"));
    let (namespace, name) = (of("namespace")?, of("name")?);
    let to = Reference::new("v1", "PersistentVolumeClaim", Some(namespace), name);
    Some(Fact::of("Claim", shown(&format!("{namespace}/{name}")).into_owned()).mono().linked(to))
}

/// Shown if the controller hasn't seen the newest spec.
pub(super) fn observed_generation(object: &Value, _: Now) -> Option<Fact> {
    let generation = read::whole(object, "/metadata/generation")?;
    let observed = read::whole(object, "/status/observedGeneration")?;
    (observed < generation).then(|| Fact::of("Generation", format!("{observed} of {generation} observed")))
}

pub(super) fn first_of(label: &'static str, object: &Value, pointers: &[&str]) -> Option<Fact> {
    pointers.iter().find_map(|at| Fact::some(label, part(object, at)))
}

pub(super) fn seen(label: &'static str, object: &Value, now: Now, pointers: &[&str]) -> Option<Fact> {
    let at = pointers.iter().find_map(|at| read::time(object, at))?;
    Some(Fact::of(label, now.clock_and_age(at)))
}

/// The object that an Event is about.
pub(super) fn event_object(object: &Value, _: Now) -> Option<Fact> {
    let about = object.get("involvedObject").or_else(|| object.get("regarding"))?;
    let of = |at: &str| read::raw(about, at);
    let (kind, name) = (of("/kind")?, of("/name")?);
    let to = Reference::new(of("/apiVersion").unwrap_or("v1"), kind, of("/namespace"), name);
    let place = of("/namespace").map_or_else(String::new, |namespace| format!(" in {namespace}"));
    let note = of("/fieldPath").map(|path| shown(path).into_owned()).unwrap_or_default();
    let fact = Fact::of("Object", shown(&format!("{kind} {name}{place}")).into_owned());
    Some(Fact { note, ..fact.linked(to).wide() })
}

/// What a pod mounts, each with the name of its volume. A Secret is named and not linked, because its values are never
/// shown.
pub(super) fn volumes(pod: &Value) -> Vec<Fact> {
    let mut facts = Vec::new();
    for volume in read::list(pod, "/spec/volumes") {
        let sources = [volume].into_iter().chain(read::list(volume, "/projected/sources"));
        for (kind, name) in sources.flat_map(sources_of) {
            let to = Reference::new("v1", kind, namespace_of(pod), name);
            let label = if facts.is_empty() { "Volumes" } else { "" };
            let fact = Fact::of(label, shown(&format!("{kind} {name}")).into_owned()).mono().wide();
            let fact = Fact { note: part(volume, "/name"), ..fact };
            facts.push(if kind == "Secret" { fact } else { fact.linked(to) });
        }
    }
    facts
}

fn sources_of(volume: &Value) -> impl Iterator<Item = (&'static str, &str)> {
    const SOURCES: [(&str, &str); 4] = [
        ("ConfigMap", "/configMap/name"),
        ("Secret", "/secret/secretName"),
        ("Secret", "/secret/name"),
        ("PersistentVolumeClaim", "/persistentVolumeClaim/claimName"),
    ];
    SOURCES.into_iter().filter_map(|(kind, at)| Some((kind, read::raw(volume, at)?)))
}

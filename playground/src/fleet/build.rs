//! Objects as people and installers would write them, before any component looks at them: the
//! manifests in `build/manifests.yaml`, filled with the names of the inventory.
//! It never chooses; the inventory and the times are passed in.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::context::{KUBELET, PEOPLE, condition_of};
use super::inventory::{App, INVENTORY, NODES, Part, is_filling_node, node_name};
use super::recorder::hash_of;
use super::{Change, Mutation};
use crate::json::set;

const DAY_S: i64 = 86_400;

/// By occasion, then by resource.
static MANIFESTS: LazyLock<Value> = LazyLock::new(|| {
    // A unit test reads every manifest.
    serde_saphyr::from_str(include_str!("build/manifests.yaml")).unwrap_or_default()
});

/// What stands for a `$word`. `$namespace` begins as `$name` does, and so comes before it.
type Words<'a> = [(&'a str, Value)];

fn named(namespace: &str, name: &str) -> Vec<(&'static str, Value)> {
    vec![("$namespace", json!(namespace)), ("$name", json!(name))]
}

/// A word alone becomes its value; within a longer text it becomes its text.
fn fill(value: &Value, words: &Words<'_>) -> Value {
    match value {
        Value::String(text) => match words.iter().find(|(word, _)| word == text) {
            Some((_, value)) => value.clone(),
            None => json!(words.iter().fold(text.clone(), |text, (word, value)| {
                text.replace(word, value.as_str().unwrap_or_default())
            })),
        },
        Value::Array(items) => items.iter().map(|item| fill(item, words)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(field, value)| (field.clone(), fill(value, words))).collect()
        }
        other => other.clone(),
    }
}

fn manifest(occasion: &str) -> &'static Value {
    MANIFESTS.get(occasion).unwrap_or(&Value::Null)
}

/// Creates what an occasion calls for.
fn apply(occasion: &str, words: &Words<'_>, manager: &'static str) -> Vec<Mutation> {
    let objects = manifest(occasion).as_object().into_iter().flatten();
    objects.map(|(resource, object)| Mutation::create(resource, manager, fill(object, words))).collect()
}

/// What is created, and how many seconds ago: oldest first.
pub(super) fn history() -> Vec<(i64, Vec<Mutation>)> {
    let mut history = vec![
        (214 * DAY_S, base()),
        (213 * DAY_S, INVENTORY.teams.iter().flat_map(|team| of_team(team)).collect()),
        (212 * DAY_S, definitions()),
    ];
    let mut age_s = 160 * DAY_S;
    let mut at = |done: Vec<Mutation>| {
        history.push((age_s, done));
        // Ages differ as they do in a cluster that grew.
        age_s = age_s * 6 / 7 - 1_777;
    };
    for (namespace, name, image) in &INVENTORY.agents {
        at(agent(namespace, name, image));
    }
    for (namespace, name, replicas, size) in &INVENTORY.databases {
        at(database(namespace, name, *replicas, size));
    }
    for one in &INVENTORY.apps {
        at(app(one));
    }
    for (namespace, name) in &INVENTORY.rollouts {
        at(rollout(namespace, name));
    }
    let certificate =
        |(namespace, name): &(String, String)| apply("certificate", &named(namespace, name), PEOPLE);
    at(INVENTORY.certificates.iter().flat_map(certificate).collect());
    at(INVENTORY.cron_jobs.iter().flat_map(|(namespace, name)| cron_job(namespace, name)).collect());
    history
}

/// An empty cluster has only the namespaces that every one has.
pub(super) fn empty() -> Vec<Mutation> {
    ["default", "kube-system"].into_iter().flat_map(namespace).collect()
}

pub(super) fn namespace(name: &str) -> Vec<Mutation> {
    apply("namespace", &named("", name), "kube-apiserver")
}

fn base() -> Vec<Mutation> {
    let mut done: Vec<Mutation> = INVENTORY.namespaces.iter().flat_map(|name| namespace(name)).collect();
    for number in 0..NODES {
        let name = node_name(number);
        done.extend(node(&name, number, number == 0));
        done.extend(lease("kube-node-lease", &name, &name, KUBELET));
    }
    let holder = format!("{}_6f0c", node_name(0));
    for component in ["kube-controller-manager", "kube-scheduler"] {
        done.extend(lease("kube-system", component, &holder, component));
    }
    done.extend(apply("cluster", &[], PEOPLE));
    done
}

fn lease(namespace: &str, name: &str, holder: &str, manager: &'static str) -> Vec<Mutation> {
    let mut words = named(namespace, name);
    words.push(("$holder", json!(holder)));
    words.push(("$seconds", json!(if manager == KUBELET { 40 } else { 15 })));
    apply("lease", &words, manager)
}

/// A node; the first is the control plane's too.
pub(super) fn node(name: &str, number: usize, is_first: bool) -> Vec<Mutation> {
    // Agents run on the nodes of the first region only.
    let (region, zone) = match is_filling_node(name) {
        true => ("scale", "scale-a"),
        false => ("eu1", name.get(..5).unwrap_or_default()),
    };
    let words = [
        ("$name", json!(name)),
        ("$region", json!(region)),
        ("$zone", json!(zone)),
        ("$range", json!(format!("10.{}.0.0/16", 64 + number % 128))),
        ("$address", json!(format!("192.168.{}.{}", 7 + number / 200, 10 + number % 200))),
    ];
    let mut done = apply("node", &words, KUBELET);
    if let (Some(Change::Create(value)), true) = (done.first_mut().map(|node| &mut node.change), is_first) {
        set(value, &["metadata", "labels", "node-role.kubernetes.io/control-plane"], json!(""));
    }
    done
}

/// The status of a node whose kubelet is well.
pub(super) fn node_status(node: &Value, now: &str) -> Value {
    let conditions: Vec<Value> = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ]
    .into_iter()
    .map(|(kind, status, reason, message)| {
        let mut condition = condition_of(node, kind, status, reason, message, now);
        set(&mut condition, &["lastHeartbeatTime"], json!(now));
        condition
    })
    .collect();
    json!({"conditions": conditions})
}

fn of_team(team: &str) -> Vec<Mutation> {
    let words = named("", team);
    [apply("team", &words, PEOPLE), apply("team-network", &words, PEOPLE)].concat()
}

fn definitions() -> Vec<Mutation> {
    let definition = |found: &Value| {
        let mut value = found.clone();
        set(&mut value, &["status"], crate::crd::established(found, "2025-01-01T00:00:00Z"));
        Mutation::create("customresourcedefinitions.apiextensions.k8s.io", PEOPLE, value)
    };
    manifest("definitions").as_array().into_iter().flatten().map(definition).collect()
}

pub(super) fn template(namespace: &str, name: &str, image: &str, cpu: &str) -> Value {
    let mut words = named(namespace, name);
    words.extend([("$image", json!(image)), ("$cpu", json!(cpu))]);
    fill(manifest("template"), &words)
}

/// A workload with its pod template.
fn workload(occasion: &str, namespace: &str, name: &str, template: Value, own: &Words<'_>) -> Vec<Mutation> {
    let words = [&named(namespace, name)[..], &[("$template", template)], own].concat();
    apply(occasion, &words, PEOPLE)
}

pub(super) fn deployment(namespace: &str, name: &str, template: Value, replicas: i64) -> Vec<Mutation> {
    workload("deployment", namespace, name, template, &[("$replicas", json!(replicas))])
}

fn app(app: &App) -> Vec<Mutation> {
    let (namespace, name) = (app.namespace.as_str(), app.name.as_str());
    let image = format!("{}:v1.{}.0", app.repository, app.minor);
    let mut template = template(namespace, name, &image, "100m");
    set(&mut template, &["spec", "serviceAccountName"], json!(name));
    if let Some(container) = template.pointer_mut("/spec/containers/0") {
        set(container, &["envFrom"], json!([{"configMapRef": {"name": format!("{name}-config")}}]));
    }
    if app.part == Part::Prepared {
        let image = json!(format!("{}-migrate:v1.{}.0", app.repository, app.minor));
        set(&mut template, &["spec", "initContainers"], fill(manifest("migration"), &[("$image", image)]));
    }
    let words = named(namespace, name);
    let mut done = apply("app", &words, PEOPLE);
    done.extend(deployment(namespace, name, template, app.replicas));
    done.extend(service(namespace, name, 80));
    for (occasion, is_wanted) in [
        ("budget", app.replicas > 1 && namespace != "kube-system"),
        ("autoscaler", app.part == Part::Scaled),
        ("ingress", matches!(name, "storefront" | "payments-api" | "grafana")),
    ] {
        if is_wanted {
            done.extend(apply(occasion, &words, PEOPLE));
        }
    }
    done
}

/// A service; the storefront's is open to the world, and a database has no address of its own.
fn service(namespace: &str, name: &str, port: i64) -> Vec<Mutation> {
    let hash = hash_of(&[namespace, name]);
    let address = match port {
        5432 => "None".to_owned(),
        _ => format!("10.96.{}.{}", 1 + hash % 250, 2 + (hash >> 16) % 250),
    };
    let mut words = named(namespace, name);
    words.extend([("$address", json!(address)), ("$port", json!(port))]);
    let mut done = apply("service", &words, PEOPLE);
    if let (Some(Change::Create(value)), "storefront") = (done.first_mut().map(|made| &mut made.change), name)
    {
        crate::patch::merge(value, manifest("open-service"));
    }
    done
}

fn database(namespace: &str, name: &str, replicas: i64, size: &str) -> Vec<Mutation> {
    let image = format!("registry.example.com/{namespace}/{name}:v2.0.4");
    let mut template = template(namespace, name, &image, "500m");
    if let Some(container) = template.pointer_mut("/spec/containers/0") {
        set(container, &["volumeMounts"], json!([{"name": "data", "mountPath": "/var/lib/data"}]));
    }
    let own = [("$replicas", json!(replicas)), ("$size", json!(size))];
    let mut done = workload("database", namespace, name, template, &own);
    done.extend(service(namespace, name, 5432));
    done.extend(apply("budget", &named(namespace, name), PEOPLE));
    done
}

fn agent(namespace: &str, name: &str, image: &str) -> Vec<Mutation> {
    let mut template = template(namespace, name, image, "50m");
    set(&mut template, &["spec", "nodeSelector"], json!({"topology.kubernetes.io/region": "eu1"}));
    workload("agent", namespace, name, template, &[])
}

fn cron_job(namespace: &str, name: &str) -> Vec<Mutation> {
    let image = format!("registry.example.com/{namespace}/{name}:v3.2.0");
    let mut template = template(namespace, name, &image, "50m");
    set(&mut template, &["spec", "restartPolicy"], json!("Never"));
    set(&mut template, &["metadata", "labels"], json!({"app": name}));
    workload("cron-job", namespace, name, template, &[])
}

fn rollout(namespace: &str, name: &str) -> Vec<Mutation> {
    let image = format!("registry.example.com/{namespace}/{name}:v1.40.0");
    let mut done = workload("rollout", namespace, name, template(namespace, name, &image, "50m"), &[]);
    done.extend(service(namespace, name, 80));
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_every_manifest_is_filled() {
        let all: Vec<Mutation> = history().into_iter().flat_map(|(_, done)| done).collect();
        assert!(all.len() > 150, "{}", all.len());
        for mutation in &all {
            let Change::Create(value) = &mutation.change else { continue };
            assert!(!mutation.name.is_empty(), "{mutation:?}");
            assert!(!value.to_string().contains('$'), "{value}");
        }
    }
}

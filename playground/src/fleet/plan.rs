//! What the fleet knows of itself: its apps, their replica sets and pods, nodes, jobs and custom
//! resources. It never knows what a person changed through the API.

use std::collections::VecDeque;

use serde_json::Value;

use super::{Mutation, build, driver};
use crate::clock;
use crate::random::Random;

/// Events that live at once. The real ones live an hour.
const EVENTS_MAX: usize = 40;

/// Pods of one deployment of the filling that makes a cluster large.
const FILLING_PODS: usize = 50;

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) number: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Pod {
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) node: String,
    pub(super) ip: String,
    pub(super) restarts: i64,
}

#[derive(Clone, Debug)]
pub(super) struct ReplicaSet {
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) hash: String,
    pub(super) tag: u64,
    pub(super) pods: Vec<Pod>,
}

/// A deployment, its replica sets oldest first.
#[derive(Clone, Debug)]
pub(super) struct App {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) image: String,
    pub(super) replicas: usize,
    pub(super) sets: Vec<ReplicaSet>,
    /// Filling never acts as a whole; its pods are touched one by one.
    pub(super) is_filling: bool,
}

impl App {
    pub(super) fn pods(&self) -> usize {
        self.sets.iter().map(|set| set.pods.len()).sum()
    }
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) chance: Random,
    pub(super) pod_bytes: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) apps: Vec<App>,
    events: VecDeque<(String, String)>,
    objects_min: usize,
    serial: u64,
}

/// Namespace, name, image, replicas.
const APPS: &[(&str, &str, &str, usize)] = &[
    ("payments", "payments-api", "registry.example.com/payments/api", 3),
    ("payments", "fraud-check", "registry.example.com/payments/fraud-check", 2),
    ("shop", "storefront", "registry.example.com/shop/storefront", 4),
    ("shop", "cart", "registry.example.com/shop/cart", 2),
    ("shop", "recommendations", "registry.example.com/shop/recommendations", 2),
    ("ledger", "ledger-writer", "registry.example.com/ledger/writer", 2),
    ("observability", "prometheus-adapter", "registry.example.com/observability/adapter", 1),
    ("kube-system", "coredns", "registry.k8s.io/coredns/coredns", 2),
];

pub(super) const NAMESPACES: &[&str] =
    &["default", "kube-node-lease", "kube-system", "ledger", "observability", "payments", "shop"];

impl World {
    pub(super) fn new(chance: Random, objects_min: usize, pod_bytes: usize) -> Self {
        let mut world = Self {
            chance,
            pod_bytes,
            nodes: Vec::new(),
            apps: Vec::new(),
            events: VecDeque::new(),
            objects_min,
            serial: 0,
        };
        if objects_min > 0 {
            world.plan();
        }
        world
    }

    pub(super) fn is_empty(&self) -> bool {
        self.apps.is_empty()
    }

    fn plan(&mut self) {
        for number in 0..5 {
            let zone = ["a", "b", "c"].get(number % 3).copied().unwrap_or("a");
            let node = Node { name: format!("eu1-{zone}-{:02}", number + 1), uid: self.uid(), number };
            self.nodes.push(node);
        }
        for (namespace, name, image, replicas) in APPS {
            self.add_app(namespace, name, image, *replicas, false);
        }
    }

    /// Fills up with deployments until there are enough objects.
    fn fill(&mut self, there: usize) {
        let missing = self.objects_min.saturating_sub(there);
        let mut pods = missing;
        let mut number = 0;
        while pods > 0 {
            let replicas = pods.min(FILLING_PODS);
            let name = format!("load-{number:04}");
            let namespace = format!("scale-{:02}", number % 20);
            self.add_app(&namespace, &name, "registry.example.com/scale/load", replicas, true);
            pods -= replicas;
            number += 1;
        }
    }

    fn add_app(&mut self, namespace: &str, name: &str, image: &str, replicas: usize, is_filling: bool) {
        let mut app = App {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid: self.uid(),
            image: image.to_owned(),
            replicas,
            sets: Vec::new(),
            is_filling,
        };
        let mut set = self.new_set(&app, 14);
        for _ in 0..replicas {
            let pod = self.new_pod(&set);
            set.pods.push(pod);
        }
        app.sets.push(set);
        self.apps.push(app);
    }

    pub(super) fn uid(&mut self) -> String {
        let (high, low) = (self.chance.next(), self.chance.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            0x8000 | ((low >> 48) & 0x3fff),
            low & 0xffff_ffff_ffff
        )
    }

    pub(super) fn new_set(&mut self, app: &App, tag: u64) -> ReplicaSet {
        let hash = self.chance.suffix(9);
        ReplicaSet { name: format!("{}-{hash}", app.name), uid: self.uid(), hash, tag, pods: Vec::new() }
    }

    pub(super) fn new_pod(&mut self, set: &ReplicaSet) -> Pod {
        let name = format!("{}-{}", set.name, self.chance.suffix(5));
        self.pod_named(name)
    }

    pub(super) fn pod_named(&mut self, name: String) -> Pod {
        let node = self.chance.pick(&self.nodes).cloned();
        let number = node.as_ref().map_or(0, |node| node.number);
        Pod {
            name,
            uid: self.uid(),
            node: node.map(|node| node.name).unwrap_or_default(),
            ip: format!("10.{}.{}.{}", 64 + number, self.chance.below(250), 2 + self.chance.below(250)),
            restarts: 0,
        }
    }

    /// An Event, and the removal of the oldest where there are too many.
    pub(super) fn event(&mut self, told: &build::Told<'_>, now_s: i64) -> Vec<Mutation> {
        self.serial += 1;
        let name = format!("{}.{:016x}", told.name, crate::random::mix(self.serial));
        let namespace = if told.namespace.is_empty() { "default" } else { told.namespace }.to_owned();
        let value = build::event(told, &namespace, &name, &clock::text_of(now_s));
        let mut done = vec![Mutation::Create { resource: "events", value, manager: told.component }];
        self.events.push_back((namespace, name));
        if self.events.len() > EVENTS_MAX
            && let Some((namespace, name)) = self.events.pop_front()
        {
            done.push(Mutation::Delete { resource: "events", namespace, name, grace_s: 0 });
        }
        done
    }

    /// Everything that is there when the server starts, handed over piece by piece: 100,000 parsed
    /// pods at once would be 14 GB.
    pub(super) fn populate(&mut self, now_s: i64, into: &mut dyn FnMut(Mutation)) {
        let mut created = 0;
        let mut give = |mutations: Vec<Mutation>| {
            for mutation in mutations {
                created += usize::from(matches!(mutation, Mutation::Create { .. }));
                into(mutation);
            }
        };
        give(build::base(self, now_s));
        if self.is_empty() {
            return;
        }
        for app in &self.apps.clone() {
            give(self.populate_app(app, now_s));
        }
        give(build::extras(self, now_s));
        let planned = self.apps.len();
        self.fill(created);
        let filling: Vec<App> = self.apps.iter().skip(planned).cloned().collect();
        let mut spaces: Vec<&str> = filling.iter().map(|app| app.namespace.as_str()).collect();
        spaces.sort_unstable();
        spaces.dedup();
        for namespace in spaces {
            into(build::namespace(namespace, &clock::text_of(now_s - 40 * 86_400)));
        }
        for app in &filling {
            for mutation in self.populate_app(app, now_s) {
                into(mutation);
            }
        }
    }

    fn populate_app(&mut self, app: &App, now_s: i64) -> Vec<Mutation> {
        let mut done = Vec::new();
        let age_s = 86_400 + i64::try_from(self.chance.below(30 * 86_400)).unwrap_or_default();
        let born = clock::text_of(now_s - age_s);
        done.push(build::deployment(app, &born));
        if !app.is_filling {
            done.extend(build::companions(self, app, &born));
        }
        for set in &app.sets {
            done.push(build::replica_set(app, set, set.pods.len(), &born));
            if app.is_filling {
                done.extend(self.stamp(app, set, now_s));
                continue;
            }
            for pod in &set.pods {
                let young_s = i64::try_from(self.chance.below(86_400)).unwrap_or_default();
                let then = clock::text_of(now_s - young_s);
                done.push(build::pod(self.pod_bytes, app, set, pod, &then));
                done.push(build::bound(&app.namespace, pod, &then));
                done.push(build::running(app, set, pod, &then, true));
            }
            done.push(build::set_status(app, set, set.pods.len()));
        }
        done.push(build::deployment_status(app, &born));
        done
    }
}

impl World {
    /// The pods of a filling set: the first is written as the components would write it, the others
    /// are copies under their own names. 100,000 of them are ready in seconds instead of minutes.
    fn stamp(&mut self, app: &App, set: &ReplicaSet, now_s: i64) -> Vec<Mutation> {
        let Some(first) = set.pods.first() else {
            return Vec::new();
        };
        let then = clock::text_of(now_s - 3_600);
        let model = driver::written(
            vec![
                build::pod(self.pod_bytes, app, set, first, &then),
                build::bound(&app.namespace, first, &then),
                build::running(app, set, first, &then, true),
            ],
            &then,
        );
        let mut done = Vec::with_capacity(set.pods.len());
        for pod in &set.pods {
            let young_s = i64::try_from(self.chance.below(86_400)).unwrap_or_default();
            let mut value = model.clone();
            for (path, new) in [
                (&["metadata", "name"][..], &pod.name),
                (&["metadata", "uid"], &pod.uid),
                (&["metadata", "creationTimestamp"], &clock::text_of(now_s - young_s)),
                (&["spec", "nodeName"], &pod.node),
                (&["status", "podIP"], &pod.ip),
            ] {
                crate::json::set(&mut value, path, Value::String(new.clone()));
            }
            crate::json::set(&mut value, &["status", "podIPs"], serde_json::json!([{"ip": pod.ip}]));
            done.push(build::create("pods", build::CONTROLLERS, value));
        }
        done
    }
}

/// A merge of a status by a controller.
pub(super) fn status_patch(
    resource: &'static str,
    namespace: &str,
    name: &str,
    manager: &'static str,
    status: Value,
) -> Mutation {
    Mutation::Patch {
        resource,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        patch: serde_json::json!({"status": status}),
        subresource: Some("status"),
        manager,
    }
}

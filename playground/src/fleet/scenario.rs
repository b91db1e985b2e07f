//! What happens to a cluster from outside its components: people's changes, traffic, lost nodes.
//! It never repairs anything.

use std::sync::Arc;

use serde_json::{Value, json};

use super::build::node_status;
use super::context::{CONTROLLERS, Context, KUBELET, condition_of, is_terminating, is_true, name_of};
use super::filling;
use super::inventory::{INVENTORY, NODES, Part, node_name};
use super::queue::Work;
use crate::json::text;
use crate::resource::GroupResource;

/// Steps between two incidents; in between kubelets renew their leases.
const CALM_STEPS: u64 = 36;
/// How many incidents there are before the first one comes again, and which of them is a lost node.
const INCIDENTS: usize = 8;
const LOST_NODE: usize = 3;
/// In a large cluster so many percent of the changes are restarts of the filling's containers.
const RESTART_PERCENT: u64 = 80;

#[derive(Clone, Debug)]
pub(super) struct Scenario {
    is_large: bool,
    minute: Option<i64>,
    /// How many incidents there were.
    incidents: usize,
    next_incident: u64,
    renewals: usize,
}

impl Scenario {
    pub(super) fn new(is_large: bool) -> Self {
        Self { is_large, minute: None, incidents: 0, next_incident: 0, renewals: 0 }
    }

    /// Whether a lost node is the next incident, and due.
    pub(super) fn is_about_to_lose_a_node(&self, tick: u64) -> bool {
        self.incidents % INCIDENTS == LOST_NODE && tick >= self.next_incident
    }

    /// Does what can't wait until the queue is empty, and returns whether something changed.
    pub(super) fn is_pressing(&mut self, context: &mut Context<'_>) -> bool {
        let minute = context.now_s.div_euclid(60);
        if self.minute != Some(minute) {
            self.minute = Some(minute);
            context.memory.queue.push_all("cronjobs.batch", context.store, "");
        }
        self.is_large
            && context.memory.chance.u64(..100) < RESTART_PERCENT
            && filling::restart_container(context)
    }

    pub(super) fn act(&mut self, context: &mut Context<'_>) {
        if context.memory.tick < self.next_incident {
            return self.renew_lease(context);
        }
        self.next_incident = context.memory.tick + CALM_STEPS;
        let (round, incident) = (self.incidents / INCIDENTS, self.incidents % INCIDENTS);
        self.incidents += 1;
        match incident {
            0 => roll(context, round),
            1 => change_traffic(context),
            2 => set_unpullable_image(context),
            LOST_NODE => lose_or_return_node(context),
            4 => roll_out(context, round),
            5 => renew_certificate(context, round),
            6 => delete_pod(context),
            _ => edit_config(context, round),
        }
    }

    /// Renews one lease, and now and then the status of its node.
    fn renew_lease(&mut self, context: &mut Context<'_>) {
        self.renewals += 1;
        let leases = context.store.objects(&GroupResource::of("leases.coordination.k8s.io"), "");
        let Some(lease) = nth(&leases, self.renewals) else {
            return;
        };
        let holder = if lease.namespace == "kube-node-lease" { KUBELET } else { CONTROLLERS };
        if context.memory.silent.contains(&lease.name) {
            return;
        }
        let time = context.now.replace('Z', &format!(".{:06}Z", self.renewals % 1_000_000));
        let patch = json!({"spec": {"renewTime": time}});
        context.patch("leases.coordination.k8s.io", &lease.value(), holder, patch);
        if holder == KUBELET
            && self.renewals.is_multiple_of(8)
            && let Some(node) = context.get("nodes", "", &lease.name)
            && is_true(&node, "Ready")
        {
            let status = node_status(&node, context.now);
            context.status("nodes", &node, KUBELET, status);
        }
    }
}

/// An item of a list, which begins again at its end.
fn nth<T>(list: &[T], number: usize) -> Option<&T> {
    number.checked_rem(list.len()).and_then(|at| list.get(at))
}

fn next_release(tag: &str) -> String {
    format!("v1.{}.0", minor(tag) + 1)
}

/// A person sets a new image on the next deployment that is rolled.
fn roll(context: &mut Context<'_>, round: usize) {
    let apps: Vec<_> =
        INVENTORY.apps.iter().filter(|app| matches!(app.part, Part::Rolled | Part::Prepared)).collect();
    if let Some(app) = nth(&apps, round) {
        set_image(context, "deployments.apps", &app.namespace, &app.name, next_release);
    }
}

fn minor(tag: &str) -> u64 {
    tag.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or_default()
}

fn set_image(
    context: &mut Context<'_>,
    resource: &'static str,
    namespace: &str,
    name: &str,
    tag: impl Fn(&str) -> String,
) {
    let Some(object) = context.get(resource, namespace, name) else {
        return;
    };
    let container = text(&object, "/spec/template/spec/containers/0/name");
    let image = text(&object, "/spec/template/spec/containers/0/image");
    let Some((repository, old)) = image.rsplit_once(':') else {
        return;
    };
    let image = format!("{repository}:{}", tag(old));
    let patch =
        json!({"spec": {"template": {"spec": {"containers": [{"name": container, "image": image}]}}}});
    context.patch(resource, &object, "kubectl-set", patch);
}

/// A release candidate that the registry doesn't have; the next time it is taken back.
fn set_unpullable_image(context: &mut Context<'_>) {
    for app in INVENTORY.apps.iter().filter(|app| app.part == Part::Unpullable) {
        set_image(context, "deployments.apps", &app.namespace, &app.name, |tag| {
            match tag.strip_suffix("-rc.1") {
                Some(_) => format!("v1.{}.0", minor(tag) - 1),
                None => format!("v1.{}.0-rc.1", minor(tag) + 1),
            }
        });
    }
}

fn change_traffic(context: &mut Context<'_>) {
    context.memory.traffic = 60 + context.memory.chance.i64(0..160);
    context.memory.queue.push_all("horizontalpodautoscalers.autoscaling", context.store, "");
}

/// A node's kubelet goes silent, or the silent one comes back.
fn lose_or_return_node(context: &mut Context<'_>) {
    let name = match context.memory.silent.pop_first() {
        Some(name) => name,
        None => {
            // The first is the control plane's; it stays.
            let number = 1 + context.memory.chance.u64(..NODES as u64 - 1);
            let name = node_name(usize::try_from(number).unwrap_or(1));
            context.memory.silent.insert(name.clone());
            name
        }
    };
    context.memory.queue.push(Work::new("nodes", "", &name));
    let Some(node) = context.get("nodes", "", &name) else {
        return;
    };
    for space in context.store.objects(&GroupResource::of("namespaces"), "") {
        if filling::is_filling(&space.name) {
            continue;
        }
        for pod in context.list("pods", &space.name, |_| true) {
            if text(&pod, "/spec/nodeName") == name_of(&node) {
                context.look_at("pods", &pod);
            }
        }
    }
}

fn roll_out(context: &mut Context<'_>, round: usize) {
    if let Some((namespace, name)) = nth(&INVENTORY.rollouts, round) {
        set_image(context, "rollouts.argoproj.io", namespace, name, next_release);
    }
}

/// A certificate is due for renewal.
fn renew_certificate(context: &mut Context<'_>, round: usize) {
    const RESOURCE: &str = "certificates.cert-manager.io";
    let Some((namespace, name)) = nth(&INVENTORY.certificates, round) else {
        return;
    };
    if let Some(certificate) = context.get(RESOURCE, namespace, name) {
        let message = "Renewing certificate as renewal was scheduled";
        let condition = condition_of(&certificate, "Issuing", "True", "Renewing", message, context.now);
        let manager = "cert-manager-certificates-trigger";
        context.status(RESOURCE, &certificate, manager, json!({"conditions": [condition]}));
        context.record(RESOURCE, &certificate, "Issuing", message, manager);
    }
}

/// A person deletes a pod.
fn delete_pod(context: &mut Context<'_>) {
    let pods = context.list("pods", "shop", |pod| pod.labels.contains_key("pod-template-hash"));
    let pods: Vec<Arc<Value>> = pods.into_iter().filter(|pod| !is_terminating(pod)).collect();
    if let Some(pod) = context.memory.chance.choice(&pods).cloned() {
        context.delete("pods", &pod, 30);
    }
}

/// A person edits the configuration of an app.
fn edit_config(context: &mut Context<'_>, round: usize) {
    let Some(app) = nth(&INVENTORY.apps, round) else {
        return;
    };
    if let Some(config) = context.get("configmaps", &app.namespace, &format!("{}-config", app.name)) {
        let level = nth(&["info", "debug", "warn"], round).copied().unwrap_or_default();
        let data =
            json!({"config.yaml": format!("service: {}\nlog: {level}\nrevision: {}\n", app.name, round + 1)});
        context.patch("configmaps", &config, "kubectl-edit", json!({"data": data}));
    }
}

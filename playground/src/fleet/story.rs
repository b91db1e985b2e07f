//! The people, the load and the weather: what happens to a cluster from outside of its components.
//! It never repairs anything.

use std::sync::Arc;

use serde_json::{Value, json};

use super::build::node_status;
use super::cast::{APPS, CERTIFICATES, NODES, Part, ROLLOUTS, node_name};
use super::filling;
use super::queue::Work;
use super::stage::{CONTROLLERS, KUBELET, Stage, condition_of, group_resource, is_terminating};
use crate::json::text;

/// Steps between two things that happen; in between hearts beat.
const CALM_STEPS: u64 = 36;
/// Of so many percent of the changes a large cluster hums.
const HUM_PERCENT: u64 = 80;

#[derive(Debug)]
pub(super) struct Story {
    is_large: bool,
    minute: Option<i64>,
    act: usize,
    next_act: u64,
    beat: usize,
}

impl Story {
    pub(super) fn new(is_large: bool) -> Self {
        Self { is_large, minute: None, act: 0, next_act: 0, beat: 0 }
    }

    /// What doesn't wait until the components are done. The answer: did something change?
    pub(super) fn is_pressing(&mut self, stage: &mut Stage<'_>) -> bool {
        let minute = stage.now_s.div_euclid(60);
        if self.minute != Some(minute) {
            self.minute = Some(minute);
            for cron in stage.store.objects(&group_resource("cronjobs.batch"), "") {
                stage.memory.queue.push(Work::new("cronjobs.batch", &cron.namespace, &cron.name));
            }
        }
        self.is_large && stage.memory.chance.chance(HUM_PERCENT) && filling::hum(stage)
    }

    pub(super) fn act(&mut self, stage: &mut Stage<'_>) {
        if stage.memory.tick < self.next_act {
            return self.beat(stage);
        }
        self.next_act = stage.memory.tick + CALM_STEPS;
        let act = self.act;
        self.act += 1;
        let round = act / 8;
        match act % 8 {
            0 => roll(stage, round),
            1 => traffic(stage),
            2 => pull(stage),
            3 => node(stage),
            4 => rollout(stage, round),
            5 => certificate(stage, round),
            6 => delete_pod(stage),
            _ => edit(stage, round),
        }
    }

    /// Kubelets renew their leases, and now and then say how their node is.
    fn beat(&mut self, stage: &mut Stage<'_>) {
        self.beat += 1;
        let leases = stage.store.objects(&group_resource("leases.coordination.k8s.io"), "");
        let Some(lease) = self.beat.checked_rem(leases.len()).and_then(|at| leases.get(at)) else {
            return;
        };
        let holder = if lease.namespace == "kube-node-lease" { KUBELET } else { CONTROLLERS };
        if stage.memory.silent.contains(&lease.name) {
            return;
        }
        let time = stage.now.replace('Z', &format!(".{:06}Z", self.beat % 1_000_000));
        stage.patch(
            "leases.coordination.k8s.io",
            &lease.value(),
            holder,
            json!({"spec": {"renewTime": time}}),
        );
        if holder == KUBELET
            && self.beat.is_multiple_of(8)
            && let Some(node) = stage.get("nodes", "", &lease.name)
            && super::stage::is_true(&node, "Ready")
        {
            let status = node_status(&node, stage.now);
            stage.status("nodes", &node, KUBELET, status);
        }
    }
}

/// Somebody sets a new image on the next deployment that is rolled.
fn roll(stage: &mut Stage<'_>, round: usize) {
    let apps: Vec<_> = APPS.iter().filter(|app| matches!(app.part, Part::Rolled | Part::Prepared)).collect();
    if let Some(app) = round.checked_rem(apps.len()).and_then(|at| apps.get(at)) {
        set_image(stage, "deployments.apps", app.namespace, app.name, |tag| {
            format!("v1.{}.0", minor(tag) + 1)
        });
    }
}

fn minor(tag: &str) -> u64 {
    tag.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or_default()
}

fn set_image(
    stage: &mut Stage<'_>,
    resource: &'static str,
    namespace: &str,
    name: &str,
    tag: impl Fn(&str) -> String,
) {
    let Some(object) = stage.get(resource, namespace, name) else {
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
    stage.patch(resource, &object, "kubectl-set", patch);
}

/// A release candidate that the registry doesn't have; the next time it is taken back.
fn pull(stage: &mut Stage<'_>) {
    for app in APPS.iter().filter(|app| app.part == Part::Unpullable) {
        set_image(stage, "deployments.apps", app.namespace, app.name, |tag| {
            match tag.strip_suffix("-rc.1") {
                Some(_) => format!("v1.{}.0", minor(tag) - 1),
                None => format!("v1.{}.0-rc.1", minor(tag) + 1),
            }
        });
    }
}

fn traffic(stage: &mut Stage<'_>) {
    stage.memory.traffic = 60 + i64::try_from(stage.memory.chance.below(160)).unwrap_or_default();
    for found in stage.store.objects(&group_resource("horizontalpodautoscalers.autoscaling"), "") {
        let work = Work::new("horizontalpodautoscalers.autoscaling", &found.namespace, &found.name);
        stage.memory.queue.push(work);
    }
}

/// A node's kubelet goes silent, or the silent one comes back.
fn node(stage: &mut Stage<'_>) {
    let name = match stage.memory.silent.pop_first() {
        Some(name) => name,
        None => {
            // The first is the control plane's; it stays.
            let number = 1 + stage.memory.chance.below(NODES as u64 - 1);
            let name = node_name(usize::try_from(number).unwrap_or(1));
            stage.memory.silent.insert(name.clone());
            name
        }
    };
    stage.memory.queue.push(Work::new("nodes", "", &name));
    let Some(node) = stage.get("nodes", "", &name) else {
        return;
    };
    for space in stage.store.objects(&group_resource("namespaces"), "") {
        if filling::is_filling(&space.name) {
            continue;
        }
        for pod in stage.list("pods", &space.name, |_| true) {
            if text(&pod, "/spec/nodeName") == super::stage::name_of(&node) {
                stage.look_at("pods", &pod);
            }
        }
    }
}

fn rollout(stage: &mut Stage<'_>, round: usize) {
    if let Some((namespace, name)) = round.checked_rem(ROLLOUTS.len()).and_then(|at| ROLLOUTS.get(at)) {
        set_image(stage, "rollouts.argoproj.io", namespace, name, |tag| format!("v1.{}.0", minor(tag) + 1));
    }
}

/// A certificate is due for renewal.
fn certificate(stage: &mut Stage<'_>, round: usize) {
    let Some((namespace, name)) = round.checked_rem(CERTIFICATES.len()).and_then(|at| CERTIFICATES.get(at))
    else {
        return;
    };
    if let Some(certificate) = stage.get("certificates.cert-manager.io", namespace, name) {
        let message = "Renewing certificate as renewal was scheduled";
        let condition = condition_of(&certificate, "Issuing", "True", "Renewing", message, stage.now);
        let manager = "cert-manager-certificates-trigger";
        stage.status(
            "certificates.cert-manager.io",
            &certificate,
            manager,
            json!({"conditions": [condition]}),
        );
        stage.tell("certificates.cert-manager.io", &certificate, "Issuing", message, manager);
    }
}

/// Somebody deletes a pod.
fn delete_pod(stage: &mut Stage<'_>) {
    let pods = stage.list("pods", "shop", |pod| pod.labels.contains_key("pod-template-hash"));
    let pods: Vec<Arc<Value>> = pods.into_iter().filter(|pod| !is_terminating(pod)).collect();
    if let Some(pod) = stage.memory.chance.pick(&pods).cloned() {
        stage.delete("pods", &pod, 30);
    }
}

/// Somebody edits the configuration of an app.
fn edit(stage: &mut Stage<'_>, round: usize) {
    let Some(app) = round.checked_rem(APPS.len()).and_then(|at| APPS.get(at)) else {
        return;
    };
    if let Some(config) = stage.get("configmaps", app.namespace, &format!("{}-config", app.name)) {
        let level = ["info", "debug", "warn"].get(round % 3).copied().unwrap_or("info");
        let data =
            json!({"config.yaml": format!("service: {}\nlog: {level}\nrevision: {}\n", app.name, round + 1)});
        stage.patch("configmaps", &config, "kubectl-edit", json!({"data": data}));
    }
}

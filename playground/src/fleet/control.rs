//! The components of Kubernetes: each looks at one object and asks for the one change that brings
//! the world closer to it. They know nothing but what stands in the store.

mod autoscaler;
mod budget;
mod certificate;
mod claim;
mod cron_job;
mod daemon_set;
mod deployment;
mod endpoints;
mod garbage;
mod job;
mod kubelet;
mod namespace;
mod node;
mod pods;
mod replica_set;
mod rollout;
mod scheduler;
mod stateful_set;

pub(super) use pods::template_hash;

use super::queue::Work;
use super::stage::{Stage, is_terminating};

pub(super) fn reconcile(stage: &mut Stage<'_>, work: &Work) {
    let Some(object) = stage.get(work.resource, &work.namespace, &work.name) else {
        return;
    };
    if garbage::collect(stage, work.resource, &object) {
        return;
    }
    if work.resource == "pods" {
        return pods::pod(stage, &object);
    }
    if is_terminating(&object) {
        return;
    }
    match work.resource {
        "cronjobs.batch" => cron_job::reconcile(stage, &object),
        "jobs.batch" => job::reconcile(stage, &object),
        "rollouts.argoproj.io" => rollout::reconcile(stage, &object),
        "deployments.apps" => deployment::reconcile(stage, &object),
        "replicasets.apps" => replica_set::reconcile(stage, &object),
        "statefulsets.apps" => stateful_set::reconcile(stage, &object),
        "daemonsets.apps" => daemon_set::reconcile(stage, &object),
        "services" => endpoints::reconcile(stage, &object),
        "horizontalpodautoscalers.autoscaling" => autoscaler::reconcile(stage, &object),
        "poddisruptionbudgets.policy" => budget::reconcile(stage, &object),
        "certificates.cert-manager.io" => certificate::reconcile(stage, &object),
        "nodes" => node::reconcile(stage, &object),
        "persistentvolumes" => claim::reclaim(stage, &object),
        "persistentvolumeclaims" => claim::reconcile(stage, &object),
        "namespaces" => namespace::reconcile(stage, &object),
        _ => {}
    }
}

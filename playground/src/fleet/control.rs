//! The components of Kubernetes: each looks at one object and asks for the next change that brings
//! the cluster closer to it. They know nothing but what stands in the store.

mod adoption;
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

use super::context::{Context, is_terminating};
use super::queue::Work;

pub(super) fn reconcile(context: &mut Context<'_>, work: &Work) {
    let Some(object) = context.get(work.resource, &work.namespace, &work.name) else {
        return;
    };
    if garbage::collect(context, work.resource, &object) {
        return;
    }
    if work.resource == "pods" {
        return pods::pod(context, &object);
    }
    if is_terminating(&object) {
        return;
    }
    if adoption::adopt(context, work.resource, &object) {
        return;
    }
    match work.resource {
        "cronjobs.batch" => cron_job::reconcile(context, &object),
        "jobs.batch" => job::reconcile(context, &object),
        "rollouts.argoproj.io" => rollout::reconcile(context, &object),
        "deployments.apps" => deployment::reconcile(context, &object),
        "replicasets.apps" => replica_set::reconcile(context, &object),
        "statefulsets.apps" => stateful_set::reconcile(context, &object),
        "daemonsets.apps" => daemon_set::reconcile(context, &object),
        "services" => endpoints::reconcile(context, &object),
        "endpoints" => endpoints::collect(context, &object),
        "horizontalpodautoscalers.autoscaling" => autoscaler::reconcile(context, &object),
        "poddisruptionbudgets.policy" => budget::reconcile(context, &object),
        "certificates.cert-manager.io" => certificate::reconcile(context, &object),
        "nodes" => node::reconcile(context, &object),
        "persistentvolumes" => claim::reclaim(context, &object),
        "persistentvolumeclaims" => claim::reconcile(context, &object),
        "namespaces" => namespace::reconcile(context, &object),
        _ => {}
    }
}

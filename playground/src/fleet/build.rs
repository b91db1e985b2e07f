//! Objects as the components of Kubernetes would write them.
//! It never chooses; names, numbers and times are handed in.

mod cluster;
mod custom;
mod more;
mod workload;

use serde_json::{Value, json};

use super::Mutation;
use super::plan::World;
use crate::clock;

pub(super) use cluster::{base, companions, namespace, node_status};
pub(super) use custom::{CERTIFICATES, ROLLOUTS, certificate_status, rollout_status};
pub(super) use workload::{
    bound, cron_job_status, deployment, deployment_image, deployment_status, job, job_pod, job_status, pod,
    replica_set, running, scaled, set_scale, set_status, waiting,
};

pub(super) const CONTROLLERS: &str = "kube-controller-manager";
pub(super) const KUBELET: &str = "kubelet";
pub(super) const SCHEDULER: &str = "kube-scheduler";
pub(super) const PEOPLE: &str = "kubectl-client-side-apply";

/// What an Event says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'a> {
    pub(super) namespace: &'a str,
    pub(super) kind: &'a str,
    pub(super) api_version: &'a str,
    pub(super) name: &'a str,
    pub(super) uid: &'a str,
    pub(super) field_path: &'a str,
    pub(super) is_warning: bool,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    pub(super) component: &'static str,
    pub(super) host: &'a str,
}

pub(super) fn event(told: &Told<'_>, namespace: &str, name: &str, now: &str) -> Value {
    let mut involved = json!({
        "kind": told.kind, "apiVersion": told.api_version, "name": told.name, "uid": told.uid,
    });
    if !told.namespace.is_empty() {
        crate::json::set(&mut involved, &["namespace"], json!(told.namespace));
    }
    if !told.field_path.is_empty() {
        crate::json::set(&mut involved, &["fieldPath"], json!(told.field_path));
    }
    let mut source = json!({"component": told.component});
    if !told.host.is_empty() {
        crate::json::set(&mut source, &["host"], json!(told.host));
    }
    json!({
        "metadata": {"name": name, "namespace": namespace},
        "involvedObject": involved,
        "reason": told.reason, "message": told.message, "source": source,
        "firstTimestamp": now, "lastTimestamp": now, "count": 1,
        "type": if told.is_warning { "Warning" } else { "Normal" },
        "eventTime": null, "reportingComponent": told.component, "reportingInstance": told.host,
    })
}

pub(super) fn create(resource: &'static str, manager: &'static str, value: Value) -> Mutation {
    Mutation::Create { resource, value, manager }
}

/// The jobs and custom resources that are there from the start.
pub(super) fn extras(world: &mut World, now_s: i64) -> Vec<Mutation> {
    let born = clock::text_of(now_s - 20 * 86_400);
    let mut done = vec![workload::cron_job(&world.uid(), &born)];
    done.extend(custom::initial(world, now_s));
    done.extend(more::standing(world, now_s));
    done
}

//! Objects as people and installers would write them: what stands before any component looks at it.
//! It never chooses; the cast and the times are handed in.

mod cluster;
mod custom;
mod rights;
mod workload;

use serde_json::Value;

use super::Mutation;
use super::cast::{AGENTS, APPS, CERTIFICATES, DATABASES, NAMESPACES, NODES, ROLLOUTS};
use super::stage::PEOPLE;

pub(super) use cluster::{namespace, node, node_status};
pub(super) use workload::{deployment, template};

pub(super) fn create(resource: &'static str, value: Value) -> Mutation {
    Mutation::Create { resource, value, manager: PEOPLE }
}

const DAY_S: i64 = 86_400;

/// What is created, and how many seconds ago: oldest first.
pub(super) fn history() -> Vec<(i64, Vec<Mutation>)> {
    let mut history = vec![(214 * DAY_S, cluster::base(NAMESPACES, NODES)), (213 * DAY_S, rights::all())];
    history.push((212 * DAY_S, custom::definitions()));
    let mut age_s = 160 * DAY_S;
    let mut at = |done: Vec<Mutation>| {
        history.push((age_s, done));
        // Ages differ as they do in a cluster that grew.
        age_s = age_s * 6 / 7 - 1_777;
    };
    for (namespace, name, image) in AGENTS {
        at(vec![workload::daemon_set(namespace, name, image)]);
    }
    for (namespace, name, replicas, size) in DATABASES {
        at(workload::database(namespace, name, *replicas, size));
    }
    for app in APPS {
        at(workload::app(app));
    }
    for (namespace, name) in ROLLOUTS {
        at(custom::rollout(namespace, name));
    }
    at(CERTIFICATES.iter().map(|(namespace, name)| custom::certificate(namespace, name)).collect());
    at(vec![workload::cron_job("ledger", "settle"), workload::cron_job("shop", "sitemap")]);
    history
}

/// An empty cluster has only the namespaces that every one has.
pub(super) fn empty() -> Vec<(i64, Vec<Mutation>)> {
    vec![(DAY_S, ["default", "kube-system"].into_iter().map(namespace).collect())]
}

//! The Deployment controller: a ReplicaSet for each template, and the way from the old to the new.

mod status;

use std::sync::Arc;

use serde_json::{Value, json};

use super::pods::hash_of_template;
use super::replica_set::{self, RESOURCE as SETS};
use crate::fleet::context::{CONTROLLERS, Context, name_of};
use crate::json::{int, int_opt, list, text, text_opt};

pub(super) const RESOURCE: &str = "deployments.apps";
const REVISION: &str = "deployment.kubernetes.io/revision";
/// The numbers that a set had before.
const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";

pub(super) fn reconcile(context: &mut Context<'_>, deployment: &Value) {
    let sets = context.owned(SETS, deployment);
    let hash = hash_of_template(deployment);
    let is_new = |set: &&Arc<Value>| text(set, "/metadata/labels/pod-template-hash") == hash;
    let new = sets.iter().find(is_new).cloned();
    let old: Vec<Arc<Value>> = sets.iter().filter(|set| !is_new(set)).cloned().collect();
    match &new {
        None => create_set(context, deployment, &old, &hash),
        Some(new) => {
            if note_revision(context, deployment, new, &old) {
                return;
            }
            if !roll(context, deployment, new, &old) {
                clean_up(context, deployment, &old);
            }
        }
    }
    status::update(context, deployment, new.as_deref(), &sets);
}

fn revision_of(object: &Value) -> i64 {
    annotation(object).parse().unwrap_or_default()
}

fn annotation(object: &Value) -> &str {
    text(object, "/metadata/annotations/deployment.kubernetes.io~1revision")
}

fn create_set(context: &mut Context<'_>, deployment: &Value, old: &[Arc<Value>], hash: &str) {
    let wanted = int(deployment, "/spec/replicas");
    let bounds = Bounds::of(deployment);
    let is_recreated = text(deployment, "/spec/strategy/type") == "Recreate";
    let there: i64 = old.iter().map(|set| int(set, "/spec/replicas")).sum();
    let first = match (old.is_empty(), is_recreated) {
        (true, _) => wanted,
        (false, true) => 0,
        (false, false) => (wanted + bounds.surge - there).clamp(0, wanted),
    };
    let revision = old.iter().map(|set| revision_of(set)).max().unwrap_or_default() + 1;
    let annotations = json!({
        "deployment.kubernetes.io/desired-replicas": wanted.to_string(),
        "deployment.kubernetes.io/max-replicas": (wanted + bounds.surge).to_string(),
        (REVISION): revision.to_string(),
    });
    let set = replica_set::of_owner(RESOURCE, deployment, ("pod-template-hash", hash), first, annotations);
    let name = name_of(&set).to_owned();
    context.create(SETS, CONTROLLERS, set);
    record_scaled(context, deployment, &name, 0, first);
}

/// The newest revision is the one in use: going back to an old template gives its set a new number.
fn note_revision(context: &mut Context<'_>, deployment: &Value, new: &Value, old: &[Arc<Value>]) -> bool {
    let newest = old.iter().map(|set| revision_of(set)).max().unwrap_or_default();
    if revision_of(new) <= newest {
        let revision = (newest + 1).to_string();
        let history = match text(new, "/metadata/annotations/deployment.kubernetes.io~1revision-history") {
            "" => annotation(new).to_owned(),
            former => format!("{former},{}", annotation(new)),
        };
        let annotations = json!({(REVISION): revision, (REVISION_HISTORY): history});
        context.patch(SETS, new, CONTROLLERS, json!({"metadata": {"annotations": annotations}}));
        return true;
    }
    if annotation(deployment) != annotation(new) {
        let patch = json!({"metadata": {"annotations": {(REVISION): annotation(new)}}});
        context.patch(RESOURCE, deployment, CONTROLLERS, patch);
        return true;
    }
    false
}

/// How many pods more than wanted there may be, and how many may be missing.
struct Bounds {
    surge: i64,
    unavailable: i64,
}

impl Bounds {
    fn of(deployment: &Value) -> Self {
        let wanted = int(deployment, "/spec/replicas");
        let resolve = |field: &str, rounds_up: bool| {
            let pointer = format!("/spec/strategy/rollingUpdate/{field}");
            if let Some(count) = int_opt(deployment, &pointer) {
                return count;
            }
            let percent = text_opt(deployment, &pointer).unwrap_or("25%").trim_end_matches('%');
            let part = percent.parse::<i64>().unwrap_or(25) * wanted;
            if rounds_up { (part + 99) / 100 } else { part / 100 }
        };
        let (surge, unavailable) = (resolve("maxSurge", true), resolve("maxUnavailable", false));
        // With neither, the rollout would never move.
        Self { surge, unavailable: if surge == 0 { unavailable.max(1) } else { unavailable } }
    }
}

/// Makes the next step from the old sets to the new one, and says whether there was one to make.
fn roll(context: &mut Context<'_>, deployment: &Value, new: &Value, old: &[Arc<Value>]) -> bool {
    let wanted = int(deployment, "/spec/replicas");
    let is_recreated = text(deployment, "/spec/strategy/type") == "Recreate";
    let bounds = Bounds::of(deployment);
    let of = |set: &Value| int(set, "/spec/replicas");
    let available = |set: &Value| int(set, "/status/availableReplicas");
    let total: i64 = of(new) + old.iter().map(|set| of(set)).sum::<i64>();
    let grown = match of(new) {
        there if there > wanted => wanted,
        there if is_recreated => {
            let is_empty = old.iter().all(|set| int(set, "/status/replicas") == 0);
            if is_empty { wanted } else { there }
        }
        there => (there + (wanted + bounds.surge - total).max(0)).min(wanted),
    };
    if grown != of(new) {
        scale(context, deployment, new, grown);
        return true;
    }
    let least = if is_recreated { 0 } else { wanted - bounds.unavailable };
    let unhealthy_new = of(new) - available(new);
    let mut surplus = total - least - unhealthy_new;
    for set in old.iter().filter(|set| of(set) > available(set)) {
        let gone = surplus.min(of(set) - available(set));
        if gone > 0 {
            scale(context, deployment, set, of(set) - gone);
            return true;
        }
    }
    surplus = available(new) + old.iter().map(|set| available(set)).sum::<i64>() - least;
    for set in old.iter().filter(|set| of(set) > 0) {
        let gone = surplus.min(of(set));
        if gone > 0 {
            scale(context, deployment, set, of(set) - gone);
            return true;
        }
    }
    false
}

fn scale(context: &mut Context<'_>, deployment: &Value, set: &Value, to: i64) {
    context.patch(SETS, set, CONTROLLERS, json!({"spec": {"replicas": to}}));
    record_scaled(context, deployment, name_of(set), int(set, "/spec/replicas"), to);
}

fn record_scaled(context: &mut Context<'_>, deployment: &Value, set: &str, from: i64, to: i64) {
    let way = if to > from { "up" } else { "down" };
    let message = format!("Scaled {way} replica set {set} from {from} to {to}");
    context.record(RESOURCE, deployment, "ScalingReplicaSet", &message, "deployment-controller");
}

/// Deletes the oldest set without pods, if more than the limit are kept for a rollback.
fn clean_up(context: &mut Context<'_>, deployment: &Value, old: &[Arc<Value>]) {
    let kept = usize::try_from(int_opt(deployment, "/spec/revisionHistoryLimit").unwrap_or(10)).unwrap_or(10);
    let mut empty: Vec<&Arc<Value>> = old
        .iter()
        .filter(|set| int(set, "/spec/replicas") == 0 && int(set, "/status/replicas") == 0)
        .collect();
    empty.sort_by_key(|set| revision_of(set));
    if empty.len() > kept
        && let Some(oldest) = empty.first()
        && list(oldest, "/metadata/finalizers").is_empty()
    {
        context.delete(SETS, oldest, 0);
    }
}

//! Carries the fleet's changes into the cluster, at the speed that was asked for.
//! It never decides what happens; the fleet does.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::{Fleet, Mutation};
use crate::cluster::{Cluster, State};
use crate::patch;
use crate::rbac;
use crate::resource::{Catalog, GroupResource};
use crate::store::{Deletion, Object, Refused, Store, Writer, key_of};

/// How often the clockwork ticks. At 1,000 changes a second that is 20 at once.
const TICK: Duration = Duration::from_millis(20);

/// The objects that are there from the start; their history is not.
pub(crate) fn populate(cluster: &Cluster, fleet: &mut Fleet) {
    let now_s = cluster.now_s();
    let now = cluster.now_text();
    for (resource, value) in rbac::default_objects() {
        let create = Mutation::Create { resource, value, manager: "kube-apiserver" };
        apply(&mut cluster.state(), create, &now, now_s);
    }
    fleet.populate(now_s, &mut |mutation| apply(&mut cluster.state(), mutation, &now, now_s));
    // A server that was started on existing data has no history of how they came to be.
    cluster.state().store.compact(None);
    cluster.notify();
}

/// What comes of a pod that is created and changed: carried out aside, in a store of its own.
pub(super) fn written(mutations: Vec<Mutation>, now: &str) -> Value {
    let mut aside = State { store: Store::default(), catalog: Catalog::new(crate::built_in::types()) };
    for mutation in mutations {
        apply(&mut aside, mutation, now, 0);
    }
    let pods = aside.store.objects(&GroupResource::new("", "pods"), "");
    pods.first().map(|pod| pod.value()).unwrap_or_default()
}

/// Makes the next changes.
pub(crate) fn step(cluster: &Cluster, fleet: &mut Fleet, changes: usize) {
    let now_s = cluster.now_s();
    let now = cluster.now_text();
    for _ in 0..changes {
        let Some(mutation) = fleet.step(now_s) else {
            break;
        };
        apply(&mut cluster.state(), mutation, &now, now_s);
    }
    cluster.notify();
}

/// Moves the fleet until the playground stops.
pub(crate) async fn run(cluster: Arc<Cluster>, fleet: Arc<Mutex<Fleet>>, stop: CancellationToken) {
    let per_second = cluster.options.changes_per_second;
    if per_second <= 0.0 {
        return;
    }
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut before = Instant::now();
    let mut due = 0.0;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let now = Instant::now();
        // A machine that slept doesn't catch up: at most one second's changes are due.
        due = f64::min(due + now.duration_since(before).as_secs_f64() * per_second, per_second.max(1.0));
        before = now;
        let whole = whole_of(due);
        if whole > 0 {
            due = due.fract();
            step(&cluster, &mut fleet.lock().unwrap_or_else(PoisonError::into_inner), whole);
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a small, positive count of changes"
)]
fn whole_of(due: f64) -> usize {
    due.floor().max(0.0) as usize
}

/// Carries out one change. One that meets nothing (somebody else deleted the object) is skipped.
fn apply(state: &mut State, mutation: Mutation, now: &str, now_s: i64) {
    let resource = mutation.resource();
    let Some(kind) = state.catalog.by_name(resource).cloned() else {
        return;
    };
    let at = kind.group_resource();
    let api_version = kind.api_version();
    let writer = |manager, subresource| Writer { manager, subresource, api_version: &api_version, now };
    match mutation {
        Mutation::Create { value, manager, .. } => {
            if let Ok(created) = state.store.create(&at, value, &writer(manager, None)) {
                state.follow_definition(&at, None, Some(&created));
            }
        }
        Mutation::Patch { namespace, name, patch, subresource, manager, .. } => {
            let writer = writer(manager, subresource);
            let merged: Result<Arc<Object>, Refused> =
                state.store.update(&at, &key_of(&namespace, &name), &writer, |before| {
                    let mut after = before.clone();
                    patch::strategic(&mut after, &patch);
                    Ok(after)
                });
            // Not found: a person deleted it, and the story goes on without it.
            drop(merged);
        }
        Mutation::Delete { namespace, name, grace_s, .. } => {
            let when = crate::clock::text_of(now_s.saturating_add(grace_s));
            let deletion = Deletion { grace_s, when: &when, ..Deletion::default() };
            drop(state.store.delete(&at, &key_of(&namespace, &name), &deletion));
        }
    }
}

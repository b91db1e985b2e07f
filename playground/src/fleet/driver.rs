//! Makes the fleet's changes in the cluster, at the speed that was asked for.
//! It never decides what happens; the fleet does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::{Change, Fleet, Mutation};
use crate::clock;
use crate::cluster::{Cluster, State, lock};
use crate::patch;
use crate::store::{Deletion, Writer, key_of};

/// How often due changes are made. At 1,000 changes a second that is 20 at once.
const TICK: Duration = Duration::from_millis(20);

/// After so many searches that found nothing to change there is nothing: a cluster that has just begun has more
/// objects to look at than one search does.
const ROUNDS_WITHOUT_MAX: usize = 16;

/// Makes the next changes, as they are made at a time.
pub(crate) fn step(cluster: &Cluster, fleet: &mut Fleet, changes: usize, now_s: i64) {
    let (mut made, mut rounds_without) = (0, 0);
    while made < changes && rounds_without < ROUNDS_WITHOUT_MAX {
        let mut state = cluster.state();
        match fleet.step(&state.store, now_s) {
            Some(mutation) => {
                apply(&mut state, mutation, now_s);
                made += 1;
            }
            None => rounds_without += 1,
        }
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
            step(&cluster, &mut lock(&fleet), whole, cluster.now_s());
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

/// Carries out one change. If its object was deleted meanwhile, it is skipped.
pub(super) fn apply(state: &mut State, mutation: Mutation, now_s: i64) {
    let Mutation { resource, namespace, name, manager, change: wanted } = mutation;
    let Some(kind) = state.catalog.by_name(resource).cloned() else {
        return;
    };
    let (at, key, now) = (kind.group_resource(), key_of(&namespace, &name), clock::text_of(now_s));
    let is_status = matches!(wanted, Change::Status(_)) && kind.has_subresource("status");
    let writer = Writer {
        manager,
        subresource: is_status.then_some("status"),
        api_version: kind.api_version(),
        now: &now,
    };
    let change: &dyn Fn(&mut Value) = match &wanted {
        Change::Create(value) => {
            if let Ok(created) = state.store.create(&at, value.clone(), &writer) {
                state.follow_definition(&at, None, Some(&created));
            }
            return;
        }
        Change::Delete { grace_s } => {
            let when = clock::text_of(now_s.saturating_add(*grace_s));
            let deletion = Deletion { grace_s: *grace_s, when: &when, is_orphaning: false };
            drop(state.store.delete(&at, &key, &deletion));
            return;
        }
        Change::Patch(patch) => &|after| patch::strategic(after, patch),
        Change::Status(status) => &|after| crate::json::set(after, &["status"], status.clone()),
    };
    // If a person deleted the object meanwhile, it isn't found; its controller follows that.
    if let Some(old) = state.store.get(&at, &key).cloned() {
        let before = old.value();
        let mut after = before.clone();
        change(&mut after);
        drop(state.store.replace(&at, &old, &before, after, &writer));
    }
}

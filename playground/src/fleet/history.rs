//! The history of the cluster before the server starts: the components work through what people
//! created over the months, so that everything fits together from the first moment.

use super::driver::apply;
use super::filling::{self, Copier};
use super::{Fleet, Mutation, build};
use crate::cluster::State;
use crate::random::mix;

/// The last changes before the start: something is always going on.
const PROLOGUE_STEPS: i64 = 240;
/// The steps of a second, among the last steps of the prologue.
const STEPS_PER_SECOND: i64 = 3;
/// A faulty component would never come to rest.
const SETTLING_STEPS_MAX: usize = 10_000;

fn apply_all(state: &mut State, mutations: impl IntoIterator<Item = Mutation>, when_s: i64) {
    mutations.into_iter().for_each(|mutation| apply(state, mutation, when_s));
}

impl Fleet {
    fn settle(&mut self, state: &mut State, when_s: i64) {
        self.memory.is_settling = true;
        for _ in 0..SETTLING_STEPS_MAX {
            let Some(mutation) = self.next(&state.store, when_s, false) else {
                break;
            };
            apply(state, mutation, when_s);
        }
        self.memory.is_settling = false;
    }

    /// Makes everything that is there when the server starts.
    pub(super) fn populate(&mut self, state: &mut State, now_s: i64) {
        if self.size.objects == 0 {
            return apply_all(state, build::empty(), now_s - 86_400);
        }
        for (age_s, mutations) in build::history() {
            apply_all(state, mutations, now_s - age_s);
            self.settle(state, now_s - age_s);
        }
        for minutes_ago in (2..=4).rev() {
            self.memory.queue.push_all("cronjobs.batch", &state.store, "");
            self.settle(state, now_s - 60 * minutes_ago);
        }
        let missing = self.size.objects.saturating_sub(state.store.count_all());
        if missing > 0 && self.size.objects > super::inventory::OBJECTS {
            self.fill(state, missing, now_s);
        }
        for ago in (0..PROLOGUE_STEPS).rev() {
            // What follows a lost node takes minutes. A server that makes no changes would never leave that state.
            if self.scenario.is_about_to_lose_a_node(self.memory.tick + 1) {
                break;
            }
            let when_s = now_s - ago / STEPS_PER_SECOND;
            let next = self.step(&state.store, when_s);
            apply_all(state, next, when_s);
        }
    }

    /// The components make the first batch as any other deployment; the rest are copies of it.
    fn fill(&mut self, state: &mut State, missing: usize, now_s: i64) {
        apply_all(state, filling::namespaces(), now_s - 40 * 86_400);
        let batches = filling::batches(missing);
        let when_s = now_s - 3_600;
        apply_all(state, batches.iter().flat_map(|batch| batch.node()), when_s);
        let Some(first) = batches.first() else {
            return;
        };
        apply_all(state, first.deployment(self.size.pod_bytes), when_s);
        self.settle(state, when_s);
        if let Some(mut copier) = Copier::of(&state.store, *first, when_s) {
            for (batch, number) in batches.iter().zip(0_u64..).skip(1) {
                let age_s = 3_600 + i64::try_from(mix(number) % (30 * 86_400)).unwrap_or_default();
                copier.copy(&mut state.store, *batch, now_s - age_s, &mut self.memory.chance);
            }
        }
        self.follower.skip_to(state.store.revision());
    }
}

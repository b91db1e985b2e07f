//! How the cluster came to be what it is when the server starts: the same components work through
//! what people created over the months, so that everything fits together from the first moment.

use super::filling::{self, Copier};
use super::queue::Work;
use super::stage::group_resource;
use super::{Fleet, Mutation, build};
use crate::cluster::State;
use crate::random::mix;

/// The story's last changes before the start: something is always going on.
const PROLOGUE_STEPS: i64 = 240;
/// Of those the last so many happened within one second.
const STEPS_PER_SECOND: i64 = 3;
/// A fault of the components would never let the past end.
const SETTLING_STEPS_MAX: usize = 10_000;

type Apply = dyn Fn(&mut State, Mutation, i64);

impl Fleet {
    pub(super) fn settle(&mut self, state: &mut State, when_s: i64, apply: &Apply) {
        self.memory.is_settling = true;
        for _ in 0..SETTLING_STEPS_MAX {
            let Some(mutation) = self.next(&state.store, when_s, false) else {
                break;
            };
            apply(state, mutation, when_s);
        }
        self.memory.is_settling = false;
    }

    /// Everything that is there when the server starts.
    pub(super) fn populate(&mut self, state: &mut State, now_s: i64, apply: &Apply) {
        if self.size.objects == 0 {
            for (age_s, mutations) in build::empty() {
                mutations.into_iter().for_each(|mutation| apply(state, mutation, now_s - age_s));
            }
            return;
        }
        for (age_s, mutations) in build::history() {
            mutations.into_iter().for_each(|mutation| apply(state, mutation, now_s - age_s));
            self.settle(state, now_s - age_s, apply);
        }
        for minutes_ago in (2..=4).rev() {
            for cron in state.store.objects(&group_resource("cronjobs.batch"), "") {
                self.memory.queue.push(Work::new("cronjobs.batch", &cron.namespace, &cron.name));
            }
            self.settle(state, now_s - 60 * minutes_ago, apply);
        }
        let missing = self.size.objects.saturating_sub(state.store.count_all());
        if missing > 0 && self.size.objects > super::cast::OBJECTS {
            self.fill(state, missing, now_s, apply);
        }
        for ago in (0..PROLOGUE_STEPS).rev() {
            let when_s = now_s - ago / STEPS_PER_SECOND;
            if let Some(mutation) = self.step(&state.store, when_s) {
                apply(state, mutation, when_s);
            }
        }
    }

    /// The first lot is made by the components as any other; the rest are its likenesses.
    fn fill(&mut self, state: &mut State, missing: usize, now_s: i64, apply: &Apply) {
        for mutation in filling::namespaces() {
            apply(state, mutation, now_s - 40 * 86_400);
        }
        let lots = filling::lots(missing);
        let when_s = now_s - 3_600;
        for node in lots.iter().filter_map(|lot| lot.node()) {
            apply(state, node, when_s);
        }
        let Some(first) = lots.first() else {
            return;
        };
        apply(state, first.deployment(self.size.pod_bytes), when_s);
        self.settle(state, when_s, apply);
        if let Some(mut copier) = Copier::of(&state.store, *first, when_s) {
            for (lot, number) in lots.iter().zip(0_u64..).skip(1) {
                let age_s = 3_600 + i64::try_from(mix(number) % (30 * 86_400)).unwrap_or_default();
                copier.copy(&mut state.store, *lot, now_s - age_s, &mut self.memory.chance);
            }
        }
        self.follower.skip_to(state.store.revision());
    }
}

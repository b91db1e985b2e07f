//! What rules wait for a change of, of one object. Pure.

use shared::rollout::{Rollout, RolloutWatch, Workload};

/// The rules are named by their places.
#[derive(Default)]
pub(super) struct Watched {
    /// Hashes of values.
    values: Vec<(usize, u64)>,
    rollouts: Vec<(usize, RolloutWatch)>,
}

impl Watched {
    /// Whether the value is another one than before.
    pub(super) fn changes(&mut self, rule: usize, hash: u64) -> bool {
        match self.values.iter_mut().find(|(of, _)| *of == rule) {
            Some((_, former)) => std::mem::replace(former, hash) != hash,
            None => {
                self.values.push((rule, hash));
                false
            }
        }
    }

    /// How a rollout has ended that went on before.
    pub(super) fn ends(&mut self, rule: usize, workload: Workload, texts: &[String]) -> Option<Rollout> {
        let known = self.rollouts.iter().position(|(of, _)| *of == rule);
        let place = known.unwrap_or_else(|| {
            self.rollouts.push((rule, RolloutWatch::default()));
            self.rollouts.len() - 1
        });
        let (_, watch) = self.rollouts.get_mut(place)?;
        let went_on = watch.is_going();
        Some(watch.see(workload, texts)).filter(|found| went_on && found.is_over())
    }

    /// `to`: the place that a rule has from now on, if it is still there.
    pub(super) fn take_over(&mut self, to: impl Fn(usize) -> Option<usize>) {
        self.values.retain_mut(|(rule, _)| to(*rule).map(|to| *rule = to).is_some());
        self.rollouts.retain_mut(|(rule, _)| to(*rule).map(|to| *rule = to).is_some());
    }
}

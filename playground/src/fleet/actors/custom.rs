//! Two reconcilers: certificates that are renewed, rollouts that shift their weight step by step.

use crate::fleet::Mutation;
use crate::fleet::build::{CERTIFICATES, ROLLOUTS, certificate_status, rollout_status};
use crate::fleet::plan::World;

#[derive(Debug, Default)]
pub(super) struct Certificates {
    turns: usize,
}

impl Certificates {
    /// Every certificate in turn: first it is being issued, then it is ready with the next revision.
    pub(super) fn act(&mut self, _world: &mut World, now_s: i64) -> Vec<Mutation> {
        let turn = self.turns;
        self.turns += 1;
        let round = (turn / 2 / CERTIFICATES.len().max(1)) as u64;
        let Some((namespace, name)) = CERTIFICATES.get(turn / 2 % CERTIFICATES.len().max(1)) else {
            return Vec::new();
        };
        let is_ready = turn % 2 == 1;
        let revision = round + if is_ready { 2 } else { 1 };
        vec![certificate_status(namespace, name, revision, is_ready, now_s)]
    }
}

#[derive(Debug, Default)]
pub(super) struct Rollouts {
    turns: usize,
}

impl Rollouts {
    pub(super) fn act(&mut self, _world: &mut World, _now_s: i64) -> Vec<Mutation> {
        let turn = self.turns;
        self.turns += 1;
        let Some((namespace, name)) = ROLLOUTS.get(turn / 4 % ROLLOUTS.len().max(1)) else {
            return Vec::new();
        };
        vec![rollout_status(namespace, name, turn % 4)]
    }
}

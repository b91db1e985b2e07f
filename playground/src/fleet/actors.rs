//! Who acts: a rollout, a crash loop, an image that can't be pulled, a node, a job each minute, two
//! reconcilers, and the hum of restarts in a large cluster. Each is a state machine of its own.

mod custom;
mod jobs;
mod rollout;
mod troubles;

use serde_json::json;

use super::Mutation;
use super::build;
use super::plan::{World, status_patch};
use crate::clock;

#[derive(Debug, Default)]
pub(super) struct Actors {
    rollout: rollout::Rollout,
    crash: troubles::CrashLoop,
    image: troubles::ImagePull,
    node: troubles::NodeTrouble,
    jobs: jobs::Jobs,
    certificates: custom::Certificates,
    rollouts: custom::Rollouts,
    turn: u64,
}

impl Actors {
    /// One act: a few changes that belong together.
    pub(super) fn act(&mut self, world: &mut World, now_s: i64) -> Vec<Mutation> {
        self.turn += 1;
        // The minute doesn't wait for its turn.
        let due = self.jobs.act(world, now_s);
        if !due.is_empty() {
            return due;
        }
        let has_filling = world.apps.last().is_some_and(|app| app.is_filling);
        if has_filling && world.chance.chance(80) {
            return hum(world, now_s);
        }
        match self.turn % 10 {
            0 | 2 | 4 | 6 | 8 => self.rollout.act(world, now_s),
            1 | 5 => self.crash.act(world, now_s),
            3 => self.image.act(world, now_s),
            7 => self.certificates.act(world, now_s),
            9 if self.turn % 20 == 9 => self.rollouts.act(world, now_s),
            _ => self.node.act(world, now_s),
        }
    }
}

/// A pod of the filling restarts its container: the five fields of one status patch.
fn hum(world: &mut World, now_s: i64) -> Vec<Mutation> {
    let filling = world.apps.iter().position(|app| app.is_filling).unwrap_or_default();
    let count = world.apps.len().saturating_sub(filling) as u64;
    let at = filling + usize::try_from(world.chance.below(count)).unwrap_or_default();
    let pick = world.chance.next();
    let Some(app) = world.apps.get_mut(at) else {
        return Vec::new();
    };
    let (namespace, container) = (app.namespace.clone(), app.name.clone());
    let Some(set) = app.sets.last_mut() else {
        return Vec::new();
    };
    let place =
        usize::try_from(pick.checked_rem(set.pods.len() as u64).unwrap_or_default()).unwrap_or_default();
    let Some(pod) = set.pods.get_mut(place) else {
        return Vec::new();
    };
    pod.restarts += 1;
    let now = clock::text_of(now_s);
    let status = json!({
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": now}],
        "containerStatuses": [{
            "name": container, "ready": true, "started": true, "restartCount": pod.restarts,
            "state": {"running": {"startedAt": now}},
            "lastState": {"terminated": {"exitCode": 0, "reason": "Completed", "finishedAt": now}},
        }],
    });
    vec![status_patch("pods", &namespace, &pod.name, build::KUBELET, status)]
}

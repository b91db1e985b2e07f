//! A deployment that rolls: a new replica set, then pod by pod a new one comes and an old one goes.
//! When one deployment is done the next one begins.

use crate::clock;
use crate::fleet::Mutation;
use crate::fleet::build::{self, Told};
use crate::fleet::plan::{App, Pod, ReplicaSet, World};

/// Apps that tell another story aren't rolled.
const LEFT_ALONE: &[&str] = &["recommendations", "fraud-check"];

/// The deployment that a HorizontalPodAutoscaler scales.
const AUTOSCALED: &str = "storefront";

#[derive(Debug, Default)]
pub(super) struct Rollout {
    stage: Stage,
    /// Which app is next.
    next: usize,
}

#[derive(Debug, Default)]
enum Stage {
    #[default]
    Idle,
    /// The new set has fewer pods than wanted: the next pod is created.
    Growing {
        app: usize,
    },
    /// A pod was created and gets its node.
    Scheduling {
        app: usize,
    },
    Starting {
        app: usize,
    },
    /// Its container runs, and isn't ready yet.
    Warming {
        app: usize,
    },
    /// The new pod is ready: an old one is marked.
    Shrinking {
        app: usize,
    },
    /// The old pod's processes have ended.
    Removing {
        app: usize,
        pod: String,
    },
}

impl Rollout {
    pub(super) fn act(&mut self, world: &mut World, now_s: i64) -> Vec<Mutation> {
        let now = clock::text_of(now_s);
        match std::mem::take(&mut self.stage) {
            Stage::Idle => self.begin(world, now_s),
            Stage::Growing { app } => self.grow(world, app, now_s),
            Stage::Scheduling { app } => {
                self.stage = Stage::Starting { app };
                let Some((found, set, pod)) = newest(world, app) else {
                    return Vec::new();
                };
                let mut done = vec![build::bound(&found.namespace, &pod, &now)];
                done.push(build::waiting(&found, &set, &pod, "ContainerCreating", &now));
                let message =
                    format!("Successfully assigned {}/{} to {}", found.namespace, pod.name, pod.node);
                done.extend(tell_pod(world, &found, &pod, "Scheduled", &message, build::SCHEDULER, now_s));
                done
            }
            Stage::Starting { app } => {
                self.stage = Stage::Warming { app };
                let Some((found, set, pod)) = newest(world, app) else {
                    return Vec::new();
                };
                let mut done = vec![build::running(&found, &set, &pod, &now, false)];
                let message = format!("Container started: {}", found.name);
                done.extend(tell_pod(world, &found, &pod, "Started", &message, build::KUBELET, now_s));
                done
            }
            Stage::Warming { app } => {
                self.stage = Stage::Shrinking { app };
                let Some((found, set, pod)) = newest(world, app) else {
                    return Vec::new();
                };
                let ready = set.pods.len();
                vec![
                    build::running(&found, &set, &pod, &now, true),
                    build::set_status(&found, &set, ready),
                    build::deployment_status(&found, &now),
                ]
            }
            Stage::Shrinking { app } => self.shrink(world, app, now_s),
            Stage::Removing { app, pod } => self.remove(world, app, pod, now_s),
        }
    }

    /// Somebody sets a new image; the controller makes a new replica set.
    fn begin(&mut self, world: &mut World, now_s: i64) -> Vec<Mutation> {
        let candidates: Vec<usize> = (0..world.apps.len())
            .filter(|at| {
                world
                    .apps
                    .get(*at)
                    .is_some_and(|app| !app.is_filling && !LEFT_ALONE.contains(&app.name.as_str()))
            })
            .collect();
        self.next += 1;
        let Some(at) = candidates.get(self.next % candidates.len().max(1)).copied() else {
            return Vec::new();
        };
        let Some(app) = world.apps.get(at).cloned() else {
            return Vec::new();
        };
        // The autoscaled one is scaled in every other round instead of rolled.
        let round = self.next / candidates.len().max(1);
        if app.name == AUTOSCALED && round.is_multiple_of(2) {
            return self.scale(world, at, now_s);
        }
        let tag = app.sets.last().map_or(1, |set| set.tag + 1);
        let set = world.new_set(&app, tag);
        let mut done = vec![build::deployment_image(&app, tag)];
        done.push(build::replica_set(&app, &set, 1, &clock::text_of(now_s)));
        if let Some(app) = world.apps.get_mut(at) {
            app.sets.push(set.clone());
            // Old revisions are kept as the limit says: two.
            while app.sets.len() > 3 {
                let old = app.sets.remove(0);
                done.push(Mutation::Delete {
                    resource: "replicasets.apps",
                    namespace: app.namespace.clone(),
                    name: old.name,
                    grace_s: 0,
                });
            }
        }
        let message = format!("Scaled up replica set {} from 0 to 1", set.name);
        done.extend(tell_app(world, &app, &message, now_s));
        self.stage = Stage::Growing { app: at };
        done
    }

    /// The autoscaler wants another number of pods.
    fn scale(&mut self, world: &mut World, at: usize, now_s: i64) -> Vec<Mutation> {
        let wanted = 3 + usize::try_from(world.chance.below(4)).unwrap_or_default();
        let Some(app) = world.apps.get_mut(at) else {
            return Vec::new();
        };
        let before = std::mem::replace(&mut app.replicas, wanted);
        let app = app.clone();
        self.stage = if wanted > before { Stage::Growing { app: at } } else { Stage::Shrinking { app: at } };
        if wanted == before {
            self.stage = Stage::Idle;
            return Vec::new();
        }
        let mut done = build::scaled(&app, before);
        let message = format!("Scaled replica set of {} from {before} to {wanted}", app.name);
        done.extend(tell_app(world, &app, &message, now_s));
        done
    }

    fn grow(&mut self, world: &mut World, at: usize, now_s: i64) -> Vec<Mutation> {
        let Some(app) = world.apps.get(at).cloned() else {
            return Vec::new();
        };
        let Some(set) = app.sets.last().cloned() else {
            return Vec::new();
        };
        let pod = world.new_pod(&set);
        let mut done = vec![build::set_scale(&app, &set, set.pods.len() + 1)];
        done.push(build::pod(world.pod_bytes, &app, &set, &pod, &clock::text_of(now_s)));
        if let Some(set) = world.apps.get_mut(at).and_then(|app| app.sets.last_mut()) {
            set.pods.push(pod);
        }
        self.stage = Stage::Scheduling { app: at };
        done
    }

    fn shrink(&mut self, world: &mut World, at: usize, now_s: i64) -> Vec<Mutation> {
        let Some(app) = world.apps.get(at).cloned() else {
            return Vec::new();
        };
        let old = app.sets.iter().rev().skip(1).find(|set| !set.pods.is_empty());
        let newest = app.sets.last().filter(|set| set.pods.len() > app.replicas);
        let old = old.or(newest);
        let Some((set, pod)) = old.and_then(|set| Some((set, set.pods.first()?))) else {
            let is_short = app.pods() < app.replicas;
            self.stage = if is_short { Stage::Growing { app: at } } else { Stage::Idle };
            return Vec::new();
        };
        self.stage = Stage::Removing { app: at, pod: pod.name.clone() };
        let left = set.pods.len().saturating_sub(1);
        let mut done = vec![
            build::set_scale(&app, set, left),
            Mutation::Delete {
                resource: "pods",
                namespace: app.namespace.clone(),
                name: pod.name.clone(),
                grace_s: 30,
            },
        ];
        let message = format!("Stopping container {}", app.name);
        done.extend(tell_pod(world, &app, pod, "Killing", &message, build::KUBELET, now_s));
        done
    }

    fn remove(&mut self, world: &mut World, at: usize, pod: String, now_s: i64) -> Vec<Mutation> {
        let Some(app) = world.apps.get_mut(at) else {
            return Vec::new();
        };
        let mut done = vec![Mutation::Delete {
            resource: "pods",
            namespace: app.namespace.clone(),
            name: pod.clone(),
            grace_s: 0,
        }];
        for set in &mut app.sets {
            set.pods.retain(|found| found.name != pod);
        }
        let app = app.clone();
        for set in &app.sets {
            done.push(build::set_status(&app, set, set.pods.len()));
        }
        done.push(build::deployment_status(&app, &clock::text_of(now_s)));
        let updated = app.sets.last().map_or(0, |set| set.pods.len());
        let is_done = updated >= app.replicas && app.pods() <= app.replicas;
        self.stage = match (is_done, updated < app.replicas) {
            (true, _) => Stage::Idle,
            (false, true) => Stage::Growing { app: at },
            (false, false) => Stage::Shrinking { app: at },
        };
        done
    }
}

/// The pod that was created last.
fn newest(world: &World, at: usize) -> Option<(App, ReplicaSet, Pod)> {
    let app = world.apps.get(at)?;
    let set = app.sets.last()?;
    Some((app.clone(), set.clone(), set.pods.last()?.clone()))
}

fn tell_pod(
    world: &mut World,
    app: &App,
    pod: &Pod,
    reason: &str,
    message: &str,
    component: &'static str,
    now_s: i64,
) -> Vec<Mutation> {
    let field_path = format!("spec.containers{{{}}}", app.name);
    let told = Told {
        namespace: &app.namespace,
        kind: "Pod",
        api_version: "v1",
        name: &pod.name,
        uid: &pod.uid,
        field_path: if component == build::KUBELET { &field_path } else { "" },
        is_warning: false,
        reason,
        message,
        component,
        host: if component == build::KUBELET { &pod.node } else { "" },
    };
    world.event(&told, now_s)
}

fn tell_app(world: &mut World, app: &App, message: &str, now_s: i64) -> Vec<Mutation> {
    let told = Told {
        namespace: &app.namespace,
        kind: "Deployment",
        api_version: "apps/v1",
        name: &app.name,
        uid: &app.uid,
        field_path: "",
        is_warning: false,
        reason: "ScalingReplicaSet",
        message,
        component: "deployment-controller",
        host: "",
    };
    world.event(&told, now_s)
}

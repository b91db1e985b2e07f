//! A job each minute: its pod runs, and either completes or, sometimes, fails.

use std::collections::VecDeque;

use serde_json::json;

use crate::clock;
use crate::fleet::Mutation;
use crate::fleet::build::{self, KUBELET};
use crate::fleet::plan::{Pod, World, status_patch};

const NAMESPACE: &str = "ledger";
/// Finished jobs that stay, as the cron job says.
const FINISHED_MAX: usize = 4;
/// How long a job runs.
const RUN_S: i64 = 12;
/// One in so many percent fails.
const FAILS_PERCENT: u64 = 20;

#[derive(Debug, Default)]
pub(super) struct Jobs {
    last_minute: Option<i64>,
    running: Option<Running>,
    finished: VecDeque<String>,
}

#[derive(Debug)]
struct Running {
    name: String,
    uid: String,
    pod: Pod,
    started_s: i64,
    stage: Stage,
}

#[derive(Debug, PartialEq)]
enum Stage {
    Created,
    Runs,
}

impl Jobs {
    /// What is due now, if anything.
    pub(super) fn act(&mut self, world: &mut World, now_s: i64) -> Vec<Mutation> {
        let minute = now_s.div_euclid(60);
        let now = clock::text_of(now_s);
        match self.running.take() {
            None if self.last_minute != Some(minute) => {
                self.last_minute = Some(minute);
                self.begin(world, minute, now_s)
            }
            None => Vec::new(),
            Some(mut running) if running.stage == Stage::Created => {
                let done = vec![
                    build::bound(NAMESPACE, &running.pod, &now),
                    status_patch(
                        "pods",
                        NAMESPACE,
                        &running.pod.name,
                        KUBELET,
                        json!({
                            "phase": "Running", "startTime": now, "podIP": running.pod.ip, "podIPs": [{"ip": running.pod.ip}],
                            "conditions": [{"type": "Initialized", "status": "True", "lastTransitionTime": now}, {"type": "Ready", "status": "True", "lastTransitionTime": now}],
                            "containerStatuses": [{"name": "settle", "image": "registry.example.com/ledger/settle:v3.2.0", "imageID": "", "ready": true, "started": true, "restartCount": 0, "lastState": {}, "state": {"running": {"startedAt": now}}}],
                        }),
                    ),
                ];
                running.stage = Stage::Runs;
                self.running = Some(running);
                done
            }
            Some(running) if now_s - running.started_s >= RUN_S => self.finish(world, &running, &now),
            Some(running) => {
                self.running = Some(running);
                Vec::new()
            }
        }
    }

    fn begin(&mut self, world: &mut World, minute: i64, now_s: i64) -> Vec<Mutation> {
        let now = clock::text_of(now_s);
        let name = format!("settle-{minute}");
        let uid = world.uid();
        let pod_name = format!("{name}-{}", world.chance.suffix(5));
        let pod = world.pod_named(pod_name);
        let done = vec![
            build::job(&name, &uid, &now),
            build::job_pod(&name, &uid, &pod, &now),
            build::cron_job_status(json!({
                "lastScheduleTime": clock::text_of(minute * 60),
                "active": [{"kind": "Job", "namespace": NAMESPACE, "name": name, "uid": uid, "apiVersion": "batch/v1"}],
            })),
        ];
        self.running = Some(Running { name, uid, pod, started_s: now_s, stage: Stage::Created });
        done
    }

    fn finish(&mut self, world: &mut World, running: &Running, now: &str) -> Vec<Mutation> {
        let fails = world.chance.chance(FAILS_PERCENT);
        let (phase, reason, code) =
            if fails { ("Failed", "Error", 3) } else { ("Succeeded", "Completed", 0) };
        let job = if fails {
            json!({
                "active": 0, "failed": 1,
                "conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit", "lastTransitionTime": now}],
            })
        } else {
            json!({
                "active": 0, "succeeded": 1, "completionTime": now,
                "conditions": [{"type": "Complete", "status": "True", "reason": "CompletionsReached", "lastTransitionTime": now}],
            })
        };
        let mut done = vec![
            status_patch(
                "pods",
                NAMESPACE,
                &running.pod.name,
                KUBELET,
                json!({
                    "phase": phase,
                    "conditions": [{"type": "Ready", "status": "False", "reason": if fails { "PodFailed" } else { "PodCompleted" }, "lastTransitionTime": now}],
                    "containerStatuses": [{
                        "name": "settle", "image": "registry.example.com/ledger/settle:v3.2.0", "imageID": "", "ready": false, "started": false,
                        "restartCount": 0, "lastState": {}, "state": {"terminated": {"exitCode": code, "reason": reason, "finishedAt": now}},
                    }],
                }),
            ),
            build::job_status(&running.name, job),
            build::cron_job_status(json!({"active": [], "lastSuccessfulTime": now})),
        ];
        let told = build::Told {
            namespace: NAMESPACE,
            kind: "Job",
            api_version: "batch/v1",
            name: &running.name,
            uid: &running.uid,
            field_path: "",
            is_warning: fails,
            reason: if fails { "BackoffLimitExceeded" } else { "Completed" },
            message: if fails { "Job has reached the specified backoff limit" } else { "Job completed" },
            component: "job-controller",
            host: "",
        };
        let now_s = running.started_s + RUN_S;
        done.extend(world.event(&told, now_s));
        self.finished.push_back(running.pod.name.clone());
        if self.finished.len() > FINISHED_MAX
            && let Some(pod) = self.finished.pop_front()
        {
            let job = pod.rsplit_once('-').map_or("", |(job, _)| job).to_owned();
            let delete = |resource, name| Mutation::Delete {
                resource,
                namespace: NAMESPACE.to_owned(),
                name,
                grace_s: 0,
            };
            done.push(delete("jobs.batch", job));
            done.push(delete("pods", pod));
        }
        done
    }
}

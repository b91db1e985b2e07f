//! The Job controller: a pod that runs to its end, and what came of it.

use serde_json::{Value, json};

use super::pods;
use crate::fleet::stage::{CONTROLLERS, Stage, condition_of, count, is_active, is_true, name_of};
use crate::json::{int_opt, text};

const RESOURCE: &str = "jobs.batch";

pub(super) fn reconcile(stage: &mut Stage<'_>, job: &Value) {
    if is_true(job, "Complete") || is_true(job, "Failed") {
        return;
    }
    let owned = stage.owned("pods", job);
    let in_phase = |phase: &str| owned.iter().filter(|pod| text(pod, "/status/phase") == phase).count();
    let (succeeded, failed) = (in_phase("Succeeded"), in_phase("Failed"));
    let active = owned.iter().filter(|pod| is_active(pod)).count();
    let ready = owned.iter().filter(|pod| is_active(pod) && is_true(pod, "Ready")).count();
    let wanted = usize::try_from(int_opt(job, "/spec/completions").unwrap_or(1)).unwrap_or(1);
    let parallel = usize::try_from(int_opt(job, "/spec/parallelism").unwrap_or(1)).unwrap_or(1);
    let retries = usize::try_from(int_opt(job, "/spec/backoffLimit").unwrap_or(6)).unwrap_or(6);
    let now = stage.now;
    let mut status = json!({
        "active": count(active), "ready": ready, "succeeded": count(succeeded), "failed": count(failed),
        "startTime": if text(job, "/status/startTime").is_empty() { now } else { text(job, "/status/startTime") },
        "uncountedTerminatedPods": {}, "terminating": 0,
    });
    let mut told = None;
    if succeeded >= wanted {
        told = Some(("Completed", "Job completed"));
        let message = "Reached expected number of succeeded pods";
        let condition = |kind| condition_of(job, kind, "True", "CompletionsReached", message, now);
        crate::json::set(&mut status, &["completionTime"], json!(now));
        crate::json::set(
            &mut status,
            &["conditions"],
            json!([condition("SuccessCriteriaMet"), condition("Complete")]),
        );
    } else if failed > retries {
        let message = "Job has reached the specified backoff limit";
        told = Some(("BackoffLimitExceeded", message));
        let condition = |kind| condition_of(job, kind, "True", "BackoffLimitExceeded", message, now);
        let conditions = json!([condition("FailureTarget"), condition("Failed")]);
        crate::json::set(&mut status, &["conditions"], conditions);
    } else if active < parallel.min(wanted - succeeded) {
        let name = format!("{}-{}", name_of(job), stage.memory.chance.suffix(5));
        pods::create(stage, RESOURCE, job, &name, |_| {});
    }
    if stage.status(RESOURCE, job, CONTROLLERS, status)
        && let Some((reason, message)) = told
    {
        stage.tell(RESOURCE, job, reason, message, "job-controller");
    }
}

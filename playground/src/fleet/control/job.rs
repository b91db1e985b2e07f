//! The Job controller: a pod that runs to its end, and what came of it.

use serde_json::{Value, json};

use super::pods;
use crate::fleet::context::{CONTROLLERS, Context, condition_of, count, is_active, is_true, name_of};
use crate::json::{int_opt, set, text};
use crate::random::suffix;

const RESOURCE: &str = "jobs.batch";

pub(super) fn reconcile(context: &mut Context<'_>, job: &Value) {
    if is_true(job, "Complete") || is_true(job, "Failed") {
        return;
    }
    let owned = context.owned("pods", job);
    let in_phase = |phase: &str| owned.iter().filter(|pod| text(pod, "/status/phase") == phase).count();
    let (succeeded, failed) = (in_phase("Succeeded"), in_phase("Failed"));
    let active = owned.iter().filter(|pod| is_active(pod)).count();
    let ready = owned.iter().filter(|pod| is_active(pod) && is_true(pod, "Ready")).count();
    let number = |field: &str, default: usize| {
        int_opt(job, &format!("/spec/{field}")).and_then(|found| found.try_into().ok()).unwrap_or(default)
    };
    let (wanted, parallel, retries) =
        (number("completions", 1), number("parallelism", 1), number("backoffLimit", 6));
    let now = context.now;
    let mut status = json!({
        "active": count(active), "ready": ready, "succeeded": count(succeeded), "failed": count(failed),
        "startTime": if text(job, "/status/startTime").is_empty() { now } else { text(job, "/status/startTime") },
        "uncountedTerminatedPods": {}, "terminating": 0,
    });
    let mut event = None;
    if succeeded >= wanted {
        event = Some(("Completed", "Job completed"));
        let message = "Reached expected number of succeeded pods";
        let condition = |kind| condition_of(job, kind, "True", "CompletionsReached", message, now);
        set(&mut status, &["completionTime"], json!(now));
        set(&mut status, &["conditions"], json!([condition("SuccessCriteriaMet"), condition("Complete")]));
    } else if failed > retries {
        let message = "Job has reached the specified backoff limit";
        event = Some(("BackoffLimitExceeded", message));
        let condition = |kind| condition_of(job, kind, "True", "BackoffLimitExceeded", message, now);
        set(&mut status, &["conditions"], json!([condition("FailureTarget"), condition("Failed")]));
    } else if active < parallel.min(wanted - succeeded) {
        let name = format!("{}-{}", name_of(job), suffix(&mut context.memory.chance, 5));
        pods::create(context, RESOURCE, job, &name, |_| {});
    }
    if context.status(RESOURCE, job, CONTROLLERS, status)
        && let Some((reason, message)) = event
    {
        context.record(RESOURCE, job, reason, message, "job-controller");
    }
}

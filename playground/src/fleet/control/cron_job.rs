//! The CronJob controller: a job each minute, unless the last one still runs; old ones go.
//! Every schedule is taken as `* * * * *`, which is the schedule of the fleet's.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::clock;
use crate::fleet::context::{
    CONTROLLERS, Context, is_terminating, is_true, name_of, namespace_of, owner_reference,
};
use crate::json::{flag, int_opt, set, text};

const RESOURCE: &str = "cronjobs.batch";
const COMPONENT: &str = "cronjob-controller";

pub(super) fn reconcile(context: &mut Context<'_>, cron: &Value) {
    let mut jobs = context.owned("jobs.batch", cron);
    jobs.retain(|job| !is_terminating(job));
    jobs.sort_by_key(|job| name_of(job).to_owned());
    if clean_up(context, cron, &jobs) {
        return;
    }
    let is_over = |job: &&Arc<Value>| is_true(job, "Complete") || is_true(job, "Failed");
    let active: Vec<Value> = jobs
        .iter()
        .filter(|job| !is_over(job))
        .map(|job| {
            json!({
                "kind": "Job", "namespace": namespace_of(job), "name": name_of(job),
                "uid": text(job, "/metadata/uid"), "apiVersion": "batch/v1",
            })
        })
        .collect();
    let minute = context.now_s.div_euclid(60);
    let scheduled = clock::text_of(minute * 60);
    let is_due = active.is_empty() && !flag(cron, "/spec/suspend");
    let mut status = json!({"active": if active.is_empty() { Value::Null } else { json!(active) }});
    if is_due && text(cron, "/status/lastScheduleTime") < scheduled.as_str() {
        create(context, cron, minute);
        set(&mut status, &["lastScheduleTime"], json!(scheduled));
    }
    let newest =
        jobs.iter().filter(|job| is_true(job, "Complete")).map(|job| text(job, "/status/completionTime"));
    if let Some(time) = newest.max() {
        set(&mut status, &["lastSuccessfulTime"], json!(time));
    }
    if context.status(RESOURCE, cron, CONTROLLERS, status)
        && let Some(job) = jobs.iter().rev().find(is_over)
        && active.is_empty()
    {
        let outcome = if is_true(job, "Complete") { "Complete" } else { "Failed" };
        let message = format!("Saw completed job: {}, condition: {outcome}", name_of(job));
        context.record(RESOURCE, cron, "SawCompletedJob", &message, COMPONENT);
    }
}

fn create(context: &mut Context<'_>, cron: &Value, minute: i64) {
    let name = format!("{}-{minute}", name_of(cron));
    let mut spec = cron.pointer("/spec/jobTemplate/spec").cloned().unwrap_or_default();
    let labels = json!({"batch.kubernetes.io/job-name": name, "job-name": name});
    let own = cron.pointer("/spec/jobTemplate/spec/template/metadata/labels").cloned();
    let mut all = own.unwrap_or_else(|| json!({}));
    crate::patch::merge(&mut all, &labels);
    set(&mut spec, &["template", "metadata", "labels"], all.clone());
    set(&mut spec, &["selector", "matchLabels", "batch.kubernetes.io/job-name"], json!(name));
    set(&mut spec, &["manualSelector"], json!(true));
    context.create(
        "jobs.batch",
        CONTROLLERS,
        json!({
            "metadata": {
                "name": name, "namespace": namespace_of(cron), "labels": all,
                "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": clock::text_of(minute * 60)},
                "ownerReferences": owner_reference(RESOURCE, cron),
            },
            "spec": spec, "status": {},
        }),
    );
    context.record(RESOURCE, cron, "SuccessfulCreate", &format!("Created job {name}"), COMPONENT);
}

/// Deletes the oldest finished job, if more than the limit are kept.
fn clean_up(context: &mut Context<'_>, cron: &Value, jobs: &[Arc<Value>]) -> bool {
    for (condition, field, default) in
        [("Complete", "successfulJobsHistoryLimit", 3), ("Failed", "failedJobsHistoryLimit", 1)]
    {
        let kept = int_opt(cron, &format!("/spec/{field}")).unwrap_or(default);
        let finished: Vec<&Arc<Value>> = jobs.iter().filter(|job| is_true(job, condition)).collect();
        if finished.len() > usize::try_from(kept).unwrap_or_default()
            && let Some(oldest) = finished.first()
        {
            for pod in context.owned("pods", oldest) {
                context.delete("pods", &pod, 0);
            }
            context.delete("jobs.batch", oldest, 0);
            let message = format!("Deleted job {}", name_of(oldest));
            context.record(RESOURCE, cron, "SuccessfulDelete", &message, COMPONENT);
            return true;
        }
    }
    false
}

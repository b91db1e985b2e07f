//! Columns of what runs pods, and of what scales and protects them.

use serde_json::{Value, json};
use shared::{duration, instant};

use super::column::Cell::{Int, Made, Text, TextOr};
use super::column::{AGE, BuiltInColumn, NAME, joined, number, or_none, shown, since, wide};
use crate::json::{condition, int, int_opt, list, map, text, texts};

const TEMPLATE: &str = "/spec/template/spec/containers";
const JOB_TEMPLATE: &str = "/spec/jobTemplate/spec/template/spec/containers";

const CONTAINERS: BuiltInColumn = wide("Containers", Made(|it, _| joined(it, TEMPLATE, "/name")));
const IMAGES: BuiltInColumn = wide("Images", Made(|it, _| joined(it, TEMPLATE, "/image")));
const SELECTOR: BuiltInColumn = wide("Selector", Made(|it, _| selector_or_none(it, "/spec/selector")));
const READY_OF_WANTED: BuiltInColumn = shown(
    "Ready",
    Made(|it, _| json!(format!("{}/{}", int(it, "/status/readyReplicas"), int(it, "/spec/replicas")))),
);

pub(super) const DEPLOYMENT: &[BuiltInColumn] = &[
    NAME,
    READY_OF_WANTED,
    shown("Up-to-date", Int("/status/updatedReplicas")),
    shown("Available", Int("/status/availableReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    wide("Selector", Made(|it, _| json!(selector(it, "/spec/selector")))),
];

pub(super) const REPLICA_SET: &[BuiltInColumn] = &[
    NAME,
    number("Desired", Int("/spec/replicas")),
    number("Current", Int("/status/replicas")),
    number("Ready", Int("/status/readyReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

pub(super) const STATEFUL_SET: &[BuiltInColumn] = &[NAME, READY_OF_WANTED, AGE, CONTAINERS, IMAGES];

pub(super) const DAEMON_SET: &[BuiltInColumn] = &[
    NAME,
    number("Desired", Int("/status/desiredNumberScheduled")),
    number("Current", Int("/status/currentNumberScheduled")),
    number("Ready", Int("/status/numberReady")),
    number("Up-to-date", Int("/status/updatedNumberScheduled")),
    number("Available", Int("/status/numberAvailable")),
    shown("Node Selector", Made(|it, _| labels(it, "/spec/template/spec/nodeSelector"))),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

pub(super) const JOB: &[BuiltInColumn] = &[
    NAME,
    shown("Status", Made(|it, _| json!(job_status(it)))),
    shown("Completions", Made(|it, _| json!(completions(it)))),
    shown("Duration", Made(job_duration)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

pub(super) const CRON_JOB: &[BuiltInColumn] = &[
    NAME,
    shown("Schedule", Text("/spec/schedule")),
    shown("Timezone", TextOr("/spec/timeZone", "<none>")),
    BuiltInColumn("Suspend", "boolean", 0, Made(|it, _| json!(suspended(it)))),
    number("Active", Made(|it, _| json!(list(it, "/status/active").len()))),
    shown("Last Schedule", Made(last_schedule)),
    AGE,
    wide("Containers", Made(|it, _| joined(it, JOB_TEMPLATE, "/name"))),
    wide("Images", Made(|it, _| joined(it, JOB_TEMPLATE, "/image"))),
    wide("Selector", Made(|it, _| selector_or_none(it, "/spec/jobTemplate/spec/selector"))),
];

pub(super) const AUTOSCALER: &[BuiltInColumn] = &[
    NAME,
    shown("Reference", Made(|it, _| reference(it, "/spec/scaleTargetRef"))),
    shown("Targets", Made(|it, _| json!(targets(it)))),
    shown("MinPods", Made(|it, _| json!(count_or(int_opt(it, "/spec/minReplicas"), "", "<unset>")))),
    shown("MaxPods", Int("/spec/maxReplicas")),
    shown("Replicas", Int("/status/currentReplicas")),
    AGE,
];

pub(super) const DISRUPTION_BUDGET: &[BuiltInColumn] = &[
    NAME,
    shown("Min Available", Made(|it, _| int_or_percent(it, "minAvailable"))),
    shown("Max Unavailable", Made(|it, _| int_or_percent(it, "maxUnavailable"))),
    number("Allowed Disruptions", Int("/status/disruptionsAllowed")),
    AGE,
];

/// `KIND/NAME` of a reference.
pub(super) fn reference(object: &Value, pointer: &str) -> Value {
    let part = |field: &str| text(object, &format!("{pointer}/{field}")).to_owned();
    json!(format!("{}/{}", part("kind"), part("name")))
}

/// `a=b,c=d`, or `<none>`.
pub(super) fn labels(object: &Value, pointer: &str) -> Value {
    let found: Vec<String> =
        texts(object, pointer).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    json!(or_none(&found))
}

/// A label selector with its expressions, as one line; empty if it selects everything.
fn selector(object: &Value, pointer: &str) -> String {
    let mut terms: Vec<(String, String)> = texts(object, &format!("{pointer}/matchLabels"))
        .into_iter()
        .map(|(key, value)| (key.clone(), format!("{key}={value}")))
        .collect();
    for found in list(object, &format!("{pointer}/matchExpressions")) {
        let key = text(found, "/key");
        let mut values: Vec<&str> = list(found, "/values").iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let term = match text(found, "/operator") {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        terms.push((key.to_owned(), term));
    }
    terms.sort();
    let terms: Vec<String> = terms.into_iter().map(|(_, term)| term).collect();
    terms.join(",")
}

pub(super) fn selector_or_none(object: &Value, pointer: &str) -> Value {
    let found = selector(object, pointer);
    json!(if found.is_empty() { "<none>".to_owned() } else { found })
}

fn completions(job: &Value) -> String {
    let succeeded = int(job, "/status/succeeded");
    match (int_opt(job, "/spec/completions"), int(job, "/spec/parallelism")) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}"),
        (None, many @ 2..) => format!("{succeeded}/1 of {many}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

fn job_duration(job: &Value, now_s: i64) -> Value {
    let duration = instant::seconds(text(job, "/status/startTime")).map(|start| {
        duration::human(instant::seconds(text(job, "/status/completionTime")).unwrap_or(now_s) - start)
    });
    json!(duration.unwrap_or_default())
}

fn job_status(job: &Value) -> &'static str {
    let holds = |kind: &&str| condition(job, kind).is_some_and(|(status, _)| status == "True");
    if let Some(ended) = ["Complete", "Failed"].into_iter().find(holds) {
        return ended;
    }
    if job.pointer("/metadata/deletionTimestamp").is_some() {
        return "Terminating";
    }
    ["Suspended", "FailureTarget", "SuccessCriteriaMet"].into_iter().find(holds).unwrap_or("Running")
}

fn last_schedule(cron_job: &Value, now_s: i64) -> Value {
    match text(cron_job, "/status/lastScheduleTime") {
        "" => json!("<none>"),
        time => json!(since(time, now_s)),
    }
}

fn suspended(cron_job: &Value) -> &'static str {
    match cron_job.pointer("/spec/suspend").and_then(Value::as_bool) {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    }
}

fn count_or(count: Option<i64>, unit: &str, none: &str) -> String {
    count.map_or_else(|| none.to_owned(), |count| format!("{count}{unit}"))
}

/// The metrics of an autoscaler by resource, as `cpu: 12%/80%`.
fn targets(autoscaler: &Value) -> String {
    const SHOWN_MAX: usize = 2;
    let metrics = list(autoscaler, "/spec/metrics");
    if metrics.is_empty() {
        return "<none>".to_owned();
    }
    let current = list(autoscaler, "/status/currentMetrics");
    let shown = metrics.iter().take(SHOWN_MAX).enumerate().map(|(at, metric)| {
        let now = current.get(at).and_then(|now| int_opt(now, "/resource/current/averageUtilization"));
        let goal = int_opt(metric, "/resource/target/averageUtilization");
        let (now, goal) = (count_or(now, "%", "<unknown>"), count_or(goal, "%", "<auto>"));
        format!("{}: {now}/{goal}", text(metric, "/resource/name"))
    });
    let line = shown.collect::<Vec<_>>().join(", ");
    match metrics.len().saturating_sub(SHOWN_MAX) {
        0 => line,
        more => format!("{line} + {more} more..."),
    }
}

fn int_or_percent(budget: &Value, field: &str) -> Value {
    match map(budget, "/spec").and_then(|spec| spec.get(field)) {
        Some(Value::Number(number)) => json!(number.to_string()),
        Some(Value::String(text)) => json!(text),
        _ => json!("N/A"),
    }
}

//! Rows of jobs and cron jobs.

use serde_json::{Value, json};

use super::duration::{human_duration, seconds_of, since};
use super::workload::{age, containers, name, selector_or_none, text_or};
use crate::json::{condition, int, int_opt, list, text};

pub(super) fn job(object: &Value, now_s: i64) -> Vec<Value> {
    let (names, images) = containers(object, "/spec/template/spec/containers");
    let succeeded = int(object, "/status/succeeded");
    let completions = match int_opt(object, "/spec/completions") {
        Some(wanted) => format!("{succeeded}/{wanted}"),
        None => match int(object, "/spec/parallelism") {
            many @ 2.. => format!("{succeeded}/1 of {many}"),
            _ => format!("{succeeded}/1"),
        },
    };
    let duration = seconds_of(text(object, "/status/startTime")).map(|start| {
        let end = seconds_of(text(object, "/status/completionTime")).unwrap_or(now_s);
        human_duration(end - start)
    });
    vec![
        name(object),
        json!(status(object)),
        json!(completions),
        json!(duration.unwrap_or_default()),
        age(object, now_s),
        names,
        images,
        selector_or_none(object, "/spec/selector"),
    ]
}

fn status(object: &Value) -> &'static str {
    let holds = |kind: &str| condition(object, kind).is_some_and(|(status, _)| status == "True");
    if holds("Complete") {
        "Complete"
    } else if holds("Failed") {
        "Failed"
    } else if object.pointer("/metadata/deletionTimestamp").is_some() {
        "Terminating"
    } else if holds("Suspended") {
        "Suspended"
    } else if holds("FailureTarget") {
        "FailureTarget"
    } else if holds("SuccessCriteriaMet") {
        "SuccessCriteriaMet"
    } else {
        "Running"
    }
}

pub(super) fn cron_job(object: &Value, now_s: i64) -> Vec<Value> {
    let (names, images) = containers(object, "/spec/jobTemplate/spec/template/spec/containers");
    let last = match text(object, "/status/lastScheduleTime") {
        "" => "<none>".to_owned(),
        time => since(time, now_s),
    };
    let suspend = match object.pointer("/spec/suspend").and_then(Value::as_bool) {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    vec![
        name(object),
        json!(text(object, "/spec/schedule")),
        text_or(object, "/spec/timeZone", "<none>"),
        json!(suspend),
        json!(list(object, "/status/active").len()),
        json!(last),
        age(object, now_s),
        names,
        images,
        selector_or_none(object, "/spec/jobTemplate/spec/selector"),
    ]
}

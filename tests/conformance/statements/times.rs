//! Cells that speak of time, and how a duration is printed.
//!
//! Every instant is long enough ago that the cell doesn't change while the statement is asked.

use conformance::TABLE;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::case::Case;

statements![
    a_duration_is_printed_as_kubectl_prints_it,
    the_age_of_a_built_in_kind_is_its_creation,
    a_pods_restarts_tell_of_the_newest_end,
    an_events_times_are_first_and_last_or_its_series_or_its_event_time,
    a_cron_jobs_last_schedule_is_its_status,
    a_custom_date_is_the_instant_at_its_path,
];

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn ago(seconds: i64) -> String {
    let then = Timestamp::now() - SignedDuration::from_secs(seconds);
    then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

async fn cells(case: &Case, path: &str, at: usize) -> Vec<Value> {
    let table = case.get_as(path, TABLE).await;
    table.body["rows"][at]["cells"].as_array().expect("cells").clone()
}

async fn a_duration_is_printed_as_kubectl_prints_it(case: Case) {
    let column = json!([{"name": "Since", "type": "date", "jsonPath": ".spec.since"}]);
    let path = case.define(json!({"additionalPrinterColumns": column})).await;
    // Half of the smallest unit that is shown stands between each and its neighbours.
    for (at, (seconds, printed)) in [
        (-HOUR, "<invalid>"),
        (5 * MINUTE + 30, "5m"),
        (95 * MINUTE + 30, "95m"),
        (4 * HOUR + 9 * MINUTE + 30, "4h9m"),
        (30 * HOUR + 30 * MINUTE, "30h"),
        (3 * DAY + 4 * HOUR + 30 * MINUTE, "3d4h"),
        (400 * DAY + 12 * HOUR, "400d"),
        (3 * 365 * DAY + 12 * DAY + 12 * HOUR, "3y12d"),
        (9 * 365 * DAY + 100 * DAY, "9y"),
    ]
    .into_iter()
    .enumerate()
    {
        case.thing(&path, &format!("a{at}"), json!({"spec": {"since": ago(seconds)}})).await;
        let cell = cells(&case, &path, at).await[1].as_str().expect("text").to_owned();
        // Below ten minutes the seconds are shown, and one of them may pass.
        let fits = if printed == "5m" { cell.starts_with("5m3") } else { cell == printed };
        assert!(fits, "{seconds} s ago is {cell:?} and not {printed:?}");
    }
}

async fn the_age_of_a_built_in_kind_is_its_creation(case: Case) {
    case.config("a", "web").await;
    let age = cells(&case, &case.configs(), 0).await[2].as_str().expect("text").to_owned();
    let seconds: u64 = age.strip_suffix('s').and_then(|text| text.parse().ok()).expect("seconds");
    assert!(seconds < 60, "{age}");
}

async fn a_pods_restarts_tell_of_the_newest_end(case: Case) {
    case.pod("a").await;
    let ended = |seconds| json!({"terminated": {"exitCode": 1, "finishedAt": ago(seconds), "startedAt": ago(seconds + 1)}});
    let container = |name: &str, restarts: i64, seconds: i64| {
        json!({
            "name": name, "image": "example/app:1", "imageID": "", "ready": true, "restartCount": restarts,
            "state": {"running": {"startedAt": ago(60)}}, "lastState": ended(seconds),
        })
    };
    let status = json!({"status": {
        "phase": "Running",
        "containerStatuses": [container("app", 2, 3 * DAY + 4 * HOUR + 30 * MINUTE), container("side", 3, 30 * HOUR + 30 * MINUTE)],
    }});
    case.patch(&format!("{}/a/status", case.pods()), &status).await;
    let cells = cells(&case, &case.pods(), 0).await;
    assert_eq!(cells[1..4], [json!("2/1"), json!("Running"), json!("5 (30h ago)")]);
}

async fn an_events_times_are_first_and_last_or_its_series_or_its_event_time(case: Case) {
    let path = case.path("v1", "events");
    let (first, last) = (ago(3 * DAY + 4 * HOUR + 30 * MINUTE), ago(30 * HOUR + 30 * MINUTE));
    let precise = |time: &str| time.replace('Z', ".000000Z");
    let reporter =
        json!({"action": "Testing", "reportingComponent": "example.com/test", "reportingInstance": "test-1"});
    let series = json!({"count": 9, "lastObservedTime": precise(&last)});
    // Last seen, first seen, count.
    for (at, (name, own, more, expected)) in [
        (
            "a",
            json!({"firstTimestamp": first, "lastTimestamp": last, "count": 7}),
            None,
            json!(["30h", "3d4h", 7]),
        ),
        (
            "b",
            json!({"eventTime": precise(&first), "series": series}),
            Some(&reporter),
            json!(["30h", "3d4h", 9]),
        ),
        ("c", json!({"eventTime": precise(&last)}), Some(&reporter), json!(["30h", "30h", 1])),
    ]
    .into_iter()
    .enumerate()
    {
        let mut event = json!({
            "metadata": {"name": name}, "reason": "Tested", "type": "Normal", "message": "so it is",
            "involvedObject": {"kind": "Pod", "name": "p", "namespace": case.namespace},
        });
        for fields in [Some(&own), more].into_iter().flatten() {
            event.as_object_mut().expect("an object").extend(fields.as_object().cloned().expect("fields"));
        }
        case.create(&path, event).await;
        let cells = cells(&case, &path, at).await;
        assert_eq!(json!([cells[0], cells[7], cells[8]]), expected, "{name}");
        assert_eq!(cells[1..4], [json!("Normal"), json!("Tested"), json!("pod/p")]);
        assert_eq!((&cells[6], &cells[9]), (&json!("so it is"), &json!(name)));
    }
}

async fn a_cron_jobs_last_schedule_is_its_status(case: Case) {
    let path = case.path("batch/v1", "cronjobs");
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "app", "image": "example/app:1"}]});
    let job = json!({
        "metadata": {"name": "a"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}},
    });
    case.create(&path, job).await;
    assert_eq!(cells(&case, &path, 0).await[5], "<none>");
    let status = json!({"status": {"lastScheduleTime": ago(4 * HOUR + 9 * MINUTE + 30)}});
    case.patch(&format!("{path}/a/status"), &status).await;
    assert_eq!(cells(&case, &path, 0).await[5], "4h9m");
}

async fn a_custom_date_is_the_instant_at_its_path(case: Case) {
    let column = json!([{"name": "Since", "type": "date", "jsonPath": ".status.since"}]);
    let path = case.define(json!({"additionalPrinterColumns": column})).await;
    case.thing(&path, "a", json!({"status": {"since": ago(30 * HOUR + 30 * MINUTE)}})).await;
    case.thing(&path, "b", json!({})).await;
    assert_eq!(cells(&case, &path, 0).await, [json!("a"), json!("30h")]);
    assert_eq!(cells(&case, &path, 1).await, [json!("b"), Value::Null]);
}

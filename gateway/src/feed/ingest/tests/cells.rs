//! Instants in the place of printed durations, by the table of KUBERNETES' printers.

use shared::cell::{Ago, Cell, Span};

use super::*;

const T1: i64 = 1_795_228_981;

fn at(seconds: i64) -> Value {
    json!(jiff::Timestamp::from_second(T1 + seconds).expect("an instant").to_string())
}

/// The cell of a column `name` that the server printed as `printed`.
fn cell_with(decoder: &mut Decoder, column: (&str, &str), printed: Value, mut object: Value) -> Cell {
    object["metadata"]["name"] = json!("a");
    object["metadata"]["uid"] = json!("u");
    object["metadata"]["resourceVersion"] = json!("1");
    let table = table(&[column], json!([printed]), &object);
    put(decoder.event(&event("ADDED", &table)).expect("an event")).row.cells.remove(0)
}

fn check(of: &str, column: &str, printed: Value, object: Value, expected: Cell) {
    let found = cell_with(&mut decoder(of), (column, "string"), printed, object.clone());
    assert_eq!(found, expected, "{of} {column} {object}");
}

fn age(seconds: i64) -> Cell {
    Cell::Age(Some(T1 + seconds))
}

#[test]
fn age_is_the_creation() {
    check(
        "apps/v1/deployments",
        "Age",
        json!("5m"),
        json!({"metadata": {"creationTimestamp": at(0)}}),
        age(0),
    );
    check(
        "v1/pods",
        "Age",
        json!("<unknown>"),
        json!({"metadata": {"creationTimestamp": null}}),
        Cell::Age(None),
    );
    check("v1/pods", "Uptime", json!("5m"), json!({"metadata": {}}), Cell::text("5m"));
}

#[test]
fn events_follow_their_series_then_their_timestamps() {
    let zero = json!("0001-01-01T00:00:00Z");
    for (object, first, last) in [
        (json!({"firstTimestamp": at(1), "lastTimestamp": at(2)}), 1, 2),
        (json!({"firstTimestamp": null, "lastTimestamp": null, "eventTime": at(3)}), 3, 3),
        (json!({"firstTimestamp": zero, "eventTime": at(3)}), 3, 3),
        (
            json!({"firstTimestamp": at(1), "lastTimestamp": at(2), "series": {"lastObservedTime": at(4)}}),
            1,
            4,
        ),
        (json!({"deprecatedFirstTimestamp": at(1), "deprecatedLastTimestamp": at(2)}), 1, 2),
    ] {
        for of in ["v1/events", "events.k8s.io/v1/events"] {
            let with = |mut object: Value| {
                object["metadata"] = json!({});
                object
            };
            check(of, "First Seen", json!("9m"), with(object.clone()), age(first));
            check(of, "Last Seen", json!("9m"), with(object.clone()), age(last));
        }
    }
}

#[test]
fn jobs_and_cron_jobs_tell_their_own_times() {
    let metadata = json!({});
    let job = |status: Value| json!({"metadata": metadata, "status": status});
    let span = |end| Cell::Span(Box::new(Span { start: T1, end }));
    check("batch/v1/jobs", "Duration", json!("5s"), job(json!({"startTime": at(0)})), span(None));
    let done = job(json!({"startTime": at(0), "completionTime": at(5)}));
    check("batch/v1/jobs", "Duration", json!("5s"), done, span(Some(T1 + 5)));
    check("batch/v1/jobs", "Duration", json!(""), job(json!({})), Cell::text(""));
    check("batch/v1/cronjobs", "Last Schedule", json!("5s"), job(json!({"lastScheduleTime": at(1)})), age(1));
    check("batch/v1/cronjobs", "Last Schedule", json!("<none>"), job(json!({})), Cell::text("<none>"));
}

fn ended(seconds: i64) -> Value {
    json!({"terminated": {"exitCode": 1, "finishedAt": at(seconds)}})
}

#[test]
fn restarts_keep_their_number_and_get_the_instant_of_the_last_one() {
    let ago = |text: &str, seconds: i64| Cell::Ago(Box::new(Ago { text: text.into(), at: T1 + seconds }));
    let done = json!({"terminated": {"exitCode": 0}});
    let pod = |status: Value| {
        json!({"metadata": {}, "status": status, "spec": {"initContainers": [
            {"name": "setup"}, {"name": "sidecar", "restartPolicy": "Always"}]}})
    };
    let printed = json!("3 (5m ago)");
    let running = json!({"containerStatuses": [
        {"name": "a", "lastState": ended(1)}, {"name": "b", "lastState": ended(2)}, {"name": "c", "lastState": {}}]});
    check("v1/pods", "Restarts", printed.clone(), pod(running), ago("3", 2));
    let after_init = json!({
        "initContainerStatuses": [
            {"name": "setup", "state": done, "lastState": ended(9)},
            {"name": "sidecar", "started": true, "state": {}, "lastState": ended(4)}],
        "containerStatuses": [{"name": "a", "lastState": ended(1)}]});
    check("v1/pods", "Restarts", printed.clone(), pod(after_init), ago("3", 4));
    let in_init = json!({
        "initContainerStatuses": [{"name": "setup", "state": {"waiting": {}}, "lastState": ended(9)}],
        "containerStatuses": [{"name": "a", "lastState": ended(1)}]});
    check("v1/pods", "Restarts", printed.clone(), pod(in_init), ago("3", 9));
    check("v1/pods", "Restarts", json!("0"), pod(json!({})), Cell::text("0"));
    check("v1/pods", "Restarts", json!(0), pod(json!({})), Cell::Int(0));
    check("v1/pods", "Restarts", printed, pod(json!({})), Cell::text("3 (5m ago)"));
}

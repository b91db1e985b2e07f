//! `pods/log`, as the kubelet answers through the API server.

use conformance::Api;
use http_body_util::BodyExt;
use playground::{Fault, Options, Playground, Rule};
use serde_json::{Value, json};

use super::cluster;

const POD: &str = "/api/v1/namespaces/case/pods/web";
const LOG: &str = "/api/v1/namespaces/case/pods/web/log";
const START: &str = "2026-03-01T10:00:00Z";

/// A pod with a container whose first run failed after ten seconds, and one that is pulled in vain.
async fn with_pod(states: Value) -> (Playground, Api) {
    let (playground, api) = cluster().await;
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "case"},
        "spec": {
            "nodeName": "node-1", "initContainers": [{"name": "init", "image": "init:v1"}],
            "containers": [{"name": "app", "image": "app:v1"}, {"name": "side", "image": "side:v1"}],
        },
    });
    playground.create(pod).expect("created");
    playground
        .patch("pods", "case", "web", json!({"status": {"containerStatuses": states}}))
        .expect("patched");
    (playground, api)
}

fn states() -> Value {
    let terminated = json!({
        "exitCode": 1, "reason": "Error", "startedAt": "2026-03-01T09:59:00Z", "finishedAt": "2026-03-01T09:59:10Z",
        "containerID": "containerd://first",
    });
    json!([
        {"name": "app", "image": "app:v1", "restartCount": 1, "containerID": "containerd://second",
         "state": {"running": {"startedAt": START}}, "lastState": {"terminated": terminated}},
        {"name": "side", "image": "side:v1", "restartCount": 0,
         "state": {"waiting": {"reason": "ImagePullBackOff"}}, "lastState": {}},
    ])
}

fn ended(second: &str) -> Value {
    let mut states = states();
    let terminated = json!({
        "exitCode": 0, "startedAt": START, "finishedAt": second, "containerID": "containerd://second",
    });
    let app = states.pointer_mut("/0/state").expect("the first container");
    *app = json!({"terminated": terminated});
    states
}

async fn text(api: &Api, query: &str) -> String {
    let answer = api.get(&format!("{LOG}?{query}")).await;
    assert_eq!(answer.code, 200, "{query}: {}", answer.text);
    answer.text
}

#[tokio::test]
async fn a_log_that_can_t_be_had_is_refused_in_the_servers_words() {
    let (_playground, api) = with_pod(states()).await;
    for (path, expected) in [
        (
            LOG,
            (
                400,
                "BadRequest",
                "a container name must be specified for pod web, choose one of: [init app side]",
            ),
        ),
        (&format!("{LOG}?container=none"), (400, "BadRequest", "container none is not valid for pod web")),
        (
            &format!("{LOG}?container=init"),
            (400, "BadRequest", "container \"init\" in pod \"web\" is not available"),
        ),
        (
            &format!("{LOG}?container=side"),
            (
                400,
                "BadRequest",
                "container \"side\" in pod \"web\" is waiting to start: trying and failing to pull image",
            ),
        ),
        (
            &format!("{LOG}?container=side&previous=true"),
            (400, "BadRequest", "previous terminated container \"side\" in pod \"web\" not found"),
        ),
        (
            &format!("{LOG}?container=app&tailLines=-1"),
            (
                422,
                "Invalid",
                "PodLogOptions \"web\" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0",
            ),
        ),
        ("/api/v1/namespaces/case/pods/none/log", (404, "NotFound", "pods \"none\" not found")),
    ] {
        assert_eq!(api.get(path).await.refusal(), expected, "{path}");
    }
    assert_eq!(api.patch(LOG, &json!({})).await.code, 405);
    assert_eq!(api.delete(LOG).await.code, 405);
    let listed = api.get("/api/v1").await.body;
    let resources = listed["resources"].as_array().expect("resources");
    let log = resources.iter().find(|found| found["name"] == "pods/log").expect("it is served");
    assert_eq!(log["verbs"], json!(["get"]));
}

#[tokio::test]
async fn a_pod_without_a_node_has_an_empty_log() {
    let (playground, api) = cluster().await;
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "case"},
        "spec": {"containers": [{"name": "app", "image": "app:v1"}]},
    });
    playground.create(pod).expect("created");
    let answer = api.get(LOG).await;
    assert_eq!((answer.code, answer.text.as_str()), (204, ""));
}

#[tokio::test]
async fn what_is_asked_for_of_a_log_is_what_comes() {
    let (_playground, api) = with_pod(ended("2026-03-01T10:01:00Z")).await;
    let all = text(&api, "container=app&timestamps=true").await;
    let lines: Vec<&str> = all.lines().collect();
    assert!(lines.len() > 20, "{all}");
    let (first, last) = (lines[0], lines[lines.len() - 1]);
    assert!(first.starts_with("2026-03-01T10:00:00.") && first.ends_with(" app starts"), "{first}");
    assert!(last.starts_with("2026-03-01T10:01:00.") && last.ends_with(" app is done"), "{last}");
    let time = first.split(' ').next().expect("a time");
    assert_eq!(time.len(), "2026-03-01T10:00:00.000000000Z".len());
    let bare: String =
        lines.iter().map(|line| format!("{}\n", line.split_once(' ').expect("a time").1)).collect();
    assert_eq!(text(&api, "container=app").await, bare);
    assert_eq!(
        text(&api, "container=app&follow=true").await,
        bare,
        "a follower of what is over reads it and ends"
    );
    assert_eq!(text(&api, "container=app&tailLines=0").await, "");
    assert_eq!(text(&api, "container=app&tailLines=1&timestamps=true").await, format!("{last}\n"));
    assert_eq!(text(&api, "container=app&tailLines=100000").await, bare);
    assert_eq!(text(&api, "container=app&limitBytes=30").await, bare[..30]);
    let since = text(&api, "container=app&timestamps=true&sinceTime=2026-03-01T10%3A00%3A30.999Z").await;
    let expected: String =
        lines.iter().filter(|line| **line >= "2026-03-01T10:00:30").map(|line| format!("{line}\n")).collect();
    assert_eq!(since, expected, "fractions of a second don't count");
    let previous = text(&api, "container=app&previous=true").await;
    assert!(previous.ends_with(" app fails\n") && previous.contains("09:59:"), "{previous}");
}

#[tokio::test]
async fn a_follower_gets_each_line_once_and_ends_with_its_container() {
    let (playground, api) = with_pod(states()).await;
    playground.step_clock(at("2026-03-01T10:00:05Z") - now());
    let path = format!("{LOG}?container=app&follow=true");
    let answer = api.ask(http::Method::GET, &path, &[], "").await.expect("an answer");
    assert_eq!(answer.headers()["content-type"], "text/plain");
    let mut body = answer.into_body();
    let mut told =
        body.frame().await.expect("what is there").expect("a frame").into_data().expect("data").to_vec();
    assert_eq!(playground.open_logs(), 1);
    playground.step_clock(20_000);
    told.extend(body.frame().await.expect("what comes").expect("a frame").into_data().expect("data"));
    playground
        .patch("pods", "case", "web", json!({"status": {"containerStatuses": ended("2026-03-01T10:01:00Z")}}))
        .expect("patched");
    told.extend(body.collect().await.expect("it ends by itself").to_bytes());
    assert_eq!(String::from_utf8(told).expect("text"), text(&api, "container=app").await);
    playground.wait_for_logs(0).await;
}

#[tokio::test]
async fn a_follower_ends_with_its_pod_and_is_cut_by_a_fault() {
    let (playground, api) = with_pod(states()).await;
    let path = format!("{LOG}?container=app&follow=true&tailLines=0");
    let follow = async || api.ask(http::Method::GET, &path, &[], "").await.expect("an answer").into_body();
    let body = follow().await;
    playground.wait_for_logs(1).await;
    playground.fault(Rule::new(Fault::Drop).resource("pods/log").open_only());
    body.collect().await.expect_err("it is cut");
    playground.wait_for_logs(0).await;
    playground.clear_faults();
    let body = follow().await;
    playground.wait_for_logs(1).await;
    assert_eq!(api.delete(&format!("{POD}?gracePeriodSeconds=0")).await.code, 200);
    body.collect().await.expect("it ends");
}

#[tokio::test]
async fn the_crashing_app_of_the_fleet_says_why() {
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    let api = Api::new(&playground.url(), None);
    let crashed = |pod: &Value| {
        let last = pod.pointer("/status/containerStatuses/0/lastState/terminated/exitCode");
        last == Some(&json!(1))
    };
    let pod = loop {
        if let Some(pod) = playground.list("pods").into_iter().find(crashed) {
            break pod;
        }
        playground.step_fleet(1);
    };
    let name = pod["metadata"]["name"].as_str().expect("a name");
    let path = format!("/api/v1/namespaces/payments/pods/{name}/log?previous=true");
    let log = api.get(&path).await;
    assert_eq!(log.code, 200, "{}", log.text);
    assert!(log.text.contains("2026-11.csv has no column \"currency\""), "{}", log.text);
    assert!(log.text.ends_with("giving up, nothing was imported (exit 1)\n"), "{}", log.text);
    let last: String =
        log.text.split_inclusive('\n').rev().take(2).collect::<Vec<_>>().into_iter().rev().collect();
    let tail = api.get(&format!("{path}&tailLines=2")).await.text;
    assert!(tail == last && tail.trim_start().starts_with("expected:"), "a line of several: {tail}");
}

fn at(time: &str) -> i64 {
    time.parse::<jiff::Timestamp>().expect("a time").as_millisecond()
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

//! Faults on demand: the playground's own. What a client sees of each.

use std::time::Duration;

use playground::{Fault, Playground, Rule};
use serde_json::json;
use tokio::time::timeout;

use super::cluster;
use conformance::{Api, Events, Next};

const CONFIGS: &str = "/api/v1/namespaces/case/configmaps";

/// Long enough to say that nothing comes, short enough to wait for.
const SILENCE: Duration = Duration::from_millis(150);

/// A cluster with an open watch.
async fn watched() -> (Playground, Api, Events) {
    let (cluster, api) = cluster().await;
    let events = open(&cluster, &api).await;
    (cluster, api, events)
}

async fn open(cluster: &Playground, api: &Api) -> Events {
    let from = cluster.revision();
    let path = format!("{CONFIGS}?watch=1&resourceVersion={from}&allowWatchBookmarks=true");
    let events = api.watch(&path).await;
    cluster.wait_for_watches("configmaps", 1).await;
    events
}

#[tokio::test]
async fn drop_cuts_open_watches_and_not_the_next_ones() {
    let (cluster, api, mut events) = watched().await;
    cluster.cut_watches(Some("configmaps"));
    assert_eq!(events.next().await, Next::Broken);
    cluster.wait_for_watches("configmaps", 0).await;
    let mut again = open(&cluster, &api).await;
    api.config("case", "a", "web").await;
    assert_eq!(again.line().await, "ADDED a");
}

#[tokio::test]
async fn drop_of_a_list_breaks_the_connection() {
    let (cluster, api) = cluster().await;
    cluster.fault(Rule::new(Fault::Drop).verb("list").times(1));
    let asked = api.ask(http::Method::GET, CONFIGS, &[], "").await;
    let broken = match asked {
        Err(_) => true,
        Ok(response) => http_body_util::BodyExt::collect(response.into_body()).await.is_err(),
    };
    assert!(broken);
    assert_eq!(api.get(CONFIGS).await.code, 200);
}

#[tokio::test]
async fn a_stalled_watch_sends_nothing_until_it_heals_and_then_all() {
    for fault in [Fault::Stall, Fault::HalfOpen] {
        let (cluster, api, mut events) = watched().await;
        let rule =
            cluster.fault(Rule::new(fault.clone()).resource("configmaps").verb("watch")).expect("room");
        api.config("case", "a", "web").await;
        assert!(timeout(SILENCE, events.next()).await.is_err(), "{fault:?}");
        cluster.remove_fault(rule);
        assert_eq!(events.line().await, "ADDED a", "{fault:?}");
    }
}

#[tokio::test]
async fn a_stalled_new_watch_answers_its_head_and_nothing_more() {
    let (cluster, api) = cluster().await;
    cluster.fault(Rule::new(Fault::Stall).verb("watch"));
    let mut events = api.watch(&format!("{CONFIGS}?watch=1")).await;
    assert_eq!(events.code, 200);
    api.config("case", "a", "web").await;
    assert!(timeout(SILENCE, events.next()).await.is_err());
}

#[tokio::test]
async fn a_half_open_server_takes_a_request_and_never_answers() {
    let (cluster, api) = cluster().await;
    cluster.fault(Rule::new(Fault::HalfOpen).resource("configmaps"));
    assert!(timeout(SILENCE, api.get(CONFIGS)).await.is_err());
    cluster.clear_faults();
    assert_eq!(api.get(CONFIGS).await.code, 200);
}

#[tokio::test]
async fn a_410_comes_as_status_or_as_event() {
    let (cluster, api) = cluster().await;
    cluster.fault(Rule::new(Fault::GoneStatus).verb("watch").times(1));
    let answer = api.get(&format!("{CONFIGS}?watch=1")).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (410, "Gone"));
    let mut events = open(&cluster, &api).await;
    cluster.fault(Rule::new(Fault::GoneEvent).verb("watch").times(1));
    let event = events.event().await;
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
    assert_eq!(events.next().await, Next::End);
}

#[tokio::test]
async fn refusals_carry_their_code_reason_and_retry_after() {
    let (cluster, api) = cluster().await;
    for (fault, code, reason, retry_after) in [
        (Fault::TooManyRequests { retry_after_s: 2 }, 429, "TooManyRequests", Some("2")),
        (Fault::Unavailable { retry_after_s: 3 }, 503, "ServiceUnavailable", Some("3")),
        (Fault::InternalError, 500, "InternalError", None),
        (Fault::Unauthorized, 401, "Unauthorized", None),
        (Fault::Forbidden, 403, "Forbidden", None),
    ] {
        cluster.fault(Rule::new(fault).resource("configmaps").times(1));
        let answer = api.get(CONFIGS).await;
        assert_eq!((answer.code, answer.text_at("/reason")), (code, reason));
        let told = answer.headers.get("retry-after").and_then(|value| value.to_str().ok());
        assert_eq!(told, retry_after);
    }
    assert_eq!(api.get(CONFIGS).await.code, 200);
}

#[tokio::test]
async fn a_rule_with_a_count_strikes_so_often_and_what_it_does_not_meet_uses_none_of_it() {
    let (cluster, api) = cluster().await;
    cluster.fault(Rule::new(Fault::InternalError).resource("configmaps").times(2));
    let mut codes = Vec::new();
    for path in [CONFIGS, "/api/v1/pods", CONFIGS, CONFIGS] {
        codes.push(api.get(path).await.code);
    }
    assert_eq!(codes, [500, 200, 500, 200]);
}

#[tokio::test]
async fn a_truncated_value_is_garbage_in_a_stream_that_goes_on_and_a_cut_one_breaks_it() {
    let (cluster, api, mut events) = watched().await;
    cluster.fault(Rule::new(Fault::TruncatedJson).verb("watch").times(1));
    assert!(matches!(events.next().await, Next::Garbage(_)));
    api.config("case", "a", "web").await;
    assert_eq!(events.line().await, "ADDED a");
    cluster.fault(Rule::new(Fault::CutInValue).verb("watch").times(1));
    assert_eq!(events.next().await, Next::Broken);
}

#[tokio::test]
async fn watch_list_is_refused_with_422() {
    let (cluster, api) = cluster().await;
    cluster.fault(Rule::new(Fault::WatchListRefused));
    let path = format!(
        "{CONFIGS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    );
    let answer = api.get(&path).await;
    assert_eq!((answer.code, answer.text_at("/details/causes/0/field")), (422, "sendInitialEvents"));
}

#[tokio::test]
async fn bookmarks_can_be_taken_away() {
    let (cluster, api) = cluster().await;
    cluster.fault(Rule::new(Fault::NoBookmarks));
    let from = cluster.revision();
    let path = format!("{CONFIGS}?watch=1&resourceVersion={from}&allowWatchBookmarks=true&timeoutSeconds=1");
    assert!(api.watch(&path).await.all().await.is_empty());
}

#[tokio::test]
async fn slow_bytes_arrive_whole_at_any_chunk_boundary() {
    let (cluster, api) = cluster().await;
    for name in ["a", "b"] {
        api.config("case", name, "web").await;
    }
    api.post(CONFIGS, &json!({"metadata": {"name": "c"}, "data": {"x": "größer 🐕"}})).await;
    cluster.fault(Rule::new(Fault::SlowBytes { chunk_bytes: 1, pause_ms: 0 }));
    let list = api.get(CONFIGS).await;
    assert_eq!(list.body.pointer("/items/2/data/x"), Some(&json!("größer 🐕")));
}

#[tokio::test]
async fn a_restored_backup_goes_back_in_content_and_resource_version() {
    let (cluster, api) = cluster().await;
    for name in ["a", "b"] {
        api.config("case", name, "web").await;
    }
    let then = cluster.revision();
    api.config("case", "c", "web").await;
    api.patch(&format!("{CONFIGS}/a"), &json!({"data": {"a": "2"}})).await;
    api.delete(&format!("{CONFIGS}/b")).await;
    let mut events = open(&cluster, &api).await;
    cluster.restore(then);
    assert_eq!(events.next().await, Next::Broken);
    let list = api.get(CONFIGS).await;
    assert_eq!((list.names(), list.revision()), (vec!["a".to_owned(), "b".to_owned()], then.to_string()));
    assert_eq!(list.text_at("/items/0/data/a"), "1");
}

#[tokio::test]
async fn a_server_that_is_down_refuses_and_comes_back_without_its_history() {
    let (cluster, api) = cluster().await;
    let from = api.config("case", "a", "web").await.revision();
    api.config("case", "b", "web").await;
    let mut events = open(&cluster, &api).await;
    cluster.down();
    assert_eq!(events.next().await, Next::Broken);
    cluster.wait_for_watches("configmaps", 0).await;
    cluster.up().await.expect("the same port");
    assert_eq!(api.get(CONFIGS).await.names(), ["a", "b"]);
    let event = api.watch(&format!("{CONFIGS}?watch=1&resourceVersion={from}")).await.event().await;
    assert_eq!(event["object"]["code"], 410);
}

#[tokio::test]
async fn a_server_that_is_down_comes_back_at_once_and_as_often_as_asked() {
    let (cluster, api) = cluster().await;
    for _ in 0..200 {
        cluster.down();
        cluster.up().await.expect("the same port");
    }
    assert_eq!(api.get("/readyz").await.code, 200);
}

#[tokio::test]
async fn a_stepped_clock_shows_in_the_date() {
    let (cluster, api) = cluster().await;
    cluster.step_clock(-20 * 365 * 86_400_000);
    let date = api.get("/version").await.headers["date"].to_str().expect("text").to_owned();
    assert!(date.contains(" 200"), "{date}");
}

#[tokio::test]
async fn faults_are_made_and_cleared_over_http_too() {
    let (_cluster, api) = cluster().await;
    let rule = json!({"resource": "configmaps", "fault": "internal-error"});
    assert_eq!(api.post("/_playground/faults", &rule).await.code, 201);
    assert_eq!(api.get(CONFIGS).await.code, 500);
    assert_eq!(api.get("/_playground/faults").await.body[0]["rule"]["fault"], "internal-error");
    api.delete("/_playground/faults").await;
    assert_eq!(api.get(CONFIGS).await.code, 200);
    assert_eq!(api.post("/_playground/faults", &json!({"fault": "nonsense"})).await.code, 400);
    assert_eq!(api.post("/_playground/actions", &json!({"action": "compact"})).await.code, 200);
}

#[tokio::test]
async fn the_admin_api_takes_the_server_down_and_its_state_back() {
    let (cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    api.config("case", "b", "web").await;
    let back = json!({"action": "restore", "changes": 1});
    assert_eq!(api.post("/_playground/actions", &back).await.code, 200);
    assert_eq!(api.get(CONFIGS).await.names(), ["a"]);
    let mut events = open(&cluster, &api).await;
    let down = json!({"action": "down", "for_ms": 1});
    assert_eq!(api.post("/_playground/actions", &down).await.code, 200, "answered before it goes");
    assert_eq!(events.next().await, Next::Broken);
    let address = cluster.url().trim_start_matches("http://").to_owned();
    while tokio::net::TcpStream::connect(&address).await.is_err() {}
    assert_eq!(api.get(CONFIGS).await.names(), ["a"]);
}

#[tokio::test]
async fn opaque_resource_versions_carry_a_list_a_watch_and_a_write_on() {
    let (cluster, api) = cluster().await;
    cluster.fault(Rule::new(Fault::OpaqueRevisions).resource("configmaps"));
    for name in ["a", "b", "c"] {
        api.config("case", name, "web").await;
    }
    let first = api.get(&format!("{CONFIGS}?limit=2")).await;
    let from = first.revision();
    assert!(from.parse::<u64>().is_err(), "{from}");
    let rest = api.get(&format!("{CONFIGS}?limit=2&continue={}", first.text_at("/metadata/continue"))).await;
    assert_eq!((rest.names(), rest.revision()), (vec!["c".to_owned()], from.clone()));
    assert_eq!(api.get(&format!("{CONFIGS}?resourceVersion={from}")).await.code, 200);
    let mut events = api.watch(&format!("{CONFIGS}?watch=1&resourceVersion={from}")).await;
    let mut changed = api.get(&format!("{CONFIGS}/a")).await.body;
    changed["data"]["a"] = json!("2");
    let written = api.put(&format!("{CONFIGS}/a"), &changed).await;
    assert_eq!(written.code, 200, "{}", written.text);
    assert_eq!(events.event().await["object"]["metadata"]["resourceVersion"], json!(written.revision()));
    assert_eq!(api.put(&format!("{CONFIGS}/a"), &changed).await.code, 409, "the old one is old");
}

#[tokio::test]
async fn a_watch_sends_an_event_twice_or_after_the_next_one() {
    for (fault, expected) in [
        (Fault::DuplicateEvents, ["ADDED a", "ADDED a", "ADDED b"]),
        (Fault::ReorderEvents, ["ADDED b", "ADDED a", "ADDED c"]),
    ] {
        let (cluster, api, mut events) = watched().await;
        cluster.fault(Rule::new(fault).times(1));
        for name in ["a", "b", "c"] {
            api.config("case", name, "web").await;
        }
        assert_eq!([events.line().await, events.line().await, events.line().await], expected);
    }
}

#[tokio::test]
async fn the_admin_api_steps_the_fleet_cuts_watches_and_removes_one_rule() {
    let fleet = Playground::start(playground::Options::quiet()).await.expect("a free port");
    let api = Api::new(&fleet.url(), None);
    let before = fleet.revision();
    let stepped = api.post("/_playground/actions", &json!({"action": "step", "changes": 50})).await;
    assert_eq!(stepped.code, 200, "{}", stepped.text);
    // A change that writes a time alone changes nothing within the same second.
    let changes = fleet.revision() - before;
    assert!((1..=50).contains(&changes), "{changes} changes");
    let mut events = api.watch(&format!("/api/v1/pods?watch=1&resourceVersion={}", fleet.revision())).await;
    fleet.wait_for_watches("pods", 1).await;
    let cut = json!({"action": "cut-watches", "resource": "pods"});
    assert_eq!(api.post("/_playground/actions", &cut).await.code, 200);
    assert_eq!(events.next().await, Next::Broken);
    let nobody = json!({"action": "cut-watches", "resource": "nobody"});
    assert_eq!(api.post("/_playground/actions", &nobody).await.code, 400);
    let id = fleet.fault(Rule::new(Fault::InternalError)).expect("room");
    assert_eq!(api.get("/api/v1/pods").await.code, 500);
    assert_eq!(api.delete(&format!("/_playground/faults/{id}")).await.code, 200);
    assert_eq!(api.get("/api/v1/pods").await.code, 200);
}

/// The names that a refusal of serde lists.
fn known(text: &str) -> Vec<String> {
    let (_, listed) = text.split_once("expected one of").unwrap_or_default();
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[tokio::test]
async fn the_page_of_the_admin_api_shows_a_command_for_each_fault_and_action_and_all_are_taken() {
    let (_cluster, api) = cluster().await;
    let page = api.get("/_playground").await.text;
    for (path, unknown) in
        [("/_playground/faults", json!({"fault": "?"})), ("/_playground/actions", json!({"action": "?"}))]
    {
        let names = known(api.post(path, &unknown).await.text_at("/error"));
        assert!(names.len() > 5, "{names:?}");
        let bodies: Vec<serde_json::Value> = page
            .lines()
            .filter_map(|line| line.split_once(&format!("{path} --json '"))?.1.strip_suffix('\''))
            .map(|body| serde_json::from_str(body).expect("JSON"))
            .collect();
        for name in names {
            assert!(bodies.iter().any(|body| body.to_string().contains(&format!("\"{name}\""))), "{name}");
        }
        for body in bodies.iter().filter(|body| body["action"] != "down") {
            let code = api.post(path, body).await.code;
            assert!(matches!(code, 200 | 201), "{code}: {body}");
        }
    }
}

#[tokio::test]
async fn open_watches_are_counted_in_the_metrics_and_requests_are_logged() {
    let (cluster, api, _events) = watched().await;
    let metrics = api.get("/metrics").await.text;
    assert!(metrics.lines().any(|line| {
        line.starts_with("apiserver_longrunning_requests{")
            && line.contains("resource=\"configmaps\"")
            && line.ends_with(" 1")
    }));
    let asked = cluster.requests();
    assert!(asked.iter().any(|asked| asked.method == "GET" && asked.path_and_query.contains("watch=1")));
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_closed() {
    let (cluster, api, mut events) = watched().await;
    let mut number = 0;
    // Large enough that the socket's buffers are full long before the last one.
    let text = "x".repeat(20_000);
    api.config("case", "a", "web").await;
    while cluster.open_watches("configmaps") > 0 && number < 5_000 {
        number += 1;
        let patch = json!({"data": {"text": text, "number": number.to_string()}});
        cluster.patch("configmaps", "case", "a", patch).expect("patched");
        tokio::task::yield_now().await;
    }
    timeout(Duration::from_secs(10), cluster.wait_for_watches("configmaps", 0)).await.expect("it was closed");
    let mut seen = 0;
    while let Next::Event(_) = events.next().await {
        seen += 1;
    }
    assert!(seen < number, "{seen} of {number}");
}

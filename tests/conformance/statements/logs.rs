//! Logs, as far as an API server answers without a kubelet.

use serde_json::json;

use crate::case::Case;

statements![
    a_log_of_no_pod_or_of_no_container_is_refused_by_name,
    options_of_a_log_that_mean_nothing_are_refused,
    a_pod_without_a_node_has_an_empty_log,
    a_log_is_only_read,
];

/// A pod of two containers and an init container, which no node has.
async fn pod(case: &Case) -> String {
    let container = |name: &str| json!({"name": name, "image": "a"});
    let pod = json!({"metadata": {"name": "several"}, "spec": {
        "containers": [container("app"), container("side")], "initContainers": [container("prepare")],
    }});
    case.create(&case.pods(), pod).await;
    format!("{}/several/log", case.pods())
}

async fn a_log_of_no_pod_or_of_no_container_is_refused_by_name(case: Case) {
    let log = pod(&case).await;
    let which = "a container name must be specified for pod several, choose one of: [prepare app side]";
    assert_eq!(case.get(&log).await.refusal(), (400, "BadRequest", which));
    let none = case.get(&format!("{log}?container=none")).await;
    assert_eq!(none.refusal(), (400, "BadRequest", "container none is not valid for pod several"));
    let gone = case.get(&format!("{}/gone/log", case.pods())).await;
    assert_eq!(gone.refusal(), (404, "NotFound", "pods \"gone\" not found"));
}

async fn options_of_a_log_that_mean_nothing_are_refused(case: Case) {
    let log = pod(&case).await;
    for (query, why) in [
        ("tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0"),
        ("limitBytes=0", "limitBytes: Invalid value: 0: must be greater than 0"),
        ("sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0"),
        (
            "sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z",
            "[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
        ),
        ("stream=All", "stream: Forbidden: may not be specified"),
    ] {
        let answer = case.get(&format!("{log}?container=app&{query}")).await;
        let said = format!("PodLogOptions \"several\" is invalid: {why}");
        assert_eq!(answer.refusal(), (422, "Invalid", said.as_str()), "{query}");
    }
    let many = case.get(&format!("{log}?container=app&tailLines=many")).await;
    assert_eq!(many.refusal(), (400, "BadRequest", "strconv.ParseInt: parsing \"many\": invalid syntax"));
    let yesterday = case.get(&format!("{log}?container=app&sinceTime=yesterday")).await;
    let said =
        "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"yesterday\" as \"2006\"";
    assert_eq!(yesterday.refusal(), (400, "BadRequest", said));
}

async fn a_pod_without_a_node_has_an_empty_log(case: Case) {
    let log = pod(&case).await;
    for query in ["", "&follow=true", "&previous=true&timestamps=true&tailLines=1"] {
        let answer = case.get(&format!("{log}?container=app{query}")).await;
        assert_eq!((answer.code, answer.text.as_str()), (204, ""), "{query}");
    }
}

async fn a_log_is_only_read(case: Case) {
    let log = pod(&case).await;
    assert_eq!(case.patch(&log, &json!({})).await.code, 405);
    assert_eq!(case.delete(&log).await.code, 405);
    assert_eq!(case.put(&log, &json!({})).await.code, 405);
    let listed = case.get("/api/v1").await.body;
    let all = listed["resources"].as_array().cloned().unwrap_or_default();
    let log = all.iter().find(|found| found["name"] == "pods/log").expect("it is served");
    assert_eq!((&log["verbs"], &log["kind"]), (&json!(["get"]), &json!("Pod")));
}

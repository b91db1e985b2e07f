//! Requests that are wrong, and what the server says of each: code, reason and message are what
//! kube-apiserver 1.36.3 answered to the same request.

use http::Method;
use serde_json::{Value, json};

use super::cluster;

const CONFIGS: &str = "/api/v1/namespaces/case/configmaps";
const APPLY: &str = "application/apply-patch+yaml";

#[tokio::test]
async fn a_wrong_request_is_refused_in_the_servers_words() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    let requests: Value = serde_saphyr::from_str(include_str!("refusals.yaml")).expect("YAML");
    for (request, rows) in requests.as_object().expect("a map") {
        let (method, path) = request.split_once(' ').expect("a method and a path");
        for row in rows.as_array().expect("rows") {
            let headers = [("content-type", row["type"].as_str().unwrap_or("application/json"))];
            let body = row["body"].as_str().map_or_else(|| row["body"].to_string(), str::to_owned);
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            let answer = api.whole(method, path, &headers, body).await;
            let (code, reason, found) = answer.refusal();
            assert_eq!(json!([code, reason]), json!([row["code"], row["reason"]]), "{row}: {}", answer.text);
            let (head, tail) = split(row["message"].as_str().expect("a text"));
            assert!(found.starts_with(head) && found.ends_with(tail), "{row}: {found}");
        }
    }
}

/// What a message begins and ends with.
fn split(message: &str) -> (&str, &str) {
    message.split_once('…').unwrap_or((message, message))
}

#[tokio::test]
async fn names_and_contents_have_a_largest_size() {
    let (_cluster, api) = cluster().await;
    let named = |name: &str| json!({"metadata": {"name": name}});
    let holding = |bytes: usize| json!({"metadata": {"name": "big"}, "data": {"x": "y".repeat(bytes)}});
    for (object, code, reason, message) in [
        (named(&"a".repeat(300)), 422, "Invalid", "ConfigMap …: must be no more than 253 characters"),
        (
            holding(1_536 * 1_024),
            422,
            "Invalid",
            r#"ConfigMap "big" is invalid: []: Too long: may not be more than 1048576 bytes"#,
        ),
        (
            holding(3 * 1_024 * 1_024),
            413,
            "RequestEntityTooLarge",
            "Request entity too large: limit is 3145728",
        ),
    ] {
        let answer = api.post(CONFIGS, &object).await;
        let (found, told_reason, told) = answer.refusal();
        assert_eq!((found, told_reason), (code, reason), "{message}");
        let (head, tail) = split(message);
        assert!(told.starts_with(head) && told.ends_with(tail), "{told}");
    }
}

#[tokio::test]
async fn a_yaml_body_is_an_object_too() {
    let (_cluster, api) = cluster().await;
    let headers = [("content-type", "application/yaml")];
    let body = "metadata:\n  name: written\ndata: {a: b}\n";
    assert_eq!(api.whole(Method::POST, CONFIGS, &headers, body).await.code, 201);
    assert_eq!(api.get(&format!("{CONFIGS}/written")).await.text_at("/data/a"), "b");
}

#[tokio::test]
async fn what_another_manager_applied_is_a_conflict_until_it_is_forced() {
    let (_cluster, api) = cluster().await;
    let apply = async |manager: &str, value: &str| {
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ap"}, "data": {"k": value}});
        api.patch_as(&format!("{CONFIGS}/ap?fieldManager={manager}"), APPLY, &body).await
    };
    assert_eq!(apply("me", "v").await.code, 201, "a new one is created");
    assert_eq!(apply("me", "w").await.code, 200);
    let refused = apply("you", "x").await;
    let told = r#"Apply failed with 1 conflict: conflict with "me": .data.k"#;
    assert_eq!((refused.code, refused.text_at("/message")), (409, told));
    assert_eq!(refused.text_at("/details/causes/0/reason"), "FieldManagerConflict");
    let forced = apply("you&force=true", "x").await;
    assert_eq!((forced.code, forced.text_at("/data/k")), (200, "x"));
    let managers = forced.body["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    assert!(managers.iter().any(|entry| entry["manager"] == "you" && entry["operation"] == "Apply"));
}

#[tokio::test]
async fn a_workload_is_scaled_by_an_object_of_its_own() {
    let (_cluster, api) = cluster().await;
    let deployment = json!({
        "metadata": {"name": "d"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": {}},
    });
    let place = "/apis/apps/v1/namespaces/case/deployments";
    assert_eq!(api.post(place, &deployment).await.code, 201);
    let scale = api.get(&format!("{place}/d/scale")).await;
    assert_eq!((scale.text_at("/kind"), scale.text_at("/status/selector")), ("Scale", "a=b"));
    let patched = api.patch(&format!("{place}/d/scale"), &json!({"spec": {"replicas": 3}})).await;
    assert_eq!((patched.code, &patched.body["spec"]["replicas"]), (200, &json!(3)));
    let mut wanted = patched.body.clone();
    wanted["spec"]["replicas"] = json!(5);
    assert_eq!(api.put(&format!("{place}/d/scale"), &wanted).await.code, 200);
    assert_eq!(api.put(&format!("{place}/d/scale"), &wanted).await.code, 409, "of an older state");
    assert_eq!(api.get(&format!("{place}/d")).await.body["spec"]["replicas"], json!(5));
    let below = api.patch(&format!("{place}/d/scale"), &json!({"spec": {"replicas": -1}})).await;
    assert_eq!(below.code, 422);
}

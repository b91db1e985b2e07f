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

/// What the real server would read: protobuf, and applying on the server's side.
#[tokio::test]
async fn protobuf_and_an_apply_are_refused_as_forms_that_this_server_does_not_read() {
    let (_cluster, api) = cluster().await;
    let headers = [("content-type", "application/vnd.kubernetes.protobuf")];
    let answer = api.whole(Method::POST, CONFIGS, &headers, "k8s\0").await;
    let message = "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml";
    assert_eq!(answer.refusal(), (415, "UnsupportedMediaType", message));
    api.config("case", "a", "web").await;
    let applied = json!({"data": {"a": "applied"}});
    let answer = api.patch_as(&format!("{CONFIGS}/a?fieldManager=me"), APPLY, &applied).await;
    assert_eq!(answer.refusal(), (415, "UnsupportedMediaType", "415: Unsupported Media Type"));
    assert_ne!(api.get(&format!("{CONFIGS}/a")).await.text_at("/data/a"), "applied");
}

//! Requests that are wrong, and what the server says of each: code, reason and message are what
//! kube-apiserver 1.36.3 answered to the same request.

use http::Method;
use serde_json::json;

use super::cluster;

const CONFIGS: &str = "/api/v1/namespaces/case/configmaps";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// What is wrong, the content type, the body, and the answer. `…` in a message stands for anything.
type Row<'a> = (&'a str, &'a str, &'a str, u16, &'a str, &'a str);

async fn check(method: Method, path: &str, rows: &[Row<'_>]) {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    for (what, kind, body, code, reason, message) in rows {
        let headers = [("content-type", *kind)];
        let answer = api.whole(method.clone(), path, &headers, body.as_bytes().to_vec()).await;
        let (found, told_reason, told) = answer.refusal();
        assert_eq!((found, told_reason), (*code, *reason), "{what}: {}", answer.text);
        let fits = match message.split_once('…') {
            Some((head, tail)) => told.starts_with(head) && told.ends_with(tail),
            None => told == *message,
        };
        assert!(fits, "{what}: {told}");
    }
}

fn at(path: &str) -> String {
    format!("{CONFIGS}{path}")
}

#[tokio::test]
async fn a_body_that_can_t_be_read_is_refused_in_the_servers_words() {
    let unread = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error:";
    let cut = format!("{unread} unexpected end of JSON input ({{\"a\":)");
    let empty = format!("{unread} unexpected end of JSON input (<empty>)");
    let list = format!("{unread} json: cannot unmarshal array into Go value of type struct …(5b315d)");
    check(Method::POST, &at(""), &[
        ("half an object", JSON, r#"{"a":"#, 400, "BadRequest", &cut),
        ("nothing", JSON, "", 400, "BadRequest", &empty),
        ("a list", JSON, "[1]", 400, "BadRequest", &list),
        ("broken YAML", "application/yaml", "a: [", 400, "BadRequest", "the object provided is unrecognized (must be of type ConfigMap): yaml: …(613a205b)"),
        ("a form", "application/x-www-form-urlencoded", "a=b", 415, "UnsupportedMediaType", "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"),
        ("another kind", JSON, r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"q"}}"#, 400, "BadRequest", r#"Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion"#),
        ("another version", JSON, r#"{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"q"}}"#, 400, "BadRequest", r#"ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111""#),
        ("a resourceVersion", JSON, r#"{"metadata":{"name":"q","resourceVersion":"5"}}"#, 500, "", "resourceVersion should not be set on objects to be created"),
    ]).await;
}

#[tokio::test]
async fn a_yaml_body_is_an_object_too() {
    let (_cluster, api) = cluster().await;
    let headers = [("content-type", "application/yaml")];
    let body = "metadata:\n  name: written\ndata: {a: b}\n";
    assert_eq!(api.whole(Method::POST, CONFIGS, &headers, body).await.code, 201);
    assert_eq!(api.get(&at("/written")).await.text_at("/data/a"), "b");
}

#[tokio::test]
async fn what_names_or_versions_the_object_wrongly_is_refused() {
    check(Method::PUT, &at("/a"), &[
        ("no name", JSON, r#"{"metadata":{}}"#, 400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided"),
        ("another name", JSON, r#"{"metadata":{"name":"b"}}"#, 400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)"),
        ("an old resourceVersion", JSON, r#"{"metadata":{"name":"a","resourceVersion":"1"}}"#, 409, "Conflict", r#"Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again"#),
        ("no resourceVersion at all", JSON, r#"{"metadata":{"name":"a","resourceVersion":"abc"}}"#, 500, "", r#"strconv.ParseUint: parsing "abc": invalid syntax"#),
    ]).await;
    check(
        Method::PATCH,
        &at("/a"),
        &[(
            "a patch of the name",
            MERGE,
            r#"{"metadata":{"name":"b"}}"#,
            400,
            "BadRequest",
            "the name of the object (b) does not match the name on the URL (a)",
        )],
    )
    .await;
    check(Method::DELETE, &at("/a"), &[
        ("a uid that isn't its own", JSON, r#"{"preconditions":{"uid":"x"}}"#, 409, "Conflict", r#"Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (…). The object might have been deleted and then recreated"#),
        ("a resourceVersion that has passed", JSON, r#"{"preconditions":{"resourceVersion":"1"}}"#, 409, "Conflict", r#"Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (…). The object might have been modified"#),
        ("options that can't be read", JSON, "{", 400, "BadRequest", "couldn't get version/kind; json parse error: unexpected end of JSON input"),
    ]).await;
    check(Method::POST, &at("?dryRun=Maybe"), &[("a dry run of another kind", JSON, r#"{"metadata":{"name":"q"}}"#, 422, "Invalid", r#"CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Maybe"]: supported values: "All""#),
    ]).await;
}

#[tokio::test]
async fn a_patch_that_can_t_be_is_refused() {
    check(Method::PATCH, &at("/a"), &[
        ("no patch", JSON, "{}", 415, "UnsupportedMediaType", "415: Unsupported Media Type"),
        ("half of one", MERGE, "{", 400, "BadRequest", "error decoding patch: unexpected end of JSON input"),
        ("a list to merge", MERGE, "[1]", 400, "BadRequest", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ("an object as operations", JSON_PATCH, "{}", 400, "BadRequest", "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        ("operations that don't fit", JSON_PATCH, r#"[{"op":"remove","path":"/data/zz"}]"#, 422, "Invalid", "the server rejected our request due to an error in our request"),
        ("an apply by nobody", APPLY, "{}", 422, "Invalid", r#"PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch"#),
    ]).await;
}

#[tokio::test]
async fn content_that_can_t_be_is_refused() {
    let long = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "a".repeat(300));
    let big = format!(r#"{{"metadata":{{"name":"big"}},"data":{{"x":"{}"}}}}"#, "y".repeat(1_536 * 1_024));
    let bigger =
        format!(r#"{{"metadata":{{"name":"big"}},"data":{{"x":"{}"}}}}"#, "y".repeat(3 * 1_024 * 1_024));
    let version = r#"{"name":"v1","served":true,"storage":true"#;
    let schema = r#""schema":{"openAPIV3Schema":{"type":"object"}}"#;
    let misnamed = format!(
        r#"{{"metadata":{{"name":"x"}},"spec":{{"group":"e.io","names":{{"plural":"dogs","kind":"Dog"}},"scope":"Namespaced","versions":[{version},{schema}}}]}}}}"#
    );
    let shapeless = format!(
        r#"{{"metadata":{{"name":"dogs.e.io"}},"spec":{{"group":"e.io","names":{{"plural":"dogs","kind":"Dog"}},"scope":"Namespaced","versions":[{version}}}]}}}}"#
    );
    check(Method::POST, &at(""), &[
        ("a long name", JSON, &long, 422, "Invalid", "ConfigMap …: must be no more than 253 characters"),
        ("a label with a blank", JSON, r#"{"metadata":{"name":"q","labels":{"a b":"x"}}}"#, 422, "Invalid", r#"ConfigMap "q" is invalid: metadata.labels: Invalid value: "a b": name part must consist of …"#),
        ("a value with a blank", JSON, r#"{"metadata":{"name":"q","labels":{"a":"x y"}}}"#, 422, "Invalid", r#"ConfigMap "q" is invalid: metadata.labels: Invalid value: "x y": a valid label must be …"#),
        ("too much in it", JSON, &big, 422, "Invalid", r#"ConfigMap "big" is invalid: []: Too long: may not be more than 1048576 bytes"#),
        ("too large a body", JSON, &bigger, 413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"),
    ]).await;
    check(Method::POST, DEFINITIONS, &[
        ("a definition under a wrong name", JSON, &misnamed, 422, "Invalid", r#"CustomResourceDefinition.apiextensions.k8s.io "x" is invalid: metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group"#),
        ("a definition without a schema", JSON, &shapeless, 422, "Invalid", r#"CustomResourceDefinition.apiextensions.k8s.io "dogs.e.io" is invalid: spec.versions[0].schema.openAPIV3Schema: Required value"#),
    ]).await;
}

#[tokio::test]
async fn what_another_manager_applied_is_a_conflict_until_it_is_forced() {
    let (_cluster, api) = cluster().await;
    let apply = async |manager: &str, value: &str| {
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ap"}, "data": {"k": value}});
        api.patch_as(&at(&format!("/ap?fieldManager={manager}")), APPLY, &body).await
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

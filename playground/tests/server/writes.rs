//! Writes: what a client may change, and what is refused.

use serde_json::{Value, json};

use super::cluster;
use conformance::Api;

const CONFIGS: &str = "/api/v1/namespaces/case/configmaps";

/// Defines a namespaced resource of `case.example/v1` and gives the path of its objects.
pub async fn define(api: &Api, plural: &str, columns: Value) -> String {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.case.example")},
        "spec": {
            "group": "case.example", "scope": "Namespaced",
            "names": {"plural": plural, "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "additionalPrinterColumns": columns,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    });
    let answer = api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await;
    assert_eq!(answer.code, 201, "{}", answer.text);
    format!("/apis/case.example/v1/namespaces/case/{plural}")
}

#[tokio::test]
async fn a_created_object_has_uid_time_version_and_managed_fields() {
    let (_cluster, api) = cluster().await;
    let created = api.config("case", "a", "web").await;
    assert_eq!(created.code, 201);
    assert_eq!(created.text_at("/metadata/uid").len(), 36);
    assert!(created.text_at("/metadata/creationTimestamp").ends_with('Z'));
    assert_ne!(created.revision(), "");
    let fields = created.body.pointer("/metadata/managedFields/0/fieldsV1").expect("fields");
    assert_eq!(fields["f:data"]["f:a"], json!({}));
}

#[tokio::test]
async fn a_name_that_is_taken_is_409_and_a_generated_one_is_new() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    let again = api.config("case", "a", "web").await;
    assert_eq!((again.code, again.text_at("/reason")), (409, "AlreadyExists"));
    let generated = api.post(CONFIGS, &json!({"metadata": {"generateName": "made-"}})).await;
    assert!(generated.text_at("/metadata/name").starts_with("made-"));
}

#[tokio::test]
async fn a_name_that_is_none_is_422() {
    let (_cluster, api) = cluster().await;
    for name in ["With Space", "-a", "Upper", "a_b"] {
        let answer = api.post(CONFIGS, &json!({"metadata": {"name": name}})).await;
        assert_eq!((answer.code, answer.text_at("/reason")), (422, "Invalid"), "{name}");
    }
}

#[tokio::test]
async fn an_object_in_a_namespace_that_is_not_there_is_404() {
    let (_cluster, api) = cluster().await;
    let answer = api.post("/api/v1/namespaces/none/configmaps", &json!({"metadata": {"name": "a"}})).await;
    assert_eq!((answer.code, answer.text_at("/message")), (404, "namespaces \"none\" not found"));
}

#[tokio::test]
async fn an_update_with_an_old_resource_version_is_409() {
    let (_cluster, api) = cluster().await;
    let mut value = api.config("case", "a", "web").await.body;
    api.patch(&format!("{CONFIGS}/a"), &json!({"data": {"a": "2"}})).await;
    value["data"]["a"] = json!("3");
    let answer = api.put(&format!("{CONFIGS}/a"), &value).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (409, "Conflict"));
    assert!(
        answer.text_at("/message").ends_with("please apply your changes to the latest version and try again")
    );
}

#[tokio::test]
async fn a_write_that_changes_nothing_keeps_the_resource_version() {
    let (_cluster, api) = cluster().await;
    let before = api.config("case", "a", "web").await.revision();
    let after = api.patch(&format!("{CONFIGS}/a"), &json!({"data": {"a": "1"}})).await;
    assert_eq!(after.revision(), before);
}

#[tokio::test]
async fn the_generation_follows_the_spec_and_not_the_status() {
    let (_cluster, api) = cluster().await;
    let path = "/apis/apps/v1/namespaces/case/deployments";
    let value = json!({"metadata": {"name": "a"}, "spec": {"replicas": 1}});
    assert_eq!(api.post(path, &value).await.body["metadata"]["generation"], 1);
    let spec = api.patch(&format!("{path}/a"), &json!({"spec": {"replicas": 2}})).await;
    assert_eq!(spec.body["metadata"]["generation"], 2);
    let status = api.patch(&format!("{path}/a/status"), &json!({"status": {"replicas": 2}})).await;
    assert_eq!(status.body["metadata"]["generation"], 2);
    assert_eq!(status.body["status"]["replicas"], 2);
}

#[tokio::test]
async fn the_status_is_written_through_its_own_door_alone() {
    let (_cluster, api) = cluster().await;
    let path = "/apis/apps/v1/namespaces/case/deployments";
    api.post(path, &json!({"metadata": {"name": "a"}, "spec": {"replicas": 1}})).await;
    let patch = json!({"spec": {"replicas": 5}, "status": {"replicas": 5}});
    let through_status = api.patch(&format!("{path}/a/status"), &patch).await;
    assert_eq!(through_status.body["spec"]["replicas"], 1);
    let patch = json!({"spec": {"replicas": 3}, "status": {"replicas": 9}});
    let through_object = api.patch(&format!("{path}/a"), &patch).await;
    assert_eq!(through_object.body["status"]["replicas"], 5);
}

#[tokio::test]
async fn managed_fields_say_who_wrote_a_field_last() {
    let (_cluster, api) = cluster().await;
    api.post(
        &format!("{CONFIGS}?fieldManager=first"),
        &json!({"metadata": {"name": "a"}, "data": {"x": "1", "y": "1"}}),
    )
    .await;
    let answer = api.patch(&format!("{CONFIGS}/a?fieldManager=second"), &json!({"data": {"y": "2"}})).await;
    let managers: Vec<(&str, bool, bool)> = answer.body["metadata"]["managedFields"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| {
            let data = &entry["fieldsV1"]["f:data"];
            (entry["manager"].as_str().expect("a name"), data.get("f:x").is_some(), data.get("f:y").is_some())
        })
        .collect();
    assert_eq!(managers, [("first", true, false), ("second", false, true)]);
}

#[tokio::test]
async fn finalizers_hold_a_deleted_object_until_the_last_has_left() {
    let (_cluster, api) = cluster().await;
    let value = json!({"metadata": {"name": "a", "finalizers": ["case.example/hold"]}});
    api.post(CONFIGS, &value).await;
    let path = format!("{CONFIGS}/a");
    let held = api.delete(&path).await;
    assert_ne!(held.text_at("/metadata/deletionTimestamp"), "");
    assert_eq!(api.get(&path).await.code, 200);
    api.patch(&path, &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(api.get(&path).await.code, 404);
}

#[tokio::test]
async fn deleting_a_namespace_deletes_what_is_in_it() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    api.delete("/api/v1/namespaces/case").await;
    assert_eq!(api.get("/api/v1/configmaps").await.names(), Vec::<String>::new());
}

#[tokio::test]
async fn deleting_an_owner_deletes_what_it_owned() {
    let (_cluster, api) = cluster().await;
    let path = "/apis/apps/v1/namespaces/case/deployments";
    let owner = api.post(path, &json!({"metadata": {"name": "a"}, "spec": {}})).await;
    let reference = json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "a", "uid": owner.text_at("/metadata/uid")}]);
    api.post(CONFIGS, &json!({"metadata": {"name": "owned", "ownerReferences": reference}})).await;
    api.config("case", "free", "web").await;
    api.delete(&format!("{path}/a")).await;
    assert_eq!(api.get(CONFIGS).await.names(), ["free"]);
}

#[tokio::test]
async fn bodies_that_are_no_object_are_400_and_patches_of_unknown_types_415() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    assert_eq!(api.post(CONFIGS, &json!([1])).await.code, 400);
    let answer = api.patch_as(&format!("{CONFIGS}/a"), "text/plain", &json!({})).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (415, "UnsupportedMediaType"));
    let other = json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x"}});
    assert_eq!(api.post(CONFIGS, &other).await.code, 400);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_413() {
    let (_cluster, api) = cluster().await;
    let value = json!({"metadata": {"name": "a"}, "data": {"x": "x".repeat(4 * 1024 * 1024)}});
    assert_eq!(api.post(CONFIGS, &value).await.code, 413);
}

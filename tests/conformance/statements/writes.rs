//! Writes: what a server adds, keeps and refuses; and what goes with a deleted object.

use serde_json::{Value, json};

use crate::case::Case;

statements![
    a_created_object_has_uid_time_version_and_managed_fields,
    a_generated_name_begins_with_what_was_asked_for,
    a_body_of_another_kind_or_place_or_without_a_name_is_refused,
    an_update_without_a_resource_version_is_taken,
    an_update_under_another_name_is_400_a_patch_of_an_older_state_409,
    a_write_to_an_object_that_is_not_there_is_404,
    the_generation_follows_the_spec_and_the_status_is_a_subresource,
    a_merge_patch_removes_by_null_and_replaces_lists,
    a_json_patch_applies_its_operations_in_order,
    a_strategic_patch_merges_lists_by_their_key,
    managed_fields_say_who_wrote_a_field_last,
    a_dry_run_changes_nothing,
    a_deletion_answers_with_a_status_or_the_object_that_is_held,
    an_orphaning_deletion_holds_the_object_for_the_garbage_collector,
    finalizers_hold_a_deleted_object_until_the_last_has_left,
    a_deletion_of_another_uid_or_an_older_state_is_409,
    a_collection_is_deleted_by_selector,
    a_namespace_has_its_name_as_a_label,
];

async fn a_created_object_has_uid_time_version_and_managed_fields(case: Case) {
    let created = case.config("a", "web").await;
    assert_eq!(created.text_at("/metadata/uid").len(), 36);
    assert!(created.text_at("/metadata/creationTimestamp").ends_with('Z'));
    assert_ne!(created.revision(), "");
    let entry = &created.body["metadata"]["managedFields"][0];
    assert_eq!((&entry["operation"], &entry["apiVersion"]), (&json!("Update"), &json!("v1")));
    assert_eq!(entry["fieldsV1"]["f:data"], json!({".": {}, "f:a": {}}));
}

async fn a_generated_name_begins_with_what_was_asked_for(case: Case) {
    let made = case.post(&case.configs(), &json!({"metadata": {"generateName": "made-"}})).await;
    let name = made.text_at("/metadata/name");
    assert!(name.starts_with("made-") && name.len() == "made-".len() + 5, "{name}");
}

async fn a_body_of_another_kind_or_place_or_without_a_name_is_refused(case: Case) {
    let path = case.configs();
    let elsewhere =
        case.post("/api/v1/namespaces/none/configmaps", &json!({"metadata": {"name": "a"}})).await;
    assert_eq!(elsewhere.refusal(), (404, "NotFound", "namespaces \"none\" not found"));
    let other = json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}});
    for body in [other, json!([1]), json!("text")] {
        let answer = case.post(&path, &body).await;
        assert_eq!((answer.code, answer.text_at("/reason")), (400, "BadRequest"), "{body}");
    }
    let answer = case.post(&path, &json!({"metadata": {"name": "a", "namespace": "other"}})).await;
    let message = "the namespace of the provided object does not match the namespace sent on the request";
    assert_eq!(answer.refusal(), (400, "BadRequest", message));
    let answer = case.post(&path, &json!({"metadata": {}})).await;
    let message =
        "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required";
    assert_eq!(answer.refusal(), (422, "Invalid", message));
}

async fn an_update_without_a_resource_version_is_taken(case: Case) {
    case.config("a", "web").await;
    let path = format!("{}/a", case.configs());
    let put = case.put(&path, &json!({"metadata": {"name": "a"}, "data": {"b": "2"}})).await;
    assert_eq!((put.code, &put.body["data"]), (200, &json!({"b": "2"})));
}

async fn an_update_under_another_name_is_400_a_patch_of_an_older_state_409(case: Case) {
    case.config("a", "web").await;
    let path = format!("{}/a", case.configs());
    let patch = json!({"metadata": {"resourceVersion": "1"}, "data": {"a": "2"}});
    let message = "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes to the latest version and try again";
    assert_eq!(case.patch(&path, &patch).await.refusal(), (409, "Conflict", message));
    let answer = case.put(&path, &json!({"metadata": {"name": "b"}})).await;
    let message = "the name of the object (b) does not match the name on the URL (a)";
    assert_eq!(answer.refusal(), (400, "BadRequest", message));
}

async fn a_write_to_an_object_that_is_not_there_is_404(case: Case) {
    let path = format!("{}/none", case.configs());
    for answer in [
        case.put(&path, &json!({"metadata": {"name": "none"}})).await,
        case.patch(&path, &json!({})).await,
        case.delete(&path).await,
    ] {
        assert_eq!(answer.refusal(), (404, "NotFound", "configmaps \"none\" not found"));
    }
}

/// A deployment that no controller rolls out, and the path of all.
async fn deployment(case: &Case) -> String {
    let path = case.path("apps/v1", "deployments");
    let labels = json!({"app": "web"});
    let pod = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "example/app:1"}]}});
    let spec = json!({"replicas": 1, "selector": {"matchLabels": labels}, "template": pod});
    let made = case.create(&path, json!({"metadata": {"name": "a"}, "spec": spec})).await;
    assert_eq!(made.body["metadata"]["generation"], 1);
    path
}

async fn the_generation_follows_the_spec_and_the_status_is_a_subresource(case: Case) {
    let path = deployment(&case).await;
    let (whole, status) = (format!("{path}/a"), format!("{path}/a/status"));
    let parts = |answer: &conformance::Answer| {
        let of = |pointer: &str| answer.body.pointer(pointer).and_then(Value::as_i64).unwrap_or_default();
        (of("/metadata/generation"), of("/spec/replicas"), of("/status/replicas"))
    };
    // Generation, replicas that are wanted, replicas in the status.
    for (path, patch, expected) in [
        (&whole, json!({"spec": {"replicas": 2}}), (2, 2, 0)),
        (&status, json!({"status": {"replicas": 2}}), (2, 2, 2)),
        (&whole, json!({"metadata": {"labels": {"x": "y"}}}), (2, 2, 2)),
        (&status, json!({"spec": {"replicas": 5}, "status": {"replicas": 5}}), (2, 2, 5)),
        (&whole, json!({"spec": {"replicas": 3}, "status": {"replicas": 9}}), (3, 3, 5)),
    ] {
        assert_eq!(parts(&case.patch(path, &patch).await), expected, "{path} {patch}");
    }
}

async fn a_merge_patch_removes_by_null_and_replaces_lists(case: Case) {
    let path = case.configs();
    let made = json!({"metadata": {"name": "a", "finalizers": ["x.example/a", "x.example/b"]}, "data": {"a": "1", "b": "2"}});
    case.post(&path, &made).await;
    let patch = json!({"metadata": {"finalizers": ["x.example/c"]}, "data": {"a": null, "c": "3"}});
    let patched = case.patch(&format!("{path}/a"), &patch).await;
    assert_eq!(patched.body["data"], json!({"b": "2", "c": "3"}));
    assert_eq!(patched.body["metadata"]["finalizers"], json!(["x.example/c"]));
}

async fn a_json_patch_applies_its_operations_in_order(case: Case) {
    case.config("a", "web").await;
    let path = format!("{}/a", case.configs());
    let patch = json!([
        {"op": "test", "path": "/data/a", "value": "1"},
        {"op": "replace", "path": "/data/a", "value": "2"},
        {"op": "copy", "from": "/data/a", "path": "/data/b"},
        {"op": "remove", "path": "/data/a"},
    ]);
    let patched = case.patch_as(&path, "application/json-patch+json", &patch).await;
    assert_eq!(patched.body["data"], json!({"b": "2"}));
    let failing = json!([{"op": "test", "path": "/data/b", "value": "9"}]);
    let answer = case.patch_as(&path, "application/json-patch+json", &failing).await;
    let message = "the server rejected our request due to an error in our request";
    assert_eq!(answer.refusal(), (422, "Invalid", message));
}

async fn a_strategic_patch_merges_lists_by_their_key(case: Case) {
    let path = deployment(&case).await;
    let side = json!([{"name": "side", "image": "example/side:1"}]);
    let patch = json!({"spec": {"template": {"spec": {"containers": side}}}});
    let patched = case.patch_as(&format!("{path}/a"), "application/strategic-merge-patch+json", &patch).await;
    let containers = patched.body["spec"]["template"]["spec"]["containers"].as_array().expect("containers");
    let mut names: Vec<&str> = containers.iter().filter_map(|found| found["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["app", "side"]);
}

async fn managed_fields_say_who_wrote_a_field_last(case: Case) {
    let path = case.configs();
    let made = json!({"metadata": {"name": "a"}, "data": {"x": "1", "y": "1"}});
    case.post(&format!("{path}?fieldManager=first"), &made).await;
    let answer = case.patch(&format!("{path}/a?fieldManager=second"), &json!({"data": {"y": "2"}})).await;
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

async fn a_dry_run_changes_nothing(case: Case) {
    let path = case.configs();
    case.create(&format!("{path}?dryRun=All"), json!({"metadata": {"name": "dry"}})).await;
    assert_eq!(case.get(&format!("{path}/dry")).await.code, 404);
    case.config("a", "web").await;
    case.patch(&format!("{path}/a?dryRun=All"), &json!({"data": {"a": "2"}})).await;
    assert_eq!(case.get(&format!("{path}/a")).await.body["data"]["a"], "1");
    assert_eq!(case.delete(&format!("{path}/a?dryRun=All")).await.code, 200);
    assert_eq!(case.get(&format!("{path}/a")).await.code, 200);
}

async fn a_deletion_answers_with_a_status_or_the_object_that_is_held(case: Case) {
    let path = case.configs();
    let made = case.config("a", "web").await;
    let gone = case.delete(&format!("{path}/a")).await;
    assert_eq!((gone.code, gone.text_at("/kind"), gone.text_at("/status")), (200, "Status", "Success"));
    let uid = made.text_at("/metadata/uid");
    assert_eq!(gone.body["details"], json!({"name": "a", "kind": "configmaps", "uid": uid}));
}

async fn an_orphaning_deletion_holds_the_object_for_the_garbage_collector(case: Case) {
    let owner = case.config("owner", "web").await;
    let uid = owner.text_at("/metadata/uid");
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid});
    let owned = json!({"metadata": {"name": "owned", "ownerReferences": [reference]}});
    case.create(&case.configs(), owned).await;
    let path = format!("{}/owner", case.configs());
    let held = case.delete_with(&path, &json!({"propagationPolicy": "Orphan"})).await;
    assert_eq!((held.code, held.text_at("/kind")), (200, "ConfigMap"), "{}", held.text);
    assert_eq!(held.body["metadata"]["finalizers"], json!(["orphan"]));
    assert_ne!(held.text_at("/metadata/deletionTimestamp"), "");
    assert_eq!(held.body["metadata"]["deletionGracePeriodSeconds"], json!(0));
    assert_eq!(case.get(&format!("{}/owned", case.configs())).await.code, 200);
}

async fn finalizers_hold_a_deleted_object_until_the_last_has_left(case: Case) {
    let value = json!({"metadata": {"name": "a", "finalizers": ["case.example/hold"]}});
    case.post(&case.configs(), &value).await;
    let path = format!("{}/a", case.configs());
    let held = case.delete(&path).await;
    assert_ne!(held.text_at("/metadata/deletionTimestamp"), "");
    assert_eq!(case.get(&path).await.code, 200);
    case.patch(&path, &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(case.get(&path).await.code, 404);
}

async fn a_deletion_of_another_uid_or_an_older_state_is_409(case: Case) {
    let made = case.config("a", "web").await;
    let (uid, revision) = (made.text_at("/metadata/uid"), made.revision());
    let path = format!("{}/a", case.configs());
    for (field, what, wrong, found, happened) in [
        ("uid", "UID", "other", uid, "deleted and then recreated"),
        ("resourceVersion", "ResourceVersion", "1", revision.as_str(), "modified"),
    ] {
        let answer = case.delete_with(&path, &json!({"preconditions": {field: wrong}})).await;
        let message = format!(
            "Operation cannot be fulfilled on ConfigMap \"a\": the {what} in the precondition ({wrong}) does not match the {what} in record ({found}). The object might have been {happened}"
        );
        assert_eq!(answer.refusal(), (409, "Conflict", message.as_str()));
    }
    assert_eq!(case.delete_with(&path, &json!({"preconditions": {"uid": uid}})).await.code, 200);
}

async fn a_collection_is_deleted_by_selector(case: Case) {
    for (name, label) in [("a", "web"), ("b", "api"), ("c", "web")] {
        case.config(name, label).await;
    }
    let path = case.configs();
    let deleted = case.delete(&format!("{path}?labelSelector=app%3Dweb")).await;
    assert_eq!((deleted.code, deleted.text_at("/kind")), (200, "ConfigMapList"));
    assert_eq!(deleted.names(), ["a", "c"]);
    assert_eq!(case.get(&path).await.names(), ["b"]);
}

async fn a_namespace_has_its_name_as_a_label(case: Case) {
    let namespace = case.get(&format!("/api/v1/namespaces/{}", case.namespace)).await;
    let label: &Value = &namespace.body["metadata"]["labels"]["kubernetes.io/metadata.name"];
    assert_eq!((label, namespace.text_at("/status/phase")), (&json!(case.namespace), "Active"));
}

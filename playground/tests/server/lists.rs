//! Lists: order, pages, resourceVersions, selectors, and what is refused.

use serde_json::json;

use super::cluster;

const CONFIGS: &str = "/api/v1/namespaces/case/configmaps";

#[tokio::test]
async fn a_list_comes_in_key_order_of_namespace_and_name_as_one_string() {
    let (_cluster, api) = cluster().await;
    for namespace in ["a", "a-b"] {
        api.post("/api/v1/namespaces", &json!({"metadata": {"name": namespace}})).await;
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        api.post(&path, &json!({"metadata": {"name": format!("in-{namespace}")}})).await;
    }
    assert_eq!(api.get("/api/v1/configmaps").await.names(), ["in-a-b", "in-a"]);
}

#[tokio::test]
async fn items_of_a_built_in_kind_carry_no_kind_in_a_list_and_one_in_a_get() {
    let (_cluster, api) = cluster().await;
    api.config("case", "one", "web").await;
    let list = api.get(CONFIGS).await;
    assert_eq!(list.body["kind"], "ConfigMapList");
    assert!(list.body["items"][0].get("kind").is_none());
    assert_eq!(api.get(&format!("{CONFIGS}/one")).await.body["kind"], "ConfigMap");
}

#[tokio::test]
async fn pages_share_one_resource_version_although_the_list_changes() {
    let (_cluster, api) = cluster().await;
    for name in ["a", "b", "c", "d", "e"] {
        api.config("case", name, "web").await;
    }
    let first = api.get(&format!("{CONFIGS}?limit=2")).await;
    assert_eq!(first.names(), ["a", "b"]);
    assert_eq!(first.body.pointer("/metadata/remainingItemCount"), Some(&json!(3)));
    api.delete(&format!("{CONFIGS}/c")).await;
    api.config("case", "bb", "web").await;
    let token = first.text_at("/metadata/continue");
    let second = api.get(&format!("{CONFIGS}?limit=2&continue={token}")).await;
    assert_eq!(second.names(), ["c", "d"]);
    assert_eq!(second.revision(), first.revision());
    let token = second.text_at("/metadata/continue");
    let third = api.get(&format!("{CONFIGS}?limit=2&continue={token}")).await;
    assert_eq!(third.names(), ["e"]);
    assert_eq!(third.text_at("/metadata/continue"), "");
}

#[tokio::test]
async fn the_rest_is_not_counted_with_a_selector() {
    let (_cluster, api) = cluster().await;
    for name in ["a", "b", "c"] {
        api.config("case", name, "web").await;
    }
    let page = api.get(&format!("{CONFIGS}?limit=1&labelSelector=app%3Dweb")).await;
    assert_ne!(page.text_at("/metadata/continue"), "");
    assert!(page.body.pointer("/metadata/remainingItemCount").is_none());
}

#[tokio::test]
async fn a_limit_is_ignored_at_resource_version_0() {
    let (_cluster, api) = cluster().await;
    for name in ["a", "b", "c"] {
        api.config("case", name, "web").await;
    }
    let list = api.get(&format!("{CONFIGS}?limit=1&resourceVersion=0")).await;
    assert_eq!(list.names().len(), 3);
}

#[tokio::test]
async fn exact_gives_the_state_of_that_resource_version() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    let before = api.get(CONFIGS).await.revision();
    api.config("case", "b", "web").await;
    api.patch(&format!("{CONFIGS}/a"), &json!({"data": {"a": "2"}})).await;
    let then = api.get(&format!("{CONFIGS}?resourceVersion={before}&resourceVersionMatch=Exact")).await;
    assert_eq!(then.names(), ["a"]);
    assert_eq!(then.body["items"][0]["data"]["a"], "1");
    assert_eq!(then.revision(), before);
    let newer =
        api.get(&format!("{CONFIGS}?resourceVersion={before}&resourceVersionMatch=NotOlderThan")).await;
    assert_eq!(newer.names(), ["a", "b"]);
}

#[tokio::test]
async fn a_list_in_the_future_waits_and_is_504_with_its_cause() {
    let (_cluster, api) = cluster().await;
    let asked = std::time::Instant::now();
    let answer = api.get(&format!("{CONFIGS}?resourceVersion=999999999")).await;
    assert!(asked.elapsed().as_millis() >= 2_900, "{:?}", asked.elapsed());
    assert_eq!(answer.code, 504);
    assert_eq!(answer.text_at("/reason"), "Timeout");
    assert_eq!(answer.text_at("/details/causes/0/reason"), "ResourceVersionTooLarge");
    assert_eq!(answer.body["details"]["retryAfterSeconds"], 1);
}

#[tokio::test]
async fn a_continue_token_that_is_none_is_400() {
    let (_cluster, api) = cluster().await;
    for token in ["nonsense", "e30", "bm90IGpzb24"] {
        let answer = api.get(&format!("{CONFIGS}?limit=1&continue={token}")).await;
        assert_eq!((answer.code, answer.text_at("/reason")), (400, "BadRequest"), "{token}");
    }
}

#[tokio::test]
async fn resource_version_match_without_a_resource_version_is_422() {
    let (_cluster, api) = cluster().await;
    let answer = api.get(&format!("{CONFIGS}?resourceVersionMatch=Exact")).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (422, "Invalid"));
    assert_eq!(
        answer.text_at("/message"),
        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"
    );
}

#[tokio::test]
async fn label_selectors_choose_and_unreadable_ones_are_400() {
    let (_cluster, api) = cluster().await;
    for (name, label) in [("a", "web"), ("b", "api"), ("c", "web")] {
        api.config("case", name, label).await;
    }
    let chosen = api.get(&format!("{CONFIGS}?labelSelector=app%20in%20(web)")).await;
    assert_eq!(chosen.names(), ["a", "c"]);
    let answer = api.get(&format!("{CONFIGS}?labelSelector=app%20is%20web")).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (400, "BadRequest"));
    assert!(answer.text_at("/message").starts_with("unable to parse requirement: found 'is'"));
}

#[tokio::test]
async fn field_selectors_choose_and_unknown_fields_are_400() {
    let (_cluster, api) = cluster().await;
    for name in ["a", "b"] {
        api.config("case", name, "web").await;
    }
    let chosen = api.get(&format!("{CONFIGS}?fieldSelector=metadata.name%3Db")).await;
    assert_eq!(chosen.names(), ["b"]);
    let answer = api.get("/api/v1/pods?fieldSelector=spec.unknown%3Dx").await;
    assert_eq!(answer.code, 400);
    assert_eq!(answer.text_at("/message"), "field label not supported: spec.unknown");
}

#[tokio::test]
async fn an_object_that_is_not_there_is_404_with_its_details() {
    let (_cluster, api) = cluster().await;
    let answer = api.get("/apis/apps/v1/namespaces/case/deployments/none").await;
    assert_eq!((answer.code, answer.text_at("/reason")), (404, "NotFound"));
    assert_eq!(answer.text_at("/message"), "deployments.apps \"none\" not found");
    assert_eq!(answer.body["details"], json!({"name": "none", "group": "apps", "kind": "deployments"}));
}

#[tokio::test]
async fn a_list_without_an_acceptable_type_is_406() {
    let (_cluster, api) = cluster().await;
    let answer = api.get_as(CONFIGS, "text/html").await;
    assert_eq!((answer.code, answer.text_at("/reason")), (406, "NotAcceptable"));
}

#[tokio::test]
async fn every_answer_carries_the_clusters_clock() {
    let (_cluster, api) = cluster().await;
    let answer = api.get("/version").await;
    assert!(answer.headers.contains_key("date"));
    assert_eq!(answer.text_at("/gitVersion"), "v1.36.3");
    assert_eq!(api.get("/readyz").await.text, "ok");
    assert_eq!(api.get("/livez").await.text, "ok");
}

//! All that is asked of the playground alone, because a real server of the pinned version can't show it:
//!
//! | what | why |
//! |---|---|
//! | WatchList ignored without a word | servers before 1.27 |
//! | no aggregated discovery | servers before 1.26 |
//! | a kind that can't be printed | an aggregated server |
//! | storage that begins again | it can't be made to happen |
//! | a namespace's and an owner's deletion | the work of controllers, which don't run beside the real one |
//! | 1,000 watches and one more | a bound of the playground's own |
//!
//! Its faults on demand are stated in `playground/tests/server`.

use conformance::{TABLE, is_end_mark};
use playground::{Fault, Options, Rule};
use serde_json::json;

use crate::case::Case;
use crate::watch_lists::WATCH_LIST;

fn fault(case: &Case, rule: Rule) {
    case.playground.as_ref().expect("a playground").fault(rule).expect("room for a rule");
}

#[tokio::test]
async fn a_server_before_1_27_ignores_a_watch_list_without_a_word() {
    let case = Case::on_playground().await;
    case.config("a", "web").await;
    fault(&case, Rule::new(Fault::WatchListIgnored));
    let path = format!("{}?{WATCH_LIST}&timeoutSeconds=1", case.configs());
    let events = case.watch(&path).await.all().await;
    assert_eq!(events[0]["type"], "ADDED");
    assert!(!events.iter().any(is_end_mark));
}

#[tokio::test]
async fn a_server_before_1_26_answers_plain_discovery_to_who_asks_for_both() {
    let options = Options { aggregated_discovery: false, ..Options::empty() };
    let case = Case::on_playground_with(options).await;
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    assert_eq!(case.get_as("/apis", accept).await.text_at("/kind"), "APIGroupList");
}

#[tokio::test]
async fn a_server_that_cannot_print_a_kind_sends_the_plain_object_in_the_same_stream() {
    let case = Case::on_playground().await;
    case.config("a", "web").await;
    fault(&case, Rule::new(Fault::NoTable).resource("configmaps"));
    let event = case.watch_as(&format!("{}?watch=1", case.configs()), TABLE).await.event().await;
    assert_eq!((&event["type"], &event["object"]["kind"]), (&json!("ADDED"), &json!("ConfigMap")));
    assert_eq!(case.get_as(&case.configs(), TABLE).await.text_at("/kind"), "ConfigMapList");
}

#[tokio::test]
async fn storage_that_begins_again_is_429_with_retry_after_on_a_watch_as_well() {
    let case = Case::on_playground().await;
    fault(&case, Rule::new(Fault::TooManyRequests { retry_after_s: 1 }).resource("configmaps"));
    for query in ["", "?watch=1"] {
        let answer = case.get(&format!("{}{query}", case.configs())).await;
        assert_eq!(answer.refusal(), (429, "TooManyRequests", "storage is (re)initializing"));
        assert_eq!(answer.headers["retry-after"], "1");
    }
}

#[tokio::test]
async fn deleting_a_namespace_deletes_what_is_in_it() {
    let case = Case::on_playground().await;
    case.config("a", "web").await;
    case.delete(&format!("/api/v1/namespaces/{}", case.namespace)).await;
    assert!(case.get("/api/v1/configmaps").await.names().is_empty());
}

#[tokio::test]
async fn deleting_an_owner_deletes_what_it_owned() {
    let (case, owner) = owned().await;
    case.delete(&owner).await;
    assert_eq!(case.get(&case.configs()).await.names(), ["free"]);
}

#[tokio::test]
async fn an_orphaning_deletion_takes_the_owner_off_and_what_it_owned_stays() {
    let (case, owner) = owned().await;
    let from = case.get(&case.configs()).await.revision();
    let held = case.delete_with(&owner, &json!({"propagationPolicy": "Orphan"})).await;
    assert_eq!((held.code, held.text_at("/kind")), (200, "Deployment"), "{}", held.text);
    assert_eq!(case.get(&owner).await.code, 404);
    let left = case.get(&format!("{}/owned", case.configs())).await;
    assert!(left.body["metadata"].get("ownerReferences").is_none(), "{}", left.text);
    let mut events = case.watch(&format!("{}?watch=1&resourceVersion={from}", case.configs())).await;
    assert_eq!(events.line().await, "MODIFIED owned");
}

/// A deployment that owns the config map `owned`, beside one that is `free`; and the deployment's path.
async fn owned() -> (Case, String) {
    let case = Case::on_playground().await;
    let path = case.path("apps/v1", "deployments");
    let owner = case.post(&path, &json!({"metadata": {"name": "a"}, "spec": {}})).await;
    let reference = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "a", "uid": owner.text_at("/metadata/uid"),
    });
    let owned = json!({"metadata": {"name": "owned", "ownerReferences": [reference]}});
    case.create(&case.configs(), owned).await;
    case.config("free", "web").await;
    (case, format!("{path}/a"))
}

#[tokio::test]
async fn a_thousand_watches_are_served_and_one_more_disturbs_none_of_them() {
    const WATCHES: usize = 1_000;
    const { assert!(WATCHES < playground::limits::CONNECTIONS_MAX) };
    let case = Case::on_playground().await;
    let from = case.config("a", "web").await.revision();
    let path = format!("{}?watch=1&resourceVersion={from}", case.configs());
    let mut open = Vec::new();
    for _ in 0..WATCHES {
        open.push(case.watch(&path).await);
    }
    let playground = case.playground.as_ref().expect("a playground");
    playground.wait_for_watches("configmaps", WATCHES).await;
    let mut one_more = case.watch(&path).await;
    case.config("b", "web").await;
    for events in &mut open {
        assert_eq!(events.line().await, "ADDED b");
    }
    assert_eq!(one_more.line().await, "ADDED b");
    drop(open);
    playground.wait_for_watches("configmaps", 1).await;
    case.delete(&format!("{}/b", case.configs())).await;
    assert_eq!(one_more.line().await, "DELETED b");
}

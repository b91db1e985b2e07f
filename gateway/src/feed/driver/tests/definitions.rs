//! The feed of a custom resource while its definition changes, goes and comes back.

use serde_json::Value;
use shared::row::order_key;

use super::*;

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

#[tokio::test]
async fn a_new_column_of_a_definition_arrives_with_all_rows() {
    let playground = start(Options::quiet()).await;
    let cluster = connect(&playground).await;
    let custom =
        cluster.kinds().borrow().kinds.iter().find(|kind| kind.custom).cloned().expect("a custom kind");
    let resource = &custom.resource;
    let mut feed = Followed::of(
        &cluster,
        resource.group.as_str(),
        resource.version.as_str(),
        resource.resource.as_str(),
        quick(),
    );
    feed.until_live().await;
    let name = resource.to_string();
    let mut definition = playground.get(DEFINITIONS, "", &name).expect("a definition");
    let columns =
        definition["spec"]["versions"][0]["additionalPrinterColumns"].as_array_mut().expect("columns");
    columns.push(json!({"name": "Extra", "type": "string", "jsonPath": ".metadata.name"}));
    let versions = definition["spec"]["versions"].clone();
    playground.patch(DEFINITIONS, "", &name, json!({"spec": {"versions": versions}})).expect("patched");
    feed.until("the column", |feed| feed.columns.iter().any(|name| name == "Extra") && feed.aside.is_none())
        .await;
    feed.until_live().await;
    feed.end().await;
}

fn boats(scope: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "boats.example.org"},
        "spec": {
            "group": "example.org", "scope": scope,
            "names": {"plural": "boats", "singular": "boat", "kind": "Boat", "listKind": "BoatList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
        },
    })
}

fn boat(metadata: Value) -> Value {
    json!({"apiVersion": "example.org/v1", "kind": "Boat", "metadata": metadata})
}

#[tokio::test]
async fn r_rel_6_a_definition_that_is_made_again_with_another_scope_leaves_no_row_of_the_former_one() {
    let playground = start(Options::quiet()).await;
    playground.create(boats("Namespaced")).expect("a definition");
    playground.create(boat(json!({"name": "one", "namespace": "default"}))).expect("a boat");
    let cluster = connect(&playground).await;
    let mut feed = Followed::of(&cluster, "example.org", "v1", "boats", quick());
    feed.until_live().await;
    assert_eq!(feed.rows.len(), 1);
    playground.delete(DEFINITIONS, "", "boats.example.org").expect("deleted");
    feed.until("gone", |feed| matches!(feed.state, Some(ViewState::Gone { .. }))).await;
    playground.create(boats("Cluster")).expect("a definition");
    for name in ["two", "three"] {
        playground.create(boat(json!({"name": name}))).expect("a boat");
    }
    feed.until("the new ones", |feed| feed.rows.len() == 2 && feed.aside.is_none()).await;
    feed.until_live().await;
    let shown: Vec<&str> =
        feed.rows.values().filter_map(|row| row.split_once('@')).map(|(key, _)| key).collect();
    for name in ["two", "three"] {
        assert!(shown.contains(&&*order_key(None, name)), "{shown:?}");
    }
    feed.end().await;
}

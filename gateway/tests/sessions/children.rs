//! Which kinds the children of a kind have, as sessions are told: by what a look finds, and only those that the viewer
//! may list.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use gateway::access::RightsMode;
use gateway::limits::CHILD_LIST_OBJECTS;
use playground::{Fault, Rule};
use serde_json::json;
use shared::frame::server::{Children, ServerFrame};
use shared::resource::Resource;

use crate::over_channels::{Client, Gateway};
use crate::rights::{ALICE, gateway_with, user};

fn with_children(gateway: &Gateway) {
    let owner = |name: &str| json!([{"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": name, "uid": "r1", "controller": true}]);
    let metadata = |name: &str| json!({"name": name, "namespace": "team-a", "ownerReferences": owner("web")});
    for object in [
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata("settings")}),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata("web"), "spec": {"ports": [{"port": 80}]}}),
    ] {
        gateway.playground.create(object).expect("created");
    }
}

async fn children_of(client: &mut Client, resource: &str) -> Children {
    let resource = json!({"group": "argoproj.io", "version": "v1alpha1", "resource": resource});
    client.say(&json!({"children": {"id": 7, "resource": resource, "namespace": "team-a"}}));
    loop {
        if let ServerFrame::Children(found) = client.next().await {
            return found;
        }
    }
}

fn named(found: &Children) -> Vec<String> {
    found.kinds.iter().map(Resource::to_string).collect()
}

/// R-AUTHZ-1
#[tokio::test]
async fn r_authz_1_children_are_looked_for_with_the_rights_of_each_viewer() {
    for rights in [RightsMode::Shared, RightsMode::Passthrough] {
        let gateway = gateway_with(rights).await;
        with_children(&gateway);
        gateway.bind("team-a", "reader", &user("alice"));
        let mut alice = gateway.bearer(ALICE);
        let found = children_of(&mut alice, "rollouts").await;
        assert_eq!(named(&found), ["configmaps"], "{rights:?}");
        assert_eq!(found.looked_at, 1, "nothing is listed for a viewer who may not: {rights:?}");
        let mut root = gateway.bearer("token-of-the-gateway");
        let found = children_of(&mut root, "rollouts").await;
        assert_eq!(named(&found), ["configmaps", "services"], "{rights:?}");
        assert_eq!(found.looked_at, found.of, "{rights:?}");
        // Kinds that are known by now through another viewer aren't told to one who may not list them.
        let mut again = gateway.bearer(ALICE);
        assert_eq!(named(&children_of(&mut again, "rollouts").await), ["configmaps"], "{rights:?}");
    }
}

/// The page of a look ends before it, so only a view can have shown it.
#[tokio::test]
async fn a_kind_that_a_view_has_shown_with_such_an_owner_is_known() {
    let gateway = gateway_with(RightsMode::Shared).await;
    for number in 0..CHILD_LIST_OBJECTS {
        let metadata = json!({"name": format!("a-{number}"), "namespace": "team-a"});
        let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        gateway.playground.create(other).expect("created");
    }
    with_children(&gateway);
    let mut root = gateway.bearer("token-of-the-gateway");
    assert_eq!(named(&children_of(&mut root, "rollouts").await), ["services"]);
    root.subscribe(8, "configmaps");
    while !matches!(root.next().await, ServerFrame::Rows(rows) if !rows.more) {}
    assert_eq!(named(&children_of(&mut root, "rollouts").await), ["configmaps", "services"]);
}

#[tokio::test]
async fn a_list_that_failed_is_asked_for_again_with_the_next_question() {
    let gateway = gateway_with(RightsMode::Shared).await;
    with_children(&gateway);
    let broken = Rule::new(Fault::InternalError).resource("configmaps").verb("list").times(1);
    gateway.playground.fault(broken).expect("room");
    let mut root = gateway.bearer("token-of-the-gateway");
    let found = children_of(&mut root, "rollouts").await;
    assert_eq!((named(&found), found.looked_at), (vec!["services".to_owned()], found.of - 1));
    let found = children_of(&mut root, "rollouts").await;
    assert_eq!(named(&found), ["configmaps", "services"]);
    assert_eq!(found.looked_at, found.of);
}

#[tokio::test]
async fn a_kind_that_is_not_served_has_no_children() {
    let gateway = gateway_with(RightsMode::Shared).await;
    let mut root = gateway.bearer("token-of-the-gateway");
    let nothing = json!({"group": "apps", "version": "v1", "resource": "nothing"});
    root.say(&json!({"children": {"id": 8, "resource": nothing}}));
    let refused = loop {
        if let ServerFrame::Problem(refused) = root.next().await {
            break refused;
        }
    };
    assert_eq!(refused.id, Some(8));
}

//! What a gateway shows if its own credentials may not list everything.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test says what it expects by failing")]

use playground::{Options, User};
use serde_json::json;
use shared::frame::server::{Rows, ServerFrame};
use shared::state::{StateReport, ViewState};

use crate::over_channels::{Client, Gateway};

/// A gateway with bob's credentials, which allow only the namespace shop.
async fn gateway_of_bob() -> Gateway {
    let users = vec![User::new("bob", "bob-token", &[])];
    let gateway = Gateway::start(Options { users, ..Options::quiet() }).await;
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": "bob-views", "namespace": "shop"},
        "subjects": [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"kind": "ClusterRole", "name": "view", "apiGroup": "rbac.authorization.k8s.io"},
    });
    gateway.playground.create(binding).expect("a binding");
    gateway
}

fn subscribe(client: &Client, id: u32, namespaces: Option<&[&str]>) {
    let mut scope = json!({"resource": {"group": "", "version": "v1", "resource": "pods"}});
    if let Some(namespaces) = namespaces {
        scope["namespaces"] = json!(namespaces);
    }
    client.say(&json!({"subscribe": {"id": id, "scope": scope}}));
}

fn with_rows(frame: ServerFrame) -> Option<Rows> {
    match frame {
        ServerFrame::Rows(rows) if !rows.put.is_empty() => Some(rows),
        _ => None,
    }
}

fn forbidden(frame: ServerFrame) -> Option<StateReport> {
    match frame {
        ServerFrame::State(state) => Some(state.report),
        ServerFrame::Subscribed(answer) => Some(answer.state),
        _ => None,
    }
    .filter(|report| matches!(report.state, ViewState::Forbidden { .. }))
}

#[tokio::test]
async fn where_the_cluster_may_not_be_listed_one_namespace_has_a_feed_of_its_own() {
    let gateway = gateway_of_bob().await;
    let mut client = gateway.client().await;
    subscribe(&client, 1, Some(&["shop"]));
    let rows = client.until(with_rows).await;
    assert!(rows.put.iter().all(|row| row.namespace.as_deref() == Some("shop")));
    let view = rows.view;
    client.until(|frame| matches!(frame, ServerFrame::Sync(sync) if sync.view == view).then_some(())).await;

    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "late", "namespace": "shop"}, "spec": {"containers": []}});
    gateway.playground.create(pod).expect("a pod");
    let late = client.until(with_rows).await;
    assert_eq!((late.view, &*late.put[0].name), (view, "late"));
    let watched =
        |path: &str| gateway.playground.requests().iter().any(|asked| asked.path_and_query.starts_with(path));
    assert!(watched("/api/v1/namespaces/shop/pods?") && gateway.playground.open_watches("pods") == 1);
}

#[tokio::test]
async fn who_asks_for_what_may_not_be_listed_is_told_so_and_the_others_go_on() {
    let gateway = gateway_of_bob().await;
    let mut client = gateway.client().await;
    subscribe(&client, 1, Some(&["shop"]));
    client.until(with_rows).await;
    subscribe(&client, 2, None);
    let all = client.until(forbidden).await;
    assert!(
        all.problem.is_some_and(|problem| problem.message.contains("may not list pods in the whole cluster"))
    );
    subscribe(&client, 3, Some(&["payments"]));
    let other = client
        .until(|frame| {
            forbidden(frame).filter(|report| {
                report
                    .problem
                    .as_ref()
                    .is_some_and(|problem| problem.message.contains("in the namespace payments"))
            })
        })
        .await;
    assert!(other.next_try_ms.is_some());
}

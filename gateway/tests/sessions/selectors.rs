//! What is answered by a feed that is shared, and what by a feed of its own.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use playground::{Options, User};
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;

use crate::over_channels::{Client, Gateway};

const OBJECTS: [(&str, &str); 4] =
    [("shop", "cart"), ("shop", "web"), ("payments", "cart"), ("payments", "ledger")];

fn resource() -> Value {
    json!({ "group": "", "version": "v1", "resource": "pods" })
}

fn create(gateway: &Gateway, namespace: &str, name: &str) {
    let metadata = json!({ "namespace": namespace, "name": name, "labels": { "by": "test" } });
    let object =
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": { "nodeName": "node-1" } });
    gateway.playground.create(object).expect("created");
}

/// The objects of a new view, when it is complete. Ends it.
async fn selected(client: &mut Client, id: u64, fields: &str) -> BTreeSet<String> {
    let scope = json!({ "resource": resource(), "labels": "by=test", "fields": fields });
    client.say(&json!({ "subscribe": { "id": id, "scope": scope } }));
    let (mut view, mut names) = (None, BTreeSet::new());
    loop {
        match client.next().await {
            ServerFrame::Subscribed(subscribed) if u64::from(subscribed.id) == id => {
                view = Some(subscribed.view)
            }
            ServerFrame::Rows(rows) if Some(rows.view) == view => {
                let place =
                    |namespace: Option<&str>, name: &str| format!("{}/{name}", namespace.unwrap_or_default());
                names.extend(rows.put.iter().map(|row| place(row.namespace.as_deref(), &row.name)));
                if !rows.more {
                    client.say(&json!({ "unsubscribe": { "id": id } }));
                    return names;
                }
            }
            ServerFrame::Problem(frame) => panic!("{fields}: {}", frame.problem),
            _ => {}
        }
    }
}

/// The same selection is asked twice: of the shared feed, and, with a term that changes nothing but that the
/// gateway can't read, of the API server itself.
#[tokio::test]
async fn names_are_selected_by_the_gateway_as_the_api_server_selects_them() {
    let gateway = Gateway::start(Options::quiet()).await;
    for (namespace, name) in OBJECTS {
        create(&gateway, namespace, name);
    }
    let mut client = gateway.client().await;
    for (n, (fields, count)) in [
        ("metadata.name=cart", 2),
        ("metadata.name==web", 1),
        ("metadata.name!=cart", 2),
        ("metadata.name!=cart,metadata.name!=web", 1),
        ("metadata.name=", 0),
        ("metadata.namespace=shop", 2),
        ("metadata.namespace!=shop,metadata.name=cart", 1),
        ("metadata.namespace==other", 0),
    ]
    .into_iter()
    .enumerate()
    {
        let shared = selected(&mut client, 2 * n as u64, fields).await;
        assert_eq!(gateway.context.metrics.feeds.get(), 1 + n as i64, "{fields} started a feed");
        let upstream =
            selected(&mut client, 2 * n as u64 + 1, &format!("{fields},spec.nodeName!=other-{n}")).await;
        assert_eq!(gateway.context.metrics.feeds.get(), 2 + n as i64);
        assert_eq!(shared, upstream, "{fields}");
        assert_eq!(shared.len(), count, "{fields}");
    }
}

/// The object of a view that is subscribed to with this id.
async fn object_of(client: &mut Client, id: u64, name: &str) -> Option<Value> {
    let scope = json!({ "resource": resource(), "namespaces": ["shop"], "name": name });
    client.say(&json!({ "subscribe": { "id": id, "scope": scope, "projection": "object" } }));
    let object = client.until(|frame| match frame {
        ServerFrame::Object(frame) => Some(frame.object),
        _ => None,
    });
    object.await.and_then(|object| object.pointer("/metadata/name").cloned())
}

#[tokio::test]
async fn an_object_by_name_is_answered_by_a_table_that_is_current_and_its_successor_too() {
    let gateway = Gateway::start(Options::quiet()).await;
    create(&gateway, "shop", "cart");
    let mut client = gateway.client().await;
    assert_eq!(object_of(&mut client, 1, "cart").await, Some(json!("cart")));
    assert_eq!(gateway.context.metrics.feeds.get(), 1, "no table, so a feed of its own");
    selected(&mut client, 2, "metadata.name=cart").await;
    client.until(|frame| matches!(frame, ServerFrame::Sync(_)).then_some(())).await;
    assert_eq!(gateway.context.metrics.feeds.get(), 2);
    create(&gateway, "payments", "web");
    assert_eq!(object_of(&mut client, 3, "web").await, None, "another namespace's");
    create(&gateway, "shop", "web");
    let appeared = client.until(|frame| match frame {
        ServerFrame::Object(frame) => frame.object,
        _ => None,
    });
    assert_eq!(appeared.await.pointer("/metadata/namespace"), Some(&json!("shop")));
    assert_eq!(gateway.context.metrics.feeds.get(), 2);
}

/// RBAC may allow one object by its name and no list, which the API server applies to this selector.
#[tokio::test]
async fn a_right_to_one_name_is_enough_for_a_selection_of_it() {
    let users = vec![User::new("bob", "bob-token", &[])];
    let gateway = Gateway::start(Options { users, ..Options::quiet() }).await;
    create(&gateway, "shop", "cart");
    create(&gateway, "shop", "web");
    let group = "rbac.authorization.k8s.io";
    let role = json!({ "apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": { "name": "one" },
        "rules": [{ "apiGroups": [""], "resources": ["pods"], "resourceNames": ["cart"], "verbs": ["list", "watch"] }] });
    let binding = json!({ "apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding", "metadata": { "name": "one" },
        "subjects": [{ "kind": "User", "name": "bob", "apiGroup": group }],
        "roleRef": { "kind": "ClusterRole", "name": "one", "apiGroup": group } });
    for object in [role, binding] {
        gateway.playground.create(object).expect("created");
    }
    let mut client = gateway.client().await;
    let names = selected(&mut client, 1, "metadata.name=cart").await;
    assert_eq!(names, BTreeSet::from(["shop/cart".to_owned()]));
}

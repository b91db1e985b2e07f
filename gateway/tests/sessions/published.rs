//! Weaknesses of other gateways and of Kubernetes itself that were published, tried here. Each test is called after
//! one: strings that widen a scope, and an identity that is empty.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use gateway::access::Caller;
use gateway::cluster::Ceiling;
use playground::{Options, User};
use serde_json::{Value, json};
use shared::frame::client::Credential;
use shared::frame::close::UNAUTHORIZED;
use shared::frame::server::{Rows, ServerFrame};
use shared::problem::Reason;
use shared::state::ViewState;

use crate::over_channels::{Client, Gateway};
use crate::rights::{ALICE, closed, gateway, user};

/// The frame that answers a subscription.
async fn answer(client: &mut Client, id: u64, scope: &Value, more: &Value) -> ServerFrame {
    let mut subscribe = json!({ "id": id, "scope": scope });
    subscribe.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    client.say(&json!({ "subscribe": subscribe }));
    client
        .until(|frame| match &frame {
            ServerFrame::Subscribed(answer) if u64::from(answer.id) == id => Some(frame),
            ServerFrame::Problem(problem) if problem.id.map(u64::from) == Some(id) => Some(frame),
            _ => None,
        })
        .await
}

fn rows_of(frame: ServerFrame) -> Option<Rows> {
    match frame {
        ServerFrame::Rows(rows) => Some(rows),
        _ => None,
    }
}

fn config_maps(more: &Value) -> Value {
    let mut scope = json!({ "resource": { "group": "", "version": "v1", "resource": "configmaps" } });
    scope.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    scope
}

fn is_forbidden(frame: &ServerFrame) -> bool {
    match frame {
        ServerFrame::Subscribed(answer) => matches!(answer.state.state, ViewState::Forbidden { .. }),
        ServerFrame::Problem(frame) => frame.problem.reason == Reason::Forbidden,
        _ => false,
    }
}

/// Rancher: who might get one object by its name could watch all of its kind.
#[tokio::test]
async fn cve_2024_52280_a_right_to_one_object_opens_no_view_of_others() {
    let gateway = gateway().await;
    let neighbour = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "neighbour", "namespace": "team-a", "labels": {"canary": "4711"}}});
    gateway.playground.create(neighbour).expect("created");
    gateway.bind("team-a", "one", &user("alice"));
    let mut alice = gateway.bearer(ALICE);
    let mine = json!({ "namespaces": ["team-a"], "name": "of-team-a" });
    let more = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let wider = [
        ("{}", "{}"),
        (r#"{"namespaces":["team-a"]}"#, "{}"),
        (r#"{"namespaces":["team-a","team-b"]}"#, "{}"),
        (r#"{"namespaces":["team-a"],"fields":"metadata.name=of-team-a"}"#, "{}"),
        (r#"{"namespaces":["team-a"],"labels":"canary=4711"}"#, "{}"),
        (r#"{"namespaces":["team-a"]}"#, r#"{"projection":"timeline","earlier":true}"#),
        (r#"{"namespaces":["team-a"]}"#, r#"{"projection":"object","row":"AAAAAAAAAA"}"#),
        (r#"{"namespaces":["team-a"],"name":"neighbour"}"#, "{}"),
        (r#"{"namespaces":["team-b"],"name":"of-team-a"}"#, "{}"),
    ];
    for (id, (scope, rest)) in wider.into_iter().enumerate() {
        let said = answer(&mut alice, id as u64, &config_maps(&more(scope)), &more(rest)).await;
        assert!(is_forbidden(&said), "{scope} {rest}: {said:?}");
    }
    assert!(!gateway.playground.requests().iter().any(|asked| asked.path_and_query.contains("/configmaps")));
    // Its own object is watched by its name, and no term of a selector makes it another.
    let named = answer(&mut alice, 100, &config_maps(&mine), &json!({})).await;
    assert!(!is_forbidden(&named), "{named:?}");
    let own = alice.until(|frame| rows_of(frame).filter(|rows| !rows.put.is_empty())).await;
    assert_eq!(own.put.iter().map(|row| &*row.name).collect::<Vec<_>>(), ["of-team-a"]);
    let mut other = mine.clone();
    other["fields"] = json!("metadata.name=neighbour");
    answer(&mut alice, 101, &config_maps(&other), &json!({})).await;
    for name in ["neighbour", "of-team-a"] {
        let change = json!({ "data": { "v": "1" } });
        gateway.playground.patch("configmaps", "team-a", name, change).expect("patched");
    }
    let id = own.put.first().expect("a row").id;
    let is_change = |rows: &Rows| !rows.set.is_empty() || !rows.put.is_empty() || !rows.delete.is_empty();
    let changed = alice.until(|frame| rows_of(frame).filter(is_change)).await;
    let changed: Vec<_> = changed.set.iter().map(|patch| patch.id).chain(changed.delete).collect();
    assert_eq!(changed, [id], "its neighbour's change isn't heard");
    let asked = gateway.playground.requests();
    let asked = asked.iter().map(|asked| asked.path_and_query.as_str());
    let asked: Vec<&str> = asked.filter(|asked| asked.contains("/configmaps")).collect();
    let of_mine = "/api/v1/namespaces/team-a/configmaps?fieldSelector=metadata.name%3Dof-team-a";
    assert!(!asked.is_empty() && asked.iter().all(|asked| asked.starts_with(of_mine)), "{asked:?}");
}

/// Kubernetes: a path within a resource's or a namespace's name led to another resource of its group.
#[tokio::test]
async fn cve_2022_3162_no_name_of_a_resource_or_namespace_leads_to_another_resource() {
    let gateway = gateway().await;
    gateway.bind("team-a", "reader", &user("alice"));
    let mut alice = gateway.bearer(ALICE);
    alice.until(|frame| matches!(frame, ServerFrame::Kinds(_)).then_some(())).await;
    let before = gateway.playground.requests().len();
    let resource = |group: &str, version: &str, resource: &str| json!({ "resource": { "group": group, "version": version, "resource": resource }, "namespaces": ["team-a"] });
    let scopes = [
        resource("", "v1", "configmaps/../secrets"),
        resource("", "v1", "configmaps/of-team-a/../../secrets"),
        resource("", "v1", "../namespaces/team-b/configmaps"),
        resource("", "v1", "configmaps%2f..%2fsecrets"),
        resource("", "v1/namespaces/team-b", "configmaps"),
        resource("", "v1/../v1", "configmaps"),
        resource("../api", "v1", "configmaps"),
        resource("apps/v1/../..", "v1", "configmaps"),
        config_maps(&json!({ "namespaces": [".."] })),
        config_maps(&json!({ "namespaces": ["."] })),
        config_maps(&json!({ "namespaces": [""] })),
        config_maps(&json!({ "namespaces": ["team-a/../team-b"] })),
        config_maps(&json!({ "namespaces": ["team-a/configmaps?watch=1#"] })),
        config_maps(&json!({ "namespaces": ["team-a"], "name": "../../team-b/configmaps/of-team-b" })),
    ];
    for (id, scope) in scopes.iter().enumerate() {
        let said = answer(&mut alice, id as u64, scope, &json!({})).await;
        let ServerFrame::Problem(frame) = said else { panic!("{scope}: {said:?}") };
        assert_eq!(frame.problem.reason, Reason::BadRequest, "{scope}");
    }
    let after: Vec<_> = gateway.playground.requests().split_off(before);
    let asked = after.iter().filter(|asked| !asked.path_and_query.contains("rbac.authorization.k8s.io"));
    assert_eq!(asked.count(), 0, "not even a review: {after:?}");
}

/// A client library that writes names into its URLs as they are. What is allowed in a name is one value in a request.
#[tokio::test]
async fn ghsa_c534_2w9c_x7fm_a_name_is_one_value_of_one_request_whatever_it_holds() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut client = gateway.client().await;
    let resource =
        json!({ "group": "rbac.authorization.k8s.io", "version": "v1", "resource": "clusterroles" });
    let names = [
        ("view?watch=true", "view%3Fwatch%5C%3Dtrue"),
        ("view#x", "view%23x"),
        ("view&limit=1", "view%26limit%5C%3D1"),
        ("view,metadata.name=admin", "view%5C%2Cmetadata.name%5C%3Dadmin"),
        ("a b;c\\d", "a%20b%3Bc%5C%5Cd"),
    ];
    for (id, (name, written)) in names.into_iter().enumerate() {
        let before = gateway.playground.requests().len();
        client.say(&json!({ "get": { "id": id, "scope": { "resource": resource, "name": name } } }));
        let said = client
            .until(|frame| match frame {
                ServerFrame::Problem(frame) => Some(frame.problem.reason),
                ServerFrame::Object(_) => panic!("there is no {name:?}"),
                _ => None,
            })
            .await;
        assert_eq!(said, Reason::NotFound, "{name}");
        let selector = format!("fieldSelector=metadata.name%3D{written}");
        let asked: Vec<_> = gateway.playground.requests().split_off(before);
        let asked: Vec<_> =
            asked.iter().filter(|asked| asked.path_and_query.contains("/clusterroles")).collect();
        let path = format!("/apis/rbac.authorization.k8s.io/v1/clusterroles?{selector}");
        let is_one = |text: &str| {
            text.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with('&'))
        };
        assert!(!asked.is_empty(), "{name}");
        assert!(asked.iter().all(|asked| is_one(&asked.path_and_query)), "{name}: {asked:?}");
    }
}

/// Flux Operator: claims that came out empty made requests with the operator's own rights.
#[tokio::test]
async fn cve_2026_23990_a_token_whose_user_has_no_name_is_nobodys() {
    let gateway = User::new("dogwatch", "token-of-the-gateway", &["system:masters"]);
    let nameless = ["", " ", "\t\n"];
    let users = nameless.iter().enumerate();
    let users = users.map(|(at, name)| User::new(name, &format!("nameless-{at}"), &["system:masters"]));
    let users = std::iter::once(gateway).chain(users).collect();
    let gateway = Gateway::for_bearers(Ceiling::default(), Options { users, ..Options::quiet() }).await;
    for (at, name) in nameless.iter().enumerate() {
        assert_eq!(closed(&gateway, &format!("nameless-{at}")).await, UNAUTHORIZED, "{name:?}");
    }
}

/// Capsule: an empty token was taken for the proxy's own.
#[tokio::test]
async fn cve_2023_48312_an_empty_token_is_nobodys_and_nobody_is_asked_whose_it_is() {
    let gateway = gateway().await;
    for token in ["", " ", "\t", "\u{a0}"] {
        assert_eq!(closed(&gateway, token).await, UNAUTHORIZED, "{token:?}");
        let bearer = Some(Credential::Bearer(token.into()));
        let mut client = gateway.connect(Caller::Remote { origin: "".into(), bearer });
        client.say(&json!({ "hello": { "version": "dogwatch.v2" } }));
        assert_eq!(client.until_closed().await, UNAUTHORIZED, "{token:?} with the upgrade");
    }
    let asked = gateway.playground.requests();
    assert!(!asked.iter().any(|asked| asked.path_and_query.contains("tokenreviews")), "{asked:?}");
}

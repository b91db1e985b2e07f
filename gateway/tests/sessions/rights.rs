//! What a viewer sees is what their own rights allow, from the first frame on and as they change.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::time::Duration;

use gateway::access::{Caller, RightsMode};
use gateway::cluster::Ceiling;
use gateway::limits::REVIEWS_OF_A_PERSON_MAX;
use playground::{Fault, Options, Rule, User};
use replica::client::{Client as Replica, Input, Output, SignIn, ViewKey};
use replica::freshness::{self, Freshness};
use replica::now::Now;
use serde_json::{Value, json};
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use tokio::time::{Instant, timeout_at};

use crate::over_channels::{Client, Gateway, Heard};

pub const ALICE: &str = "token-of-alice";
pub const BOB: &str = "token-of-bob";

pub fn options() -> Options {
    let gateway = User::new("dogwatch", "token-of-the-gateway", &["system:masters"]);
    let users = vec![gateway, User::new("alice", ALICE, &["dev"]), User::new("bob", BOB, &[])];
    Options { users, ..Options::quiet() }
}

/// Each namespace `team-*` has a config map of the namespace's name.
pub async fn gateway() -> Gateway {
    with_teams(Gateway::for_bearers(Ceiling::default(), options()).await)
}

pub async fn gateway_with(rights: RightsMode) -> Gateway {
    with_teams(Gateway::with_rights(rights, Ceiling::default(), options()).await)
}

fn with_teams(gateway: Gateway) -> Gateway {
    let api = "rbac.authorization.k8s.io/v1";
    for namespace in ["team-a", "team-b", "team-c"] {
        let playground = &gateway.playground;
        let namespaced = |name: &str| json!({"name": name, "namespace": namespace});
        let objects = [
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": namespaced(&format!("of-{namespace}"))}),
            json!({"apiVersion": api, "kind": "Role", "metadata": namespaced("reader"),
                "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}]}),
            json!({"apiVersion": api, "kind": "Role", "metadata": namespaced("lister"),
                "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]}),
            json!({"apiVersion": api, "kind": "Role", "metadata": namespaced("one"),
                "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "watch"],
                    "resourceNames": [format!("of-{namespace}")]}]}),
        ];
        for object in objects {
            playground.create(object).expect("created");
        }
    }
    gateway
}

impl Gateway {
    pub fn bind(&self, namespace: &str, role: &str, subject: &Value) {
        let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": {"name": "binding", "namespace": namespace},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role},
            "subjects": [subject]});
        self.playground.create(binding).expect("created");
    }

    pub fn unbind(&self, namespace: &str) {
        self.playground
            .delete("rolebindings.rbac.authorization.k8s.io", namespace, "binding")
            .expect("deleted");
    }
}

pub fn user(name: &str) -> Value {
    json!({"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"})
}

pub fn config_maps(namespaces: &[&str]) -> Scope {
    let names = namespaces.iter().map(|name| Namespace::parse(name).expect("valid")).collect();
    let resource = Resource::parse("", "v1", "configmaps").expect("valid");
    Scope { namespaces: Namespaces::these(names).unwrap_or(Namespaces::All), ..Scope::all(resource) }
}

/// A right that isn't noticed by then never will be: it is reviewed again every 30 s.
const PATIENCE: Duration = Duration::from_secs(60);

/// A viewer with a table, as a page has one.
pub struct Viewer {
    pub socket: Client,
    replica: Replica,
    view: ViewKey,
    /// Every byte that came, as text.
    pub heard: String,
}

impl Viewer {
    pub fn of(gateway: &Gateway, token: &str, scope: Scope) -> Self {
        let mut replica = Replica::new("test", SignIn::Bearer(token.into()));
        let view = replica.open(scope, now());
        let socket = gateway.connect(Caller::Remote { origin: "".into(), bearer: None });
        for input in [Input::Start, Input::Opened] {
            replica.handle(input, now());
        }
        Self { socket, replica, view, heard: String::new() }
    }

    /// `namespace/name` of each row, or why there are none.
    pub fn shows(&self) -> String {
        let view = self.replica.view(self.view).expect("open");
        match freshness::of(&self.replica, view, now().now_ms) {
            Freshness::Forbidden { problem, .. } => {
                format!("forbidden: {}", problem.map(|problem| problem.message).unwrap_or_default())
            }
            Freshness::Failed { problem, .. } => {
                format!("failed: {}", problem.map(|problem| problem.message).unwrap_or_default())
            }
            _ => {
                let rows: BTreeSet<String> = view
                    .table()
                    .rows()
                    .map(|row| format!("{}/{}", row.namespace.as_deref().unwrap_or_default(), row.name))
                    .filter(|row| row.starts_with("team-") && !row.ends_with("kube-root-ca.crt"))
                    .collect();
                rows.into_iter().collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Reads until it shows this.
    pub async fn until(&mut self, expected: &str) {
        self.until_it(|shown| shown == expected).await;
    }

    /// Fails after [`PATIENCE`], with what it shows instead.
    pub async fn until_it(&mut self, is_wanted: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.send();
            let is_exact = self.replica.view(self.view).is_some_and(|view| view.table().is_whole());
            let shown = self.shows();
            let broken = self
                .replica
                .view(self.view)
                .map(|view| view.subscription().resyncs.broken)
                .unwrap_or_default();
            assert_eq!(broken, 0, "what is granted anew continues nothing");
            if is_wanted(&shown) && (is_exact || shown.contains(": ")) {
                return;
            }
            let heard = timeout_at(deadline, self.socket.heard()).await;
            match heard.unwrap_or_else(|_| panic!("it shows {shown}")) {
                Heard::Frame(frame) => {
                    self.heard.push_str(&format!("{frame:?}\n{}\n", json!(frame)));
                    let bytes = self.socket.received;
                    self.socket.say(&json!({"ack": {"bytes": bytes}}));
                    self.replica.handle(Input::Frame { frame, bytes: 0 }, now());
                }
                Heard::Closed(code) => panic!("closed with {code}"),
            }
        }
    }

    fn send(&mut self) {
        while let Some(output) = self.replica.poll_output() {
            if let Output::Send(frame) = output {
                self.socket.say(&json!(frame));
            }
        }
    }
}

fn now() -> Now {
    let at = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    Now { now_ms: i64::try_from(at.as_millis()).expect("fits"), chance: 0.5 }
}

pub fn upstream_requests(gateway: &Gateway, resource: &str) -> usize {
    let requests = gateway.playground.requests();
    requests.iter().filter(|request| request.path_and_query.contains(resource)).count()
}

#[tokio::test]
async fn r_authz_3_who_may_see_some_namespaces_sees_these_and_no_others_name() {
    let gateway = gateway().await;
    gateway.bind("team-a", "reader", &user("alice"));
    gateway.bind(
        "team-b",
        "reader",
        &json!({"kind": "Group", "name": "dev", "apiGroup": "rbac.authorization.k8s.io"}),
    );
    gateway.bind("team-c", "lister", &user("alice"));
    let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
    alice.until("team-a/of-team-a team-b/of-team-b").await;
    let mut bob = Viewer::of(&gateway, BOB, config_maps(&[]));
    bob.until_it(|shown| shown.starts_with("forbidden")).await;
    for namespace in ["kube-system", "team-c"] {
        assert!(!alice.heard.contains(namespace), "{}", alice.heard);
    }
    assert!(!bob.heard.contains("team-"), "{}", bob.heard);
}

#[tokio::test]
async fn r_authz_4_a_binding_that_goes_takes_its_rows_along() {
    let gateway = gateway().await;
    gateway.bind("team-a", "reader", &user("alice"));
    gateway.bind("team-b", "reader", &user("alice"));
    let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
    alice.until("team-a/of-team-a team-b/of-team-b").await;
    gateway.unbind("team-a");
    alice.until("team-b/of-team-b").await;
    gateway.unbind("team-b");
    alice.until_it(|shown| shown.starts_with("forbidden: you may not list configmaps")).await;
    let patch = json!({"data": {"canary": "4711"}});
    gateway.playground.patch("configmaps", "team-b", "of-team-b", patch).expect("patched");
    gateway.bind("team-c", "reader", &user("alice"));
    alice.until("team-c/of-team-c").await;
    assert!(!alice.heard.contains("canary"), "{}", alice.heard);
}

#[tokio::test]
async fn r_authz_5_a_binding_that_comes_brings_its_rows() {
    let gateway = gateway().await;
    let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
    alice.until_it(|shown| shown.starts_with("forbidden")).await;
    gateway.bind("team-a", "reader", &user("alice"));
    alice.until("team-a/of-team-a").await;
    gateway.bind("team-b", "reader", &user("alice"));
    alice.until("team-a/of-team-a team-b/of-team-b").await;
}

#[tokio::test]
async fn a_token_that_is_nobodys_is_refused() {
    let gateway = gateway().await;
    for token in ["", "wrong", &"x".repeat(13_000)] {
        assert_eq!(closed(&gateway, token).await, shared::frame::close::UNAUTHORIZED, "{}", token.len());
    }
}

/// How the connection with this token ends.
pub async fn closed(gateway: &Gateway, token: &str) -> u16 {
    gateway.bearer(token).until_closed().await
}

#[tokio::test]
async fn r_authn_10_the_same_viewers_token_goes_on_and_another_ones_ends_the_socket() {
    let gateway = gateway().await;
    gateway.bind("team-a", "reader", &user("alice"));
    let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
    alice.until("team-a/of-team-a").await;
    alice.socket.say(&json!({"auth": {"credential": {"bearer": ALICE}}}));
    let another =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "next", "namespace": "team-a"}});
    gateway.playground.create(another).expect("created");
    alice.until("team-a/next team-a/of-team-a").await;
    alice.socket.say(&json!({"auth": {"credential": {"bearer": BOB}}}));
    let code = alice.socket.until_closed().await;
    assert_eq!(code, shared::frame::close::OTHER_IDENTITY);
}

#[tokio::test]
async fn r_authz_10_a_right_of_everybody_who_is_logged_in_is_bobs_who_has_no_group() {
    let gateway = gateway().await;
    let everybody =
        json!({"kind": "Group", "name": "system:authenticated", "apiGroup": "rbac.authorization.k8s.io"});
    gateway.bind("team-b", "reader", &everybody);
    let mut bob = Viewer::of(&gateway, BOB, config_maps(&["team-b"]));
    bob.until("team-b/of-team-b").await;
}

#[tokio::test]
async fn r_authn_12_while_tokens_cannot_be_reviewed_nobody_new_comes_in_and_who_is_in_stays() {
    let gateway = gateway().await;
    gateway.bind("team-a", "reader", &user("alice"));
    let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
    alice.until("team-a/of-team-a").await;
    let broken = Rule::new(Fault::InternalError).resource("tokenreviews.authentication.k8s.io");
    let fault = gateway.playground.fault(broken).expect("a fault");
    assert_eq!(closed(&gateway, BOB).await, shared::frame::close::TRY_AGAIN_LATER);
    let another =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "next", "namespace": "team-a"}});
    gateway.playground.create(another).expect("created");
    alice.until("team-a/next team-a/of-team-a").await;
    gateway.playground.remove_fault(fault);
    let mut bob = Viewer::of(&gateway, BOB, config_maps(&[]));
    bob.until_it(|shown| shown.starts_with("forbidden")).await;
}

#[tokio::test]
async fn a_refused_token_that_is_tried_again_and_again_is_reviewed_once() {
    let gateway = gateway().await;
    for token in ["nobodys", "nobodys", "nobodys", "another", "nobodys"] {
        assert_eq!(closed(&gateway, token).await, shared::frame::close::UNAUTHORIZED, "{token}");
    }
    assert_eq!(upstream_requests(&gateway, "/tokenreviews"), 2);
}

#[tokio::test]
async fn r_authz_8_a_right_that_cannot_be_reviewed_is_none_until_it_can() {
    let gateway = gateway().await;
    let faults = [Fault::InternalError, Fault::TooManyRequests { retry_after_s: 1 }, Fault::Drop];
    for (fault, team) in faults.into_iter().zip(["team-a", "team-b", "team-c"]) {
        gateway.bind(team, "reader", &user("alice"));
        let broken = Rule::new(fault).resource("subjectaccessreviews.authorization.k8s.io");
        let fault = gateway.playground.fault(broken).expect("a fault");
        let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[team]));
        alice.until_it(|shown| shown.starts_with("forbidden: the API server can't review rights")).await;
        assert!(!alice.heard.contains("of-team"), "{}", alice.heard);
        gateway.playground.remove_fault(fault);
        alice.until(&format!("{team}/of-{team}")).await;
    }
}

#[tokio::test]
async fn a_viewer_of_many_views_leaves_room_for_the_reviews_of_another() {
    const VIEWS: usize = 64;
    let gateway = gateway().await;
    let stalled = Rule::new(Fault::Stall).resource("subjectaccessreviews.authorization.k8s.io");
    gateway.playground.fault(stalled).expect("a fault");
    let reviews = || upstream_requests(&gateway, "/subjectaccessreviews");
    let asked = async |count: usize| {
        let deadline = Instant::now() + PATIENCE;
        while reviews() < count {
            assert!(Instant::now() < deadline, "{} of {count}", reviews());
            tokio::task::yield_now().await;
        }
    };
    let alice = gateway.bearer(ALICE);
    for id in 0..VIEWS {
        let mut scope = json!(config_maps(&["team-a"]));
        scope["labels"] = json!(format!("none!=x-{id}"));
        alice.say(&json!({ "subscribe": { "id": id, "scope": scope } }));
    }
    asked(REVIEWS_OF_A_PERSON_MAX).await;
    let bob = gateway.bearer(BOB);
    bob.say(&json!({ "subscribe": { "id": 1, "scope": config_maps(&["team-a"]) } }));
    asked(REVIEWS_OF_A_PERSON_MAX + 1).await;
    assert_eq!(reviews(), REVIEWS_OF_A_PERSON_MAX + 1, "and alice's others wait");
}

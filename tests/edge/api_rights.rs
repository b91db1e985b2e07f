//! The rights of those who read a cluster through the gateway as clients of Kubernetes: each has their own, as the API
//! server reviews them, and a right that ends takes a watch along.

use conformance::{Api, Next};
use http::Method;
use http_body_util::BodyExt;
use playground::{Options, Playground, User};
use serde_json::{Value, json};
use testkit::dogwatch::{Dogwatch, Home};

const ALICE: &str = "token-of-alice";
const RBAC: &str = "rbac.authorization.k8s.io";

/// A gateway, its cluster, and where the cluster is read through it.
pub struct Rig {
    pub playground: Playground,
    _gateway: Dogwatch,
    pub api: Api,
    below: String,
}

impl Rig {
    /// Alice may read pods in `shop`, and nothing else.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    pub async fn start_with(more: &[&str]) -> Self {
        let users = vec![
            User::new("dogwatch", "token-of-the-gateway", &["system:masters"]),
            User::new("alice", ALICE, &[]),
        ];
        let playground = Playground::start(Options { users, ..Options::quiet() }).await.expect("it starts");
        let home = Home::new().expect("a folder");
        let kubeconfig = home.kubeconfig_of(&playground).expect("written");
        let flags =
            ["--auth", "bearer", "--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig.to_string_lossy()];
        let gateway = home.serve(&[&flags, more].concat()).expect("it starts");
        let api = Api::new(&gateway.address(), Some(ALICE));
        let below = format!("/k8s/{}", gateway.cluster_name());
        let rig = Self { playground, _gateway: gateway, api, below };
        rig.grant("shop");
        rig
    }

    /// Alice may read pods in this namespace.
    fn grant(&self, namespace: &str) {
        self.grant_of("reads", namespace, &json!({"resources": ["pods"], "verbs": ["get", "list", "watch"]}));
    }

    /// Alice may do what a rule says, by a binding of this name.
    fn grant_of(&self, name: &str, namespace: &str, rule: &Value) {
        let mut rule = rule.clone();
        rule.as_object_mut().expect("a rule").insert("apiGroups".to_owned(), json!([""]));
        let role = json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "Role", "metadata": {"name": name, "namespace": namespace},
            "rules": [rule],
        });
        let binding = json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "RoleBinding", "metadata": {"name": name, "namespace": namespace},
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": name},
            "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "alice"}],
        });
        self.playground.create(role).expect("created");
        self.playground.create(binding).expect("created");
    }

    pub fn path(&self, path: &str) -> String {
        format!("{}{path}", self.below)
    }

    async fn refusal(&self, path: &str) -> (u16, String) {
        let answer = self.api.get(&self.path(path)).await;
        assert_eq!(answer.text_at("/kind"), "Status", "{path}: {}", answer.text);
        (answer.code, answer.text_at("/message").to_owned())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_reads_what_the_api_server_grants_and_is_refused_the_rest_in_its_words() {
    let rig = Rig::start().await;
    let pods = rig.api.get(&rig.path("/api/v1/namespaces/shop/pods")).await;
    assert_eq!((pods.code, pods.text_at("/kind")), (200, "PodList"));
    let name = pods.names().first().cloned().expect("the shop has pods");
    let one = rig.api.get(&rig.path(&format!("/api/v1/namespaces/shop/pods/{name}"))).await;
    assert_eq!((one.code, one.text_at("/metadata/name")), (200, name.as_str()));
    let cannot = |verb: &str, resource: &str, group: &str, place: &str| {
        format!("User \"alice\" cannot {verb} resource \"{resource}\" in API group \"{group}\" {place}")
    };
    for (path, words) in [
        ("/api/v1/pods", cannot("list", "pods", "", "at the cluster scope")),
        ("/api/v1/pods?watch=1", cannot("watch", "pods", "", "at the cluster scope")),
        ("/api/v1/namespaces/ledger/pods", cannot("list", "pods", "", "in the namespace \"ledger\"")),
        ("/api/v1/namespaces/ledger/pods/a", cannot("get", "pods", "", "in the namespace \"ledger\"")),
        ("/api/v1/namespaces/shop/pods/a/log", "this gateway serves get, list and watch".to_owned()),
        (
            "/apis/apps/v1/namespaces/shop/deployments",
            cannot("list", "deployments", "apps", "in the namespace \"shop\""),
        ),
        ("/api/v1/nodes", cannot("list", "nodes", "", "at the cluster scope")),
        ("/api/v1/namespaces/shop/secrets", "Secret".to_owned()),
    ] {
        let (code, said) = rig.refusal(path).await;
        assert!(said.contains(&words), "{path}: {said}");
        assert!([403, 404].contains(&code), "{path}: {code}");
    }
    for (method, path) in [
        (Method::POST, "/api/v1/namespaces/shop/pods"),
        (Method::PUT, "/api/v1/namespaces/shop/pods/a"),
        (Method::PATCH, "/api/v1/namespaces/shop/pods/a"),
        (Method::DELETE, "/api/v1/namespaces/shop/pods/a"),
        (Method::DELETE, "/api/v1/namespaces/shop/pods"),
    ] {
        let answer = rig.api.whole(method.clone(), &rig.path(path), &[], "{}").await;
        assert_eq!(answer.code, 405, "{method} {path}: {}", answer.text);
        assert!(answer.text_at("/message").contains("this gateway only reads"), "{method}: {}", answer.text);
    }
    for token in [None, Some("wrong")] {
        let answer = rig.api.with_token(token).get(&rig.path("/api/v1/namespaces/shop/pods")).await;
        assert_eq!(answer.refusal(), (401, "Unauthorized", "Unauthorized"));
    }
    assert_eq!(rig.api.get("/k8s/other/version").await.code, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_is_answered_for_the_viewer() {
    let rig = Rig::start().await;
    let may = async |namespace: &str, verb: &str| -> Value {
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"namespace": namespace, "verb": verb, "resource": "pods"}},
        });
        let path = rig.path("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
        let answer = rig.api.post(&path, &review).await;
        assert_eq!(answer.code, 201, "{}", answer.text);
        answer.body["status"]["allowed"].clone()
    };
    assert_eq!(may("shop", "list").await, true);
    assert_eq!(may("shop", "delete").await, false);
    assert_eq!(may("ledger", "list").await, false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binding_that_goes_ends_the_watches_that_it_granted() {
    let rig = Rig::start().await;
    let mut events = rig.api.watch(&rig.path("/api/v1/namespaces/shop/pods?watch=1")).await;
    assert!(events.line().await.starts_with("ADDED "));
    rig.playground.delete(&format!("rolebindings.{RBAC}"), "shop", "reads").expect("deleted");
    let last = loop {
        match events.next().await {
            Next::Event(event) if event["type"] == "ERROR" => break event,
            Next::Event(_) => {}
            other => panic!("it says why it ends, and there was {other:?}"),
        }
    };
    assert_eq!((&last["object"]["code"], &last["object"]["reason"]), (&json!(403), &json!("Forbidden")));
    let (code, _) = rig.refusal("/api/v1/namespaces/shop/pods").await;
    assert_eq!(code, 403);
}

/// As an informer asks that begins with what is there.
const INITIAL: &str =
    "watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

#[tokio::test(flavor = "multi_thread")]
async fn an_informer_of_a_viewer_of_two_namespaces_has_those_and_loses_the_one_whose_binding_goes() {
    for rights in ["shared", "passthrough", "impersonate"] {
        let rig = Rig::start_with(&["--rights", rights]).await;
        rig.grant("ledger");
        let mut watches = Vec::new();
        for namespace in ["shop", "ledger"] {
            let below = format!("/api/v1/namespaces/{namespace}/pods");
            let listed = rig.api.get(&rig.path(&below)).await;
            assert_eq!(listed.code, 200, "{rights}: {}", listed.text);
            let mut events = rig.api.watch(&rig.path(&format!("{below}?{INITIAL}"))).await;
            let mut names = Vec::new();
            let end = loop {
                let next = events.next().await;
                let Next::Event(event) = next else { panic!("{rights}: {namespace} has {next:?}") };
                if event["type"] != "ADDED" {
                    break event;
                }
                assert_eq!(event["object"]["metadata"]["namespace"], namespace);
                names.push(event["object"]["metadata"]["name"].as_str().expect("a name").to_owned());
            };
            assert!(conformance::is_end_mark(&end), "{rights}: {end}");
            assert_eq!(names, listed.names(), "{rights}");
            watches.push(events);
        }
        for (namespace, events) in ["shop", "ledger"].iter().zip(&mut watches) {
            rig.playground.create(pod("late", namespace)).expect("created");
            assert_eq!(events.line().await, "ADDED late", "{rights}");
        }
        rig.playground.delete(&format!("rolebindings.{RBAC}"), "ledger", "reads").expect("deleted");
        let last = loop {
            match watches[1].next().await {
                Next::Event(event) if event["type"] == "ERROR" => break event,
                Next::Event(_) => {}
                other => panic!("{rights}: it says why it ends, and there was {other:?}"),
            }
        };
        assert_eq!(last["object"]["code"], 403, "{rights}: {last}");
        rig.playground.create(pod("later", "shop")).expect("created");
        assert_eq!(watches[0].line().await, "ADDED later", "{rights}");
    }
}

/// A pod of `shop` whose only container runs and writes.
fn writing(playground: &Playground) -> String {
    let mut one = pod("writes", "shop");
    one["spec"]["nodeName"] = json!("node");
    playground.create(one).expect("created");
    let status = json!({"status": {"phase": "Running", "containerStatuses": [{
        "name": "a", "image": "a:v1", "containerID": "containerd://a",
        "state": {"running": {"startedAt": "2026-03-01T10:00:00Z"}},
    }]}});
    playground.patch("pods", "shop", "writes", status).expect("patched");
    "/api/v1/namespaces/shop/pods/writes/log".to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn r_log_1_a_log_needs_the_viewers_own_right_and_ends_with_it_and_who_read_it_is_recorded() {
    for rights in ["shared", "passthrough", "impersonate"] {
        let folder = tempfile::tempdir().expect("a folder");
        let audit = folder.path().join("audit.log");
        let rig =
            Rig::start_with(&["--rights", rights, "--logs", "--audit-log", &audit.to_string_lossy()]).await;
        let log = writing(&rig.playground);
        let (code, said) = rig.refusal(&log).await;
        let cannot = "pods \"writes\" is forbidden: User \"alice\" cannot get resource \"pods/log\" in API group \"\" in the namespace \"shop\"";
        assert_eq!((code, said.as_str()), (403, cannot), "{rights}");
        let asked = |playground: &Playground| {
            playground.requests().iter().filter(|request| request.path_and_query.contains("/log")).count()
        };
        assert_eq!(asked(&rig.playground), 0, "{rights}: nothing is asked for without the right");
        rig.grant_of("logs", "shop", &json!({"resources": ["pods/log"], "verbs": ["get"]}));
        let text = loop {
            let answer = rig.api.get(&rig.path(&format!("{log}?tailLines=2"))).await;
            if answer.code == 200 {
                break answer.text;
            }
            assert_eq!(answer.code, 403, "{rights}: {}", answer.text);
        };
        assert_eq!(text.lines().count(), 2, "{rights}: {text}");
        assert_eq!(rig.refusal("/api/v1/namespaces/ledger/pods/x/log").await.0, 403, "{rights}");
        let path = rig.path(&format!("{log}?follow=true&tailLines=1&container=a"));
        let answer = rig.api.ask(Method::GET, &path, &[], "").await.expect("an answer");
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["content-type"]),
            (200, &"text/plain".parse().expect("a value"))
        );
        let mut body = answer.into_body();
        body.frame().await.expect("a line").expect("a frame");
        rig.playground.delete(&format!("rolebindings.{RBAC}"), "shop", "logs").expect("deleted");
        body.collect().await.expect_err("it is cut");
        rig.playground.wait_for_logs(0).await;
        assert_eq!(rig.refusal(&log).await.0, 403, "{rights}");
        let records = std::fs::read_to_string(&audit).expect("read");
        let of = |event: &str| -> Vec<Value> {
            let all = records.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
            all.filter(|record| record["event"] == event && record["name"] == "writes").collect()
        };
        let read = of("log").pop().expect("it was read");
        assert_eq!(
            (&read["user"], &read["container"], &read["namespaces"], &read["decision"]),
            (&json!("alice"), &json!("a"), &json!(["shop"]), &json!("allow"))
        );
        assert!(!of("deny").is_empty() && !of("revoke").is_empty(), "{records}");
        assert!(!records.contains(text.lines().next().expect("a line")), "no line is recorded");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r_log_1_a_gateway_of_a_team_shows_logs_only_where_its_operator_says_so() {
    let rig = Rig::start().await;
    let log = writing(&rig.playground);
    rig.grant_of("logs", "shop", &json!({"resources": ["pods/log"], "verbs": ["get"]}));
    let (code, said) = rig.refusal(&log).await;
    assert!(code == 404 && said.contains("this gateway serves get, list and watch"), "{code} {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn r_net_8_a_viewer_follows_so_many_logs_at_a_time() {
    let rig = Rig::start_with(&["--logs"]).await;
    let path = rig.path(&format!("{}?follow=true&tailLines=1", writing(&rig.playground)));
    rig.grant_of("logs", "shop", &json!({"resources": ["pods/log"], "verbs": ["get"]}));
    let mut open = Vec::new();
    let refused = loop {
        let answer = rig.api.ask(Method::GET, &path, &[], "").await.expect("an answer");
        match answer.status().as_u16() {
            200 => open.push(answer),
            403 => assert!(open.is_empty(), "the right is there"),
            code => break code,
        }
    };
    assert_eq!((open.len(), refused), (64, 429));
    drop(open);
    rig.playground.wait_for_logs(0).await;
}

fn pod(name: &str, namespace: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "a", "image": "a"}]},
    })
}

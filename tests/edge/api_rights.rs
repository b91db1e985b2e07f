//! The rights of those who read a cluster through the gateway as clients of Kubernetes: each has their own, as the API
//! server reviews them, and a right that ends takes a watch along.

use conformance::{Api, Next};
use http::Method;
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
        let role = json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "Role", "metadata": {"name": "reads", "namespace": namespace},
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}],
        });
        let binding = json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "RoleBinding", "metadata": {"name": "reads", "namespace": namespace},
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "reads"},
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

fn pod(name: &str, namespace: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "a", "image": "a"}]},
    })
}

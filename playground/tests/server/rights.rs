//! Rights of users: tokens, roles and bindings, reviews, impersonation.

use playground::{Options, Playground, User};
use serde_json::{Value, json};

use conformance::{Answer, Api};
use http::Method;

const PODS: &str = "/api/v1/namespaces/shop/pods";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

/// `admin` is a superuser; `bob` has no rights yet.
async fn cluster() -> (Playground, Api, Api) {
    let users =
        vec![User::new("admin", "admin-token", &["system:masters"]), User::new("bob", "bob-token", &["dev"])];
    let playground = Playground::start(Options { users, ..Options::empty() }).await.expect("a free port");
    let admin = Api::new(&playground.url(), Some("admin-token"));
    let bob = Api::new(&playground.url(), Some("bob-token"));
    assert_eq!(admin.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await.code, 201);
    (playground, admin, bob)
}

fn view_in_shop(kind: &str, name: &str) -> Value {
    json!({
        "metadata": {"name": "bob-views"},
        "subjects": [{"kind": kind, "name": name, "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
    })
}

fn message(answer: &Answer) -> (u16, String) {
    (answer.code, answer.text_at("/message").to_owned())
}

#[tokio::test]
async fn a_refusal_names_the_missing_right() {
    let (cluster, _, bob) = cluster().await;
    assert_eq!(Api::new(&cluster.url(), None).get("/version").await.code, 200, "everybody may read it");
    for (path, expected) in [
        (
            "/apis/apps/v1/deployments?watch=1",
            "deployments.apps is forbidden: User \"bob\" cannot watch resource \"deployments\" in API group \"apps\" at the cluster scope",
        ),
        (
            "/api/v1/nodes/n",
            "nodes \"n\" is forbidden: User \"bob\" cannot get resource \"nodes\" in API group \"\" at the cluster scope",
        ),
        ("/metrics.json", "forbidden: User \"bob\" cannot get path \"/metrics.json\""),
    ] {
        assert_eq!(message(&bob.get(path).await), (403, expected.to_owned()));
    }
}

#[tokio::test]
async fn a_binding_in_a_namespace_gives_rights_there_and_nowhere_else() {
    let (_cluster, admin, bob) = cluster().await;
    for (kind, name) in [("User", "bob"), ("Group", "dev")] {
        let bindings = format!("{RBAC}/namespaces/shop/rolebindings");
        assert_eq!(admin.post(&bindings, &view_in_shop(kind, name)).await.code, 201);
        assert_eq!(bob.get(PODS).await.code, 200);
        assert_eq!(bob.get("/api/v1/pods").await.code, 403);
        assert_eq!(bob.get("/api/v1/namespaces/default/pods").await.code, 403);
        assert_eq!(bob.get("/api/v1/namespaces/shop/secrets").await.code, 403);
        assert_eq!(bob.post(PODS, &json!({"metadata": {"name": "a"}})).await.code, 403);
        assert_eq!(admin.delete(&format!("{bindings}/bob-views")).await.code, 200);
        assert_eq!(bob.get(PODS).await.code, 403);
    }
}

#[tokio::test]
async fn a_running_watch_goes_on_when_its_right_is_taken_away() {
    let (_cluster, admin, bob) = cluster().await;
    admin.post(&format!("{RBAC}/clusterrolebindings"), &view_in_shop("User", "bob")).await;
    let mut watch = bob.watch("/api/v1/pods?watch=1").await;
    admin.delete(&format!("{RBAC}/clusterrolebindings/bob-views")).await;
    assert_eq!(bob.get("/api/v1/pods?watch=1").await.code, 403);
    admin.post(PODS, &json!({"metadata": {"name": "a"}, "spec": {"containers": []}})).await;
    assert_eq!(watch.line().await, "ADDED a");
}

#[tokio::test]
async fn a_role_may_name_the_objects_that_it_is_about() {
    let (_cluster, admin, bob) = cluster().await;
    let role = json!({
        "metadata": {"name": "one"},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["get", "list", "watch"]}],
    });
    admin.post(&format!("{RBAC}/namespaces/shop/roles"), &role).await;
    let mut binding = view_in_shop("User", "bob");
    binding["roleRef"] = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "one"});
    admin.post(&format!("{RBAC}/namespaces/shop/rolebindings"), &binding).await;
    let maps = "/api/v1/namespaces/shop/configmaps";
    admin.post(maps, &json!({"metadata": {"name": "a"}})).await;
    for (path, code) in [("/a", 200), ("/b", 403), ("", 403), ("?fieldSelector=metadata.name%3Da", 200)] {
        assert_eq!(bob.get(&format!("{maps}{path}")).await.code, code, "{path}");
    }
}

#[tokio::test]
async fn an_access_review_says_whether_and_by_which_binding() {
    let (_cluster, admin, bob) = cluster().await;
    admin.post(&format!("{RBAC}/namespaces/shop/rolebindings"), &view_in_shop("User", "bob")).await;
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let ask = |verb: &str| json!({"spec": {"resourceAttributes": {"namespace": "shop", "verb": verb, "resource": "pods"}}});
    let may = bob.post(reviews, &ask("watch")).await;
    assert_eq!((may.code, &may.body["status"]["allowed"]), (201, &json!(true)));
    let reason = "RBAC: allowed by RoleBinding \"bob-views/shop\" of ClusterRole \"view\" to User \"bob\"";
    assert_eq!(may.text_at("/status/reason"), reason);
    assert_eq!(bob.post(reviews, &ask("delete")).await.body["status"], json!({"allowed": false}));
    // A review of another user needs a right of its own.
    let of_another = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    let mut review = ask("watch");
    review["spec"]["user"] = json!("bob");
    assert_eq!(admin.post(of_another, &review).await.body["status"]["allowed"], true);
    assert_eq!(bob.post(of_another, &review).await.code, 403);
    assert_eq!(bob.post(reviews, &json!({"spec": {}})).await.code, 422);
}

#[tokio::test]
async fn the_other_reviews_say_who_a_user_is_and_all_that_the_user_may() {
    const AUTHENTICATION: &str = "/apis/authentication.k8s.io/v1";
    let (_cluster, admin, bob) = cluster().await;
    admin.post(&format!("{RBAC}/namespaces/shop/rolebindings"), &view_in_shop("User", "bob")).await;
    let user = bob.post(&format!("{AUTHENTICATION}/selfsubjectreviews"), &json!({})).await;
    let expected = json!({"username": "bob", "groups": ["dev", "system:authenticated"]});
    assert_eq!(user.body["status"]["userInfo"], expected);
    for (token, expected) in [("bob-token", json!("bob")), ("x", Value::Null)] {
        let review = json!({"spec": {"token": token}});
        let answer = admin.post(&format!("{AUTHENTICATION}/tokenreviews"), &review).await;
        assert_eq!(answer.body["status"]["user"]["username"], expected);
        assert_eq!(answer.body["status"].get("authenticated").is_some(), !expected.is_null());
    }
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let rules = bob.post(reviews, &json!({"spec": {"namespace": "shop"}})).await;
    let mut listed = rules.body["status"]["resourceRules"].as_array().expect("rules").iter();
    assert!(listed.any(|rule| rule["resources"].as_array().is_some_and(|all| all.contains(&json!("pods")))));
}

#[tokio::test]
async fn an_impersonated_request_has_the_rights_of_the_other_user() {
    let (_cluster, admin, bob) = cluster().await;
    let admin_as_bob = admin.whole(Method::GET, PODS, &[("impersonate-user", "bob")], "").await;
    assert!(message(&admin_as_bob).1.contains("User \"bob\" cannot list"));
    let refused = bob.whole(Method::GET, PODS, &[("impersonate-user", "admin")], "").await;
    let expected = "users \"admin\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope";
    assert_eq!(message(&refused), (403, expected.to_owned()));
    let as_group = [("impersonate-user", "x"), ("impersonate-group", "system:masters")];
    assert_eq!(admin.whole(Method::GET, PODS, &as_group, "").await.code, 200);
}

//! What is refused, with which code, reason, message and details; and what paths and methods mean.

use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::json;

use crate::case::{Case, NOBODY, token_of};

statements![
    a_wrong_token_is_401_and_none_is_the_anonymous_user,
    a_user_without_rights_gets_403_with_the_verb_and_the_scope,
    an_object_that_is_not_there_is_404_with_its_details,
    a_path_that_is_not_there_is_404_with_a_status_in_a_served_group,
    a_group_that_is_not_there_is_404_in_plain_text,
    an_escaped_slash_is_a_slash_and_an_escaped_letter_that_letter,
    a_name_of_dots_is_400,
    a_method_that_a_path_does_not_know_is_405,
    a_watch_of_what_cannot_be_watched_is_405,
    a_name_that_is_taken_is_409,
    an_update_of_an_older_state_is_409,
    a_body_that_is_too_large_is_413_and_a_patch_of_an_unknown_type_415,
    an_object_that_breaks_a_rule_is_422_with_a_cause_for_each,
    a_refusal_is_json_health_is_plain_text_and_every_answer_has_a_date,
];

const NOT_HERE: &str = "the server could not find the requested resource";
const NOT_ALLOWED: &str = "the server does not allow this method on the requested resource";

async fn a_wrong_token_is_401_and_none_is_the_anonymous_user(case: Case) {
    let answer = case.api().with_token(Some("wrong")).get(&case.configs()).await;
    assert_eq!(answer.refusal(), (401, "Unauthorized", "Unauthorized"));
    assert_eq!((answer.text_at("/kind"), answer.text_at("/status")), ("Status", "Failure"));
    let answer = case.api().with_token(None).get("/api/v1/configmaps").await;
    let message = "configmaps is forbidden: User \"system:anonymous\" cannot list resource \"configmaps\" in API group \"\" at the cluster scope";
    assert_eq!(answer.refusal(), (403, "Forbidden", message));
}

async fn a_user_without_rights_gets_403_with_the_verb_and_the_scope(case: Case) {
    let nobody = case.api().with_token(Some(&token_of(NOBODY)));
    let here = format!("in the namespace \"{}\"", case.namespace);
    for (path, verb, scope) in [
        (case.configs(), "list", here.as_str()),
        (format!("{}?watch=1", case.configs()), "watch", &here),
        ("/api/v1/configmaps".to_owned(), "list", "at the cluster scope"),
    ] {
        let answer = nobody.get(&path).await;
        let message = format!(
            "configmaps is forbidden: User \"{NOBODY}\" cannot {verb} resource \"configmaps\" in API group \"\" {scope}"
        );
        assert_eq!(answer.refusal(), (403, "Forbidden", message.as_str()), "{path}");
        assert_eq!(answer.body["details"], json!({"kind": "configmaps"}));
    }
}

async fn an_object_that_is_not_there_is_404_with_its_details(case: Case) {
    let answer = case.get(&format!("{}/none", case.path("apps/v1", "deployments"))).await;
    assert_eq!(answer.refusal(), (404, "NotFound", "deployments.apps \"none\" not found"));
    assert_eq!(answer.body["details"], json!({"name": "none", "group": "apps", "kind": "deployments"}));
    let answer = case.get("/api/v1/namespaces/none").await;
    assert_eq!(answer.refusal(), (404, "NotFound", "namespaces \"none\" not found"));
}

async fn a_path_that_is_not_there_is_404_with_a_status_in_a_served_group(case: Case) {
    case.pod("a").await;
    case.config("a", "web").await;
    let (pod, config) = (format!("{}/a", case.pods()), format!("{}/a", case.configs()));
    for path in [
        // An unknown resource or version.
        "/api/v1/nothings",
        "/api/v2/pods",
        "/api/v2",
        "/apis/apps/v2",
        "/apis/apps/v1beta1/deployments",
        // An unknown subresource.
        &format!("{pod}/nothing"),
        &format!("{config}/status"),
        // A namespaced object is found below its namespace only, another never there.
        "/api/v1/configmaps/a",
        &case.path("v1", "nodes"),
        &case.path("v1", "namespaces"),
    ] {
        assert_eq!(case.get(path).await.refusal(), (404, "NotFound", NOT_HERE), "{path}");
    }
    assert_eq!(case.get(&format!("{pod}/status")).await.text_at("/kind"), "Pod");
}

async fn a_group_that_is_not_there_is_404_in_plain_text(case: Case) {
    for path in ["/apis/none.example", "/apis/none.example/v1", "/apis/none.example/v1/things", "/nowhere"] {
        let answer = case.get(path).await;
        assert_eq!((answer.code, answer.text.as_str()), (404, "404 page not found\n"), "{path}");
        assert_eq!(answer.headers[CONTENT_TYPE], "text/plain; charset=utf-8");
    }
}

async fn an_escaped_slash_is_a_slash_and_an_escaped_letter_that_letter(case: Case) {
    for path in [format!("{}/a%2Fb", case.configs()), "/api/v1/namespaces/a%2Fb/configmaps".to_owned()] {
        assert_eq!(case.get(&path).await.refusal(), (404, "NotFound", NOT_HERE), "{path}");
    }
    case.config("a", "web").await;
    assert_eq!(case.get(&format!("{}/%61", case.configs())).await.text_at("/metadata/name"), "a");
    let answer = case.get(&format!("{}/a%20b", case.configs())).await;
    assert_eq!(answer.refusal(), (404, "NotFound", "configmaps \"a b\" not found"));
}

async fn a_name_of_dots_is_400(case: Case) {
    for name in ["..", "%2E%2E"] {
        let answer = case.get(&format!("{}/{name}", case.configs())).await;
        assert_eq!(answer.refusal(), (400, "BadRequest", "Name parameter invalid: \"..\": may not be '..'"));
    }
}

async fn a_method_that_a_path_does_not_know_is_405(case: Case) {
    case.pod("a").await;
    let status = format!("{}/a/status", case.pods());
    for (method, path) in [
        (Method::PUT, case.configs()),
        (Method::PATCH, case.configs()),
        (Method::POST, format!("{}/a", case.configs())),
        (Method::POST, "/api/v1/configmaps".to_owned()),
        (Method::DELETE, "/api/v1/configmaps".to_owned()),
        (Method::DELETE, "/api/v1/namespaces".to_owned()),
        (Method::DELETE, status.clone()),
        (Method::POST, status),
        (Method::POST, "/api".to_owned()),
        (Method::DELETE, "/apis/apps/v1".to_owned()),
        (Method::OPTIONS, case.configs()),
    ] {
        let json = [(CONTENT_TYPE.as_str(), "application/json")];
        let answer = case.whole(method.clone(), &path, &json, "{}").await;
        assert_eq!(answer.refusal(), (405, "MethodNotAllowed", NOT_ALLOWED), "{method} {path}");
    }
    assert_eq!(case.whole(Method::HEAD, &case.configs(), &[], "").await.code, 405);
}

async fn a_watch_of_what_cannot_be_watched_is_405(case: Case) {
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    for path in [reviews.to_owned(), format!("{reviews}?watch=1")] {
        assert_eq!(case.get(&path).await.refusal(), (405, "MethodNotAllowed", NOT_ALLOWED), "{path}");
    }
}

async fn a_name_that_is_taken_is_409(case: Case) {
    case.config("a", "web").await;
    let again = case.api().config(&case.namespace, "a", "web").await;
    assert_eq!(again.refusal(), (409, "AlreadyExists", "configmaps \"a\" already exists"));
    assert_eq!(again.body["details"], json!({"name": "a", "kind": "configmaps"}));
}

async fn an_update_of_an_older_state_is_409(case: Case) {
    let path = format!("{}/a", case.configs());
    let mut value = case.config("a", "web").await.body;
    case.patch(&path, &json!({"data": {"a": "2"}})).await;
    value["data"]["a"] = json!("3");
    let message = "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes to the latest version and try again";
    assert_eq!(case.put(&path, &value).await.refusal(), (409, "Conflict", message));
}

async fn a_body_that_is_too_large_is_413_and_a_patch_of_an_unknown_type_415(case: Case) {
    let value = json!({"metadata": {"name": "a"}, "data": {"x": "x".repeat(4 * 1024 * 1024)}});
    let answer = case.post(&case.configs(), &value).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (413, "RequestEntityTooLarge"), "{}", answer.text);
    case.config("a", "web").await;
    let answer = case.patch_as(&format!("{}/a", case.configs()), "text/plain", &json!({})).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (415, "UnsupportedMediaType"), "{}", answer.text);
}

async fn an_object_that_breaks_a_rule_is_422_with_a_cause_for_each(case: Case) {
    for name in ["With Space", "-a", "Upper", "a_b"] {
        let answer = case.post(&case.configs(), &json!({"metadata": {"name": name}})).await;
        let (code, reason, message) = answer.refusal();
        assert_eq!((code, reason), (422, "Invalid"), "{name}");
        let begins = format!(
            "ConfigMap {name:?} is invalid: metadata.name: Invalid value: {name:?}: a lowercase RFC 1123 subdomain must"
        );
        assert!(message.starts_with(&begins), "{message}");
        assert_eq!(answer.text_at("/details/causes/0/field"), "metadata.name");
        assert_eq!(answer.text_at("/details/causes/0/reason"), "FieldValueInvalid");
    }
}

async fn a_refusal_is_json_health_is_plain_text_and_every_answer_has_a_date(case: Case) {
    let answer = case.get(&format!("{}/none", case.configs())).await;
    assert_eq!(answer.headers[CONTENT_TYPE], "application/json");
    let fields = answer.body.as_object().expect("an object").keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(fields, ["apiVersion", "code", "details", "kind", "message", "metadata", "reason", "status"]);
    for path in ["/healthz", "/livez", "/readyz"] {
        let answer = case.whole(Method::GET, path, &[(ACCEPT.as_str(), "*/*")], "").await;
        assert_eq!((answer.code, answer.text.as_str()), (200, "ok"), "{path}");
    }
    for path in ["/version", "/nowhere", &case.configs()] {
        let answer = case.get(path).await;
        assert!(answer.headers["date"].to_str().expect("text").ends_with(" GMT"), "{path}");
    }
}

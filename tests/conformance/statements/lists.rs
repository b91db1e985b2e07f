//! Lists: their order, their pages, their tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::case::Case;

statements![
    a_list_comes_in_key_order_of_namespace_and_name_as_one_string,
    items_of_a_custom_kind_carry_their_kind_in_a_list_and_built_in_ones_do_not,
    a_list_in_a_namespace_that_is_not_there_is_empty,
    pages_share_one_resource_version_although_the_list_changes,
    a_page_with_a_selector_is_full_and_the_rest_is_not_counted,
    a_limit_of_0_or_less_is_none,
    a_continue_token_of_another_resource_is_a_place_in_this_one,
    a_continue_token_goes_on_with_another_selector,
    a_continue_token_of_the_future_is_504,
    an_inconsistent_continue_token_goes_on_at_the_newest,
    a_continue_token_that_cannot_be_read_is_400,
    a_resource_version_beside_a_continue_token_is_400,
];

async fn a_list_comes_in_key_order_of_namespace_and_name_as_one_string(case: Case) {
    let long = format!("{}-b", case.namespace);
    assert_eq!(case.post("/api/v1/namespaces", &json!({"metadata": {"name": long}})).await.code, 201);
    let label = case.namespace.as_str();
    for (namespace, name) in [(label, "x"), (label, "a"), (&long, "z")] {
        assert_eq!(case.api().config(namespace, name, label).await.code, 201);
    }
    // A hyphen sorts before the slash.
    let list = case.get(&format!("/api/v1/configmaps?labelSelector=app%3D{label}")).await;
    assert_eq!(list.names(), ["z", "a", "x"]);
}

async fn items_of_a_custom_kind_carry_their_kind_in_a_list_and_built_in_ones_do_not(case: Case) {
    case.config("a", "web").await;
    let list = case.get(&case.configs()).await;
    assert_eq!((list.text_at("/kind"), list.text_at("/apiVersion")), ("ConfigMapList", "v1"));
    let item = &list.body["items"][0];
    assert!(item.get("kind").is_none() && item.get("apiVersion").is_none());
    assert_eq!(case.get(&format!("{}/a", case.configs())).await.body["kind"], "ConfigMap");
    let path = case.define(json!({})).await;
    case.thing(&path, "a", json!({})).await;
    let list = case.get(&path).await;
    assert_eq!((list.text_at("/kind"), list.text_at("/items/0/kind")), ("ThingList", "Thing"));
    assert_eq!(list.text_at("/items/0/apiVersion"), format!("{}/v1", case.group()));
}

async fn a_list_in_a_namespace_that_is_not_there_is_empty(case: Case) {
    let list = case.get("/api/v1/namespaces/not-there/configmaps").await;
    assert_eq!((list.code, &list.body["items"]), (200, &json!([])));
}

async fn pages_share_one_resource_version_although_the_list_changes(case: Case) {
    let path = case.configs();
    case.config_maps(&["a", "b", "c", "d", "e"]).await;
    let first = case.get(&format!("{path}?limit=2")).await;
    assert_eq!(first.names(), ["a", "b"]);
    assert_eq!(first.body.pointer("/metadata/remainingItemCount"), Some(&json!(3)));
    case.delete(&format!("{path}/c")).await;
    case.config("bb", "web").await;
    let token = first.text_at("/metadata/continue");
    let second = case.get(&format!("{path}?limit=2&continue={token}")).await;
    assert_eq!(second.names(), ["c", "d"]);
    assert_eq!(second.revision(), first.revision());
    let token = second.text_at("/metadata/continue");
    let third = case.get(&format!("{path}?limit=2&continue={token}")).await;
    assert_eq!((third.names(), third.text_at("/metadata/continue")), (vec!["e".to_owned()], ""));
    assert_eq!(third.revision(), first.revision());
}

async fn a_page_with_a_selector_is_full_and_the_rest_is_not_counted(case: Case) {
    for (name, label) in [("a", "web"), ("b", "api"), ("c", "api"), ("d", "web"), ("e", "web")] {
        case.config(name, label).await;
    }
    let path = format!("{}?limit=2&labelSelector=app%3Dweb", case.configs());
    let page = case.get(&path).await;
    assert_eq!(page.names(), ["a", "d"]);
    assert!(page.body.pointer("/metadata/remainingItemCount").is_none());
    let token = page.text_at("/metadata/continue");
    assert_ne!(token, "");
    let rest = case.get(&format!("{path}&continue={token}")).await;
    assert_eq!((rest.names(), rest.text_at("/metadata/continue")), (vec!["e".to_owned()], ""));
}

async fn a_limit_of_0_or_less_is_none(case: Case) {
    case.config_maps(&["a", "b"]).await;
    for limit in ["0", "-1", "2", "500"] {
        let list = case.get(&format!("{}?limit={limit}", case.configs())).await;
        assert_eq!((list.names().len(), list.text_at("/metadata/continue")), (2, ""), "{limit}");
    }
}

async fn a_continue_token_of_another_resource_is_a_place_in_this_one(case: Case) {
    case.config_maps(&["a", "c"]).await;
    let secrets = case.path("v1", "secrets");
    for name in ["a", "b", "c"] {
        case.post(&secrets, &json!({"metadata": {"name": name}})).await;
    }
    let page = case.get(&format!("{}?limit=1", case.configs())).await;
    let token = page.text_at("/metadata/continue").to_owned();
    // At the configuration's resourceVersion the last secret was there as well.
    let rest = case.get(&format!("{secrets}?continue={token}")).await;
    assert_eq!((rest.code, rest.names()), (200, vec!["b".to_owned(), "c".to_owned()]));
}

async fn a_continue_token_goes_on_with_another_selector(case: Case) {
    for (name, label) in [("a", "web"), ("b", "web"), ("c", "api")] {
        case.config(name, label).await;
    }
    let page = case.get(&format!("{}?limit=1&labelSelector=app%3Dweb", case.configs())).await;
    let token = page.text_at("/metadata/continue");
    let rest = case.get(&format!("{}?continue={token}&labelSelector=app%3Dapi", case.configs())).await;
    assert_eq!(rest.names(), ["c"]);
}

fn token(says: &Value) -> String {
    URL_SAFE_NO_PAD.encode(says.to_string())
}

async fn a_continue_token_of_the_future_is_504(case: Case) {
    let ahead = token(&json!({"v": "meta.k8s.io/v1", "rv": 999_999_999, "start": "/a\0"}));
    let answer = case.get(&format!("{}?continue={ahead}", case.configs())).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (504, "Timeout"));
}

async fn an_inconsistent_continue_token_goes_on_at_the_newest(case: Case) {
    case.config_maps(&["a", "b", "c"]).await;
    for (start, names) in [("/a\0", vec!["b", "c"]), ("/b", vec!["b", "c"]), ("b\0", vec!["c"])] {
        let newest = token(&json!({"v": "meta.k8s.io/v1", "rv": -1, "start": start}));
        let rest = case.get(&format!("{}?continue={newest}", case.configs())).await;
        assert_eq!(rest.names(), names, "{start:?}");
    }
}

async fn a_continue_token_that_cannot_be_read_is_400(case: Case) {
    const UNREADABLE: &str = "invalid continue token: continue key is not valid: ";
    let v1 = "meta.k8s.io/v1";
    for (says, why) in [
        (json!({}), "server does not recognize this encoded version "),
        (
            json!({"v": "meta.k8s.io/v2", "rv": 1, "start": "a"}),
            "server does not recognize this encoded version meta.k8s.io/v2",
        ),
        (json!({"v": v1, "start": "a"}), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"),
        (json!({"v": v1, "rv": 5}), "encoded start key empty (version meta.k8s.io/v1)"),
        (json!({"v": v1, "rv": -1, "start": "../x"}), "../x"),
    ] {
        let answer = case.get(&format!("{}?continue={}", case.configs(), token(&says))).await;
        assert_eq!(answer.refusal(), (400, "BadRequest", format!("{UNREADABLE}{why}").as_str()), "{says}");
    }
    for nonsense in ["nonsense", "bm90IGpzb24", "%21"] {
        let answer = case.get(&format!("{}?limit=1&continue={nonsense}", case.configs())).await;
        let (code, reason, message) = answer.refusal();
        assert_eq!((code, reason), (400, "BadRequest"), "{nonsense}");
        assert!(message.starts_with(UNREADABLE), "{message}");
    }
}

async fn a_resource_version_beside_a_continue_token_is_400(case: Case) {
    case.config_maps(&["a", "b"]).await;
    let page = case.get(&format!("{}?limit=1", case.configs())).await;
    let both = format!("continue={}&resourceVersion=1", page.text_at("/metadata/continue"));
    let message = "specifying resource version is not allowed when using continue";
    assert_eq!(case.get(&format!("{}?{both}", case.configs())).await.refusal(), (400, "BadRequest", message));
}

//! Servers with other settings: without the WatchList feature (1.33, or where it is turned off), and with
//! a history that was compacted.

use conformance::Answer;
use serde_json::json;

use crate::case::Case;

statements![
    on_other_playground, on_other_apiserver;
    a_watch_list_is_422_where_the_feature_is_off,
    a_plain_watch_is_served_where_the_feature_is_off,
    an_expired_continue_token_is_410_and_offers_an_inconsistent_continuation,
    an_exact_list_of_a_forgotten_resource_version_is_410,
];

async fn a_watch_list_is_422_where_the_feature_is_off(case: Case) {
    let answer = case.get(&format!("{}?{}", case.configs(), crate::watch_lists::WATCH_LIST)).await;
    let message = "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    assert_eq!(answer.refusal(), (422, "Invalid", message));
    assert_eq!(answer.text_at("/details/causes/0/field"), "sendInitialEvents");
}

async fn a_plain_watch_is_served_where_the_feature_is_off(case: Case) {
    case.config("a", "web").await;
    let mut events = case.watch(&format!("{}?watch=1", case.configs())).await;
    assert_eq!(events.line().await, "ADDED a");
}

/// Asks until the history is forgotten: a real server does that in its own time, the other one on demand.
async fn forgotten(case: &Case, path: &str) -> Answer {
    if let Some(playground) = &case.playground {
        playground.compact(None);
    }
    case.until(path, |answer| answer.code == 410).await
}

async fn an_expired_continue_token_is_410_and_offers_an_inconsistent_continuation(case: Case) {
    let path = case.configs();
    case.config_maps(&["a", "c", "d"]).await;
    let page = case.get(&format!("{path}?limit=1")).await;
    case.config("b", "web").await;
    let token = page.text_at("/metadata/continue");
    let expired = forgotten(&case, &format!("{path}?limit=1&continue={token}")).await;
    let (code, reason, message) = expired.refusal();
    assert_eq!((code, reason), (410, "Expired"));
    assert!(
        message
            .starts_with("The provided continue parameter is too old to display a consistent list result.")
    );
    let inconsistent = expired.text_at("/metadata/continue").to_owned();
    assert_eq!(case.get(&format!("{path}?continue={inconsistent}")).await.names(), ["b", "c", "d"]);
}

async fn an_exact_list_of_a_forgotten_resource_version_is_410(case: Case) {
    let path = case.configs();
    let before = case.config("a", "web").await.revision();
    case.patch(&format!("{path}/a"), &json!({"data": {"a": "2"}})).await;
    let expired =
        forgotten(&case, &format!("{path}?resourceVersion={before}&resourceVersionMatch=Exact")).await;
    assert_eq!((expired.code, expired.text_at("/reason")), (410, "Expired"));
}

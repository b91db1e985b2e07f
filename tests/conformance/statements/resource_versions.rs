//! resourceVersion: what it is, and what a list or a get at one says.

use serde_json::json;

use crate::case::Case;

statements![
    a_list_without_a_resource_version_is_the_most_recent_and_not_older_than_its_items,
    a_list_at_0_is_of_any_age_and_ignores_the_limit,
    a_list_at_n_is_not_older_than_n,
    exact_gives_the_state_of_that_resource_version,
    a_limit_without_a_match_means_exactly_that_resource_version,
    not_older_than_with_a_limit_is_the_newest_page,
    a_write_that_changes_nothing_keeps_the_resource_version,
    a_list_or_get_in_the_future_waits_3_s_and_is_504_with_its_cause,
    a_get_at_an_old_resource_version_is_the_newest_state,
    a_malformed_resource_version_is_400_in_a_list_and_500_in_a_watch_and_a_get,
    an_unknown_or_misplaced_match_of_a_list_is_422,
    a_match_on_a_watch_is_422_unless_initial_events_are_asked_for,
];

async fn a_list_without_a_resource_version_is_the_most_recent_and_not_older_than_its_items(case: Case) {
    for name in ["a", "b", "c"] {
        let made = case.config(name, "web").await.revision();
        let list = case.get(&case.configs()).await;
        assert!(list.names().contains(&name.to_owned()), "{:?}", list.names());
        let items = list.body["items"].as_array().expect("items").iter();
        let versions = items.map(|item| item["metadata"]["resourceVersion"].as_str().expect("text"));
        for text in versions.chain([made.as_str()]) {
            assert!(number(text) <= number(&list.revision()));
        }
        // A resourceVersion is a decimal string without leading zeros.
        for text in [made, list.revision(), list.text_at("/items/0/metadata/resourceVersion").to_owned()] {
            assert!(text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0'), "{text:?}");
        }
    }
}

async fn a_list_at_0_is_of_any_age_and_ignores_the_limit(case: Case) {
    let path = case.configs();
    case.config_maps(&["a", "b", "c"]).await;
    // The cache may be behind for a moment; a limit would never be outgrown.
    let list = case.until(&format!("{path}?limit=1&resourceVersion=0"), |list| list.names().len() == 3).await;
    assert_eq!(list.text_at("/metadata/continue"), "");
}

async fn a_list_at_n_is_not_older_than_n(case: Case) {
    case.config("a", "web").await;
    let made = case.config("b", "web").await.revision();
    for query in [
        format!("resourceVersion={made}"),
        format!("resourceVersion={made}&resourceVersionMatch=NotOlderThan"),
    ] {
        let list = case.get(&format!("{}?{query}", case.configs())).await;
        assert_eq!(list.names(), ["a", "b"], "{query}");
        assert!(number(&list.revision()) >= number(&made), "{query}");
    }
}

async fn exact_gives_the_state_of_that_resource_version(case: Case) {
    let path = case.configs();
    case.config("gone", "web").await;
    let before = case.config("a", "web").await.revision();
    case.config("b", "web").await;
    case.patch(&format!("{path}/a"), &json!({"data": {"a": "2"}})).await;
    case.delete(&format!("{path}/gone")).await;
    let then = case.get(&format!("{path}?resourceVersion={before}&resourceVersionMatch=Exact")).await;
    assert_eq!(then.names(), ["a", "gone"]);
    assert_eq!(then.body["items"][0]["data"]["a"], "1");
    assert_eq!(then.revision(), before);
}

async fn a_limit_without_a_match_means_exactly_that_resource_version(case: Case) {
    let before = case.config("a", "web").await.revision();
    case.config("b", "web").await;
    let then = case.get(&format!("{}?resourceVersion={before}&limit=5", case.configs())).await;
    assert_eq!((then.names(), then.revision()), (vec!["a".to_owned()], before));
}

async fn not_older_than_with_a_limit_is_the_newest_page(case: Case) {
    let path = case.configs();
    let before = case.config("a", "web").await.revision();
    case.config("b", "web").await;
    let query = format!("resourceVersion={before}&resourceVersionMatch=NotOlderThan&limit=1");
    let first = case.get(&format!("{path}?{query}")).await;
    assert_eq!(first.names(), ["a"]);
    let token = first.text_at("/metadata/continue");
    assert_eq!(case.get(&format!("{path}?continue={token}")).await.names(), ["b"]);
}

async fn a_write_that_changes_nothing_keeps_the_resource_version(case: Case) {
    let before = case.config("a", "web").await;
    let path = format!("{}/a", case.configs());
    let patched = case.patch(&path, &json!({"data": {"a": "1"}})).await;
    assert_eq!(patched.revision(), before.revision());
    let put = case.put(&path, &before.body).await;
    assert_eq!((put.code, put.revision()), (200, before.revision()));
}

async fn a_list_or_get_in_the_future_waits_3_s_and_is_504_with_its_cause(case: Case) {
    case.config("a", "web").await;
    let path = case.configs();
    let asked = std::time::Instant::now();
    let answer = case.get(&format!("{path}?resourceVersion={FUTURE}")).await;
    assert!(asked.elapsed().as_millis() >= 2_900, "{:?}", asked.elapsed());
    too_large(&answer);
    assert_eq!(answer.headers["retry-after"], "1");
    too_large(&case.get(&format!("{path}?resourceVersion={FUTURE}&resourceVersionMatch=Exact")).await);
    too_large(&case.get(&format!("{path}/a?resourceVersion={FUTURE}")).await);
}

fn too_large(answer: &conformance::Answer) {
    let (code, reason, message) = answer.refusal();
    assert_eq!((code, reason), (504, "Timeout"), "{}", answer.text);
    assert!(
        message.starts_with(&format!("Timeout: Too large resource version: {FUTURE}, current: ")),
        "{message}"
    );
    assert_eq!(answer.text_at("/details/causes/0/reason"), "ResourceVersionTooLarge");
    assert_eq!(answer.text_at("/details/causes/0/message"), "Too large resource version");
    assert_eq!(answer.body["details"]["retryAfterSeconds"], 1);
}

async fn a_get_at_an_old_resource_version_is_the_newest_state(case: Case) {
    let made = case.config("a", "web").await.revision();
    let path = format!("{}/a", case.configs());
    let changed = case.patch(&path, &json!({"data": {"a": "2"}})).await;
    // At least as new as asked for, so by a cache that has the change this is the change.
    let got = case.until(&format!("{path}?resourceVersion={made}"), |got| got.body["data"]["a"] == "2").await;
    assert_eq!(got.revision(), changed.revision());
}

async fn a_malformed_resource_version_is_400_in_a_list_and_500_in_a_watch_and_a_get(case: Case) {
    case.config("a", "web").await;
    let path = case.configs();
    for (text, why) in [
        ("abc", "invalid syntax"),
        ("-1", "invalid syntax"),
        ("1.5", "invalid syntax"),
        ("18446744073709551616", "value out of range"),
    ] {
        let unreadable =
            format!("resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: {why}");
        let answer = case.get(&format!("{path}?resourceVersion={text}")).await;
        let message = format!("invalid resource version: {unreadable}");
        assert_eq!(answer.refusal(), (400, "BadRequest", message.as_str()), "{text}");
        for asked in
            [format!("{path}?watch=1&resourceVersion={text}"), format!("{path}/a?resourceVersion={text}")]
        {
            // The reason is left out.
            assert_eq!(case.get(&asked).await.refusal(), (500, "", unreadable.as_str()), "{asked}");
        }
    }
}

async fn an_unknown_or_misplaced_match_of_a_list_is_422(case: Case) {
    const UNVERSIONED: &str =
        "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
    const EXACT_0: &str = "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
    const CONTINUED: &str = "Forbidden: resourceVersionMatch is forbidden when continue is provided";
    const INITIAL: &str = "Forbidden: sendInitialEvents is forbidden for list";
    let unknown =
        |value| format!("Unsupported value: {value:?}: supported values: \"Exact\", \"NotOlderThan\", \"\"");
    let (exact, bad) = (unknown("exact"), unknown("Bad"));
    for (query, causes) in [
        ("resourceVersionMatch=Exact", &[UNVERSIONED][..]),
        ("resourceVersionMatch=NotOlderThan", &[UNVERSIONED]),
        ("resourceVersionMatch=Exact&resourceVersion=0", &[EXACT_0]),
        ("resourceVersionMatch=exact&resourceVersion=1", &[&exact]),
        ("resourceVersionMatch=Exact&resourceVersion=1&continue=x", &[CONTINUED]),
        ("resourceVersionMatch=Bad", &[UNVERSIONED, &bad]),
    ] {
        invalid(&case, query, "resourceVersionMatch", causes).await;
    }
    for query in ["sendInitialEvents=true", "sendInitialEvents=false"] {
        invalid(&case, query, "sendInitialEvents", &[INITIAL]).await;
    }
    let legal = format!("{}?resourceVersionMatch=NotOlderThan&resourceVersion=0", case.configs());
    assert_eq!(case.get(&legal).await.code, 200);
}

async fn a_match_on_a_watch_is_422_unless_initial_events_are_asked_for(case: Case) {
    const UNASKED: &str =
        "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    const UNMATCHED: &str =
        "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    const EXACT: &str = "Unsupported value: \"Exact\": supported values: \"NotOlderThan\"";
    const CONTINUED: &str = "Forbidden: resourceVersionMatch is forbidden when continue is provided";
    for (query, causes) in [
        ("watch=1&resourceVersionMatch=NotOlderThan", vec![UNASKED]),
        ("watch=1&resourceVersionMatch=Exact", vec![UNASKED, EXACT]),
        ("watch=1&sendInitialEvents=true", vec![UNMATCHED]),
        ("watch=1&sendInitialEvents=false", vec![UNMATCHED]),
        ("watch=1&sendInitialEvents=true&resourceVersionMatch=Exact", vec![UNMATCHED, EXACT]),
        ("watch=1&continue=x", vec![CONTINUED]),
    ] {
        invalid(&case, query, "resourceVersionMatch", &causes).await;
    }
}

async fn invalid(case: &Case, query: &str, field: &str, causes: &[&str]) {
    let answer = case.get(&format!("{}?{query}", case.configs())).await;
    let told: Vec<String> = causes.iter().map(|cause| format!("{field}: {cause}")).collect();
    let told = match told.as_slice() {
        [only] => only.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {told}");
    assert_eq!(answer.refusal(), (422, "Invalid", message.as_str()), "{query}");
    let details = &answer.body["details"];
    assert_eq!((&details["group"], &details["kind"]), (&json!("meta.k8s.io"), &json!("ListOptions")));
    for (at, cause) in causes.iter().enumerate() {
        assert_eq!(details["causes"][at]["field"], field, "{query}");
        assert_eq!(details["causes"][at]["message"], *cause, "{query}");
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

/// No cluster of a test comes so far.
const FUTURE: u64 = 999_999_999;

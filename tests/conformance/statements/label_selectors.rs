//! Label selectors: what each operator chooses, and what is refused in which words.

use serde_json::json;

use crate::case::{Case, escaped};

statements![
    each_operator_chooses_what_it_says,
    a_selector_that_cannot_be_parsed_is_400_in_the_parsers_words,
    a_key_that_is_none_is_400,
    a_value_that_is_none_is_400,
    a_watch_refuses_a_selector_as_a_list_does,
    a_get_does_not_read_selectors,
];

/// `a` is web at level 7, `b` is api at level 10, `c` has no label.
async fn each_operator_chooses_what_it_says(case: Case) {
    let path = case.configs();
    for (name, labels) in [
        ("a", json!({"app": "web", "level": "7", "empty": ""})),
        ("b", json!({"app": "api", "level": "10"})),
        ("c", json!({})),
    ] {
        case.create(&path, json!({"metadata": {"name": name, "labels": labels}})).await;
    }
    for (selector, names) in [
        // Equality, and its opposite, which chooses objects without the label too.
        ("app=web", "a"),
        ("app==api", "b"),
        ("app=none", ""),
        ("app!=web", "b c"),
        ("other!=x", "a b c"),
        // Sets.
        ("app in (web,api)", "a b"),
        ("app in (web)", "a"),
        ("app notin (web)", "b c"),
        ("app in ()", ""),
        ("app in (,web)", "a"),
        ("app in (web,)", "a"),
        // Existence.
        ("app", "a b"),
        ("!app", "c"),
        ("empty", "a"),
        // Numbers.
        ("level>7", "b"),
        ("level<10", "a"),
        ("level>100", ""),
        ("app>1", ""),
        // Requirements all hold.
        ("app,level>8", "b"),
        ("app=web,level=7,!other", "a"),
        ("app=web,app=api", ""),
        // An empty value is a value.
        ("empty=", "a"),
        ("app=", ""),
        ("empty!=", "b c"),
        ("", "a b c"),
        // Spaces between words mean nothing.
        (" app = web ", "a"),
        ("app  in(web , api) , ! other", "a b"),
        // Keywords are keys and values where they stand for them.
        ("in", ""),
        ("in in (in)", ""),
        ("notin!=notin", "a b c"),
    ] {
        let list = case.get(&format!("{path}?labelSelector={}", escaped(selector))).await;
        assert_eq!((list.code, list.names().join(" ").as_str()), (200, names), "{selector}");
    }
}

async fn refused(case: &Case, selector: &str, message: &str) {
    let answer = case.get(&format!("{}?labelSelector={}", case.configs(), escaped(selector))).await;
    assert_eq!(answer.refusal(), (400, "BadRequest", message), "{selector}");
}

async fn a_selector_that_cannot_be_parsed_is_400_in_the_parsers_words(case: Case) {
    for (selector, message) in [
        ("app is web", "unable to parse requirement: found 'is', expected: in, notin, =, ==, !=, gt, lt"),
        ("app!web", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
        ("app in web", "unable to parse requirement: found 'web' expected: '('"),
        ("app notin", "unable to parse requirement: found '' expected: '('"),
        ("app in (web", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("app in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("!!app", "unable to parse requirement: found '!', expected: identifier"),
        ("app=(", "unable to parse requirement: found '(', expected: identifier"),
        ("app=>5", "unable to parse requirement: found '>', expected: identifier"),
        (
            "app>x",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        (
            "app<",
            "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        ("app=web,", "found '', expected: identifier after ','"),
        ("app,,b", "found ',', expected: identifier after ','"),
        (",app", "found ',', expected: !, identifier, or 'end of string'"),
        ("(app)", "found '(', expected: !, identifier, or 'end of string'"),
        ("=web", "found '=', expected: !, identifier, or 'end of string'"),
        ("app=web=api", "found '=', expected: ',' or 'end of string'"),
        ("app=a b", "found 'b', expected: ',' or 'end of string'"),
        ("!app=web", "found '=', expected: ',' or 'end of string'"),
    ] {
        refused(&case, selector, message).await;
    }
}

async fn a_key_that_is_none_is_400(case: Case) {
    const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    const PREFIX: &str = "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    let long = "x".repeat(64);
    for (key, why) in [
        ("-a", format!("name part {NAME}")),
        ("app%", format!("name part {NAME}")),
        (&long, "name part must be no more than 63 bytes".to_owned()),
        ("/app", "prefix part must be non-empty".to_owned()),
        ("app/", format!("name part must be non-empty; name part {NAME}")),
        ("A.B/app", PREFIX.to_owned()),
        (
            "a/b/c",
            format!(
                "a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ),
        ),
    ] {
        let message = format!("unable to parse requirement: <nil>: Invalid value: {key:?}: {why}");
        refused(&case, &format!("{key}=x"), &message).await;
    }
}

async fn a_value_that_is_none_is_400(case: Case) {
    const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    let long = "x".repeat(64);
    for (selector, at, value, why) in [
        ("app=-x".to_owned(), 0, "-x", VALUE),
        ("app=a%".to_owned(), 0, "a%", VALUE),
        ("app in (z,a,q-)".to_owned(), 1, "q-", VALUE),
        (format!("app={long}"), 0, &long, "must be no more than 63 bytes"),
    ] {
        let message =
            format!("unable to parse requirement: values[{at}][app]: Invalid value: {value:?}: {why}");
        refused(&case, &selector, &message).await;
    }
}

async fn a_watch_refuses_a_selector_as_a_list_does(case: Case) {
    let answer = case.get(&format!("{}?watch=1&labelSelector=app,,b", case.configs())).await;
    assert_eq!(answer.refusal(), (400, "BadRequest", "found ',', expected: identifier after ','"));
}

async fn a_get_does_not_read_selectors(case: Case) {
    case.config("a", "web").await;
    let path = format!("{}/a?labelSelector=app,,b&fieldSelector=nothing&limit=x", case.configs());
    assert_eq!(case.get(&path).await.code, 200);
}

//! The page at `GET /_playground`: every fault and every action, with a command to try it.
//! It never acts.

use std::fmt::Write;

const INTRODUCTION: &str = r#"The playground's own API. Everything else of this server is Kubernetes' API.

GET    /_playground/requests    what was asked so far
GET    /_playground/faults      the rules that stand
POST   /_playground/faults      adds a rule and answers with its id
DELETE /_playground/faults      clears all rules; /_playground/faults/ID removes one
POST   /_playground/actions     does something once

A rule is a fault and when it strikes; what is left out matches everything:
{"fault":…, "verb":"list|watch|get|create|update|patch|delete|discovery", "resource":"pods|deployments.apps|…",
 "user":"ada", "open_only":true (only watches that are open now), "times":N, "for_ms":N}

Faults
"#;

/// A fault as it is written in a rule, and what a client sees of it.
const FAULTS: &[(&str, &str)] = &[
    (r#""drop""#, "the connection is cut, running streams too"),
    (
        r#""stall""#,
        "the request is accepted and not answered; a running watch falls silent until the rule is gone",
    ),
    (r#""half-open""#, "the connection's bytes are neither read nor written, and it stays open"),
    (r#""gone-status""#, "410 in the HTTP status, as from older and proxied servers"),
    (r#""gone-event""#, "200, then an ERROR event with 410, and the watch ends"),
    (r#"{"too-many-requests":{"retry_after_s":2}}"#, "429 with Retry-After"),
    (r#"{"unavailable":{"retry_after_s":2}}"#, "503 with Retry-After"),
    (r#""internal-error""#, "500"),
    (r#""unauthorized""#, "401"),
    (r#""forbidden""#, "403; watches that run go on, as on a real server"),
    (r#""not-found""#, "404 for a resource that is served otherwise"),
    (r#""truncated-json""#, "half of a value, then the next one: not JSON"),
    (r#""cut-in-value""#, "half of a value, then the connection is cut"),
    (r#""unknown-event""#, "an event of an unknown type"),
    (r#""no-bookmarks""#, "no bookmark comes any more, the end mark of a WatchList excepted"),
    (r#""watch-list-refused""#, "422 for sendInitialEvents"),
    (r#""watch-list-ignored""#, "sendInitialEvents is ignored without an error: the end mark never comes"),
    (r#"{"slow-bytes":{"chunk_bytes":64,"pause_ms":100}}"#, "answers come in small chunks with pauses"),
    (r#""no-table""#, "plain objects come although a Table was asked for"),
    (
        r#""opaque-revisions""#,
        "resourceVersions of new answers aren't numbers; lists and watches take them back",
    ),
    (r#""duplicate-events""#, "a watch sends each event twice"),
    (r#""reorder-events""#, "a watch sends each event after the one that follows it"),
];

/// An action as it is posted, and what it does.
const ACTIONS: &[(&str, &str)] = &[
    (r#"{"action":"step","changes":10}"#, "the fleet makes its next changes now"),
    (r#"{"action":"cut-watches","resource":"pods"}"#, "open watches are cut; without a resource all of them"),
    (r#"{"action":"compact","resource":"pods"}"#, "the history is forgotten: older resourceVersions get 410"),
    (
        r#"{"action":"restore","changes":20}"#,
        "content and resourceVersions go back, as from a backup of etcd",
    ),
    (
        r#"{"action":"step-clock","by_ms":-60000}"#,
        "the cluster's clock steps, and the Date of answers with it",
    ),
    (r#"{"action":"down","for_ms":5000}"#, "the server is gone and comes back without its history"),
];

/// The page, for a server at this address.
pub fn text(url: &str) -> String {
    let mut text = INTRODUCTION.to_owned();
    for (fault, seen) in FAULTS {
        line(&mut text, seen, &format!("curl {url}/_playground/faults -d '{{\"fault\":{fault}}}'"));
    }
    text.push_str("\nActions\n");
    for (action, does) in ACTIONS {
        line(&mut text, does, &format!("curl {url}/_playground/actions -d '{action}'"));
    }
    text
}

fn line(text: &mut String, what: &str, command: &str) {
    // Writing into a String doesn't fail.
    let _ = writeln!(text, "  {what}\n    {command}");
}

//! Streams of logs.

use shared::frame::server::LogAnswer;

use super::*;

impl Script {
    fn log(&mut self, part: &Value) -> Vec<Value> {
        let part = serde_json::from_value(part.clone()).expect("a part");
        self.hear(ServerFrame::Log(LogAnswer::of(0, &part).expect("an answer")))
    }

    fn log_asked(&self) -> &Log {
        self.logs.last().expect("it is asked for")
    }
}

const QUERY: &str = "resource=pods&namespaces=shop&labelSelector=app%3Dcart&projection=log";

#[test]
fn lines_and_marks_are_events_with_the_names_of_their_source() {
    let mut script = Script::of(&format!("{QUERY}&containers=cart,proxy&tail=7&since=1763689000000"));
    let asked = serde_json::to_value(script.log_asked()).expect("JSON");
    assert_eq!(asked["scope"]["labels"], "app=cart");
    assert_eq!(
        asked["asked"],
        json!({"containers": ["cart", "proxy"], "since": [1_763_689_000_000_i64, 0], "tail": 7})
    );
    let sources = json!([{"n": 0, "pod": "cart-0", "container": "cart", "kind": "init", "state": "read"}]);
    let first = script.log(&json!({"sources": sources}));
    assert_eq!(first[0]["type"], "subscribed");
    assert_eq!((&first[0]["cluster"], &first[0]["namespaces"]), (&json!("prod"), &json!(["shop"])));
    let source =
        json!({"type": "source", "pod": "cart-0", "container": "cart", "kind": "init", "state": "read"});
    assert_eq!(first[1], source);
    let told = script.log(&json!({"entries": [
        {"n": 0, "at": [1_772_359_200_000_i64, 5], "text": "a", "cut": 3}, {"n": 0, "mark": "restarted", "exit_code": 1},
    ], "caught_up": true}));
    assert_eq!(
        told,
        [
            json!({"type": "line", "pod": "cart-0", "container": "cart", "time": "2026-03-01T10:00:00.000000005Z", "text": "a", "cut": 3}),
            json!({"type": "mark", "pod": "cart-0", "container": "cart", "mark": "restarted", "exit_code": 1}),
            json!({"type": "sync"}),
        ]
    );
    assert_eq!(script.log(&json!({"over": true})), [json!({"type": "end"})]);
    assert_eq!(script.end, Some(Ending::Over));
}

#[test]
fn a_log_that_is_refused_is_a_status_before_the_first_event_and_an_event_after_it() {
    let refused = || {
        let problem = Problem::new(Reason::Forbidden, "you may not get pods/log");
        ServerFrame::Problem(ProblemFrame { id: Some(0), problem })
    };
    let mut script = Script::of(QUERY);
    script.hear(refused());
    assert!(matches!(&script.end, Some(Ending::Refused(problem)) if problem.reason == Reason::Forbidden));
    let mut script = Script::of(QUERY);
    script.log(&json!({}));
    let last = script.hear(refused());
    assert_eq!((&last[0]["type"], &last[0]["reason"]), (&json!("end"), &json!("Forbidden")));
}

#[test]
fn what_does_not_go_with_a_log_is_refused() {
    for (query, said) in [
        ("resource=pods&tail=3", "for projection=log"),
        ("resource=pods&projection=log&at=2h", "at"),
        ("resource=pods&projection=log&tail=-3", "tail"),
        ("resource=pods&projection=log&previous=perhaps", "previous"),
    ] {
        let problem = parsed(query).expect_err(query);
        assert!(problem.message.contains(said), "{query}: {problem}");
    }
}

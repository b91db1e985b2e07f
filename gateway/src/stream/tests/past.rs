//! A stream that begins in the past, or is of it, against a session that answers as a script has it.

use shared::frame::client::{ChangesAsked, ChangesEnd, PastAsked};
use shared::frame::server::{Changed, Changes, PastAnswer};
use shared::frame::timeline::EntryType;
use shared::past::{PastState, Removed, Unrecorded, Why};

use super::*;

fn changed(kind: EntryType, number: u64, version: &str, time_ms: i64) -> Changed {
    let row = Row { resource_version: version.into(), ..pod(number, version) };
    Changed::of(kind, time_ms, row)
}

fn changes(changes: Vec<Changed>, more: bool) -> Changes {
    let number = changes.len().try_into().expect("few");
    let end = ChangesEnd { to_ms: 50, number };
    let columns = vec![testing::column("Name"), testing::column("Ready")];
    let (since_ms, unrecorded, still, removed, now_ms) = (Some(1), Vec::new(), None, Vec::new(), NOW_MS);
    Changes { columns, changes, end, more, since_ms, unrecorded, still, removed, now_ms }
}

fn at_version(number: u64, version: &str) -> Row {
    Row { resource_version: version.into(), ..pod(number, version) }
}

/// Type, name and version of each event of an object, and the type of each other one.
fn told(events: &[Value]) -> Vec<String> {
    let words = |event: &Value| {
        let words = ["type", "name", "resource_version"].map(|key| event[key].as_str().unwrap_or_default());
        words.join(" ").trim_end().to_owned()
    };
    events.iter().map(words).collect()
}

impl Script {
    /// The last question about the past.
    fn question(&self) -> (u32, ChangesAsked) {
        let last = self.questions.last().expect("a question");
        let PastAsked::Changes(asked) = last.asked else { panic!("{last:?}") };
        (last.id, asked)
    }

    fn answer_past(&mut self, changes: Changes) -> Vec<Value> {
        let (id, _) = self.question();
        self.hear(ServerFrame::Past(PastAnswer::of_changes(id, changes).expect("JSON")))
    }

    fn subscriptions(&self) -> usize {
        self.asked.len()
    }
}

#[test]
fn the_record_is_told_page_by_page_and_then_the_present_without_what_was_told() {
    let mut script = Script::of("resource=pods&namespaces=shop&since=1m");
    let (first, asked) = script.question();
    assert_eq!((asked.since_ms, asked.from, asked.objects), (NOW_MS - 60_000, None, false));
    assert_eq!(script.subscriptions(), 0, "nothing of the present is asked for yet");
    let page = vec![changed(EntryType::Added, 1, "10", 20), changed(EntryType::Added, 2, "11", 21)];
    let events = script.answer_past(changes(page, true));
    assert_eq!(told(&events), ["subscribed", "added cart-1 10", "added cart-2 11"]);
    assert_eq!((&events[0]["since_ms"], &events[1]["time_ms"]), (&json!(NOW_MS - 60_000), &json!(20)));
    assert_eq!(events[1]["cells"], json!({ "Name": "cart-1", "Ready": "10" }));
    let (second, asked) = script.question();
    assert!(second != first && asked.from == Some(ChangesEnd { to_ms: 50, number: 2 }));
    script.answer_past(changes(Vec::new(), false));
    // The live view is opened, and nothing of it is told before the record told what it heard until then.
    assert_eq!(script.subscriptions(), 1);
    assert_eq!(script.answer(|_| {}), Vec::<Value>::new());
    let (third, _) = script.question();
    assert!(third != second);
    let present = vec![at_version(1, "10"), at_version(2, "15"), at_version(3, "3"), at_version(4, "17")];
    let rows_of = |put| ServerFrame::Rows(Rows { resource_version: "20".into(), ..rows(0, 9, put) });
    assert_eq!(script.hear(rows_of(present)), Vec::<Value>::new());
    assert!(script.translator.holds_back(), "what is held back isn't taken");
    let rest = vec![
        changed(EntryType::Modified, 2, "15", 30),
        changed(EntryType::Added, 5, "16", 31),
        // The record heard more than the live view told first.
        changed(EntryType::Deleted, 4, "25", 32),
        changed(EntryType::Added, 6, "26", 33),
    ];
    let events = script.answer_past(changes(rest, false));
    assert!(!script.translator.holds_back());
    let expected = [
        "modified cart-2 15",
        "added cart-5 16",
        "deleted cart-4 25",
        "added cart-6 26",
        "subscribed",
        "added cart-3 3",
        // Its end was in no record.
        "deleted cart-5 20",
    ];
    assert_eq!(told(&events), expected);
    assert!(events.last().is_some_and(|last| last["resume"].is_string()), "{events:?}");
    // What the record told of later comes again, and isn't told again.
    let later = Rows {
        delete: vec![RowId::from_hash(4 << 4)],
        left: vec![(Some("shop".into()), "cart-4".into())],
        resource_version: "30".into(),
        ..rows(0, 12, vec![at_version(6, "26"), at_version(1, "29")])
    };
    assert_eq!(told(&script.hear(ServerFrame::Rows(later))), ["modified cart-1 29"]);
}

#[test]
fn a_view_that_is_not_current_yet_is_opened_again_when_it_is() {
    let mut script = Script::of("resource=pods&since=1m");
    let gap = Unrecorded { from_ms: 1, to_ms: 9, why: Why::NoViewers };
    let still = Some(Unrecorded { from_ms: 9, to_ms: NOW_MS, why: Why::Down });
    let none = Changes { since_ms: None, still: still.clone(), ..changes(Vec::new(), false) };
    assert_eq!(types(&script.answer_past(none)), ["subscribed"], "it may be recorded by then");
    let syncing = StateReport::of(ViewState::Syncing { n: 0, of: None });
    assert_eq!(types(&script.answer(|answer| answer.state = syncing)), ["subscribed"]);
    assert_eq!(script.hear(ServerFrame::Rows(rows(0, 1, vec![pod(1, "1/1")]))), Vec::<Value>::new());
    let live = StateFrame { view: 0, report: StateReport::of(ViewState::Live) };
    assert_eq!(script.hear(ServerFrame::State(live)), Vec::<Value>::new());
    assert_eq!((script.subscriptions(), script.questions.len()), (2, 1), "again, from the first row on");
    script.answer(|_| {});
    assert_eq!(script.questions.len(), 2);
    script.hear(ServerFrame::Rows(rows(0, 1, vec![pod(1, "1/1")])));
    let answer = Changes { unrecorded: vec![gap], still, ..changes(Vec::new(), false) };
    let events = script.answer_past(answer);
    assert_eq!(told(&events), ["unrecorded", "unrecorded", "subscribed", "added cart-1 1"]);
    assert_eq!(
        (&events[0]["to_ms"], &events[0]["why"], &events[1]["why"]),
        (&json!(9), &json!("no_viewers"), &json!("down"))
    );
}

#[test]
fn what_was_removed_of_the_record_is_said_before_what_is_left_of_it() {
    let mut script = Script::of("resource=pods&since=1m");
    let removed = Removed {
        from_ms: 3,
        to_ms: 8,
        removed_ms: 9,
        namespace: Some("shop".into()),
        path: Some(".spec.badge".into()),
        masked: false,
    };
    let first = changed(EntryType::Added, 1, "21", 5);
    let events = script.answer_past(Changes { removed: vec![removed], ..changes(vec![first], false) });
    assert_eq!(told(&events), ["subscribed", "purged", "added cart-1 21"]);
    let said = json!({ "type": "purged", "from_ms": 3, "to_ms": 8, "removed_ms": 9, "namespace": "shop", "path": ".spec.badge" });
    assert_eq!(events[1], said);
}

#[test]
fn a_refused_question_is_a_status_and_a_resume_tells_no_past() {
    let mut script = Script::of("resource=pods&since=1m");
    let problem = Problem::new(Reason::NotFound, "pods aren't recorded");
    let (id, _) = script.question();
    script.hear(ServerFrame::Problem(ProblemFrame { id: Some(id), problem: problem.clone() }));
    assert_eq!(script.end, Some(Ending::Refused(problem)));
    let script = Script::of("resource=pods&since=1795960930000");
    assert!(matches!(&script.end, Some(Ending::Refused(problem)) if problem.message.contains("yet to come")));
    let mut script = Script::of("resource=pods");
    script.answer(|_| {});
    let events = script.hear(ServerFrame::Rows(rows(0, 9, vec![pod(1, "1/1")])));
    let resume = events[0]["resume"].as_str().expect("a token");
    let script = Script::of(&format!("resource=pods&since=1m&resume={resume}"));
    assert_eq!((script.subscriptions(), script.questions.len()), (1, 0));
}

#[test]
fn a_view_as_of_a_time_is_told_with_its_state_and_ends() {
    let past = |at_ms| {
        let (changed_ms, before_ms, after_ms, unrecorded) = Default::default();
        let state =
            PastState { at_ms, recorded_ms: 7, changed_ms, before_ms, after_ms, unrecorded, removed: None };
        StateReport::of(ViewState::Past(Box::new(state)))
    };
    let at_ms = NOW_MS - 60_000;
    let state = || ServerFrame::State(StateFrame { view: 0, report: past(at_ms) });
    let syncing = || StateReport::of(ViewState::Syncing { n: 0, of: None });
    let whole = || ServerFrame::Rows(rows(0, 9, vec![pod(1, "1/1")]));
    for rows_first in [true, false] {
        let mut script = Script::of(&format!("resource=pods&at={at_ms}"));
        assert_eq!(script.asked[0].at_ms, Some(at_ms));
        assert_eq!(script.answer(|answer| answer.state = syncing()), Vec::<Value>::new());
        let [one, other] = if rows_first { [whole(), state()] } else { [state(), whole()] };
        let mut events = script.hear(one);
        assert_eq!(script.end, None);
        events.extend(script.hear(other));
        assert_eq!(script.end, Some(Ending::Over));
        let expected = if rows_first { ["added", "state"] } else { ["state", "added"] };
        assert_eq!(types(&events), [&["subscribed"][..], &expected, &["end"]].concat());
        assert!(events.iter().all(|event| event["resume"].is_null()), "it isn't resumed: {events:?}");
        let said = events.iter().find(|event| event["type"] == "state").expect("a state");
        assert_eq!(said["state"]["past"]["at_ms"], at_ms);
    }
    // The answer may say the state already.
    let mut script = Script::of("resource=pods&at=1m");
    script.answer(|answer| answer.state = past(at_ms));
    let events = script.hear(ServerFrame::Rows(rows(0, 9, Vec::new())));
    assert_eq!((types(&events), &script.end), (vec!["subscribed", "end"], &Some(Ending::Over)));
    // Where nothing was recorded, it is a status.
    let mut script = Script::of("resource=pods&at=1m");
    script.answer(|answer| answer.state = syncing());
    let problem = Problem::new(Reason::NotFound, "nothing of pods is recorded yet");
    let failed = StateReport::of(ViewState::Failed { since_ms: 1 }).because(problem.clone());
    script.hear(ServerFrame::State(StateFrame { view: 0, report: failed }));
    assert_eq!(script.end, Some(Ending::Refused(problem)));
}

#[test]
fn at_and_since_stand_alone_and_for_states() {
    for (query, said) in [
        ("resource=pods&at=1h&since=2h", "the other one"),
        ("resource=pods&since=yesterday", "such as 2h"),
        ("resource=pods&since=2h&projection=timeline", "a timeline begins now"),
        ("resource=pods&at=2h&projection=timeline", "a timeline begins now"),
    ] {
        let problem = parsed(query).expect_err(query);
        assert!(problem.message.contains(said), "{query}: {}", problem.message);
    }
    assert!(parsed("resource=pods&since=2026-11-29T15:02:10+01:00").is_ok(), "a plus is a space in a query");
}

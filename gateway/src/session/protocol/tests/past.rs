//! Views and questions of the past: each is reviewed as one of the present is, and read from the gateway's own record.

use shared::frame::client::ChangesEnd;
use shared::frame::server::{Changes, PastAnswer};
use shared::name::Namespace;
use shared::row::RowId;

use super::rights::{own, refused, with, within};
use super::*;
use crate::access::Grant;
use crate::cluster::UpstreamIdentity;
use crate::feed::AsOf;

fn as_of(rig: &mut ProtocolRig) -> Outcome {
    let resource = json!({ "group": "", "version": "v1", "resource": "pods" });
    rig.hear(&json!({ "subscribe": { "id": 1, "scope": { "resource": resource }, "at_ms": 7 } }))
}

fn opened(rig: &ProtocolRig) -> (Option<AsOf>, UpstreamIdentity, Option<Namespace>) {
    let feed = rig.desk.last_feed.clone().expect("it was opened");
    (feed.past, feed.upstream, feed.namespace)
}

#[test]
fn a_view_of_the_past_follows_the_rights_of_now_and_is_read_as_the_gateway() {
    for login in [with(&[]), own(&[])] {
        let mut rig = ProtocolRig::of(login);
        assert_eq!(as_of(&mut rig).reviews.len(), 1);
        assert!(rig.desk.last_feed.is_none(), "nothing is opened before its grant");
        rig.apply(Action::Granted(1, within("shop")));
        let part = AsOf { at_ms: 7, is_of_whole_cluster: false };
        assert_eq!(opened(&rig), (Some(part), UpstreamIdentity::default(), None));
        let moved = rig.apply(Action::Granted(1, Grant::Whole));
        assert_eq!(moved.requests.len(), 1, "the former view is left");
        assert_eq!(opened(&rig).0, Some(AsOf { is_of_whole_cluster: true, ..part }));
        let ended = rig.apply(Action::Granted(1, refused()));
        assert!(matches!(&ended.requests[..], [((), HubRequest::Close(_))]), "{:?}", ended.requests);
        assert!(rig.last_message().contains("\"forbidden\""));
    }
    let mut rig = ProtocolRig::new();
    as_of(&mut rig);
    let whole = AsOf { at_ms: 7, is_of_whole_cluster: true };
    assert_eq!(opened(&rig).0, Some(whole), "the gateway runs as this user");
}

fn asks(what: &serde_json::Value) -> serde_json::Value {
    let pods = json!({ "resource": { "group": "", "version": "v1", "resource": "pods" } });
    json!({ "past": { "id": 1, "scope": pods, "asked": what } })
}

/// The question that waits for the record.
fn read(rig: &mut ProtocolRig) -> PastRequest {
    match rig.desk.late.pop_front() {
        Some(Effect::ReadPast(request)) => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_question_about_the_past_is_reviewed_and_answered_once() {
    let row = RowId::from_hash(7 << 20);
    let recorded = asks(&json!({ "recorded": { "from_ms": 0, "to_ms": 9, "slots": 3 } }));
    let history = asks(&json!({ "history": { "row": row } }));
    let version = asks(&json!({ "version": { "row": row, "resource_version": "7" } }));
    let events = asks(&json!({ "events": { "row": row } }));
    let mut last = asks(&json!("last"));
    last["past"]["scope"]["namespaces"] = json!(["shop"]);
    last["past"]["scope"]["name"] = json!("cart-0");
    let changes = asks(&json!({ "changes": { "since_ms": 7 } }));
    let rest = asks(&json!({ "changes": { "since_ms": 7, "from": { "to_ms": 9, "number": 4 } } }));
    let search = asks(&json!({ "search": { "from_ms": 0, "to_ms": 9, "word": "OOMKilled" } }));
    for asked in [&recorded, &history, &version, &events, &last, &changes, &rest, &search] {
        let mut rig = ProtocolRig::of(with(&[]));
        assert_eq!(rig.hear(asked).reviews.len(), 1);
        assert!(rig.desk.late.is_empty(), "nothing is read before its grant");
        rig.apply(Action::Granted(1, within("shop")));
        let request = read(&mut rig);
        assert!(!request.of_whole_cluster);
        assert_eq!(request.request.scope.namespaces.only().map(Namespace::as_str), Some("shop"));
        let answer = || Err(Problem::new(Reason::NotFound, "nothing of it"));
        rig.apply(Action::PastRead(request.answer, answer()));
        assert!(rig.last_message().contains("nothing of it"));
        rig.apply(Action::PastRead(request.answer, answer()));
        assert_eq!(rig.last_message(), "", "it was answered");
        let mut rig = ProtocolRig::of(with(&[]));
        rig.hear(asked);
        rig.apply(Action::Granted(1, refused()));
        assert!(rig.desk.late.is_empty() && rig.last_message().contains("may not list"));
    }
    let mut rig = ProtocolRig::new();
    rig.hear(&recorded);
    assert!(read(&mut rig).of_whole_cluster);
}

#[test]
fn a_question_that_cannot_be_answered_and_a_gateway_without_a_record_are_refused() {
    let mut rig = ProtocolRig::new();
    for (from_ms, to_ms, slots) in [(0, 9, 0), (0, 9, 2_001), (9, 0, 3)] {
        let time = json!({ "from_ms": from_ms, "to_ms": to_ms, "slots": slots });
        rig.hear(&asks(&json!({ "recorded": time })));
        assert!(rig.last_message().contains("1 to 2000 parts"), "{slots}");
    }
    for word in ["", "x"] {
        rig.hear(&asks(&json!({ "search": { "from_ms": 0, "to_ms": 9, "word": word } })));
        assert!(rig.last_message().contains("a word of 2 to 200 bytes"));
    }
    rig.hear(&asks(&json!("last")));
    assert!(rig.last_message().contains("say its name in the scope"));
    rig.apply(Action::Surroundings(Surroundings { records: false, ..surroundings() }));
    while rig.session.next_message().is_some() {}
    as_of(&mut rig);
    assert!(rig.last_message().contains("keeps no record"));
    rig.hear(&asks(&json!({ "history": { "row": RowId::from_hash(9) } })));
    assert!(rig.last_message().contains("keeps no record"));
}

/// An answer that ends there.
fn changes_until(number: i64, more: bool) -> Result<ServerFrame, Problem> {
    let end = ChangesEnd { to_ms: 9, number };
    let (columns, changes, unrecorded, still, removed) = Default::default();
    let (since_ms, now_ms) = (Some(1), 9);
    let changes = Changes { columns, changes, end, more, since_ms, unrecorded, still, removed, now_ms };
    Ok(ServerFrame::Past(PastAnswer::of_changes(1, changes).expect("JSON")))
}

#[test]
fn the_rest_of_an_answer_counts_for_nothing_and_any_other_question_does() {
    let from = |number: i64| {
        asks(&json!({ "changes": { "since_ms": 7, "from": { "to_ms": 9, "number": number } } }))
    };
    let ask = |rig: &mut ProtocolRig, number: i64, (ends, more): (i64, bool)| {
        rig.hear(&from(number));
        match rig.desk.late.pop_front() {
            Some(Effect::ReadPast(request)) => {
                rig.apply(Action::PastRead(request.answer, changes_until(ends, more)));
                assert!(rig.last_message().contains("\"changes\""));
                true
            }
            None => {
                assert!(rig.last_message().contains("too many subscriptions"));
                false
            }
            other => panic!("{other:?}"),
        }
    };
    let mut rig = ProtocolRig::new();
    assert!(
        (0..300).all(|number| ask(&mut rig, number, (number + 1, true))),
        "each is the rest of the one before"
    );
    // There is no rest after the last answer, and none before it.
    for more in [(7, false), (9, true)] {
        let mut rig = ProtocolRig::new();
        assert!(!(0..300).all(|_| ask(&mut rig, 7, more)), "{more:?}");
    }
}

#[test]
fn changes_take_the_selectors_that_a_view_of_the_past_takes() {
    let mut rig = ProtocolRig::new();
    let mut asked = asks(&json!({ "changes": { "since_ms": 7 } }));
    asked["past"]["scope"]["fields"] = "status.phase=Running".into();
    rig.hear(&asked);
    assert!(rig.last_message().contains("can't be applied to the past"));
    asked["past"]["scope"]["fields"] = "metadata.name=a".into();
    rig.hear(&asked);
    assert_eq!(read(&mut rig).request.at_ms, Some(7), "the audit names the time");
}

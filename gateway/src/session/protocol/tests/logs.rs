//! The logs of one session: asked for once the right is there, told within the credit, ended with what they hang on.

use shared::frame::server::LogPart;
use shared::resource::Resource;

use super::rights::{refused, with};
use super::*;
use crate::access::{Grant, Question};
use crate::cluster::Ceiling;
use crate::logs::LogSaid;

fn shown() -> Surroundings {
    Surroundings { ceiling: Ceiling::default().with_logs(true), ..surroundings() }
}

fn rig_of(login: Login) -> ProtocolRig {
    let mut rig = ProtocolRig::of(login);
    rig.apply(Action::Surroundings(shown()));
    rig.last_message();
    rig
}

fn asked(scope: &serde_json::Value) -> serde_json::Value {
    let mut scope = scope.clone();
    if scope.get("resource").is_none() {
        scope["resource"] = json!({ "group": "", "version": "v1", "resource": "pods" });
    }
    json!({ "log": { "id": 1, "scope": scope } })
}

fn of_one_pod() -> serde_json::Value {
    asked(&json!({ "namespaces": ["shop"], "name": "cart-0" }))
}

/// The logs that are to be told.
fn opened(rig: &mut ProtocolRig) -> LogRequest {
    match rig.desk.late.pop_front() {
        Some(Effect::OpenLog(request)) => request,
        other => panic!("{other:?}"),
    }
}

fn is_closed(rig: &mut ProtocolRig) -> bool {
    matches!(rig.desk.late.pop_front(), Some(Effect::CloseLog(1)))
}

fn part(over: bool) -> LogSaid {
    LogSaid::Part(LogPart { over, ..LogPart::default() })
}

#[test]
fn r_log_1_a_log_is_told_once_its_right_is_there_and_ends_with_it() {
    let mut rig = rig_of(with(&[]));
    let reviewed = rig.hear(&of_one_pod()).reviews;
    assert!(matches!(&reviewed[..], [ReviewRequest::Watch(1, ..)]), "{reviewed:?}");
    assert!(rig.desk.late.is_empty(), "nothing is read before its grant");
    rig.apply(Action::Granted(1, Grant::Whole));
    let answer = opened(&mut rig).answer;
    rig.apply(Action::LogSaid(answer, part(false)));
    assert_eq!(rig.last_message(), r#"{"log":{"id":1,"part":{}}}"#);
    let ended = rig.apply(Action::Granted(1, refused()));
    assert_eq!(ended.reviews, [ReviewRequest::Forget(1)]);
    assert!(is_closed(&mut rig) && rig.last_message().contains("\"Forbidden\""));
    rig.apply(Action::LogSaid(answer, part(false)));
    assert_eq!(rig.last_message(), "", "what was read already isn't told any more");

    let mut rig = rig_of(with(&[]));
    rig.hear(&of_one_pod());
    rig.apply(Action::Granted(1, refused()));
    assert!(rig.desk.late.is_empty() && rig.last_message().contains("\"Forbidden\""));
}

#[test]
fn r_log_1_the_logs_of_a_rollout_are_told_once_its_right_is_there_and_end_with_it() {
    let rollouts = json!({ "group": "argoproj.io", "version": "v1alpha1", "resource": "rollouts" });
    let known = json!({ "resource": rollouts, "kind": "Rollout", "namespaced": true, "watch": true });
    let mut surroundings = shown();
    let cluster = surroundings.clusters.first_mut().expect("one");
    let mut kinds = Kinds::clone(&cluster.kinds);
    kinds.kinds.push(serde_json::from_value(known).expect("a kind"));
    cluster.kinds = Arc::new(kinds);
    let mut rig = ProtocolRig::of(with(&[]));
    rig.apply(Action::Surroundings(surroundings));
    rig.last_message();
    let of_rollout = asked(&json!({ "namespaces": ["shop"], "name": "cart", "resource": rollouts }));
    let reviewed = rig.hear(&of_rollout).reviews;
    let pods = Resource::parse("", "v1", "pods").expect("valid");
    let scope = serde_json::from_value(of_rollout["log"]["scope"].clone()).expect("a scope");
    let all = Question::of_logs(&scope, &pods);
    assert!(
        matches!(&reviewed[..], [ReviewRequest::Watch(1, _, _, question)] if *question == all),
        "{reviewed:?}"
    );
    assert!(rig.desk.late.is_empty(), "nothing is read before its grant");
    rig.apply(Action::Granted(1, Grant::Whole));
    opened(&mut rig);
    rig.apply(Action::Granted(1, refused()));
    assert!(is_closed(&mut rig) && rig.last_message().contains("\"Forbidden\""));
    rig.hear(&of_rollout);
    rig.apply(Action::Granted(1, refused()));
    assert!(rig.desk.late.is_empty() && rig.last_message().contains("\"Forbidden\""));
}

#[test]
fn a_part_is_told_within_the_credit_and_the_last_one_frees_the_number() {
    let mut rig = rig_of(alice());
    assert!(!rig.session.takes_logs(), "there is none");
    rig.hear(&of_one_pod());
    rig.hear(&of_one_pod());
    assert!(rig.last_message().contains("open already"));
    let answer = opened(&mut rig).answer;
    assert!(rig.session.takes_logs());
    rig.apply(Action::LogSaid(answer, part(false)));
    assert!(!rig.session.takes_logs(), "one is on its way");
    rig.last_message();
    assert!(rig.session.takes_logs());
    rig.apply(Action::LogSaid(answer, part(true)));
    assert!(is_closed(&mut rig));
    assert_eq!(rig.session.subscription_count(), 0);
    rig.last_message();
    rig.hear(&of_one_pod());
    let again = opened(&mut rig).answer;
    assert_ne!(again, answer);
    rig.hear(&json!({ "unsubscribe": { "id": 1 } }));
    assert!(is_closed(&mut rig) && rig.last_message().is_empty());
}

#[test]
fn r_data_3_a_log_ends_with_the_rules_by_which_it_was_masked() {
    let mut rig = rig_of(alice());
    rig.hear(&of_one_pod());
    opened(&mut rig);
    rig.apply(Action::Surroundings(Surroundings { rules: "other".into(), ..shown() }));
    assert!(is_closed(&mut rig));
    let told = rig.last_message();
    assert!(told.contains("\"Expired\"") && told.contains("ask for the log again"), "{told}");
}

#[test]
fn what_has_no_logs_is_said_in_one_sentence() {
    let nodes = json!({ "group": "", "version": "v1", "resource": "nodes" });
    for (scope, expected) in [
        (json!({}), "logs are of one namespace"),
        (json!({ "namespaces": ["a", "b"] }), "logs are of one namespace"),
        (json!({ "namespaces": ["shop"], "resource": nodes }), "no nodes"),
        (json!({ "namespaces": ["shop"], "labels": "a=b", "name": "c" }), "by a name or by labels"),
        (json!({ "namespaces": ["shop"], "fields": "status.phase=Running" }), "by a name or by labels"),
    ] {
        let mut rig = rig_of(alice());
        rig.hear(&asked(&scope));
        let told = rig.last_message();
        assert!(rig.desk.late.is_empty() && told.contains(expected), "{scope}: {told}");
    }
    let mut rig = ProtocolRig::new();
    rig.hear(&of_one_pod());
    assert!(rig.last_message().contains("this gateway shows no logs"), "as its welcome says");
}

//! A session's frames, scripted, and the events that follow from them.

use replica::testing;
use serde_json::{Value, json};
use shared::cell::Cell;
use shared::digest::{self, row_hash};
use shared::frame::client::{ClientFrame, Log, Past, RowDetail, Subscribe, SubscriptionId};
use shared::frame::server::{
    ClusterProblem, Gap, Kinds, ProblemFrame, Rows, ServerFrame, StateFrame, Subscribed, Sync,
};
use shared::name::{ClusterName, Namespace};
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId, WholeObject};
use shared::scope::Namespaces;
use shared::state::{StateReport, ViewState, Whom};

use super::query::{Format, Head, StreamRequest};
use super::resume::Resume;
use super::translate::{Ending, Outputs, Translator};
use super::write::{EventSource, Writer};

mod logs;
mod past;

const NOW_MS: i64 = 1_763_690_000_000;

fn parsed(query: &str) -> Result<StreamRequest, Problem> {
    StreamRequest::parse(query, Head::default())
}

/// A translator that is asked this, and a session that answers as a script has it.
struct Script {
    translator: Translator,
    kinds: Kinds,
    /// The last subscriptions that were asked for.
    asked: Vec<Subscribe>,
    /// The questions about the past.
    questions: Vec<Past>,
    logs: Vec<Log>,
    end: Option<Ending>,
}

impl Script {
    fn of(query: &str) -> Self {
        let (translator, hello) = Translator::new(parsed(query).expect("a request"));
        assert!(matches!(hello, ClientFrame::Hello(_)));
        let pods = Kind::new(Resource::parse("", "v1", "pods").expect("a resource"), "Pod", true);
        let kinds = Kinds::new(ClusterName::parse("prod").expect("a name"), vec![pods], Vec::new());
        let (asked, questions, logs) = (Vec::new(), Vec::new(), Vec::new());
        let mut script = Self { translator, kinds, asked, questions, logs, end: None };
        assert_eq!(script.hear(welcome("")), Vec::<Value>::new());
        let kinds = script.kinds.clone();
        script.hear(ServerFrame::Kinds(kinds));
        script
    }

    fn hear(&mut self, frame: ServerFrame) -> Vec<Value> {
        let outputs = self.translator.frame(frame, NOW_MS);
        self.take(outputs)
    }

    fn take(&mut self, Outputs { send, events, end }: Outputs) -> Vec<Value> {
        for frame in send {
            match frame {
                ClientFrame::Subscribe(subscribe) => self.asked.push(*subscribe),
                ClientFrame::Past(question) => self.questions.push(*question),
                ClientFrame::Log(asked) => self.logs.push(asked.read().expect("a question for logs")),
                _ => {}
            }
        }
        self.end = end.or(self.end.take());
        events.iter().map(|event| serde_json::to_value(event).expect("json")).collect()
    }

    /// What an answer to the last subscription says; its view has the number of the subscription.
    fn answer(&mut self, change: impl FnOnce(&mut Subscribed)) -> Vec<Value> {
        let asked = self.asked.last().expect("a subscription").clone();
        let mut answer = subscribed(&asked);
        change(&mut answer);
        self.hear(ServerFrame::Subscribed(Box::new(answer)))
    }
}

fn welcome(rules: &str) -> ServerFrame {
    let mut welcome = testing::welcome(NOW_MS);
    welcome.rules = rules.into();
    welcome.clusters[0].name = ClusterName::parse("prod").expect("a name");
    ServerFrame::Welcome(Box::new(welcome))
}

fn subscribed(asked: &Subscribe) -> Subscribed {
    Subscribed {
        id: asked.id,
        view: asked.id,
        scope: asked.scope.clone(),
        projection: asked.projection,
        cluster: "uid".into(),
        columns_hash: "columns".into(),
        epoch: "epoch".into(),
        at: None,
        columns: vec![testing::column("Name"), testing::column("Ready")],
        state: StateReport::of(ViewState::Live),
    }
}

fn pod(number: u64, ready: &str) -> Row {
    let name = format!("cart-{number}");
    let object = json!({ "kind": "Pod", "metadata": { "name": name } });
    let mut row = Row {
        id: RowId::from_hash(number << 4),
        resource_version: number.to_string().as_str().into(),
        namespace: Some("shop".into()),
        cells: vec![Cell::text(&name), Cell::text(ready)],
        name: name.into(),
        created: Some(5),
        extra: None,
    };
    row.extra.get_or_insert_default().object = WholeObject::from_json(object.to_string().into_bytes());
    row
}

fn rows(view: SubscriptionId, to: u64, put: Vec<Row>) -> Rows {
    Rows { view, to, put, resource_version: "90".into(), ..Rows::default() }
}

fn sync(view: SubscriptionId, at: u64, digest: Option<&str>) -> ServerFrame {
    ServerFrame::Sync(Sync {
        view,
        at,
        resource_version: "90".into(),
        proof_ms: NOW_MS - 1,
        now_ms: NOW_MS,
        cluster_now_ms: NOW_MS,
        spread_ms: 0,
        digest: digest.map(Into::into),
    })
}

fn refused(mut answer: Subscribed, names: &[&str]) -> ServerFrame {
    let names = names.iter().map(|name| Namespace::parse(name).expect("a name")).collect();
    answer.scope.namespaces = Namespaces::these(names).expect("names");
    answer.state = StateReport::of(ViewState::Forbidden { to: Whom::You });
    ServerFrame::Subscribed(Box::new(answer))
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap_or_default()).collect()
}

/// The token of the last event that has one.
fn token(events: &[Value]) -> String {
    let last = events.iter().rev().find_map(|event| event["resume"].as_str());
    last.expect("a cut").to_owned()
}

#[test]
fn rows_are_events_and_the_last_one_of_a_cut_says_where_it_stands() {
    let mut script = Script::of("resource=pods&namespaces=shop");
    assert_eq!(script.asked[0].rows, RowDetail::Whole);
    let first = script.answer(|_| {});
    assert_eq!((types(&first), &first[0]["columns"][1]["name"]), (vec!["subscribed"], &json!("Ready")));
    let whole = script.hear(ServerFrame::Rows(rows(0, 2, vec![pod(1, "0/1"), pod(2, "1/1")])));
    assert_eq!(types(&whole), ["added", "added"]);
    let expected = json!({"type": "added", "namespace": "shop", "name": "cart-1", "row": "AAAAAAAAAB",
        "resource_version": "1", "created": 5, "cells": {"Name": "cart-1", "Ready": "0/1"}});
    assert_eq!(whole[0], expected, "no token before the cut");
    assert!(whole[1]["resume"].is_string());
    // A deleted object comes before an added one: a pod that was made anew has the name of the former.
    let mut change = rows(0, 5, vec![pod(1, "1/1"), pod(3, "0/1")]);
    change.delete = vec![pod(2, "").id];
    change.left = vec![(Some("shop".into()), "cart-2".into())];
    change.masked = vec![pod(1, "").id];
    change.gap = Some(Gap { from_ms: 1, to_ms: 2, reason: Reason::Expired });
    let changed = script.hear(ServerFrame::Rows(change));
    assert_eq!(types(&changed), ["gap", "deleted", "modified", "added"]);
    assert_eq!((&changed[1]["name"], &changed[2]["masked"]), (&json!("cart-2"), &json!(true)));
    assert_eq!((&changed[0]["reason"], &changed[3]["masked"]), (&json!("Expired"), &Value::Null));
}

#[test]
fn a_frame_that_is_no_cut_gives_no_token() {
    let mut script = Script::of("resource=pods");
    script.answer(|_| {});
    for (to, more) in [(1, true), (2, false), (3, true), (4, true), (5, false)] {
        let events = script.hear(ServerFrame::Rows(Rows { more, ..rows(0, to, vec![pod(to, "")]) }));
        assert_eq!((types(&events), events[0]["resume"].is_string()), (vec!["added"], !more), "{to}");
    }
}

#[test]
fn a_stream_goes_on_where_one_of_the_same_parameters_ended_and_says_reset_where_it_cannot() {
    let mut script = Script::of("resource=pods");
    script.answer(|_| {});
    let whole = script.hear(ServerFrame::Rows(rows(0, 7, vec![pod(1, "")])));
    let digested = script.hear(sync(0, 7, Some("00000000000000aa")));
    let resume = token(&digested);
    assert_ne!(token(&whole), resume, "the gateway's own digest counts");

    let query = format!("resource=v1/pods&resume={resume}");
    let mut later = Script::of(&query);
    let asked = later.asked[0].token.clone().expect("a token");
    assert_eq!((&*asked.sequence, &*asked.epoch, asked.digest()), ("7", "epoch", Some(0xaa)));
    assert_eq!(types(&later.answer(|answer| answer.at = Some(7))), ["subscribed"], "it goes on");
    let mut gone = rows(0, 8, Vec::new());
    gone.delete = vec![pod(1, "").id];
    gone.left = vec![(Some("shop".into()), "cart-1".into())];
    assert_eq!(types(&later.hear(ServerFrame::Rows(gone))), ["deleted"], "also what this stream never named");

    let mut elsewhere = Script::of(&query);
    assert_eq!(types(&elsewhere.answer(|_| {})), ["subscribed", "reset"], "the gateway doesn't know it");
    let mut forgotten = Script::of(&query);
    forgotten.answer(|answer| answer.at = Some(7));
    let anew = Rows { reset: true, ..rows(0, 9, vec![pod(1, "")]) };
    assert_eq!(types(&forgotten.hear(ServerFrame::Rows(anew))), ["reset", "added"]);
    let mut undecided = Script::of(&query);
    assert_eq!(types(&undecided.answer(|answer| answer.epoch = "".into())), ["subscribed"]);
    assert_eq!(types(&undecided.answer(|answer| answer.at = Some(7))), ["subscribed"]);

    for other in ["resource=pods&projection=object", "resource=pods&namespaces=shop"] {
        let other = Script::of(&format!("{other}&resume={resume}"));
        let Some(Ending::Refused(problem)) = other.end else { panic!("refused") };
        assert_eq!(problem.reason, Reason::BadRequest);
    }
}

/// The digest in the last token, by which another gateway goes on.
fn digest_in(events: &[Value]) -> Option<u64> {
    Resume::parse(&token(events)).expect("a token").parts[0].1.digest()
}

fn without(to: u64, number: u64) -> ServerFrame {
    let (delete, left) = (vec![pod(number, "").id], vec![(Some("shop".into()), "gone".into())]);
    ServerFrame::Rows(Rows { delete, left, ..rows(0, to, Vec::new()) })
}

#[test]
fn the_token_of_each_event_has_the_digest_of_the_rows_that_the_client_holds() {
    for query in ["resource=pods", "resource=pods&projection=object"] {
        let sum = |held: &[Row]| Some(held.iter().map(row_hash).fold(0, u64::wrapping_add));
        let mut script = Script::of(query);
        script.answer(|_| {});
        let hears = |script: &mut Script, to, put| script.hear(ServerFrame::Rows(rows(0, to, put)));
        let more = Rows { more: true, ..rows(0, 1, vec![pod(1, "0/1")]) };
        script.hear(ServerFrame::Rows(more));
        let whole = hears(&mut script, 2, vec![pod(2, "0/1")]);
        assert_eq!(digest_in(&whole), sum(&[pod(1, "0/1"), pod(2, "0/1")]), "{query}");
        let changed = hears(&mut script, 3, vec![pod(1, "1/1")]);
        assert_eq!(digest_in(&changed), sum(&[pod(1, "1/1"), pod(2, "0/1")]), "{query}");
        let fewer = script.hear(without(4, 2));
        assert_eq!(digest_in(&fewer), sum(&[pod(1, "1/1")]), "{query}");
        let anew = script.hear(ServerFrame::Rows(Rows { reset: true, ..rows(0, 5, vec![pod(3, "")]) }));
        assert_eq!(digest_in(&anew), sum(&[pod(3, "")]), "{query}");

        // The next stream holds pod 3, and hasn't named it.
        let query = format!("{query}&resume={}", token(&anew));
        let mut later = Script::of(&query);
        later.answer(|answer| answer.at = Some(5));
        assert_eq!(digest_in(&later.hear(sync(0, 5, None))), sum(&[pod(3, "")]), "nothing changed");
        assert_eq!(
            digest_in(&hears(&mut later, 6, vec![pod(3, "1/1")])),
            None,
            "what it replaced isn't known"
        );
        assert_eq!(digest_in(&later.hear(sync(0, 5, Some("00000000000000aa")))), None, "of another position");
        let said = digest::to_text(sum(&[pod(3, "1/1")]).expect("a sum"));
        assert_eq!(digest_in(&later.hear(sync(0, 6, Some(&said)))), sum(&[pod(3, "1/1")]));
        assert_eq!(
            digest_in(&hears(&mut later, 7, vec![pod(3, "2/2")])),
            sum(&[pod(3, "2/2")]),
            "it is named"
        );
        assert_eq!(digest_in(&later.hear(without(8, 4))), None, "of one that it never named");
    }
}

#[test]
fn whole_objects_come_as_they_stand() {
    let mut script = Script::of("resource=pods&projection=object");
    assert_eq!((script.asked[0].rows, script.asked[0].each_event), (RowDetail::Objects, true));
    script.answer(|_| {});
    let events = script.hear(ServerFrame::Rows(rows(0, 1, vec![pod(1, "")])));
    assert_eq!(events[0]["object"], json!({ "kind": "Pod", "metadata": { "name": "cart-1" } }));
    assert_eq!(events[0]["cells"], Value::Null);
}

#[test]
fn what_is_refused_at_first_is_no_event_and_later_it_is_the_last_or_a_state() {
    let forbidden = StateReport::of(ViewState::Forbidden { to: Whom::You });
    let forbidden = forbidden.because(Problem::new(Reason::Forbidden, "you may not list pods"));
    let mut script = Script::of("resource=pods&namespaces=shop");
    assert_eq!(script.answer(|answer| answer.state = forbidden.clone()), Vec::<Value>::new());
    assert!(
        matches!(&script.end, Some(Ending::Refused(problem)) if problem.message == "you may not list pods")
    );

    let mut script = Script::of("resource=pods&namespaces=shop");
    script.answer(|_| {});
    script.hear(ServerFrame::Rows(rows(0, 1, vec![pod(1, "")])));
    let withdrawn = script.answer(|answer| {
        (answer.cluster, answer.epoch, answer.state) = ("".into(), "".into(), forbidden.clone());
    });
    assert_eq!(types(&withdrawn), ["subscribed", "reset"], "the right may come again");
    assert_eq!(script.end, None);
    script.hear(ServerFrame::Problem(ProblemFrame {
        id: None,
        problem: Problem::new(Reason::Unauthorized, "the login has ended"),
    }));
    let outputs = script.translator.closed(Some(4401));
    let last = script.take(outputs);
    assert_eq!((types(&last), &last[0]["message"]), (vec!["end"], &json!("the login has ended")));
    assert_eq!(script.end, Some(Ending::Over));
}

#[test]
fn other_rules_reset_what_was_sent() {
    let mut script = Script::of("resource=pods");
    script.answer(|_| {});
    script.hear(ServerFrame::Rows(rows(0, 1, vec![pod(1, "")])));
    assert_eq!(types(&script.hear(welcome("other"))), ["reset"]);
    assert_eq!(script.hear(sync(0, 1, None))[0]["resume"], Value::Null, "the token is void");
}

#[test]
fn namespaces_that_may_not_be_had_as_a_whole_are_asked_for_one_by_one() {
    for query in ["resource=pods&namespaces=payments,shop", "resource=pods"] {
        let mut script = Script::of(query);
        let of_whole = subscribed(&script.asked[0]);
        assert_eq!(script.hear(refused(of_whole.clone(), &["payments", "shop"])), Vec::<Value>::new());
        let parts: Vec<Subscribe> = script.asked.drain(1..).collect();
        let names = parts.iter().map(|part| part.scope.namespaces.only().expect("one").as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["payments", "shop"]);
        for part in &parts {
            let said = script.hear(ServerFrame::Subscribed(Box::new(subscribed(part))));
            assert_eq!(said[0]["namespaces"], json!([part.scope.namespaces.only().expect("one")]));
        }
        script.hear(ServerFrame::Rows(rows(parts[0].id, 3, vec![pod(2, "")])));
        let last = script.hear(ServerFrame::Rows(rows(parts[1].id, 4, vec![pod(1, "")])));
        // Each part goes on by its own token; what isn't to be seen any more is reset.
        let mut later = Script::of(&format!("{query}&resume={}", token(&last)));
        let asks_again = later.asked[0].clone();
        assert_eq!(asks_again.token, None);
        later.hear(refused(subscribed(&asks_again), &["payments", "shop"]));
        let sequences = later.asked[1..].iter().map(|part| part.token.clone().expect("a token").sequence);
        assert_eq!(sequences.map(String::from).collect::<Vec<_>>(), ["3", "4"]);
        if query == "resource=pods" {
            let narrowed = later.hear(refused(subscribed(&asks_again), &["payments", "ledger"]));
            assert_eq!((types(&narrowed), &narrowed[0]["namespaces"]), (vec!["reset"], &json!(["shop"])));
            let whole = later.hear(ServerFrame::Subscribed(Box::new(of_whole)));
            assert_eq!(types(&whole), ["reset", "subscribed"], "of payments, and then the whole");
        }
    }
}

#[test]
fn silence_says_again_what_is_not_current_and_that_a_proof_is_missing() {
    let mut script = Script::of("resource=pods");
    script.answer(|_| {});
    let quiet = |script: &mut Script, after_ms| {
        let outputs = script.translator.quiet(NOW_MS + after_ms);
        script.take(outputs)
    };
    assert_eq!(quiet(&mut script, 6_000), Vec::<Value>::new(), "nothing is known to be wrong");
    assert_eq!(quiet(&mut script, 12_000)[0]["state"], json!({ "stale": { "since_ms": NOW_MS } }));
    let report = StateReport::of(ViewState::Stale { since_ms: 5 });
    let stale = || ServerFrame::State(StateFrame { view: 0, report: report.clone() });
    assert_eq!(types(&script.hear(stale())), ["state"]);
    assert_eq!(types(&script.hear(stale())), Vec::<&str>::new(), "it was said");
    assert_eq!(quiet(&mut script, 6_000)[0]["state"], json!({ "stale": { "since_ms": 5 } }));
}

#[test]
fn each_format_holds_the_same_event() {
    let mut script = Script::of("resource=pods");
    script.answer(|_| {});
    let frame = ServerFrame::Rows(rows(0, 1, vec![pod(1, "0/1")]));
    let event = script.translator.frame(frame, NOW_MS).events.remove(0);
    let plain = serde_json::to_value(&event).expect("json");
    let source = EventSource { cluster: "prod/eu", resource: "pods" };
    let written = |format| Writer::new(format, "a1".into()).write(&event, &source, NOW_MS);
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("json");
    assert_eq!(json(&written(Format::Ndjson)), plain);
    let resume = plain["resume"].as_str().expect("a token");
    let sse = written(Format::Sse);
    let data = sse.strip_prefix(&format!("id: {resume}\ndata: ")).and_then(|rest| rest.strip_suffix("\n\n"));
    assert_eq!(json(data.expect("one message")), plain);
    let cloud = json(&written(Format::CloudEvents));
    let expected = json!({"specversion": "1.0", "id": "AAAAAAAAAB.1.added", "source": "/clusters/prod%2Feu",
        "type": "dev.dogwatch.object.added", "subject": "pods/shop/cart-1", "time": "2025-11-21T01:53:20Z",
        "datacontenttype": "application/json", "data": plain});
    assert_eq!(cloud, expected);
    assert!(written(Format::CloudEventsSse).starts_with(&format!("id: {resume}\ndata: {{\"specversion\"")));
}

#[test]
fn a_stream_of_another_cluster_waits_for_its_kinds_and_one_that_is_not_there_or_not_reached_is_refused() {
    let unknown = Script::of("resource=pods&cluster=staging");
    let Some(Ending::Refused(problem)) = unknown.end else { panic!("refused: {:?}", unknown.end) };
    assert_eq!(problem.reason, Reason::NotFound);
    let name = |name: &str| ClusterName::parse(name).expect("a name");
    let several = |version: &str, problem: Option<ClusterProblem>| {
        let mut welcome = testing::welcome(NOW_MS);
        let mut staging = welcome.clusters[0].clone();
        welcome.clusters[0].name = name("prod");
        (staging.name, staging.version, staging.problem) =
            (name("staging"), version.into(), problem.map(Box::new));
        welcome.clusters.push(staging);
        ServerFrame::Welcome(Box::new(welcome))
    };
    let pods = Kind::new(Resource::parse("", "v1", "pods").expect("a resource"), "Pod", true);
    let kinds = |of: &str| ServerFrame::Kinds(Kinds::new(name(of), vec![pods.clone()], Vec::new()));
    let (mut translator, _) = Translator::new(parsed("resource=pods&cluster=staging").expect("a request"));
    translator.frame(several("v1.36.3", None), NOW_MS);
    assert!(translator.frame(kinds("prod"), NOW_MS).send.is_empty(), "another cluster's");
    let Outputs { send, .. } = translator.frame(kinds("staging"), NOW_MS);
    assert!(
        matches!(&send[..], [ClientFrame::Subscribe(asked)] if asked.scope.cluster == Some(name("staging")))
    );
    let (mut translator, _) = Translator::new(parsed("resource=pods&cluster=staging").expect("a request"));
    let problem = Problem::new(Reason::ConnectionRefused, "refused");
    let dead = several("", Some(ClusterProblem { since_ms: NOW_MS, problem }));
    let Some(Ending::Refused(problem)) = translator.frame(dead, NOW_MS).end else { panic!("refused") };
    assert_eq!(problem.reason, Reason::ServiceUnavailable);
    assert!(problem.message.contains("staging can't be reached: refused"), "{problem}");
}

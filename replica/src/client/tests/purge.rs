//! Nothing that a client held is left after a purge, whatever its view was about, and it goes on from nothing.

use serde_json::json;
use shared::frame::server::{
    ObjectFrame, ProblemFrame, Rows, ServerFrame, Subscribed, TimelineFrame, Welcome,
};
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};

use crate::client::{Input, Output};
use crate::object::Existence;
use crate::testing::{at, row, scope, subscribed, welcome};

type ClientRig = crate::testing::ClientRig<()>;

fn with_rules(rules: &str, now_ms: i64) -> ServerFrame {
    ServerFrame::Welcome(Box::new(Welcome { rules: rules.into(), ..welcome(now_ms) }))
}

/// A table, an object and a timeline, each with a canary, and a row that was deleted.
fn of_canaries() -> ClientRig {
    let mut rig = ClientRig::live();
    let object = rig.client.open_object(scope("nodes"), None, at(1_000));
    let timeline = rig.client.open_timeline(scope("pods"), None, at(1_000));
    rig.rows(1, 2, vec![row(2, "a/canary", &["canary"]), row(3, "a/later", &["canary"])], 1_100);
    let deleted =
        Rows { view: 7, from: 2, to: 3, delete: vec![row(3, "a/later", &[]).id], ..Rows::default() };
    rig.frame(ServerFrame::Rows(deleted), 1_200);
    for (id, view) in [(2, 8), (3, 9)] {
        let answer = Subscribed { view, ..subscribed(id, "e", &["Name"]) };
        rig.frame(ServerFrame::Subscribed(Box::new(answer)), 1_300);
    }
    let whole: ObjectFrame = serde_json::from_value(
        json!({"view": 8, "from": 0, "to": 1, "reset": true, "object": {"data": {"a": "canary"}}, "row": "AAAAAAAAAE", "resource_version": "1"}),
    )
    .expect("a frame");
    rig.frame(ServerFrame::Object(Box::new(whole)), 1_400);
    let entries: TimelineFrame = serde_json::from_value(
        json!({"view": 9, "from": 0, "to": 1, "entries": [{"type": "ADDED", "time_ms": 1, "name": "canary"}]}),
    )
    .expect("a frame");
    rig.frame(ServerFrame::Timeline(entries), 1_500);
    assert_eq!(rig.client.object(object).expect("open").existence, Existence::Exists);
    assert_eq!(rig.client.timeline(timeline).expect("open").len(), 1);
    rig.said();
    rig
}

fn purged(rig: &mut ClientRig) -> usize {
    let mut purged = 0;
    while let Some(output) = rig.client.poll_output() {
        purged += usize::from(matches!(output, Output::Purged(_)));
    }
    purged
}

#[test]
fn r_data_3_other_rules_on_the_open_connection_drop_rows_objects_and_timelines() {
    let mut rig = of_canaries();
    assert!(format!("{:?}", rig.client).contains("canary"));
    rig.frame(with_rules("r1", 2_000), 2_000);
    assert_eq!(purged(&mut rig), 3);
    let held = format!("{:?}", rig.client);
    assert!(!held.contains("canary"), "{held}");
    // The gateway answers the same subscription anew.
    rig.answer(1, "f");
    rig.rows(0, 1, vec![row(2, "a/masked", &["mask"])], 2_100);
    rig.sync(1, None, 2_200);
    assert!(rig.view().is_exact());
    assert!(rig.said().is_empty(), "nothing is broken, and nothing is asked for twice");
    rig.frame(with_rules("r1", 3_000), 3_000);
    assert_eq!((purged(&mut rig), rig.view().table().len()), (0, 1), "the same rules drop nothing");
}

#[test]
fn r_data_3_other_rules_on_the_next_connection_drop_what_was_held_and_its_tokens() {
    let mut rig = of_canaries();
    rig.client.handle(Input::Closed { code: Some(1006) }, at(2_000));
    rig.client.handle(Input::Timer, at(60_000));
    rig.client.handle(Input::Opened, at(60_100));
    rig.said();
    rig.frame(with_rules("r1", 60_200), 60_200);
    assert!(!format!("{:?}", rig.client).contains("canary"));
    assert_eq!(rig.said(), ["subscribe 4", "subscribe 5", "subscribe 6"], "without tokens");
    let mut same = of_canaries();
    same.frame(ServerFrame::Welcome(Box::new(welcome(2_000))), 2_000);
    assert!(format!("{:?}", same.client).contains("canary"), "a gateway whose rules are those of its start");
}

#[test]
fn r_data_3_the_parts_of_a_view_drop_their_rows_and_show_them_again_when_they_come() {
    let mut rig = ClientRig::new();
    rig.connect(0);
    let two = ["a", "b"].map(|name| Namespace::parse(name).expect("a name")).to_vec();
    let both = Scope { namespaces: Namespaces::these(two).expect("two"), ..scope("nodes") };
    let key = rig.client.open(both, at(0));
    let problem = Problem::new(Reason::Hidden, "the namespace \"b\" is hidden by this gateway");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(2), problem: problem.clone() }), 100);
    rig.said();
    let answer = |epoch: &str| Subscribed { view: 30, ..subscribed(3, epoch, &["Name"]) };
    let rows =
        |name: &str| Rows { view: 30, from: 0, to: 1, put: vec![row(1, name, &["x"])], ..Rows::default() };
    rig.frame(ServerFrame::Subscribed(Box::new(answer("e"))), 200);
    rig.frame(ServerFrame::Rows(rows("a/canary")), 300);
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(4), problem }), 300);
    assert_eq!(rig.client.view(key).expect("open").table().len(), 1);
    rig.frame(with_rules("r1", 2_000), 2_000);
    assert!(!format!("{:?}", rig.client).contains("canary"));
    assert_eq!(rig.said(), ["subscribe 5"], "what was hidden may be shown now");
    rig.frame(ServerFrame::Subscribed(Box::new(answer("f"))), 2_100);
    rig.frame(ServerFrame::Rows(rows("a/masked")), 2_200);
    let names: Vec<&str> = rig.client.view(key).expect("open").table().rows().map(|row| &*row.name).collect();
    assert_eq!(names, ["masked"]);
}

//! The client as a driver sees it: inputs go in, and outputs come out.

use serde_json::json;
use shared::frame::server::{ProblemFrame, Rows, Subscribed, TimelineFrame};
use shared::name::{ClusterName, Namespace};
use shared::problem::Problem;
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, ViewState, Whom};

use super::*;

mod clusters;
mod outage;
mod parts;
mod past;
mod purge;
use crate::limits::TIMELINE_ENTRIES_MAX;
use crate::object::Existence;

type ClientRig = crate::testing::ClientRig<()>;
use crate::testing::{at, row, scope, subscribed, welcome};

#[test]
fn a_start_ends_in_a_subscription_and_a_break_in_its_resumption() {
    let mut rig = ClientRig::new();
    rig.connect(0);
    assert_eq!(rig.said(), ["connect", "hello", "subscribe 1"]);
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Closed { code: Some(1006) }, at(2_000));
    assert_eq!(rig.client.timer_ms(), Some(2_250));
    rig.client.handle(Input::Timer, at(2_250));
    rig.client.handle(Input::Opened, at(2_300));
    rig.frame(ServerFrame::Welcome(Box::new(welcome(2_400))), 2_400);
    assert_eq!(rig.said(), ["connect", "hello", "subscribe 2 from 1"]);
}

#[test]
fn a_renewed_login_opens_another_connection_and_every_row_stays() {
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Renewed, at(2_000));
    rig.client.handle(Input::Opened, at(2_010));
    rig.frame(ServerFrame::Welcome(Box::new(welcome(2_020))), 2_020);
    assert_eq!(rig.said(), ["connect", "hello", "subscribe 2 from 1"]);
    assert_eq!(rig.view().table().len(), 1);
    rig.client.handle(Input::Closed { code: None }, at(2_030));
    rig.client.handle(Input::Renewed, at(2_040));
    assert!(rig.said().is_empty(), "the next try has the new login anyway");
}

#[test]
fn namespaces_that_leave_a_view_are_named_with_their_rows_until_that_is_dismissed() {
    let mut rig = ClientRig::live();
    rig.rows(1, 2, vec![row(2, "ledger/1", &["1"]), row(3, "ledger/2", &["1"])], 2_000);
    let names = |names: &[&str]| -> Vec<Namespace> {
        names.iter().map(|name| Namespace::parse(name).expect("valid")).collect()
    };
    let these = |list: &[&str]| Namespaces::these(names(list)).expect("some");
    let granted = |rig: &mut ClientRig, namespaces: Namespaces, now_ms: i64| {
        let scope = Scope { namespaces, ..scope("pods") };
        rig.frame(
            ServerFrame::Subscribed(Box::new(Subscribed { scope, ..subscribed(1, "e", &["Name"]) })),
            now_ms,
        );
        rig.view().subscription().withdrawn.clone().map(|gone| (gone.namespaces, gone.rows, gone.at_ms))
    };
    assert_eq!(granted(&mut rig, these(&["a", "b"]), 3_000), Some((names(&["ledger"]), 2, 3_000)));
    assert_eq!(granted(&mut rig, these(&["a"]), 4_000), Some((names(&["b"]), 0, 4_000)), "it had no row");
    rig.client.view_mut(rig.key).expect("open").dismiss_withdrawn();
    assert_eq!(granted(&mut rig, these(&["a", "ledger"]), 5_000), None, "one more");
    assert_eq!(granted(&mut rig, Namespaces::All, 6_000), None);
}

#[test]
fn r_authz_4_the_rows_of_a_view_whose_right_ends_leave_at_once_without_a_sign_and_come_again_with_it() {
    let mut rig = ClientRig::live();
    rig.rows(1, 2, vec![row(2, "a/2", &["2"])], 2_000);
    rig.said();
    let problem = Problem::new(shared::problem::Reason::Forbidden, "you may not list pods");
    let state = StateReport::of(ViewState::Forbidden { to: Whom::You }).because(problem);
    let refused = Subscribed { cluster: "".into(), at: None, state, ..subscribed(1, "", &[]) };
    rig.frame(ServerFrame::Subscribed(Box::new(refused.clone())), 3_000);
    let purges = |rig: &mut ClientRig| {
        std::iter::from_fn(|| rig.client.poll_output()).filter(|it| matches!(it, Output::Purged(_))).count()
    };
    assert_eq!(purges(&mut rig), 1);
    let table = rig.view().table();
    assert_eq!((table.len(), table.iter().count(), table.token()), (0, 0, None));
    rig.frame(ServerFrame::Subscribed(Box::new(refused.clone())), 3_500);
    assert_eq!(purges(&mut rig), 0, "nothing was held, so nobody begins anew because of it");
    rig.answer(1, "e");
    rig.rows(0, 7, vec![row(3, "a/3", &["3"])], 4_000);
    let names: Vec<_> = rig.view().table().rows().map(|row| &*row.name).collect();
    assert_eq!(names, ["3"]);
    rig.state(StateReport::of(ViewState::Forbidden { to: Whom::Gateway }), 5_000);
    assert_eq!(rig.view().table().len(), 1, "what the gateway may not read any more was seen last");
}

#[test]
fn rows_that_come_before_the_answer_belong_to_what_was_before() {
    let mut rig = ClientRig::live();
    rig.rows(5, 6, vec![row(2, "a/2", &["2"])], 2_000);
    assert_eq!(rig.said(), ["unsubscribe 1", "subscribe 2 from 1"]);
    rig.rows(6, 7, vec![row(3, "a/3", &["3"])], 2_010);
    assert!(rig.said().is_empty());
    rig.answer_at(2, "e", 1);
    rig.rows(1, 8, vec![row(2, "a/2", &["2"])], 2_020);
    assert_eq!(rig.view().table().len(), 2);
    assert_eq!(rig.view().subscription().resyncs.broken, 1);
}

#[test]
fn rows_that_were_missed_are_found_by_the_sync_after_them() {
    let mut rig = ClientRig::live();
    rig.sync(2, None, 2_000);
    assert_eq!(rig.said(), ["unsubscribe 1", "subscribe 2 from 1"]);
    assert_eq!(rig.view().subscription().resyncs.broken, 1);
}

#[test]
fn after_a_message_that_cannot_be_read_every_view_continues_from_its_last_cut() {
    let mut rig = ClientRig::live();
    let other = rig.client.open(scope("nodes"), at(1_500));
    rig.said();
    rig.client.handle(Input::Unreadable { bytes: 9 }, at(2_000));
    assert_eq!(rig.said(), ["unsubscribe 1", "subscribe 3 from 1", "unsubscribe 2", "subscribe 4"]);
    assert_eq!(rig.client.unreadable_count(), 1);
    rig.client.handle(Input::Unreadable { bytes: 9 }, at(2_100));
    assert_eq!(rig.said(), ["unsubscribe 3", "unsubscribe 4"], "the next time not before a while");
    rig.client.close(other);
    rig.client.handle(Input::Timer, at(12_000));
    assert_eq!(rig.said().last().map(String::as_str), Some("subscribe 5 from 1"));
}

#[test]
fn another_digest_begins_anew_without_a_token_and_not_without_end() {
    let mut rig = ClientRig::live();
    rig.sync(1, Some("0000000000000000"), 2_000);
    assert_eq!(rig.said(), ["unsubscribe 1 differed", "subscribe 2"]);
    rig.answer(2, "e");
    rig.rows(0, 1, vec![row(1, "a/1", &["1"])], 2_100);
    rig.sync(1, Some("0000000000000000"), 2_200);
    assert_eq!(rig.said(), ["unsubscribe 2 differed"]);
    assert_eq!(rig.client.timer_ms(), Some(12_000));
    rig.client.handle(Input::Timer, at(12_000));
    assert!(rig.said().contains(&"subscribe 3".to_owned()));
    assert_eq!(rig.view().subscription().resyncs.differed, 2);
    assert_eq!(rig.view().table().len(), 1, "the rows stay meanwhile");
}

#[test]
fn an_equal_digest_is_noted() {
    let mut rig = ClientRig::live();
    let digest = rig.view().table().digest();
    rig.sync(1, Some(&digest), 2_000);
    assert_eq!(rig.view().subscription().proof.as_ref().and_then(|proof| proof.equal_ms), Some(2_000));
    assert!(rig.said().is_empty());
}

#[test]
fn a_hidden_page_gives_back_after_a_minute_and_returns_with_its_token() {
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Hidden, at(5_000));
    // Signs of life meanwhile, else the link would be given up.
    rig.sync(1, None, 60_000);
    rig.client.handle(Input::Timer, at(64_999));
    assert!(!rig.said().iter().any(|word| word.starts_with("unsubscribe")));
    rig.client.handle(Input::Timer, at(65_000));
    assert_eq!(rig.said(), ["unsubscribe 1"]);
    rig.client.handle(Input::Visible, at(90_000));
    assert_eq!(rig.said(), ["subscribe 2 from 1"]);
}

#[test]
fn a_hidden_page_does_not_dial() {
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Hidden, at(5_000));
    rig.sync(1, None, 60_000);
    rig.client.handle(Input::Timer, at(65_000));
    rig.client.handle(Input::Closed { code: Some(1006) }, at(66_000));
    assert_eq!(rig.client.timer_ms(), None);
    rig.said();
    rig.client.handle(Input::Visible, at(90_000));
    assert_eq!(rig.said(), ["connect"]);
}

#[test]
fn a_client_that_left_closes_dials_for_nobody_and_returns_with_its_token() {
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Leave, at(5_000));
    assert_eq!(rig.said(), ["close 1000"]);
    for input in [Input::Visible, Input::Online, Input::Retry, Input::Timer, Input::Leave] {
        rig.client.handle(input, at(6_000));
    }
    assert!(rig.said().is_empty());
    assert_eq!(rig.client.timer_ms(), None);
    rig.connect(7_000);
    assert_eq!(rig.said(), ["connect", "hello", "subscribe 2 from 1"]);
    assert_eq!(rig.view().table().len(), 1, "the rows stay meanwhile");

    let mut rig = ClientRig::live();
    rig.client.handle(Input::Closed { code: Some(1006) }, at(2_000));
    rig.client.handle(Input::Leave, at(2_100));
    assert!(rig.said().is_empty(), "there was nothing to close");
    assert_eq!(rig.client.timer_ms(), None);
}

#[test]
fn one_scope_is_one_subscription() {
    let mut rig = ClientRig::live();
    assert_eq!(rig.client.open(scope("pods"), at(2_000)), rig.key);
    let other = rig.client.open(scope("nodes"), at(2_000));
    assert_ne!(other, rig.key);
    assert_eq!(rig.said(), ["subscribe 2"]);
    rig.client.close(other);
    assert_eq!(rig.said(), ["unsubscribe 2"]);
}

#[test]
fn an_unknown_resource_is_asked_for_again_when_the_kinds_change() {
    let mut rig = ClientRig::live();
    let problem = Problem::new(Reason::NotFound, "the cluster serves no resource \"pods\"");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(1), problem: problem.clone() }), 2_000);
    assert_eq!(rig.said(), ["ended"]);
    assert_eq!(rig.view().subscription().ended(), Some(&problem));
    let kinds = Kinds::new(ClusterName::parse("kind").expect("a name"), vec![], Vec::new());
    rig.frame(ServerFrame::Kinds(kinds), 3_000);
    assert_eq!(rig.said(), ["subscribe 2 from 1"]);
}

#[test]
fn another_view_of_the_same_feed_begins_anew_and_its_namespaces_are_those_that_are_granted() {
    let mut rig = ClientRig::live();
    let shop = Namespaces::these(vec![Namespace::parse("shop").expect("a name")]).expect("one");
    let of_shop = Scope { namespaces: shop.clone(), ..scope("pods") };
    let rows = |view, at, put| Rows { view, from: 0, to: at, put, ..Rows::default() };
    let before = rig.view().table().len();
    let answer = Subscribed { view: 8, scope: of_shop, ..subscribed(1, "e", &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 2_000);
    assert_eq!((rig.view().table().len(), &rig.view().subscription().granted), (before, &Some(shop)));
    rig.frame(ServerFrame::Rows(rows(8, 9, vec![row(77, "shop/a", &["1"])])), 2_100);
    assert_eq!(rig.view().table().rows().map(|row| &*row.name).collect::<Vec<_>>(), ["a"]);
    let answer = Subscribed { view: 9, ..subscribed(1, "e", &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 2_200);
    assert_eq!(rig.view().subscription().granted, None);
    assert_eq!(rig.view().subscription().resyncs.broken, 0);
}

#[test]
fn try_now_asks_the_upstream_of_what_is_not_current() {
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Retry, at(2_000));
    assert!(rig.said().is_empty(), "all is live");
    rig.state(StateReport::of(ViewState::Stale { since_ms: 1_500 }), 2_100);
    rig.client.handle(Input::Retry, at(2_200));
    assert_eq!(rig.said(), ["retry 1"]);
}

#[test]
fn in_a_stale_view_time_stands_still_and_never_before_the_last_rows() {
    let mut rig = ClientRig::live();
    let clock = |rig: &ClientRig| {
        let view = rig.client.view(rig.key).expect("open");
        [20_000, 90_000].map(|now_ms| view.cluster_now_s(now_ms, Some(1_500)))
    };
    let [proven, later] = clock(&rig);
    assert_eq!(proven, later);
    rig.rows(1, 2, vec![row(2, "a/2", &["1"])], 9_000);
    let [moved, later] = clock(&rig);
    assert_eq!(moved, later);
    assert_eq!(moved - proven, 9 - 1);
}

#[test]
fn other_columns_of_ones_own_are_asked_for_anew_while_the_rows_stay() {
    let own = |list: &str| shared::custom_column::CustomColumns::parse(list).expect("valid");
    let mut rig = ClientRig::live();
    rig.client.set_columns(rig.key, &own("IP:.status.podIP"));
    assert_eq!(rig.said(), ["unsubscribe 1", "subscribe 2 from 1"]);
    assert_eq!((rig.view().table().len(), &rig.view().subscription().columns), (1, &own("IP:.status.podIP")));
    rig.client.set_columns(rig.key, &own("IP:status.podIP"));
    assert_eq!(rig.said(), Vec::<String>::new(), "they are the same");
}

#[test]
fn an_object_follows_its_patches_and_keeps_its_last_state_when_it_is_deleted() {
    let frame = |value: serde_json::Value| serde_json::from_value::<ServerFrame>(value).expect("a frame");
    let mut rig = ClientRig::new();
    rig.client.close(rig.key);
    let key = rig.client.open_object(scope("pods"), None, at(0));
    rig.connect(0);
    rig.answer(1, "e");
    let object =
        json!({"object": {"view": 7, "from": 0, "to": 1, "resource_version": "1", "object": {"a": 1}}});
    rig.frame(frame(object), 900);
    let patch = json!([{"op": "replace", "path": "/a", "value": 2}]);
    let changed = json!({"object": {"view": 7, "from": 1, "to": 2, "resource_version": "2", "patch": patch}});
    rig.frame(frame(changed.clone()), 1_000);
    let object = rig.client.object(key).expect("open");
    assert_eq!((object.value.as_deref(), object.existence), (Some(&json!({"a": 2})), Existence::Exists));
    let deleted =
        json!({"object": {"view": 7, "from": 2, "to": 3, "resource_version": "3", "deleted": true}});
    rig.frame(frame(deleted), 2_000);
    let object = rig.client.object(key).expect("open");
    assert_eq!((object.value.as_deref(), object.existence), (Some(&json!({"a": 2})), Existence::Deleted));
    assert_eq!(object.changed_ms, Some(2_000));
    rig.said();
    rig.frame(frame(changed), 3_000);
    assert_eq!(rig.said(), ["unsubscribe 1", "subscribe 2 from 3"], "the patch doesn't continue the chain");
}

#[test]
fn a_timeline_counts_its_entries_on_and_continues_from_its_end() {
    let frame = |from, to, count| {
        let entries = vec![shared::frame::timeline::Entry::default(); count];
        ServerFrame::Timeline(TimelineFrame { view: 7, from, to, entries, reset: false })
    };
    let mut rig = ClientRig::new();
    rig.client.close(rig.key);
    let key = rig.client.open_timeline(scope("pods"), None, at(0));
    rig.connect(0);
    rig.answer(1, "e");
    rig.frame(frame(0, 2, TIMELINE_ENTRIES_MAX), 900);
    rig.frame(frame(2, 3, 2), 1_000);
    let timeline = rig.client.timeline(key).expect("open");
    let end = u64::try_from(TIMELINE_ENTRIES_MAX).expect("small") + 2;
    assert_eq!((timeline.len(), timeline.dropped(), timeline.end()), (TIMELINE_ENTRIES_MAX, 2, end));
    assert!(timeline.entry(1).is_none() && timeline.entry(2).is_some());
    assert_eq!(timeline.entries().next_back().map(|(number, _)| number), Some(end - 1));
    rig.client.timeline_mut(key).expect("open").clear();
    let timeline = rig.client.timeline(key).expect("open");
    assert_eq!((timeline.is_empty(), timeline.end()), (true, end));
    rig.client.handle(Input::Closed { code: None }, at(2_000));
    rig.said();
    rig.connect(2_500);
    assert_eq!(rig.said(), ["connect", "hello", "subscribe 2 from 3"]);
}

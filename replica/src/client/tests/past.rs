//! A view as of a time: it is asked for, it stands still, and nothing of the present is said of it.

use shared::frame::client::ClientFrame;
use shared::frame::server::{ProblemFrame, Rows, Subscribed};
use shared::name::Namespace;
use shared::past::{PastState, Unrecorded, Why};
use shared::problem::{Problem, Reason};
use shared::row::Row;
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, ViewState, Whom};

use super::*;
use crate::freshness::{self, Freshness, Record};
use crate::testing::{ClientRig, GATEWAY_AHEAD_MS, at, row, scope, subscribed};

/// By the gateway's clock.
const AT_MS: i64 = 500_000;

fn past(at_ms: i64) -> PastState {
    PastState {
        at_ms,
        recorded_ms: at_ms - 3_000,
        changed_ms: Some(at_ms - 3_000),
        before_ms: Some(at_ms - 9_000),
        after_ms: Some(at_ms + 2_000),
        unrecorded: None,
        removed: None,
    }
}

fn answered(rig: &mut ClientRig<()>, id: u32, state: PastState, rows: Vec<Row>) {
    let state = StateReport::of(ViewState::Past(Box::new(state)));
    let answer = Subscribed { view: id, state, ..subscribed(id, &format!("past {id}"), &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 2_000);
    rig.frame(ServerFrame::Rows(Rows { view: id, from: 0, to: 1, put: rows, ..Rows::default() }), 2_000);
}

fn freshness_of(rig: &ClientRig<()>, now_ms: i64) -> Freshness {
    freshness::of(&rig.client, rig.view(), now_ms)
}

fn asked_at(rig: &mut ClientRig<()>) -> Vec<Option<i64>> {
    let mut asked = Vec::new();
    while let Some(output) = rig.client.poll_output() {
        if let Output::Send(ClientFrame::Subscribe(frame)) = output {
            assert!(frame.at_ms.is_none() || frame.token.is_none(), "nothing of the past is continued");
            asked.push(frame.at_ms);
        }
    }
    asked
}

#[test]
fn a_view_of_another_time_keeps_its_rows_until_those_of_that_time_are_whole() {
    let mut rig = ClientRig::live();
    rig.client.set_at(rig.key, Some(AT_MS), false, at(2_000));
    rig.client.set_at(rig.key, Some(AT_MS), false, at(2_000));
    assert_eq!(asked_at(&mut rig), [Some(AT_MS)], "once");
    assert_eq!(rig.view().table().len(), 1);
    let Freshness::Past(as_of) = freshness_of(&rig, 2_000) else { panic!("it is of the past") };
    assert!(as_of.is_over_present(), "the rows are those of now");
    let reading = Record::Reading { asked_ms: 2_000, is_over_present: true };
    assert_eq!((as_of.at_ms, as_of.record), (AT_MS - GATEWAY_AHEAD_MS, reading));
    answered(&mut rig, 2, past(AT_MS), vec![row(2, "a/2", &["2"]), row(3, "a/3", &["3"])]);
    let mut names: Vec<_> = rig.view().table().iter().map(|(_, entry)| entry.key().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["a/2", "a/3"], "the row of the present left without a sign");
    let Freshness::Past(as_of) = freshness_of(&rig, 2_000) else { panic!("it is of the past") };
    let local_ms = AT_MS - GATEWAY_AHEAD_MS;
    let record = Record::Of {
        recorded_ms: local_ms - 3_000,
        changed_ms: Some(local_ms - 3_000),
        before_ms: Some(local_ms - 9_000),
        after_ms: Some(local_ms + 2_000),
    };
    assert_eq!(as_of.record, record);
    rig.client.set_at(rig.key, Some(AT_MS + 1), false, at(3_000));
    let Freshness::Past(as_of) = freshness_of(&rig, 3_000) else { panic!("it is of the past") };
    assert!(as_of.is_reading() && !as_of.is_over_present(), "the rows are of another time of the past");
}

#[test]
fn a_view_of_the_past_is_never_live_and_never_stale_and_its_ages_stand_still() {
    let mut rig = ClientRig::live();
    rig.client.set_at(rig.key, Some(AT_MS), false, at(2_000));
    answered(&mut rig, 2, past(AT_MS), vec![row(2, "a/2", &["2"])]);
    let told = freshness_of(&rig, 2_000);
    rig.frame(
        ServerFrame::Sync(shared::frame::server::Sync {
            view: 2,
            ..crate::testing::sync(2, 1, None, 2_500, 9_000)
        }),
        2_500,
    );
    for (now_ms, is_open) in [(2_500, true), (900_000, true), (950_000, false)] {
        if !is_open {
            rig.client.handle(Input::Closed { code: Some(1006) }, at(now_ms));
        }
        let state = freshness_of(&rig, now_ms);
        assert_eq!(state, told, "at {now_ms}");
        assert!(!state.is_current() && !state.is_stale() && state.shows_rows());
        assert_eq!(rig.view().cluster_now_s(now_ms, None), AT_MS / 1_000);
    }
    rig.said();
    rig.connect(960_000);
    assert_eq!(asked_at(&mut rig), [Some(AT_MS)], "the same time again");
}

#[test]
fn only_a_step_to_the_next_change_marks_what_changed() {
    for (is_step, expected) in [(true, 2), (false, 1)] {
        let mut rig = ClientRig::live();
        rig.client.set_at(rig.key, Some(AT_MS), false, at(2_000));
        answered(&mut rig, 2, past(AT_MS), vec![row(2, "a/2", &["2"])]);
        rig.client.set_at(rig.key, Some(AT_MS + 2_000), is_step, at(2_000));
        answered(&mut rig, 3, past(AT_MS + 2_000), vec![row(3, "a/3", &["3"])]);
        assert_eq!(rig.view().table().iter().count(), expected, "a deleted row stands there until it is old");
    }
}

#[test]
fn the_way_back_to_the_present_is_live_with_a_proof_of_the_present_alone() {
    let mut rig = ClientRig::live();
    rig.client.set_at(rig.key, Some(AT_MS), false, at(2_000));
    answered(&mut rig, 2, past(AT_MS), vec![row(2, "a/2", &["2"])]);
    rig.said();
    rig.client.set_at(rig.key, None, false, at(3_000));
    assert_eq!(rig.said(), ["unsubscribe 2", "subscribe 3"]);
    assert!(matches!(freshness_of(&rig, 3_000), Freshness::Syncing { .. }));
    rig.frame(ServerFrame::Subscribed(Box::new(subscribed(3, "e", &["Name"]))), 3_000);
    assert!(matches!(freshness_of(&rig, 3_000), Freshness::Syncing { .. }), "the rows are of the past");
    assert_eq!(rig.view().cluster_now_s(3_000, None), AT_MS / 1_000);
    rig.rows(0, 5, vec![row(1, "a/1", &["1"])], 3_100);
    assert!(matches!(freshness_of(&rig, 3_100), Freshness::Syncing { .. }), "not proven yet");
    rig.sync(5, None, 3_200);
    assert_eq!(freshness_of(&rig, 3_200), Freshness::Live { proven_ms: 3_200 });
    assert_eq!(rig.view().cluster_now_s(3_200, None), 10);
}

#[test]
fn a_time_without_a_record_says_so_and_a_right_that_ends_hides_the_past_as_well() {
    let mut rig = ClientRig::live();
    rig.client.set_at(rig.key, Some(AT_MS), false, at(2_000));
    let unrecorded = Unrecorded { from_ms: AT_MS - 60_000, to_ms: AT_MS + 60_000, why: Why::Down };
    answered(&mut rig, 2, PastState { unrecorded: Some(unrecorded), ..past(AT_MS) }, Vec::new());
    let state = freshness_of(&rig, 2_000);
    let Some(Record::Missing(gap)) = state.past().map(|as_of| &as_of.record) else { panic!("a gap") };
    let around = (gap.from_ms, gap.to_ms, gap.before_ms);
    let local_ms = AT_MS - GATEWAY_AHEAD_MS;
    assert_eq!(around, (local_ms - 60_000, local_ms + 60_000, Some(local_ms - 3_000)));
    assert!(!state.shows_rows());
    let report = StateReport::of(ViewState::Forbidden { to: Whom::You });
    rig.frame(ServerFrame::State(shared::frame::server::StateFrame { view: 2, report }), 3_000);
    assert!(matches!(freshness_of(&rig, 3_000), Freshness::Forbidden { .. }));
    let damaged = Problem::new(Reason::InternalError, "a part of the record of this time is damaged");
    let report = StateReport::of(ViewState::Failed { since_ms: 1 }).because(damaged.clone());
    rig.frame(ServerFrame::State(shared::frame::server::StateFrame { view: 2, report }), 3_500);
    let state = freshness_of(&rig, 3_500);
    assert_eq!(state.past().map(|as_of| &as_of.record), Some(&Record::Refused(damaged)));
    rig.client.set_at(rig.key, Some(1), false, at(4_000));
    let problem = Problem::new(Reason::NotFound, "nothing of pods is recorded before 12:00");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(3), problem: problem.clone() }), 4_000);
    let state = freshness_of(&rig, 4_000);
    assert_eq!(state.past().map(|as_of| &as_of.record), Some(&Record::Refused(problem)));
    assert!(!state.shows_rows());
}

#[test]
fn the_same_scope_as_of_another_time_is_another_view_and_its_namespaces_are_of_that_time() {
    let mut rig = ClientRig::live();
    let more = || (Default::default(), Default::default());
    let then = rig.client.open_at(scope("pods"), &[], more(), Some(AT_MS), at(2_000));
    let now = rig.client.open_at(scope("pods"), &[], more(), None, at(2_000));
    assert_eq!((now, then == rig.key), (rig.key, false));
    assert_eq!(rig.client.open_at(scope("pods"), &[], more(), Some(AT_MS), at(2_000)), then);
    let names = ["a", "b"].map(|name| Namespace::parse(name).expect("valid")).to_vec();
    let scope = Scope { namespaces: Namespaces::these(names).expect("two"), ..scope("pods") };
    asked_at(&mut rig);
    let key = rig.client.open_at(scope, &[], more(), Some(AT_MS), at(2_000));
    assert_eq!(asked_at(&mut rig), [Some(AT_MS)]);
    let state = StateReport::of(ViewState::Forbidden { to: Whom::You });
    let refused = Subscribed { view: 3, state, ..subscribed(3, "e", &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(refused)), 2_000);
    assert_eq!(asked_at(&mut rig), [Some(AT_MS), Some(AT_MS)], "each namespace by itself");
    rig.client.set_at(key, Some(AT_MS + 1), false, at(3_000));
    assert_eq!(asked_at(&mut rig), [Some(AT_MS + 1), Some(AT_MS + 1)]);
}

//! A view that is opened, or comes back, while the API server or the gateway is away: it names the time of the fault and
//! its cause, never its own.

use shared::frame::server::{Gap, Rows, ServerFrame, Subscribed};
use shared::problem::{Problem, Reason};
use shared::state::{StateReport, ViewState, Whom};

use super::ClientRig;
use crate::client::Input;
use crate::freshness::{self, Break, Cause, Freshness};
use crate::testing::{GATEWAY_AHEAD_MS, at, row, subscribed, welcome};

fn report(state: ViewState) -> StateReport {
    StateReport::of(state).because(Problem::new(Reason::ConnectionClosed, "the network"))
}

fn stale(since_ms: i64) -> StateReport {
    report(ViewState::Stale { since_ms: since_ms + GATEWAY_AHEAD_MS })
}

fn resuming(since_ms: i64) -> StateReport {
    report(ViewState::Resuming { since_ms: since_ms + GATEWAY_AHEAD_MS })
}

/// A page that opens at 100 s and gets the rows that the gateway holds, but no proof.
fn opened_within(state: StateReport) -> ClientRig {
    let mut rig = ClientRig::new();
    rig.connect(100_000);
    let answer = Subscribed { state, ..subscribed(1, "e", &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 100_010);
    rig.rows(0, 1, vec![row(1, "a/1", &["1"])], 100_020);
    rig
}

fn freshness(rig: &ClientRig, now_ms: i64) -> Freshness {
    freshness::of(&rig.client, rig.view(), now_ms)
}

/// `upstream since 80000`
fn said(rig: &ClientRig, now_ms: i64) -> String {
    match freshness(rig, now_ms) {
        Freshness::Stale { since_ms, cause } => {
            let cause = match cause {
                Cause::Upstream { problem, .. } => format!("upstream, {:?}", problem.map(|it| it.reason)),
                other => format!("{other:?}"),
            };
            format!("stale since {since_ms}: {cause}")
        }
        Freshness::Resuming { from_ms, cause: Break::Upstream { .. } } => format!("resuming from {from_ms}"),
        Freshness::Resuming { from_ms, cause } => format!("resuming from {from_ms}: {cause:?}"),
        Freshness::Syncing { .. } => "syncing".to_owned(),
        Freshness::Live { .. } => "live".to_owned(),
        other => format!("{other:?}"),
    }
}

const UPSTREAM: &str = "upstream, Some(ConnectionClosed)";

#[test]
fn a_page_that_opens_within_an_outage_is_stale_at_once_since_the_gateways_last_proof() {
    let rig = opened_within(stale(80_000));
    for now_ms in [100_020, 105_000, 130_000, 400_000] {
        assert_eq!(said(&rig, now_ms), format!("stale since 80000: {UPSTREAM}"), "at {now_ms}");
    }
}

#[test]
fn the_ages_of_such_a_page_stand_still_at_that_time() {
    let rig = opened_within(stale(80_000));
    let clock = |now_ms| rig.view().cluster_now_s(now_ms, freshness(&rig, now_ms).stale_ms());
    assert_eq!([100_020, 130_000].map(clock), [80, 80]);
}

#[test]
fn a_page_that_opens_while_the_gateway_resumes_says_so_and_since_when() {
    let rig = opened_within(resuming(95_000));
    assert_eq!(said(&rig, 100_030), "resuming from 95000");
    assert_eq!(said(&rig, 109_999), "resuming from 95000");
    assert_eq!(said(&rig, 110_000), format!("stale since 95000: {UPSTREAM}"));
}

#[test]
fn a_page_that_loses_its_gateway_before_the_first_proof_keeps_the_time_and_names_the_gateway() {
    for (state, soon, later) in [
        (stale(80_000), "stale since 80000: Gateway", "stale since 80000: Gateway"),
        (resuming(95_000), "resuming from 95000: GatewayNow", "stale since 95000: Gateway"),
        (StateReport::of(ViewState::Live), "syncing", "stale since 100000: Gateway"),
    ] {
        let mut rig = opened_within(state);
        rig.client.handle(Input::Closed { code: Some(1006) }, at(101_000));
        assert_eq!(said(&rig, 101_500), soon);
        assert_eq!(said(&rig, 120_000), later);
    }
}

#[test]
fn a_first_list_that_the_gateway_has_not_proven_yet_is_not_the_gateways_silence() {
    let rig = opened_within(StateReport::of(ViewState::Syncing { n: 1, of: None }));
    assert_eq!(said(&rig, 100_030), "syncing");
    assert_eq!(said(&rig, 160_000), "syncing");
    let rig = opened_within(StateReport::of(ViewState::Live));
    assert_eq!(
        said(&rig, 112_010),
        "stale since 100000: Silence",
        "the gateway says live and proves nothing"
    );
}

/// A page that was live until 1 s, lost its gateway at 2 s, and is connected again at 60 s.
fn back(state: StateReport, epoch: &str) -> ClientRig {
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Closed { code: Some(1006) }, at(2_000));
    rig.client.handle(Input::Timer, at(60_000));
    rig.client.handle(Input::Opened, at(60_010));
    rig.frame(ServerFrame::Welcome(Box::new(welcome(60_020))), 60_020);
    let at = (epoch == "e").then_some(1);
    let answer = Subscribed { at, state, ..subscribed(2, epoch, &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 60_030);
    rig
}

#[test]
fn rows_that_the_same_feed_continued_are_of_its_last_proof() {
    assert_eq!(said(&back(stale(40_000), "e"), 60_040), format!("stale since 40000: {UPSTREAM}"));
}

#[test]
fn rows_that_no_gateway_has_continued_are_of_the_pages_own_last_proof() {
    // The other gateway's feed began after the outage did, and has no rows: `stale` since it began.
    assert_eq!(said(&back(stale(40_000), ""), 60_040), format!("stale since 1000: {UPSTREAM}"));
    let mut anew = back(stale(40_000), "f");
    assert_eq!(said(&anew, 60_040), format!("stale since 1000: {UPSTREAM}"), "its rows are on their way");
    let rows = Rows { view: 7, from: 0, to: 5, put: vec![row(1, "a/1", &["2"])], ..Rows::default() };
    anew.frame(ServerFrame::Rows(rows), 60_050);
    assert_eq!(said(&anew, 60_060), format!("stale since 40000: {UPSTREAM}"));
}

#[test]
fn rows_that_were_never_proven_keep_the_time_that_their_gateway_said() {
    let moved_to_another = |first: StateReport| {
        let mut rig = opened_within(first);
        rig.client.handle(Input::Closed { code: Some(1006) }, at(120_000));
        rig.client.handle(Input::Timer, at(150_000));
        rig.client.handle(Input::Opened, at(150_010));
        rig.frame(ServerFrame::Welcome(Box::new(welcome(150_020))), 150_020);
        let answer = Subscribed { state: stale(149_000), ..subscribed(2, "", &[]) };
        rig.frame(ServerFrame::Subscribed(Box::new(answer)), 150_030);
        said(&rig, 150_040)
    };
    assert_eq!(moved_to_another(stale(80_000)), format!("stale since 80000: {UPSTREAM}"));
    let live = StateReport::of(ViewState::Live);
    assert_eq!(moved_to_another(live), format!("stale since 100000: {UPSTREAM}"), "when its rows came");
}

#[test]
fn what_was_proven_before_a_refusal_says_nothing_of_the_rows_after_it() {
    let mut rig = ClientRig::live();
    let refused =
        Subscribed { state: report(ViewState::Forbidden { to: Whom::You }), ..subscribed(1, "", &[]) };
    rig.frame(ServerFrame::Subscribed(Box::new(refused)), 2_000);
    rig.frame(ServerFrame::Subscribed(Box::new(subscribed(1, "f", &["Name"]))), 90_000);
    rig.rows(0, 4, vec![row(1, "a/1", &["1"])], 90_010);
    assert_eq!(said(&rig, 90_020), "syncing");
}

/// A page resumed from 95 s, was proven, and lost its right. It has it again in the next outage, and its rows are on
/// their way.
#[test]
fn what_its_gateway_said_before_a_refusal_says_nothing_of_the_rows_after_it() {
    let mut rig = opened_within(resuming(95_000));
    rig.frame(ServerFrame::Subscribed(Box::new(subscribed(1, "e", &["Name"]))), 101_000);
    rig.rows(1, 2, vec![row(1, "a/1", &["2"])], 101_010);
    rig.sync(2, None, 101_020);
    let refused =
        Subscribed { state: report(ViewState::Forbidden { to: Whom::You }), ..subscribed(1, "", &[]) };
    rig.frame(ServerFrame::Subscribed(Box::new(refused)), 102_000);
    let answer = Subscribed { state: stale(150_000), ..subscribed(1, "f", &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 170_000);
    assert_eq!(said(&rig, 170_010), format!("stale since 101020: {UPSTREAM}"), "the rows of before");
    rig.rows(0, 1, vec![row(1, "a/1", &["3"])], 170_020);
    assert_eq!(said(&rig, 170_030), format!("stale since 150000: {UPSTREAM}"));
}

/// A view that was live at 1 s, is refused at 20 s and allowed again at 50 s. `gap`: what the gateway says of the rows
/// that come then.
fn refused_and_allowed(gap: Option<Gap>) -> ClientRig {
    let mut rig = ClientRig::live();
    let refused = Subscribed {
        state: report(ViewState::Forbidden { to: Whom::You }),
        cluster: "".into(),
        ..subscribed(1, "", &[])
    };
    rig.frame(ServerFrame::Subscribed(Box::new(refused)), 20_000);
    assert_eq!(rig.view().table().len(), 0, "the rows leave with the right");
    rig.frame(ServerFrame::Subscribed(Box::new(subscribed(1, "f", &["Name"]))), 50_000);
    let put = vec![row(1, "a/1", &["2"])];
    rig.frame(ServerFrame::Rows(Rows { view: 7, from: 0, to: 1, put, gap, ..Rows::default() }), 50_010);
    rig
}

#[test]
fn what_happened_while_a_viewer_was_refused_is_a_gap_though_the_gateway_saw_it() {
    let rig = refused_and_allowed(None);
    let of_gateway = |at_ms: i64| at_ms + GATEWAY_AHEAD_MS;
    let gap = Gap { from_ms: of_gateway(1_000), to_ms: of_gateway(50_010), reason: Reason::Forbidden };
    assert_eq!(rig.view().subscription().gap, Some(gap));
}

#[test]
fn a_gap_that_the_gateway_tells_after_a_refusal_is_the_only_one() {
    let told = Gap { from_ms: 30_000, to_ms: 40_000, reason: Reason::Expired };
    let mut rig = refused_and_allowed(Some(told.clone()));
    assert_eq!(rig.view().subscription().gap, Some(told));
    rig.sync(1, None, 50_020);
    rig.client.view_mut(rig.key).expect("open").dismiss_gap();
    rig.rows(1, 2, vec![row(2, "a/2", &["1"])], 51_000);
    assert_eq!(rig.view().subscription().gap, None);
}

/// The gateway itself was refused: its list comes before it says that it may read again.
#[test]
fn a_gap_that_is_told_while_the_viewer_is_refused_is_the_only_one() {
    let mut rig = ClientRig::live();
    rig.state(report(ViewState::Forbidden { to: Whom::Gateway }), 20_000);
    let of_gateway = |at_ms: i64| at_ms + GATEWAY_AHEAD_MS;
    let told = Gap { from_ms: of_gateway(15_000), to_ms: of_gateway(49_000), reason: Reason::Forbidden };
    let put = vec![row(1, "a/1", &["2"])];
    let rows = Rows { view: 7, from: 1, to: 2, put, gap: Some(told.clone()), ..Rows::default() };
    rig.frame(ServerFrame::Rows(rows), 50_000);
    let whole = Gap { from_ms: of_gateway(1_000), ..told };
    assert_eq!(rig.view().subscription().gap, Some(whole), "nothing was seen since the last proof");
    rig.state(StateReport::of(ViewState::Live), 50_010);
    rig.sync(2, None, 50_020);
    assert_eq!(said(&rig, 50_030), "live");
    rig.client.view_mut(rig.key).expect("open").dismiss_gap();
    rig.rows(2, 3, vec![row(2, "a/2", &["1"])], 72_000);
    rig.sync(3, None, 72_005);
    assert_eq!((rig.view().subscription().gap.clone(), said(&rig, 72_010).as_str()), (None, "live"));
}

#[test]
fn a_view_that_was_refused_before_its_first_proof_missed_nothing() {
    let mut rig = ClientRig::new();
    rig.connect(0);
    let refused =
        Subscribed { state: report(ViewState::Forbidden { to: Whom::Gateway }), ..subscribed(1, "e", &[]) };
    rig.frame(ServerFrame::Subscribed(Box::new(refused)), 100);
    rig.state(StateReport::of(ViewState::Live), 30_000);
    rig.rows(0, 1, vec![row(1, "a/1", &["1"])], 30_010);
    assert_eq!(rig.view().subscription().gap, None);
}

/// The gateway's own right came back: it spoke of the view a moment ago, and was never away.
#[test]
fn after_a_refusal_neither_silence_nor_a_lost_connection_is_named() {
    let mut rig = ClientRig::live();
    rig.state(report(ViewState::Forbidden { to: Whom::Gateway }), 20_000);
    rig.state(StateReport::of(ViewState::Syncing { n: 0, of: None }), 50_000);
    assert_eq!(said(&rig, 50_010), "stale since 1000: Relisting");
    rig.state(StateReport::of(ViewState::Live), 50_020);
    assert_eq!(said(&rig, 50_030), "stale since 1000: Relisting");
    rig.rows(1, 2, vec![row(1, "a/1", &["2"])], 50_040);
    rig.sync(2, None, 50_050);
    assert_eq!(said(&rig, 50_060), "live");
    rig.state(StateReport::of(ViewState::Syncing { n: 0, of: None }), 52_000);
    assert_eq!(said(&rig, 52_010), "resuming from 50050");
}

/// A gateway that was started anew has no list yet, and the page still holds the rows of before the refusal.
#[test]
fn rows_of_before_a_refusal_are_as_old_as_their_proof_at_another_gateway() {
    let mut rig = ClientRig::live();
    rig.state(report(ViewState::Forbidden { to: Whom::Gateway }), 10_000);
    rig.client.handle(Input::Closed { code: Some(1006) }, at(20_000));
    rig.client.handle(Input::Timer, at(60_000));
    rig.client.handle(Input::Opened, at(60_010));
    rig.frame(ServerFrame::Welcome(Box::new(welcome(60_020))), 60_020);
    let state = report(ViewState::Syncing { n: 0, of: None });
    rig.frame(
        ServerFrame::Subscribed(Box::new(Subscribed { state, ..subscribed(2, "f", &["Name"]) })),
        60_030,
    );
    assert_eq!(said(&rig, 60_040), "stale since 1000: Relisting");
    rig.state(stale(45_000), 75_000);
    assert_eq!(said(&rig, 75_010), format!("stale since 1000: {UPSTREAM}"));
    rig.rows(0, 1, vec![row(1, "a/1", &["1"])], 80_000);
    assert_eq!(said(&rig, 80_010), format!("stale since 45000: {UPSTREAM}"));
}

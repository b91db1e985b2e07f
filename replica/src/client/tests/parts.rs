//! Three namespaces of a cluster that may not be listed as a whole, each with its own fate.

use std::collections::BTreeMap;

use shared::frame::server::{Gap, ProblemFrame, ServerFrame, StateFrame, Subscribed};
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::row::{Row, RowId};
use shared::state::{StateReport, Whom};

use super::*;
use crate::client::Input;
use crate::freshness::{self, Cause, Freshness};
use crate::testing::{GATEWAY_AHEAD_MS, at};
use crate::testing::{row, scope, subscribed, sync};

mod chance;
mod of_all;

type ClientRig = crate::testing::ClientRig<()>;

const NAMES: [&str; 3] = ["a", "b", "c"];

fn namespaces(names: &[&str]) -> Scope {
    let names = names.iter().map(|name| Namespace::parse(name).expect("a name")).collect();
    Scope { namespaces: Namespaces::these(names).expect("some"), ..scope("pods") }
}

fn forbidden() -> StateReport {
    StateReport::of(ViewState::Forbidden { to: Whom::You })
        .because(Problem::new(Reason::Forbidden, "bob may not list pods"))
}

/// Refused as a whole: subscriptions 2, 3 and 4 are of a, b and c.
fn split() -> ClientRig {
    let mut rig = ClientRig::new();
    rig.client.close(rig.key);
    rig.key = rig.client.open(namespaces(&NAMES), at(0));
    rig.connect(0);
    let refused = Subscribed { state: forbidden(), ..subscribed(1, "", &[]) };
    rig.frame(ServerFrame::Subscribed(Box::new(refused)), 100);
    assert_eq!(
        rig.said()[2..],
        ["subscribe 1", "unsubscribe 1", "subscribe 2", "subscribe 3", "subscribe 4"]
    );
    rig
}

/// Each with a row and a proof at 1 s; the gateway's view has ten times the subscription's number.
fn live() -> ClientRig {
    let mut rig = split();
    for (id, name) in (2..).zip(NAMES) {
        rig.begin(id, "e", &["Name"]);
        rig.put(id, 0, 1, vec![row(u64::from(id), &format!("{name}/1"), &["1"])], 900);
    }
    (2..5).for_each(|id| rig.prove(id, 1, 1_000));
    rig.said();
    rig
}

/// One namespace's frames; the gateway's view has ten times the subscription's number.
impl ClientRig {
    fn is_refused(&mut self, id: u32) {
        let answer = Subscribed { view: id * 10, state: forbidden(), ..subscribed(id, "", &[]) };
        self.frame(ServerFrame::Subscribed(Box::new(answer)), 100);
    }

    fn begin(&mut self, id: u32, epoch: &str, columns: &[&str]) {
        let answer = Subscribed { view: id * 10, ..subscribed(id, epoch, columns) };
        self.frame(ServerFrame::Subscribed(Box::new(answer)), 800);
    }

    fn put(&mut self, id: u32, from: u64, to: u64, put: Vec<Row>, now_ms: i64) {
        self.moved(Rows { view: id * 10, from, to, put, ..Rows::default() }, now_ms);
    }

    fn moved(&mut self, rows: Rows, now_ms: i64) {
        self.frame(ServerFrame::Rows(rows), now_ms);
    }

    fn is(&mut self, id: u32, report: StateReport, now_ms: i64) {
        self.frame(ServerFrame::State(StateFrame { view: id * 10, report }), now_ms);
    }

    fn prove(&mut self, id: u32, position: u64, now_ms: i64) {
        self.compare(id, position, None, now_ms);
    }

    fn compare(&mut self, id: u32, position: u64, digest: Option<&str>, now_ms: i64) {
        self.frame(ServerFrame::Sync(sync(id * 10, position, digest, now_ms, now_ms)), now_ms);
    }

    /// What stands in the table, which is what its parts say together.
    fn keys(&self) -> Vec<String> {
        let view = self.view();
        let rows = view.table().iter().filter(|(_, entry)| !entry.is_tombstone());
        let mut shown: Vec<String> = rows.map(|(_, entry)| entry.key().to_owned()).collect();
        shown.sort();
        let rows: BTreeMap<RowId, &Row> = view.table().rows().map(|row| (row.id, row)).collect();
        let parts = self.client.parts(view).filter(|part| part.is_shown());
        assert_eq!(rows, parts.flat_map(|part| part.source.table.rows()).map(|row| (row.id, row)).collect());
        shown
    }

    fn shown(&self) -> Vec<String> {
        let mut shown: Vec<String> =
            self.view().table().iter().map(|(_, entry)| entry.key().to_owned()).collect();
        shown.sort();
        shown
    }

    /// The state, and of which namespaces it is where not of all.
    fn says(&self, now_ms: i64) -> String {
        let freshness = freshness::of(&self.client, self.view(), now_ms);
        let state = match freshness.worst() {
            Freshness::Live { .. } => "live".to_owned(),
            Freshness::Polled { every_s, .. } => format!("polled every {every_s} s"),
            Freshness::Syncing { n, .. } => format!("syncing {n}"),
            Freshness::Resuming { from_ms, .. } => format!("resuming from {from_ms}"),
            Freshness::Stale { since_ms, cause: Cause::Upstream { .. } } => {
                format!("unproven since {since_ms}")
            }
            Freshness::Forbidden { .. } => "forbidden".to_owned(),
            Freshness::Failed { .. } => "failed".to_owned(),
            other => format!("{other:?}"),
        };
        match freshness {
            Freshness::Partly(partly) => {
                format!("{state} in {}", partly.names.join(" "))
            }
            _ => state,
        }
    }
}

#[test]
fn the_first_load_is_over_when_no_namespace_is_awaited_any_more() {
    let mut rig = split();
    rig.begin(2, "e", &["Name"]);
    rig.put(2, 0, 1, vec![row(1, "a/1", &["1"])], 900);
    assert_eq!(rig.says(1_000), "syncing 1");
    assert!(!rig.view().table().is_whole());
    rig.begin(3, "e", &["Name"]);
    rig.put(3, 0, 1, vec![], 900);
    assert!(!rig.view().table().is_whole());
    rig.is_refused(4);
    assert!(rig.view().table().is_whole(), "the third isn't awaited");
    (2..4).for_each(|id| rig.prove(id, 1, 1_000));
    assert!(rig.view().is_exact());
}

#[test]
fn the_worst_is_shown_with_its_namespaces_and_the_rows_of_the_others_stay() {
    let mut rig = live();
    rig.is(3, StateReport::of(ViewState::Stale { since_ms: 1_000 + GATEWAY_AHEAD_MS }), 4_000);
    rig.prove(2, 1, 4_000);
    assert_eq!(rig.says(4_000), "unproven since 1000 in b");
    assert_eq!(rig.keys(), ["a/1", "b/1", "c/1"]);
    rig.is(4, forbidden(), 4_500);
    assert_eq!(rig.says(4_500), "forbidden in c");
    assert_eq!(rig.keys(), ["a/1", "b/1"]);
    let freshness = freshness::of(&rig.client, rig.view(), 4_500);
    assert!(freshness.shows_rows() && freshness.is_stale() && !freshness.is_current());
    rig.is(2, forbidden(), 5_000);
    rig.is(3, forbidden(), 5_000);
    assert!(rig.keys().is_empty());
    let freshness = freshness::of(&rig.client, rig.view(), 5_000);
    assert!(matches!(freshness, Freshness::Forbidden { .. }), "all alike: {freshness:?}");
    assert_eq!(rig.says(5_000), "forbidden");
}

#[test]
fn a_namespace_that_says_nothing_for_twelve_seconds_is_stale_alone() {
    let mut rig = live();
    rig.prove(2, 1, 9_000);
    rig.prove(4, 1, 9_000);
    let Freshness::Partly(partly) = freshness::of(&rig.client, rig.view(), 13_000) else {
        panic!("not all are alike")
    };
    assert!(matches!(partly.worst, Freshness::Stale { since_ms: 1_000, .. }) && partly.is_stale);
    assert_eq!(partly.names, ["b".into()]);
}

#[test]
fn a_namespace_that_may_not_be_watched_is_polled_and_the_view_is_current_all_the_same() {
    let mut rig = live();
    rig.is(3, StateReport::of(ViewState::Polled { every_s: 10 }), 2_000);
    assert_eq!(rig.says(3_000), "polled every 10 s in b");
    assert!(freshness::of(&rig.client, rig.view(), 3_000).is_current() && rig.view().is_exact());
}

#[test]
fn a_namespace_whose_subscription_the_gateway_ends_does_not_end_the_others() {
    let mut rig = live();
    let problem = Problem::new(Reason::ShuttingDown, "the gateway stopped watching; subscribe anew");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(3), problem }), 2_000);
    assert!(rig.said().is_empty(), "the view hasn't ended");
    assert_eq!(rig.keys(), ["a/1", "c/1"]);
    assert_eq!(rig.says(2_000), "failed in b");
    rig.client.handle(Input::Retry, at(3_000));
    assert_eq!(rig.said(), ["subscribe 5 from 1"]);
}

#[test]
fn a_reconnect_continues_each_namespace_from_its_own_token() {
    let mut rig = live();
    rig.put(3, 1, 5, vec![row(9, "b/2", &["1"])], 1_500);
    rig.client.handle(Input::Closed { code: Some(1006) }, at(2_000));
    assert_eq!(rig.says(2_000), "resuming from 1000");
    assert_eq!(rig.keys(), ["a/1", "b/1", "b/2", "c/1"]);
    rig.connect(2_300);
    assert_eq!(rig.said()[2..], ["subscribe 5 from 1", "subscribe 6 from 5", "subscribe 7 from 1"]);
    let answer = Subscribed { view: 60, at: Some(5), ..subscribed(6, "e", &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 2_400);
    rig.put(6, 5, 6, vec![row(9, "b/2", &["2"])], 2_500);
    assert_eq!(rig.keys(), ["a/1", "b/1", "b/2", "c/1"]);
}

#[test]
fn a_namespace_that_differs_begins_anew_alone() {
    let mut rig = live();
    rig.compare(3, 1, Some("0000000000000000"), 2_000);
    assert_eq!(rig.said(), ["unsubscribe 3 differed", "subscribe 5"]);
    assert_eq!(rig.keys(), ["a/1", "b/1", "c/1"]);
    assert_eq!(rig.view().subscription().resyncs.differed_ms, Some(2_000));
    rig.begin(5, "e", &["Name"]);
    rig.put(5, 0, 1, vec![row(7, "b/7", &["1"])], 2_100);
    assert_eq!(rig.keys(), ["a/1", "b/7", "c/1"]);
}

#[test]
fn a_gap_of_one_namespace_is_told() {
    let mut rig = live();
    let gap = Gap { from_ms: 1_500, to_ms: 2_500, reason: Reason::Expired };
    rig.moved(Rows { view: 20, from: 1, to: 2, gap: Some(gap.clone()), ..Rows::default() }, 2_000);
    assert_eq!(rig.view().subscription().gap, Some(gap));
}

#[test]
fn a_gap_that_comes_before_a_namespace_may_be_seen_again_is_told_with_its_rows() {
    let mut rig = live();
    rig.is(2, forbidden(), 1_500);
    let gap = Gap { from_ms: 1_500, to_ms: 2_500, reason: Reason::Forbidden };
    rig.moved(Rows { view: 20, from: 1, to: 2, gap: Some(gap.clone()), ..Rows::default() }, 2_000);
    assert_eq!(rig.view().subscription().gap, None);
    rig.is(2, StateReport::of(ViewState::Live), 2_000);
    assert_eq!(rig.keys(), ["a/1", "b/1", "c/1"]);
    assert_eq!(rig.view().subscription().gap, Some(gap));
}

#[test]
fn rows_under_other_columns_wait_until_their_namespace_has_the_views() {
    let mut rig = live();
    rig.begin(3, "f", &["Name", "Size"]);
    assert_eq!(rig.keys(), ["a/1", "b/1", "c/1"], "the old ones stay until the new ones are here");
    rig.put(3, 0, 1, vec![row(3, "b/1", &["1", "2"])], 2_000);
    assert_eq!(rig.keys(), ["b/1"]);
    assert_eq!(rig.view().table().columns().len(), 2);
    let Freshness::Partly(partly) = freshness::of(&rig.client, rig.view(), 2_000) else {
        panic!("two are awaited")
    };
    assert!(matches!(partly.worst, Freshness::Syncing { .. }));
    rig.begin(2, "f", &["Name", "Size"]);
    rig.put(2, 0, 1, vec![row(2, "a/1", &["1", "2"])], 2_000);
    rig.begin(4, "f", &["Name", "Size"]);
    rig.put(4, 0, 1, vec![row(4, "c/1", &["1", "2"])], 2_000);
    assert_eq!(rig.keys(), ["a/1", "b/1", "c/1"]);
}

#[test]
fn closing_the_view_ends_all_its_subscriptions() {
    let mut rig = live();
    rig.client.close(rig.key);
    assert_eq!(rig.said(), ["unsubscribe 2", "unsubscribe 3", "unsubscribe 4"]);
    rig.put(3, 1, 2, vec![row(9, "b/2", &["1"])], 2_000);
    assert!(rig.said().is_empty());
}

#[test]
fn a_namespace_of_a_view_may_be_a_view_of_its_own_as_well() {
    let mut rig = live();
    let own = rig.client.open(namespaces(&["b"]), at(2_000));
    assert_eq!(rig.said(), ["subscribe 5"]);
    rig.begin(5, "e", &["Name"]);
    rig.put(5, 0, 1, vec![row(3, "b/1", &["1"])], 2_000);
    assert_eq!(rig.client.view(own).map(|view| view.table().len()), Some(1));
    rig.client.close(own);
    assert_eq!(rig.keys(), ["a/1", "b/1", "c/1"]);
}

#[test]
fn rows_go_at_once_when_the_right_to_the_whole_ends() {
    let mut rig = ClientRig::new();
    rig.client.close(rig.key);
    rig.key = rig.client.open(namespaces(&["a", "b"]), at(0));
    rig.connect(0);
    rig.begin(1, "e", &["Name"]);
    rig.put(1, 0, 1, vec![row(1, "a/1", &["1"]), row(2, "b/1", &["1"])], 900);
    rig.is(1, forbidden(), 2_000);
    assert!(rig.keys().is_empty() && rig.view().table().iter().next().is_none());
    rig.begin(2, "e", &["Name"]);
    rig.put(2, 0, 1, vec![row(1, "a/1", &["1"])], 2_100);
    assert_eq!(rig.keys(), ["a/1"]);
}

#[test]
fn a_view_of_which_the_gateway_hides_a_namespace_is_taken_apart() {
    let mut rig = ClientRig::new();
    rig.client.close(rig.key);
    rig.key = rig.client.open(namespaces(&["a", "b"]), at(0));
    rig.connect(0);
    rig.said();
    let hides = |rig: &mut ClientRig, id| {
        let problem = Problem::new(Reason::Hidden, "the namespace \"b\" is hidden by this gateway");
        rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(id), problem }), 100);
    };
    hides(&mut rig, 1);
    assert_eq!(rig.said(), ["subscribe 2", "subscribe 3"], "it hasn't ended");
    rig.begin(2, "e", &["Name"]);
    rig.put(2, 0, 1, vec![row(1, "a/1", &["1"])], 900);
    rig.prove(2, 1, 1_000);
    hides(&mut rig, 3);
    assert_eq!((rig.says(1_000).as_str(), rig.keys()), ("forbidden in b", vec!["a/1".to_owned()]));
}

#[test]
fn one_namespace_and_all_of_them_are_not_taken_apart() {
    for scope in [namespaces(&["a"]), scope("pods")] {
        let mut rig = ClientRig::new();
        rig.client.close(rig.key);
        rig.key = rig.client.open(scope, at(0));
        rig.connect(0);
        rig.said();
        rig.is_refused(1);
        assert!(rig.said().is_empty());
        assert!(matches!(freshness::of(&rig.client, rig.view(), 200), Freshness::Forbidden { .. }));
    }
}

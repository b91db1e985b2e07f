//! Three clusters in one table, each with its own fate.

use std::ops::{Deref, DerefMut};

use shared::cell::Cell;
use shared::custom_column::CustomColumns;
use shared::frame::client::{Projection, RowDetail};
use shared::frame::server::{ProblemFrame, Rows, ServerFrame, StateFrame, Subscribed, TimelineFrame};
use shared::frame::timeline::Entry;
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::row::Row;
use shared::scope::Namespaces;
use shared::state::{StateReport, ViewState, Whom};

use super::*;
use crate::client::{Input, Output};
use crate::freshness::{self, Freshness};
use crate::table::clusters::{named_in, row_id};
use crate::testing::{GATEWAY_AHEAD_MS, at, id, row, scope, subscribed, sync};
use crate::timeline::TimelineView;

/// The client's rig, with what is said of clusters.
struct ClustersRig(crate::testing::ClientRig<()>);

impl Deref for ClustersRig {
    type Target = crate::testing::ClientRig<()>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for ClustersRig {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

fn names(names: &[&str]) -> Vec<ClusterName> {
    names.iter().map(|name| ClusterName::parse(name).expect("a name")).collect()
}

/// Asked for: subscriptions 1, 2 and 3 are of eu, us and lab.
fn asked() -> ClustersRig {
    let mut rig = ClustersRig(crate::testing::ClientRig::new());
    let former = rig.key;
    rig.client.close(former);
    let more = (CustomColumns::default(), RowDetail::Changes);
    rig.key = rig.client.open_clusters(scope("pods"), &names(&["eu", "us", "lab"]), more, at(0));
    rig.connect(0);
    assert_eq!(rig.said()[2..], ["subscribe 1", "subscribe 2", "subscribe 3"]);
    rig
}

/// Each with a row of the same uid and a proof at 1 s; the gateway's view has ten times the subscription's number.
fn live() -> ClustersRig {
    let mut rig = asked();
    for number in 1..4 {
        rig.begin(number, &["Name"]);
        rig.put(number, 0, 1, vec![row(7, "a/1", &["1"])], 900);
        rig.prove(number, 1, 1_000);
    }
    rig.said();
    rig
}

impl ClustersRig {
    fn begin(&mut self, id: u32, columns: &[&str]) {
        let answer = Subscribed { view: id * 10, ..subscribed(id, "e", columns) };
        self.frame(ServerFrame::Subscribed(Box::new(answer)), 800);
    }

    fn put(&mut self, id: u32, from: u64, to: u64, put: Vec<Row>, now_ms: i64) {
        self.frame(ServerFrame::Rows(Rows { view: id * 10, from, to, put, ..Rows::default() }), now_ms);
    }

    fn is(&mut self, id: u32, state: ViewState, now_ms: i64) {
        let report = StateReport::of(state).because(Problem::new(Reason::ConnectionRefused, "refused"));
        self.frame(ServerFrame::State(StateFrame { view: id * 10, report }), now_ms);
    }

    /// Each cluster's clock is so many seconds ahead as its subscription's number says.
    fn prove(&mut self, id: u32, position: u64, now_ms: i64) {
        let cluster_now_ms = now_ms + i64::from(id) * 1_000;
        self.frame(ServerFrame::Sync(sync(id * 10, position, None, now_ms, cluster_now_ms)), now_ms);
    }

    /// Every row with its cluster, its name and its cells.
    fn shown(&self) -> Vec<String> {
        let table = self.view().table();
        let mut shown: Vec<String> = table
            .iter()
            .map(|(_, entry)| {
                let cells: Vec<String> = entry.row().cells.iter().skip(1).map(|cell| cell.print(0)).collect();
                format!("{} {}", entry.key(), cells.join("|"))
            })
            .collect();
        shown.sort();
        shown
    }

    fn says(&self, now_ms: i64) -> String {
        let word = |state: &Freshness| match state {
            Freshness::Live { .. } => "live",
            Freshness::Syncing { .. } => "syncing",
            Freshness::Stale { .. } => "stale",
            Freshness::Forbidden { .. } => "forbidden",
            Freshness::Gone { .. } => "gone",
            Freshness::Resuming { .. } => "resuming",
            _ => "other",
        };
        match freshness::of(&self.client, self.view(), now_ms) {
            Freshness::Partly(partly) => {
                format!("{} in {}, {} else", word(&partly.worst), partly.names.join(" "), word(&partly.rest))
            }
            state => word(&state).to_owned(),
        }
    }
}

#[test]
fn objects_of_one_uid_in_two_clusters_are_two_rows() {
    let rig = live();
    assert_eq!(rig.shown(), ["eu/a/1 1", "lab/a/1 1", "us/a/1 1"]);
    assert_eq!(rig.says(2_000), "live");
    let table = rig.view().table();
    for name in names(&["eu", "us", "lab"]) {
        let of_cluster = row_id(id(7), &name);
        assert_eq!(row_id(of_cluster, &name), id(7), "and back");
        let entry = table.slot_of(of_cluster).and_then(|slot| table.entry(slot)).expect("a row");
        assert_eq!(named_in(entry.row(), table.columns()), Some(name.as_str()));
        assert_eq!(entry.haystack(), "a/1");
    }
}

#[test]
fn a_change_of_one_cluster_changes_its_row_alone() {
    let mut rig = live();
    rig.put(2, 1, 2, vec![row(7, "a/1", &["2"]), row(8, "a/2", &["1"])], 1_500);
    assert_eq!(rig.shown(), ["eu/a/1 1", "lab/a/1 1", "us/a/1 2", "us/a/2 1"]);
    let delete = Rows { view: 20, from: 2, to: 3, delete: vec![id(7)], ..Rows::default() };
    rig.frame(ServerFrame::Rows(delete), 1_600);
    assert!(rig.view().table().iter().any(|(_, entry)| entry.is_tombstone() && entry.key() == "us/a/1"));
}

#[test]
fn a_cluster_that_is_stale_takes_nothing_from_the_others() {
    let mut rig = live();
    rig.is(2, ViewState::Stale { since_ms: 1_000 + GATEWAY_AHEAD_MS }, 4_000);
    assert_eq!(rig.says(4_000), "stale in us, live else");
    assert_eq!(rig.shown().len(), 3);
    let freshness = freshness::of(&rig.client, rig.view(), 4_000);
    assert!(!freshness.is_stale(), "each row says it of itself");
    let clusters = freshness::of_clusters(&rig.client, rig.view(), 9_000);
    let said: Vec<_> = clusters.iter().map(|it| (it.name.as_str(), it.rows, it.now_s)).collect();
    assert_eq!(said, [("eu", 1, 10), ("us", 1, 3), ("lab", 1, 12)], "the clock of us stands still");
    for number in [1, 3] {
        rig.is(number, ViewState::Stale { since_ms: 1_000 + GATEWAY_AHEAD_MS }, 4_000);
    }
    assert!(freshness::of(&rig.client, rig.view(), 4_000).is_stale());
    assert_eq!(rig.says(4_000), "stale");
}

#[test]
fn a_cluster_that_does_not_answer_keeps_nobody_waiting() {
    let mut rig = asked();
    rig.begin(1, &["Name"]);
    assert!(!rig.view().table().is_whole());
    rig.put(1, 0, 1, vec![row(7, "a/1", &["1"])], 900);
    rig.prove(1, 1, 1_000);
    assert!(rig.view().table().is_whole());
    assert_eq!(rig.says(1_000), "syncing in us lab, live else");
    rig.begin(2, &["Name"]);
    rig.is(2, ViewState::Stale { since_ms: 900 }, 2_000);
    rig.is(3, ViewState::Forbidden { to: Whom::You }, 2_000);
    let unknown = Problem::new(Reason::NotFound, "no such cluster");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(3), problem: unknown }), 2_000);
    assert_eq!(rig.says(2_000), "gone in lab, stale else");
    assert_eq!(rig.shown(), ["eu/a/1 1"]);
    rig.is(2, ViewState::Live, 3_000);
    rig.put(2, 0, 1, vec![row(7, "a/1", &["1"])], 3_000);
    assert_eq!(rig.shown(), ["eu/a/1 1", "us/a/1 1"]);
}

#[test]
fn columns_are_united_by_name_in_the_order_of_the_first_cluster() {
    let mut rig = asked();
    rig.begin(2, &["Name", "Size", "Name"]);
    rig.put(2, 0, 1, vec![row(7, "a/1", &["1", "2", "3"])], 900);
    let columns = |rig: &ClustersRig| -> Vec<String> {
        rig.view().table().columns().iter().map(|column| column.name.to_string()).collect()
    };
    assert_eq!(columns(&rig), ["Cluster", "Name", "Size", "Name"]);
    rig.begin(1, &["Name", "Age", "Cluster"]);
    rig.put(1, 0, 1, vec![row(7, "a/1", &["4", "5", "6"])], 900);
    assert_eq!(columns(&rig), ["Cluster", "Name", "Age", "Cluster", "Size", "Name"]);
    assert_eq!(rig.shown(), ["eu/a/1 4|5|6||", "us/a/1 1|||2|3"]);
    rig.begin(3, &["Age", "Name"]);
    rig.put(3, 0, 1, vec![row(7, "a/1", &["8", "9"])], 900);
    assert_eq!(columns(&rig).len(), 6);
    assert_eq!(rig.shown(), ["eu/a/1 4|5|6||", "lab/a/1 9|8|||", "us/a/1 1|||2|3"]);
    assert!(matches!(
        rig.view().table().rows().next().and_then(|row| row.cells.first()),
        Some(Cell::Text(_))
    ));
}

#[test]
fn a_cluster_whose_columns_change_shows_its_rows_under_the_new_ones() {
    let mut rig = live();
    let answer = Subscribed { view: 20, ..subscribed(2, "f", &["Name", "Size"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 2_000);
    assert_eq!(rig.shown(), ["eu/a/1 1", "lab/a/1 1", "us/a/1 1"], "the old ones stay until then");
    rig.put(2, 0, 1, vec![row(8, "a/2", &["1", "2"])], 2_100);
    assert_eq!(rig.shown(), ["eu/a/1 1|", "lab/a/1 1|", "us/a/2 1|2"]);
}

#[test]
fn clusters_come_and_go_while_the_others_stay() {
    let mut rig = live();
    let key = rig.key;
    rig.client.set_clusters(key, &names(&["eu", "asia", "lab"]), at(2_000));
    assert_eq!(rig.said(), ["unsubscribe 2", "subscribe 4"]);
    assert_eq!(rig.shown(), ["eu/a/1 1", "lab/a/1 1"], "no tombstone stays");
    rig.begin(4, &["Name"]);
    rig.put(4, 0, 1, vec![row(7, "a/1", &["1"])], 2_100);
    rig.prove(4, 1, 2_100);
    assert_eq!((rig.shown().len(), rig.says(2_200).as_str()), (3, "live"));
    let key = rig.key;
    rig.client.set_clusters(key, &names(&["eu", "asia", "lab"]), at(2_300));
    assert!(rig.said().is_empty(), "the same ones");
    let former = rig.key;
    rig.client.close(former);
    assert_eq!(rig.said(), ["unsubscribe 1", "unsubscribe 4", "unsubscribe 3"]);
}

#[test]
fn a_reconnect_continues_each_cluster_from_its_own_token() {
    let mut rig = live();
    rig.put(2, 1, 5, vec![row(8, "a/2", &["1"])], 1_500);
    rig.client.handle(Input::Closed { code: Some(1006) }, at(2_000));
    assert_eq!((rig.shown().len(), rig.says(2_000).as_str()), (4, "resuming"));
    rig.connect(2_300);
    assert_eq!(rig.said()[2..], ["subscribe 4 from 1", "subscribe 5 from 5", "subscribe 6 from 1"]);
}

#[test]
fn a_cluster_that_may_not_be_listed_as_a_whole_is_split_into_its_namespaces() {
    let mut rig = ClustersRig(crate::testing::ClientRig::new());
    let former = rig.key;
    rig.client.close(former);
    let both = names(&["eu", "us"]);
    let spaces = ["a", "b"].iter().map(|name| Namespace::parse(name).expect("a name")).collect();
    let pods = Scope { namespaces: Namespaces::these(spaces).expect("some"), ..scope("pods") };
    let more = (CustomColumns::default(), RowDetail::Changes);
    rig.key = rig.client.open_clusters(pods, &both, more, at(0));
    rig.connect(0);
    rig.said();
    rig.begin(1, &["Name"]);
    rig.put(1, 0, 1, vec![row(7, "a/1", &["1"]), row(8, "b/1", &["1"])], 900);
    rig.prove(1, 1, 1_000);
    rig.begin(2, &["Name"]);
    rig.put(2, 0, 1, vec![row(7, "a/1", &["1"]), row(8, "b/1", &["1"])], 900);
    rig.prove(2, 1, 1_000);
    rig.said();
    rig.is(2, ViewState::Forbidden { to: Whom::You }, 2_000);
    assert_eq!(rig.said(), ["unsubscribe 2", "subscribe 3", "subscribe 4"]);
    assert_eq!(rig.shown(), ["eu/a/1 1", "eu/b/1 1"]);
    rig.begin(3, &["Name"]);
    rig.put(3, 0, 1, vec![row(7, "a/1", &["2"])], 2_100);
    rig.prove(3, 1, 2_100);
    rig.begin(4, &["Name"]);
    rig.is(4, ViewState::Forbidden { to: Whom::You }, 2_200);
    assert_eq!(rig.shown(), ["eu/a/1 1", "eu/b/1 1", "us/a/1 2"]);
    assert_eq!(rig.says(2_300), "live", "what us refuses in b is said of us");
    let states = freshness::of_clusters(&rig.client, rig.view(), 2_300);
    let of_us = states.iter().find(|state| state.name == both[1]).expect("us");
    let Freshness::Partly(partly) = &of_us.freshness else { panic!("{of_us:?}") };
    assert_eq!(partly.names, ["b".into()]);
    let former = rig.key;
    rig.client.close(former);
    assert_eq!(rig.said(), ["unsubscribe 1", "unsubscribe 3", "unsubscribe 4"]);
}

#[test]
fn one_cluster_is_an_ordinary_view() {
    let mut rig = ClustersRig(crate::testing::ClientRig::live());
    let more = || (CustomColumns::default(), RowDetail::Changes);
    let key = rig.client.open_clusters(scope("pods"), &names(&["kind"]), more(), at(2_000));
    assert_eq!(key, rig.key);
    assert!(freshness::of_clusters(&rig.client, rig.view(), 2_000).is_empty());
    let both = rig.client.open_clusters(scope("pods"), &names(&["kind", "eu"]), more(), at(2_000));
    let again = rig.client.open_clusters(scope("pods"), &names(&["kind", "eu"]), more(), at(2_000));
    assert!(both != key && both == again);
    assert_eq!(rig.said(), ["subscribe 2", "subscribe 3"]);
}

/// A log of eu with two entries, and of us with one.
fn log_of_two() -> (ClustersRig, ViewKey) {
    let mut rig = ClustersRig(crate::testing::ClientRig::new());
    let former = rig.key;
    rig.client.close(former);
    let log = rig.client.open_log(scope("pods"), &names(&["eu", "us"]), at(0));
    rig.connect(0);
    assert_eq!(rig.said()[2..], ["subscribe 1", "subscribe 2"]);
    for (number, entries) in [(1, 2), (2, 1)] {
        let projection = Projection::Timeline;
        let answer = Subscribed { view: number * 10, projection, ..subscribed(number, "e", &[]) };
        rig.frame(ServerFrame::Subscribed(Box::new(answer)), 800);
        let entries: Vec<Entry> = (0..entries).map(|_| Entry::default()).collect();
        let to = u64::try_from(entries.len()).expect("few");
        let frame = TimelineFrame { view: number * 10, from: 0, to, entries, reset: false };
        rig.frame(ServerFrame::Timeline(frame), 900);
        rig.prove(number, to, 1_000);
    }
    (rig, log)
}

#[test]
fn a_log_has_the_entries_of_all_clusters_each_with_its_cluster() {
    let (mut rig, log) = log_of_two();
    let timeline = rig.client.timeline(log).expect("open");
    let of = |number| timeline.cluster_of(number).map(ClusterName::as_str);
    assert_eq!(
        (timeline.len(), [of(0), of(1), of(2), of(3)]),
        (3, [Some("eu"), Some("eu"), Some("us"), None])
    );
    rig.client.set_clusters(log, &names(&["eu", "lab"]), at(2_000));
    assert_eq!(rig.said(), ["unsubscribe 2", "subscribe 3"]);
    assert_eq!(rig.client.timeline(log).map(TimelineView::len), Some(3), "what was told stays");
    rig.client.close(log);
    assert_eq!(rig.said(), ["unsubscribe 1", "unsubscribe 3"]);
}

#[test]
fn a_log_keeps_no_entry_of_a_cluster_whose_right_ended() {
    let (mut rig, log) = log_of_two();
    let of_you = ViewState::Forbidden { to: Whom::You };
    let answer = Subscribed { view: 21, state: StateReport::of(of_you), ..subscribed(2, "", &[]) };
    let answer = Subscribed { cluster: "".into(), projection: Projection::Timeline, ..answer };
    rig.said();
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 2_000);
    let purged = std::iter::from_fn(|| rig.client.poll_output())
        .filter(|it| matches!(it, Output::Purged(key) if *key == log))
        .count();
    assert_eq!((purged, rig.client.timeline(log).map(TimelineView::len)), (1, Some(0)));
    rig.client.handle(Input::Closed { code: Some(1006) }, at(2_100));
    rig.connect(2_300);
    let said = rig.said();
    assert!(
        said.contains(&"subscribe 3 from 2".to_owned()) && said.contains(&"subscribe 4".to_owned()),
        "{said:?}"
    );
}

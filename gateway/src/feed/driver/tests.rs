//! The driver against a real server on a real socket: the playground, quiet until a test moves it,
//! with its faults. Waits are for what the feed says, never for time.

mod definitions;

use std::collections::BTreeMap;
use std::time::Duration;

use playground::{Fault, Options, Playground, Rule};
use serde_json::json;
use shared::name::ClusterName;
use shared::problem::Reason;
use shared::resource::Resource;
use shared::row::RowId;
use shared::state::ViewState;
use tokio::task::JoinHandle;

use super::*;
use crate::cluster::Source;
use crate::feed::Change;
use crate::limits;

/// A feed, and what its hub would hold.
struct Followed {
    outputs: mpsc::Receiver<FeedOutput>,
    commands: mpsc::Sender<FeedCommand>,
    cancel: CancellationToken,
    task: JoinHandle<()>,
    rows: BTreeMap<RowId, String>,
    aside: Option<BTreeMap<RowId, String>>,
    columns: Vec<String>,
    state: Option<ViewState>,
    reason: Option<Reason>,
    is_complete: bool,
    gaps: Vec<Reason>,
    epochs: u32,
}

/// Generous: the machines that run this are small and shared.
const PATIENCE: Duration = Duration::from_secs(60);

fn quick() -> FeedOptions {
    FeedOptions {
        proof_interval_ms: 100,
        proof_timeout_ms: 200,
        stale_after_ms: 400,
        watch_list_quiet_ms: 300,
        poll_interval_ms: 150,
        slow_retry_ms: 200,
        slow_retry_first_ms: 200,
        backoff_first_ms: 20,
        backoff_max_ms: 100,
        ..FeedOptions::default()
    }
}

async fn connect(playground: &Playground) -> Cluster {
    let source = Source::Url {
        url: playground.url(),
        token: playground.token().map(str::to_owned),
        name: "demo".into(),
    };
    Cluster::connect(source).await.expect("the playground answers")
}

impl Followed {
    async fn pods(playground: &Playground, options: FeedOptions) -> Self {
        Self::of(&connect(playground).await, "", "v1", "pods", options)
    }

    fn of(cluster: &Cluster, group: &str, version: &str, plural: &str, options: FeedOptions) -> Self {
        let cluster_name = ClusterName::parse("demo").expect("a name");
        let key = FeedKey::of(cluster_name, Resource::parse(group, version, plural).expect("a resource"));
        let (sender, outputs) = mpsc::channel(limits::FEED_OUTPUTS_MAX);
        let (commands, receiver) = mpsc::channel(4);
        let cancel = CancellationToken::new();
        let task = tokio::spawn(drive(key, cluster.clone(), options, None, sender, receiver, cancel.clone()));
        Self {
            outputs,
            commands,
            cancel,
            task,
            rows: BTreeMap::new(),
            aside: None,
            columns: Vec::new(),
            state: None,
            reason: None,
            is_complete: false,
            gaps: Vec::new(),
            epochs: 0,
        }
    }

    /// Applies what the feed says until `is_so`.
    async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let wait = async {
            while !is_so(self) {
                let output = self.outputs.recv().await.expect("the feed runs");
                self.apply(output);
            }
        };
        if tokio::time::timeout(PATIENCE, wait).await.is_err() {
            panic!("never {what}: {:?} {:?}, rows {:?}", self.state, self.reason, self.rows.values());
        }
    }

    fn apply(&mut self, output: FeedOutput) {
        match output {
            FeedOutput::Proof(_) => {}
            FeedOutput::State(report) => {
                self.state = Some(report.state);
                self.reason = report.problem.map(|problem| problem.reason);
            }
            FeedOutput::Change(change) => self.apply_change(change),
        }
    }

    fn apply_change(&mut self, change: Change) {
        let shown = |object: &crate::feed::Object| {
            format!("{}@{}", object.row.order_key(), object.row.resource_version)
        };
        match change {
            Change::Columns(columns) => self.columns = columns.iter().map(|c| c.name.to_string()).collect(),
            Change::Rewound => self.epochs += 1,
            Change::ListStart => self.aside = Some(BTreeMap::new()),
            Change::Listed(object) => {
                self.aside.as_mut().expect("in a list").insert(object.row.id, shown(&object));
            }
            Change::ListEnd { gap, .. } => {
                self.rows = self.aside.take().expect("in a list");
                self.is_complete = true;
                self.gaps.extend(gap.map(|gap| gap.reason));
            }
            Change::ListAborted => self.aside = None,
            Change::Put(object) => drop(self.rows.insert(object.row.id, shown(&object))),
            Change::Delete { id, .. } => match &mut self.aside {
                Some(aside) => drop(aside.remove(&id)),
                None => drop(self.rows.remove(&id)),
            },
            Change::Bookmark(_) | Change::Error(_) => {}
            Change::LeftOut { object, .. } => panic!("left out: {object}"),
        }
    }

    async fn until_live(&mut self) {
        self.until("live", |feed| feed.is_complete && feed.state == Some(ViewState::Live)).await;
    }

    async fn until_equal(&mut self, playground: &Playground) {
        let expected = pods_of(playground);
        self.until("equal", |feed| sorted(feed) == expected).await;
    }

    /// Cancelled, it is gone.
    async fn end(self) {
        self.cancel.cancel();
        tokio::time::timeout(PATIENCE, self.task).await.expect("it ends").expect("without a panic");
    }
}

fn sorted(feed: &Followed) -> Vec<String> {
    let mut rows: Vec<String> = feed.rows.values().cloned().collect();
    rows.sort();
    rows
}

fn pods_of(playground: &Playground) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let shown = |pod: serde_json::Value| {
        let metadata = &pod["metadata"];
        format!(
            "{}/{}@{}",
            text(&metadata["namespace"]),
            text(&metadata["name"]),
            text(&metadata["resourceVersion"])
        )
    };
    let mut pods: Vec<String> = playground.list("pods").into_iter().map(shown).collect();
    pods.sort();
    pods
}

async fn start(options: Options) -> Playground {
    Playground::start(options).await.expect("a port")
}

#[tokio::test]
async fn a_feed_lists_follows_and_ends_when_it_is_cancelled() {
    let playground = start(Options::quiet()).await;
    let mut feed = Followed::pods(&playground, quick()).await;
    feed.until_live().await;
    assert!(feed.columns.iter().any(|name| name == "Restarts"), "{:?}", feed.columns);
    feed.until_equal(&playground).await;
    playground.step_fleet(200);
    feed.until_equal(&playground).await;
    assert_eq!((feed.gaps.len(), feed.epochs), (0, 0));
    feed.end().await;
    playground.wait_for_watches("pods", 0).await;
    playground.stop().await;
}

#[tokio::test]
async fn each_way_to_list_comes_to_the_same_rows() {
    for fault in [None, Some(Fault::WatchListRefused), Some(Fault::WatchListIgnored)] {
        let playground = start(Options::quiet()).await;
        if let Some(fault) = fault.clone() {
            playground.fault(Rule::new(fault));
        }
        let cluster = connect(&playground).await;
        let mut options = quick();
        options.page_objects = 7;
        let mut feed = Followed::of(&cluster, "", "v1", "pods", options);
        feed.until_live().await;
        feed.until_equal(&playground).await;
        let pods = Resource::parse("", "v1", "pods").expect("a resource");
        assert_eq!(cluster.may_watch_list(&pods), fault.is_none(), "{fault:?}");
        feed.end().await;
    }
}

#[tokio::test]
async fn whatever_happens_to_a_running_watch_the_rows_become_equal_again() {
    let faults =
        [Fault::Drop, Fault::GoneEvent, Fault::TruncatedJson, Fault::CutInValue, Fault::UnknownEvent];
    let playground = start(Options::quiet()).await;
    let mut feed = Followed::pods(&playground, quick()).await;
    feed.until_live().await;
    for fault in faults {
        playground.fault(Rule::new(fault.clone()).verb("watch").resource("pods").open_only().times(1));
        playground.step_fleet(40);
        feed.until_equal(&playground).await;
        feed.until_live().await;
        playground.clear_faults();
        assert_eq!(feed.epochs, 0, "{fault:?}");
    }
    assert!(feed.gaps.contains(&Reason::Expired), "{:?}", feed.gaps);
    feed.end().await;
}

#[tokio::test]
async fn whatever_the_next_watch_is_answered_the_rows_become_equal_again() {
    let faults = [
        Fault::GoneStatus,
        Fault::GoneEvent,
        Fault::TooManyRequests { retry_after_s: 0 },
        Fault::Unavailable { retry_after_s: 0 },
        Fault::InternalError,
        Fault::Unauthorized,
        Fault::NotFound,
        Fault::SlowBytes { chunk_bytes: 301, pause_ms: 0 },
    ];
    let playground = start(Options::quiet()).await;
    let mut feed = Followed::pods(&playground, quick()).await;
    feed.until_live().await;
    for fault in faults {
        playground.fault(Rule::new(fault.clone()).verb("watch").resource("pods").times(1));
        playground.cut_watches(Some("pods"));
        playground.step_fleet(40);
        feed.until_equal(&playground).await;
        feed.until_live().await;
        playground.clear_faults();
        assert_eq!(feed.epochs, 0, "{fault:?}");
    }
    feed.end().await;
}

#[tokio::test]
async fn r_rel_3_a_server_that_falls_silent_makes_the_view_stale_and_its_return_live() {
    for fault in [Fault::Stall, Fault::HalfOpen] {
        let playground = start(Options::quiet()).await;
        let mut feed = Followed::pods(&playground, quick()).await;
        feed.until_live().await;
        let rule = playground.fault(Rule::new(fault)).expect("a rule");
        feed.until("stale", |feed| matches!(feed.state, Some(ViewState::Stale { .. }))).await;
        assert!(feed.reason.is_some(), "it says why");
        playground.remove_fault(rule);
        playground.step_fleet(20);
        feed.until_equal(&playground).await;
        feed.until_live().await;
        feed.end().await;
    }
}

#[tokio::test]
async fn a_server_that_was_killed_and_comes_back_without_its_history_is_compared() {
    let playground = start(Options::quiet()).await;
    let mut feed = Followed::pods(&playground, quick()).await;
    feed.until_live().await;
    playground.down();
    feed.until("refused", |feed| feed.reason == Some(Reason::ConnectionRefused)).await;
    playground.step_fleet(50);
    playground.up().await.expect("the port");
    feed.until_equal(&playground).await;
    feed.until_live().await;
    // By how many tries found nobody there.
    assert!(matches!(feed.gaps.as_slice(), [Reason::Expired | Reason::ConnectionRefused]), "{:?}", feed.gaps);
    assert_eq!(feed.epochs, 0);
    feed.end().await;
}

#[tokio::test]
async fn r_rel_5_a_cluster_that_was_restored_begins_a_new_epoch() {
    let playground = start(Options::quiet()).await;
    let revision = playground.revision();
    playground.step_fleet(60);
    let mut feed = Followed::pods(&playground, quick()).await;
    feed.until_live().await;
    playground.restore(revision);
    feed.until("a new epoch", |feed| feed.epochs > 0).await;
    feed.until_equal(&playground).await;
    feed.until_live().await;
    feed.end().await;
}

#[tokio::test]
async fn who_may_not_list_is_told_so_and_who_may_not_watch_gets_a_polled_view() {
    let playground = start(Options::quiet()).await;
    playground.fault(Rule::new(Fault::Forbidden).verb("watch").resource("pods"));
    let mut feed = Followed::pods(&playground, quick()).await;
    feed.until("polled", |feed| matches!(feed.state, Some(ViewState::Polled { .. }))).await;
    assert_eq!(feed.reason, Some(Reason::Forbidden));
    playground.step_fleet(30);
    feed.until_equal(&playground).await;
    playground.fault(Rule::new(Fault::Forbidden).verb("list").resource("pods"));
    feed.until("forbidden", |feed| matches!(feed.state, Some(ViewState::Forbidden { .. }))).await;
    playground.clear_faults();
    feed.until_equal(&playground).await;
    feed.end().await;
}

#[tokio::test]
async fn a_server_without_tables_gives_name_and_age() {
    let playground = start(Options::quiet()).await;
    playground.fault(Rule::new(Fault::NoTable));
    let mut feed = Followed::pods(&playground, quick()).await;
    feed.until_live().await;
    assert_eq!(feed.columns, ["Name", "Age"]);
    feed.until_equal(&playground).await;
    feed.end().await;
}

#[tokio::test]
async fn a_viewer_who_retries_does_not_wait() {
    let playground = start(Options::quiet()).await;
    let mut options = quick();
    (options.slow_retry_ms, options.slow_retry_first_ms) = (3_600_000, 3_600_000);
    let rule = playground.fault(Rule::new(Fault::Forbidden).resource("pods")).expect("a rule");
    let mut feed = Followed::pods(&playground, options).await;
    feed.until("forbidden", |feed| matches!(feed.state, Some(ViewState::Forbidden { .. }))).await;
    playground.remove_fault(rule);
    feed.commands.send(FeedCommand::Retry).await.expect("the feed runs");
    feed.until_live().await;
    feed.end().await;
}

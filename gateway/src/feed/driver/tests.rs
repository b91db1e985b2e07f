//! The driver against a server on a real socket: the playground with its faults, which changes only when a
//! test says so. Tests wait for what the feed says, never for time.

use std::collections::BTreeMap;
use std::time::Duration;

use playground::{Fault, Options, Playground, Rule};
use serde_json::{Value, json};
use shared::name::ClusterName;
use shared::problem::Reason;
use shared::resource::Resource;
use shared::row::{RowId, order_key};
use shared::state::ViewState;
use tokio::task::JoinHandle;

use super::*;
use crate::cluster::testing::{connect, definition};
use crate::feed::{Change, FeedProofs};
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

impl Followed {
    async fn pods(playground: &Playground, options: FeedOptions) -> Self {
        Self::of(&connect(playground).await, pods(), options)
    }

    fn of(cluster: &Cluster, resource: Resource, options: FeedOptions) -> Self {
        let key = FeedKey::of(ClusterName::parse("demo").expect("a name"), resource);
        let (sender, outputs) = mpsc::channel(limits::FEED_OUTPUTS_MAX);
        let (commands, receiver) = mpsc::channel(4);
        let cancel = CancellationToken::new();
        let cluster = (cluster.clone(), FeedProofs::default().enter(&key));
        let task = tokio::spawn(drive(key, cluster, options, None, (sender, receiver), cancel.clone()));
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
            Change::LeftOut(left_out) => panic!("{left_out:?}"),
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
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let shown = |pod: Value| {
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

fn pods() -> Resource {
    Resource::parse("", "v1", "pods").expect("a resource")
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
        let mut feed = Followed::of(&cluster, pods(), options);
        feed.until_live().await;
        feed.until_equal(&playground).await;
        assert_eq!(cluster.may_watch_list(&pods()), fault.is_none(), "{fault:?}");
        feed.end().await;
    }
}

#[tokio::test]
async fn whatever_happens_to_a_watch_the_rows_become_equal_again() {
    let while_it_runs =
        [Fault::Drop, Fault::GoneEvent, Fault::TruncatedJson, Fault::CutInValue, Fault::UnknownEvent];
    let when_it_opens = [
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
    let running = while_it_runs.map(|fault| (Rule::new(fault).open_only(), false));
    let opening = when_it_opens.map(|fault| (Rule::new(fault), true));
    for (rule, cuts) in running.into_iter().chain(opening) {
        let shown = format!("{rule:?}");
        playground.fault(rule.verb("watch").resource("pods").times(1));
        if cuts {
            playground.cut_watches(Some("pods"));
        }
        playground.step_fleet(40);
        feed.until_equal(&playground).await;
        feed.until_live().await;
        playground.clear_faults();
        assert_eq!(feed.epochs, 0, "{shown}");
    }
    assert!(feed.gaps.contains(&Reason::Expired), "{:?}", feed.gaps);
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

#[tokio::test]
async fn r_rel_6_a_definition_that_is_made_again_with_another_scope_leaves_no_row_of_the_former_one() {
    let boat =
        |metadata: Value| json!({"apiVersion": "example.org/v1", "kind": "boats", "metadata": metadata});
    let playground = start(Options::quiet()).await;
    playground.create(definition("boats", "Namespaced", true)).expect("a definition");
    playground.create(boat(json!({"name": "one", "namespace": "default"}))).expect("a boat");
    let boats = Resource::parse("example.org", "v1", "boats").expect("a resource");
    let mut feed = Followed::of(&connect(&playground).await, boats, quick());
    feed.until_live().await;
    assert_eq!(feed.rows.len(), 1);
    let definitions = "customresourcedefinitions.apiextensions.k8s.io";
    playground.delete(definitions, "", "boats.example.org").expect("deleted");
    feed.until("gone", |feed| matches!(feed.state, Some(ViewState::Gone { .. }))).await;
    playground.create(definition("boats", "Cluster", true)).expect("a definition");
    for name in ["two", "three"] {
        playground.create(boat(json!({"name": name}))).expect("a boat");
    }
    feed.until("the new ones", |feed| feed.rows.len() == 2 && feed.aside.is_none()).await;
    feed.until_live().await;
    let shown = sorted(&feed);
    for name in ["two", "three"] {
        let begins = |row: &String| row.starts_with(&format!("{}@", order_key(None, name)));
        assert!(shown.iter().any(begins), "{shown:?}");
    }
    feed.end().await;
}

//! Views of logs before the playground: merged, joined with what is kept, shared, refused in the middle, cut off.

use std::collections::BTreeMap;
use std::sync::Mutex;

use playground::{Fault, Options, Playground, Rule};
use serde_json::{Value, json};
use shared::frame::client::LogTime;
use shared::frame::server::{LogMark, SourceState};
use shared::scope::Namespaces;

use super::*;
use crate::cluster::{Ceiling, Source as Upstream};
use crate::feed::{Redaction, RedactionSettings};
use crate::metrics::Metrics;

const START: &str = "2026-03-01T10:00:00Z";
const START_S: i64 = 1_772_359_200;
const BUSY: &str = "registry.example.com/tests/busy:v1";

struct Rig {
    playground: Playground,
    cluster: Cluster,
    desk: LogDesk,
}

/// A viewer of logs, with what they were told.
struct Viewer {
    stream: BoxStream<'static, LogSaid>,
    /// The sources by their numbers.
    sources: BTreeMap<u32, (String, SourceState)>,
    entries: Vec<LogEntry>,
    /// The number of the last line of each source.
    last: BTreeMap<u32, u64>,
    caught_up: bool,
    over: bool,
    refused: Option<Problem>,
}

impl Rig {
    async fn start() -> Self {
        let playground = Playground::start(Options::empty()).await.expect("a free port");
        let upstream =
            Upstream::Url { url: playground.url(), token: None, certificate: None, name: "demo".into() };
        let ceiling = Ceiling::default().with_logs(true);
        let cluster = Cluster::connect(upstream, ceiling, Metrics::new()).await.expect("it answers");
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
        playground.create(namespace).expect("created");
        let settings = Arc::new(Mutex::new(RedactionSettings::default()));
        let redaction: RedactionNow =
            Arc::new(move || Redaction::of(&settings.lock().expect("it isn't poisoned")));
        playground.step_clock(START_S * 1_000 - jiff::Timestamp::now().as_millisecond());
        Self { playground, cluster, desk: LogDesk::new(redaction) }
    }

    /// A pod whose containers run since the time that the clock shows.
    fn pod(&self, name: &str, image: &str, containers: &[&str]) {
        let spec: Vec<Value> =
            containers.iter().map(|container| json!({"name": container, "image": image})).collect();
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "shop", "labels": {"app": "cart"}},
            "spec": {"nodeName": "node", "containers": spec},
        });
        self.playground.create(pod).expect("created");
        let running = json!({"running": {"startedAt": START}});
        for_each_status(&self.playground, name, image, containers, &running, &json!({}), "1");
    }

    fn view(&self, identity: &str, scope: Value, asked: Value) -> Viewer {
        let mut scope = scope;
        scope["resource"] = scope
            .get("resource")
            .cloned()
            .unwrap_or_else(|| json!({"group": "", "version": "v1", "resource": "pods"}));
        let mut scope: Scope = serde_json::from_value(scope).expect("a scope");
        let namespace = Namespace::parse("shop").expect("a name");
        scope.namespaces = Namespaces::these(vec![namespace.clone()]).expect("one");
        let asked = ViewAsked {
            cluster: self.cluster.clone(),
            upstream: UpstreamIdentity::Gateway,
            identity: Identity::new(identity).expect("a name"),
            namespace,
            scope,
            pods: Resource::parse("", "v1", "pods").expect("a resource"),
            asked: serde_json::from_value(asked).expect("what is asked"),
        };
        Viewer {
            stream: self.desk.view(asked),
            sources: BTreeMap::new(),
            entries: Vec::new(),
            last: BTreeMap::new(),
            caught_up: false,
            over: false,
            refused: None,
        }
    }

    /// The requests for logs, by their queries.
    fn asked(&self) -> Vec<String> {
        let all = self.playground.requests();
        let logs = all.iter().filter_map(|request| request.path_and_query.split_once("/log?"));
        logs.map(|(_, query)| query.to_owned()).collect()
    }
}

fn for_each_status(
    playground: &Playground,
    pod: &str,
    image: &str,
    containers: &[&str],
    state: &Value,
    last: &Value,
    run: &str,
) {
    let statuses: Vec<Value> = containers
        .iter()
        .map(|container| {
            json!({
                "name": container, "image": image, "containerID": format!("{pod}-{container}-{run}"),
                "state": state, "lastState": last,
            })
        })
        .collect();
    let status = json!({"status": {"phase": "Running", "containerStatuses": statuses}});
    playground.patch("pods", "shop", pod, status).expect("patched");
}

impl Viewer {
    /// Reads on until something is so.
    async fn until(&mut self, is_so: impl Fn(&Self) -> bool) {
        while !is_so(self) {
            let said = self.stream.next().await.expect("it isn't over");
            match said {
                LogSaid::Reads(_) => {}
                LogSaid::Part(part) => {
                    for source in part.sources {
                        self.sources
                            .insert(source.n, (format!("{}/{}", source.pod, source.container), source.state));
                    }
                    for entry in &part.entries {
                        if let Some(number) = entry.text.as_deref().and_then(number_of) {
                            self.last.insert(entry.n, number);
                        }
                    }
                    self.entries.extend(part.entries);
                    self.caught_up |= part.caught_up;
                    self.over |= part.over;
                }
                LogSaid::Ended(problem) => self.refused = Some(problem),
            }
        }
    }

    fn lines_of(&self, n: u32) -> Vec<&str> {
        self.entries.iter().filter(|entry| entry.n == n).filter_map(|entry| entry.text.as_deref()).collect()
    }

    /// The numbers of the lines that a busy container wrote.
    fn numbers_of(&self, n: u32) -> Vec<u64> {
        self.lines_of(n).into_iter().map(|text| number_of(text).expect(text)).collect()
    }

    fn last_of(&self, n: u32) -> Option<u64> {
        self.last.get(&n).copied()
    }

    fn marks(&self) -> Vec<LogMark> {
        self.entries.iter().filter_map(|entry| entry.mark).collect()
    }

    /// How the client asks for what follows.
    fn has(&self) -> Value {
        let has = self.sources.iter().filter_map(|(n, (name, _))| {
            let (pod, container) = name.split_once('/')?;
            let times = || self.entries.iter().filter(|entry| entry.n == *n && entry.mark.is_none());
            let at: LogTime = times().filter_map(|entry| entry.at).max()?;
            let lines = times().filter(|entry| entry.at == Some(at)).count();
            Some(json!({"pod": pod, "container": container, "at": at, "lines": lines}))
        });
        Value::Array(has.collect())
    }
}

fn number_of(text: &str) -> Option<u64> {
    text.strip_prefix("line ")?.parse().ok()
}

fn all_to(last: u64) -> Vec<u64> {
    (0..=last).collect()
}

#[tokio::test]
async fn what_is_there_is_merged_by_time_and_what_comes_follows_without_loss_or_doubles() {
    let rig = Rig::start().await;
    for pod in ["cart-0", "cart-1"] {
        rig.pod(pod, BUSY, &["cart", "proxy"]);
    }
    rig.playground.step_clock(8_000);
    let mut viewer = rig.view("ada", json!({"labels": "app=cart"}), json!({}));
    viewer.until(|viewer| viewer.caught_up).await;
    assert_eq!(viewer.sources.len(), 4);
    let times: Vec<_> = viewer.entries.iter().map(|entry| (entry.at, entry.n)).collect();
    assert!(times.is_sorted(), "by time, and of one time by source");
    let there = viewer.last_of(0).expect("lines");
    assert!(there > 1_300, "{there}: more than is kept of the first answer");
    for step in 1..=5 {
        rig.playground.step_clock(1_000);
        let last = there + step * 190;
        viewer.until(|viewer| (0..4).all(|n| viewer.last_of(n) >= Some(last))).await;
    }
    for n in 0..4 {
        assert_eq!(viewer.numbers_of(n), all_to(viewer.last_of(n).expect("lines")));
    }
    assert_eq!(viewer.marks(), []);
    assert_eq!(rig.playground.open_logs(), 4);
}

/// 50 pods at 200 lines a second each.
#[tokio::test]
async fn ten_viewers_of_fifty_busy_pods_share_fifty_requests_and_each_is_told_every_line_once() {
    let rig = Rig::start().await;
    let pods: Vec<String> = (0..50).map(|number| format!("cart-{number:02}")).collect();
    for pod in &pods {
        rig.pod(pod, BUSY, &["cart"]);
    }
    rig.playground.step_clock(1_000);
    let names: Vec<String> = (0..10).map(|number| format!("viewer-{number}")).collect();
    let mut viewers: Vec<Viewer> =
        names.iter().map(|name| rig.view(name, json!({"labels": "app=cart"}), json!({}))).collect();
    join_all(viewers.iter_mut().map(|viewer| viewer.until(|viewer| viewer.caught_up))).await;
    for second in 2..=4 {
        rig.playground.step_clock(1_000);
        let last = (second - 1) * 195;
        let reached = |viewer: &Viewer| (0..50).all(|n| viewer.last_of(n) >= Some(last));
        join_all(viewers.iter_mut().map(|viewer| viewer.until(reached))).await;
    }
    for viewer in &viewers {
        assert_eq!(viewer.sources.len(), 50);
        assert_eq!(viewer.marks(), []);
        for n in 0..50 {
            let numbers = viewer.numbers_of(n);
            assert_eq!(numbers, all_to(*numbers.last().expect("lines")), "{n}");
        }
    }
    assert_eq!(rig.playground.open_logs(), 50, "one for all viewers of a container");
    let followed = rig.asked().iter().filter(|query| query.contains("follow=true")).count();
    assert_eq!(followed, 50);
    drop(viewers);
}

#[tokio::test]
async fn a_client_that_comes_back_goes_on_behind_what_it_has() {
    let rig = Rig::start().await;
    rig.pod("cart-0", BUSY, &["cart"]);
    rig.playground.step_clock(10_000);
    let mut first = rig.view("ada", json!({"name": "cart-0"}), json!({"tail": 10}));
    first.until(|viewer| viewer.caught_up).await;
    assert_eq!(first.numbers_of(0).len(), 10);
    let (has, last) = (first.has(), first.last_of(0).expect("lines"));
    for stays in [true, false] {
        rig.playground.step_clock(15_000);
        if !stays {
            drop(std::mem::replace(&mut first.stream, stream::empty().boxed()));
        }
        let mut again = rig.view("ada", json!({"name": "cart-0"}), json!({"has": has}));
        again.until(|viewer| viewer.last_of(0) >= Some(last + 2_500)).await;
        let numbers = again.numbers_of(0);
        assert_eq!(numbers, (last + 1..=*numbers.last().expect("lines")).collect::<Vec<_>>(), "{stays}");
        assert_eq!(again.marks(), [], "{stays}");
    }
}

#[tokio::test]
async fn since_and_tail_choose_of_what_is_there_to_the_nanosecond() {
    let rig = Rig::start().await;
    rig.pod("cart-0", BUSY, &["cart"]);
    rig.playground.step_clock(20_000);
    let once = |asked: Value| rig.view("ada", json!({"name": "cart-0"}), asked);
    let mut all = once(json!({"once": true}));
    all.until(|viewer| viewer.over).await;
    let count = all.entries.len();
    assert!(count > 3_000 && all.numbers_of(0) == all_to(count as u64 - 1), "{count}");
    let from = &all.entries[count - 150];
    for follows in [false, true] {
        for (asked, expected) in [
            (json!({"tail": 7}), 7),
            (json!({"tail": 0}), 0),
            (json!({"since": from.at}), 150),
            (json!({"since": from.at, "tail": 9}), 9),
        ] {
            let mut asked = asked;
            asked["once"] = json!(!follows);
            let mut viewer = once(asked.clone());
            viewer.until(|viewer| viewer.caught_up).await;
            assert_eq!(viewer.entries, all.entries[count - expected..], "{asked}");
            assert_eq!(viewer.over, !follows);
        }
    }
}

#[tokio::test]
async fn pods_that_come_are_read_from_their_first_line_and_those_that_go_are_said_to_be_gone() {
    let rig = Rig::start().await;
    rig.pod("cart-0", BUSY, &["cart"]);
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "cart", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"app": "cart"}}, "template": {
            "metadata": {"labels": {"app": "cart"}}, "spec": {"containers": [{"name": "cart", "image": BUSY}]},
        }},
    });
    rig.playground.create(deployment).expect("created");
    rig.playground.step_clock(5_000);
    let owner =
        json!({"resource": {"group": "apps", "version": "v1", "resource": "deployments"}, "name": "cart"});
    let mut viewer = rig.view("ada", owner, json!({"tail": 1}));
    viewer.until(|viewer| viewer.caught_up).await;
    assert_eq!(viewer.numbers_of(0).len(), 1);
    rig.pod("cart-1", BUSY, &["cart"]);
    viewer.until(|viewer| viewer.last_of(1) >= Some(900)).await;
    assert_eq!(
        viewer.numbers_of(1),
        all_to(viewer.last_of(1).expect("lines")),
        "a pod that came later is told whole"
    );
    rig.playground.delete("pods", "shop", "cart-0").expect("deleted");
    viewer.until(|viewer| viewer.sources[&0].1 == SourceState::Ended).await;
    assert_eq!(viewer.marks(), [LogMark::Deleted]);
    assert!(!viewer.over && viewer.sources[&1].1 == SourceState::Read);
}

#[tokio::test]
async fn a_rollout_and_what_else_selects_its_pods_as_a_deployment_does_has_their_logs() {
    let rig = Rig::start().await;
    rig.pod("cart-0", BUSY, &["cart"]);
    rig.pod("cart-1", BUSY, &["cart"]);
    rig.playground.step_clock(5_000);
    let owners = [
        ("argoproj.io", "v1alpha1", "rollouts", "Rollout"),
        ("apps.kruise.io", "v1alpha1", "clonesets", "CloneSet"),
        ("apps.kruise.io", "v1beta1", "statefulsets", "StatefulSet"),
        ("apps.kruise.io", "v1alpha1", "daemonsets", "DaemonSet"),
    ];
    for (group, version, plural, kind) in owners {
        let schema =
            json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.{group}")},
            "spec": {
                "group": group, "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
                "versions": [{"name": version, "served": true, "storage": true, "schema": schema}],
            },
        });
        rig.playground.create(definition).expect("created");
        let owner = json!({
            "apiVersion": format!("{group}/{version}"), "kind": kind,
            "metadata": {"name": "cart", "namespace": "shop"}, "spec": {"selector": {"matchLabels": {"app": "cart"}}},
        });
        rig.playground.create(owner).expect("created");
        let resource = json!({"group": group, "version": version, "resource": plural});
        let mut viewer = rig.view("ada", json!({"resource": resource, "name": "cart"}), json!({"tail": 1}));
        viewer.until(|viewer| viewer.caught_up).await;
        assert_eq!(viewer.sources.len(), 2, "{plural}");
        assert!(!viewer.numbers_of(0).is_empty() && !viewer.numbers_of(1).is_empty(), "{plural}");
    }
}

#[tokio::test]
async fn a_container_that_does_not_run_yet_is_read_from_its_first_line_as_soon_as_the_pod_says_that_it_runs()
{
    let mut rig = Rig::start().await;
    rig.desk.streams.pause_without_end();
    rig.pod("cart-0", BUSY, &["cart"]);
    let waiting = json!({"waiting": {"reason": "ContainerCreating"}});
    for_each_status(&rig.playground, "cart-0", BUSY, &["cart"], &waiting, &json!({}), "1");
    let mut once = rig.view("ada", json!({"name": "cart-0"}), json!({"once": true}));
    once.until(|viewer| viewer.over).await;
    let problem = once.entries[0].problem.clone().expect("a problem");
    assert_eq!(
        problem.message,
        "container \"cart\" in pod \"cart-0\" is waiting to start: ContainerCreating"
    );
    let mut viewer = rig.view("ada", json!({"name": "cart-0"}), json!({}));
    viewer.until(|viewer| viewer.caught_up).await;
    assert_eq!(viewer.sources[&0].1, SourceState::Waiting);
    // Before the gateway asks again it has written more than a first answer has.
    rig.playground.step_clock(15_000);
    for_each_status(
        &rig.playground,
        "cart-0",
        BUSY,
        &["cart"],
        &json!({"running": {"startedAt": START}}),
        &json!({}),
        "1",
    );
    viewer.until(|viewer| viewer.last_of(0) >= Some(2_000)).await;
    assert_eq!(viewer.numbers_of(0), all_to(viewer.last_of(0).expect("lines")));
    assert_eq!(viewer.marks(), []);
}

#[tokio::test]
async fn the_run_before_is_one_request_that_is_not_followed() {
    let rig = Rig::start().await;
    rig.pod("cart-0", BUSY, &["cart"]);
    let mut none = rig.view("ada", json!({"name": "cart-0"}), json!({"previous": true}));
    none.until(|viewer| viewer.over).await;
    let said = &none.entries[0].problem.as_ref().expect("a problem").message;
    assert_eq!(said, "previous terminated container \"cart\" in pod \"cart-0\" not found");
    let ended = json!({"terminated": {
        "exitCode": 3, "startedAt": START, "finishedAt": "2026-03-01T10:00:02Z", "containerID": "before",
    }});
    let running = json!({"running": {"startedAt": "2026-03-01T10:00:03Z"}});
    for_each_status(&rig.playground, "cart-0", BUSY, &["cart"], &running, &ended, "2");
    rig.playground.step_clock(10_000);
    let mut previous = rig.view("ada", json!({"name": "cart-0"}), json!({"previous": true, "tail": 3}));
    previous.until(|viewer| viewer.over).await;
    assert_eq!(previous.lines_of(0).last(), Some(&"fails"));
    assert_eq!(previous.entries.len(), 3);
    assert_eq!(rig.playground.open_logs(), 0);
}

#[tokio::test]
async fn a_log_that_is_refused_in_the_middle_ends_by_itself_and_one_in_trouble_goes_on() {
    let rig = Rig::start().await;
    for pod in ["cart-0", "cart-1"] {
        rig.pod(pod, BUSY, &["cart"]);
    }
    rig.playground.step_clock(2_000);
    let mut viewer = rig.view("ada", json!({"labels": "app=cart"}), json!({}));
    viewer.until(|viewer| viewer.caught_up).await;
    // Both are cut off and find the API server in trouble twice.
    rig.playground.fault(Rule::new(Fault::InternalError).resource("pods/log").times(3));
    rig.playground.fault(Rule::new(Fault::Drop).resource("pods/log").open_only().times(2));
    rig.playground.step_clock(3_000);
    viewer.until(|viewer| (0..2).all(|n| viewer.last_of(n) >= Some(900))).await;
    for n in 0..2 {
        assert_eq!(viewer.numbers_of(n), all_to(viewer.last_of(n).expect("lines")));
    }
    rig.playground.fault(Rule::new(Fault::Forbidden).resource("pods/log").times(1));
    rig.playground.fault(Rule::new(Fault::Drop).resource("pods/log").open_only().times(1));
    viewer.until(|viewer| viewer.sources.values().any(|(_, state)| *state == SourceState::Refused)).await;
    let refused = viewer.entries.iter().find_map(|entry| entry.problem.clone()).expect("a problem");
    assert_eq!(
        (refused.reason, refused.message.as_str()),
        (Reason::Forbidden, "the gateway may not read the logs of shop")
    );
    let others: Vec<u32> = viewer
        .sources
        .iter()
        .filter(|(_, (_, state))| *state == SourceState::Read)
        .map(|(n, _)| *n)
        .collect();
    assert_eq!(others.len(), 1);
    rig.playground.step_clock(2_000);
    viewer.until(|viewer| viewer.last_of(others[0]) >= Some(1_300)).await;
}

#[tokio::test]
async fn r_log_2_a_line_of_ten_megabytes_is_cut_and_what_follows_it_is_told() {
    let rig = Rig::start().await;
    rig.pod("cart-0", "registry.example.com/tests/huge:v1", &["cart"]);
    rig.playground.step_clock(1_000);
    let mut viewer = rig.view("ada", json!({"name": "cart-0"}), json!({"once": true}));
    viewer.until(|viewer| viewer.over).await;
    let [huge, behind] = viewer.entries.as_slice() else { panic!("two lines: {}", viewer.entries.len()) };
    let length = huge.text.as_ref().expect("a text").len();
    assert_eq!((length, huge.cut), (64 * 1024, 10 * 1024 * 1024 - 64 * 1024));
    assert_eq!(behind.text.as_deref(), Some("behind it"));
}

#[tokio::test]
async fn r_data_1_a_secret_in_a_line_is_masked_and_its_escapes_are_told() {
    let rig = Rig::start().await;
    rig.pod("cart-0", "registry.example.com/tests/secret:v1", &["cart"]);
    rig.playground.step_clock(10_000);
    for once in [true, false] {
        let mut viewer = rig.view("ada", json!({"name": "cart-0"}), json!({"once": once}));
        viewer.until(|viewer| viewer.caught_up).await;
        let lines = viewer.lines_of(0);
        assert_eq!(lines[0], "\u{1b}]0;title\u{7}\u{1b}[31mstarts\u{1b}[0m");
        assert!(lines[1].starts_with("canary-4711 password=•••••••• ("), "{}", lines[1]);
        assert!(!lines.concat().contains("hunter2"));
    }
}

#[tokio::test]
async fn a_viewer_that_does_not_read_is_told_how_many_lines_were_skipped() {
    let rig = Rig::start().await;
    rig.pod("cart-0", BUSY, &["cart"]);
    rig.playground.step_clock(1_000);
    let mut slow = rig.view("ada", json!({"name": "cart-0"}), json!({}));
    let mut quick = rig.view("bob", json!({"name": "cart-0"}), json!({}));
    rig.playground.step_clock(1_000);
    for viewer in [&mut slow, &mut quick] {
        viewer.until(|viewer| viewer.last_of(0) >= Some(300)).await;
    }
    // More than is kept of a log, while only one of them reads.
    let mut last = 300;
    while last < 40_000 {
        rig.playground.step_clock(10_000);
        last += 1_900;
        quick.until(|viewer| viewer.last_of(0) >= Some(last)).await;
    }
    slow.until(|viewer| viewer.last_of(0) >= Some(last)).await;
    let skipped: Vec<u64> = slow
        .entries
        .iter()
        .filter(|entry| entry.mark == Some(LogMark::Skipped))
        .map(|entry| entry.lines)
        .collect();
    assert_eq!(skipped.len(), 1, "{:?}", slow.marks());
    let numbers = slow.numbers_of(0);
    let missing = numbers.last().expect("lines") + 1 - numbers.len() as u64;
    assert_eq!(skipped[0], missing);
    assert!(numbers.is_sorted_by(|one, next| one < next));
}

#[tokio::test]
async fn r_net_8_a_viewer_reads_so_many_logs_and_the_rest_say_why_they_are_not_told() {
    let rig = Rig::start().await;
    for number in 0..33 {
        rig.pod(&format!("cart-{number}"), BUSY, &["cart", "proxy"]);
    }
    let mut viewer = rig.view("ada", json!({"labels": "app=cart"}), json!({"tail": 1}));
    viewer.until(|viewer| viewer.caught_up).await;
    let refused = viewer.sources.values().filter(|(_, state)| *state == SourceState::Refused).count();
    assert_eq!((viewer.sources.len(), refused), (66, 2));
    let problem = viewer.entries.iter().find_map(|entry| entry.problem.as_ref()).expect("a problem");
    assert_eq!(problem.reason, Reason::Limit);
}

#[tokio::test]
async fn what_is_not_there_is_said_in_one_sentence() {
    let rig = Rig::start().await;
    rig.pod("cart-0", BUSY, &["cart"]);
    let service = json!({"group": "", "version": "v1", "resource": "services"});
    for (scope, asked, expected) in [
        (json!({"name": "cart-9"}), json!({}), "pods \"cart-9\" not found"),
        (json!({"resource": service, "name": "cart"}), json!({}), "services \"cart\" not found"),
        (
            json!({"name": "cart-0"}),
            json!({"containers": ["catr"]}),
            "no pod has a container \"catr\"; there are cart",
        ),
    ] {
        let mut viewer = rig.view("ada", scope, asked);
        viewer.until(|viewer| viewer.refused.is_some()).await;
        assert_eq!(viewer.refused.expect("a problem").message, expected);
    }
    let mut none = rig.view("ada", json!({"labels": "app=none"}), json!({"once": true}));
    none.until(|viewer| viewer.over).await;
    assert!(none.sources.is_empty() && none.entries.is_empty());
}

#[tokio::test]
async fn a_node_that_does_not_answer_is_waited_for_a_while_and_told_when_it_does() {
    let rig = Rig::start().await;
    for pod in ["cart-0", "cart-1"] {
        rig.pod(pod, BUSY, &["cart"]);
    }
    rig.playground.step_clock(3_000);
    let stalled = rig.playground.fault(Rule::new(Fault::Stall).resource("pods/log")).expect("a rule");
    let mut viewer = rig.view("ada", json!({"labels": "app=cart"}), json!({"once": true}));
    viewer.until(|viewer| viewer.caught_up).await;
    assert!(viewer.entries.is_empty() && !viewer.over);
    rig.playground.remove_fault(stalled);
    viewer.until(|viewer| viewer.over).await;
    for n in 0..2 {
        let numbers = viewer.numbers_of(n);
        assert_eq!((numbers.len() > 300, numbers.first()), (true, Some(&0)));
    }
}

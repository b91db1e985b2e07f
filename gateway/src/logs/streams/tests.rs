//! A log that is followed before the playground: shared, cut off, restarted, left alone.

use playground::{Fault, Options, Playground, Rule};
use serde_json::json;

use super::*;
use crate::cluster::{Ceiling, Source};
use crate::feed::RedactionSettings;
use crate::logs::machine::LogMark;
use crate::metrics::Metrics;

struct Rig {
    playground: Playground,
    cluster: Cluster,
    streams: LogStreams,
    settings: Arc<Mutex<RedactionSettings>>,
}

impl Rig {
    /// A pod `web` of `shop` whose container runs since the time that the clock shows.
    async fn start() -> Self {
        let playground = Playground::start(Options::empty()).await.expect("a free port");
        let source =
            Source::Url { url: playground.url(), token: None, certificate: None, name: "demo".into() };
        let ceiling = Ceiling::default().with_logs(true);
        let cluster = Cluster::connect(source, ceiling, Metrics::new()).await.expect("it answers");
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
        playground.create(namespace).expect("created");
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"nodeName": "node", "containers": [{"name": "app", "image": "app"}]},
        });
        playground.create(pod).expect("created");
        let settings: Arc<Mutex<RedactionSettings>> = Arc::default();
        let redaction: RedactionNow = {
            let settings = Arc::clone(&settings);
            Arc::new(move || Redaction::of(&lock(&settings)))
        };
        let streams = LogStreams {
            linger: Duration::from_millis(50),
            ..LogStreams::new(redaction, LogPlaces::default())
        };
        let rig = Self { playground, cluster, streams, settings };
        rig.status(json!({"running": {"startedAt": START}}), json!({}), "containerd://1");
        rig.playground.step_clock(START_S * 1_000 - jiff::Timestamp::now().as_millisecond());
        rig
    }

    fn status(&self, state: Value, last: Value, id: &str) {
        let status = json!({"status": {"phase": "Running", "containerStatuses": [{
            "name": "app", "image": "app:v1", "containerID": id, "state": state, "lastState": last,
        }]}});
        self.playground.patch("pods", "shop", "web", status).expect("patched");
    }

    fn reader(&self) -> LogReader {
        let pod = self.playground.get("pods", "shop", "web").expect("a pod");
        let uid = pod.pointer("/metadata/uid").and_then(Value::as_str).expect("a uid");
        let key = LogKey {
            cluster: ClusterName::parse("demo").expect("a name"),
            upstream: UpstreamIdentity::Gateway,
            namespace: Namespace::parse("shop").expect("a name"),
            pod: ObjectName::parse("web").expect("a name"),
            uid: uid.into(),
            container: "app".into(),
        };
        self.streams.open(key, self.cluster.clone()).expect("room")
    }
}

const START: &str = "2026-03-01T10:00:00Z";
const START_S: i64 = 1_772_359_200;

/// What is next, when there is something. `None`: the log is over.
async fn next(reader: &mut LogReader) -> Result<Option<LogPart>, Problem> {
    loop {
        match reader.take(usize::MAX) {
            (_, Some(LogEnd { refused })) => return refused.map_or(Ok(None), Err),
            (part, None) if part != LogPart::default() => return Ok(Some(part)),
            _ => reader.changed().await,
        }
    }
}

/// The numbers of the lines up to one, -1 for a mark.
async fn numbers_to(reader: &mut LogReader, last: i64) -> Vec<i64> {
    let mut numbers = Vec::new();
    while numbers.last().is_none_or(|number| *number < last) {
        let part = next(reader).await.expect("it may be read").expect("it goes on");
        assert_eq!(part.skipped, 0);
        numbers.extend(part.entries.iter().map(|entry| number_of(entry)));
    }
    numbers
}

/// The number that the playground writes into each line but the first one.
fn number_of(entry: &LogEntry) -> i64 {
    match entry {
        LogEntry::Line(line) => {
            let number =
                line.text.rsplit_once('(').and_then(|(_, rest)| rest.trim_end_matches(')').parse().ok());
            number.unwrap_or_default()
        }
        LogEntry::Mark(_) => -1,
    }
}

fn without_waits(numbers: &[i64]) -> Vec<i64> {
    numbers.iter().copied().filter(|number| *number != 0).collect()
}

#[tokio::test]
async fn readers_of_a_log_share_one_request_which_ends_a_while_after_the_last_of_them() {
    let rig = Rig::start().await;
    let (mut first, mut second) = (rig.reader(), rig.reader());
    rig.playground.step_clock(60_000);
    let told = numbers_to(&mut first, 20).await;
    assert_eq!(numbers_to(&mut second, 20).await[..5], told[..5]);
    assert_eq!(rig.playground.open_logs(), 1);
    drop(first);
    let mut late = rig.reader();
    drop(second);
    assert_eq!(numbers_to(&mut late, 20).await[..5], told[..5], "what is kept comes first");
    assert_eq!(rig.playground.open_logs(), 1);
    drop(late);
    rig.playground.wait_for_logs(0).await;
    let asked = rig.playground.requests();
    let logs: Vec<_> = asked.iter().filter(|request| request.path_and_query.contains("/log?")).collect();
    assert_eq!(logs.len(), 1, "{logs:?}");
    assert_eq!(
        logs[0].path_and_query,
        "/api/v1/namespaces/shop/pods/web/log?container=app&follow=true&tailLines=1000&timestamps=true"
    );
    // It is opened anew for whoever comes then.
    numbers_to(&mut rig.reader(), 20).await;
}

#[tokio::test]
async fn a_log_that_is_cut_off_goes_on_with_the_next_line() {
    let rig = Rig::start().await;
    let mut reader = rig.reader();
    let mut told = Vec::new();
    for step in 1..=5 {
        rig.playground.step_clock(30_000);
        told.extend(numbers_to(&mut reader, step * 10).await);
        rig.playground.fault(Rule::new(Fault::Drop).resource("pods/log").open_only().times(1));
    }
    let seen = without_waits(&told);
    let is_next = |pair: &[i64]| matches!(pair, [one, other] if other > one);
    assert!(seen.windows(2).all(is_next), "{seen:?}");
    // The first line has no number, nor has one that waits: all are as many as the last number says.
    let last = usize::try_from(*seen.last().expect("lines")).expect("a number");
    assert_eq!(told.len(), last + 1, "{told:?}");
    assert!(
        rig.playground.requests().iter().filter(|request| request.path_and_query.contains("/log?")).count()
            >= 5
    );
}

#[tokio::test]
async fn a_restart_is_a_mark_behind_the_last_words_of_the_run_before() {
    let rig = Rig::start().await;
    let mut reader = rig.reader();
    rig.playground.step_clock(30_000);
    numbers_to(&mut reader, 5).await;
    let ended = json!({"terminated": {
        "exitCode": 137, "startedAt": START, "finishedAt": "2026-03-01T10:00:40Z", "containerID": "containerd://1",
    }});
    rig.playground.step_clock(30_000);
    rig.status(json!({"running": {"startedAt": "2026-03-01T10:00:41Z"}}), ended, "containerd://2");
    let mut told = Vec::new();
    while !told.iter().any(|text: &String| text.ends_with("app starts")) {
        let part = next(&mut reader).await.expect("it may be read").expect("it goes on");
        told.extend(part.entries.iter().map(|entry| match &**entry {
            LogEntry::Line(line) => line.text.to_string(),
            LogEntry::Mark(mark) => format!("{mark:?}"),
        }));
    }
    let mark = told
        .iter()
        .position(|text| text == "Restarted { exit_code: Some(137), at_s: Some(1772359241) }")
        .expect("a mark");
    assert!(told[mark - 1].ends_with("app fails") && told[mark + 1].ends_with("app starts"), "{told:?}");
    rig.playground.delete("pods", "shop", "web").expect("deleted");
    let mut last = None;
    while let Some(part) = next(&mut reader).await.expect("it may be read") {
        last = part.entries.last().cloned();
    }
    assert_eq!(last.as_deref(), Some(&LogEntry::Mark(LogMark::Deleted)));
}

#[tokio::test]
async fn r_data_3_lines_that_were_masked_by_other_rules_are_not_told_any_more() {
    let rig = Rig::start().await;
    rig.playground.step_clock(60_000);
    let mut early = rig.reader();
    numbers_to(&mut early, 10).await;
    lock(&rig.settings).credential_names.push("badge".to_owned());
    let mut late = rig.reader();
    rig.playground.step_clock(10_000);
    let part = next(&mut late).await.expect("it may be read").expect("it goes on");
    assert!(part.skipped > 5, "{part:?}");
}

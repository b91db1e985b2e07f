//! Streams of the past: what was recorded since a time and then the present, each version once, and a view as of a time.
//! The oracle is what the test wrote itself.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use playground::{Options, Playground};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::stream::Stream;
use testkit::teams::{self, Subject};
use tokio::net::TcpStream;

const MAPS: &str = "resource=configmaps&namespaces=default&labelSelector=by%3Dtest";
/// The versions of each object, and the objects of one round.
const VERSIONS: usize = 6;
const OBJECTS: usize = 12;

/// A cluster, a gateway that records it, and where.
struct Rig {
    playground: Arc<Playground>,
    gateway: Dogwatch,
    folder: TempDir,
}

impl Rig {
    async fn start() -> Self {
        let playground = Arc::new(Playground::start(Options::quiet()).await.expect("a free port"));
        let folder = tempdir().expect("a folder");
        let home = Home::new().expect("a folder");
        let gateway = serve(&home, &playground, &folder, &[]);
        Self { playground, gateway, folder }
    }

    async fn stream(&self, query: &str) -> Stream {
        Stream::of(&self.gateway, &format!("{MAPS}&{query}"), &[]).await.expect("answered")
    }

    /// A viewer of each event, who has all that there is. So the record hears all that the viewer does.
    async fn viewer(&self) -> Stream {
        let mut viewer = self.stream("projection=object").await;
        viewer.until_sync().await.expect("live");
        viewer
    }

    async fn refused(&self, query: &str) -> (u16, String) {
        let stream = Stream::of(&self.gateway, query, &[]).await.expect("answered");
        let (status, problem) = stream.problem().await.expect(query);
        (status, problem["message"].as_str().unwrap_or_default().to_owned())
    }
}

fn serve(home: &Home, playground: &Playground, folder: &TempDir, more: &[&str]) -> Dogwatch {
    let kubeconfig = home.kubeconfig_of(playground).expect("written").display().to_string();
    let record = folder.path().join("record").display().to_string();
    let flags = ["--kubeconfig", &kubeconfig, "--listen", "127.0.0.1:0", "--history", &record];
    home.serve(&[&flags[..], more].concat()).expect("it starts")
}

fn now_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    u64::try_from(since_1970.as_millis()).expect("fits")
}

/// A time after all that has happened, and before all that is to happen.
async fn after_now() -> u64 {
    let time_ms = now_ms() + 1;
    while now_ms() <= time_ms {
        tokio::task::yield_now().await;
    }
    time_ms
}

fn ends(event: &Value, name: &str) -> bool {
    event["type"] == "deleted" && event["name"] == name
}

/// What was written: the versions of each object in their order, of which the end has none.
#[derive(Debug, Default, PartialEq)]
struct Written(BTreeMap<String, Vec<Option<String>>>);

impl Written {
    fn add(&mut self, name: &str, version: Option<&Value>) {
        let version = version.map(|object| object["metadata"]["resourceVersion"].clone());
        let version = version.and_then(|version| version.as_str().map(str::to_owned));
        self.0.entry(name.to_owned()).or_default().push(version);
    }

    fn create(&mut self, playground: &Playground, name: &str) {
        let metadata = json!({ "name": name, "namespace": "default", "labels": { "by": "test" } });
        let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
        self.add(name, Some(&playground.create(object).expect("created")));
    }

    fn patch(&mut self, playground: &Playground, name: &str, step: usize) {
        let patch = json!({ "data": { "step": step.to_string() } });
        self.add(name, Some(&playground.patch("configmaps", "default", name, patch).expect("patched")));
    }

    fn delete(&mut self, playground: &Playground, name: &str) {
        playground.delete("configmaps", "default", name).expect("deleted");
        self.add(name, None);
    }

    /// Objects that come, change, and of which every other one goes.
    fn round(&mut self, playground: &Playground, round: &str) {
        let names: Vec<String> = (0..OBJECTS).map(|number| format!("{round}-{number}")).collect();
        names.iter().for_each(|name| self.create(playground, name));
        for step in 2..VERSIONS {
            names.iter().for_each(|name| self.patch(playground, name, step));
        }
        names.iter().step_by(2).for_each(|name| self.delete(playground, name));
    }

    /// As a stream told it.
    fn hear(&mut self, event: &Value) -> Option<String> {
        let name = event["name"].as_str()?.to_owned();
        let version = event["resource_version"].as_str().map(str::to_owned);
        let version = version.filter(|_| event["type"] != "deleted");
        let versions = self.0.entry(name.clone()).or_default();
        let kind = if versions.is_empty() { "added" } else { "modified" };
        assert!(event["type"] == kind || event["type"] == "deleted", "{event} after {versions:?}");
        versions.push(version);
        Some(name)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_version_since_a_time_comes_once_before_the_join_at_it_and_after_it() {
    let rig = Rig::start().await;
    let mut written = Written::default();
    written.create(&rig.playground, "stands-still");
    let mut viewer = rig.viewer().await;
    let since = after_now().await;
    for round in 0..3 {
        written.round(&rig.playground, &format!("before-{round}"));
    }
    viewer.until(|_, event| ends(event, "before-2-10")).await.expect("told");
    // Things happen while it is opened.
    let (playground, writer) = (Arc::clone(&rig.playground), std::mem::take(&mut written));
    let writing = tokio::task::spawn_blocking(move || {
        let mut written = writer;
        for round in 0..6 {
            written.round(&playground, &format!("meanwhile-{round}"));
        }
        written
    });
    let mut stream = rig.stream(&format!("projection=object&since={since}")).await;
    assert_eq!(stream.status, 200);
    let first = stream.next().await.expect("read").expect("an event");
    assert_eq!((&first["type"], first["since_ms"].as_u64()), (&json!("subscribed"), Some(since)));
    let (mut heard, mut last_ms, mut is_live) = (Written::default(), 0, false);
    let mut past = 0;
    let mut written = writing.await.expect("written");
    written.round(&rig.playground, "after");
    written.create(&rig.playground, "last");
    loop {
        let event = stream.next().await.expect("read").expect("an event");
        if event["type"] == "subscribed" {
            is_live = true;
        }
        if event["type"] == "sync" && heard.0.contains_key("last") {
            break;
        }
        if heard.hear(&event).is_none() {
            assert!(event["type"] != "gap" && event["type"] != "unrecorded", "{event}");
            continue;
        };
        match event["time_ms"].as_u64() {
            Some(time_ms) => {
                assert!(time_ms >= last_ms && time_ms >= since && !is_live, "{event}");
                (last_ms, past) = (time_ms, past + 1);
            }
            None => assert!(is_live, "{event}"),
        }
    }
    assert!(past >= 3 * (OBJECTS * (VERSIONS - 1) + OBJECTS / 2), "the record told {past}");
    for (name, versions) in &written.0 {
        assert_eq!(heard.0.get(name), Some(versions), "{name}");
    }
    assert_eq!(heard.0.len(), written.0.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn selected_cells_since_a_time_add_up_to_what_is_there_and_columns_name_them() {
    let rig = Rig::start().await;
    let mut written = Written::default();
    let mut viewer = rig.viewer().await;
    let since = after_now().await;
    written.round(&rig.playground, "one");
    let relabel = json!({ "metadata": { "labels": { "by": "another" } } });
    rig.playground.patch("configmaps", "default", "one-1", relabel.clone()).expect("patched");
    written.round(&rig.playground, "two");
    viewer.until(|_, event| ends(event, "two-10")).await.expect("told");
    let mut stream = rig.stream(&format!("since={since}")).await;
    let mut past = Vec::new();
    loop {
        let event = stream.next().await.expect("read").expect("an event");
        match event["type"].as_str() {
            Some("sync") => break,
            Some("subscribed") => assert!(event["columns"].is_array(), "{event}"),
            _ => past.push(event),
        }
    }
    let last = past.iter().rfind(|event| event["name"] == "one-1").expect("told");
    assert_eq!(last["type"], "deleted", "it isn't selected any more");
    let told: Vec<_> = past.iter().map(|event| (&event["row"], &event["resource_version"])).collect();
    let mut once = told.clone();
    once.sort_by_key(|of| format!("{of:?}"));
    once.dedup();
    assert_eq!(told.len(), once.len(), "each version once");
    let is_named = |event: &&Value| event["type"] == "deleted" || event["cells"]["Name"] == event["name"];
    assert!(past.iter().all(|event| is_named(&event)), "{past:?}");
    let there = rig.playground.list("configmaps");
    let there = there.iter().filter(|map| map["metadata"]["labels"]["by"] == "test");
    let mut there: Vec<_> =
        there.map(|map| format!("default/{}", map["metadata"]["name"].as_str().unwrap_or(""))).collect();
    there.sort();
    assert_eq!(stream.objects.keys().cloned().collect::<Vec<_>>(), there);
    // It goes on from its last event, and tells the past no second time.
    let resume = stream.resume.clone().expect("a token");
    rig.playground.patch("configmaps", "default", "two-1", relabel).expect("patched");
    let mut next = rig.stream(&format!("since={since}&resume={resume}")).await;
    let event = next.until(|_, event| event["name"].is_string()).await.expect("told");
    assert!(ends(&event, "two-1"), "{event}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_as_of_a_time_tells_what_was_there_and_ends() {
    let rig = Rig::start().await;
    let mut written = Written::default();
    let mut viewer = rig.viewer().await;
    written.round(&rig.playground, "one");
    viewer.until(|_, event| ends(event, "one-10")).await.expect("told");
    let at = after_now().await;
    let there = viewer.objects.clone();
    written.round(&rig.playground, "two");
    viewer.until(|_, event| ends(event, "two-10")).await.expect("told");
    // The record has what came after that time, and so all of what came before.
    rig.stream(&format!("since={at}")).await.until_sync().await.expect("live");
    let mut stream = rig.stream(&format!("projection=object&at={at}")).await;
    let last = stream.to_the_end().await.expect("it ends");
    assert_eq!(last["type"], "end");
    assert!(last["message"].as_str().is_some_and(|said| said.contains("as of 20")), "{last}");
    let objects = |all: &BTreeMap<String, Value>| -> Vec<(String, Value)> {
        all.iter().map(|(name, event)| (name.clone(), event["object"].clone())).collect()
    };
    assert_eq!(objects(&stream.objects), objects(&there));
    assert_eq!(stream.objects.len(), OBJECTS / 2);
    let mut empty = rig.stream(&format!("at={at}&name=none")).await;
    let last = empty.to_the_end().await.expect("it ends");
    assert_eq!(last["type"], "end");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_recorded_is_a_line_and_what_never_is_a_status() {
    let mut rig = Rig::start().await;
    let mut written = Written::default();
    let mut viewer = rig.viewer().await;
    let since = after_now().await;
    written.create(&rig.playground, "seen");
    viewer.until(|_, event| event["name"] == "seen").await.expect("told");
    // The record is committed when it is read.
    rig.stream(&format!("since={since}")).await.until_sync().await.expect("live");
    // While no gateway runs, the cluster goes on, and forgets how.
    drop(viewer);
    let (home, _) = rig.gateway.kill().expect("it ran");
    let from = after_now().await;
    written.create(&rig.playground, "unseen");
    rig.playground.compact(None);
    rig.gateway = serve(&home, &rig.playground, &rig.folder, &[]);
    rig.viewer().await;
    let mut stream = rig.stream(&format!("since={since}")).await;
    let mut told = Vec::new();
    while told.last().is_none_or(|event: &Value| event["type"] != "sync") {
        let Ok(Some(event)) = stream.next().await else { break };
        told.push(event);
    }
    let types: Vec<&str> = told.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(types, ["subscribed", "added", "unrecorded", "added", "subscribed", "sync"], "{told:?}");
    let (gap, relisted) = (&told[2], &told[3]);
    assert!(gap["from_ms"].as_u64() <= Some(from) && gap["to_ms"].as_u64() > Some(from), "{gap}");
    assert_eq!(
        (&gap["why"], &relisted["name"], &relisted["relisted"]),
        (&json!("down"), &json!("unseen"), &json!(true))
    );
    // Before all that is recorded.
    let mut stream = rig.stream("since=1h").await;
    let gap = stream.until(|_, event| event["type"] == "unrecorded").await.expect("told");
    assert!(gap["to_ms"].as_u64() < Some(since), "{gap}");
    let (status, message) = rig.refused("resource=leases&since=1h").await;
    assert!(status == 404 && message.contains("history-kind"), "{status} {message}");
    let (status, message) = rig.refused(&format!("{MAPS}&at=1h")).await;
    assert!(status == 404 && message.contains("before that time"), "{status} {message}");
    let (status, message) = rig.refused("resource=pods&fieldSelector=status.phase%3DRunning&since=1h").await;
    assert!(status == 400 && message.contains("field selector"), "{status} {message}");
    let (status, message) = rig.refused("resource=pods&since=soon").await;
    assert!(status == 400 && message.contains("such as 2h"), "{status} {message}");
    let kubeconfig = home.kubeconfig_of(&rig.playground).expect("written").display().to_string();
    let flags = ["--kubeconfig", &kubeconfig, "--listen", "127.0.0.1:0", "--history", "none"];
    rig.gateway = Home::new().expect("a folder").serve(&flags).expect("it starts");
    let (status, message) = rig.refused("resource=pods&since=1h").await;
    assert!(status == 400 && message.contains("keeps no record"), "{status} {message}");
}

/// A line of `tail -o ndjson` in the words of the stream.
fn of_tail(line: &str) -> Value {
    let line: Value = serde_json::from_str(line).expect("a line of JSON");
    let kind = line["type"].as_str().unwrap_or_default().to_lowercase();
    json!({ "type": kind, "name": line["name"], "resource_version": line["resourceVersion"], "time": line["time"] })
}

#[tokio::test(flavor = "multi_thread")]
async fn tail_prints_each_version_since_a_time_once_and_goes_on() {
    let rig = Rig::start().await;
    let mut written = Written::default();
    written.create(&rig.playground, "stands-still");
    let mut viewer = rig.viewer().await;
    let since = after_now().await;
    written.round(&rig.playground, "before");
    viewer.until(|_, event| ends(event, "before-10")).await.expect("told");
    let flags =
        ["configmaps", "-n", "default", "-l", "by=test", "-o", "ndjson", "--since", &since.to_string()];
    let mut child = rig.gateway.tail_command(&flags).stdout(Stdio::piped()).spawn().expect("started");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    for round in 0..4 {
        written.round(&rig.playground, &format!("meanwhile-{round}"));
    }
    written.create(&rig.playground, "last");
    let (mut heard, mut timed) = (Written::default(), 0);
    for line in lines {
        let event = of_tail(&line.expect("read"));
        timed += usize::from(event["time"].is_string());
        heard.hear(&event).expect("a name");
        if heard.0.contains_key("last") && heard.0.contains_key("stands-still") {
            break;
        }
    }
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    for (name, versions) in &written.0 {
        assert_eq!(heard.0.get(name), Some(versions), "{name}");
    }
    assert!(timed >= OBJECTS * (VERSIONS - 1) + OBJECTS / 2, "{timed} of the record");
}

#[tokio::test(flavor = "multi_thread")]
async fn tail_prints_what_was_there_at_a_time_and_says_what_is_not_recorded() {
    let rig = Rig::start().await;
    let mut written = Written::default();
    let mut viewer = rig.viewer().await;
    written.round(&rig.playground, "one");
    viewer.until(|_, event| ends(event, "one-10")).await.expect("told");
    let at = after_now().await;
    written.create(&rig.playground, "two");
    viewer.until(|_, event| event["name"] == "two").await.expect("told");
    rig.stream(&format!("since={at}")).await.until_sync().await.expect("live");
    let tail = |flags: &[&str]| {
        let output = rig.gateway.tail(&[&["-n", "default"], flags].concat()).expect("run");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let at = at.to_string();
    let (code, printed, said) = tail(&["configmaps", "-l", "by=test", "-o", "name", "--at", &at]);
    let mut names: Vec<&str> = printed.lines().collect();
    names.sort_unstable();
    let expected = ["one-1", "one-11", "one-3", "one-5", "one-7", "one-9"];
    assert_eq!(names, expected.map(|name| format!("configmap/{name}")), "{said}");
    assert!(code == Some(0) && said.starts_with("Past"), "{code:?} {said}");
    let (code, printed, said) = tail(&["configmaps", "-l", "by=test", "--since", "1h", "--once"]);
    assert!(code == Some(0) && said.contains("Nothing was recorded from"), "{code:?} {said}");
    assert!(printed.starts_with("TIME "), "{printed}");
    let lines: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["TIME", "EVENT", "NAME", "DATA", "AGE"]);
    assert!(lines.iter().any(|line| line[1..3] == ["DELETED", "one-10"]), "{printed}");
    for (flags, sentence) in [
        (&["leases", "--since", "1h"][..], "history-kind"),
        (&["configmaps", "--at", "1h"], "before that time"),
        (&["pods", "--field-selector", "status.phase=Running", "--since", "1h"], "field selector"),
    ] {
        let (code, _, said) = tail(flags);
        assert!(code == Some(1) && said.contains(sentence), "{flags:?}: {code:?} {said}");
    }
    let (code, _, said) = tail(&["pods", "--since", "soon"]);
    assert!(code == Some(2) && said.contains("such as 2h"), "{code:?} {said}");
}

/// What a viewer is told of the past, until the present begins or the right to it ends.
pub async fn told_to(gateway: &Dogwatch, viewer: &str, query: &str) -> Vec<Value> {
    let tcp = TcpStream::connect(gateway.address()).await.expect("connected");
    let token = format!("Bearer token-of-{viewer}");
    let mut stream =
        Stream::open(tcp, &gateway.address(), query, &[("authorization", &token)]).await.expect("answered");
    // One who asks without a pause is refused now and then.
    let mut told = Vec::new();
    while told.last().is_none_or(|event: &Value| event["type"] != "sync") {
        told.push(stream.next().await.expect("read").expect("an event"));
    }
    told.retain(|event| event["time_ms"].is_u64());
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn r_authz_3_the_past_of_a_stream_is_what_its_viewer_may_list_now_and_the_audit_log_names_it() {
    for rights in ["shared", "passthrough"] {
        let playground =
            teams::playground(&[("alice", &[])], &["team-a", "team-b", "team-c"]).await.expect("it starts");
        teams::allow(&playground, "team-a", Subject::User("alice")).expect("bound");
        let (home, folder) = (Home::new().expect("a folder"), tempdir().expect("a folder"));
        let [record, audit] = ["record", "audit"].map(|name| folder.path().join(name).display().to_string());
        let kubeconfig = home.kubeconfig_of(&playground).expect("written").display().to_string();
        let flags = ["--auth", "bearer", "--listen", "127.0.0.1:0", "--rights", rights];
        let more = ["--kubeconfig", &kubeconfig, "--history", &record, "--audit-log", &audit];
        let gateway = home.serve(&[&flags[..], &more].concat()).expect("it starts");
        // The gateway's own feed has all that was there before.
        let query = "resource=configmaps&since=1h";
        while told_to(&gateway, "alice", query).await.is_empty() {}
        for team in ["team-a", "team-b"] {
            teams::add_config_map(&playground, team, "mark").expect("created");
        }
        let names = |told: &[Value]| -> Vec<String> {
            let name = |event: &Value| format!("{}/{}", event["namespace"], event["name"]).replace('"', "");
            told.iter().map(name).collect()
        };
        let mut told = Vec::new();
        while !told.contains(&"team-a/mark".to_owned()) {
            told = names(&told_to(&gateway, "alice", query).await);
        }
        assert!(told.iter().all(|name| name.starts_with("team-a/")), "{rights}: {told:?}");
        // What was there before a right is told with it, and no more without it.
        teams::allow(&playground, "team-b", Subject::User("alice")).expect("bound");
        while !told.contains(&"team-b/mark".to_owned()) {
            told = names(&told_to(&gateway, "alice", query).await);
        }
        teams::withdraw(&playground, "team-b").expect("deleted");
        while told.contains(&"team-b/mark".to_owned()) {
            told = names(&told_to(&gateway, "alice", query).await);
        }
        assert!(told.contains(&"team-a/mark".to_owned()));
        let written = std::fs::read_to_string(&audit).expect("an audit log");
        let lines = written.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let past: Vec<Value> = lines.filter(|line| line["event"] == "past").collect();
        assert!(past.iter().all(|line| line["as_of"].is_string()) && !past.is_empty(), "{past:?}");
        // Another namespace of the same name may be another tenant's.
        playground.delete("namespaces", "", "team-a").expect("deleted");
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "team-a" } });
        while playground.create(namespace.clone()).is_err() {
            tokio::task::yield_now().await;
        }
        drop(teams::allow(&playground, "team-a", Subject::User("alice")));
        teams::add_config_map(&playground, "team-a", "fresh").expect("created");
        // The gateway's feeds hear of the namespace and of what is in it one after the other.
        while !told.contains(&"team-a/fresh".to_owned()) || told.contains(&"team-a/mark".to_owned()) {
            told = names(&told_to(&gateway, "alice", query).await);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_was_not_recorded_begins_with_its_list_and_many_objects_are_told_once() {
    // More than a session sends ahead of its client.
    const MANY: usize = 3_000;
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    let filler = "x".repeat(500);
    let map = |number: usize| {
        let metadata = json!({ "name": format!("map-{number}"), "namespace": "default", "uid": format!("uid-{number}"),
            "labels": { "by": "test" }, "creationTimestamp": "2026-11-29T14:02:10Z" });
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": { "filler": filler } })
    };
    playground.load((0..MANY).map(map).collect()).expect("loaded");
    let gateway = Dogwatch::of_playground(&playground).expect("it starts");
    let query = format!("{MAPS}&projection=object&since=1h");
    // The first finds nothing recorded; the second has all of it in the record, of which it tells in many answers.
    for round in 0..2 {
        let mut stream = Stream::of(&gateway, &query, &[]).await.expect("answered");
        let mut told = Vec::new();
        while told.last().is_none_or(|event: &Value| event["type"] != "sync") {
            told.push(stream.next().await.expect("read").expect("an event"));
        }
        let gap = told.iter().find(|event| event["type"] == "unrecorded").expect("a gap");
        assert_eq!(gap["why"], "no_viewers", "{gap}");
        let mut names: Vec<&str> = told.iter().filter_map(|event| event["name"].as_str()).collect();
        assert_eq!(names.len(), MANY, "round {round}");
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), stream.objects.len()), (MANY, MANY), "round {round}: each once");
    }
    // What is there since longer than that time is told by the live view, which waits for the record.
    let since = after_now().await;
    let mut stream = Stream::of(&gateway, &format!("{MAPS}&projection=object&since={since}"), &[])
        .await
        .expect("answered");
    stream.until_sync().await.expect("whole");
    assert_eq!(stream.objects.len(), MANY);
    assert!(stream.objects.values().all(|event| event["time_ms"].is_null()), "none of it is past");
}

#[tokio::test(flavor = "multi_thread")]
async fn r_data_3_what_is_masked_now_is_masked_in_what_was_recorded_before() {
    let mut rig = Rig::start().await;
    for (flags, is_shown) in [(&["--config-map-values"][..], true), (&[], false)] {
        let (home, _) = rig.gateway.kill().expect("it ran");
        rig.gateway = serve(&home, &rig.playground, &rig.folder, flags);
        let mut viewer = rig.viewer().await;
        if is_shown {
            let mut written = Written::default();
            ["stays", "goes"].iter().for_each(|name| written.create(&rig.playground, name));
            for name in ["stays", "goes"] {
                let patch = json!({ "data": { "a": "canary" } });
                rig.playground.patch("configmaps", "default", name, patch).expect("patched");
            }
            written.delete(&rig.playground, "goes");
            viewer.until(|_, event| ends(event, "goes")).await.expect("told");
        }
        for query in ["projection=object&since=1h", "since=1h"] {
            let mut stream = rig.stream(query).await;
            let mut told = String::new();
            let mut count = 0;
            loop {
                let event = stream.next().await.expect("read").expect("an event");
                count += usize::from(event["time_ms"].is_u64());
                told += &event.to_string();
                if event["type"] == "sync" {
                    break;
                }
            }
            assert!(count >= 5, "{count} versions: {told}");
            assert_eq!(told.contains("canary"), is_shown && query.contains("object"), "{query}: {told}");
        }
        let (code, printed) = {
            let flags = ["configmaps", "-n", "default", "--since", "1h", "--once", "-o", "json"];
            let output = rig.gateway.tail(&flags).expect("run");
            (output.status.code(), String::from_utf8(output.stdout).expect("text"))
        };
        assert!(code == Some(0) && printed.contains("goes"), "{code:?} {printed}");
        assert_eq!(printed.contains("canary"), is_shown, "{printed}");
    }
}

//! The record of what was: a view as of a time shows what the API server had then, over restarts and kills as well.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::frame::client::{ClientFrame, Past, PastAsked, RowDetail, Subscribe, Unsubscribe};
use shared::frame::server::{self, ProblemFrame, ServerFrame};
use shared::frame::timeline::EntryType;
use shared::name::{Namespace, ObjectName};
use shared::past::PastState;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::row::RowId;
use shared::scope::{Namespaces, Scope};
use shared::state::{UnixMillis, ViewState};
use tempfile::tempdir;
use testkit::client::{Client, all_pods};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::load::refused;
use tokio::time::{Interval, interval};

/// How often the cluster is looked at, and how much happens before each look.
const LOOKS: usize = 6;
const CHANGES: usize = 25;

/// The pods of a time, by their names.
pub type Pods = BTreeMap<String, Value>;

#[tokio::test(flavor = "multi_thread")]
async fn a_view_as_of_a_time_is_what_the_server_had_then_and_a_kill_loses_nothing() -> Result<()> {
    let playground = Playground::start(Options::quiet()).await?;
    let home = Home::new()?;
    let folder = tempdir()?;
    let record = folder.path().join("record");
    let first = serve(&home, &playground, &["--history", &record.display().to_string()])?;
    let mut seen = Vec::new();
    let mut viewer = Viewer::open(&first).await?;
    viewer.until_recorded().await?;
    for look in 0..LOOKS {
        seen.push(viewer.look(&playground, look).await?);
    }
    let last_ms = seen.last().context("a look")?.0;
    viewer.until_kept(last_ms).await?;
    for (at_ms, pods) in &seen {
        viewer.expect(*at_ms, pods).await?;
    }
    // Killed, and started again on the same folder, while the cluster went on.
    let (home, _) = first.kill()?;
    playground.step_fleet(CHANGES);
    let second = serve(&home, &playground, &["--history", &record.display().to_string()])?;
    let mut viewer = Viewer::open(&second).await?;
    for (at_ms, pods) in &seen {
        viewer.expect(*at_ms, pods).await?;
    }
    viewer.until_recorded().await?;
    let now = viewer.look(&playground, LOOKS).await?;
    viewer.until_kept(now.0).await?;
    viewer.expect(now.0, &now.1).await?;
    let recorded = viewer.recorded(seen.first().context("a look")?.0, now.0).await?;
    ensure!(recorded.changes.iter().sum::<u32>() > 0, "{recorded:?}");
    ensure!(recorded.problem.is_none(), "{recorded:?}");
    viewer.expect_history(&playground, &format!("mark-{LOOKS}")).await?;
    viewer.expect_last(&playground, &format!("mark-{LOOKS}")).await?;
    viewer.expect_found(&playground).await?;
    viewer.expect_searches_wait_for_one_another().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_recorded_is_said_and_a_gateway_without_a_record_says_so() -> Result<()> {
    let playground = Playground::start(Options::quiet()).await?;
    let without = serve(&Home::new()?, &playground, &["--history", "none"])?;
    let mut viewer = Viewer::open(&without).await?;
    ensure!(!viewer.records, "it records nothing");
    let problem = viewer.as_of(1).await?.expect_err("refused");
    ensure!(problem.message.contains("keeps no record"), "{problem:?}");
    let problem = viewer.ask_recorded(0, 1).await?.expect_err("refused");
    ensure!(problem.message.contains("keeps no record"), "{problem:?}");
    // In memory a kind is recorded while it has viewers.
    let with = serve(&Home::new()?, &playground, &[])?;
    let mut viewer = Viewer::open(&with).await?;
    ensure!(viewer.records);
    let problem = viewer.as_of(viewer.now_ms).await?.expect_err("nothing yet");
    ensure!(problem.reason == Reason::NotFound && problem.message.contains("recorded yet"), "{problem:?}");
    let (at_ms, pods) = viewer.look(&playground, 0).await?;
    viewer.until_kept(at_ms).await?;
    viewer.expect(at_ms, &pods).await?;
    let problem = viewer.as_of(1_000).await?.expect_err("long before");
    ensure!(problem.message.contains("before that time"), "{problem:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_time_are_as_they_were_then() -> Result<()> {
    let playground = Playground::start(Options::quiet()).await?;
    let folder = tempdir()?;
    let record = folder.path().join("record").display().to_string();
    let gateway = serve(&Home::new()?, &playground, &["--history", &record])?;
    let mut viewer = Viewer::open(&gateway).await?;
    viewer.look(&playground, 0).await?;
    let row = viewer.first.context("a pod")?;
    let pods = playground.list("pods");
    let pod = pods.iter().find(|pod| name_of(pod) == "mark-0").context("the pod")?;
    let event = json!({ "apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "BackOff", "count": 1,
        "metadata": { "name": "mark-0.1", "namespace": "default" },
        "involvedObject": { "kind": "Pod", "namespace": "default", "name": "mark-0", "uid": pod["metadata"]["uid"] } });
    let before_ms = viewer.passed_ms().await?;
    playground.create(event).map_err(refused)?;
    viewer.until_count(row, 1).await?;
    let between_ms = viewer.passed_ms().await?;
    playground.patch("events", "default", "mark-0.1", json!({ "count": 5 })).map_err(refused)?;
    viewer.until_count(row, 5).await?;
    for (at_ms, expected) in [(None, &[Some(5)][..]), (Some(between_ms), &[Some(1)]), (Some(before_ms), &[])]
    {
        assert_eq!(viewer.counts(row, at_ms).await?, expected, "as of {at_ms:?}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_name_a_node_or_a_static_pod_by_another_uid_are_about_it_too() -> Result<()> {
    let playground = Playground::start(Options::quiet()).await?;
    let (folder, home) = (tempdir()?, Home::new()?);
    let record = folder.path().join("record").display().to_string();
    let gateway = serve(&home, &playground, &["--history", &record])?;
    let mut viewer = Viewer::open(&gateway).await?;
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "node-x" } });
    playground.create(node).map_err(refused)?;
    let mut etcd = pod("etcd-node-x");
    etcd["metadata"]["annotations"] = json!({ "kubernetes.io/config.mirror": "b1946ac9" });
    playground.create(etcd).map_err(refused)?;
    let nodes = Resource::parse("", "v1", "nodes").map_err(|problem| anyhow!(problem.message))?;
    let of_node = viewer.row_of(Scope::all(nodes), "node-x").await?;
    let of_pod = viewer.row_of(all_pods()?, "etcd-node-x").await?;
    // As a kubelet writes them.
    for (kind, name, uid, count) in [("Node", "node-x", "node-x", 3), ("Pod", "etcd-node-x", "b1946ac9", 4)] {
        let event = json!({ "apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": "Starting", "count": count,
            "metadata": { "name": format!("{name}.1"), "namespace": "default" },
            "involvedObject": { "kind": kind, "name": name, "uid": uid } });
        playground.create(event).map_err(refused)?;
    }
    viewer.until_count(of_node, 3).await?;
    viewer.until_count(of_pod, 4).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_has_lived_before_its_first_viewer() -> Result<()> {
    const MINUTES: i64 = 3;
    let minutes = MINUTES.to_string();
    let demo = Home::new()?.serve(&["--demo", "--demo-minutes", &minutes, "--listen", "127.0.0.1:0"])?;
    let mut viewer = Viewer::open(&demo).await?;
    let (from_ms, now_ms) = (viewer.now_ms - MINUTES * 60_000, viewer.now_ms);
    viewer.until_kept(now_ms - 30_000).await?;
    let recorded = viewer.recorded(from_ms, now_ms).await?;
    let since_ms = recorded.since_ms.context("a record")?;
    ensure!((from_ms - 5_000..from_ms + 20_000).contains(&since_ms), "{recorded:?}");
    let busy = recorded.changes.iter().filter(|changes| **changes > 0).count();
    ensure!(busy >= 8, "things happen all the time: {recorded:?}");
    ensure!(!recorded.unrecorded.iter().any(|gap| gap.to_ms > since_ms), "{recorded:?}");
    // Its objects tell the same time.
    let (_, pods) =
        viewer.as_of(now_ms - 60_000).await?.map_err(|problem| anyhow::anyhow!(problem.message))?;
    let made = pods.values().filter_map(|pod| pod["metadata"]["creationTimestamp"].as_str()?.parse().ok());
    let youngest = made.map(|made: jiff::Timestamp| made.as_millisecond()).max().context("a pod")?;
    ensure!((from_ms - 60_000..=now_ms - 59_000).contains(&youngest), "{youngest} of {now_ms}");
    Ok(())
}

pub fn serve(home: &Home, playground: &Playground, more: &[&str]) -> Result<Dogwatch> {
    let kubeconfig = home.kubeconfig_of(playground)?.display().to_string();
    home.serve(&[&["--kubeconfig", &kubeconfig, "--listen", "127.0.0.1:0"], more].concat())
}

/// A client of the wire with questions about the past.
pub struct Viewer {
    client: Client,
    last_id: u32,
    records: bool,
    now_ms: UnixMillis,
    /// Between two questions of the same, because a client may not ask as fast as it can.
    looks: Interval,
    /// The first pod that was put, by its row.
    pub first: Option<RowId>,
}

impl Viewer {
    pub async fn open(dogwatch: &Dogwatch) -> Result<Self> {
        Self::at(&dogwatch.socket()?).await
    }

    /// A viewer of the gateway with this socket.
    pub async fn at(socket: &Path) -> Result<Self> {
        let mut client = Client::connect(socket).await?;
        let welcome = client.until(|frame| matches!(frame, ServerFrame::Welcome(_))).await?;
        let ServerFrame::Welcome(welcome) = welcome else { unreachable!() };
        let looks = interval(Duration::from_millis(100));
        let (records, now_ms) = (welcome.records, welcome.now_ms);
        Ok(Self { client, last_id: 0, records, now_ms, looks, first: None })
    }

    fn id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }

    async fn ask(&mut self, id: u32, asked: PastAsked) -> Result<()> {
        let question = Past { id, scope: all_pods()?, asked };
        self.client.send(&ClientFrame::Past(Box::new(question))).await
    }

    async fn ask_recorded(
        &mut self,
        from_ms: UnixMillis,
        to_ms: UnixMillis,
    ) -> Result<Result<server::Recorded, Problem>> {
        let id = self.id();
        self.ask(id, PastAsked::Recorded { from_ms, to_ms, slots: 60 }).await?;
        loop {
            match self.client.next().await?.0 {
                ServerFrame::Past(answer) if answer.id == id => match answer.read() {
                    Some(server::Past::Recorded(recorded)) => return Ok(Ok(recorded)),
                    other => bail!("{other:?}"),
                },
                ServerFrame::Problem(frame) if frame.id == Some(id) => return Ok(Err(frame.problem)),
                _ => {}
            }
        }
    }

    pub async fn recorded(&mut self, from_ms: UnixMillis, to_ms: UnixMillis) -> Result<server::Recorded> {
        let recorded = self.ask_recorded(from_ms, to_ms).await?;
        recorded.map_err(|problem| anyhow::anyhow!("{}", problem.message))
    }

    /// A time after all that was heard until now, and before all that is heard from now on.
    async fn passed_ms(&mut self) -> Result<UnixMillis> {
        let at_ms = self.recorded(0, 1).await?.now_ms;
        while self.recorded(0, 1).await?.now_ms == at_ms {}
        Ok(at_ms)
    }

    /// The first list is in the record.
    pub async fn until_recorded(&mut self) -> Result<()> {
        while self.recorded(0, 1).await?.since_ms.is_none() {
            self.looks.tick().await;
        }
        Ok(())
    }

    /// What happened until then is committed.
    pub async fn until_kept(&mut self, at_ms: UnixMillis) -> Result<()> {
        while self.recorded(0, 1).await?.until_ms.is_none_or(|until_ms| until_ms < at_ms) {
            self.looks.tick().await;
        }
        Ok(())
    }

    /// All that is recorded of an object, the newest first.
    pub async fn whole_history(&mut self, row: RowId) -> Result<server::History> {
        let (mut whole, mut before) = (Vec::new(), None);
        loop {
            self.looks.tick().await;
            let id = self.id();
            self.ask(id, PastAsked::History { row, before }).await?;
            let answer = self.client.until(|frame| match frame {
                ServerFrame::Past(answer) => answer.id == id,
                ServerFrame::Problem(frame) => frame.id == Some(id),
                _ => false,
            });
            let ServerFrame::Past(answer) = answer.await? else { bail!("it can't be read") };
            let Some(server::Past::History(history)) = answer.read() else { bail!("{answer:?}") };
            whole.extend(history.entries.iter().cloned());
            before = history.before;
            if before.is_none() {
                return Ok(server::History { entries: whole, ..history });
            }
        }
    }

    /// Things happen, and the viewer has seen them: the pods, and a time at which they were there.
    pub async fn look(&mut self, playground: &Playground, number: usize) -> Result<(UnixMillis, Pods)> {
        let mark = format!("mark-{number}");
        playground.step_fleet(CHANGES);
        playground.create(pod(&mark)).map_err(refused)?;
        let marked = self.row_of(all_pods()?, &mark).await?;
        self.first.get_or_insert(marked);
        let pods = playground.list("pods");
        let by_name = pods.into_iter().map(|pod| (name_of(&pod), pod)).collect();
        // The record has it at the latest when it has the proof of a version that is younger.
        let at_ms = self.passed_ms().await?;
        playground.create(pod(&format!("{mark}-after"))).map_err(refused)?;
        Ok((at_ms, by_name))
    }

    /// Waits until a live view shows an object of this name.
    async fn row_of(&mut self, scope: Scope, name: &str) -> Result<RowId> {
        let id = self.id();
        let subscribe = json!({ "subscribe": { "id": id, "scope": scope, "rows": "whole" } });
        self.client.send_text(&subscribe.to_string()).await?;
        loop {
            let ServerFrame::Rows(rows) = self.client.next().await?.0 else { continue };
            if let Some(row) = rows.put.iter().find(|row| *row.name == *name) {
                return Ok(row.id);
            }
        }
    }

    /// All pods of a time with their objects, and how that stands.
    pub async fn as_of(&mut self, at_ms: UnixMillis) -> Result<Result<(PastState, Pods), Problem>> {
        let found = self.objects_as_of(all_pods()?, at_ms).await?;
        Ok(found.map(|(state, objects)| {
            (state, objects.into_iter().map(|object| (name_of(&object), object)).collect())
        }))
    }

    /// All objects of a view as of a time, and how that stands.
    pub async fn objects_as_of(
        &mut self,
        scope: Scope,
        at_ms: UnixMillis,
    ) -> Result<Result<(PastState, Vec<Value>), Problem>> {
        self.looks.tick().await;
        let id = self.id();
        let (rows, at_ms) = (RowDetail::Objects, Some(at_ms));
        let subscribe = Subscribe { rows, at_ms, ..Subscribe::rows(id, scope) };
        self.client.send(&ClientFrame::Subscribe(Box::new(subscribe))).await?;
        let found = self.told_as_of(id).await;
        // One person may have so many views, and each time is one.
        self.client.send(&ClientFrame::Unsubscribe(Unsubscribe { id, differed: false })).await?;
        found
    }

    async fn told_as_of(&mut self, id: u32) -> Result<Result<(PastState, Vec<Value>), Problem>> {
        let (mut view, mut objects, mut state, mut is_whole) = (None, Vec::new(), None, false);
        loop {
            match self.client.next().await?.0 {
                ServerFrame::Subscribed(subscribed) if subscribed.id == id => {
                    view = Some(subscribed.view);
                    state = Some(subscribed.state);
                }
                ServerFrame::State(frame) if Some(frame.view) == view => state = Some(frame.report),
                ServerFrame::Problem(frame) if frame.id == Some(id) => return Ok(Err(frame.problem)),
                ServerFrame::Rows(rows) if Some(rows.view) == view => {
                    for row in rows.put {
                        let object = row.extra.and_then(|extra| extra.object).context("an object")?;
                        objects.push(serde_json::from_str(object.json())?);
                    }
                    is_whole = !rows.more;
                }
                _ => {}
            }
            match state.as_ref().map(|report| (&report.state, &report.problem)) {
                Some((ViewState::Past(past), _)) if is_whole => return Ok(Ok(((**past).clone(), objects))),
                Some((ViewState::Failed { .. }, Some(problem))) => return Ok(Err(problem.clone())),
                _ => {}
            }
        }
    }

    pub async fn expect(&mut self, at_ms: UnixMillis, expected: &Pods) -> Result<()> {
        let (state, found) = self.as_of(at_ms).await?.map_err(|problem| anyhow::anyhow!(problem.message))?;
        ensure!(
            state.at_ms == at_ms && state.recorded_ms <= at_ms && state.unrecorded.is_none(),
            "{state:?}"
        );
        let versions = |pods: &Pods| -> Vec<(String, Value)> {
            pods.iter()
                .map(|(name, pod)| (name.clone(), pod["metadata"]["resourceVersion"].clone()))
                .collect()
        };
        assert_eq!(versions(&found), versions(expected), "as of {at_ms}");
        for (name, pod) in expected {
            assert_eq!(found[name]["status"], pod["status"], "{name} as of {at_ms}");
        }
        Ok(())
    }

    /// How often each recorded Event about an object happened.
    async fn counts(&mut self, row: RowId, at_ms: Option<UnixMillis>) -> Result<Vec<Option<i64>>> {
        let id = self.id();
        let resource =
            Resource::parse("", "v1", "events").map_err(|problem| anyhow::anyhow!(problem.message))?;
        let scope = Scope { resource, ..all_pods()? };
        let question = Past { id, scope, asked: PastAsked::Events { row, before: None, at_ms } };
        self.client.send(&ClientFrame::Past(Box::new(question))).await?;
        let answer =
            self.client.until(|frame| matches!(frame, ServerFrame::Past(answer) if answer.id == id)).await?;
        let ServerFrame::Past(answer) = answer else { unreachable!() };
        let Some(server::Past::Events(events)) = answer.read() else { bail!("{answer:?}") };
        Ok(events.events.iter().map(|event| event.count).collect())
    }

    async fn until_count(&mut self, row: RowId, count: i64) -> Result<()> {
        while self.counts(row, None).await? != [Some(count)] {
            self.looks.tick().await;
        }
        Ok(())
    }

    /// Every version of a pod that changed is told once, with what changed.
    async fn expect_history(&mut self, playground: &Playground, name: &str) -> Result<()> {
        let patch = json!({ "metadata": { "labels": { "seen": "yes" } } });
        playground.patch("pods", "default", name, patch).map_err(refused)?;
        let row = self.first.context("a pod that was put")?;
        loop {
            self.looks.tick().await;
            let id = self.id();
            self.ask(id, PastAsked::History { row, before: None }).await?;
            let answer = self.client.until(|frame| matches!(frame, ServerFrame::Past(_))).await?;
            let ServerFrame::Past(answer) = answer else { unreachable!() };
            let Some(server::Past::History(history)) = answer.read() else { bail!("{answer:?}") };
            let kinds: Vec<EntryType> = history.entries.iter().map(|entry| entry.kind).collect();
            ensure!(kinds.last() == Some(&EntryType::Added), "{kinds:?}");
            if let [newest, ..] = &history.entries[..]
                && newest.fields.iter().any(|field| field.path.starts_with("/metadata/labels"))
            {
                ensure!(newest.kind == EntryType::Modified && !newest.writers.is_empty(), "{newest:?}");
                // The pod has no status: it isn't fine yet.
                ensure!(history.entries.iter().all(|entry| entry.health.is_some()), "{:?}", history.entries);
                return self.expect_whole(row, &history).await;
            }
        }
    }
}

impl Viewer {
    /// Each version of the history can be had whole, and the fields between two of them are those that differ.
    async fn expect_whole(&mut self, row: RowId, history: &server::History) -> Result<()> {
        let mut newer: Option<Value> = None;
        for entry in history.entries.iter().take(3) {
            let resource_version = entry.resource_version.clone().context("a version")?;
            let version =
                self.ask_version(PastAsked::Version { row, resource_version: resource_version.clone() });
            let version = version.await?.map_err(|problem| anyhow!("{problem:?}"))?;
            ensure!((version.row, version.time_ms) == (row, entry.time_ms), "{version:?}");
            ensure!(
                version.object["metadata"]["resourceVersion"] == *resource_version.as_str(),
                "{version:?}"
            );
            ensure!(newer.as_ref() != Some(&version.object), "two versions differ");
            newer = Some(version.object);
        }
        let unknown = PastAsked::Version { row, resource_version: "999999999".into() };
        let problem = self.ask_version(unknown).await?.expect_err("not kept");
        ensure!(problem.reason == Reason::NotFound && problem.message.contains("isn't kept"), "{problem:?}");
        Ok(())
    }

    async fn ask_version(&mut self, asked: PastAsked) -> Result<Result<server::RecordedVersion, Problem>> {
        self.looks.tick().await;
        let id = self.id();
        self.ask(id, asked).await?;
        self.version_answer(id).await
    }

    /// The last version of a pod by its name.
    async fn ask_last(&mut self, name: &str) -> Result<Result<server::RecordedVersion, Problem>> {
        self.looks.tick().await;
        let id = self.id();
        let scope = Scope {
            namespaces: Namespaces::these(vec![Namespace::parse("default")?])?,
            name: Some(ObjectName::parse(name)?),
            ..all_pods()?
        };
        let question = Past { id, scope, asked: PastAsked::Last };
        self.client.send(&ClientFrame::Past(Box::new(question))).await?;
        self.version_answer(id).await
    }

    async fn version_answer(&mut self, id: u32) -> Result<Result<server::RecordedVersion, Problem>> {
        loop {
            match self.client.next().await?.0 {
                ServerFrame::Past(answer) if answer.id == id => match answer.read() {
                    Some(server::Past::Version(version)) => return Ok(Ok(version)),
                    _ => bail!("{answer:?}"),
                },
                ServerFrame::Problem(frame) if frame.id == Some(id) => return Ok(Err(frame.problem)),
                _ => {}
            }
        }
    }

    /// A pod that is deleted is found by its name, as it was last.
    async fn expect_last(&mut self, playground: &Playground, name: &str) -> Result<()> {
        let there = self.ask_last(name).await?.map_err(|problem| anyhow!("{problem:?}"))?;
        ensure!(there.deleted_ms.is_none() && there.object["metadata"]["name"] == *name, "{there:?}");
        playground.delete("pods", "default", name).map_err(refused)?;
        loop {
            let last = self.ask_last(name).await?.map_err(|problem| anyhow!("{problem:?}"))?;
            ensure!(last.row == there.row && last.object["spec"] == there.object["spec"], "{last:?}");
            if let Some(deleted_ms) = last.deleted_ms {
                ensure!(deleted_ms >= last.time_ms && !last.relisted, "{last:?}");
                break;
            }
        }
        let problem = self.ask_last("no-such-pod").await?.expect_err("never there");
        ensure!(problem.reason == Reason::NotFound, "{problem:?}");
        Ok(())
    }
}

impl Viewer {
    /// What had a word in a time.
    pub async fn found(
        &mut self,
        (from_ms, to_ms): (UnixMillis, UnixMillis),
        word: &str,
    ) -> Result<server::Found> {
        let id = self.id();
        self.ask(id, PastAsked::Search { from_ms, to_ms, word: word.into() }).await?;
        let answer = self.client.until(|frame| matches!(frame, ServerFrame::Past(_))).await?;
        let ServerFrame::Past(answer) = answer else { unreachable!() };
        let Some(server::Past::Found(found)) = answer.read() else { bail!("{answer:?}") };
        Ok(found)
    }

    /// Searches of other views that are asked for at once are all answered, and of one view the newest.
    async fn expect_searches_wait_for_one_another(&mut self) -> Result<()> {
        let to_ms = self.recorded(0, 1).await?.now_ms;
        let searches = ["default", "kube-system", "shop", "shop", "shop"];
        let mut asked = Vec::new();
        for namespace in searches {
            let id = self.id();
            let namespaces = Namespaces::these(vec![Namespace::parse(namespace)?])?;
            let scope = Scope { namespaces, ..all_pods()? };
            let question =
                Past { id, scope, asked: PastAsked::Search { from_ms: 0, to_ms, word: "xylophone".into() } };
            self.client.send(&ClientFrame::Past(Box::new(question))).await?;
            asked.push((id, namespace));
        }
        let mut waiting = asked.clone();
        while !waiting.is_empty() {
            let (id, problem) = match self.client.next().await?.0 {
                ServerFrame::Past(answer) => (answer.id, None),
                ServerFrame::Problem(ProblemFrame { id: Some(id), problem }) => (id, Some(problem)),
                _ => continue,
            };
            let Some(at) = waiting.iter().position(|(waiting, _)| *waiting == id) else { continue };
            let (id, namespace) = waiting.swap_remove(at);
            let may_be_replaced = namespace == "shop" && Some(&(id, namespace)) != asked.last();
            let is_well = problem.as_ref().is_none_or(|it| may_be_replaced && it.reason == Reason::Conflict);
            ensure!(is_well, "the search of {namespace}, {id} of {asked:?}: {problem:?}");
        }
        Ok(())
    }

    /// A word that an object has for a while is found, with the times between which it had it.
    async fn expect_found(&mut self, playground: &Playground) -> Result<()> {
        let name = "has-a-word";
        let label = |value: Value| json!({ "metadata": { "labels": { "word": value } } });
        let from_ms = self.recorded(0, 1).await?.now_ms;
        playground.create(pod(name)).map_err(refused)?;
        playground.patch("pods", "default", name, label(json!("Xylophone"))).map_err(refused)?;
        playground.patch("pods", "default", name, label(Value::Null)).map_err(refused)?;
        loop {
            self.looks.tick().await;
            let to_ms = self.recorded(0, 1).await?.now_ms;
            let found = self.found((from_ms, to_ms), "xylophone").await?;
            ensure!(!found.more && found.until_ms == to_ms, "{found:?}");
            let [object] = &found.objects[..] else { continue };
            ensure!(*object.name == *name && *object.path == *"/metadata/labels/word", "{object:?}");
            ensure!(*object.text == *"Xylophone" && object.times.len() == 1, "{object:?}");
            if let Some(ended_ms) = object.times[0].to_ms {
                ensure!(
                    object.times[0].from_ms >= from_ms && ended_ms >= object.times[0].from_ms,
                    "{object:?}"
                );
                return Ok(());
            }
        }
    }
}

fn name_of(pod: &Value) -> String {
    pod["metadata"]["name"].as_str().unwrap_or_default().to_owned()
}

fn pod(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "namespace": "default" },
        "spec": { "containers": [{ "name": "one", "image": "example.com/one:1" }] } })
}

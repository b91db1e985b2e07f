//! A cluster is recorded into a file, and the file is replayed: the same objects at the same times under the same versions,
//! to the page's protocol, to `tail` and to a client of Kubernetes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use http::Request;
use playground::{Options, Playground};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::tempdir;
use testkit::api::client;
use testkit::dogwatch::{Dogwatch, Home};
use tokio::time::interval;

/// How often the cluster changes while it is recorded.
const CHANGES: usize = 40;
const EACH: Duration = Duration::from_millis(50);

/// The resourceVersion of each pod, by its key.
type Pods = BTreeMap<String, u64>;

fn revision_of(object: &Value) -> u64 {
    let revision = object["metadata"]["resourceVersion"].as_str();
    revision.and_then(|revision| revision.parse().ok()).unwrap_or_default()
}

fn pods_of<'a>(objects: impl IntoIterator<Item = &'a Value>) -> Pods {
    let key = |pod: &Value| format!("{}/{}", pod["metadata"]["namespace"], pod["metadata"]["name"]);
    objects.into_iter().map(|pod| (key(pod), revision_of(pod))).collect()
}

/// `dogwatch record` while it runs.
struct Recording {
    child: Child,
    said: Vec<String>,
}

impl Recording {
    /// Returns when it records.
    fn start(home: &Home, kubeconfig: &Path, arguments: &[&str]) -> Result<Self> {
        let mut command = home.command();
        command.arg("record").args(arguments).arg("--kubeconfig").arg(kubeconfig);
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let mut said = Vec::new();
        let errors = child.stderr.as_mut().context("stderr is piped")?;
        for line in BufReader::new(errors).lines() {
            let line = line?;
            let has_begun = line.starts_with("recording ");
            said.push(line);
            if has_begun {
                return Ok(Self { child, said });
            }
        }
        anyhow::bail!("it ended: {said:?}")
    }

    /// As Ctrl-C does: what it said after that.
    fn interrupt(self) -> Result<Output> {
        kill_process(Pid::from_child(&self.child), Signal::INT)?;
        Ok(self.child.wait_with_output()?)
    }
}

/// A recorded cluster: the file, what it had after each change, and how its API server printed its end.
struct Recorded {
    home: Home,
    file: PathBuf,
    /// By the resourceVersion of the whole cluster.
    states: BTreeMap<u64, Pods>,
}

async fn recorded(folder: &Path) -> Result<Recorded> {
    let playground = Playground::start(Options::quiet()).await?;
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?;
    let file = folder.join("incident.dwh");
    let output = file.to_string_lossy().into_owned();
    let recording = Recording::start(&home, &kubeconfig, &["po", "-A", "-o", &output])?;
    ensure!(recording.said.last().is_some_and(|line| line.contains("pods")), "{:?}", recording.said);
    playground.wait_for_watches("pods", 1).await;
    let mut states = BTreeMap::new();
    let mut ticks = interval(EACH);
    for _ in 0..CHANGES {
        states.insert(playground.revision(), pods_of(&playground.list("pods")));
        ticks.tick().await;
        playground.step_fleet(1);
    }
    states.insert(playground.revision(), pods_of(&playground.list("pods")));
    let ended = recording.interrupt()?;
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    ensure!(ended.status.success() && said.contains("dogwatch replay"), "{said}");
    playground.stop().await;
    Ok(Recorded { home, file, states })
}

impl Recorded {
    /// The pods of the cluster at that resourceVersion or before.
    fn at(&self, revision: u64) -> Option<&Pods> {
        self.states.range(..=revision).next_back().map(|(_, pods)| pods)
    }
}

/// A client of Kubernetes, by the kubeconfig that a replay writes.
async fn kube_of(home: &Home) -> Result<kube::Client> {
    let folder = home.path().join("state/dogwatch");
    let files = std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path());
    let file = files.into_iter().find(|path| path.to_string_lossy().ends_with(".kubeconfig"));
    client(&file.context("a kubeconfig")?).await
}

/// The code of a refusal.
async fn refusal(kube: &kube::Client, request: http::request::Builder) -> Result<u16> {
    match kube.request::<Value>(request.body(Vec::new())?).await {
        Err(kube::Error::Api(status)) => Ok(status.code),
        other => anyhow::bail!("{other:?}"),
    }
}

fn tailed(replay: &Dogwatch, arguments: &[&str]) -> Result<Vec<Value>> {
    let output = replay.tail(&[&["pods", "-A", "-o", "json"], arguments].concat())?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let objects = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    Ok(objects.collect::<Result<_, _>>()?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_shows_what_the_cluster_had_to_the_page_and_to_clients_of_kubernetes() -> Result<()> {
    let folder = tempdir()?;
    let recorded = recorded(folder.path()).await?;
    let before = std::fs::read(&recorded.file)?;
    let replay = recorded.home.replay(&recorded.file)?;
    let kube = kube_of(&recorded.home).await?;

    let listed: Value = kube.request(Request::get("/api/v1/pods").body(Vec::new())?).await?;
    let items = listed["items"].as_array().context("pods")?;
    let revision = revision_of(&listed);
    ensure!(
        Some(&revision) > recorded.states.keys().nth(CHANGES / 2),
        "{revision} of {:?}",
        recorded.states.keys()
    );
    let expected = recorded.at(revision).context("a state")?;
    assert_eq!(&pods_of(items), expected, "a client of Kubernetes reads its end");
    let secrets = refusal(&kube, Request::get("/api/v1/secrets")).await?;
    let deleted = refusal(&kube, Request::delete("/api/v1/namespaces/shop/pods/x")).await?;
    assert_eq!((secrets, deleted), (404, 405), "nothing but what was recorded, and nothing changes");

    // Without a time, a view is as of the end. It ends by itself, for nothing follows.
    assert_eq!(&pods_of(&tailed(&replay, &[])?), expected);
    let whole = tailed(&replay, &[])?;
    let same = |pod: &&Value| {
        items
            .iter()
            .any(|item| item["metadata"]["uid"] == pod["metadata"]["uid"] && item["status"] == pod["status"])
    };
    assert_eq!(whole.iter().filter(same).count(), whole.len(), "with the same objects");

    // One second before its end it is as it was one second before its end.
    let earlier = tailed(&replay, &["--at", "1s"])?;
    let earlier = pods_of(&earlier);
    ensure!(&earlier != expected, "nothing happened in the last second");
    ensure!(recorded.states.values().any(|pods| *pods == earlier), "the cluster was never so: {earlier:?}");

    drop(replay);
    assert_eq!(std::fs::read(&recorded.file)?, before, "to replay it changes nothing");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_recorded_or_replayed_is_said_in_one_sentence() -> Result<()> {
    let folder = tempdir()?;
    let playground = Playground::start(Options::quiet()).await?;
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?.to_string_lossy().into_owned();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(path("there"), "already")?;
    let run = |arguments: &[&str]| -> Result<String> {
        let output = home.command().args(arguments).output()?;
        ensure!(!output.status.success(), "{arguments:?} succeeded");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(said.starts_with("error: ") && said.lines().count() == 1, "{arguments:?}: {said}");
        Ok(said)
    };
    let of_cluster = ["--kubeconfig", &kubeconfig];
    for (arguments, says) in [
        (&["record", "-A", "-o", &path("there")][..], "is there already; name another file"),
        (&["record", "-A", "-o", &path("none/file")], "can't be made"),
        (&["record", "secrets", "-A", "-o", &path("a")], "Secrets are never recorded"),
        (&["record", "boats", "-A", "-o", &path("b")], "no resource \"boats\""),
        (&["record", "-n", "UPPER", "-o", &path("c")], "UPPER"),
        (&["record", "-A", "-o", &path("d"), "--for", "soon"], "it is one such as 90s, 10m or 2h"),
    ] {
        let said = run(&[arguments, &of_cluster].concat())?;
        ensure!(said.contains(says), "{arguments:?}: {said}");
    }
    for (arguments, says) in [
        (&["replay", &path("absent")][..], "can't be read: No such file"),
        (&["replay", &path("there")], "isn't a database"),
        (&["replay", &path("")], "is a folder"),
        (&["replay", &path("there"), "--demo"], "leave out --demo"),
        (&["replay", &path("there"), "--kubeconfig", &kubeconfig], "leave out --kubeconfig"),
    ] {
        let said = run(arguments)?;
        ensure!(said.contains(says), "{arguments:?}: {said}");
    }
    Ok(())
}

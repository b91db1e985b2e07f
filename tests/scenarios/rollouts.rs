//! A healthy rollout frightens no reader: while deployments of a real control plane roll out, neither they nor their
//! replica sets and pods are ever said to be short or failing, and no rule says so to a webhook. In the middle of each
//! round the gateway doesn't reach the API server for a while.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

use anyhow::{Context, Result, ensure};
use cluster::{ControlPlane, Fleet, Options};
use serde_json::json;
use shared::health::HealthClass;
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::state::ViewState;
use testkit::client::all_pods;
use testkit::dogwatch::Home;
use testkit::metrics::Metrics;
use testkit::proxy::{Line, Proxy};
use testkit::viewer::Viewer;
use testkit::webhook::Webhook;
use tokio::sync::watch;

const NAMESPACE: &str = "rolling";
/// How many roll out at once.
const AT_ONCE: usize = 4;
/// `DOGWATCH_ROLLOUTS=100` for the long form.
const ROLLOUTS: usize = 8;
const REPLICAS_MAX: usize = 20;
const KINDS: [(&str, &str); 3] = [("apps", "deployments"), ("apps", "replicasets"), ("", "pods")];
const STALE: &str = "dogwatch_feed_stale_seconds_total";
/// So many seconds of each feed are stale before the API server goes on.
const AWAY_S: f64 = 3.0;
const WITHIN: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_rollout_is_never_called_short_or_failing() -> Result<()> {
    let rollouts = env::var("DOGWATCH_ROLLOUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROLLOUTS);
    let fleet = Fleet { speed: 10, ..Fleet::default() };
    let plane = Arc::new(ControlPlane::start(Options { fleet: Some(fleet), ..Options::default() })?);
    // The fleet's story lets a node fall silent, and its pods are really gone then.
    plane.kubectl_output(&["delete", "configmaps", "-A", "-l", "fleet.dogwatch.dev/story=outage"])?;
    plane.kubectl_output(&["create", "namespace", NAMESPACE])?;
    let mut webhook = Webhook::start().await?;
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("dogwatch.yaml");
    fs::write(&config, rules(&webhook.receiver(folder.path())?)?)?;
    let proxy = Proxy::to(plane.server().trim_start_matches("https://").parse()?).await?;
    let kubeconfig = folder.path().join("kubeconfig");
    proxy.write_kubeconfig(&plane, &plane.kubeconfig(), &kubeconfig)?;
    let upstream = Arc::new(Upstream { proxy, metrics: Metrics::at_free_port() });
    let (kubeconfig, config, at) =
        (kubeconfig.display().to_string(), config.display().to_string(), upstream.metrics.address());
    let flags = ["--kubeconfig", &kubeconfig, "--config", &config, "--metrics-listen", &at];
    let dogwatch = Home::new()?.serve(&[&flags[..], &["--listen=127.0.0.1:0"]].concat())?;
    let (end, is_over) = watch::channel(false);
    let watched: Vec<_> = KINDS
        .into_iter()
        .map(|(group, plural)| {
            let socket = dogwatch.socket()?;
            anyhow::Ok(tokio::spawn(frights(socket, group, plural, is_over.clone())))
        })
        .collect::<Result<_>>()?;
    let (writer, line) = (Arc::clone(&plane), Arc::clone(&upstream));
    tokio::task::spawn_blocking(move || roll_out(&writer, &line, rollouts)).await??;
    end.send(true)?;
    for frights in watched {
        let frights = frights.await??;
        ensure!(frights.is_empty(), "{}", frights.into_iter().collect::<Vec<_>>().join("\n"));
    }
    // What happened last is told last: nothing that was told before it is missing.
    plane.kubectl_output(&["-n", NAMESPACE, "delete", "deployment/web-0"])?;
    let mut is_over = false;
    while !is_over {
        let event = tokio::time::timeout(WITHIN, webhook.events.recv()).await;
        let event = event.with_context(|| format!("nothing more was told: {}", dogwatch.stderr()))?;
        let event = event.context("a webhook")?;
        ensure!(event["data"]["rule"] == "gone", "{event}");
        is_over = event["data"]["group"] == "rolling/web-0";
    }
    Ok(())
}

/// A receiver is told of any trouble, and of deployments that are gone.
fn rules(receiver: &str) -> Result<String> {
    let mut text = format!("receivers:\n{receiver}rules:\n");
    for (group, plural) in KINDS {
        let kind = if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") };
        let when = "when: 'health=failing,not-ready'";
        writeln!(text, "- {{name: {plural}, kind: {kind}, namespaces: [{NAMESPACE}], {when}}}")?;
    }
    let gone = "- {name: gone, kind: deployments.apps, namespaces: [rolling], when: deleted}";
    Ok(text + gone)
}

/// What rows were said to be in trouble, until the rollouts are over.
async fn frights(
    socket: PathBuf,
    group: &'static str,
    plural: &'static str,
    mut is_over: watch::Receiver<bool>,
) -> Result<BTreeSet<String>> {
    let resource = Resource::parse(group, "v1", plural)?;
    let namespaces = Namespaces::these(vec![Namespace::parse(NAMESPACE)?])?;
    let mut viewer = Viewer::open(Path::new(&socket), Scope { resource, namespaces, ..all_pods()? });
    viewer.until_sync().await?;
    let (mut frights, mut turns) = (BTreeSet::new(), 0_u64);
    while !*is_over.borrow() {
        tokio::select! {
            _ = viewer.turn() => turns += 1,
            _ = is_over.changed() => {}
        }
        // What isn't proven says nothing of now, and the page says so.
        if !viewer.is_in(&ViewState::Live) {
            continue;
        }
        let now_s = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())?;
        for row in viewer.table().rows() {
            let Some(health) = row.health() else { continue };
            if matches!(health.at(now_s), HealthClass::Failing | HealthClass::NotReady) {
                frights.insert(format!("{plural} {}: {health:?} of {:?}", row.name, row.cells));
            }
        }
    }
    ensure!(turns > 0 && !viewer.table().is_empty(), "no {plural} were seen");
    Ok(frights)
}

/// Makes deployments of one to twenty replicas, and gives each another image as often as that many rollouts need.
fn roll_out(plane: &ControlPlane, upstream: &Upstream, rollouts: usize) -> Result<()> {
    let sizes = [1, 3, 7, REPLICAS_MAX];
    let deployments: Vec<String> = (0..AT_ONCE).map(|number| format!("deployment/web-{number}")).collect();
    for (number, replicas) in sizes.into_iter().enumerate() {
        plane.apply(&deployment(&format!("web-{number}"), replicas).to_string())?;
    }
    until_rolled_out(plane, &deployments)?;
    for round in 1..rollouts.div_ceil(AT_ONCE) {
        for (number, name) in deployments.iter().enumerate() {
            // Other sizes from round to round, while nothing rolls out.
            let replicas = (sizes[number] + round * 5) % REPLICAS_MAX + 1;
            plane.kubectl_output(&[
                "-n",
                NAMESPACE,
                "patch",
                name,
                "-p",
                &spec(round, replicas).to_string(),
            ])?;
        }
        upstream.fail([Line::Cut, Line::Silent][round % 2])?;
        until_rolled_out(plane, &deployments)?;
    }
    // Scaling isn't a rollout: the condition Progressing keeps its reason, and no pod is available at first.
    for replicas in ["--replicas=0", "--replicas=3"] {
        plane.kubectl_output(&["-n", NAMESPACE, "scale", "deployments", "--all", replicas])?;
        until_rolled_out(plane, &deployments)?;
    }
    Ok(())
}

/// The line from the gateway to the API server, and what the gateway counts of it.
struct Upstream {
    proxy: Proxy,
    metrics: Metrics,
}

impl Upstream {
    /// The API server is away until the gateway has noticed.
    fn fail(&self, how: Line) -> Result<()> {
        let before = self.stale_s()?;
        self.proxy.set(how);
        let deadline = Instant::now() + WITHIN;
        loop {
            let now = self.stale_s()?;
            if before.iter().zip(&now).all(|(before, now)| now - before >= AWAY_S) {
                break;
            }
            ensure!(Instant::now() < deadline, "the gateway takes nothing for stale: {before:?} {now:?}");
            thread::yield_now();
        }
        self.proxy.set(Line::Open);
        Ok(())
    }

    fn stale_s(&self) -> Result<Vec<f64>> {
        let of_kind =
            |(_, plural): (&str, &str)| self.metrics.seconds(STALE, &format!("resource=\"{plural}"));
        KINDS.into_iter().map(of_kind).collect()
    }
}

fn spec(round: usize, replicas: usize) -> serde_json::Value {
    let containers = json!([{"name": "c", "image": format!("registry.k8s.io/pause:{round}")}]);
    json!({"spec": {"replicas": replicas, "template": {"spec": {"containers": containers}}}})
}

fn deployment(name: &str, replicas: usize) -> serde_json::Value {
    let mut deployment = spec(0, replicas);
    deployment["apiVersion"] = json!("apps/v1");
    deployment["kind"] = json!("Deployment");
    deployment["metadata"] = json!({"name": name, "namespace": NAMESPACE});
    deployment["spec"]["selector"] = json!({"matchLabels": {"app": name}});
    deployment["spec"]["template"]["metadata"] = json!({"labels": {"app": name}});
    deployment
}

fn until_rolled_out(plane: &ControlPlane, deployments: &[String]) -> Result<()> {
    for name in deployments {
        let mut kubectl: Command = plane.kubectl();
        let status = kubectl.args(["-n", NAMESPACE, "rollout", "status", name, "--timeout=120s"]).output()?;
        let said = String::from_utf8_lossy(&status.stderr).into_owned();
        ensure!(status.status.success(), "{name}: {said}");
    }
    deployments.first().map(drop).context("there are some")
}

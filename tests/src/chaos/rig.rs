//! Everything that stands during a run: control plane, gateway, the lines between them that can be
//! cut, the writer and the viewers. It does faults, and never decides which.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use cluster::{ControlPlane, Credential, Options};
use http::Request;
use kube::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Plan;
use super::kind::{Kind, NAMESPACE};
use super::reach::{self, Part, Reach};
use super::scope::ViewScope;
use super::script::Outage;
use super::watcher::Watcher;
use super::writer::Writer;
use crate::api;
use crate::dogwatch::{Dogwatch, Home};
use crate::ledger::Ledger;
use crate::metrics::Metrics;
use crate::oracle::Fresh;
use crate::proxy::{Line, Proxy, Target};

pub struct ChaosRig {
    plan: Plan,
    pub viewers: Vec<Watcher>,
    pub writer: Writer,
    /// Asks for the fresh lists, past all that is cut.
    client: Client,
    reach: Arc<Reach>,
    _probes: JoinSet<()>,
    lines: Vec<Proxy>,
    upstream: Proxy,
    pub dogwatch: Dogwatch,
    pub metrics: Metrics,
    credential: Credential,
    plane: ControlPlane,
    home: Home,
}

/// The viewers' line that faults cut; the other one is never cut.
const CUT_LINE: usize = 0;
const LINES: usize = 2;
const VIEWERS: usize = 4;

impl ChaosRig {
    pub async fn open(plan: Plan) -> Result<Self> {
        let (plane, credential) = tokio::task::block_in_place(prepared)?;
        let home = Home::new()?;
        let upstream = Proxy::to(plane.server().trim_start_matches("https://").parse()?).await?;
        let through =
            |kubeconfig: PathBuf, name: &str| through(&upstream, &plane, &kubeconfig, home.path(), name);
        let kubeconfig = through(credential.kubeconfig(), "gateway")?;
        let probing = through(plane.kubeconfig(), "probe")?;
        let writer = Writer::start(&plane.kubeconfig(), plan.writes_per_s, plan.seed).await?;
        let metrics = Metrics::at_free_port();
        let (at, kubeconfig) = (metrics.address(), kubeconfig.to_string_lossy().into_owned());
        let flags = ["--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig, "--metrics-listen", &at];
        let dogwatch = home.serve(&flags)?;
        let socket = dogwatch.socket()?;
        let reach = Arc::new(Reach::default());
        let probes = reach::probe(&probing, &reach).await?;
        let mut lines = Vec::new();
        for _ in 0..LINES {
            lines.push(Proxy::of(Target::Unix(socket.clone())).await?);
        }
        let viewers = (0..VIEWERS)
            .map(|number| {
                let line = number % LINES;
                Watcher::open(line, lines[line].address(), plan.seed ^ number as u64, reach.clone())
            })
            .collect::<Result<_>>()?;
        let client = api::client(&plane.kubeconfig()).await?;
        Ok(Self {
            plan,
            viewers,
            writer,
            client,
            reach,
            _probes: probes,
            lines,
            upstream,
            dogwatch,
            metrics,
            credential,
            plane,
            home,
        })
    }

    /// What a control plane does blocks.
    pub fn plane<T>(&mut self, act: impl FnOnce(&mut ControlPlane) -> Result<T>) -> Result<T> {
        tokio::task::block_in_place(|| act(&mut self.plane))
    }

    pub async fn expire(&mut self) -> Result<()> {
        self.upstream.set(Line::Cut);
        self.writer.until_more(self.plan.writes_in(MISSED_S)).await;
        self.plane(|plane| {
            plane.compact_etcd()?;
            plane.kill_apiserver()?;
            plane.start_apiserver()
        })?;
        open_anew(&self.upstream);
        Ok(())
    }

    /// It is written on: the new history may pass the resourceVersions that the gateway holds before it
    /// is back.
    pub async fn restore(&mut self) -> Result<()> {
        let snapshot = self.plane(|plane| plane.snapshot_etcd())?;
        self.writer.until_more(self.plan.writes_in(MISSED_S)).await;
        // Kubernetes' manual: an API server may not live on over a restore.
        self.plane(|plane| {
            plane.kill_apiserver()?;
            plane.restore_etcd(&snapshot)?;
            plane.start_apiserver()
        })
    }

    /// Returns when the API server refuses the former token, so that the gateway has to notice.
    pub async fn rotate(&mut self) -> Result<()> {
        let former = api::client(&self.with_its_token_now()?).await?;
        tokio::task::block_in_place(|| self.credential.rotate())?;
        let mut ticks = tokio::time::interval(ASK_AGAIN);
        loop {
            ticks.tick().await;
            let asked = format!("{}?limit=1", Kind::Pods.list_path());
            let answer = former.request_text(Request::get(asked).body(Vec::new())?).await;
            if matches!(answer, Err(kube::Error::Api(status)) if status.code == 401) {
                break;
            }
        }
        // A watch that stands isn't asked for its token again.
        self.upstream.set(Line::Cut);
        open_anew(&self.upstream);
        Ok(())
    }

    /// A kubeconfig that keeps the gateway's token of this moment.
    fn with_its_token_now(&self) -> Result<PathBuf> {
        let mut kubeconfig: Value = serde_json::from_slice(&std::fs::read(self.credential.kubeconfig())?)?;
        let user = &mut kubeconfig["users"][0]["user"];
        let file = user["tokenFile"].as_str().context("the kubeconfig names a file")?;
        *user = json!({ "token": std::fs::read_to_string(file)? });
        let path = self.home.path().join("kubeconfig-of-the-former-token");
        std::fs::write(&path, kubeconfig.to_string())?;
        Ok(path)
    }

    pub fn begin(&mut self, outage: Outage) -> Result<()> {
        match outage {
            Outage::KilledApiserver => self.plane(|plane| plane.kill_apiserver())?,
            Outage::FrozenApiserver => self.plane(|plane| plane.pause_apiserver())?,
            Outage::KilledEtcd => self.plane(|plane| plane.kill_etcd())?,
            Outage::CutUpstream => self.upstream.set(Line::Cut),
            Outage::SilentUpstream => self.upstream.set(Line::Silent),
            Outage::CutViewers | Outage::SilentViewers => {
                self.reach.lose(Part::Line(CUT_LINE), Instant::now());
                let is_cut = outage == Outage::CutViewers;
                self.lines[CUT_LINE].set(if is_cut { Line::Cut } else { Line::Silent });
            }
        }
        Ok(())
    }

    pub fn end(&mut self, outage: Outage) -> Result<()> {
        match outage {
            Outage::KilledApiserver => self.plane(|plane| plane.start_apiserver())?,
            Outage::FrozenApiserver => self.plane(|plane| plane.resume_apiserver())?,
            Outage::KilledEtcd => self.plane(|plane| plane.start_etcd())?,
            Outage::CutUpstream | Outage::SilentUpstream => open_anew(&self.upstream),
            Outage::CutViewers | Outage::SilentViewers => {
                open_anew(&self.lines[CUT_LINE]);
                self.reach.regain(Part::Line(CUT_LINE));
            }
        }
        Ok(())
    }

    /// Returns when a viewer has received something, or its timer has run out.
    pub fn moved(&self) -> impl Future<Output = ()> + use<> {
        let mut moved: Vec<_> = self.viewers.iter().map(|viewer| viewer.moved.clone()).collect();
        for viewer in &mut moved {
            viewer.mark_unchanged();
        }
        async move {
            let changes = moved.iter_mut().map(|viewer| Box::pin(viewer.changed()));
            // That a viewer has ended is found when it is asked.
            drop(futures_util::future::select_all(changes).await);
        }
    }

    /// Returns when the API server answers for every kind, and no line is cut.
    pub async fn until_whole(&self) {
        loop {
            let back = self.reach.back.notified();
            if self.reach.is_whole() {
                return;
            }
            back.await;
        }
    }

    /// Whether one of the viewers that the outage concerns calls itself live.
    pub async fn is_a_viewer_live(&self, outage: Outage) -> Result<bool> {
        let is_of_one_line = matches!(outage, Outage::CutViewers | Outage::SilentViewers);
        for viewer in self.viewers.iter().filter(|viewer| !is_of_one_line || viewer.line == CUT_LINE) {
            if viewer.ledgers().await?.iter().any(Ledger::is_live) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first difference between a replica and a fresh list.
    pub async fn difference(&self) -> Result<Option<String>> {
        let scopes = ViewScope::all();
        let mut fresh = Vec::new();
        for scope in &scopes {
            let path = scope.list_path();
            let listed = Fresh::list(&self.client, &path);
            match tokio::time::timeout(LIST_TIMEOUT, listed).await {
                Ok(Ok(list)) => fresh.push(list),
                // Custom resources come back last.
                Ok(Err(error)) => return Ok(Some(format!("{error:#}"))),
                Err(_) => return Ok(Some(format!("no list of {} came", scope.name()))),
            }
        }
        let fresh = Arc::new(fresh);
        for (number, viewer) in self.viewers.iter().enumerate() {
            let differences = viewer.differences(fresh.clone()).await?;
            let first = differences.into_iter().zip(&scopes).find_map(|(what, scope)| Some((what?, scope)));
            if let Some((what, scope)) = first {
                return Ok(Some(format!("viewer {number}, {}: {what}", scope.name())));
            }
        }
        Ok(None)
    }
}

/// Opens a line that was cut or silent. A silent one has lost bytes: its connections must end first.
fn open_anew(line: &Proxy) {
    line.set(Line::Cut);
    line.set(Line::Open);
}

fn prepared() -> Result<(ControlPlane, Credential)> {
    let plane = ControlPlane::start(Options::default())?;
    plane.kubectl_output(&["create", "namespace", NAMESPACE])?;
    plane.apply(super::kind::DEFINITION)?;
    plane.kubectl_output(&["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"])?;
    let credential = plane.credential("gateway")?;
    let reader = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "reader"},
        "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}],
    });
    plane.apply(&reader.to_string())?;
    let user = format!("--user={}", credential.user());
    plane.kubectl_output(&["create", "clusterrolebinding", "gateway", "--clusterrole=reader", &user])?;
    let asked = format!("{}?limit=1", Kind::Beacons.list_path());
    plane.kubectl_output(&["get", "--raw", &asked])?;
    Ok((plane, credential))
}

/// The same kubeconfig, with the proxy in the server's place.
fn through(
    upstream: &Proxy,
    plane: &ControlPlane,
    kubeconfig: &Path,
    folder: &Path,
    name: &str,
) -> Result<PathBuf> {
    let path = folder.join(format!("kubeconfig-of-{name}"));
    upstream.write_kubeconfig(plane, kubeconfig, &path)?;
    Ok(path)
}

/// What is written in so many seconds while the gateway doesn't see it.
const MISSED_S: u64 = 2;
const ASK_AGAIN: Duration = Duration::from_millis(500);
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

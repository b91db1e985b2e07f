//! The feed alone against a real kube-apiserver: what KUBERNETES' API concepts promise of lists and
//! watches, seen on the real thing. The whole way to the page stands in the other scenarios.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use cluster::{ControlPlane, Options, User};
use gateway::cluster::{Cluster, Source};
use gateway::feed::{Change, FeedCommand, FeedKey, FeedOptions, FeedOutput, Object, drive};
use shared::name::ClusterName;
use shared::problem::Reason;
use shared::resource::Resource;
use shared::row::RowId;
use shared::state::ViewState;
use testkit::contents;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const PATIENCE: Duration = Duration::from_secs(90);

/// What a hub would hold, in the plainest form.
struct Followed {
    outputs: mpsc::Receiver<FeedOutput>,
    _commands: mpsc::Sender<FeedCommand>,
    cancel: CancellationToken,
    rows: BTreeMap<RowId, Object>,
    aside: Option<BTreeMap<RowId, Object>>,
    columns: Vec<String>,
    state: Option<ViewState>,
    gaps: Vec<Reason>,
    epochs: u32,
    proofs: u32,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Followed {
    fn of(cluster: &Cluster, resource: Resource, options: FeedOptions) -> Result<Self> {
        let key = FeedKey::of(ClusterName::parse("real")?, resource);
        let (sender, outputs) = mpsc::channel(1_024);
        let (commands, receiver) = mpsc::channel(1);
        let cancel = CancellationToken::new();
        tokio::spawn(drive(key, cluster.clone(), options, None, sender, receiver, cancel.clone()));
        Ok(Self {
            outputs,
            _commands: commands,
            cancel,
            rows: BTreeMap::new(),
            aside: None,
            columns: Vec::new(),
            state: None,
            gaps: Vec::new(),
            epochs: 0,
            proofs: 0,
        })
    }

    async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> Result<()> {
        let wait = async {
            while !is_so(self) {
                let output = self.outputs.recv().await.context("the feed ended")?;
                self.apply(output);
            }
            Ok(())
        };
        match tokio::time::timeout(PATIENCE, wait).await {
            Ok(result) => result,
            Err(_) => {
                bail!("never {what}: {:?}, {} rows, columns {:?}", self.state, self.rows.len(), self.columns)
            }
        }
    }

    fn apply(&mut self, output: FeedOutput) {
        match output {
            FeedOutput::Proof(_) => self.proofs += 1,
            FeedOutput::State(report) => self.state = Some(report.state),
            FeedOutput::Change(change) => match change {
                Change::Columns(columns) => {
                    self.columns = columns.iter().map(|c| c.name.to_string()).collect()
                }
                Change::Rewound => self.epochs += 1,
                Change::ListStart => self.aside = Some(BTreeMap::new()),
                Change::ListAborted => self.aside = None,
                Change::ListEnd { gap, .. } => {
                    self.rows = self.aside.take().unwrap_or_default();
                    self.gaps.extend(gap.map(|gap| gap.reason));
                }
                Change::Listed(object) => {
                    self.aside.get_or_insert_default().insert(object.row.id, object);
                }
                Change::Put(object) => {
                    self.rows.insert(object.row.id, object);
                }
                Change::Delete { id, .. } => {
                    self.aside.as_mut().unwrap_or(&mut self.rows).remove(&id);
                }
                Change::Bookmark(_) | Change::Error(_) | Change::LeftOut { .. } => {}
            },
        }
    }

    fn is_live(&self) -> bool {
        self.state == Some(ViewState::Live)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.rows.values().map(|object| object.row.order_key()).collect();
        names.sort();
        names
    }
}

async fn connect(kubeconfig: std::path::PathBuf) -> Result<Cluster> {
    Ok(Cluster::connect(Source::Kubeconfig { path: Some(kubeconfig), context: None }).await?)
}

fn pods() -> Result<Resource> {
    Ok(Resource::parse("", "v1", "pods")?)
}

fn config_map(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: default}}\ndata: {{a: b}}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_follows_a_real_api_server_through_its_death() -> Result<()> {
    let mut plane = ControlPlane::start(Options::default())?;
    let cluster = connect(plane.kubeconfig()).await?;
    assert!(cluster.identity().version.starts_with("v1."), "{:?}", cluster.identity());
    let maps = Resource::parse("", "v1", "configmaps")?;
    let options = FeedOptions { proof_interval_ms: 500, ..FeedOptions::default() };
    let mut feed = Followed::of(&cluster, maps.clone(), options)?;
    feed.until("live", Followed::is_live).await?;
    assert!(cluster.may_watch_list(&maps), "this server does WatchLists");
    plane.apply(&config_map("one"))?;
    feed.until("created", |feed| feed.names().contains(&"default/one".to_owned())).await?;
    let body = feed.rows.values().find(|object| &*object.row.name == "one").context("the map")?.body.clone();
    let body = String::from_utf8(body.to_vec())?;
    assert!(!body.contains("managedFields") && !body.contains("last-applied"), "{body}");
    plane.kubectl_output(&["delete", "configmap", "one", "-n", "default"])?;
    feed.until("deleted", |feed| !feed.names().contains(&"default/one".to_owned())).await?;
    let proofs = feed.proofs;
    feed.until("proven while it is quiet", |feed| feed.proofs >= proofs + 3).await?;

    plane.kill_apiserver()?;
    feed.until("resuming", |feed| matches!(feed.state, Some(ViewState::Resuming { .. }))).await?;
    plane.start_apiserver()?;
    plane.apply(&config_map("two"))?;
    feed.until("exact again", |feed| feed.is_live() && feed.names().contains(&"default/two".to_owned()))
        .await?;
    assert_eq!(feed.epochs, 0);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_api_server_makes_the_view_stale_and_its_thaw_live() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    let cluster = connect(plane.kubeconfig()).await?;
    let options = FeedOptions {
        proof_interval_ms: 300,
        proof_timeout_ms: 600,
        stale_after_ms: 2_000,
        ..FeedOptions::default()
    };
    let mut feed = Followed::of(&cluster, pods()?, options)?;
    feed.until("live", Followed::is_live).await?;
    plane.pause_apiserver()?;
    feed.until("stale", |feed| matches!(feed.state, Some(ViewState::Stale { .. }))).await?;
    plane.resume_apiserver()?;
    feed.until("live again", Followed::is_live).await
}

#[tokio::test(flavor = "multi_thread")]
async fn kinds_and_columns_follow_their_definitions() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    let cluster = connect(plane.kubeconfig()).await?;
    let cancel = CancellationToken::new();
    let _ended_with_the_test = cancel.clone().drop_guard();
    tokio::spawn(cluster.clone().keep_discovering(cancel));
    contents::fill(&plane)?;
    let mut kinds = cluster.kinds();
    let name = "certificates.pki.example.com";
    let is_there = |kind: &shared::resource::Kind| kind.custom && kind.resource.to_string() == name;
    let wait = kinds.wait_for(|kinds| kinds.kinds.iter().any(is_there));
    tokio::time::timeout(PATIENCE, wait).await.context("the kind")??;
    let certificates = Resource::parse("pki.example.com", "v1", "certificates")?;
    let options = FeedOptions { proof_interval_ms: 500, ..FeedOptions::default() };
    let mut feed = Followed::of(&cluster, certificates, options)?;
    feed.until("live", |feed| feed.is_live() && !feed.rows.is_empty()).await?;
    let expires = feed.columns.iter().position(|column| column == "Expires").context("the column")?;
    assert!(
        feed.rows
            .values()
            .any(|object| matches!(object.row.cells.get(expires), Some(shared::cell::Cell::Age(Some(_))))),
        "a date of a custom resource is an instant"
    );
    let patch = r#"[{"op":"remove","path":"/spec/versions/0/additionalPrinterColumns/2"}]"#;
    plane.kubectl_output(&["patch", "crd", name, "--type=json", "-p", patch])?;
    feed.until("other columns", |feed| !feed.columns.contains(&"Expires".to_owned()) && feed.aside.is_none())
        .await?;
    plane.kubectl_output(&["delete", "crd", name])?;
    feed.until("gone", |feed| matches!(feed.state, Some(ViewState::Gone { .. }))).await?;
    let wait = kinds.wait_for(|kinds| !kinds.kinds.iter().any(is_there));
    tokio::time::timeout(PATIENCE, wait).await.context("the kind is gone")??;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn rights_decide_between_forbidden_polled_and_live() -> Result<()> {
    let users = vec![User::new("lister", &[]), User::new("nobody", &[])];
    let plane = ControlPlane::start(Options { users, ..Options::default() })?;
    plane.kubectl_output(&["create", "clusterrole", "lists", "--verb=list", "--resource=pods"])?;
    plane.kubectl_output(&[
        "create",
        "clusterrolebinding",
        "lists",
        "--clusterrole=lists",
        "--user=lister",
    ])?;
    for (user, expected) in [
        ("nobody", ViewState::Forbidden { to: shared::state::Whom::You }),
        ("lister", ViewState::Polled { every_s: 10 }),
        ("admin", ViewState::Live),
    ] {
        let cluster = connect(plane.kubeconfig_of(user)).await?;
        let mut feed = Followed::of(&cluster, pods()?, FeedOptions::default())?;
        feed.until(&format!("{expected:?} for {user}"), |feed| feed.state.as_ref() == Some(&expected))
            .await?;
    }
    Ok(())
}

//! The clusters at the start. A single cluster is reached before the gateway serves viewers; with several, each is shown
//! as soon as it answers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use shared::name::ClusterName;
use shared::problem::Problem;
use tokio::time::timeout;

use super::internal;
use super::replay::Replay;
use crate::access::RightsMode;
use crate::access::local::folders::{self, Folders};
use crate::cluster::{Cluster, Source};
use crate::config::{ClusterChoice, Config};
use crate::demo::Demo;
use crate::feed::Redaction;
use crate::http::{Check, ServedClusters};
use crate::inventory::{Connecting, Entry, Inventory, Listed};
use crate::limits::CLUSTERS_START_MS;
use crate::metrics::Metrics;
use crate::past::Record;
use crate::rbac;

/// What there is of the clusters before anything is served.
pub(super) struct OpenedClusters {
    pub(super) demos: Vec<Demo>,
    pub(super) inventory: Inventory,
    /// The name of the home cluster.
    pub(super) home: ClusterName,
    /// The home cluster, if it is the only one.
    pub(super) only: Option<Cluster>,
    pub(super) connecting: Connecting,
    /// The file that is shown instead of a cluster.
    pub(super) replayed: Option<Arc<Record>>,
}

impl OpenedClusters {
    /// Fails with one sentence if the only cluster can't be reached.
    pub(super) async fn of(config: &Config, metrics: &Metrics) -> Result<Self, Problem> {
        let (demos, replayed) = match &config.cluster {
            ClusterChoice::Replay(path) => replay(path, config).await?,
            choice => (demos(choice, config.history.lead).await?, None),
        };
        let entries = match demos.as_slice() {
            [] => config.cluster.entries()?,
            demos => Some(demos.iter().map(Demo::entry).collect()),
        };
        let is_team = config.auth.mode().rights().is_some();
        let connecting = Connecting {
            metrics: metrics.clone(),
            impersonates: is_team && config.rights == RightsMode::Impersonate,
            // The account of a demo has all rights, and its operator can't take one away.
            checks_own_rights: is_team && !matches!(config.cluster, ClusterChoice::Demo(_)),
            needed: config.needs().map(|needs| rbac::without_kinds(&needs)).unwrap_or_default().into(),
        };
        let inventory = Inventory::new(config.ceiling.clone());
        let entries = entries.unwrap_or_default();
        let home = match entries.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            [home, ..] => {
                let home = home.name.clone();
                inventory.configure(entries);
                return Ok(Self { demos, inventory, home, only: None, connecting, replayed });
            }
        };
        let cluster = reach(config, home.as_ref(), metrics).await?;
        let reached = connecting.examine(cluster.clone()).await?;
        if let Err(why) = &reached.own_rights {
            tracing::warn!("{why}");
        }
        let name = cluster.identity().name;
        let home = home.unwrap_or_else(|| Entry { name: name.clone(), access: Ok(cluster.source()) });
        inventory.begin_with(home.clone(), reached);
        inventory.configure(vec![home]);
        Ok(Self { demos, inventory, home: name, only: Some(cluster), connecting, replayed })
    }
}

/// The end of a file, as a cluster that stands still.
async fn replay(path: &Path, config: &Config) -> Result<(Vec<Demo>, Option<Arc<Record>>), Problem> {
    let (path, redaction) = (path.to_owned(), Redaction::of(&config.redaction));
    let read = tokio::task::spawn_blocking(move || Replay::open(&path, &redaction));
    let Replay { record, cluster, recording } =
        read.await.map_err(|_| internal("the file couldn't be read; see the log"))??;
    let state = Folders::of_environment()?.state;
    folders::make_private(&state)?;
    Ok((vec![Demo::of_recording(&state, &cluster, recording).await?], Some(record)))
}

async fn demos(choice: &ClusterChoice, lead: Duration) -> Result<Vec<Demo>, Problem> {
    let ClusterChoice::Demo(count) = choice else { return Ok(Vec::new()) };
    let state = Folders::of_environment()?.state;
    // Only mode `local` has made it by now.
    folders::make_private(&state)?;
    let mut demos = Vec::new();
    for number in 0..*count {
        demos.push(Demo::start(&state, number, lead).await?);
    }
    Ok(demos)
}

async fn reach(config: &Config, entry: Option<&Entry>, metrics: &Metrics) -> Result<Cluster, Problem> {
    let source = match (entry, &config.cluster) {
        (Some(entry), _) => entry.access.clone()?,
        (None, ClusterChoice::Kubeconfig { path, context, .. }) => {
            Source::Kubeconfig { path: path.clone(), context: context.clone() }
        }
        (None, _) => Source::InCluster,
    };
    let name = entry.map(|entry| entry.name.clone());
    Cluster::connect_as(name, source, config.ceiling.clone(), metrics.clone()).await
}

/// Returns when each cluster has answered or failed once, and after a moment in any case.
pub(super) async fn first_answers(inventory: &Inventory) {
    let mut listed = inventory.listed();
    let is_settled = |list: &Arc<[Listed]>| {
        !list.is_empty() && list.iter().all(|cluster| cluster.reached.is_some() || cluster.problem.is_some())
    };
    drop(timeout(Duration::from_millis(CLUSTERS_START_MS), listed.wait_for(is_settled)).await);
}

/// The lines of `/readyz?verbose` that are about clusters. They need no credential, so they have numbers and no names.
pub(super) fn checks(inventory: &Inventory) -> Vec<Check> {
    let check = |name, look: fn(&[Listed]) -> Result<(), String>| {
        let listed = inventory.listed();
        Check::new(name, move || look(&listed.borrow()))
    };
    vec![
        check("clusters", |listed| {
            // One that is being reached for the first time hasn't failed yet.
            let count = listed.iter().filter(|one| one.problem.is_some()).count();
            match count {
                0 => Ok(()),
                count => Err(format!("{count} of {} can't be reached", listed.len())),
            }
        }),
        check("discovery", |listed| {
            // The page shows the groups' names.
            match listed.iter().map(|one| one.kinds().problems.len()).sum::<usize>() {
                0 => Ok(()),
                count => Err(format!("{count} API groups didn't answer")),
            }
        }),
        check("own-rights", |listed| {
            let reached = listed.iter().filter_map(|one| one.reached.as_ref());
            reached.map(|one| one.own_rights.clone()).find(Result::is_err).unwrap_or(Ok(()))
        }),
    ]
}

/// Their names, for clients of the Kubernetes API.
pub(super) fn served(home: &ClusterName, inventory: &Inventory) -> ServedClusters {
    let listed = inventory.listed();
    let names = move || listed.borrow().iter().map(|cluster| cluster.name.clone()).collect();
    ServedClusters { home: home.clone(), listed: Box::new(names) }
}

/// The clusters in a few words, for the first line that is printed.
pub(super) fn in_words(home: &ClusterName, inventory: &Inventory) -> String {
    match inventory.listed().borrow().len().saturating_sub(1) {
        0 => home.to_string(),
        1 => format!("{home} and another cluster"),
        others => format!("{home} and {others} other clusters"),
    }
}

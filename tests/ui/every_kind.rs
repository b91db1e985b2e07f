//! After a fleet has lived under its eyes, Dogwatch prints of every kind what kubectl prints, and the page shows it
//! of kinds of each sort: `cargo xtask bench cells` reads every kind from the page, after minutes of that.

use anyhow::{Result, ensure};
use cluster::{ControlPlane, Fleet, Options};
use testkit::dogwatch::Dogwatch;
use testkit::every_kind::{EveryKind, served, tails};

use crate::room::nothing_that_matters_is_cut;

/// Some seconds of a fleet that lives ten times as fast.
const WRITES: u64 = 300;
/// The built-in ones of Kubernetes 1.36 and those of the fleet; fewer are a mistake of this test.
const KINDS_MIN: usize = 50;
/// These kinds fill one board. Among them are kinds with many rows, cluster-scoped ones, one that is polled, ones that
/// kubectl prints in another order, and custom ones with dates and numbers.
const IN_THE_PAGE: [&str; 12] = [
    "certificates.cert-manager.io",
    "componentstatuses",
    "customresourcedefinitions.apiextensions.k8s.io",
    "daemonsets.apps",
    "deployments.apps",
    "events",
    "flowschemas.flowcontrol.apiserver.k8s.io",
    "jobs.batch",
    "nodes",
    "pods",
    "rollouts.argoproj.io",
    "services",
];

#[tokio::test]
async fn of_every_kind_there_is_what_kubectl_prints() -> Result<()> {
    let mut plane = ControlPlane::start(Options {
        fleet: Some(Fleet { speed: 10, ..Fleet::default() }),
        ..Options::default()
    })?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let every_kind = EveryKind::open(&dogwatch, &IN_THE_PAGE.map(str::to_owned)).await?;
    every_kind.until_written(WRITES).await?;
    plane.kill_fleet();
    let in_the_page = every_kind.compare(&plane).await?;
    let printed = tails(&plane, &dogwatch, &served(&plane)?)?;
    let (browser, cluster) = every_kind.browser();
    nothing_that_matters_is_cut(browser, &dogwatch.origin(), cluster).await?;
    every_kind.close().await?;
    println!("in the page: {in_the_page}\nprinted: {printed}");
    ensure!(in_the_page.differences.is_empty(), "the page and kubectl differ");
    ensure!(printed.differences.is_empty(), "dogwatch tail and kubectl differ");
    ensure!(printed.kinds >= KINDS_MIN && printed.rows > 10 * KINDS_MIN, "too little was compared");
    Ok(())
}

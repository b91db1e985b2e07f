//! The page shows of every kind what kubectl prints, after a fleet has lived under its eyes:
//! `cargo xtask bench cells` is the same with minutes of that.

use anyhow::{Result, ensure};
use cluster::{ControlPlane, Fleet, Options};
use testkit::dogwatch::Dogwatch;
use testkit::every_kind::EveryKind;

/// Some seconds of a fleet that lives ten times as fast.
const WRITES: u64 = 300;
/// The built-in ones of Kubernetes 1.36 and those of the fleet; fewer are a mistake of this test.
const KINDS_MIN: usize = 50;

#[tokio::test]
async fn the_page_shows_of_every_kind_what_kubectl_prints() -> Result<()> {
    let mut plane = ControlPlane::start(Options {
        fleet: Some(Fleet { speed: 10, ..Fleet::default() }),
        ..Options::default()
    })?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let every_kind = EveryKind::open(&plane, &dogwatch).await?;
    every_kind.until_written(WRITES).await?;
    plane.kill_fleet();
    let compared = every_kind.compare(&plane).await?;
    every_kind.close().await?;
    println!("{compared}");
    ensure!(compared.differences.is_empty(), "the page and kubectl differ");
    ensure!(compared.kinds >= KINDS_MIN && compared.rows > 10 * KINDS_MIN, "too little was compared");
    Ok(())
}

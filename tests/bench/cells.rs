//! `cargo xtask bench cells [--minutes 10]`: every kind of a real cluster stands in the page while its fleet
//! lives for so long; then the fleet is stopped and each cell of the DOM is compared with kubectl's. Prints
//! what was compared, and ends with an error when a cell differs.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use cluster::{ControlPlane, Fleet, Options};
use testkit::arguments::number;
use testkit::dogwatch::Dogwatch;
use testkit::every_kind::{EveryKind, served};

/// As fast as it goes: more changes in the same time.
const SPEED: u32 = 10;

pub async fn run() -> Result<ExitCode> {
    let minutes = number("minutes", 10)?;
    // None expires while it is compared: the cluster has to stand still.
    let fleet = Fleet { speed: SPEED, event_ttl_minutes: 24 * 60 };
    let mut plane = ControlPlane::start(Options { fleet: Some(fleet), ..Options::default() })?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let every_kind = EveryKind::open(&dogwatch, &served(&plane)?).await?;
    let before = every_kind.revision().await?;
    let mut minute = tokio::time::interval(Duration::from_secs(60));
    minute.tick().await;
    for passed in 1..=minutes {
        minute.tick().await;
        eprintln!("{passed} min: {} writes", every_kind.revision().await? - before);
    }
    let writes = every_kind.revision().await? - before;
    plane.kill_fleet();
    let compared = every_kind.compare(&plane).await?;
    every_kind.close().await?;
    println!("{minutes} minutes of the fleet, {writes} writes\n{compared}");
    Ok(if compared.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

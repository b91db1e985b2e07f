//! What `dogwatch history purge` removes is said where it was: in a view as of that time, and in the history of an object.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use playground::{Options, Playground};
use tempfile::tempdir;
use testkit::client::all_pods;
use testkit::dogwatch::{Home, binary};

use crate::past::{Viewer, serve};

#[tokio::test(flavor = "multi_thread")]
async fn what_was_removed_from_the_record_is_said_by_views_of_that_time_and_by_histories() -> Result<()> {
    let playground = Playground::start(Options::quiet()).await?;
    let folder = tempdir()?;
    let record = folder.path().join("record").display().to_string();
    let flags = ["--history", &record];
    let first = serve(&Home::new()?, &playground, &flags)?;
    let mut viewer = Viewer::open(&first).await?;
    viewer.until_recorded().await?;
    let (at_ms, _) = viewer.look(&playground, 0).await?;
    viewer.until_kept(at_ms).await?;
    let row = viewer.first.context("a pod was put")?;
    let (state, _) = viewer.as_of(at_ms).await?.expect("recorded");
    ensure!(state.removed.is_none() && viewer.whole_history(row).await?.removed.is_empty(), "{state:?}");
    let (home, _) = first.kill()?;
    let path = ".metadata.creationTimestamp";
    let purged = Command::new(binary())
        .args(["history", "purge", "--yes", "--kind", "pods", "--path", path])
        .args(flags)
        .output()?;
    ensure!(purged.status.success(), "{}", String::from_utf8_lossy(&purged.stderr));
    let second = serve(&home, &playground, &flags)?;
    let mut viewer = Viewer::open(&second).await?;
    let (state, objects) = viewer.objects_as_of(all_pods()?, at_ms).await?.expect("recorded");
    ensure!(!objects.is_empty(), "what was left is shown");
    let removed = state.removed.context("a mark")?;
    ensure!(removed.path.as_deref() == Some(path) && removed.from_ms <= at_ms, "{removed:?}");
    ensure!(removed.to_ms > at_ms && removed.removed_ms >= at_ms, "{removed:?}");
    let history = viewer.whole_history(row).await?;
    ensure!(history.removed == [*removed], "{history:?}");
    // What is recorded from now on is whole.
    viewer.until_recorded().await?;
    let (now_ms, _) = viewer.look(&playground, 1).await?;
    viewer.until_kept(now_ms).await?;
    let (state, _) = viewer.as_of(now_ms).await?.expect("recorded");
    ensure!(state.removed.is_none(), "{state:?}");
    Ok(())
}

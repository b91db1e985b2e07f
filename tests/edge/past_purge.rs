//! What `dogwatch history purge` removes is said where it was: in a view as of that time, in the history of an object, and by
//! the slider, the search, the stream and `tail`.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use playground::{Options, Playground};
use shared::past::Removed;
use tempfile::tempdir;
use testkit::client::all_pods;
use testkit::dogwatch::{Dogwatch, Home, binary};
use testkit::stream::Stream;

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
    let removed = *state.removed.context("a mark")?;
    ensure!(removed.path.as_deref() == Some(path) && removed.from_ms <= at_ms, "{removed:?}");
    ensure!(removed.to_ms > at_ms && removed.removed_ms >= at_ms, "{removed:?}");
    let history = viewer.whole_history(row).await?;
    ensure!(history.removed == [removed.clone()], "{history:?}");
    let density = viewer.recorded(at_ms - 1_000, at_ms + 1_000).await?;
    ensure!(density.removed == [removed.clone()], "{density:?}");
    let found = viewer.found((at_ms - 1_000, at_ms + 1_000), "creation").await?;
    ensure!(found.removed == [removed.clone()], "{found:?}");
    streams_say_it(&second, &removed).await?;
    // What is recorded from now on is whole.
    viewer.until_recorded().await?;
    let (now_ms, _) = viewer.look(&playground, 1).await?;
    viewer.until_kept(now_ms).await?;
    let (state, _) = viewer.as_of(now_ms).await?.expect("recorded");
    ensure!(state.removed.is_none(), "{state:?}");
    let density = viewer.recorded(removed.to_ms, now_ms).await?;
    ensure!(density.removed.is_empty(), "{density:?}");
    Ok(())
}

/// Both tell it once, before what is left.
async fn streams_say_it(dogwatch: &Dogwatch, removed: &Removed) -> Result<()> {
    let mut stream = Stream::of(dogwatch, "resource=pods&since=1h", &[]).await?;
    let mut types = Vec::new();
    while types.last().is_none_or(|last| last != "sync") {
        let event = stream.next().await?.context("an event")?;
        if event["type"] == "purged" {
            let said: Removed = serde_json::from_value(event.clone())?;
            ensure!(said == *removed, "{event}");
        }
        types.push(event["type"].as_str().unwrap_or_default().to_owned());
    }
    let place = |kind: &str| types.iter().position(|other| other == kind);
    ensure!(types.iter().filter(|kind| *kind == "purged").count() == 1, "{types:?}");
    ensure!(place("purged") < place("added"), "{types:?}");
    let tail = dogwatch.tail(&["pods", "-A", "--since", "1h", "--once"])?;
    let said = String::from_utf8(tail.stderr)?;
    let sentence = ".metadata.creationTimestamp was removed from what was recorded of pods from ";
    ensure!(said.contains(sentence) && said.contains(" with dogwatch history purge."), "{said}");
    Ok(())
}

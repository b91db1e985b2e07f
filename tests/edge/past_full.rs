//! A record on a disk that is full: a file system in memory of 24 MiB, which a file fills to the brim. The record stops and
//! says so, live views go on, and after there is room again it goes on with the gap named. Nothing that was committed is lost.
//!
//! The file system is mounted in a namespace of its own, by `unshare`. A machine that allows neither users nor root to make
//! one can't run this test, which says so and checks nothing.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use playground::{Options, Playground};
use shared::past::Why;
use testkit::dogwatch::Home;
use tokio::time::{interval, timeout};

use crate::past::{Viewer, serve};

/// Where the file system is mounted, for the child of the test.
const DISK: &str = "DOGWATCH_FULL_DISK";
const SIZE: &str = "size=24m";
const UNSHARE: [&str; 4] = ["--user", "--map-root-user", "--mount", "--"];
/// A store that failed is tried again after 15 s.
const PATIENCE: Duration = Duration::from_secs(45);

#[test]
fn a_full_disk_stops_the_record_alone_and_with_room_it_goes_on_with_the_gap_named() -> Result<()> {
    let disk = tempfile::tempdir()?;
    let mut mount = Command::new("unshare");
    let can =
        mount.args(UNSHARE).args(["mount", "-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(disk.path()).output();
    if !can.as_ref().is_ok_and(|output| output.status.success()) {
        println!("NOT TESTED: no file system can be mounted here, as unshare says: {can:?}");
        return Ok(());
    }
    let tried = Command::new("unshare")
        .args(UNSHARE)
        .arg(std::env::current_exe()?)
        .args(["--exact", "past_full::on_a_disk_that_is_filled", "--nocapture"])
        .env(DISK, disk.path())
        .output()?;
    let said = String::from_utf8_lossy(&tried.stdout);
    ensure!(tried.status.success(), "{said}\n{}", String::from_utf8_lossy(&tried.stderr));
    ensure!(said.contains("the record went on"), "{said}");
    Ok(())
}

/// The child of the test above, in its own namespace. It does nothing without it.
#[tokio::test(flavor = "multi_thread")]
async fn on_a_disk_that_is_filled() -> Result<()> {
    let Some(disk) = std::env::var_os(DISK) else { return Ok(()) };
    let disk = Path::new(&disk);
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(disk).status()?;
    ensure!(mounted.success(), "{mounted}");
    let playground = Playground::start(Options::quiet()).await?;
    let record = disk.join("record").display().to_string();
    let gateway = serve(&Home::new()?, &playground, &["--history", &record])?;
    let mut viewer = Viewer::open(&gateway).await?;
    viewer.until_recorded().await?;
    let mut seen = Vec::new();
    for look in 0..2 {
        seen.push(viewer.look(&playground, look).await?);
    }
    viewer.until_kept(seen.last().context("a look")?.0).await?;

    let filler = disk.join("filler");
    fill(&filler)?;
    let mut looks = interval(Duration::from_millis(300));
    let mut number = seen.len();
    let stopped = timeout(PATIENCE, async {
        loop {
            looks.tick().await;
            // The view is live: it is told of what happens.
            let (at_ms, _) = viewer.look(&playground, number).await?;
            number += 1;
            if let Some(problem) = viewer.recorded(0, 1).await?.problem {
                return anyhow::Ok((problem.message, at_ms));
            }
        }
    });
    let (why, stopped_ms) = stopped.await.context("the record stops")??;
    ensure!(why.contains("full"), "{why}");
    let (during_ms, _) = viewer.look(&playground, number).await?;
    ensure!(during_ms >= stopped_ms);

    std::fs::remove_file(&filler)?;
    let goes_on = timeout(PATIENCE, async {
        while viewer.recorded(0, 1).await?.problem.is_some() {
            looks.tick().await;
        }
        anyhow::Ok(())
    });
    goes_on.await.context("the record goes on")??;
    seen.push(viewer.look(&playground, number + 1).await?);
    let last_ms = seen.last().context("a look")?.0;
    viewer.until_kept(last_ms).await?;
    for (at_ms, pods) in &seen {
        viewer.expect(*at_ms, pods).await?;
    }
    let recorded = viewer.recorded(0, last_ms + 1).await?;
    let [gap] = &recorded.unrecorded[..] else { anyhow::bail!("{recorded:?}") };
    ensure!(matches!(&gap.why, Why::Failed(why) if why.contains("full")), "{gap:?}");
    ensure!(gap.from_ms >= seen[1].0 && (gap.from_ms..=gap.to_ms).contains(&during_ms), "{gap:?}");
    println!("the record went on");
    Ok(())
}

/// Until nothing more has room.
fn fill(path: &Path) -> Result<()> {
    let mut file = std::fs::File::create(path)?;
    for size in [1024 * 1024, 4 * 1024, 1] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
    Ok(())
}

//! `cargo xtask bench restart`: a gateway with 100 viewers of 10,000 pods is killed, some pods change, it
//! is started again, and every viewer comes back with its token: how long until all are exact, and how
//! many bytes each got, beside those of its first view.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use playground::{Options, Playground};
use serde_json::{Value, json};
use tests::dogwatch::Home;
use tests::exemplar;
use tests::holder::{Holder, versions_of};
use tests::paced::{Size, fill};
use tests::viewer::{all_pods, socket_of};
use tokio::task::JoinSet;

const PODS: usize = 10_000;
const VIEWERS: usize = 100;
/// Of these a tenth are deletes.
const CHANGES: usize = 50;
/// Pages that were cut off come back spread over this, as the gateway told them.
const SPREAD: Duration = Duration::from_millis(500);

#[tokio::main]
async fn main() -> Result<()> {
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, Size::Whole)?;
    let home = Home::new()?;
    let kubeconfig = home.path().join("kubeconfig");
    playground.write_kubeconfig(&kubeconfig)?;
    let kubeconfig = kubeconfig.to_string_lossy().into_owned();
    let serve =
        |port: u16| home.serve(&["--listen", &format!("127.0.0.1:{port}"), "--kubeconfig", &kubeconfig]);
    let dogwatch = serve(0)?;
    let port = dogwatch.port();
    let version = playground.revision().to_string();
    let mut viewers = Vec::new();
    for _ in 0..VIEWERS {
        let mut viewer = Holder::open(&socket_of(home.path(), port)?, all_pods()?).await?;
        viewer.until(&version).await?;
        viewers.push(viewer);
    }
    let first = bytes_of(&viewers);
    eprintln!("{VIEWERS} viewers of {PODS} pods");

    dogwatch.kill()?;
    let version = change(&playground)?;
    let began = Instant::now();
    let _dogwatch = serve(port)?;
    let mut coming = JoinSet::new();
    let mut ticks = tokio::time::interval(SPREAD / VIEWERS as u32);
    for viewer in viewers {
        ticks.tick().await;
        let (socket, version) = (socket_of(home.path(), port)?, version.clone());
        coming.spawn(async move {
            let mut viewer = viewer.come_back(&socket).await?;
            viewer.until(&version).await?;
            anyhow::Ok((viewer, began.elapsed()))
        });
    }
    let back = coming.join_all().await.into_iter().collect::<Result<Vec<_>>>()?;
    let truth = versions_of(&playground.list("pods"))?;
    let slowest = back.iter().map(|(_, after)| *after).max().unwrap_or_default();
    let viewers: Vec<Holder> = back.into_iter().map(|(viewer, _)| viewer).collect();
    check(&viewers, &truth)?;
    report(&viewers, &first, slowest);
    playground.stop().await;
    Ok(())
}

/// The version of the last one, and of the whole then.
fn change(playground: &Playground) -> Result<String> {
    for change in 0..CHANGES {
        let name = exemplar::name(change * 7);
        let done = if change % 10 == 0 {
            playground.delete("pods", exemplar::NAMESPACE, &name)
        } else {
            let status = exemplar::status(change * 7, 1);
            playground.patch("pods", exemplar::NAMESPACE, &name, status).map(drop)
        };
        done.map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
    }
    Ok(playground.revision().to_string())
}

fn check(viewers: &[Holder], truth: &BTreeMap<String, String>) -> Result<()> {
    for viewer in viewers {
        ensure!(viewer.held() == *truth, "a viewer isn't exact");
    }
    Ok(())
}

fn bytes_of(viewers: &[Holder]) -> Vec<u64> {
    let mut bytes: Vec<u64> = viewers.iter().map(|viewer| viewer.bytes).collect();
    bytes.sort_unstable();
    bytes
}

fn report(viewers: &[Holder], first: &[u64], slowest: Duration) {
    let again = bytes_of(viewers);
    let bytes = |sorted: &[u64]| json!({ "median": sorted.get(sorted.len() / 2), "max": sorted.last() });
    let most = |of: fn(&Holder) -> usize| viewers.iter().map(of).max();
    let report: Value = json!({
        "viewers": viewers.len(),
        "pods": PODS,
        "changes": CHANGES,
        "all_exact_after_ms": slowest.as_millis() as u64,
        "began_anew": viewers.iter().filter(|viewer| viewer.resets > 0).count(),
        "rows_at_most": most(|viewer| viewer.rows),
        "deletes_at_most": most(|viewer| viewer.deletes),
        "bytes": bytes(&again),
        "bytes_of_a_first_view": bytes(first),
    });
    println!("{report:#}");
}

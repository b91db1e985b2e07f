//! Any number of viewers cost the API server one watch.

use anyhow::Result;
use cluster::{ControlPlane, Options};
use shared::frame::server::ServerFrame;
use testkit::client::all_pods;
use testkit::contents;
use testkit::dogwatch::Dogwatch;

const VIEWERS: usize = 50;

#[tokio::test]
async fn fifty_viewers_of_pods_cost_one_watch_more_than_none() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    contents::fill(&plane)?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let before = pod_watches(&plane)?;

    let mut clients = Vec::new();
    for _ in 0..VIEWERS {
        let mut client = dogwatch.connect().await?;
        client.subscribe(1, all_pods()?, None).await?;
        client.until(|frame| matches!(frame, ServerFrame::Rows(rows) if !rows.put.is_empty())).await?;
        clients.push(client);
    }
    assert_eq!(pod_watches(&plane)? - before, 1, "{} viewers", clients.len());
    Ok(())
}

/// As the API server counts its open watches.
fn pod_watches(plane: &ControlPlane) -> Result<i64> {
    let metrics = plane.kubectl_output(&["get", "--raw", "/metrics"])?;
    let watches = metrics.lines().filter(|line| {
        line.starts_with("apiserver_longrunning_requests")
            && line.contains("resource=\"pods\"")
            && line.contains("verb=\"WATCH\"")
    });
    watches.map(|line| Ok(line.rsplit(' ').next().unwrap_or_default().parse::<f64>()? as i64)).sum()
}

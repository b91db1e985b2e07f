//! Any number of viewers cost the API server one watch.

use std::process::{Child, Stdio};

use anyhow::{Context, Result};
use cluster::{ControlPlane, Options};
use shared::frame::server::ServerFrame;
use testkit::client::all_pods;
use testkit::contents;
use testkit::dogwatch::Dogwatch;

const TAILS: usize = 10;
const SOCKETS: usize = 40;

/// `tail`s that end with the test.
struct Tails(Vec<Child>);

impl Drop for Tails {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[tokio::test]
async fn fifty_viewers_of_pods_cost_one_watch_more_than_none() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    contents::fill(&plane)?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let before = pod_watches(&plane)?;

    let mut tails = Tails(Vec::new());
    for _ in 0..TAILS {
        let mut command = dogwatch.tail_command(&["pods", "-A", "-o", "ndjson"]);
        tails.0.push(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    }
    for child in &mut tails.0 {
        read_a_line(child)?;
    }
    let mut clients = Vec::new();
    for _ in 0..SOCKETS {
        let mut client = dogwatch.connect().await?;
        client.subscribe(1, all_pods()?, None).await?;
        client.until(|frame| matches!(frame, ServerFrame::Rows(rows) if !rows.put.is_empty())).await?;
        clients.push(client);
    }
    assert_eq!(pod_watches(&plane)? - before, 1, "{} viewers", TAILS + clients.len());
    Ok(())
}

fn read_a_line(child: &mut Child) -> Result<()> {
    use std::io::{BufRead, BufReader};
    let stdout = child.stdout.as_mut().context("stdout is piped")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    anyhow::ensure!(!line.is_empty(), "tail ended before its first line");
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

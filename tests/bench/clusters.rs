//! `cargo xtask bench clusters [--clusters=100] [--pods=20000] [--changes=20] [--seconds=30]`: one gateway and one viewer of
//! the pods of all clusters in one table. Its clusters are playgrounds in this process, which keep a pod packed. The
//! gateway is a process of its own, and only that one is measured. Never asserts: it measures.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use playground::{Options, Playground};
use serde_json::json;
use shared::name::ClusterName;
use testkit::arguments::number;
use testkit::client::all_pods;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::load::{Size, Writer, fill};
use testkit::process::{cpu_s, resident_mib};
use testkit::viewer::Viewer;
use tokio::task::JoinSet;

/// What a playground keeps of its changes: enough for the seconds of the bench.
const HISTORY_BYTES: usize = 4 * 1024 * 1024;
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub async fn run() -> Result<()> {
    let (clusters, pods) = (number("clusters", 100)?, number("pods", 20_000)?);
    let (changes, seconds) = (number("changes", 20)?, number("seconds", 30)?);
    let began = Instant::now();
    let playgrounds = playgrounds(clusters, pods).await?;
    eprintln!(
        "{clusters} clusters of {pods} pods stand after {} s; this process has {:.0} MiB",
        began.elapsed().as_secs(),
        resident_mib(std::process::id())?
    );

    let home = Home::new()?;
    let gateway = gateway(&home, &playgrounds)?;
    let started_mib = resident_mib(gateway.pid())?;
    let mut viewer = Viewer::at(&gateway.socket()?);
    let (began, cpu) = (Instant::now(), cpu_s(gateway.pid())?);
    open_all(&mut viewer, clusters).await?;
    let highest_mib = until_live(&mut viewer, &gateway, clusters * pods).await?;
    let live = (began.elapsed(), cpu_s(gateway.pid())? - cpu);
    let live_mib = resident_mib(gateway.pid())?;
    println!("{clusters} clusters, {pods} pods each, {} rows in one table", viewer.table().len());
    println!("live after {:.1} s, {:.1} s of CPU", live.0.as_secs_f64(), live.1);
    println!("MiB: {started_mib:.1} started, {highest_mib:.1} at the highest, {live_mib:.1} live");

    let quiet = cpu_over(&mut viewer, &gateway, seconds).await?;
    println!("without changes: {:.1} % of a core", quiet * 100.0);
    let before = viewer.received.bytes;
    let mut writing = JoinSet::new();
    for (playground, place) in playgrounds.iter().cloned().zip(0..) {
        writing.spawn(async move {
            let written = Writer::new(pods, changes as f64).write(&playground, changes * seconds).await;
            (name(place), written.map(|()| playground.revision()))
        });
    }
    let busy = cpu_over(&mut viewer, &gateway, seconds).await?;
    let written = writing.join_all().await;
    let wrote = Instant::now();
    println!(
        "{changes} changes a second in each: {:.1} % of a core, {:.0} bytes a change, {:.1} MiB",
        busy * 100.0,
        (viewer.received.bytes - before) as f64 / (clusters * changes * seconds) as f64,
        resident_mib(gateway.pid())?,
    );
    let mut last = BTreeMap::new();
    for (name, revision) in written {
        last.insert(name, revision?);
    }
    until_at(&mut viewer, &last).await?;
    println!("every table had its cluster's last change {} ms after it", wrote.elapsed().as_millis());
    Ok(())
}

/// Opens the view once every cluster was reached.
async fn open_all(viewer: &mut Viewer, clusters: usize) -> Result<()> {
    while viewer.client().clusters().len() < clusters {
        viewer.step().await?;
    }
    let names: Vec<ClusterName> =
        viewer.client().clusters().iter().map(|cluster| cluster.name.clone()).collect();
    let pods = all_pods()?;
    viewer.view_of(|client, now| client.open_clusters(pods, &names, Default::default(), now));
    Ok(())
}

/// Reads until all rows are there and proven, and says the most memory that the gateway had on the way.
async fn until_live(viewer: &mut Viewer, gateway: &Dogwatch, rows: usize) -> Result<f64> {
    let mut highest: f64 = 0.0;
    let mut looked = Instant::now();
    while viewer.table().len() < rows || !viewer.view().is_exact() {
        viewer.step().await?;
        if looked.elapsed() >= LOOK_EVERY {
            looked = Instant::now();
            highest = highest.max(resident_mib(gateway.pid())?);
        }
    }
    Ok(highest)
}

/// Reads for so long: the share of a core that the gateway took meanwhile.
async fn cpu_over(viewer: &mut Viewer, gateway: &Dogwatch, seconds: usize) -> Result<f64> {
    let (began, cpu) = (Instant::now(), cpu_s(gateway.pid())?);
    while began.elapsed() < Duration::from_secs(seconds as u64) {
        viewer.step().await?;
    }
    Ok((cpu_s(gateway.pid())? - cpu) / began.elapsed().as_secs_f64())
}

/// Reads until the newest row of each cluster is of this revision.
async fn until_at(viewer: &mut Viewer, revisions: &BTreeMap<String, u64>) -> Result<()> {
    loop {
        let table = viewer.table();
        let mut newest = BTreeMap::new();
        for row in table.rows() {
            let name = table.cluster_of(row).unwrap_or_default();
            // A playground's resourceVersions are numbers.
            let revision = row.resource_version.as_str().parse::<u64>()?;
            newest
                .entry(name)
                .and_modify(|newest: &mut u64| *newest = revision.max(*newest))
                .or_insert(revision);
        }
        if newest.iter().all(|(name, revision)| revisions.get(*name) == Some(revision)) {
            return Ok(());
        }
        viewer.step().await?;
    }
}

/// As many as this machine has cores are filled at once.
async fn playgrounds(clusters: usize, pods: usize) -> Result<Vec<Arc<Playground>>> {
    let mut started = Vec::new();
    for seed in 0..clusters {
        let options = Options { seed: seed as u64, history_bytes: HISTORY_BYTES, ..Options::empty() };
        started.push(Arc::new(Playground::start(options).await?));
    }
    let mut filling = JoinSet::new();
    for playground in started.clone() {
        filling.spawn_blocking(move || fill(&playground, pods, Size::Whole));
    }
    filling.join_all().await.into_iter().collect::<Result<()>>()?;
    Ok(started)
}

fn name(place: usize) -> String {
    format!("cluster-{place:03}")
}

fn gateway(home: &Home, playgrounds: &[Arc<Playground>]) -> Result<Dogwatch> {
    let mut clusters = Vec::new();
    for (playground, place) in playgrounds.iter().zip(0..) {
        let name = name(place);
        let kubeconfig = home.path().join(&name);
        playground.write_kubeconfig(&kubeconfig)?;
        clusters.push(json!({ "name": name, "kubeconfig": kubeconfig }));
    }
    let config = home.path().join("dogwatch.yaml");
    // JSON is YAML.
    fs::write(&config, json!({ "clusters": clusters }).to_string())?;
    home.serve(&["--listen", "127.0.0.1:0", "--config", &config.to_string_lossy()])
}

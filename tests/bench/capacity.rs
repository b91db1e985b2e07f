//! `cargo xtask bench capacity [--changes=20] [--seconds=20] [--most=4000]`: how many sockets a gateway on one core carries
//! before frames come late, and what each costs. Each has a view of 1,000 pods. The gateway has one core to itself; the
//! viewers and the playground have the others. Never asserts: it measures.

use std::time::Instant;

use anyhow::Result;
use playground::{Options, Playground};
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use shared::frame::server::ServerFrame;
use testkit::arguments::number;
use testkit::client::{Client, all_pods};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::load::{Size, Writer, fill};
use testkit::process::{allow_open_files, cpu_s, resident_mib};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::lateness;

const PODS: usize = 1_000;
const FIRST: usize = 125;
const GATEWAYS_CORE: usize = 0;

pub async fn run() -> Result<()> {
    let (changes, seconds, most) = (number("changes", 20)?, number("seconds", 20)?, number("most", 4_000)?);
    allow_open_files();
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, Size::Small)?;
    let gateway = gateway(&playground, most)?;
    separate(&gateway)?;
    let socket = gateway.socket()?;
    let mut writer = Writer::new(PODS, changes as f64);
    let started = resident_mib(gateway.pid())?;
    println!("{PODS} pods, {changes} changes a second for {seconds} s; {started:.1} MiB without a viewer");
    println!(
        "{:>8} {:>14} {:>14} {:>10} {:>9} {:>11} {:>7}",
        "viewers", "gateway, %", "viewers, %", "MiB", "in time", "late by one", "later"
    );
    let mut viewers: Vec<Client> = Vec::new();
    let mut wanted = FIRST;
    while wanted <= most {
        while viewers.len() < wanted {
            let mut viewer = Client::connect(&socket).await?;
            viewer.subscribe(1, all_pods()?, None).await?;
            viewer.until_sync().await?;
            viewers.push(viewer);
        }
        let (say_last, last) = watch::channel(u64::MAX);
        let mut reading = JoinSet::new();
        viewers.drain(..).for_each(|viewer| drop(reading.spawn(read_to(viewer, last.clone()))));
        let own = std::process::id();
        let (began, cpu, own_cpu) = (Instant::now(), cpu_s(gateway.pid())?, cpu_s(own)?);
        writer.write(&playground, changes * seconds).await?;
        let wall = began.elapsed().as_secs_f64();
        let (cpu, own_cpu) = ((cpu_s(gateway.pid())? - cpu) / wall, (cpu_s(own)? - own_cpu) / wall);
        say_last.send_replace(playground.revision());
        let mut ranges = Vec::new();
        for read in reading.join_all().await {
            let (viewer, of) = read?;
            viewers.push(viewer);
            ranges.push(of);
        }
        let late = lateness::of(ranges.iter().map(Vec::as_slice));
        println!(
            "{wanted:>8} {:>14.1} {:>14.1} {:>10.1} {:>9} {:>11} {:>7}",
            cpu * 100.0,
            own_cpu * 100.0,
            resident_mib(gateway.pid())?,
            late["in_time"].to_string(),
            late["late_by_one"].to_string(),
            late["later"].to_string(),
        );
        wanted *= 2;
    }
    Ok(())
}

fn gateway(playground: &Playground, most: usize) -> Result<Dogwatch> {
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(playground)?;
    let (kubeconfig, most) = (kubeconfig.to_string_lossy(), most.to_string());
    let flags = ["--kubeconfig", &kubeconfig, "--connections-per-identity-max", &most];
    home.serve(&[&["--listen", "127.0.0.1:0"], &flags[..]].concat())
}

/// The gateway gets a core for itself, and this process the others.
fn separate(gateway: &Dogwatch) -> Result<()> {
    let mut others = sched_getaffinity(None)?;
    others.unset(GATEWAYS_CORE);
    let mut alone = CpuSet::new();
    alone.set(GATEWAYS_CORE);
    for (process, cores) in [(gateway.pid(), &alone), (std::process::id(), &others)] {
        for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
            let id = thread?.file_name().to_string_lossy().parse::<i32>()?;
            sched_setaffinity(Pid::from_raw(id), cores)?;
        }
    }
    Ok(())
}

/// Reads to the last change: `from` and `to` of each frame.
async fn read_to(mut viewer: Client, last: watch::Receiver<u64>) -> Result<(Client, Vec<(u64, u64)>)> {
    let mut ranges = Vec::new();
    loop {
        let version = match viewer.next().await?.0 {
            ServerFrame::Rows(rows) => {
                ranges.push((rows.from, rows.to));
                rows.resource_version
            }
            ServerFrame::Sync(sync) => sync.resource_version,
            _ => continue,
        };
        // A frame that is late is repeated by the next `sync`. A playground's resourceVersions are numbers.
        if version.as_str().parse::<u64>()? >= *last.borrow() {
            return Ok((viewer, ranges));
        }
    }
}

//! `cargo xtask bench rules`: what 50 rules cost a gateway of 10,000 pods at `--rate` changes a second (200). Two gateways
//! without rules and one with them stand beside each other, with one viewer each, and hear the same changes. With `--cel`
//! ten of the rules are expressions. Never asserts: it measures.

use std::fmt::Write;
use std::fs;

use anyhow::Result;
use playground::{Options, Playground};
use testkit::arguments::{self, is_given};
use testkit::client::all_pods;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::load::{Size, Writer, fill};
use testkit::process::{cpu_s, resident_mib};
use tokio::sync::watch;

use crate::past::read_to;

const CHANGES: usize = 6_000;
const PODS: usize = 10_000;
const CHANGES_PER_S: usize = 200;
/// Each five times, in a namespace that is looked at or of another name.
const FORMS: [&str; 10] = [
    "when: health=failing, for: 2m, group: owner",
    "when: health=failing",
    "when: 'condition=Ready=False', for: 1m",
    "when: 'condition=PodScheduled=False'",
    "when: 'jsonpath={.status.phase}=Failed'",
    "when: 'jsonpath={.spec.nodeName}=n1', once-per: '{.spec.nodeName}'",
    "when: 'changes={.spec.containers[*].image}'",
    "when: 'changes={.metadata.labels}'",
    "when: deleted",
    "when: 'jsonpath={.status.containerStatuses[*].state.waiting.reason}=CrashLoopBackOff', for: 5m",
];
const CEL: &str = "cel: 'object.status.phase == \"Failed\" && has(object.status.reason)'";

pub async fn run() -> Result<()> {
    let rate = arguments::number("rate", CHANGES_PER_S)?;
    let pods = arguments::number("pods", PODS)?;
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, pods, Size::Whole)?;
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("dogwatch.yaml");
    fs::write(&config, rules(is_given("cel"))?)?;
    let config = config.display().to_string();
    let mut gateways = Vec::new();
    for (name, flags) in [("none", vec![]), ("none again", vec![]), ("50 rules", vec!["--config", &*config])]
    {
        let home = Home::new()?;
        let kubeconfig = home.kubeconfig_of(&playground)?.display().to_string();
        let own = ["--kubeconfig", &kubeconfig, "--listen=127.0.0.1:0"];
        gateways.push((name, home.serve(&[&own[..], &flags].concat())?));
    }
    let mut writer = Writer::new(pods, rate as f64);
    // What is the same for each gateway, such as its first list, isn't measured.
    measure(&playground, &mut writer, &gateways, CHANGES / 4).await?;
    let costs = measure(&playground, &mut writer, &gateways, CHANGES).await?;
    println!("{pods} pods, one viewer of each gateway, {CHANGES} changes, {rate} a second");
    println!("{:>12} {:>16} {:>7} {:>8}", "rules", "CPU s per 10,000", "more", "MiB");
    let none = costs.first().map_or(0.0, |cost| cost.0);
    for ((name, _), (cpu, memory)) in gateways.iter().zip(&costs) {
        let of_10_000 = cpu * 10_000.0 / CHANGES as f64;
        println!("{name:>12} {of_10_000:>16.2} {:>6.1}% {memory:>8.1}", (cpu / none - 1.0) * 100.0);
    }
    playground.stop().await;
    Ok(())
}

fn rules(with_cel: bool) -> Result<String> {
    let mut text = "receivers: [{name: nobody, alertmanager: 'http://127.0.0.1:1'}]\nrules:\n".to_owned();
    for number in 0..50 {
        let form = if with_cel && number % 5 == 0 { CEL } else { FORMS[number % FORMS.len()] };
        writeln!(text, "- {{name: r{number}, kind: pods, {form}}}")?;
    }
    Ok(text)
}

/// The CPU seconds and the memory of each.
async fn measure(
    playground: &Playground,
    writer: &mut Writer,
    gateways: &[(&str, Dogwatch)],
    changes: usize,
) -> Result<Vec<(f64, f64)>> {
    let (say_last, last) = watch::channel(0);
    let mut reading = Vec::new();
    for (_, gateway) in gateways {
        let mut viewer = gateway.connect().await?;
        viewer.subscribe(1, all_pods()?, None).await?;
        viewer.until_sync().await?;
        reading.push(tokio::spawn(read_to(viewer, last.clone())));
    }
    let pids = gateways.iter().map(|(_, gateway)| gateway.pid());
    let before: Vec<f64> = pids.clone().map(cpu_s).collect::<Result<_>>()?;
    writer.write(playground, changes).await?;
    say_last.send(playground.revision())?;
    let mut costs = Vec::new();
    for ((viewer, pid), before) in reading.into_iter().zip(pids).zip(before) {
        viewer.await??;
        costs.push((cpu_s(pid)? - before, resident_mib(pid)?));
    }
    Ok(costs)
}

//! An informer behind the gateway and one before it hold the same at every quiet moment, while the API server cuts
//! watches, forgets its history and refuses requests, and the gateway's feeds begin anew.
//! `DOGWATCH_CLIENTS_CHANGES=100000` for a night, `DOGWATCH_CLIENTS_PODS=10000` for a large cluster.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use playground::{Fault, Options, Playground, Rule};
use rustix::process::Signal;
use serde_json::{Value, json};
use simulation::chance::Chance;
use testkit::clients::{Held, Program, in_go};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::exemplar;
use testkit::load::refused;
use tokio::time::interval;

pub const NAMESPACE: &str = "tutorial";
const CHANGES: &str = "DOGWATCH_CLIENTS_CHANGES";
const CHANGES_USUAL: usize = 2_000;
/// Between two quiet moments.
const AT_ONCE: u64 = 500;
/// A fault begins after about so many changes.
const CHANGES_OF_A_FAULT: u64 = 100;
const OBJECTS: u64 = 200;
/// An informer waits up to 30 s after failures, and client-go lists anew after that.
const EXACT_WITHIN: Duration = Duration::from_secs(90);
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// Changes config maps by chance.
pub struct Writer {
    chance: Chance,
    written: u64,
}

impl Writer {
    pub fn new(seed: u64) -> Self {
        Self { chance: Chance::new(seed, 0), written: 0 }
    }

    pub fn write(&mut self, playground: &Playground) -> Result<()> {
        let name = format!("map-{}", self.chance.below(OBJECTS));
        self.written += 1;
        let value = json!({"data": {"key": self.written.to_string()}, "metadata": {"labels": {"n": self.written.to_string()}}});
        if playground.patch("configmaps", NAMESPACE, &name, value.clone()).is_err() {
            let mut map = json!({"apiVersion": "v1", "kind": "ConfigMap"});
            map["data"] = value["data"].clone();
            map["metadata"] = json!({"name": name, "namespace": NAMESPACE});
            playground.create(map).map_err(refused)?;
        } else if self.chance.below(4) == 0 {
            playground.delete("configmaps", NAMESPACE, &name).map_err(refused)?;
        }
        Ok(())
    }
}

pub fn namespace(playground: &Playground) -> Result<()> {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    playground.create(namespace).map(drop).map_err(refused)
}

/// What the API server has of a kind.
fn listed(playground: &Playground, kind: &str) -> Held {
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    let maps = playground.list(kind).into_iter().map(|map| map["metadata"].clone());
    let own = maps.filter(|metadata| metadata["namespace"] == NAMESPACE);
    own.map(|metadata| (text(&metadata["name"]), text(&metadata["resourceVersion"]))).collect()
}

/// Returns when each of the informers holds what the API server has; nothing changes meanwhile.
pub async fn until_exact(playground: &Playground, informers: &mut [Program]) -> Result<()> {
    until_exact_of("configmaps", playground, informers).await
}

async fn until_exact_of(kind: &str, playground: &Playground, informers: &mut [Program]) -> Result<()> {
    let (listed, until) = (listed(playground, kind), Instant::now() + EXACT_WITHIN);
    let mut ticks = interval(ASK_AGAIN);
    for informer in informers {
        loop {
            let answer = informer.ask().await?;
            let held: Held = serde_json::from_value(answer["held"].clone()).context("an answer")?;
            if held == listed {
                break;
            }
            if Instant::now() > until {
                let differs = listed.iter().find(|(name, version)| held.get(*name) != Some(*version));
                let beyond = held.keys().find(|name| !listed.contains_key(*name));
                bail!("{} lacks {differs:?} and has {beyond:?} beyond", informer.name);
            }
            ticks.tick().await;
        }
    }
    Ok(())
}

/// How an informer begins.
#[derive(Clone, Copy, PartialEq)]
pub enum Begins {
    /// By one watch that begins with what is there.
    ByStream,
    /// By a list, and a watch from its resourceVersion.
    ByList,
}

pub async fn informer(name: &str, kubeconfig: &Path, begins: Begins) -> Result<Program> {
    informer_of("configmaps", name, kubeconfig, begins).await
}

async fn informer_of(kind: &str, name: &str, kubeconfig: &Path, begins: Begins) -> Result<Program> {
    let mut command = in_go("held", kubeconfig, NAMESPACE)?;
    command.env("KIND", kind);
    command.env("KUBE_FEATURE_WatchListClient", (begins == Begins::ByStream).to_string());
    let mut informer = Program::start(name, command)?;
    let first = informer.line(tokio::time::Instant::now() + EXACT_WITHIN).await?;
    anyhow::ensure!(first["event"] == "SYNCED", "{first}");
    Ok(informer)
}

const PODS: &str = "DOGWATCH_CLIENTS_PODS";
const PODS_USUAL: usize = 1_000;

#[tokio::test(flavor = "multi_thread")]
async fn an_informer_of_many_pods_holds_what_a_fresh_list_has_before_and_after_changes() -> Result<()> {
    let pods = std::env::var(PODS).ok().map_or(Ok(PODS_USUAL), |text| text.parse())?;
    let rig = Rig::start().await?;
    let pod = |number| {
        let mut pod = exemplar::pod(number);
        pod["metadata"]["namespace"] = json!(NAMESPACE);
        pod
    };
    for number in 0..pods {
        rig.playground.create(pod(number)).map_err(refused)?;
    }
    let began = Instant::now();
    let mut informers = [
        informer_of("pods", "an informer", &rig.through, Begins::ByStream).await?,
        informer_of("pods", "an informer that lists", &rig.through, Begins::ByList).await?,
    ];
    eprintln!("two informers of {pods} pods, one after the other: {:.1} s", began.elapsed().as_secs_f64());
    until_exact_of("pods", &rig.playground, &mut informers).await?;
    for number in (0..pods).step_by(10) {
        let name = exemplar::name(number);
        match number % 20 {
            0 => rig.playground.delete("pods", NAMESPACE, &name).map_err(refused)?,
            _ => drop(
                rig.playground
                    .patch("pods", NAMESPACE, &name, json!({"metadata": {"labels": {"changed": "yes"}}}))
                    .map_err(refused)?,
            ),
        }
    }
    rig.playground.create(pod(pods)).map_err(refused)?;
    until_exact_of("pods", &rig.playground, &mut informers).await
}

struct Rig {
    playground: Playground,
    gateway: Dogwatch,
    config: PathBuf,
    through: PathBuf,
    hides: bool,
    informers: [Program; 3],
}

impl Rig {
    async fn start() -> Result<Self> {
        let playground = Playground::start(Options::empty()).await?;
        namespace(&playground)?;
        let home = Home::new()?;
        let (direct, config) = (home.kubeconfig_of(&playground)?, home.path().join("dogwatch.yaml"));
        std::fs::write(&config, "")?;
        let flags = ["--listen", "127.0.0.1:0", "--kubeconfig", &direct.to_string_lossy()];
        let gateway = home.serve(&[&flags[..], &["--config", &config.to_string_lossy()]].concat())?;
        let through = home.path().join("through.kubeconfig");
        let written = home.command().args(["kubeconfig", "--output"]).arg(&through).output()?;
        anyhow::ensure!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
        let informers = [
            informer("the informer", &direct, Begins::ByStream).await?,
            informer("the informer behind the gateway", &through, Begins::ByStream).await?,
            informer("the informer behind the gateway that lists", &through, Begins::ByList).await?,
        ];
        Ok(Self { playground, gateway, config, through, hides: true, informers })
    }

    fn fault(&mut self, chance: &mut Chance) -> Result<()> {
        let of_maps = |fault| Rule::new(fault).resource("configmaps");
        self.playground.clear_faults();
        match chance.below(8) {
            0 | 1 => self.playground.cut_watches(Some("configmaps")),
            2 | 3 => {
                self.playground.compact(Some("configmaps"));
                self.playground.cut_watches(Some("configmaps"));
            }
            4 => drop(self.playground.fault(of_maps(Fault::GoneEvent).open_only())),
            5 => {
                self.playground.fault(of_maps(Fault::Unavailable { retry_after_s: 1 }).times(2));
                self.playground.cut_watches(Some("configmaps"));
            }
            6 => {
                self.playground.fault(of_maps(Fault::GoneStatus).verb("watch").times(1));
                self.playground.cut_watches(Some("configmaps"));
            }
            _ => {
                self.hides = !self.hides;
                std::fs::write(&self.config, format!("config-map-values: {}\n", !self.hides))?;
                self.gateway.signal(Signal::HUP)?;
            }
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_informer_behind_the_gateway_holds_the_same_as_one_before_it_at_every_quiet_moment() -> Result<()>
{
    let changes = std::env::var(CHANGES).ok().map_or(Ok(CHANGES_USUAL), |text| text.parse())?;
    let seed = 1;
    let mut rig = Rig::start().await?;
    let (mut writer, mut chance) = (Writer::new(seed), Chance::new(seed, 1));
    let mut ticks = interval(Duration::from_millis(2));
    let began = Instant::now();
    for number in 0..changes as u64 {
        // A watch is given the time to hear some of it.
        if chance.below(4) == 0 {
            ticks.tick().await;
        }
        writer.write(&rig.playground)?;
        if chance.below(CHANGES_OF_A_FAULT) == 0 {
            rig.fault(&mut chance)?;
        }
        if number % AT_ONCE == AT_ONCE - 1 {
            rig.playground.clear_faults();
            until_exact(&rig.playground, &mut rig.informers).await?;
            if number % 10_000 == 9_999 {
                eprintln!("{} changes, {:.0} s", number + 1, began.elapsed().as_secs_f64());
            }
        }
    }
    for informer in &mut rig.informers {
        let answer = informer.ask().await?;
        anyhow::ensure!(
            answer["events"].as_u64() > Some(OBJECTS),
            "{} heard {}",
            informer.name,
            answer["events"]
        );
        eprintln!("{} heard {} events of {changes} changes", informer.name, answer["events"]);
    }
    Ok(())
}

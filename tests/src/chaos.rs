//! Chaos on a real control plane: while a writer changes objects of three kinds, one fault comes after another, and
//! viewers with replicas follow through the gateway. The wire's guarantees are checked throughout, and after each fault
//! every replica must equal a fresh list.

mod kind;
mod reach;
mod report;
mod rig;
mod scope;
mod script;
mod soak;
mod watcher;
mod writer;

use std::future::pending;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use simulation::chance::Chance;

use rig::ChaosRig;
use script::{Lasts, Outage};

pub use kind::Kind;
pub use report::Report;
pub use scope::ViewScope;
pub use script::Fault;
pub use soak::{Soak, SoakReport, soak};

/// How a run is made; the seed decides the rest.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: u64,
    pub writes_per_s: u32,
    pub length: Length,
}

#[derive(Clone, Copy, Debug)]
pub enum Length {
    /// All faults, round after round, and none begins after this.
    For(Duration),
    /// A few that take no longer than they must, each once.
    Short,
}

impl Plan {
    fn writes_in(&self, seconds: u64) -> u64 {
        seconds * u64::from(self.writes_per_s)
    }
}

/// [`Report::broken`] names the guarantees that were broken.
pub async fn run(plan: Plan) -> Result<Report> {
    let began = Instant::now();
    let mut chance = Chance::new(plan.seed, 0);
    let mut rig = ChaosRig::open(plan).await?;
    let mut report = Report::new(plan);
    until_exact(&rig, &mut report, "the start").await?;
    'rounds: loop {
        let faults = match plan.length {
            Length::For(_) => Fault::round(&mut chance),
            Length::Short => Fault::few(&mut chance),
        };
        for fault in faults {
            if report.is_broken() || matches!(plan.length, Length::For(length) if began.elapsed() >= length) {
                break 'rounds;
            }
            rig.writer.until_more(plan.writes_in(CALM_S)).await;
            eprintln!("{:>6.1} s  {fault}", began.elapsed().as_secs_f64());
            act(&mut rig, fault).await?;
            let took = until_exact(&rig, &mut report, &fault.to_string()).await?;
            let at_s = began.elapsed().as_secs_f64();
            eprintln!("{at_s:>6.1} s  exact again {:.1} s after it was over", took.as_secs_f64());
        }
        if matches!(plan.length, Length::Short) {
            break;
        }
    }
    report.finish(&rig, began.elapsed());
    Ok(report)
}

async fn act(rig: &mut ChaosRig, fault: Fault) -> Result<()> {
    match fault {
        Fault::Expire => rig.expire().await,
        Fault::Restore => rig.restore().await,
        Fault::Rotate => rig.rotate().await,
        Fault::Outage(outage, lasts) => {
            rig.begin(outage)?;
            match lasts {
                Lasts::Seconds(seconds) => {
                    drop(tokio::time::timeout(Duration::from_secs(seconds), pending::<()>()).await);
                }
                Lasts::UntilNoticed => until_noticed(rig, outage).await?,
            }
            rig.end(outage)
        }
    }
}

/// Until no viewer that the outage concerns calls itself live.
async fn until_noticed(rig: &ChaosRig, outage: Outage) -> Result<()> {
    let noticed = async {
        loop {
            let moved = rig.moved();
            if !rig.is_a_viewer_live(outage).await? {
                return anyhow::Ok(());
            }
            moved.await;
        }
    };
    match tokio::time::timeout(NOTICED_WITHIN, noticed).await {
        Ok(noticed) => noticed,
        Err(_) => bail!("a viewer still called itself live {} s later", NOTICED_WITHIN.as_secs()),
    }
}

/// Holds the writer until every replica equals a fresh list. Returns how long that took after the API server and all
/// lines were back.
async fn until_exact(rig: &ChaosRig, report: &mut Report, after: &str) -> Result<Duration> {
    if tokio::time::timeout(BACK_WITHIN, rig.until_whole()).await.is_err() {
        bail!("the API server doesn't answer {} s after: {after}", BACK_WITHIN.as_secs());
    }
    let back = Instant::now();
    rig.writer.hold().await?;
    let mut difference = None;
    let compared = async {
        loop {
            let moved = rig.moved();
            difference = rig.difference().await?;
            if difference.is_none() {
                return anyhow::Ok(());
            }
            moved.await;
        }
    };
    match tokio::time::timeout(EXACT_WITHIN, compared).await {
        Ok(compared) => compared?,
        Err(_) => {
            let difference = difference.unwrap_or_else(|| "no list came".into());
            report.broken.push(format!(
                "Convergent: {} s after {after} was over: {difference}",
                EXACT_WITHIN.as_secs()
            ));
        }
    }
    report.check(rig, back.elapsed()).await?;
    rig.writer.go_on();
    Ok(back.elapsed())
}

/// What is written in so many seconds between one fault and the next.
const CALM_S: u64 = 4;
/// 15 s without a proof, and a loaded machine.
const NOTICED_WITHIN: Duration = Duration::from_secs(25);
/// kube-apiserver needs 3 to 20 s on a loaded machine to serve custom resources again.
const BACK_WITHIN: Duration = Duration::from_secs(90);
/// The longest back-off is 10 s on either link, and a list comes after it.
const EXACT_WITHIN: Duration = Duration::from_secs(60);

//! A soak: nothing fails, but for as long as it takes viewers come and go, some of them rude, while a writer writes.
//! What one of them leaves behind in the gateway's process is found by its memory, its open files and
//! its own counts.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use shared::frame::client::{ClientFrame, Projection, Subscribe};
use simulation::chance::Chance;
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::rig::ChaosRig;
use super::scope::ViewScope;
use super::{Length, Plan, Report, until_exact};
use crate::client::Client;
use crate::process::{open_files, resident_mib};
use crate::viewer::Viewer;

/// How a soak is made; the seed decides the rest.
#[derive(Clone, Copy, Debug)]
pub struct Soak {
    pub seed: u64,
    pub writes_per_s: u32,
    pub visitors: u64,
    /// After the warm-up.
    pub length: Duration,
}

/// What a soak showed. [`Self::broken`] has what wasn't as promised.
#[derive(Debug)]
pub struct SoakReport {
    soak: Soak,
    views: Report,
    visits: u64,
    /// The gateway's memory after the warm-up, in MiB, at equal distances.
    samples: Vec<f64>,
    /// Before the first visitor, and when the last one had gone.
    files: (usize, usize),
    /// The same of [`RETURNING`].
    counts: ([u64; RETURNING.len()], [u64; RETURNING.len()]),
    /// As the gateway counted them.
    mismatches: u64,
    pub broken: Vec<String>,
}

/// What a visitor does. All but the first are rude.
#[derive(Clone, Copy, Debug)]
enum Visit {
    /// Follows a view until it leaves, without a word.
    Follows,
    /// Opens a timeline and a table, and reads nothing.
    Stalls,
    /// Connects and says nothing.
    IsSilent,
}

/// Viewers that stay are exact before and after.
///
/// # Errors
/// The cluster, the gateway or a visitor failed in a way that isn't the gateway's to promise.
pub async fn soak(soak: Soak) -> Result<SoakReport> {
    let plan = Plan { seed: soak.seed, writes_per_s: soak.writes_per_s, length: Length::For(soak.length) };
    let rig = ChaosRig::open(plan).await?;
    let mut views = Report::new(plan);
    until_exact(&rig, &mut views, "the start").await?;
    let pid = rig.dogwatch.pid();
    let (files_before, counts_before) = (open_files(pid)?, counts(&rig)?);
    let began = Instant::now();
    let socket = rig.dogwatch.socket()?;
    let visits = Arc::new(AtomicU64::new(0));
    let mut visitors = JoinSet::new();
    for number in 0..soak.visitors {
        let chance = Chance::new(soak.seed, number + 100);
        visitors.spawn(come_and_go(socket.clone(), chance, visits.clone()));
    }
    let warm_up = soak.length / WARM_UP_PART;
    let mut ticks = interval(soak.length / SAMPLES);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut samples = Vec::new();
    let mut broken = Vec::new();
    while began.elapsed() < warm_up + soak.length {
        tokio::select! {
            _ = ticks.tick() => if began.elapsed() > warm_up {
                samples.push(resident_mib(pid)?);
            },
            // A visitor never ends by itself.
            Some(ended) = visitors.join_next() => {
                broken.push(format!("a visitor was disturbed: {:?}", ended?));
                break;
            }
        }
    }
    visitors.shutdown().await;
    let files_after = until_few(pid, files_before + FILES_MORE_MAX).await?;
    let counts_after = until_back(&rig, counts_before).await?;
    until_exact(&rig, &mut views, "the end").await?;
    views.finish(&rig, began.elapsed());
    let visits = visits.load(Ordering::Relaxed);
    let (files, counts) = ((files_before, files_after), (counts_before, counts_after));
    let mismatches = rig.metrics.count("dogwatch_digest_mismatches_total")?;
    let mut report = SoakReport { soak, views, visits, samples, files, counts, mismatches, broken };
    report.judge();
    Ok(report)
}

/// The files that are open once no more than these are, or a while later.
async fn until_few(pid: u32, few: usize) -> Result<usize> {
    let mut ticks = interval(LOOK_EVERY);
    let within = timeout(GONE_WITHIN, async {
        while open_files(pid)? > few {
            ticks.tick().await;
        }
        anyhow::Ok(())
    });
    within.await.unwrap_or(Ok(()))?;
    open_files(pid)
}

fn counts(rig: &ChaosRig) -> Result<[u64; RETURNING.len()]> {
    let mut counts = [0; RETURNING.len()];
    for (count, name) in counts.iter_mut().zip(RETURNING) {
        *count = rig.metrics.count(&format!("dogwatch_{name}"))?;
    }
    Ok(counts)
}

/// The counts once they are these, or a while later.
async fn until_back(rig: &ChaosRig, before: [u64; RETURNING.len()]) -> Result<[u64; RETURNING.len()]> {
    let mut ticks = interval(LOOK_EVERY);
    let within = timeout(GONE_WITHIN, async {
        while counts(rig)? != before {
            ticks.tick().await;
        }
        anyhow::Ok(())
    });
    within.await.unwrap_or(Ok(()))?;
    counts(rig)
}

/// One visit after the other, for ever. Returns how the gateway disturbed it.
async fn come_and_go(socket: PathBuf, mut chance: Chance, visits: Arc<AtomicU64>) -> anyhow::Error {
    loop {
        let kind = match chance.below(10) {
            0 => Visit::Stalls,
            1 => Visit::IsSilent,
            _ => Visit::Follows,
        };
        let stays = Duration::from_millis(STAYS_MS_MIN + chance.below(STAYS_MS_MORE));
        let scopes = ViewScope::all();
        let scope = scopes[chance.index(scopes.len())];
        if let Ok(Err(error)) = timeout(stays, visit(&socket, kind, scope)).await {
            return error.context(format!("{kind:?} {}", scope.name()));
        }
        visits.fetch_add(1, Ordering::Relaxed);
    }
}

/// Ends only with an error. The caller drops the future when it has waited long enough, and with it the connection.
async fn visit(socket: &Path, kind: Visit, scope: ViewScope) -> Result<()> {
    match kind {
        Visit::Follows => {
            let mut viewer = Viewer::open(socket, scope.scope()?);
            viewer.until_sync().await?;
            loop {
                viewer.step().await?;
            }
        }
        Visit::Stalls => {
            let mut client = Client::connect(socket).await?;
            client.subscribe(1, scope.scope()?, None).await?;
            let (projection, rows) = (Projection::Timeline, Subscribe::rows(2, scope.scope()?));
            let timeline = Subscribe { projection, ..rows };
            client.send(&ClientFrame::Subscribe(Box::new(timeline))).await?;
            std::future::pending().await
        }
        Visit::IsSilent => {
            let _stream = UnixStream::connect(socket).await?;
            std::future::pending().await
        }
    }
}

impl SoakReport {
    pub fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }

    fn judge(&mut self) {
        self.broken.append(&mut self.views.broken);
        let (before, after) = self.files;
        if after > before + FILES_MORE_MAX {
            self.broken.push(format!(
                "{before} files were open before the first visitor, and {after} after the last"
            ));
        }
        for (name, (before, after)) in RETURNING.iter().zip(self.counts.0.iter().zip(self.counts.1)) {
            if *before != after {
                self.broken
                    .push(format!("{before} {name} before the first visitor, and {after} after the last"));
            }
        }
        if self.mismatches > 0 {
            self.broken.push(format!("{} digests of viewers differed from the gateway's", self.mismatches));
        }
        let (growth, bound) = (self.growth_mib(), self.growth_mib_max());
        if growth > bound {
            self.broken.push(format!("its memory grew by {growth:.1} MiB, and {bound:.1} are allowed"));
        }
    }

    /// As much as in most of a dozen parts of the time, so that a single step of the allocator isn't counted.
    fn growth_mib(&self) -> f64 {
        let mib: Vec<f64> = self.every_part().collect();
        let mut grown: Vec<f64> = mib.windows(2).map(|pair| pair[1] - pair[0]).collect();
        grown.sort_by(f64::total_cmp);
        grown.get(grown.len() / 2).copied().unwrap_or_default() * grown.len() as f64
    }

    fn every_part(&self) -> impl Iterator<Item = f64> {
        self.samples.iter().step_by(SAMPLES_IN_PART).copied()
    }

    /// A MiB an hour, and what the allocator is uncertain by. There are 11 visits a second: what each of them leaves
    /// behind is seen in the 45 s of the gate from 13 KiB on, and in an hour from a fifth of a KiB on. Sessions,
    /// subscriptions and files are counted besides, to the last one.
    fn growth_mib_max(&self) -> f64 {
        self.soak.length.as_secs_f64() / 3_600.0 + ALLOCATOR_MIB
    }
}

impl fmt::Display for SoakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Soak { seed, visitors, length, .. } = self.soak;
        writeln!(f, "{}", self.views)?;
        let minutes = length.as_secs_f64() / 60.0;
        writeln!(
            f,
            "seed {seed}: {visitors} visitors at a time, {} visits in {minutes:.0} minutes",
            self.visits
        )?;
        let mib: Vec<String> = self.every_part().map(|mib| format!("{mib:.1}")).collect();
        writeln!(f, "memory after the warm-up, MiB: {}", mib.join(" "))?;
        writeln!(f, "growth {:+.2} MiB, {:.2} allowed", self.growth_mib(), self.growth_mib_max())?;
        writeln!(f, "open files {} before the first visitor, {} after the last", self.files.0, self.files.1)?;
        let counts = RETURNING.iter().zip(self.counts.0.iter().zip(self.counts.1));
        let counts = counts.map(|(name, (before, after))| format!("{name} {before} and {after}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        writeln!(f, "{counts}, other digests {}", self.mismatches)?;
        match self.is_broken() {
            false => write!(f, "nothing was left behind, and nobody was disturbed"),
            true => write!(f, "BROKEN\n{}", self.broken.join("\n")),
        }
    }
}

/// The warm-up is a third of the length: feeds, dictionaries and the allocator take what they keep.
const WARM_UP_PART: u32 = 3;
const SAMPLES: u32 = 120;
const SAMPLES_IN_PART: usize = 10;
const STAYS_MS_MIN: u64 = 500;
const STAYS_MS_MORE: u64 = 8_000;
const ALLOCATOR_MIB: f64 = 6.0;
/// Connections to the API server that are kept for the next request. If each visit left a file behind, there would be
/// a hundred after ten seconds.
const FILES_MORE_MAX: usize = 8;
/// A connection that was dropped is noticed at once; the gateway's own requests end after seconds.
const GONE_WITHIN: Duration = Duration::from_secs(20);
/// What the gateway counts up for a viewer who comes, and down for one who leaves.
const RETURNING: [&str; 3] = ["sessions", "subscriptions", "feeds"];
const LOOK_EVERY: Duration = Duration::from_millis(100);

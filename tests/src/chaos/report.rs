//! What a run showed: its figures, and what wasn't as promised. It judges ledgers, and nothing else.

use std::fmt;
use std::time::Duration;

use anyhow::Result;

use super::kind::Kind;
use super::rig::ChaosRig;
use super::scope::ViewScope;
use super::{Length, Plan};
use crate::ledger::{Figures, Ledger};

#[derive(Debug)]
pub struct Report {
    plan: Plan,
    views: Vec<(String, Figures, u32)>,
    written: Vec<(Kind, u64)>,
    refused: u64,
    faults: u32,
    exact_longest: Duration,
    took: Duration,
    /// Sentences that open with the guarantee's name.
    pub broken: Vec<String>,
}

impl Report {
    pub(super) fn new(plan: Plan) -> Self {
        let (exact_longest, took) = (Duration::ZERO, Duration::ZERO);
        Self {
            plan,
            views: Vec::new(),
            written: Vec::new(),
            refused: 0,
            faults: 0,
            exact_longest,
            took,
            broken: Vec::new(),
        }
    }

    pub fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }

    /// After a fault: what the ledgers say so far.
    pub(super) async fn check(&mut self, rig: &ChaosRig, exact_after: Duration) -> Result<()> {
        self.faults += 1;
        self.exact_longest = self.exact_longest.max(exact_after);
        self.views.clear();
        for (number, viewer) in rig.viewers.iter().enumerate() {
            for (ledger, scope) in viewer.ledgers().await?.into_iter().zip(ViewScope::all()) {
                self.judge(&ledger, &format!("viewer {number}, {}", scope.name()));
            }
        }
        Ok(())
    }

    fn judge(&mut self, ledger: &Ledger, name: &str) {
        self.broken.extend(ledger.broken.iter().map(|what| format!("{what} ({name})")));
        let false_for = ledger.figures.false_live_longest;
        if false_for > FALSE_LIVE_MAX {
            let seconds = false_for.as_secs_f64();
            self.broken.push(format!("Honest: live for {seconds:.1} s while it couldn't be ({name})"));
        }
        self.views.push((name.to_owned(), ledger.figures.clone(), ledger.epochs()));
    }

    pub(super) fn finish(&mut self, rig: &ChaosRig, took: Duration) {
        self.took = took;
        self.written = Kind::ALL.iter().map(|kind| (*kind, rig.writer.counts.of(*kind))).collect();
        self.refused = rig.writer.counts.refused();
        if let Length::Short = self.plan.length {
            self.check_faults_were_seen();
        }
        if self.is_broken() {
            let stderr = rig.dogwatch.stderr();
            let lines: Vec<&str> = stderr.lines().collect();
            let tail = lines.iter().skip(lines.len().saturating_sub(STDERR_LINES));
            tail.for_each(|line| eprintln!("dogwatch: {line}"));
        }
    }

    /// The short form has expired resourceVersions and a restore, once each: every view must show both.
    fn check_faults_were_seen(&mut self) {
        for (name, figures, epochs) in &self.views {
            if figures.gaps == 0 || *epochs == 0 {
                let gaps = figures.gaps;
                self.broken.push(format!("Reliable: {gaps} gaps and {epochs} new epochs ({name})"));
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: u64 = self.written.iter().map(|(_, count)| count).sum();
        let took_s = self.took.as_secs_f64();
        let faults = self.faults.saturating_sub(1);
        writeln!(f, "seed {}: {faults} faults in {took_s:.0} s", self.plan.seed)?;
        if let Length::Short = self.plan.length {
            writeln!(f, "(the short form)")?;
        }
        for (kind, count) in &self.written {
            writeln!(f, "events written: {count:>7} {}", kind.plural())?;
        }
        let pace = total as f64 / took_s.max(1.0);
        writeln!(f, "                {total:>7} in all, {pace:.0} a second; {} refused", self.refused)?;
        writeln!(
            f,
            "{:<42} {:>8} {:>5} {:>6} {:>6} {:>8} {:>9} {:>12}",
            "view", "states", "gaps", "resets", "epochs", "digests", "stale, s", "false live, s"
        )?;
        for (name, figures, epochs) in &self.views {
            writeln!(
                f,
                "{name:<42} {:>8} {:>5} {:>6} {epochs:>6} {:>8} {:>9.1} {:>12.1}",
                figures.states,
                figures.gaps,
                figures.resets,
                figures.digests,
                figures.stale_longest.as_secs_f64(),
                figures.false_live_longest.as_secs_f64(),
            )?;
        }
        let longest = |of: fn(&Figures) -> Duration| {
            self.views.iter().map(|(_, figures, _)| of(figures)).max().unwrap_or_default().as_secs_f64()
        };
        writeln!(f, "longest stale {:.1} s", longest(|figures| figures.stale_longest))?;
        writeln!(f, "longest false `live` {:.1} s", longest(|figures| figures.false_live_longest))?;
        writeln!(f, "exact again at the latest after {:.1} s", self.exact_longest.as_secs_f64())?;
        match self.broken.first() {
            None => write!(f, "every replica equals a fresh list, and no guarantee was broken"),
            Some(_) => write!(f, "BROKEN\n{}", self.broken.join("\n")),
        }
    }
}

/// The promise, and what the runner itself is late by: its probe, its look at the views, and the
/// timers of a loaded machine.
const FALSE_LIVE_MAX: Duration = Duration::from_millis(15_000 + 1_000);
const STDERR_LINES: usize = 40;

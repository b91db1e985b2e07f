//! What one view received and which state it showed: which of the wire's guarantees were broken, how long it was
//! stale, and how long it called itself live while it couldn't be.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use replica::freshness::Freshness;
use replica::subscription::Resyncs;
use shared::frame::server::{Rows, Subscribed};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    epoch: Box<str>,
    epochs: u32,
    /// The number of this view's subscriptions: rows of an earlier one may come again.
    subscriptions: u32,
    versions: HashMap<RowId, (ResourceVersion, u32)>,
    stale_since: Option<Instant>,
    live_since: Option<Instant>,
    pub figures: Figures,
    pub broken: Vec<String>,
}

/// What is printed of a view.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// States of objects that came, one by one.
    pub states: u64,
    pub gaps: u64,
    pub resets: u64,
    pub digests: u64,
    pub stale_longest: Duration,
    pub false_live_longest: Duration,
}

impl Ledger {
    pub fn subscribed(&mut self, answer: &Subscribed) {
        self.subscriptions += 1;
        if !answer.epoch.is_empty() && self.epoch != answer.epoch {
            if !self.epoch.is_empty() {
                self.epochs += 1;
            }
            self.epoch = answer.epoch.clone();
            self.versions.clear();
        }
    }

    /// Looks at a frame before the replica applies it. Positions are the replica's own affair: a chain
    /// that breaks is counted there.
    pub fn rows(&mut self, frame: &Rows) {
        if frame.reset {
            self.figures.resets += 1;
            self.versions.clear();
        }
        self.figures.gaps += u64::from(frame.gap.is_some());
        self.figures.states += (frame.put.len() + frame.set.len() + frame.delete.len()) as u64;
        for row in &frame.put {
            self.note(row.id, &row.resource_version);
        }
        for patch in &frame.set {
            self.note(patch.id, patch.resource_version.as_ref().unwrap_or(&frame.resource_version));
        }
    }

    fn note(&mut self, id: RowId, version: &ResourceVersion) {
        if let Some((former, subscription)) = self.versions.get(&id) {
            if version.is_older_than(former) {
                self.broken.push(format!("Ordered: {id} went from version {former} back to {version}"));
            } else if version == former && *subscription == self.subscriptions {
                self.broken.push(format!("Unique: {id} came twice at version {version}"));
            }
        }
        self.versions.insert(id, (version.clone(), self.subscriptions));
    }

    /// A resync is the replica's answer to a broken guarantee.
    pub fn resyncs(&mut self, resyncs: Resyncs) {
        let Resyncs { differed, broken, .. } = resyncs;
        if differed + broken > 0 {
            let what = format!("Exact: {differed} digests differed, {broken} chains broke");
            if self.broken.last() != Some(&what) {
                self.broken.push(what);
            }
        }
    }

    /// How the view looks at this moment, and since when it couldn't be live.
    pub fn look(&mut self, freshness: &Freshness, out_since: Option<Instant>, now: Instant) {
        if matches!(freshness, Freshness::Live { .. }) {
            self.stale_since = None;
            let live_since = *self.live_since.get_or_insert(now);
            if let Some(out_since) = out_since {
                let false_for = now.saturating_duration_since(out_since.max(live_since));
                self.figures.false_live_longest = self.figures.false_live_longest.max(false_for);
            }
        } else {
            self.live_since = None;
        }
        match freshness {
            Freshness::Stale { .. } => {
                let since = *self.stale_since.get_or_insert(now);
                self.figures.stale_longest = self.figures.stale_longest.max(now - since);
            }
            Freshness::Forbidden { .. } | Freshness::Gone { .. } | Freshness::OtherVersion { .. } => {
                let what = format!("Honest: the view called itself {freshness:?}");
                if self.broken.last() != Some(&what) {
                    self.broken.push(what);
                }
            }
            _ => self.stale_since = None,
        }
    }

    pub fn is_live(&self) -> bool {
        self.live_since.is_some()
    }

    pub fn epochs(&self) -> u32 {
        self.epochs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(from: u64, to: u64, version: &str) -> Rows {
        let row = shared::row::Row {
            id: RowId::from_hash(1 << 40),
            resource_version: version.into(),
            namespace: None,
            name: "one".into(),
            created: None,
            cells: Vec::new(),
            extra: None,
        };
        Rows { from, to, resource_version: version.into(), put: vec![row], ..Rows::default() }
    }

    #[test]
    fn a_frame_that_breaks_a_guarantee_is_named() {
        let check = |second: Rows, expected: &str| {
            let mut ledger = Ledger::default();
            ledger.rows(&frame(0, 1, "10"));
            ledger.rows(&second);
            let broken = ledger.broken.first().map_or("", String::as_str);
            assert_eq!(broken.split(':').next(), Some(expected), "{broken}");
        };
        check(frame(1, 2, "11"), "");
        check(frame(1, 2, "9"), "Ordered");
        check(frame(1, 2, "10"), "Unique");
        check(Rows { reset: true, ..frame(5, 6, "10") }, "");
    }

    #[test]
    fn a_view_that_stays_live_without_the_server_is_measured_from_when_it_could_not_be() {
        let mut ledger = Ledger::default();
        let (start, live) = (Instant::now(), Freshness::Live { proven_ms: 0 });
        ledger.look(&live, None, start);
        ledger.look(&live, Some(start), start + Duration::from_secs(14));
        ledger.look(&live, None, start + Duration::from_secs(20));
        assert_eq!(ledger.figures.false_live_longest, Duration::from_secs(14));
    }
}

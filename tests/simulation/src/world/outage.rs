//! One fault of a named length on an otherwise good day: nobody claims to be live while it lasts, and
//! everything is exact soon after it.

use replica::freshness::Freshness;

use super::{START_MS, World};
use crate::guarantee::Guarantee::{Convergent, Honest};
use crate::guarantee::Violation;

/// Until a view must say that it is stale, and until it must be live again.
const SOON_MS: i64 = 15_000;
/// A look at a clock, and the way to the viewer.
const SLACK_MS: i64 = 1_000;

impl World {
    /// The script's fault begins at `since_ms` and ends `for_ms` later.
    pub(crate) fn outlast(&mut self, since_ms: i64, for_ms: i64) -> Result<(), Violation> {
        let (begins_ms, ends_ms) = (START_MS + since_ms, START_MS + since_ms + for_ms);
        for viewer in 0..self.viewers.len() {
            self.start_viewer(viewer);
        }
        self.go_on_until(begins_ms - 1)?;
        self.is_converged().map_err(|what| self.violation(Convergent, what))?;
        for look_ms in [begins_ms + SOON_MS + SLACK_MS, ends_ms] {
            self.go_on_until(look_ms)?;
            self.nobody_is_live()?;
        }
        self.heal();
        self.go_on_until(ends_ms + SOON_MS + SLACK_MS)?;
        self.is_converged().map_err(|what| self.violation(Convergent, what))?;
        self.look_back()
    }

    fn go_on_until(&mut self, until_ms: i64) -> Result<(), Violation> {
        while self.now_ms < until_ms {
            self.step(until_ms)?;
        }
        Ok(())
    }

    fn nobody_is_live(&self) -> Result<(), Violation> {
        for (number, viewer) in self.viewers.iter().enumerate() {
            for probe in &viewer.probes {
                let freshness = viewer.freshness(probe, self.now_ms);
                if freshness.as_ref().is_some_and(Freshness::is_current) {
                    let what = format!("viewer {number}, {:?}: {freshness:?} in an outage", probe.wanted);
                    return Err(self.violation(Honest, what));
                }
            }
        }
        Ok(())
    }
}

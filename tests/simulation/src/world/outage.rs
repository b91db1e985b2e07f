//! The outages of SECURITY.md in their full lengths, each on an otherwise undisturbed day of some seed's servers,
//! latencies and viewers: no view is live while the outage lasts, and everything is exact soon after it.

use replica::freshness::Freshness;

use super::{START_MS, World};
use crate::chance::Chance;
use crate::guarantee::Guarantee::{Convergent, Honest};
use crate::guarantee::Violation;
use crate::reviews::ViewerRights;
use crate::script::{Action, OBJECTS, Script, Step};
use crate::truth::{KINDS, Wanted};
use crate::upstream::Trouble;
use crate::{Counts, Defect};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// R-REL-3: neither end of the upstream connections learns that nothing arrives any more.
    HalfOpen,
    /// R-REL-3: the API server's port is closed.
    ServerDown,
    /// R-REL-3: the API server lives and its watches stay open, but etcd doesn't answer it.
    EtcdDead,
    /// R-REL-4: SIGSTOP, and then SIGCONT.
    GatewayStopped,
}

/// By then every viewer is live, whatever its server can't do.
const SINCE_MS: i64 = 30_000;
const WRITE_INTERVAL_MS: usize = 1_500;
/// Until a view must say that it is stale, and until it must be live again.
const SOON_MS: i64 = 15_000;
/// Until a clock is looked at again, and a message has reached the viewer.
const SLACK_MS: i64 = 1_000;

impl Outage {
    /// As long as SECURITY.md says.
    fn lasts_ms(self) -> i64 {
        if self == Self::GatewayStopped { 60_000 } else { 5 * 60_000 }
    }

    fn action(self) -> Action {
        match self {
            Self::HalfOpen => Action::DisturbUpstream(Trouble::Dark),
            Self::ServerDown => Action::DisturbUpstream(Trouble::Down),
            // More often than the gateway asks.
            Self::EtcdDead => Action::Refuse { code: 500, times: 10_000 },
            Self::GatewayStopped => Action::StopGateway,
        }
    }

    fn script(self, seed: u64) -> Script {
        let mut chance = Chance::new(seed, 2);
        let mut script = Script { gateways: 1, steps: Vec::new(), ..Script::of(seed) };
        if script.rights == ViewerRights::Changing {
            // Without the right a view is neither stale nor live.
            script.rights = ViewerRights::Late;
        }
        for kind in KINDS {
            let puts = (0..OBJECTS).map(|object| Step::once(0, Action::Put(kind, object)));
            script.steps.extend(puts);
        }
        for viewer in 0..script.viewers {
            let wanted =
                Wanted { kind: chance.pick(&KINDS), namespace: None, labels: None, each_event: false };
            let open = Step::once(0, Action::OpenView(wanted));
            script.steps.push(Step { target: viewer, ..open });
        }
        let for_ms = self.lasts_ms();
        script.steps.push(Step { for_ms, ..Step::once(SINCE_MS, self.action()) });
        // A dead etcd takes no writes.
        let last_ms = if self == Self::EtcdDead { SINCE_MS } else { SINCE_MS + for_ms };
        for at_ms in (1_000..last_ms).step_by(WRITE_INTERVAL_MS) {
            let (kind, object) = (chance.pick(&KINDS), chance.index(OBJECTS));
            let recreates = chance.percent(30);
            let write = if recreates { Action::Recreate(kind, object) } else { Action::Put(kind, object) };
            script.steps.push(Step::once(at_ms, write));
        }
        script.steps.sort_by_key(|step| step.at_ms);
        script
    }
}

/// One outage: stale within 15 s, exact and live within 15 s of its end, and every other guarantee.
///
/// # Errors
/// The first that was broken.
pub fn outlast(seed: u64, outage: Outage) -> Result<Counts, Violation> {
    Defect::switch(None);
    let mut world = World::new(seed, outage.script(seed), None);
    world.outlast(START_MS + SINCE_MS, START_MS + SINCE_MS + outage.lasts_ms())?;
    Ok(world.counts)
}

impl World {
    fn outlast(&mut self, begins_ms: i64, ends_ms: i64) -> Result<(), Violation> {
        self.start_viewers();
        self.go_on_until(begins_ms - 1)?;
        self.check_converged()?;
        for look_ms in [begins_ms + SOON_MS + SLACK_MS, ends_ms] {
            self.go_on_until(look_ms)?;
            self.check_nothing_is_live()?;
        }
        self.heal();
        self.go_on_until(ends_ms + SOON_MS + SLACK_MS)?;
        self.check_converged()?;
        self.check_resyncs()
    }

    pub(crate) fn check_converged(&self) -> Result<(), Violation> {
        self.is_converged().map_err(|what| self.violation(Convergent, what))
    }

    fn check_nothing_is_live(&self) -> Result<(), Violation> {
        for (number, viewer) in self.viewers.iter().enumerate() {
            for view in &viewer.views {
                let freshness = viewer.freshness(view, self.now_ms);
                if freshness.as_ref().is_some_and(Freshness::is_current) {
                    let what = format!("viewer {number}, {:?}: {freshness:?} in an outage", view.wanted);
                    return Err(self.violation(Honest, what));
                }
            }
        }
        Ok(())
    }
}

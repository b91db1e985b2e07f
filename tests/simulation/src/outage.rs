//! The outages of SECURITY.md in their full lengths, each on a good day of whatever seed: its servers,
//! its latencies, its viewers.

use crate::chance::Chance;
use crate::guarantee::Violation;
use crate::script::{Action, PLACES, Script};
use crate::truth::{SORTS, Wanted};
use crate::world::World;
use crate::{Defect, Passed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// R-REL-3: neither end of the upstream connections learns that nothing arrives any more.
    HalfOpen,
    /// R-REL-3: nobody listens at the API server's address.
    ServerDown,
    /// R-REL-3: the API server lives and its watches stay open, but etcd doesn't answer it.
    EtcdDead,
    /// R-REL-4: SIGSTOP, and then SIGCONT.
    GatewayStopped,
}

impl Outage {
    /// As long as SECURITY.md says.
    #[must_use]
    pub fn lasts_ms(self) -> i64 {
        match self {
            Self::HalfOpen | Self::ServerDown | Self::EtcdDead => 5 * 60_000,
            Self::GatewayStopped => 60_000,
        }
    }

    fn action(self) -> Action {
        let for_ms = self.lasts_ms();
        match self {
            Self::HalfOpen => Action::DarkenUpstream { gateway: 0, for_ms },
            Self::ServerDown => Action::DownUpstream { gateway: 0, for_ms },
            // More often than anybody asks.
            Self::EtcdDead => Action::Refuse { code: 500, times: 10_000 },
            Self::GatewayStopped => Action::StopGateway { gateway: 0, for_ms },
        }
    }
}

/// By then every viewer is live, whatever its server can't do.
const SINCE_MS: i64 = 30_000;
const WRITE_INTERVAL_MS: i64 = 1_500;

/// One outage: stale within 15 s, exact and live within 15 s of its end, and every other guarantee.
///
/// # Errors
/// The first that was broken.
pub fn outlast(seed: u64, outage: Outage) -> Result<Passed, Violation> {
    Defect::switch(None);
    let mut world = World::new(seed, script(seed, outage), None);
    world.outlast(SINCE_MS, outage.lasts_ms())?;
    Ok(Passed { counts: world.counts, steps: world.steps })
}

fn script(seed: u64, outage: Outage) -> Script {
    let mut chance = Chance::new(seed, 2);
    let mut script = Script { gateways: 1, actions: Vec::new(), ..Script::of(seed) };
    for sort in SORTS {
        script.actions.extend((0..PLACES).map(|place| (0, Action::Put { sort, place })));
    }
    for viewer in 0..script.viewers {
        let wanted = Wanted { sort: chance.pick(&SORTS), namespace: None, labels: None };
        script.actions.push((0, Action::OpenView { viewer, wanted }));
    }
    script.actions.push((SINCE_MS, outage.action()));
    // Nothing is written to an etcd that is dead.
    let last_ms = if outage == Outage::EtcdDead { SINCE_MS } else { SINCE_MS + outage.lasts_ms() };
    for at_ms in (1_000..last_ms).step_by(usize::try_from(WRITE_INTERVAL_MS).unwrap_or(1)) {
        let (sort, place) = (chance.pick(&SORTS), chance.index(PLACES));
        let action =
            if chance.percent(30) { Action::Recreate { sort, place } } else { Action::Put { sort, place } };
        script.actions.push((at_ms, action));
    }
    script.actions.sort_by_key(|(at_ms, _)| *at_ms);
    script
}

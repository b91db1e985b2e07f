//! Everything together in one thread: time goes from one thing that is due to the next, and after each of them
//! every guarantee is checked.

mod act;
mod check;
mod claims;
mod network;
pub(crate) mod outage;
mod recorded;

use std::collections::BTreeMap;
use std::sync::Arc;

use gateway::feed::FeedOptions;
use gateway::hub::{Bounds, Encoded, SubscriberKey};
use shared::frame::client::SubscriptionId;

use crate::apiserver::ApiServer;
use crate::chance::Chance;
use crate::defect::Defect;
use crate::effects::SessionId;
use crate::gateway::{Gateway, GatewayOptions};
use crate::guarantee::{Counts, Guarantee, Violation};
use crate::oracle::SubscriptionOracle;
use crate::record::{Disk, Record};
use crate::script::{Script, Step};
use crate::upstream::Network;
use crate::viewer::{Start, Viewer};
use crate::wire::{Link, Stamp};

/// A date, so that clocks look like clocks.
const START_MS: i64 = 1_795_300_000_000;
/// How long everything may take to be exact again after the last fault: where no bookmarks come, a watch that
/// its server forgot is opened anew after five minutes.
const HEALS_MS: i64 = 460_000;
/// More than any run that comes to rest has ever needed.
const STEPS_MAX: u64 = 400_000;

pub(crate) struct World {
    now_ms: i64,
    seed: u64,
    defect: Option<Defect>,
    script: Script,
    next_step: usize,
    pub(crate) api: ApiServer,
    pub(crate) gateways: Vec<Gateway>,
    viewers: Vec<Viewer>,
    links: BTreeMap<SessionId, Link>,
    next_link: SessionId,
    sessions: BTreeMap<SessionId, Observed>,
    chance: Chance,
    /// The API server is down until it is back with an etcd that was restored.
    restoring_until_ms: i64,
    forbidden: Option<Forbidden>,
    forbidden_until_ms: Option<i64>,
    refreshes_at_ms: Option<i64>,
    calm_after_ms: i64,
    is_faulty_wire: bool,
    is_healing: bool,
    /// Every action and every delivery is printed.
    is_traced: bool,
    pub(crate) counts: Counts,
}

#[derive(Clone, Copy)]
struct Forbidden {
    since_ms: i64,
    revision: u64,
}

/// What the oracle observes of one session.
#[derive(Default)]
struct Observed {
    /// What each subscription began with, until the gateway receives it.
    starts: BTreeMap<SubscriptionId, Start>,
    /// The oracles of the subscriptions that the gateway received, until a hub has them.
    fresh: BTreeMap<SubscriptionId, SubscriptionOracle>,
    keys: BTreeMap<SubscriptionId, SubscriberKey>,
    oracles: BTreeMap<SubscriberKey, SubscriptionOracle>,
    /// Where a subscription stood when its session was told that the hub's resource is forbidden.
    forbidden: BTreeMap<SubscriberKey, SubscriptionOracle>,
    /// The messages that haven't gone out yet, each with the state of the truth that it was made from.
    stamps: Vec<(Arc<Encoded>, Stamp)>,
}

impl World {
    pub(crate) fn new(seed: u64, script: Script, defect: Option<Defect>) -> Self {
        let mut api = ApiServer::new(script.server.clone(), script.initial_pause_ms);
        api.lets_proofs_through = defect == Some(Defect::RevocationMissed);
        let mut world = Self {
            now_ms: START_MS,
            seed,
            defect,
            next_step: 0,
            api,
            gateways: Vec::new(),
            viewers: Vec::new(),
            links: BTreeMap::new(),
            next_link: 1,
            sessions: BTreeMap::new(),
            chance: Chance::new(seed, 1),
            restoring_until_ms: START_MS,
            forbidden: None,
            forbidden_until_ms: None,
            refreshes_at_ms: None,
            calm_after_ms: START_MS,
            is_faulty_wire: false,
            is_healing: false,
            is_traced: false,
            counts: Counts::default(),
            script,
        };
        for number in 0..world.script.gateways {
            let disk = world.script.records.then(|| Disk::new(defect));
            let gateway = world.fresh_gateway(number, disk);
            world.gateways.push(gateway);
        }
        for number in 0..world.script.viewers {
            world.viewers.push(Viewer::new(Chance::new(seed, 100 + number as u64), defect));
        }
        world
    }

    /// From its first step on.
    pub(crate) fn trace(&mut self) {
        self.is_traced = true;
        for record in self.gateways.iter_mut().filter_map(|gateway| gateway.record.as_mut()) {
            record.is_traced = true;
        }
    }

    /// With a record that goes on where the disk's ended.
    fn fresh_gateway(&mut self, number: usize, disk: Option<Disk>) -> Gateway {
        // A run has few revisions.
        let page_objects = self.script.page_objects;
        let feed = FeedOptions { page_objects, resume_margin: 6, ..FeedOptions::default() };
        let options = GatewayOptions {
            bounds: Bounds {
                tombstones: self.script.tombstones,
                frame_bytes: self.script.frame_bytes,
                ..Bounds::default()
            },
            credit_bytes: self.script.credit_bytes,
            feed,
            hop_ms: self.script.hop_ms,
            rights: self.script.rights,
        };
        let first = self.chance.next_u64();
        let chance = |stream| Chance::new(self.seed, stream + number as u64 + (first << 8));
        let chances = (chance(10), chance(50));
        let network = Network::new(self.script.upstream_ms);
        let gateway = Gateway::new(network, options, chances, first, self.defect);
        match disk {
            Some(disk) => {
                let mut record = Record::begin(disk, first, self.now_ms, self.defect);
                record.is_traced = self.is_traced;
                gateway.recording(record, self.script.keeps)
            }
            None => gateway,
        }
    }

    /// To the end of the script, and on until everything is exact again.
    pub(crate) fn run(&mut self) -> Result<(), Violation> {
        self.start_viewers();
        let last_ms = self.script.steps.last().map_or(START_MS, |step| START_MS + step.at_ms);
        self.go_on_until(last_ms + 500)?;
        self.heal();
        let end_ms = self.now_ms + HEALS_MS;
        let mut look_ms = self.now_ms + 1_000;
        while self.now_ms < end_ms {
            self.step(look_ms)?;
            if self.now_ms >= look_ms {
                look_ms = self.now_ms + 1_000;
                if self.is_converged().is_ok() {
                    self.counts.add(Guarantee::Convergent);
                    self.check_resyncs()?;
                    return self.check_records();
                }
            }
        }
        self.check_converged()
    }

    pub(crate) fn go_on_until(&mut self, until_ms: i64) -> Result<(), Violation> {
        while self.now_ms < until_ms {
            self.step(until_ms)?;
        }
        Ok(())
    }

    /// To the next thing that is due, or to the time that is given.
    fn step(&mut self, until_ms: i64) -> Result<(), Violation> {
        self.counts.steps += 1;
        if self.counts.steps > STEPS_MAX {
            return Err(self.violation(Guarantee::Bounded, "it never comes to rest".to_owned()));
        }
        // A hub that is late by a deliberate defect is due already; time goes on all the same.
        let is_late = self.defect == Some(Defect::LateTick);
        let next_ms = self.deadline_ms().max(self.now_ms + i64::from(is_late));
        self.now_ms = next_ms.clamp(self.now_ms, until_ms.max(self.now_ms));
        self.act_due();
        self.api.timer(self.now_ms);
        self.carry_chunks();
        for gateway in &mut self.gateways {
            gateway.step(&mut self.api, self.now_ms);
        }
        self.carry_chunks();
        self.observe_pulls()?;
        self.carry_links()?;
        self.step_viewers()?;
        self.check()
    }

    fn deadline_ms(&self) -> i64 {
        let step_ms = self.script.steps.get(self.next_step).map(|step| START_MS + step.at_ms);
        let links = self.links.values();
        let links_ms = links.map(|link| link.deadline_ms(self.gateways[link.gateway].stopped_until_ms));
        let viewers_ms = self.viewers.iter().map(|viewer| viewer.deadline_ms(self.now_ms));
        let gateways_ms = self.gateways.iter().map(Gateway::deadline_ms);
        let up_ms = self.gateways.iter().filter_map(|gateway| gateway.down_until_ms);
        let single_ms = [step_ms, self.forbidden_until_ms, self.refreshes_at_ms].into_iter().flatten();
        let all_ms = links_ms.chain(viewers_ms).chain(gateways_ms).chain(up_ms).chain(single_ms);
        all_ms.min().unwrap_or(i64::MAX).min(self.api.deadline_ms())
    }

    fn violation(&self, guarantee: Guarantee, what: String) -> Violation {
        Violation { guarantee, at_ms: self.now_ms - START_MS, what }
    }

    fn next_due_step(&mut self) -> Option<Step> {
        let step = self.script.steps.get(self.next_step)?.clone();
        if START_MS + step.at_ms > self.now_ms {
            return None;
        }
        self.next_step += 1;
        if self.is_traced {
            eprintln!("{step}");
        }
        Some(step)
    }
}

//! Everything together in one thread: time goes from one thing that is due to the next, and after
//! each of them every guarantee is looked at.

mod act;
mod check;
mod network;
mod outage;

use std::collections::BTreeMap;
use std::sync::Arc;

use gateway::feed::FeedOptions;
use gateway::hub::{Bounds, Encoded, SubscriberKey};
use shared::frame::client::SubscriptionId;

use crate::apiserver::ApiServer;
use crate::chance::Chance;
use crate::defect::Defect;
use crate::gateway::{Gateway, GatewayOptions, SessionId};
use crate::guarantee::{Counts, Guarantee, Violation};
use crate::oracle::Witness;
use crate::script::{Action, Script};
use crate::upstream::{Network, Trouble};
use crate::viewer::{Asked, Viewer};
use crate::wire::{Link, Stamp};

/// A date, so that clocks look like clocks.
const START_MS: i64 = 1_795_300_000_000;
/// How long everything may take to be exact again once nothing is wrong any more: a watch that its
/// server forgot is opened anew after five minutes where no bookmarks come.
const HEALS_MS: i64 = 460_000;
/// More than any run that goes on has ever needed.
const STEPS_MAX: u64 = 400_000;

pub(crate) struct World {
    now_ms: i64,
    seed: u64,
    defect: Option<Defect>,
    script: Script,
    next_action: usize,
    pub(crate) api: ApiServer,
    gateways: Vec<Gateway>,
    /// A gateway that is down comes back then.
    down_until_ms: Vec<Option<i64>>,
    /// One that stands still goes on then.
    stopped_until_ms: Vec<i64>,
    viewers: Vec<Viewer>,
    links: BTreeMap<SessionId, Link>,
    next_link: SessionId,
    sessions: BTreeMap<SessionId, Followed>,
    chance: Chance,
    /// Nobody reaches the API server until it is back with an etcd that was restored.
    restoring_until_ms: i64,
    forbidden: Option<Forbidden>,
    forbidden_until_ms: Option<i64>,
    refreshes_at_ms: Option<i64>,
    calm_after_ms: i64,
    is_faulty_wire: bool,
    is_healing: bool,
    /// Every action and every delivery is printed.
    pub(crate) is_traced: bool,
    pub(crate) counts: Counts,
    pub(crate) steps: u64,
}

#[derive(Clone, Copy)]
struct Forbidden {
    since_ms: i64,
    revision: u64,
}

/// What the oracle follows of one session.
#[derive(Default)]
struct Followed {
    /// What each subscription began with, until the gateway hears of it.
    asked: BTreeMap<SubscriptionId, Asked>,
    /// The one that is being heard of now.
    fresh: Option<Witness>,
    keys: BTreeMap<SubscriptionId, SubscriberKey>,
    witnesses: BTreeMap<SubscriberKey, Witness>,
    /// Of which truth the messages are that haven't gone out yet.
    stamps: Vec<(Arc<Encoded>, Stamp)>,
}

impl World {
    pub(crate) fn new(seed: u64, script: Script, defect: Option<Defect>) -> Self {
        let mut api = ApiServer::new(script.nature.clone());
        api.initial_pause_ms = script.initial_pause_ms;
        api.lets_proofs_through = defect == Some(Defect::RevocationMissed);
        let mut world = Self {
            now_ms: START_MS,
            seed,
            defect,
            next_action: 0,
            api,
            gateways: Vec::new(),
            down_until_ms: vec![None; script.gateways],
            stopped_until_ms: vec![START_MS; script.gateways],
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
            steps: 0,
            script,
        };
        for number in 0..world.script.gateways {
            let gateway = world.fresh_gateway(number);
            world.gateways.push(gateway);
        }
        for number in 0..world.script.viewers {
            world.viewers.push(Viewer::new(Chance::new(seed, 100 + number as u64), defect));
        }
        world
    }

    fn fresh_gateway(&mut self, number: usize) -> Gateway {
        let network = Network { latency_ms: self.script.upstream_ms, trouble: Trouble::None };
        let feed = FeedOptions { page_objects: self.script.page_objects, ..FeedOptions::default() };
        let options = GatewayOptions {
            bounds: Bounds {
                tombstones: self.script.tombstones,
                frame_bytes: self.script.frame_bytes,
                ..Bounds::default()
            },
            credit_bytes: self.script.credit_bytes,
            feed,
            hop_ms: self.script.hop_ms,
        };
        let first = self.chance.next_u64();
        let chance = Chance::new(self.seed, 10 + number as u64 + (first << 8));
        Gateway::new(network, options, chance, first, self.defect)
    }

    /// To the end of the script, and on until everything is exact again.
    pub(crate) fn run(&mut self) -> Result<(), Violation> {
        for viewer in 0..self.viewers.len() {
            self.start_viewer(viewer);
        }
        let last_ms = self.script.actions.last().map_or(START_MS, |(at_ms, _)| START_MS + at_ms);
        while self.now_ms < last_ms + 500 {
            self.step(last_ms + 500)?;
        }
        self.heal();
        let end_ms = self.now_ms + HEALS_MS;
        let mut look_ms = self.now_ms + 1_000;
        while self.now_ms < end_ms {
            self.step(look_ms)?;
            if self.now_ms >= look_ms {
                look_ms = self.now_ms + 1_000;
                if self.is_converged().is_ok() {
                    self.counts.add(Guarantee::Convergent);
                    return self.look_back();
                }
            }
        }
        self.is_converged().map_err(|what| self.violation(Guarantee::Convergent, what))
    }

    /// The next thing that is due, or the time that is given.
    fn step(&mut self, until_ms: i64) -> Result<(), Violation> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(self.violation(Guarantee::Bounded, "it never comes to rest".to_owned()));
        }
        // What is late by a defect is due already; time goes on all the same.
        let next_ms = self.deadline_ms().max(self.now_ms + i64::from(self.is_spinning()));
        self.now_ms = next_ms.clamp(self.now_ms, until_ms.max(self.now_ms));
        self.act_due();
        self.api.timer(self.now_ms);
        self.carry_said();
        for (gateway, stopped_until_ms) in self.gateways.iter_mut().zip(&self.stopped_until_ms) {
            if *stopped_until_ms <= self.now_ms {
                gateway.step(&mut self.api, self.now_ms);
            }
        }
        self.carry_said();
        self.follow_pulls()?;
        self.carry_links()?;
        self.step_viewers()?;
        self.check()
    }

    /// Only the deliberately late hub is behind its own deadline.
    fn is_spinning(&self) -> bool {
        self.defect == Some(Defect::LateTick)
    }

    fn deadline_ms(&self) -> i64 {
        let action_ms =
            self.script.actions.get(self.next_action).map_or(i64::MAX, |(at_ms, _)| START_MS + at_ms);
        let gateways = self.gateways.iter().zip(&self.stopped_until_ms);
        let gateways_ms = gateways.map(|(gateway, until_ms)| gateway.deadline_ms().max(*until_ms)).min();
        let links = self.links.values().map(|link| link.deadline_ms(self.stopped_until_ms[link.gateway]));
        let links_ms = links.min().unwrap_or(i64::MAX);
        let viewers_ms = self.viewers.iter().map(|viewer| viewer.deadline_ms(self.now_ms)).min();
        let down_ms = self.down_until_ms.iter().flatten().min().copied().unwrap_or(i64::MAX);
        action_ms
            .min(gateways_ms.unwrap_or(i64::MAX))
            .min(links_ms)
            .min(viewers_ms.unwrap_or(i64::MAX))
            .min(down_ms)
            .min(self.api.deadline_ms())
            .min(self.forbidden_until_ms.unwrap_or(i64::MAX))
            .min(self.refreshes_at_ms.unwrap_or(i64::MAX))
    }

    fn violation(&self, guarantee: Guarantee, what: String) -> Violation {
        Violation { guarantee, at_ms: self.now_ms - START_MS, what }
    }

    fn next_due_action(&mut self) -> Option<Action> {
        let (at_ms, action) = self.script.actions.get(self.next_action)?;
        if START_MS + at_ms > self.now_ms {
            return None;
        }
        self.next_action += 1;
        if self.is_traced {
            eprintln!("{:>7} ms  {action:?}", self.now_ms - START_MS);
        }
        Some(action.clone())
    }
}

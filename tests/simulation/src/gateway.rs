//! One gateway of the product in one thread: its feeds' machines, its hubs, its sessions. Between them stand
//! only queues that are a little late, where the product has tokio's channels.

mod watched;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gateway::access::Login;
use gateway::feed::machine::Capabilities;
use gateway::feed::{FeedKey, FeedOptions, FeedProofs};
use gateway::hub::{
    Bounds, Directory, Elapsed, Encoded, Hub, HubAction, HubRequest, SubscriberKey, ToSession,
};
use gateway::session::{Action, Close, Effects, OpenRequest, Session, Surroundings};
use gateway::subscription_request::SubscriptionRequest;
use shared::frame::client::SubscriptionId;
use shared::frame::server::Kinds;
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::resource::Kind as ServedKind;

use crate::apiserver::{ApiServer, StreamChunk};
use crate::chance::Chance;
use crate::defect::{Defect, Injector};
use crate::effects::{
    EffectHandler, HubId, Opening, SessionId, ToHub, login, login_with_rights, now, surroundings,
};
use crate::record::Record;
use crate::reviews::{Reviews, ViewerRights};
use crate::truth::{CLUSTER, KINDS, Kind};
use crate::upstream::{Feed, Network, Upstream};

pub(crate) use watched::{HubMemory, TickState, Watched};

pub(crate) struct OpenSession {
    pub(crate) protocol: Session<HubId>,
    started_ms: i64,
    pub(crate) sent_bytes: u64,
    pub(crate) acknowledged_bytes: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct GatewayOptions {
    pub(crate) bounds: Bounds,
    pub(crate) credit_bytes: u64,
    pub(crate) feed: FeedOptions,
    /// The hop between two tasks takes up to this.
    pub(crate) hop_ms: i64,
    pub(crate) rights: ViewerRights,
}

impl GatewayOptions {
    fn login(&self) -> Login {
        if self.rights == ViewerRights::OfGateway { login(VIEWER) } else { login_with_rights(VIEWER) }
    }

    /// How late the next hop is. Mostly not at all.
    fn hop_ms(&self, chance: &mut Chance) -> i64 {
        if chance.percent(80) { 0 } else { chance.between(0, self.hop_ms) }
    }
}

pub(crate) struct Gateway {
    pub(crate) network: Network,
    /// The process is down until then.
    pub(crate) down_until_ms: Option<i64>,
    /// The process is stopped until then, and goes on.
    pub(crate) stopped_until_ms: i64,
    options: GatewayOptions,
    pub(crate) watched: BTreeMap<HubId, Watched>,
    proofs: FeedProofs,
    pub(crate) sessions: BTreeMap<SessionId, OpenSession>,
    /// Sessions whose connection has ended: they leave what opens for them too late.
    ended: BTreeMap<SessionId, Session<HubId>>,
    surroundings: Surroundings,
    pub(crate) effects: EffectHandler,
    no_watch_list: Vec<Kind>,
    chance: Chance,
    defect: Option<Defect>,
    /// `None`: it records nothing.
    pub(crate) record: Option<Record>,
    /// What is recorded is watched without viewers.
    keeps: bool,
    pub(crate) opened: Vec<OpenedAtHub>,
    pub(crate) pulled: Vec<Pulled>,
}

/// What left a hub for a session, for the oracle.
pub(crate) struct Pulled {
    pub(crate) session: SessionId,
    pub(crate) key: SubscriberKey,
    pub(crate) hub: HubId,
    pub(crate) content: Content,
    pub(crate) state: TickState,
}

pub(crate) enum Content {
    Delivery(Vec<Arc<Encoded>>),
    /// The session may move the subscription to a namespace's feed, and drops what comes after this then.
    Forbidden,
}

/// A subscription that was opened at a hub, and the hub's state then, for the oracle.
pub(crate) struct OpenedAtHub {
    pub(crate) session: SessionId,
    pub(crate) id: SubscriptionId,
    pub(crate) key: SubscriberKey,
    pub(crate) state: TickState,
    /// Its client begins anew.
    pub(crate) is_granted_anew: bool,
}

/// All viewers are one person.
const VIEWER: &str = "alice";

pub(crate) fn elapsed(now_ms: i64) -> Elapsed {
    Duration::from_millis(now_ms.unsigned_abs())
}

/// Whether a feed is of all objects of its kind, and so is recorded.
fn is_whole(key: &FeedKey) -> bool {
    *key == FeedKey::of(key.cluster.clone(), key.resource.clone())
}

impl Gateway {
    pub(crate) fn new(
        network: Network,
        options: GatewayOptions,
        (chance, of_reviews): (Chance, Chance),
        first: u64,
        defect: Option<Defect>,
    ) -> Self {
        let served = |kind: Kind| ServedKind {
            custom: kind == Kind::Widgets,
            ..ServedKind::new(kind.resource(), kind.name(), true)
        };
        let cluster = ClusterName::parse("sim").expect("a name");
        // Other view ids than those of other gateways, so that nothing fits by accident.
        let last_view = u32::try_from(first % 1_000).unwrap_or(0) * 1_000;
        Self {
            network,
            down_until_ms: None,
            stopped_until_ms: i64::MIN,
            watched: BTreeMap::new(),
            proofs: FeedProofs::default(),
            sessions: BTreeMap::new(),
            ended: BTreeMap::new(),
            surroundings: surroundings(Kinds::new(cluster, KINDS.map(served).to_vec(), Vec::new()), CLUSTER),
            effects: EffectHandler::new(Directory::after_view(last_view), options.login())
                .with_reviews(Reviews::new(options.rights, of_reviews)),
            options,
            no_watch_list: Vec::new(),
            chance,
            defect,
            record: None,
            keeps: false,
            opened: Vec::new(),
            pulled: Vec::new(),
        }
    }

    pub(crate) fn recording(self, record: Record, keeps: bool) -> Self {
        Self { record: Some(record), keeps, ..self }
    }

    pub(crate) fn options(&self) -> &GatewayOptions {
        &self.options
    }

    pub(crate) fn enter(&mut self, id: SessionId, now_ms: i64) {
        let (now, surroundings) = (now(now_ms, now_ms), self.surroundings.clone());
        let protocol =
            Session::with_credit((self.options.login(), &[]), surroundings, now, self.options.credit_bytes);
        let session = OpenSession { protocol, started_ms: now_ms, sent_bytes: 0, acknowledged_bytes: 0 };
        self.sessions.entry(id).or_insert(session);
    }

    /// How the connection is closed, if the action ends it.
    pub(crate) fn apply(&mut self, id: SessionId, action: Action<&str, HubId>, now_ms: i64) -> Option<Close> {
        let session = self.sessions.get_mut(&id)?;
        let now = now(now_ms, session.started_ms);
        if matches!(action, Action::Deadline(_)) && session.protocol.deadline(now) > now.monotonic_ms {
            return None;
        }
        let effects = session.protocol.apply(action, now);
        self.perform(id, effects, now_ms)
    }

    /// Every answer is a little late.
    fn perform(&mut self, id: SessionId, effects: Effects<HubId>, now_ms: i64) -> Option<Close> {
        let Self { effects: handler, chance, options, .. } = self;
        handler.perform(id, effects, now_ms, || options.hop_ms(chance))
    }

    fn tell(&mut self, session: SessionId, action: Action<&'static str, HubId>, now_ms: i64) {
        let due_ms = now_ms + self.options.hop_ms(&mut self.chance);
        self.effects.tell(session, action, due_ms);
    }

    fn open(&mut self, session: SessionId, asked: OpenRequest, is_granted_anew: bool, now_ms: i64) {
        let Opening { hub, feed, mut open, answer } = self.effects.open(session, asked);
        let (id, key) = (open.request.id, open.key);
        if !self.watched.contains_key(&hub) {
            let watched = self.watch(feed, Some(&open.request), now_ms);
            self.watched.insert(hub, watched);
        }
        let Some(watched) = self.watched.get_mut(&hub) else { return };
        watched.injector.opening(&mut open);
        watched.act(HubAction::Open(Box::new(open)), now_ms);
        self.opened.push(OpenedAtHub { session, id, key, state: watched.memory.state, is_granted_anew });
        self.tell(session, answer, now_ms);
    }

    fn watch(&mut self, key: FeedKey, first: Option<&SubscriptionRequest>, now_ms: i64) -> Watched {
        let kind = Kind::of(&key.resource);
        let capabilities = Capabilities {
            watch: true,
            watch_list: !self.no_watch_list.contains(&kind),
            custom: kind == Kind::Widgets,
        };
        let seed = self.chance.next_u64();
        let base = u32::try_from(seed >> 32).unwrap_or_default();
        let mut hub = Hub::with_bounds(CLUSTER, seed, self.options.bounds).counting_from(base);
        let record = self.record.as_mut().filter(|_| is_whole(&key));
        if record.is_some() {
            hub = hub.recorded();
        }
        let chance = Chance::new(self.chance.next_u64(), 1);
        let (options, stands_at) = (self.options.feed.clone(), first.and_then(|first| hub.stands_at(first)));
        let stands_at = stands_at.or_else(|| record.and_then(|record| record.ended_at(kind)));
        let namespace = key.namespace.as_ref().map(|namespace| namespace.as_str().into());
        let memory = HubMemory::unproven(namespace, now_ms);
        let proof = self.proofs.enter(&key);
        let feed = Feed::new((key, proof), capabilities, options, stands_at, chance, now_ms);
        Watched { kind, feed, hub, is_behind: false, memory, injector: Injector::new(self.defect) }
    }

    /// What the API server sent on its streams.
    pub(crate) fn receive(&mut self, chunks: &[StreamChunk], now_ms: i64) {
        for chunk in chunks {
            for watched in self.watched.values_mut().filter(|watched| watched.feed.owns(chunk.stream)) {
                watched.feed.receive(chunk, &self.network, now_ms);
            }
        }
    }

    pub(crate) fn deadline_ms(&self) -> i64 {
        let of = |watched: &Watched| {
            let settle_ms = i64::try_from(watched.hub.deadline().as_millis()).unwrap_or(i64::MAX);
            settle_ms.min(watched.feed.deadline_ms(&self.network))
        };
        let feeds_ms = self.watched.values().map(of).min().unwrap_or(i64::MAX);
        let due_ms = feeds_ms.min(self.effects.deadline_ms()).min(self.network.deadline_ms());
        let record_ms = self.record.as_ref().map_or(i64::MAX, Record::deadline_ms);
        due_ms.min(record_ms).max(self.stopped_until_ms)
    }

    /// All that is due in feeds, hubs and between the tasks.
    pub(crate) fn step(&mut self, api: &mut ApiServer, now_ms: i64) {
        if self.stopped_until_ms > now_ms {
            return;
        }
        self.network.step(now_ms);
        self.keep_recorded(now_ms);
        let Self { watched, network, no_watch_list, .. } = self;
        for watched in watched.values_mut() {
            watched.feed.step(&mut Upstream { api, network, now_ms });
            if watched.feed.remembers_no_watch_list && !no_watch_list.contains(&watched.kind) {
                no_watch_list.push(watched.kind);
            }
            watched.listen(api, now_ms);
        }
        self.carry_requests(api, now_ms);
        for hub in self.watched.keys().copied().collect::<Vec<_>>() {
            let messages = self.watched.get_mut(&hub).map(|watched| watched.settle(now_ms));
            for (key, message) in messages.unwrap_or_default() {
                self.carry(hub, key, message, now_ms);
            }
        }
        self.carry_messages(now_ms);
        self.record_heard(now_ms);
        self.end_idle(api, now_ms);
    }

    fn keep_recorded(&mut self, now_ms: i64) {
        if !self.keeps || self.down_until_ms.is_some() {
            return;
        }
        for kind in KINDS {
            let feed = FeedKey::of(ClusterName::parse("sim").expect("a name"), kind.resource());
            if let Some(hub) = self.effects.keep(&feed) {
                let watched = self.watch(feed, None, now_ms);
                self.watched.insert(hub, watched);
            }
        }
    }

    fn record_heard(&mut self, now_ms: i64) {
        let Some(record) = &mut self.record else { return };
        for watched in self.watched.values_mut() {
            let heard = watched.hub.take_heard();
            let heard = if watched.is_behind { watched.hub.begin_hearing() } else { heard };
            if !heard.is_empty() {
                watched.is_behind = !record.hear(watched.kind, heard, now_ms);
            }
        }
        record.step(now_ms);
    }

    fn carry_requests(&mut self, api: &mut ApiServer, now_ms: i64) {
        while let Some((id, request)) = self.effects.next_request(now_ms) {
            let (hub, request) = match request {
                ToHub::Open { request, is_granted_anew } => {
                    self.open(id, request, is_granted_anew, now_ms);
                    continue;
                }
                ToHub::Request(hub, request) => (hub, request),
            };
            let Self { watched, network, .. } = self;
            let Some(watched) = watched.get_mut(&hub) else {
                if let HubRequest::Pull(key) = request {
                    let problem = Problem::bad_request("the watch has ended; subscribe anew");
                    self.apply(id, Action::Hub(ToSession::Ended(key, problem)), now_ms);
                }
                continue;
            };
            if let Some((key, message)) = watched.act(HubAction::Request(request), now_ms) {
                self.carry(hub, key, message, now_ms);
            } else if request == HubRequest::Retry {
                watched.feed.step(&mut Upstream { api, network, now_ms });
                watched.listen(api, now_ms);
            }
        }
    }

    /// A message of a hub, on its way to its session. Deliveries pass the injector and the oracle.
    fn carry(&mut self, hub: HubId, key: SubscriberKey, mut message: ToSession, now_ms: i64) {
        let Some(watched) = self.watched.get_mut(&hub) else { return };
        let Some(session) = watched.hub.session(key).copied() else { return };
        let content = match &mut message {
            ToSession::Delivery(_, delivery) | ToSession::Pushed(_, delivery) => {
                watched.injector.delivery(key, delivery);
                Some(Content::Delivery(delivery.messages.clone()))
            }
            ToSession::Forbidden(_) => Some(Content::Forbidden),
            ToSession::News(_) | ToSession::Ended(..) => None,
        };
        let state = watched.memory.state;
        self.pulled.extend(content.map(|content| Pulled { session, key, hub, content, state }));
        self.tell(session, Action::Hub(message), now_ms);
    }

    fn carry_messages(&mut self, now_ms: i64) {
        while let Some((id, action)) = self.effects.next_answer(now_ms) {
            match self.ended.get_mut(&id) {
                Some(ended) if matches!(action, Action::Opened(..)) => {
                    let effects = ended.apply(action, now(now_ms, now_ms));
                    self.perform(id, effects, now_ms);
                }
                Some(_) => {}
                None => drop(self.apply(id, action, now_ms)),
            }
        }
    }

    /// Ends the hubs that had no subscriber for a while.
    fn end_idle(&mut self, api: &mut ApiServer, now_ms: i64) {
        let Self { effects, record, keeps, .. } = self;
        self.watched.retain(|_, watched| {
            let is_recorded = record.is_some() && is_whole(&watched.feed.key);
            let is_over = watched.hub.has_lingered(elapsed(now_ms));
            if is_over && is_recorded && *keeps {
                watched.hub.linger_on(elapsed(now_ms));
                return true;
            }
            if is_over {
                if let Some(record) = record.as_mut().filter(|_| is_recorded) {
                    record.hub_ended(watched.kind, now_ms);
                }
                effects.remove(&watched.feed.key);
                watched.feed.cut(api, true, now_ms);
            }
            !is_over
        });
    }

    pub(crate) fn leave(&mut self, id: SessionId, now_ms: i64) {
        if let Some(mut session) = self.sessions.remove(&id) {
            let effects = Effects { requests: session.protocol.end(), ..Effects::default() };
            self.perform(id, effects, now_ms);
            self.effects.leave(id);
            self.ended.insert(id, session.protocol);
        }
    }
}

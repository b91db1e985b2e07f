//! One gateway of the product in one thread: its feeds' machines, its hubs, its sessions. Between them stand
//! only queues that are a little late, where the product has tokio's channels.

mod watched;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gateway::access::{Identity, Login, Rights};
use gateway::feed::machine::Capabilities;
use gateway::feed::{FeedKey, FeedOptions};
use gateway::hub::{
    Bounds, Directory, Elapsed, Encoded, Hub, HubAction, HubRequest, Open, SubscriberKey, ToSession,
};
use gateway::session::{
    Action, Close, Effect, Effects, KnownCluster, Now, OpenRequest, Opened, Reach, Session, Surroundings,
};
use gateway::subscription_request::SubscriptionRequest;
use shared::frame::client::SubscriptionId;
use shared::frame::server::{Cluster, Kinds, LoginMode};
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::resource::Kind as ServedKind;

use crate::apiserver::{ApiServer, StreamChunk};
use crate::chance::Chance;
use crate::defect::{Defect, Injector};
use crate::delayed::Delayed;
use crate::truth::{KINDS, Kind};
use crate::upstream::{Feed, Network, Upstream};

pub(crate) use watched::{HubMemory, TickState, Watched};

pub(crate) type HubId = usize;
pub(crate) type SessionId = u64;

pub(crate) struct OpenSession {
    pub(crate) protocol: Session<HubId>,
    started_ms: i64,
    pub(crate) sent_bytes: u64,
    pub(crate) acknowledged_bytes: u64,
}

/// What a session sends to a hub.
enum ToHub {
    Open(OpenRequest),
    Request(HubId, HubRequest),
}

#[derive(Clone, Debug)]
pub(crate) struct GatewayOptions {
    pub(crate) bounds: Bounds,
    pub(crate) credit_bytes: u64,
    pub(crate) feed: FeedOptions,
    /// The hop between two tasks takes up to this.
    pub(crate) hop_ms: i64,
}

pub(crate) struct Gateway {
    pub(crate) network: Network,
    /// The process is down until then.
    pub(crate) down_until_ms: Option<i64>,
    /// The process is stopped until then, and goes on.
    pub(crate) stopped_until_ms: i64,
    options: GatewayOptions,
    pub(crate) watched: BTreeMap<HubId, Watched>,
    pub(crate) sessions: BTreeMap<SessionId, OpenSession>,
    /// Sessions whose connection has ended: they leave what opens for them too late.
    ended: BTreeMap<SessionId, Session<HubId>>,
    surroundings: Surroundings,
    directory: Directory<HubId>,
    next_hub: HubId,
    requests: Delayed<(SessionId, ToHub)>,
    /// Answers and messages of hubs, on their way to sessions.
    messages: Delayed<(SessionId, Action<&'static str, HubId>)>,
    no_watch_list: Vec<Kind>,
    chance: Chance,
    defect: Option<Defect>,
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
}

pub(crate) const CLUSTER: &str = "kube-system-uid";

pub(crate) fn elapsed(now_ms: i64) -> Elapsed {
    Duration::from_millis(now_ms.unsigned_abs())
}

fn login() -> Login {
    Login {
        identity: Identity::new("alice").expect("a name"),
        expires_ms: None,
        session: None,
        rights: Rights::OfGateway,
        mode: LoginMode::Local,
        provider: None,
    }
}

impl Gateway {
    pub(crate) fn new(
        network: Network,
        options: GatewayOptions,
        chance: Chance,
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
            sessions: BTreeMap::new(),
            ended: BTreeMap::new(),
            surroundings: surroundings(Kinds::new(cluster, KINDS.map(served).to_vec(), Vec::new())),
            directory: Directory::after_view(last_view),
            next_hub: 1,
            options,
            requests: Delayed::default(),
            messages: Delayed::default(),
            no_watch_list: Vec::new(),
            chance,
            defect,
            opened: Vec::new(),
            pulled: Vec::new(),
        }
    }

    pub(crate) fn options(&self) -> &GatewayOptions {
        &self.options
    }

    pub(crate) fn enter(&mut self, id: SessionId, now_ms: i64) {
        let (now, surroundings) = (now(now_ms, now_ms), self.surroundings.clone());
        let protocol = Session::with_credit((login(), &[]), surroundings, now, self.options.credit_bytes);
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

    /// As the product's loop does, but every answer is a little late.
    fn perform(&mut self, id: SessionId, effects: Effects<HubId>, now_ms: i64) -> Option<Close> {
        for effect in effects.effects {
            match effect {
                Effect::Count(answer) => self.tell(id, Action::Counted(answer, Ok(())), now_ms),
                Effect::NumberView(answer) => {
                    let (_, view) = self.directory.next_ids();
                    self.tell(id, Action::Numbered(answer, view), now_ms);
                }
                Effect::Open(open) => self.ask(id, ToHub::Open(open), now_ms),
                // Viewers here have the gateway's own rights, and no login that ends.
                Effect::Challenge
                | Effect::Login(..)
                | Effect::Review(_)
                | Effect::Record(_)
                | Effect::RetryClusters
                | Effect::CountMismatch => {}
            }
        }
        for (hub, request) in effects.requests {
            self.ask(id, ToHub::Request(hub, request), now_ms);
        }
        effects.close
    }

    fn ask(&mut self, session: SessionId, request: ToHub, now_ms: i64) {
        let due_ms = now_ms + self.hop_ms();
        self.requests.push(due_ms, (session, request));
    }

    fn tell(&mut self, session: SessionId, action: Action<&'static str, HubId>, now_ms: i64) {
        let due_ms = now_ms + self.hop_ms();
        self.messages.push(due_ms, (session, action));
    }

    fn open(&mut self, session: SessionId, asked: OpenRequest, now_ms: i64) {
        let (feed, is_second) = asked.choose(|_| false).expect("a feed");
        let known = self.directory.get(&feed).copied();
        let hub = known.unwrap_or(self.next_hub);
        self.next_hub += usize::from(known.is_none());
        self.directory.insert(feed.clone(), hub);
        let (key, fresh_view) = self.directory.next_ids();
        let OpenRequest { answer, request, permit, .. } = asked;
        let id = request.id;
        let mut open = Open { key, request, fresh_view, is_second, session, permit };
        if !self.watched.contains_key(&hub) {
            let watched = self.watch(feed.clone(), &open.request, now_ms);
            self.watched.insert(hub, watched);
        }
        let Some(watched) = self.watched.get_mut(&hub) else { return };
        watched.injector.opening(&mut open);
        watched.act(HubAction::Open(Box::new(open)), now_ms);
        self.opened.push(OpenedAtHub { session, id, key, state: watched.memory.state });
        // Before all that the hub says to the subscription.
        self.tell(session, Action::Opened(answer, Ok(Opened { key, hub, feed })), now_ms);
    }

    fn watch(&mut self, key: FeedKey, first: &SubscriptionRequest, now_ms: i64) -> Watched {
        let kind = Kind::of(&key.resource);
        let capabilities = Capabilities {
            watch: true,
            watch_list: !self.no_watch_list.contains(&kind),
            custom: kind == Kind::Widgets,
        };
        let seed = self.chance.next_u64();
        let base = u32::try_from(seed >> 32).unwrap_or_default();
        let hub = Hub::with_bounds(CLUSTER, seed, self.options.bounds).counting_from(base);
        let chance = Chance::new(self.chance.next_u64(), 1);
        let (options, stands_at) = (self.options.feed.clone(), hub.stands_at(first));
        let memory = HubMemory::unproven(key.namespace.as_ref().map(|namespace| namespace.as_str().into()));
        let feed = Feed::new(key, capabilities, options, stands_at, chance, now_ms);
        Watched { kind, feed, hub, memory, injector: Injector::new(self.defect) }
    }

    /// Mostly none.
    fn hop_ms(&mut self) -> i64 {
        if self.chance.percent(80) { 0 } else { self.chance.between(0, self.options.hop_ms) }
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
        let queued_ms = self.requests.due_ms().into_iter().chain(self.messages.due_ms()).min();
        let due_ms = feeds_ms.min(queued_ms.unwrap_or(i64::MAX)).min(self.network.deadline_ms());
        due_ms.max(self.stopped_until_ms)
    }

    /// All that is due in feeds, hubs and between the tasks.
    pub(crate) fn step(&mut self, api: &mut ApiServer, now_ms: i64) {
        if self.stopped_until_ms > now_ms {
            return;
        }
        self.network.step(now_ms);
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
        self.end_idle(api, now_ms);
    }

    fn carry_requests(&mut self, api: &mut ApiServer, now_ms: i64) {
        while let Some((id, request)) = self.requests.pop_due(now_ms) {
            let (hub, request) = match request {
                ToHub::Open(open) => {
                    self.open(id, open, now_ms);
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
        while let Some((id, action)) = self.messages.pop_due(now_ms) {
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
        let directory = &mut self.directory;
        self.watched.retain(|_, watched| {
            let is_over = watched.hub.has_lingered(elapsed(now_ms));
            if is_over {
                directory.remove(&watched.feed.key);
                watched.feed.cut(api, true, now_ms);
            }
            !is_over
        });
    }

    pub(crate) fn leave(&mut self, id: SessionId, now_ms: i64) {
        if let Some(mut session) = self.sessions.remove(&id) {
            let effects = Effects { requests: session.protocol.end(), ..Effects::default() };
            self.perform(id, effects, now_ms);
            self.ended.insert(id, session.protocol);
        }
    }
}

fn now(now_ms: i64, started_ms: i64) -> Now {
    Now { monotonic_ms: (now_ms - started_ms).unsigned_abs(), unix_ms: now_ms, gateway_ms: now_ms }
}

fn surroundings(kinds: Kinds) -> Surroundings {
    let identity = Cluster {
        name: kinds.cluster.clone(),
        id: CLUSTER.into(),
        context: None,
        version: "v1.36.3".into(),
        namespaces: Vec::new(),
        kinds: kinds.digest.clone(),
        problem: None,
    };
    let cluster = KnownCluster { identity, kinds: Arc::new(kinds), reach: Reach::Reached(0) };
    Surroundings { clusters: vec![cluster], ..Surroundings::default() }
}

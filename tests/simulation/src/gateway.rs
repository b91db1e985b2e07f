//! One gateway of the product in one thread: its feeds' machines, its hubs, its sessions. Between them stand
//! only queues that are a little late, where the product has tokio's channels.

mod watched;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gateway::access::{Identity, Login, Rights};
use gateway::feed::machine::Capabilities;
use gateway::feed::{FeedKey, FeedOptions};
use gateway::hub::{
    Bounds, Directory, Elapsed, Encoded, Hub, HubAction, HubRequest, Open, SendPermit, SubscriberKey,
    SubscriptionRequest, ToSession,
};
use gateway::session::{Action, Close, Gateway as Surroundings, Now, Session};
use shared::frame::VERSION;
use shared::frame::client::SubscriptionId;
use shared::frame::server::{Cluster, Kinds, LoginMode, Viewer, Welcome};
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

/// What sessions ask of their gateway while an action is applied.
struct SessionHost {
    directory: RefCell<Directory<HubId>>,
    opened: RefCell<Vec<(FeedKey, HubId, Open<SessionId>)>>,
    next_hub: Cell<HubId>,
    kinds: Arc<Kinds>,
    credit_bytes: u64,
    now_ms: Cell<i64>,
    /// The session to which the action is applied.
    session: Cell<SessionId>,
}

impl Surroundings for SessionHost {
    type Hub = HubId;

    fn welcome(&self, viewer: Viewer) -> Welcome {
        let name = self.kinds.cluster.clone();
        Welcome {
            version: VERSION.into(),
            gateway: "simulation".into(),
            clusters: vec![Cluster {
                name,
                id: CLUSTER.into(),
                context: None,
                version: "v1.36.3".into(),
                namespaces: Vec::new(),
                kinds: self.kinds.digest.clone(),
                problem: None,
            }],
            viewer,
            pinned: Vec::new(),
            boards: Vec::new(),
            rules: "".into(),
            credit_bytes: self.credit_bytes,
            now_ms: self.now_ms.get(),
        }
    }

    fn kinds(&self) -> Arc<Kinds> {
        Arc::clone(&self.kinds)
    }

    fn spread_ms(&self) -> u32 {
        watched::SPREAD_MS
    }

    fn open(
        &self,
        feed: FeedKey,
        request: &Arc<SubscriptionRequest>,
        is_second: bool,
        permit: &SendPermit,
    ) -> Result<(SubscriberKey, HubId), Problem> {
        let mut directory = self.directory.borrow_mut();
        let known = directory.get(&feed).copied();
        let hub = known.unwrap_or_else(|| self.next_hub.replace(self.next_hub.get() + 1));
        directory.insert(feed.clone(), hub);
        let (key, fresh_view) = directory.next_ids();
        let (request, session) = (Arc::clone(request), self.session.get());
        let open = Open { key, request, fresh_view, is_second, session, permit: permit.clone() };
        self.opened.borrow_mut().push((feed, hub, open));
        Ok((key, hub))
    }
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
    host: SessionHost,
    requests: Delayed<(SessionId, HubId, HubRequest)>,
    messages: Delayed<(SessionId, ToSession)>,
    no_watch_list: Vec<Kind>,
    chance: Chance,
    defect: Option<Defect>,
    pub(crate) opened: Vec<Opened>,
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
pub(crate) struct Opened {
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
        let kinds = Kinds::new(cluster, KINDS.map(served).to_vec(), Vec::new());
        // Other view ids than those of other gateways, so that nothing fits by accident.
        let last_view = u32::try_from(first % 1_000).unwrap_or(0) * 1_000;
        Self {
            network,
            down_until_ms: None,
            stopped_until_ms: i64::MIN,
            watched: BTreeMap::new(),
            sessions: BTreeMap::new(),
            host: SessionHost {
                directory: RefCell::new(Directory::after_view(last_view)),
                opened: RefCell::default(),
                next_hub: Cell::new(1),
                kinds: Arc::new(kinds),
                credit_bytes: options.credit_bytes,
                now_ms: Cell::new(0),
                session: Cell::new(0),
            },
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
        self.host.now_ms.set(now_ms);
        let now = Now { monotonic_ms: 0, unix_ms: now_ms };
        let protocol = Session::with_credit((login(), &[]), &self.host, now, self.options.credit_bytes);
        let session = OpenSession { protocol, started_ms: now_ms, sent_bytes: 0, acknowledged_bytes: 0 };
        self.sessions.entry(id).or_insert(session);
    }

    /// How the connection is closed, if the action ends it.
    pub(crate) fn apply(&mut self, id: SessionId, action: Action<&str>, now_ms: i64) -> Option<Close> {
        let session = self.sessions.get_mut(&id)?;
        let now = Now { monotonic_ms: (now_ms - session.started_ms).unsigned_abs(), unix_ms: now_ms };
        if matches!(action, Action::Deadline) && session.protocol.deadline(now) > now.monotonic_ms {
            return None;
        }
        self.host.session.set(id);
        let effects = session.protocol.apply(action, &self.host, now);
        self.perform(id, effects.requests, now_ms);
        for (feed, hub, open) in self.host.opened.take() {
            self.open(feed, hub, open, now_ms);
        }
        effects.close
    }

    fn open(&mut self, feed: FeedKey, hub: HubId, mut open: Open<SessionId>, now_ms: i64) {
        if !self.watched.contains_key(&hub) {
            let watched = self.watch(feed, &open.request, now_ms);
            self.watched.insert(hub, watched);
        }
        let Some(watched) = self.watched.get_mut(&hub) else { return };
        let (session, id, key) = (open.session, open.request.id, open.key);
        watched.injector.opening(&mut open);
        watched.act(HubAction::Open(Box::new(open)), now_ms);
        self.opened.push(Opened { session, id, key, state: watched.memory.state });
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

    fn perform(&mut self, session: SessionId, requests: Vec<(HubId, HubRequest)>, now_ms: i64) {
        for (hub, request) in requests {
            let due_ms = now_ms + self.hop_ms();
            self.requests.push(due_ms, (session, hub, request));
        }
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
        while let Some((id, hub, request)) = self.requests.pop_due(now_ms) {
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
        let due_ms = now_ms + self.hop_ms();
        self.messages.push(due_ms, (session, message));
    }

    fn carry_messages(&mut self, now_ms: i64) {
        while let Some((id, message)) = self.messages.pop_due(now_ms) {
            self.apply(id, Action::Hub(message), now_ms);
        }
    }

    /// Ends the hubs that had no subscriber for a while.
    fn end_idle(&mut self, api: &mut ApiServer, now_ms: i64) {
        let directory = &mut *self.host.directory.borrow_mut();
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
            let requests = session.protocol.end();
            self.perform(id, requests, now_ms);
        }
    }
}

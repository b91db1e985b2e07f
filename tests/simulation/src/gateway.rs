//! One gateway: its feeds with the real hubs and their real owners, its sessions with the real
//! conversations, and nothing of tokio between them but queues that are a little late.

mod watched;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gateway::feed::machine::Capabilities;
use gateway::feed::{FeedCommand, FeedKey, FeedOptions};
use gateway::hub::{Bounds, Encoded, Hub, Identity, Opening};
use gateway::session::{Ask, Conversation, Elapsed, Hubs, Owner, Ticket, ToSession};
use shared::frame::server::Kinds;
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::resource::Kind;

use crate::apiserver::{ApiServer, Said};
use crate::chance::Chance;
use crate::defect::{Defect, Seam};
use crate::truth::{SORTS, Sort};
use crate::upstream::{Feed, Network};

pub(crate) use watched::{HubMemory, Sealed, Watched};

pub(crate) type HubId = usize;
pub(crate) type SessionId = u64;

pub(crate) struct Session {
    pub(crate) conversation: Conversation<HubId>,
    pub(crate) heard_ms: i64,
    pub(crate) started_ms: i64,
    pub(crate) sent_bytes: u64,
    pub(crate) acknowledged_bytes: u64,
}

/// What the conversations ask for while they are heard.
struct Desk {
    hubs: RefCell<HashMap<FeedKey, HubId>>,
    opened: RefCell<Vec<(FeedKey, HubId, Ticket, Opening)>>,
    next_hub: Cell<HubId>,
    next_ticket: Cell<Ticket>,
    next_view: Cell<u32>,
}

impl Hubs for Desk {
    type Hub = HubId;

    fn ticket(&self) -> Ticket {
        self.next_ticket.replace(self.next_ticket.get() + 1)
    }

    fn fresh_view(&self) -> u32 {
        self.next_view.replace(self.next_view.get() + 1)
    }

    fn open(&self, key: FeedKey, ticket: Ticket, opening: Opening) -> Result<HubId, Problem> {
        let known = self.hubs.borrow().get(&key).copied();
        let hub = known.unwrap_or_else(|| {
            let fresh = self.next_hub.replace(self.next_hub.get() + 1);
            self.hubs.borrow_mut().insert(key.clone(), fresh);
            fresh
        });
        self.opened.borrow_mut().push((key, hub, ticket, opening));
        Ok(hub)
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
    options: GatewayOptions,
    pub(crate) watched: BTreeMap<HubId, Watched>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    desk: Desk,
    kinds: Kinds,
    asks: VecDeque<(i64, SessionId, HubId, Ask)>,
    messages: VecDeque<(i64, SessionId, ToSession)>,
    no_watch_list: Vec<Sort>,
    chance: Chance,
    defect: Option<Defect>,
    pub(crate) pulled: Vec<Pulled>,
}

/// A delivery as it left its hub: what the oracle looks at.
pub(crate) struct Pulled {
    pub(crate) session: SessionId,
    pub(crate) ticket: Ticket,
    pub(crate) hub: HubId,
    pub(crate) messages: Vec<Arc<Encoded>>,
    pub(crate) sealed: Sealed,
}

/// A subscription, and how its hub stood when it began.
pub(crate) struct Opened {
    pub(crate) ticket: Ticket,
    pub(crate) graves: u64,
    pub(crate) gaps: u64,
}

pub(crate) const CLUSTER: &str = "kube-system-uid";

pub(crate) fn elapsed(now_ms: i64) -> Elapsed {
    Duration::from_millis(now_ms.unsigned_abs())
}

impl Gateway {
    pub(crate) fn new(
        network: Network,
        options: GatewayOptions,
        chance: Chance,
        first: u64,
        defect: Option<Defect>,
    ) -> Self {
        let kind = |sort: Sort| Kind {
            custom: sort == Sort::Widgets,
            ..Kind::new(sort.resource(), sort.kind(), true)
        };
        let cluster = ClusterName::parse("sim").expect("a name");
        Self {
            network,
            options,
            watched: BTreeMap::new(),
            sessions: BTreeMap::new(),
            desk: Desk {
                hubs: RefCell::default(),
                opened: RefCell::default(),
                next_hub: Cell::new(1),
                next_ticket: Cell::new(1),
                // Unlike those of other gateways, so that nothing fits by accident.
                next_view: Cell::new(1 + u32::try_from(first % 1_000).unwrap_or(0) * 1_000),
            },
            kinds: Kinds { cluster, kinds: SORTS.map(kind).to_vec(), problems: Vec::new() },
            asks: VecDeque::new(),
            messages: VecDeque::new(),
            no_watch_list: Vec::new(),
            chance,
            defect,
            pulled: Vec::new(),
        }
    }

    pub(crate) fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    pub(crate) fn options(&self) -> &GatewayOptions {
        &self.options
    }

    pub(crate) fn enter(&mut self, id: SessionId, now_ms: i64) -> &mut Session {
        let session = Session {
            conversation: Conversation::with_credit(0, self.options.credit_bytes),
            heard_ms: now_ms,
            started_ms: now_ms,
            sent_bytes: 0,
            acknowledged_bytes: 0,
        };
        self.sessions.entry(id).or_insert(session)
    }

    /// One frame of a client.
    /// Whether it ends the connection, and which subscriptions it opened.
    pub(crate) fn hear(&mut self, id: SessionId, text: &str, now_ms: i64) -> (Option<u16>, Vec<Opened>) {
        let Some(session) = self.sessions.get_mut(&id) else { return (None, Vec::new()) };
        session.heard_ms = now_ms;
        let since = (now_ms - session.started_ms).unsigned_abs();
        let todo = session.conversation.hear(text, &self.kinds, &self.desk, since);
        let close = todo.close;
        self.perform(id, todo.asks, now_ms);
        let opened: Vec<_> = self.desk.opened.borrow_mut().drain(..).collect();
        let mut tickets = Vec::new();
        for (key, hub, ticket, opening) in opened {
            self.open(id, key, hub, ticket, opening, now_ms);
            let memory = self.watched.get(&hub).map(|watched| &watched.memory);
            let Sealed { graves, gaps, .. } = memory.map_or_else(Sealed::default, |memory| memory.sealed);
            tickets.push(Opened { ticket, graves, gaps });
        }
        (close, tickets)
    }

    fn open(
        &mut self,
        session: SessionId,
        key: FeedKey,
        id: HubId,
        ticket: Ticket,
        mut opening: Opening,
        now_ms: i64,
    ) {
        if !self.watched.contains_key(&id) {
            let watched = self.watch(key, &opening, now_ms);
            self.watched.insert(id, watched);
        }
        let turn = self.sessions.get(&session).map(|open| open.conversation.turn()).unwrap_or_default();
        if let Some(watched) = self.watched.get_mut(&id) {
            if let Some(version) = watched.owner.hub().stands_at(&opening) {
                watched.feed.command(FeedCommand::StandsAt(version), now_ms);
            }
            watched.seam.opening(ticket, &mut opening);
            watched.owner.open(ticket, opening, session, turn);
            watched.seal();
        }
    }

    fn watch(&mut self, key: FeedKey, opening: &Opening, now_ms: i64) -> Watched {
        let sort = Sort::of(&key.resource);
        let capabilities = Capabilities {
            watch: true,
            watch_list: !self.no_watch_list.contains(&sort),
            custom: sort == Sort::Widgets,
        };
        let hub =
            Hub::with_bounds(Identity { cluster: CLUSTER.into() }, self.chance.next(), self.options.bounds);
        let chance = Chance::new(self.chance.next(), 1);
        Watched {
            sort,
            feed: Feed::new(
                key,
                capabilities,
                self.options.feed.clone(),
                hub.stands_at(opening),
                chance,
                now_ms,
            ),
            owner: Owner::new(hub, elapsed(now_ms)),
            memory: HubMemory::unproven(),
            seam: Seam::new(self.defect),
        }
    }

    fn perform(&mut self, session: SessionId, asks: Vec<(HubId, Ask)>, now_ms: i64) {
        for (hub, ask) in asks {
            let due_ms = now_ms + self.hop_ms();
            let due_ms = self.asks.back().map_or(due_ms, |(last_ms, ..)| due_ms.max(*last_ms));
            self.asks.push_back((due_ms, session, hub, ask));
        }
    }

    /// Mostly none.
    fn hop_ms(&mut self) -> i64 {
        if self.chance.percent(80) { 0 } else { self.chance.between(0, self.options.hop_ms) }
    }

    /// What the API server said on its streams.
    pub(crate) fn said(&mut self, said: &[Said], now_ms: i64) {
        for one in said {
            for watched in self.watched.values_mut() {
                if watched.feed.owns(one.stream) {
                    watched.feed.said(one, &self.network, now_ms);
                }
            }
        }
    }

    pub(crate) fn deadline_ms(&self) -> i64 {
        let of = |watched: &Watched| {
            let settle_ms = i64::try_from(watched.owner.deadline().as_millis()).unwrap_or(i64::MAX);
            settle_ms.min(watched.feed.deadline_ms(&self.network))
        };
        let feeds_ms = self.watched.values().map(of).min().unwrap_or(i64::MAX);
        let asks_ms = self.asks.front().map_or(i64::MAX, |(due_ms, ..)| *due_ms);
        let messages_ms = self.messages.front().map_or(i64::MAX, |(due_ms, ..)| *due_ms);
        feeds_ms.min(asks_ms).min(messages_ms).min(self.network.deadline_ms())
    }

    /// All that is due in feeds, hubs and between the tasks.
    pub(crate) fn step(&mut self, api: &mut ApiServer, now_ms: i64) {
        self.network.pass(now_ms);
        let Self { watched, network, no_watch_list, .. } = self;
        for watched in watched.values_mut() {
            watched.feed.step(api, network, now_ms);
            if watched.feed.remembers_no_watch_list && !no_watch_list.contains(&watched.sort) {
                no_watch_list.push(watched.sort);
            }
            watched.listen(api, now_ms);
        }
        self.carry_asks(api, now_ms);
        for hub in self.watched.keys().copied().collect::<Vec<_>>() {
            if let Some(watched) = self.watched.get_mut(&hub) {
                watched.settle(now_ms);
            }
            self.take_messages(hub, now_ms);
        }
        self.carry_messages(now_ms);
        self.end_idle(api, now_ms);
    }

    fn carry_asks(&mut self, api: &mut ApiServer, now_ms: i64) {
        while let Some((_, session, hub, ask)) = self.asks.pop_front_if(|(due_ms, ..)| *due_ms <= now_ms) {
            let Some(watched) = self.watched.get_mut(&hub) else {
                // As the rim does: a hub that ended said so to its readers.
                if let (Ask::Pull(ticket), Some(open)) = (ask, self.sessions.get_mut(&session)) {
                    let problem = Problem::bad_request("the watch has ended; subscribe anew");
                    let todo = open.conversation.take(ToSession::Ended(ticket, problem));
                    self.perform(session, todo.asks, now_ms);
                }
                continue;
            };
            match ask {
                Ask::Close(ticket) => watched.owner.close(ticket),
                Ask::Pull(ticket) => {
                    watched.owner.pull(ticket);
                    watched.seal();
                    self.take_messages(hub, now_ms);
                }
                Ask::Retry => {
                    let Self { watched, network, .. } = self;
                    if let Some(watched) = watched.get_mut(&hub) {
                        watched.feed.command(FeedCommand::Retry, now_ms);
                        watched.feed.step(api, network, now_ms);
                        watched.listen(api, now_ms);
                    }
                }
            }
        }
    }

    /// What a hub says, for the sessions; deliveries go through the seam, and to the oracle.
    fn take_messages(&mut self, hub: HubId, now_ms: i64) {
        let messages = self.watched.get_mut(&hub).map(Watched::messages).unwrap_or_default();
        for (session, mut message) in messages {
            if let (
                ToSession::Delivery(ticket, delivery) | ToSession::Pushed(ticket, delivery),
                Some(watched),
            ) = (&mut message, self.watched.get_mut(&hub))
            {
                watched.seam.delivery(*ticket, delivery);
                let messages = delivery.messages.clone();
                let sealed = watched.memory.sealed;
                self.pulled.push(Pulled { session, ticket: *ticket, hub, messages, sealed });
            }
            let due_ms = now_ms + self.hop_ms();
            let due_ms = self.messages.back().map_or(due_ms, |(last_ms, ..)| due_ms.max(*last_ms));
            self.messages.push_back((due_ms, session, message));
        }
    }

    fn carry_messages(&mut self, now_ms: i64) {
        while let Some((_, id, message)) = self.messages.pop_front_if(|(due_ms, ..)| *due_ms <= now_ms) {
            let Some(session) = self.sessions.get_mut(&id) else { continue };
            let todo = session.conversation.take(message);
            self.perform(id, todo.asks, now_ms);
        }
    }

    /// Feeds that nobody has looked at for a while.
    fn end_idle(&mut self, api: &mut ApiServer, now_ms: i64) {
        let now = elapsed(now_ms);
        let idle: Vec<HubId> = self
            .watched
            .iter()
            .filter(|(_, watched)| watched.owner.has_lingered(now))
            .map(|(id, _)| *id)
            .collect();
        for id in idle {
            self.desk.hubs.borrow_mut().retain(|_, hub| *hub != id);
            if let Some(mut watched) = self.watched.remove(&id) {
                watched.feed.cut(api, true, now_ms);
            }
        }
    }

    pub(crate) fn leave(&mut self, id: SessionId, now_ms: i64) {
        if let Some(mut session) = self.sessions.remove(&id) {
            let todo = session.conversation.end();
            self.perform(id, todo.asks, now_ms);
        }
    }

    /// After a message went out there may be credit for the next.
    pub(crate) fn written(&mut self, id: SessionId, now_ms: i64) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let mut todo = gateway::session::Todo::default();
        session.conversation.pull(&mut todo);
        self.perform(id, todo.asks, now_ms);
    }
}

//! A gateway without its tasks: two sessions, the hubs that they open, and a small cluster that
//! changes. The second client is compared with the outputs that the hubs were given.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gateway::access::{Identity, Login, Rights};
use gateway::feed::{Change, FeedOutput, Object, Proof};
use gateway::hub::{Directory, Encoded, Host, Hub, HubAction, HubRequest, Open, SubscriberKey, ToSession};
use gateway::session::{
    Action, Close, Effect, KnownCluster, Now as SessionNow, OpenRequest, Opened, Reach, Session, Surroundings,
};
use replica::client::{Client, Input, Output, SignIn, ViewKey};
use replica::now::Now;
use serde_json::json;
use shared::cell::Cell;
use shared::codec::{self, Message};
use shared::frame::client::ClientFrame;
use shared::frame::server::{Kinds, LoginMode, ServerFrame};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, UnixMillis, ViewState, Whom};

use crate::chance::Chance;

type SessionId = usize;
type HubId = usize;

pub const HOSTILE: SessionId = 0;
const NEIGHBOUR: SessionId = 1;
/// Small, so that a client that doesn't read uses it up.
const CREDIT_BYTES: u64 = 4_096;
const NAMES: [&str; 5] = ["cart-0", "cart-1", "cart-2", "cart-3", "cart-4"];
const SPREAD_MS: u32 = 500;

/// The gateway around the sessions.
struct Desk {
    directory: Directory<HubId>,
    hub_count: HubId,
    /// The answer to the next credential.
    login: Result<Login, Problem>,
}

pub fn login(name: &str) -> Login {
    Login {
        identity: Identity::new(name).expect("a name"),
        expires_ms: None,
        session: None,
        rights: Rights::OfGateway,
        mode: LoginMode::Local,
        provider: None,
    }
}

/// How the rig's hubs reach a session.
struct Rigged;

impl Host for Rigged {
    type Session = SessionId;
}

pub struct Rig {
    desk: Desk,
    hubs: BTreeMap<HubId, Hub<Rigged>>,
    sessions: [Session<HubId>; 2],
    neighbour: Client,
    table: ViewKey,
    pub hostile_reads: bool,
    received_bytes: u64,
    /// The version of each name's last change.
    truth: BTreeMap<&'static str, u64>,
    version: u64,
    now_ms: UnixMillis,
}

impl Rig {
    pub fn new() -> Self {
        let mut neighbour = Client::new("neighbour", SignIn::Connection);
        let now = Now { now_ms: 1_000_000, chance: 0.5 };
        let table = neighbour.open(scope(), now);
        let desk = Desk { directory: Directory::default(), hub_count: 0, login: Ok(login("alice")) };
        let sessions = [session(now.now_ms), session(now.now_ms)];
        let mut rig = Self {
            desk,
            hubs: BTreeMap::new(),
            sessions,
            neighbour,
            table,
            hostile_reads: true,
            received_bytes: 0,
            truth: NAMES.iter().zip(1..).map(|(name, version)| (*name, version)).collect(),
            version: 10,
            now_ms: now.now_ms,
        };
        for input in [Input::Start, Input::Opened] {
            rig.neighbour.handle(input, now);
        }
        rig.pump();
        rig
    }

    pub fn outbox_len(&self, session: SessionId) -> usize {
        self.sessions[session].outbox_len()
    }

    /// How the next credential is answered.
    pub fn set_login(&mut self, login: Result<Login, Problem>) {
        self.desk.login = login;
    }

    /// The problem with which the connection ends.
    pub fn hear(&mut self, session: SessionId, text: &str) -> Option<Close> {
        self.apply(session, Action::Text(text))
    }

    /// As the product's loop does: every answer comes at once, and then what the hubs say.
    fn apply(&mut self, session: SessionId, action: Action<&str, HubId>) -> Option<Close> {
        let now = SessionNow {
            monotonic_ms: self.now_ms.unsigned_abs(),
            unix_ms: self.now_ms,
            gateway_ms: self.now_ms,
        };
        let mut actions = VecDeque::from([action]);
        let mut requests = VecDeque::new();
        let mut close = None;
        loop {
            if let Some(action) = actions.pop_front() {
                let effects = self.sessions[session].apply(action, now);
                for effect in effects.effects {
                    actions.extend(self.perform(session, effect));
                }
                requests.extend(effects.requests);
                close = close.or(effects.close);
            } else if let Some((hub, request)) = requests.pop_front() {
                actions.extend(self.request(hub, request).map(|(_, message)| Action::Hub(message)));
            } else {
                return close;
            }
        }
    }

    fn perform(&mut self, session: SessionId, effect: Effect) -> Option<Action<&'static str, HubId>> {
        match effect {
            Effect::Count(answer) => Some(Action::Counted(answer, Ok(()))),
            Effect::NumberView(answer) => Some(Action::Numbered(answer, self.desk.directory.next_ids().1)),
            Effect::Open(open) => Some(self.open(session, open)),
            Effect::Challenge => Some(Action::Challenged(None)),
            Effect::Login(..) => Some(Action::Login(self.desk.login.clone())),
            Effect::Review(_) | Effect::Record(_) | Effect::RetryClusters | Effect::CountMismatch => None,
        }
    }

    fn open(&mut self, session: SessionId, asked: OpenRequest) -> Action<&'static str, HubId> {
        let (feed, is_second) = asked.choose(|_| false).expect("a feed");
        let Desk { directory, hub_count, .. } = &mut self.desk;
        let known = directory.get(&feed).copied();
        let number = known.unwrap_or(*hub_count);
        *hub_count += usize::from(known.is_none());
        directory.insert(feed.clone(), number);
        let (key, fresh_view) = directory.next_ids();
        let OpenRequest { answer, request, permit, .. } = asked;
        let open = Open { key, request, fresh_view, is_second, session, permit };
        let (now, now_ms, truth, version) = (self.elapsed(), self.now_ms, &self.truth, self.version);
        let hub = self.hubs.entry(number).or_insert_with(|| fresh_hub(now_ms, truth, version));
        hub.handle(HubAction::Open(Box::new(open)), now);
        Action::Opened(answer, Ok(Opened { key, hub: number, feed }))
    }

    fn request(&mut self, hub: HubId, request: HubRequest) -> Option<(SubscriberKey, ToSession)> {
        let now = self.elapsed();
        let hub = self.hubs.get_mut(&hub).expect("it was opened");
        hub.handle(HubAction::Request(request), now).to_session
    }

    /// The API server refuses lists for a moment.
    pub fn upstream_forbids(&mut self) {
        let forbidden = StateReport {
            problem: Some(Problem::new(Reason::Forbidden, "no")),
            ..StateReport::of(ViewState::Forbidden { to: Whom::You })
        };
        for report in [forbidden, StateReport::of(ViewState::Live)] {
            let now = self.elapsed();
            for hub in self.hubs.values_mut() {
                hub.handle(HubAction::Feed(FeedOutput::State(report.clone())), now);
            }
            self.pump();
        }
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.now_ms.unsigned_abs())
    }

    /// The client's connection is replaced by a new one.
    pub fn hostile_leaves(&mut self) {
        for (hub, request) in self.sessions[HOSTILE].end() {
            self.request(hub, request);
        }
        self.sessions[HOSTILE] = session(self.now_ms);
        self.received_bytes = 0;
    }

    /// An object changes.
    pub fn change(&mut self, chance: &mut Chance) {
        self.version += 1;
        let name = chance.pick(&NAMES);
        self.truth.insert(name, self.version);
        let now = self.elapsed();
        for hub in self.hubs.values_mut() {
            let change = Change::Put(object(name, self.version));
            hub.handle(HubAction::Feed(FeedOutput::Change(change)), now);
        }
    }

    /// Carries messages until there are none, after more than a tick.
    pub fn pump(&mut self) {
        self.now_ms += 200;
        for round in 0.. {
            assert!(round < 1_000, "it never comes to rest");
            let spoke = [self.hubs_speak(), self.neighbour_speaks(), self.hostile_is_read()];
            if !spoke.contains(&true) {
                return;
            }
        }
    }

    fn hubs_speak(&mut self) -> bool {
        let now = self.elapsed();
        let mut said = Vec::new();
        for hub in self.hubs.values_mut() {
            hub.set_clock(self.now_ms, SPREAD_MS);
            hub.handle(HubAction::Continue, now);
            hub.settle(now);
            while let Some((key, message)) = hub.next_message() {
                said.extend(hub.session(key).map(|session| (*session, message)));
            }
        }
        let spoke = !said.is_empty();
        for (session, message) in said {
            self.apply(session, Action::Hub(message));
        }
        spoke
    }

    fn neighbour_speaks(&mut self) -> bool {
        let now = Now { now_ms: self.now_ms, chance: 0.5 };
        let mut spoke = false;
        self.neighbour.handle(Input::Timer, now);
        while let Some(message) = self.sessions[NEIGHBOUR].next_message() {
            let bytes = message.bytes.len() as u64;
            self.neighbour.handle(Input::Frame { frame: Box::new(decoded(&message)), bytes }, now);
            self.apply(NEIGHBOUR, Action::Written);
            spoke = true;
        }
        while let Some(output) = self.neighbour.poll_output() {
            match output {
                Output::Send(ClientFrame::Hello(_)) => {}
                Output::Send(frame) => {
                    let text = serde_json::to_string(&frame).expect("json");
                    assert_eq!(self.hear(NEIGHBOUR, &text), None);
                    spoke = true;
                }
                Output::Problem(problem) => panic!("the neighbour was told {problem}"),
                Output::Ended(_) | Output::Close { .. } => panic!("the neighbour was disturbed"),
                _ => {}
            }
        }
        spoke
    }

    fn hostile_is_read(&mut self) -> bool {
        let mut spoke = false;
        while self.hostile_reads
            && let Some(message) = self.sessions[HOSTILE].next_message()
        {
            decoded(&message);
            self.received_bytes += message.bytes.len() as u64;
            let ack = json!({"ack": {"bytes": self.received_bytes}}).to_string();
            self.hear(HOSTILE, &ack);
            self.apply(HOSTILE, Action::Written);
            spoke = true;
        }
        spoke
    }

    pub fn expect_exact(&self) {
        let view = self.neighbour.view(self.table).expect("open");
        let held: BTreeMap<String, Vec<Cell>> =
            view.table().rows().map(|row| (row.name.to_string(), row.cells.clone())).collect();
        let truth = self.truth.iter().map(|(name, version)| ((*name).to_owned(), cells(name, *version)));
        assert_eq!(held, truth.collect());
    }

    /// The second client's subscription must be the only one left.
    pub fn expect_nothing_left(&self) {
        let subscribers: usize = self.hubs.values().map(Hub::subscriber_count).sum();
        assert_eq!(subscribers, 1);
    }
}

fn session(now_ms: UnixMillis) -> Session<HubId> {
    let now = SessionNow { monotonic_ms: now_ms.unsigned_abs(), unix_ms: now_ms, gateway_ms: now_ms };
    Session::with_credit((login("alice"), &[]), surroundings(), now, CREDIT_BYTES)
}

fn surroundings() -> Surroundings {
    let kinds = kinds();
    let cluster = json!({"name": "prod", "id": "c", "kinds": kinds.digest});
    let identity = serde_json::from_value(cluster).expect("a cluster");
    let cluster = KnownCluster { identity, kinds: Arc::new(kinds), reach: Reach::Reached(0) };
    Surroundings { clusters: vec![cluster], ..Surroundings::default() }
}

fn fresh_hub(now_ms: UnixMillis, truth: &BTreeMap<&'static str, u64>, version: u64) -> Hub<Rigged> {
    let mut hub = Hub::new("c", 7);
    let column = serde_json::from_value(json!({"name": "Name", "type": "string"})).expect("a column");
    let value = serde_json::from_value(json!({"name": "Value", "type": "integer"})).expect("a column");
    let mut changes = vec![Change::Columns(Arc::new([column, value])), Change::ListStart];
    changes.extend(truth.iter().map(|(name, version)| Change::Listed(object(name, *version))));
    changes.push(Change::ListEnd { resource_version: version.to_string().as_str().into(), gap: None });
    for change in changes {
        hub.apply(FeedOutput::Change(change));
    }
    hub.apply(FeedOutput::State(StateReport::of(ViewState::Live)));
    hub.apply(FeedOutput::Proof(Proof { at_ms: now_ms, cluster_ahead_ms: 0 }));
    hub
}

fn cells(name: &str, version: u64) -> Vec<Cell> {
    vec![Cell::text(name), Cell::Int(version.cast_signed())]
}

fn object(name: &'static str, version: u64) -> Object {
    let id = NAMES.iter().position(|known| *known == name).expect("known");
    let row = Row {
        id: RowId::from_hash((id as u64 + 1) << 4),
        resource_version: version.to_string().as_str().into(),
        namespace: Some("shop".into()),
        name: name.into(),
        created: Some(1),
        cells: cells(name, version),
        extra: None,
    };
    let body = json!({"metadata": {"name": name, "namespace": "shop"}, "value": version}).to_string();
    Object {
        row,
        labels: Arc::new([("app".into(), "cart".into())]),
        body: body.into(),
        managed: Default::default(),
        masks: Default::default(),
    }
}

fn decoded(message: &Encoded) -> ServerFrame {
    let message = if message.is_text {
        Message::Text(String::from_utf8(message.bytes.to_vec()).expect("text"))
    } else {
        Message::Binary(message.bytes.to_vec())
    };
    codec::decode_server(&message).expect("what a gateway says is a frame")
}

fn scope() -> Scope {
    let resource = Resource::parse("", "v1", "pods").expect("valid");
    Scope { cluster: None, resource, namespaces: Namespaces::All, name: None, labels: None, fields: None }
}

fn kinds() -> Kinds {
    let kind = |group: &str, plural: &str, namespaced| {
        Kind::new(Resource::parse(group, "v1", plural).expect("valid"), plural, namespaced)
    };
    let kinds = vec![kind("", "pods", true), kind("apps", "deployments", true), kind("", "nodes", false)];
    Kinds::new(ClusterName::parse("prod").expect("valid"), kinds, Vec::new())
}

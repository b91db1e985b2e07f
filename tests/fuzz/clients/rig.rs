//! A gateway without its tasks: two sessions, the hubs that they open, and a small cluster that
//! changes. The second client is compared with the outputs that the hubs were given.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gateway::access::Login;
use gateway::feed::labels::Labels;
use gateway::feed::{Change, FeedOutput, Object, Proof};
use gateway::hub::{Directory, Encoded, Host, Hub, HubAction};
use gateway::session::{Action, Close, Effects, OpenRequest, Session};
use replica::client::{Client, Input, Output, SignIn, ViewKey};
use replica::now::Now;
use serde_json::json;
use shared::cell::Cell;
use shared::codec::{self, Message};
use shared::frame::client::ClientFrame;
use shared::frame::server::{Kinds, ServerFrame};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, UnixMillis, ViewState, Whom};
use simulation::effects::{EffectHandler, HubId, Opening, SessionId, ToHub, login, now, surroundings};

use simulation::chance::Chance;

pub const HOSTILE: SessionId = 0;
const NEIGHBOUR: SessionId = 1;
const USER: &str = "alice";
const CLUSTER: &str = "c";
/// Nothing is late here.
const AT_ONCE_MS: i64 = 0;
/// Small, so that a client that doesn't read uses it up.
const CREDIT_BYTES: u64 = 4_096;
const NAMES: [&str; 5] = ["cart-0", "cart-1", "cart-2", "cart-3", "cart-4"];
const SPREAD_MS: u32 = 500;

/// How the rig's hubs reach a session.
struct Rigged;

impl Host for Rigged {
    type Session = SessionId;
}

pub struct ClientsRig {
    effects: EffectHandler,
    hubs: BTreeMap<HubId, Hub<Rigged>>,
    sessions: BTreeMap<SessionId, Session<HubId>>,
    neighbour: Client,
    table: ViewKey,
    pub hostile_reads: bool,
    received_bytes: u64,
    /// The version of each name's last change.
    truth: BTreeMap<&'static str, u64>,
    version: u64,
    now_ms: UnixMillis,
}

impl ClientsRig {
    pub fn new() -> Self {
        let mut neighbour = Client::new("neighbour", SignIn::Connection);
        let now = Now { now_ms: 1_000_000, chance: 0.5 };
        let table = neighbour.open(scope(), now);
        let mut rig = Self {
            effects: EffectHandler::new(Directory::default(), login(USER)),
            hubs: BTreeMap::new(),
            sessions: [HOSTILE, NEIGHBOUR].map(|id| (id, session(now.now_ms))).into(),
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
        self.sessions[&session].outbox_len()
    }

    /// How the next credential is answered.
    pub fn set_login(&mut self, login: Result<Login, Problem>) {
        self.effects.login = login;
    }

    /// The problem with which the connection ends.
    pub fn hear(&mut self, session: SessionId, text: &str) -> Option<Close> {
        self.apply(session, Action::Text(text))
    }

    /// Every answer comes at once, and then what the hubs say.
    fn apply(&mut self, session: SessionId, action: Action<&str, HubId>) -> Option<Close> {
        let mut close = self.act(session, action);
        loop {
            if let Some((session, answer)) = self.effects.next_answer(AT_ONCE_MS) {
                close = close.or(self.act(session, answer));
            } else if let Some((session, request)) = self.effects.next_request(AT_ONCE_MS) {
                self.request(session, request);
            } else {
                return close;
            }
        }
    }

    fn act(&mut self, id: SessionId, action: Action<&str, HubId>) -> Option<Close> {
        let session = self.sessions.get_mut(&id).expect("one of the two");
        let effects = session.apply(action, now(self.now_ms, 0));
        self.effects.perform(id, effects, AT_ONCE_MS, || 0)
    }

    fn request(&mut self, session: SessionId, request: ToHub) {
        let now = self.elapsed();
        match request {
            ToHub::Open { request, .. } => self.open(session, request),
            ToHub::Request(hub, request) => {
                let hub = self.hubs.get_mut(&hub).expect("it was opened");
                let answer = hub.handle(HubAction::Request(request), now).to_session;
                if let Some((_, message)) = answer {
                    self.effects.tell(session, Action::Hub(message), AT_ONCE_MS);
                }
            }
        }
    }

    fn open(&mut self, session: SessionId, asked: OpenRequest) {
        let Opening { hub, open, answer, .. } = self.effects.open(session, asked);
        let (now, now_ms, truth, version) = (self.elapsed(), self.now_ms, &self.truth, self.version);
        let hub = self.hubs.entry(hub).or_insert_with(|| fresh_hub(now_ms, truth, version));
        hub.handle(HubAction::Open(Box::new(open)), now);
        self.effects.tell(session, answer, AT_ONCE_MS);
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
        let former = self.sessions.insert(HOSTILE, session(self.now_ms));
        let requests = former.map(|mut former| former.end()).unwrap_or_default();
        self.effects.perform(HOSTILE, Effects { requests, ..Effects::default() }, AT_ONCE_MS, || 0);
        while let Some((session, request)) = self.effects.next_request(AT_ONCE_MS) {
            self.request(session, request);
        }
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
        while let Some(message) = self.next_message(NEIGHBOUR) {
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

    fn next_message(&mut self, session: SessionId) -> Option<Arc<Encoded>> {
        self.sessions.get_mut(&session).expect("one of the two").next_message()
    }

    fn hostile_is_read(&mut self) -> bool {
        let mut spoke = false;
        while self.hostile_reads
            && let Some(message) = self.next_message(HOSTILE)
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
    Session::with_credit((login(USER), &[]), surroundings(kinds(), CLUSTER), now(now_ms, 0), CREDIT_BYTES)
}

fn fresh_hub(now_ms: UnixMillis, truth: &BTreeMap<&'static str, u64>, version: u64) -> Hub<Rigged> {
    let mut hub = Hub::new(CLUSTER, 7);
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
        labels: Labels::pack([("app", "cart")].into_iter()),
        body: body.into(),
        managed: Default::default(),
        masks: Default::default(),
        verdict: None,
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

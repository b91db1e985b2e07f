//! A gateway's inside without its tasks: two sessions, the hubs that they open, and a small cluster that
//! changes. What the hubs were told is the truth that the neighbour is measured by.

use std::cell::{Cell as Slot, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gateway::feed::{Change, FeedKey, FeedOutput, Object, Proof};
use gateway::hub::{Encoded, Hub, Identity, Opening};
use gateway::session::{Ask, Conversation, Hubs, Owner, Ticket, Todo};
use replica::client::{Client, Input, Output, ViewKey};
use replica::now::Now;
use serde_json::json;
use shared::cell::Cell;
use shared::codec::{self, Message};
use shared::frame::client::ClientFrame;
use shared::frame::server::{Kinds, ServerFrame};
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, UnixMillis, ViewState};

use crate::chance::Chance;

type SessionId = usize;
type HubId = usize;

pub const HOSTILE: SessionId = 0;
const NEIGHBOUR: SessionId = 1;
/// Small, so that a client that doesn't read reaches its end.
const CREDIT_BYTES: u64 = 4_096;
const NAMES: [&str; 5] = ["cart-0", "cart-1", "cart-2", "cart-3", "cart-4"];

/// What the conversations ask for while they are heard.
#[derive(Default)]
struct Desk {
    hubs: RefCell<Vec<FeedKey>>,
    opened: RefCell<Vec<(HubId, Ticket, Opening)>>,
    last: Slot<u32>,
}

impl Desk {
    fn number(&self) -> u32 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }
}

impl Hubs for Desk {
    type Hub = HubId;

    fn ticket(&self) -> Ticket {
        self.number().into()
    }

    fn fresh_view(&self) -> u32 {
        self.number()
    }

    fn open(&self, key: FeedKey, ticket: Ticket, opening: Opening) -> Result<HubId, Problem> {
        let mut hubs = self.hubs.borrow_mut();
        let hub = hubs.iter().position(|known| *known == key).unwrap_or_else(|| {
            hubs.push(key);
            hubs.len() - 1
        });
        self.opened.borrow_mut().push((hub, ticket, opening));
        Ok(hub)
    }
}

pub struct House {
    desk: Desk,
    kinds: Kinds,
    owners: BTreeMap<HubId, Owner<SessionId>>,
    conversations: [Conversation<HubId>; 2],
    neighbour: Client,
    neighbours_id: u32,
    table: ViewKey,
    pub hostile_reads: bool,
    received_bytes: u64,
    /// The version of each name's last change.
    truth: BTreeMap<&'static str, u64>,
    version: u64,
    now_ms: UnixMillis,
}

impl House {
    pub fn new() -> Self {
        let mut neighbour = Client::new("neighbour", None);
        let now = Now { now_ms: 1_000_000, chance: 0.5 };
        let table = neighbour.open(scope(), now);
        let conversation = || Conversation::with_credit(0, CREDIT_BYTES);
        let mut house = Self {
            desk: Desk::default(),
            kinds: kinds(),
            owners: BTreeMap::new(),
            conversations: [conversation(), conversation()],
            neighbour,
            neighbours_id: 0,
            table,
            hostile_reads: true,
            received_bytes: 0,
            truth: NAMES.iter().zip(1..).map(|(name, version)| (*name, version)).collect(),
            version: 10,
            now_ms: now.now_ms,
        };
        for input in [Input::Start, Input::Opened, frame(&welcome())] {
            house.neighbour.handle(input, now);
        }
        house.pump();
        house
    }

    pub fn outbox_len(&self, session: SessionId) -> usize {
        self.conversations[session].outbox_len()
    }

    /// With which code the connection ends, and whether somebody says who it is now.
    pub fn hear(&mut self, session: SessionId, text: &str) -> (Option<u16>, bool) {
        let since_ms = self.now_ms.unsigned_abs();
        let todo = self.conversations[session].hear(text, &self.kinds, &self.desk, since_ms);
        let answer = (todo.close, todo.auth.is_some());
        self.perform(session, todo);
        answer
    }

    pub fn authenticated(&mut self, now: Result<(Box<str>, Option<UnixMillis>), Problem>) -> Option<u16> {
        let todo = self.conversations[HOSTILE].authenticated("alice", now);
        let code = todo.close;
        self.perform(HOSTILE, todo);
        code
    }

    /// The rights of a subscription become others.
    pub fn grant(&mut self, session: SessionId, id: u32, namespace: &str) {
        let namespaces = namespaces(namespace);
        let todo = self.conversations[session].grant(id, namespaces, &self.desk);
        self.perform(session, todo);
    }

    /// The neighbour loses what it looks at, is told so, and gets it back.
    pub fn neighbour_loses_sight(&mut self) {
        self.grant(NEIGHBOUR, self.neighbours_id, "elsewhere");
        self.pump();
        let view = self.neighbour.view(self.table).expect("open");
        assert!(view.table().is_empty(), "rows of a namespace that it may not see");
        assert_eq!(view.subscription().granted(), Some(&namespaces("elsewhere")));
        self.grant(NEIGHBOUR, self.neighbours_id, "shop");
        self.pump();
        assert_eq!(self.neighbour.view(self.table).expect("open").subscription().mends().broken, 0);
    }

    /// The last of what waits for the hostile client.
    pub fn last_words(&mut self) -> Option<ServerFrame> {
        let mut last = None;
        while let Some(message) = self.conversations[HOSTILE].next_message() {
            last = Some(decoded(&message));
        }
        last
    }

    /// And another takes its place.
    pub fn hostile_leaves(&mut self) {
        let todo = self.conversations[HOSTILE].end();
        self.perform(HOSTILE, todo);
        self.conversations[HOSTILE] = Conversation::with_credit(0, CREDIT_BYTES);
        self.received_bytes = 0;
    }

    /// An object changes.
    pub fn change(&mut self, chance: &mut Chance) {
        self.version += 1;
        let name = chance.pick(&NAMES);
        self.truth.insert(name, self.version);
        let now = Duration::from_millis(self.now_ms.unsigned_abs());
        for owner in self.owners.values_mut() {
            owner.take(FeedOutput::Change(Change::Put(object(name, self.version))), now);
        }
    }

    /// Until nobody has anything to say, in time that goes on by more than a tick.
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
        let now = Duration::from_millis(self.now_ms.unsigned_abs());
        let mut said = Vec::new();
        for owner in self.owners.values_mut() {
            owner.set_clock(self.now_ms, 500);
            owner.settle(now);
            while let Some((ticket, message)) = owner.next_message() {
                said.extend(owner.session(ticket).map(|session| (*session, message)));
            }
        }
        let spoke = !said.is_empty();
        for (session, message) in said {
            let todo = self.conversations[session].take(message);
            self.perform(session, todo);
        }
        spoke
    }

    fn neighbour_speaks(&mut self) -> bool {
        let now = Now { now_ms: self.now_ms, chance: 0.5 };
        let mut spoke = false;
        self.neighbour.handle(Input::Timer, now);
        while let Some(message) = self.conversations[NEIGHBOUR].next_message() {
            let bytes = message.bytes.len() as u64;
            self.neighbour.handle(Input::Frame { frame: Box::new(decoded(&message)), bytes }, now);
            self.written(NEIGHBOUR);
            spoke = true;
        }
        while let Some(output) = self.neighbour.poll_output() {
            match output {
                Output::Send(ClientFrame::Hello(_)) => {}
                Output::Send(frame) => {
                    if let ClientFrame::Subscribe(subscribe) = &frame {
                        self.neighbours_id = subscribe.id;
                    }
                    let text = serde_json::to_string(&frame).expect("json");
                    assert_eq!(self.hear(NEIGHBOUR, &text), (None, false));
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
            && let Some(message) = self.conversations[HOSTILE].next_message()
        {
            decoded(&message);
            self.received_bytes += message.bytes.len() as u64;
            let ack = json!({"ack": {"bytes": self.received_bytes}}).to_string();
            self.hear(HOSTILE, &ack);
            self.written(HOSTILE);
            spoke = true;
        }
        spoke
    }

    fn written(&mut self, session: SessionId) {
        let mut todo = Todo::default();
        self.conversations[session].pull(&mut todo);
        self.perform(session, todo);
    }

    fn perform(&mut self, session: SessionId, mut todo: Todo<HubId>) {
        for ticket in std::mem::take(&mut todo.narrow) {
            let narrowed = self.conversations[session].narrow(ticket, &self.desk);
            todo.asks.extend(narrowed.asks);
        }
        let opened: Vec<_> = self.desk.opened.borrow_mut().drain(..).collect();
        for (hub, ticket, opening) in opened {
            let (now_ms, truth, version) = (self.now_ms, &self.truth, self.version);
            let owner = self.owners.entry(hub).or_insert_with(|| fresh_owner(now_ms, truth, version));
            owner.open(ticket, opening, session, self.conversations[session].turn());
        }
        for (hub, ask) in todo.asks {
            let owner = self.owners.get_mut(&hub).expect("it was opened");
            match ask {
                Ask::Close(ticket) => owner.close(ticket),
                Ask::Pull(ticket) => owner.pull(ticket),
                Ask::Retry => {}
            }
        }
    }

    pub fn expect_exact(&self) {
        let view = self.neighbour.view(self.table).expect("open");
        let held: BTreeMap<String, Vec<Cell>> =
            view.table().rows().map(|row| (row.name.to_string(), row.cells.clone())).collect();
        let truth = self.truth.iter().map(|(name, version)| ((*name).to_owned(), cells(name, *version)));
        assert_eq!(held, truth.collect());
    }

    /// The neighbour's subscription is the only one.
    pub fn expect_nothing_left(&self) {
        let readers: usize = self.owners.values().map(Owner::reader_count).sum();
        assert_eq!(readers, 1);
    }
}

fn fresh_owner(now_ms: UnixMillis, truth: &BTreeMap<&'static str, u64>, version: u64) -> Owner<SessionId> {
    let now = Duration::from_millis(now_ms.unsigned_abs());
    let mut owner = Owner::new(Hub::new(Identity { cluster: "c".into() }, 7), now);
    let column = serde_json::from_value(json!({"name": "Name", "type": "string"})).expect("a column");
    let value = serde_json::from_value(json!({"name": "Value", "type": "integer"})).expect("a column");
    let mut changes = vec![Change::Columns(Arc::new([column, value])), Change::ListStart];
    changes.extend(truth.iter().map(|(name, version)| Change::Listed(object(name, *version))));
    changes.push(Change::ListEnd { resource_version: version.to_string().as_str().into(), gap: None });
    for change in changes {
        owner.take(FeedOutput::Change(change), now);
    }
    owner.take(FeedOutput::State(StateReport::of(ViewState::Live)), now);
    owner.take(FeedOutput::Proof(Proof { at_ms: now_ms, cluster_ahead_ms: 0 }), now);
    owner
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

fn frame(text: &str) -> Input {
    Input::Frame { frame: Box::new(serde_json::from_str(text).expect("a frame")), bytes: 0 }
}

fn welcome() -> String {
    json!({"welcome": {"version": "dogwatch.v1", "gateway": "0", "cluster": {"name": "prod", "id": "c"},
        "user": "alice", "credit_bytes": CREDIT_BYTES, "now_ms": 1_000_000}})
    .to_string()
}

fn namespaces(name: &str) -> Namespaces {
    serde_json::from_value(json!([name])).expect("valid")
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
    Kinds { cluster: ClusterName::parse("prod").expect("valid"), kinds, problems: Vec::new() }
}

//! Random frames of a gateway for the real replica: of its views, at its positions and at wrong
//! ones, spoiled and out of order, over connections that open and close. Whatever came, after a fresh
//! and correct answer it holds exactly the rows of that answer.

use page::messages::Zone;
use page::notice;
use page::query::ReaderId;
use page::table_view::Client;
use replica::client::{Input, Output, SignIn, ViewKey};
use replica::connection::Link;
use replica::freshness;
use replica::now::Now;
use replica::object::Existence;
use serde_json::{Value, json};
use shared::codec::{self, Message};
use shared::digest;
use shared::frame::client::{ClientFrame, Projection, Subscribe};
use shared::frame::close;
use shared::frame::server::ServerFrame;
use shared::name::ObjectName;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};

use crate::{corpus, mutate};
use simulation::chance::Chance;

const STEPS: usize = 60;
/// A view that isn't current asks again every 10 s at most, and each input can end a link once.
const OUTPUTS_MAX: usize = 40;

pub fn run(chance: &mut Chance) {
    let corpus = corpus::of_gateways();
    let mut rig = GatewaysRig::new();
    rig.meet();
    for _ in 0..STEPS {
        if chance.percent(12) {
            let input = event(chance);
            rig.now_ms += i64::try_from(chance.index(20_000)).unwrap_or_default();
            rig.hand(input);
        } else {
            let frame = if chance.percent(20) { rows(chance) } else { chance.pick(&corpus).to_owned() };
            let frame = fitted(chance, &rig, &frame);
            let frame = if chance.percent(50) { frame } else { mutate::mutated(chance, &frame, &corpus) };
            rig.hear(&message(chance, frame));
        }
        if chance.percent(50) {
            rig.answer();
        }
        rig.print();
    }
    rig.recover();
}

/// What happens besides frames.
fn event(chance: &mut Chance) -> Input {
    let codes = [None, Some(1006), Some(close::SERVICE_RESTART), Some(close::BAD_FRAME), Some(close::SILENT)];
    match chance.index(9) {
        0 => Input::Closed { code: chance.pick(&codes) },
        1 => Input::Closed { code: Some(close::UNAUTHORIZED) },
        2 => Input::Hidden,
        3 => Input::Visible,
        4 => Input::Online,
        5 => Input::Retry,
        6 => Input::SignIn(SignIn::Connection),
        7 => Input::Opened,
        _ => Input::Timer,
    }
}

/// Rows that come, change and go, of a table of two columns.
fn rows(chance: &mut Chance) -> String {
    let ids = ["AAAAAAAAAB", "AAAAAAAAAC", "AAAAAAAAAD", "AAAAAAAAAE"];
    let mut what = json!({});
    if chance.percent(60) {
        what["put"] = json!({"ids": chance.pick(&ids), "versions": ["8"], "namespaces": ["shop"],
            "names": ["cart-0"], "created": [1], "cells": ["name", [chance.pick(&ids)]]});
    }
    if chance.percent(40) {
        what["set"] = json!([[chance.pick(&ids), {"1": {"text": "3", "at": 5}}]]);
    }
    if chance.percent(20) {
        what["delete"] = json!([chance.pick(&ids)]);
    }
    if chance.percent(30) {
        what[chance.pick(&["more", "reset"])] = json!(true);
    }
    json!({"rows": [ROWS, 0, 1 + chance.index(3), "9", what]}).to_string()
}

/// A frame of one of the client's own views, mostly where that view stands.
fn fitted(chance: &mut Chance, rig: &GatewaysRig, frame: &str) -> String {
    let Ok(mut frame) = serde_json::from_str::<Value>(frame) else { return frame.to_owned() };
    if chance.percent(10) {
        return frame.to_string();
    }
    let asked: Vec<&Subscribe> = rig.asked.iter().collect();
    let id = if asked.is_empty() { 1 } else { chance.pick(&asked).id };
    let view = chance.pick(&VIEWS);
    let position = rig.client.view(rig.rows).and_then(|view| view.table().position());
    let at = position.filter(|_| chance.percent(80)).unwrap_or_else(|| chance.index(2_000) as u64);
    let Some((kind, body)) = frame.as_object_mut().and_then(|frame| frame.iter_mut().next()) else {
        return frame.to_string();
    };
    match kind.as_str() {
        "rows" => {
            body[0] = json!(ROWS);
            let length =
                body[2].as_u64().unwrap_or_default().saturating_sub(body[1].as_u64().unwrap_or_default());
            (body[1], body[2]) = (json!(at), json!(at.saturating_add(length)));
        }
        _ => {
            for (field, value) in
                [("id", json!(id)), ("view", json!(view)), ("at", json!(at)), ("from", json!(at))]
            {
                if body.get(field).is_some() {
                    body[field] = value;
                }
            }
        }
    }
    frame.to_string()
}

fn message(chance: &mut Chance, text: String) -> Message {
    match codec::pack(text) {
        Message::Binary(mut bytes) if chance.percent(20) => {
            let place = chance.index(bytes.len());
            match chance.index(3) {
                0 => bytes.truncate(place),
                1 => bytes[place] ^= 1 << chance.index(8),
                _ => bytes.extend_from_within(place..),
            }
            Message::Binary(bytes)
        }
        Message::Text(text) if chance.percent(5) => Message::Binary(text.into_bytes()),
        message => message,
    }
}

const ROWS: u32 = 11;
const OBJECT: u32 = 12;
const TIMELINE: u32 = 13;
const VIEWS: [u32; 3] = [ROWS, OBJECT, TIMELINE];

struct GatewaysRig {
    client: Client,
    rows: ViewKey,
    object: ViewKey,
    now_ms: i64,
    /// The requests of this connection without an answer.
    asked: Vec<Subscribe>,
    /// It wants a socket.
    dials: bool,
    /// The object was opened on this connection.
    has_object: bool,
    acknowledged_bytes: u64,
}

impl GatewaysRig {
    fn new() -> Self {
        let mut client = Client::new("fuzz", SignIn::Connection);
        let now = Now { now_ms: 1_763_690_000_000, chance: 0.5 };
        let rows = client.open(scope(None), now);
        let object = client.open_object(scope(Some("cart-0")), None, now);
        client.open_timeline(scope(None), None, now);
        let mut rig = Self {
            client,
            rows,
            object,
            now_ms: now.now_ms,
            asked: Vec::new(),
            dials: false,
            has_object: false,
            acknowledged_bytes: 0,
        };
        rig.hand(Input::Start);
        rig
    }

    fn hand(&mut self, input: Input) {
        self.client.handle(input, Now { now_ms: self.now_ms, chance: 0.5 });
        for count in 0.. {
            assert!(count < OUTPUTS_MAX, "there is no end of what it wants");
            match self.client.poll_output() {
                Some(Output::Connect) => {
                    self.dials = true;
                    self.asked.clear();
                    (self.has_object, self.acknowledged_bytes) = (false, 0);
                }
                Some(Output::Send(ClientFrame::Subscribe(subscribe))) => self.asked.push(*subscribe),
                Some(Output::Send(ClientFrame::Ack(ack))) => {
                    assert!(ack.bytes > self.acknowledged_bytes, "the credit would never come back");
                    self.acknowledged_bytes = ack.bytes;
                }
                Some(_) => {}
                None => return,
            }
        }
    }

    fn hear(&mut self, message: &Message) {
        let bytes = message.byte_count() as u64;
        self.hand(match codec::decode_server(message) {
            Ok(frame) => Input::Frame { frame: Box::new(frame), bytes },
            Err(_) => Input::Unreadable { bytes },
        });
    }

    fn say(&mut self, frame: &Value) {
        let frame: ServerFrame = serde_json::from_value(frame.clone()).expect("a frame");
        self.hand(Input::Frame { frame: Box::new(frame), bytes: 100 });
    }

    /// Opens a correct connection, if the client wants one.
    fn meet(&mut self) {
        if std::mem::take(&mut self.dials) {
            self.hand(Input::Opened);
            self.say(&json!({"welcome": {"version": "dogwatch.v2", "gateway": "0",
                "clusters": [{"name": "prod", "id": "c", "kinds": "k"}],
                "viewer": {"user": "alice", "mode": "local", "rights": "gateway"}, "credit_bytes": 524_288,
                "now_ms": self.now_ms}}));
        }
    }

    /// Answers each subscription correctly.
    fn answer(&mut self) {
        self.meet();
        for asked in std::mem::take(&mut self.asked) {
            self.has_object |= asked.projection == Projection::Object;
            let (view, columns) = match asked.projection {
                Projection::Rows => (ROWS, json!([{"name": "Name", "type": "string", "format": "name"}])),
                Projection::Object => (OBJECT, json!([])),
                Projection::Timeline => (TIMELINE, json!([])),
            };
            self.say(&json!({"subscribed": {"id": asked.id, "view": view, "scope": asked.scope,
                "projection": asked.projection, "cluster": "c", "columns_hash": "fresh", "epoch": "fresh",
                "columns": columns, "state": {"state": "live"}}}));
        }
    }

    /// All that a page would show of it.
    fn print(&self) {
        let zone = Zone::default();
        let view = self.client.view(self.rows).expect("open");
        let freshness = freshness::of(&self.client, view, self.now_ms);
        drop(page::pill::pill(&freshness, "pods", self.now_ms, zone));
        let (client, freshness, now_ms, reader) = (&self.client, &freshness, self.now_ms, ReaderId::FIRST);
        let shown = notice::ReaderView::new(client, (view, reader), freshness, (now_ms, zone));
        drop((shown.line(), shown.body()));
        drop(notice::bar(&self.client, self.now_ms, zone));
        let now_s = view.cluster_now_s(self.now_ms, freshness.stale_ms());
        for row in view.table().rows() {
            row.cells.iter().for_each(|cell| drop(cell.print(now_s)));
        }
    }

    /// From a new connection on, every frame is correct.
    fn recover(&mut self) {
        self.hand(Input::Visible);
        self.hand(Input::Closed { code: None });
        if matches!(self.client.connection().link(), Link::OtherVersion { .. }) {
            // The client says so, and only a reload helps.
            return;
        }
        self.hand(Input::SignIn(SignIn::Connection));
        self.hand(Input::Retry);
        for tries in 0.. {
            assert!(tries < 100, "it never asks: {:?}", self.client.connection().link());
            self.answer();
            if self.is_answered() {
                break;
            }
            self.now_ms = self.client.timer_ms().unwrap_or(self.now_ms).max(self.now_ms + 1);
            self.hand(Input::Timer);
            self.hand(Input::Retry);
        }
        self.expect_rows();
        self.expect_object();
    }

    fn is_answered(&self) -> bool {
        let rows = self.client.view(self.rows).expect("open");
        rows.table().position() == Some(0) && self.has_object
    }

    fn expect_rows(&mut self) {
        let frame = json!({"rows": [ROWS, 0, 9, "9", {"put": {
            "ids": "AAAAAAAAABAAAAAAAAAC", "versions": ["8", "9"], "namespaces": ["shop", "shop"],
            "names": ["cart-0", "cart-1"], "created": [1, 2], "cells": ["name"]}, "reset": true}]});
        let Ok(ServerFrame::Rows(sent)) = serde_json::from_value(frame.clone()) else { panic!("{frame}") };
        let digest = sent.put.iter().fold(0, |sum: u64, row| sum.wrapping_add(digest::row_hash(row)));
        self.say(&frame);
        self.say(&json!({"sync": {"view": ROWS, "at": 9, "resource_version": "9", "proof_ms": self.now_ms,
            "now_ms": self.now_ms, "cluster_now_ms": self.now_ms, "spread_ms": 500,
            "digest": digest::to_text(digest)}}));
        let table = self.client.view(self.rows).expect("open").table();
        let mut names: Vec<&str> = table.rows().map(|row| &*row.name).collect();
        names.sort_unstable();
        assert_eq!(names, ["cart-0", "cart-1"]);
        assert_eq!((table.position(), table.agrees(9, &digest::to_text(digest))), (Some(9), Some(true)));
    }

    fn expect_object(&mut self) {
        self.say(&json!({"object": {"view": OBJECT, "from": 0, "to": 9, "resource_version": "9",
            "row": "AAAAAAAAAB", "object": {"kind": "Pod"}, "reset": true}}));
        let object = self.client.object(self.object).expect("open");
        assert_eq!(object.value.as_deref(), Some(&json!({"kind": "Pod"})));
        assert_eq!(object.existence, Existence::Exists);
    }
}

fn scope(name: Option<&str>) -> Scope {
    Scope {
        cluster: None,
        resource: Resource::parse("", "v1", "pods").expect("valid"),
        namespaces: serde_json::from_value::<Namespaces>(json!(["shop"])).expect("valid"),
        name: name.map(|name| ObjectName::parse(name).expect("valid")),
        labels: None,
        fields: None,
    }
}

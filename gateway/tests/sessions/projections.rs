//! One object, once and for as long as somebody looks, and the log of what happens: through real
//! sessions, hubs and feeds over the playground.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::over_channels::{Gateway, Line};
use axum::extract::ws::Message;
use gateway::access::Peer;
use playground::Options;
use serde_json::{Value, json};
use shared::codec;
use shared::frame::server::{ObjectFrame, ServerFrame};
use shared::frame::timeline::{Area, Entry, EntryType};
use shared::patch;
use shared::problem::Reason;

struct Reader {
    line: Line,
    received: usize,
}

fn config_maps() -> Value {
    json!({"group": "", "version": "v1", "resource": "configmaps"})
}

fn config_map(name: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "cart"}},
        "data": {"colour": value, "long": "x".repeat(2_000)},
    })
}

fn paint(gateway: &Gateway, name: &str, colour: &str) {
    let patch = json!({"data": {"colour": colour}});
    gateway.playground.patch("configmaps", "shop", name, patch).expect("patched");
}

impl Reader {
    async fn greeted(gateway: &Gateway) -> Self {
        let mut reader = Self { line: gateway.connect(Peer::SameUser), received: 0 };
        reader.say(&json!({"hello": {"version": "dogwatch.v1"}}));
        assert!(matches!(reader.next().await, ServerFrame::Welcome(_)));
        reader
    }

    fn say(&self, frame: &Value) {
        self.line.to.send(Message::text(frame.to_string())).expect("the session lives");
    }

    async fn next(&mut self) -> ServerFrame {
        let message = match self.line.from.recv().await.expect("the session lives") {
            Message::Text(text) => codec::Message::Text(text.as_str().to_owned()),
            Message::Binary(bytes) => codec::Message::Binary(bytes.to_vec()),
            other => panic!("{other:?}"),
        };
        self.received += message.byte_count();
        self.say(&json!({"ack": {"bytes": self.received}}));
        codec::decode_server(&message).expect("a frame")
    }

    async fn object(&mut self) -> ObjectFrame {
        loop {
            match self.next().await {
                ServerFrame::Object(frame) => return *frame,
                ServerFrame::Problem(frame) => panic!("{}", frame.problem),
                _ => {}
            }
        }
    }

    async fn problem(&mut self) -> (Option<u32>, Reason, String) {
        loop {
            if let ServerFrame::Problem(frame) = self.next().await {
                return (frame.id, frame.problem.reason, frame.problem.message);
            }
        }
    }

    async fn proven(&mut self) {
        while !matches!(self.next().await, ServerFrame::Sync(_)) {}
    }

    async fn entries(&mut self, count: usize) -> Vec<Entry> {
        let mut entries = Vec::new();
        while entries.len() < count {
            if let ServerFrame::Timeline(frame) = self.next().await {
                entries.extend(frame.entries.into_iter().filter(|entry| entry.kind != EntryType::Bookmark));
            }
        }
        entries
    }
}

async fn gateway_with(objects: &[(&str, &str)]) -> Gateway {
    let gateway = Gateway::start(Options::quiet()).await;
    for (name, value) in objects {
        gateway.playground.create(config_map(name, value)).expect("created");
    }
    gateway
}

#[tokio::test]
async fn one_object_comes_whole_and_then_as_what_changed_of_it() {
    let gateway = gateway_with(&[("one", "red"), ("two", "blue")]).await;
    let mut reader = Reader::greeted(&gateway).await;
    let scope = json!({"resource": config_maps(), "namespaces": ["shop"], "name": "one"});
    reader.say(&json!({"subscribe": {"id": 1, "scope": scope, "projection": "object"}}));
    let first = reader.object().await;
    let whole = first.object.expect("whole");
    assert_eq!(whole.pointer("/data/colour"), Some(&json!("red")));
    assert_eq!(whole.pointer("/metadata/managedFields"), None);
    reader.proven().await;
    paint(&gateway, "one", "green");
    let second = reader.object().await;
    assert_eq!((second.from, &second.object), (first.to, &None), "what changed alone");
    let patched = patch::apply(&whole, &second.patch).expect("it fits");
    assert_eq!(patched.pointer("/data/colour"), Some(&json!("green")));
    gateway.playground.delete("configmaps", "shop", "one").expect("deleted");
    let third = reader.object().await;
    assert!(third.deleted && third.from == second.to);
    gateway.playground.create(config_map("one", "again")).expect("created");
    assert!(reader.object().await.object.is_some(), "another one of that name comes whole");
}

#[tokio::test]
async fn a_row_of_a_table_is_shown_whole_without_a_watch_of_its_own() {
    let gateway = gateway_with(&[("one", "red"), ("two", "blue")]).await;
    let mut reader = Reader::greeted(&gateway).await;
    reader.say(&json!({"subscribe": {"id": 1, "scope": {"resource": config_maps()}}}));
    let row = loop {
        if let ServerFrame::Rows(rows) = reader.next().await
            && let Some(row) = rows.put.iter().find(|row| &*row.name == "two")
        {
            break row.id;
        }
    };
    reader.say(&json!({"subscribe": {"id": 2, "scope": {"resource": config_maps()}, "projection": "object", "row": row}}));
    let object = reader.object().await;
    assert_eq!(object.row, Some(row));
    assert_eq!(
        object.object.as_ref().and_then(|object| object.pointer("/data/colour")),
        Some(&json!("blue"))
    );
    assert_eq!(gateway.context.metrics.feeds.get(), 1);
}

#[tokio::test]
async fn a_get_is_answered_once_by_the_object_or_by_a_problem() {
    let gateway = gateway_with(&[("one", "red")]).await;
    let mut reader = Reader::greeted(&gateway).await;
    let scope = |name: &str| json!({"resource": config_maps(), "namespaces": ["shop"], "name": name});
    reader.say(&json!({"get": {"id": 7, "scope": scope("one")}}));
    let answer = reader.object().await;
    assert_eq!((answer.id, answer.patch.len()), (Some(7), 0));
    assert_eq!(answer.object.as_ref().and_then(|object| object.pointer("/data/colour")), Some(&json!("red")));
    reader.say(&json!({"get": {"id": 7, "scope": scope("none")}}));
    let (id, reason, message) = reader.problem().await;
    assert_eq!((id, reason), (Some(7), Reason::NotFound));
    assert!(message.contains("\"none\" not found"), "{message}");
    reader.say(&json!({"get": {"id": 8, "scope": {"resource": config_maps()}}}));
    assert_eq!(reader.problem().await.1, Reason::BadRequest);
    reader.say(&json!({"unsubscribe": {"id": 7}}));
    assert_eq!(reader.problem().await.1, Reason::BadRequest, "it was over");
}

#[tokio::test]
async fn a_timeline_tells_every_event_with_its_fields_and_who_wrote_them() {
    let gateway = gateway_with(&[("one", "red")]).await;
    let mut reader = Reader::greeted(&gateway).await;
    reader.say(
        &json!({"subscribe": {"id": 1, "scope": {"resource": config_maps()}, "projection": "timeline"}}),
    );
    reader.proven().await;
    for value in ["green", "blue"] {
        paint(&gateway, "one", value);
    }
    gateway.playground.create(config_map("two", "new")).expect("created");
    gateway.playground.delete("configmaps", "shop", "one").expect("deleted");
    let entries = reader.entries(4).await;
    let kinds: Vec<EntryType> = entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(
        kinds,
        [EntryType::Modified, EntryType::Modified, EntryType::Added, EntryType::Deleted],
        "none is left out for a younger one"
    );
    let changed = entries.first().expect("the first");
    assert_eq!(changed.name.as_deref(), Some("one"));
    assert!(
        changed.changed.contains(&Area::Other) && !changed.changed.contains(&Area::Labels),
        "{changed:?}"
    );
    let field = changed.fields.iter().find(|field| &*field.path == "/data/colour").expect("the colour");
    assert_eq!((&field.old, &field.new), (&Some(json!("red")), &Some(json!("green"))));
    assert!(changed.time_ms > 1_700_000_000_000);
}

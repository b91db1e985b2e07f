//! One object, once and for as long as somebody looks, and the log of what happens: through real
//! sessions, hubs and feeds over the playground.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::over_channels::{Client, Gateway};
use playground::Options;
use serde_json::{Value, json};
use shared::frame::server::{ObjectFrame, ServerFrame};
use shared::frame::timeline::{Area, Entry, EntryType};
use shared::patch;
use shared::problem::Reason;

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

/// What these scenarios ask of a client.
trait Reader {
    async fn object(&mut self) -> ObjectFrame;
    async fn problem(&mut self) -> (Option<u32>, Reason, String);
    async fn proven(&mut self);
    async fn entries(&mut self, count: usize) -> Vec<Entry>;
}

impl Reader for Client {
    async fn object(&mut self) -> ObjectFrame {
        self.until(|frame| match frame {
            ServerFrame::Object(frame) => Some(*frame),
            ServerFrame::Problem(frame) => panic!("{}", frame.problem),
            _ => None,
        })
        .await
    }

    async fn problem(&mut self) -> (Option<u32>, Reason, String) {
        self.until(|frame| match frame {
            ServerFrame::Problem(frame) => Some((frame.id, frame.problem.reason, frame.problem.message)),
            _ => None,
        })
        .await
    }

    async fn proven(&mut self) {
        self.until(|frame| matches!(frame, ServerFrame::Sync(_)).then_some(())).await;
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
    let mut reader = gateway.client().await;
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
    let mut reader = gateway.client().await;
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
    let mut reader = gateway.client().await;
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
    let mut reader = gateway.client().await;
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

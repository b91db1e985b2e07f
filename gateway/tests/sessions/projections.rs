//! The projections `object` and `timeline`, and `get`: through real sessions, hubs and feeds over the
//! playground.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::over_channels::{Client, Gateway};
use playground::Options;
use serde_json::{Value, json};
use shared::frame::server::{ObjectFrame, ProblemFrame, ServerFrame};
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

async fn next_object(client: &mut Client) -> ObjectFrame {
    let object = |frame| match frame {
        ServerFrame::Object(frame) => Some(*frame),
        ServerFrame::Problem(frame) => panic!("{}", frame.problem),
        _ => None,
    };
    client.until(object).await
}

async fn next_problem(client: &mut Client) -> ProblemFrame {
    client.until(|frame| if let ServerFrame::Problem(frame) = frame { Some(frame) } else { None }).await
}

async fn until_proven(client: &mut Client) {
    client.until(|frame| matches!(frame, ServerFrame::Sync(_)).then_some(())).await;
}

fn colour(frame: &ObjectFrame) -> Option<&Value> {
    frame.object.as_ref()?.pointer("/data/colour")
}

async fn gateway_with(objects: &[(&str, &str)]) -> Gateway {
    let gateway = Gateway::showing_config_maps(Options::quiet()).await;
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
    let first = next_object(&mut reader).await;
    let whole = first.object.expect("whole");
    assert_eq!(whole.pointer("/data/colour"), Some(&json!("red")));
    assert_eq!(whole.pointer("/metadata/managedFields"), None);
    until_proven(&mut reader).await;
    paint(&gateway, "one", "green");
    let second = next_object(&mut reader).await;
    assert_eq!((second.from, &second.object), (first.to, &None), "what changed alone");
    let patched = patch::apply(&whole, &second.patch).expect("it fits");
    assert_eq!(patched.pointer("/data/colour"), Some(&json!("green")));
    gateway.playground.delete("configmaps", "shop", "one").expect("deleted");
    let third = next_object(&mut reader).await;
    assert!(third.deleted && third.from == second.to);
    gateway.playground.create(config_map("one", "again")).expect("created");
    assert!(next_object(&mut reader).await.object.is_some(), "another one of that name comes whole");
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
    let object = next_object(&mut reader).await;
    assert_eq!(object.row, Some(row));
    assert_eq!(colour(&object), Some(&json!("blue")));
    assert_eq!(gateway.context.metrics.feeds.get(), 1);
}

#[tokio::test]
async fn a_get_is_answered_once_by_the_object_or_by_a_problem() {
    let gateway = gateway_with(&[("one", "red")]).await;
    let mut reader = gateway.client().await;
    let scope = |name: &str| json!({"resource": config_maps(), "namespaces": ["shop"], "name": name});
    reader.say(&json!({"get": {"id": 7, "scope": scope("one")}}));
    let answer = next_object(&mut reader).await;
    assert_eq!((answer.id, answer.patch.len()), (Some(7), 0));
    assert_eq!(colour(&answer), Some(&json!("red")));
    reader.say(&json!({"get": {"id": 7, "scope": scope("none")}}));
    let ProblemFrame { id, problem } = next_problem(&mut reader).await;
    assert_eq!((id, problem.reason), (Some(7), Reason::NotFound));
    assert!(problem.message.contains("\"none\" not found"), "{problem}");
    reader.say(&json!({"get": {"id": 8, "scope": {"resource": config_maps()}}}));
    assert_eq!(next_problem(&mut reader).await.problem.reason, Reason::BadRequest);
    reader.say(&json!({"unsubscribe": {"id": 7}}));
    assert_eq!(next_problem(&mut reader).await.problem.reason, Reason::BadRequest, "it was over");
}

#[tokio::test]
async fn a_timeline_tells_every_event_with_its_fields_and_who_wrote_them() {
    let gateway = gateway_with(&[("one", "red")]).await;
    let mut reader = gateway.client().await;
    reader.say(
        &json!({"subscribe": {"id": 1, "scope": {"resource": config_maps()}, "projection": "timeline"}}),
    );
    until_proven(&mut reader).await;
    for value in ["green", "blue"] {
        paint(&gateway, "one", value);
    }
    gateway.playground.create(config_map("two", "new")).expect("created");
    gateway.playground.delete("configmaps", "shop", "one").expect("deleted");
    let mut entries: Vec<Entry> = Vec::new();
    while entries.len() < 4 {
        if let ServerFrame::Timeline(frame) = reader.next().await {
            entries.extend(frame.entries.into_iter().filter(|entry| entry.kind != EntryType::Bookmark));
        }
    }
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

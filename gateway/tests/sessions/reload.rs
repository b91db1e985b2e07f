//! A configuration that is read again: what it hides now leaves every open view, what it shows now comes.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use gateway::audit::Audit;
use gateway::config::{Config, ServeFlags};
use gateway::reload::reread;
use playground::Options;
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use shared::frame::timeline::EntryType;
use shared::problem::Reason;

use crate::over_channels::{Client, Gateway};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    flags: ServeFlags,
}

/// A gateway with a file that its operator changes.
struct Scene {
    gateway: Gateway,
    file: PathBuf,
    hangup: Box<dyn FnMut()>,
    _folder: tempfile::TempDir,
}

impl Scene {
    async fn open(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("dogwatch.yaml");
        fs::write(&file, text).expect("written");
        let config = config(&file);
        let gateway = Gateway::configured(&config, Options::quiet()).await;
        let hangup = Box::new(reread(config.reloading, gateway.context.clone(), (Audit::default(), None)));
        Self { gateway, file, hangup, _folder: folder }
    }

    fn reload(&mut self, text: &str) {
        fs::write(&self.file, text).expect("written");
        (self.hangup)();
    }

    fn create(&self, name: &str, value: &str) {
        let metadata = json!({"name": name, "namespace": "shop"});
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": value}});
        self.gateway.playground.create(map).expect("created");
    }

    fn change(&self, name: &str, value: &str) {
        let patch = json!({"data": {"a": value}});
        self.gateway.playground.patch("configmaps", "shop", name, patch).expect("patched");
    }
}

fn config(file: &Path) -> Config {
    let cli = Cli::parse_from(["serve", "--demo", "--config", &file.to_string_lossy()]);
    Config::of(&cli.flags).expect("a configuration")
}

fn scope(name: Option<&str>) -> Value {
    let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
    match name {
        Some(name) => json!({"resource": resource, "namespaces": ["shop"], "name": name}),
        None => json!({"resource": resource}),
    }
}

/// Reads until the frames have brought all of it, and says what they were.
async fn read(client: &mut Client, mut is_all: impl FnMut(&ServerFrame) -> bool) -> String {
    let mut texts = String::new();
    loop {
        let frame = client.next().await;
        texts += &format!("{}\n{frame:?}\n", json!(frame));
        if is_all(&frame) {
            return texts;
        }
    }
}

fn subscribe_to_all(client: &Client) {
    let columns = json!([{"name": "A", "path": ".data.a"}]);
    client.say(&json!({"subscribe": {"id": 1, "scope": scope(None), "columns": columns}}));
    client.say(&json!({"subscribe": {"id": 2, "scope": scope(Some("one")), "projection": "object"}}));
    client.say(&json!({"subscribe": {"id": 3, "scope": scope(None), "projection": "timeline"}}));
}

/// Whether rows, an object and an entry for a change came, of which each has its own frame.
fn all_three() -> impl FnMut(&ServerFrame) -> bool {
    let mut seen = [false; 3];
    move |frame| {
        match frame {
            ServerFrame::Rows(rows) => seen[0] |= !rows.put.is_empty() || !rows.set.is_empty(),
            ServerFrame::Object(frame) => seen[1] |= frame.object.is_some() || !frame.patch.is_empty(),
            ServerFrame::Timeline(frame) => {
                seen[2] |= frame.entries.iter().any(|entry| entry.kind == EntryType::Modified);
            }
            _ => {}
        }
        seen == [true; 3]
    }
}

/// Whether so many views were proven.
fn synced(views: usize) -> impl FnMut(&ServerFrame) -> bool {
    let mut seen = BTreeSet::new();
    move |frame| {
        if let ServerFrame::Sync(sync) = frame {
            seen.insert(sync.view);
        }
        seen.len() == views
    }
}

#[tokio::test]
async fn r_data_3_after_a_reload_every_frame_is_masked_and_the_client_is_told_to_drop_what_it_has() {
    let mut scene = Scene::open("config-map-values: true").await;
    scene.create("one", "canary-1");
    let mut client = scene.gateway.client().await;
    subscribe_to_all(&client);
    read(&mut client, |frame| matches!(frame, ServerFrame::Rows(rows) if !rows.put.is_empty())).await;
    // The timeline begins after its first list.
    read(&mut client, synced(3)).await;
    scene.change("one", "canary-2");
    let before = read(&mut client, all_three()).await;
    assert!(before.matches("canary-2").count() >= 3, "{before}");

    scene.reload("config-map-values: false");
    let rules = client.welcome().await.rules;
    assert!(!rules.is_empty());
    // The three are answered anew by themselves.
    let answers = read(&mut client, synced(3)).await;
    for id in 1..=3 {
        assert!(answers.contains(&format!("Subscribed {{ id: {id},")), "{answers}");
    }
    scene.change("one", "canary-3");
    let after = answers + &read(&mut client, all_three()).await;
    assert!(!after.contains("canary") && after.contains("••••••••"), "{after}");

    scene.reload("config-map-values: [");
    scene.reload("config-map-values: false");
    scene.create("two", "canary-4");
    let is_two = |frame: &ServerFrame| json!(frame).to_string().contains("\"two\"");
    let broken = read(&mut client, is_two).await;
    assert!(!broken.contains("welcome"), "a broken file and an equal one change nothing: {broken}");

    scene.reload("config-map-values: true");
    assert_ne!(client.welcome().await.rules, rules);
    let shown = read(&mut client, |frame| matches!(frame, ServerFrame::Object(_))).await;
    assert!(shown.contains("canary-3"), "{shown}");
}

#[tokio::test]
async fn r_data_3_who_was_not_connected_during_the_reload_is_told_as_well() {
    let mut scene = Scene::open("config-map-values: true").await;
    scene.reload("masked-name: [pin]");
    let client = scene.gateway.connect(gateway::access::Caller::SameUser);
    let mut client = client;
    client.say(&json!({"hello": {"version": "dogwatch.v2"}}));
    assert!(!client.welcome().await.rules.is_empty());
}

#[tokio::test]
async fn r_data_3_a_kind_and_a_namespace_that_a_reload_hides_leave_and_come_back() {
    let mut scene = Scene::open("").await;
    scene.create("one", "x");
    let mut client = scene.gateway.client().await;
    client.say(&json!({"subscribe": {"id": 1, "scope": scope(None)}}));
    read(&mut client, |frame| matches!(frame, ServerFrame::Rows(rows) if !rows.put.is_empty())).await;

    scene.reload("hidden-namespace: [shop]");
    client.welcome().await;
    let is_whole = |frame: &ServerFrame| matches!(frame, ServerFrame::Sync(_));
    let rest = read(&mut client, is_whole).await;
    assert!(rest.contains("subscribed") && !rest.contains("\"one\""), "{rest}");

    scene.reload("hidden-kind: [configmaps]");
    let refused = client.until(|frame| match frame {
        ServerFrame::Problem(frame) => Some((frame.id, frame.problem.reason)),
        _ => None,
    });
    assert_eq!(refused.await, (Some(1), Reason::Hidden));
    let hidden = |kinds: &shared::frame::server::Kinds, plural: &str| {
        kinds.kinds.iter().any(|kind| kind.resource.to_string() == plural && kind.disabled.is_some())
    };
    let kinds = client.until(|frame| match frame {
        ServerFrame::Kinds(kinds) => Some(kinds),
        _ => None,
    });
    assert!(hidden(&kinds.await, "configmaps"));

    scene.reload("secret-names: true");
    let kinds = client.until(|frame| match frame {
        ServerFrame::Kinds(kinds) => Some(kinds),
        _ => None,
    });
    let kinds = kinds.await;
    assert!(!hidden(&kinds, "configmaps") && !hidden(&kinds, "secrets"));
}

#[tokio::test]
async fn pins_and_boards_reach_open_pages_and_no_view_begins_anew() {
    let mut scene = Scene::open("pinned: [pods]").await;
    scene.create("one", "x");
    let mut client = scene.gateway.client().await;
    client.say(&json!({"subscribe": {"id": 1, "scope": scope(None)}}));
    read(&mut client, |frame| matches!(frame, ServerFrame::Sync(_))).await;
    scene.reload("pinned: [nodes]\nboards: [{name: On call, link: /b?v=pods}]\n");
    let welcome = client.welcome().await;
    assert_eq!((welcome.pinned.as_slice(), welcome.boards.len()), (&["nodes".into()][..], 1));
    assert!(welcome.rules.is_empty());
    scene.create("two", "y");
    let is_two = |frame: &ServerFrame| json!(frame).to_string().contains("\"two\"");
    let rest = read(&mut client, is_two).await;
    assert!(!rest.contains("subscribed"), "{rest}");
}

//! Viewers of a running gateway without its http: real sessions, hubs and feeds over the playground,
//! and a socket that is a pair of channels.

#![expect(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashMap;

use crate::over_channels::{Gateway, Line};
use axum::extract::ws::Message;
use gateway::access::Peer;
use playground::Options;
use serde_json::json;
use shared::codec;
use shared::digest;
use shared::frame::server::ServerFrame;
use shared::problem::Reason;
use shared::row::{Row, RowId};
use shared::state::ViewState;
use tokio::sync::mpsc;

trait Watched {
    fn viewer(&self) -> Viewer;
    fn names(&self, resource: &str) -> Vec<String>;
}

impl Watched for Gateway {
    fn viewer(&self) -> Viewer {
        let Line { to, from } = self.connect(Peer::SameUser);
        Viewer { to, from, rows: HashMap::new(), position: 0, received: 0 }
    }

    fn names(&self, resource: &str) -> Vec<String> {
        let mut names: Vec<String> = self
            .playground
            .list(resource)
            .iter()
            .filter_map(|object| object.pointer("/metadata/name")?.as_str().map(str::to_owned))
            .collect();
        names.sort();
        names
    }
}

/// The simplest client that there can be: it applies what comes.
struct Viewer {
    to: mpsc::UnboundedSender<Message>,
    from: mpsc::UnboundedReceiver<Message>,
    rows: HashMap<RowId, Row>,
    position: u64,
    received: u64,
}

impl Viewer {
    fn say(&self, frame: &serde_json::Value) {
        self.to.send(Message::text(frame.to_string())).expect("the session lives");
    }

    fn hello(&self) {
        self.say(&json!({ "hello": { "version": "dogwatch.v1" } }));
    }

    fn subscribe(&self, resource: &str) {
        let resource = json!({ "group": "", "version": "v1", "resource": resource });
        self.say(&json!({ "subscribe": { "id": 1, "scope": { "resource": resource } } }));
    }

    async fn next(&mut self) -> ServerFrame {
        let message = match self.from.recv().await.expect("the session lives") {
            Message::Text(text) => codec::Message::Text(text.as_str().to_owned()),
            Message::Binary(bytes) => codec::Message::Binary(bytes.to_vec()),
            other => panic!("{other:?}"),
        };
        self.received += message.byte_count() as u64;
        self.say(&json!({ "ack": { "bytes": self.received } }));
        let frame = codec::decode_server(&message).expect("a frame");
        self.apply(&frame);
        frame
    }

    fn apply(&mut self, frame: &ServerFrame) {
        match frame {
            ServerFrame::Rows(rows) => {
                assert_eq!(rows.from, self.position, "chained");
                assert!(rows.to > rows.from, "ordered");
                self.position = rows.to;
                self.rows.extend(rows.put.iter().map(|row| (row.id, row.clone())));
                for patch in &rows.set {
                    let row = self.rows.get_mut(&patch.id).expect("a known row");
                    row.resource_version =
                        patch.resource_version.clone().unwrap_or_else(|| rows.resource_version.clone());
                    for (place, cell) in &patch.cells {
                        row.cells[usize::from(*place)] = cell.clone();
                    }
                }
                for id in &rows.delete {
                    self.rows.remove(id);
                }
            }
            ServerFrame::Sync(sync) => {
                if let Some(theirs) = &sync.digest {
                    let ours =
                        self.rows.values().fold(0_u64, |sum, row| sum.wrapping_add(digest::row_hash(row)));
                    assert_eq!(digest::to_text(ours), **theirs, "at {}", sync.at);
                }
            }
            _ => {}
        }
    }

    async fn until(&mut self, wanted: impl Fn(&ServerFrame, &Self) -> bool) -> ServerFrame {
        loop {
            let frame = self.next().await;
            if wanted(&frame, self) {
                return frame;
            }
        }
    }

    async fn until_proven(&mut self) {
        self.until(|frame, _| matches!(frame, ServerFrame::Sync(_))).await;
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.rows.values().map(|row| row.name.to_string()).collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn a_viewer_holds_what_the_cluster_holds_and_follows_it() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut viewer = gateway.viewer();
    viewer.hello();
    assert!(matches!(viewer.next().await, ServerFrame::Welcome(_)));
    assert!(matches!(viewer.next().await, ServerFrame::Kinds(_)));
    viewer.subscribe("pods");
    viewer.until_proven().await;
    assert_eq!(viewer.names(), gateway.names("pods"));
    assert!(!viewer.rows.is_empty());
    gateway.playground.step_fleet(200);
    let expected = gateway.names("pods");
    viewer.until(|_, viewer| viewer.names() == expected).await;
}

#[tokio::test]
async fn any_number_of_viewers_costs_one_watch() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut viewers = Vec::new();
    for _ in 0..20 {
        let mut viewer = gateway.viewer();
        viewer.hello();
        viewer.subscribe("pods");
        viewer.until_proven().await;
        viewers.push(viewer);
    }
    assert_eq!(gateway.playground.open_watches("pods"), 1);
}

#[tokio::test]
async fn a_lost_watch_loses_nothing() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut viewer = gateway.viewer();
    viewer.hello();
    viewer.subscribe("pods");
    viewer.until_proven().await;
    for _ in 0..3 {
        gateway.playground.cut_watches(Some("pods"));
        gateway.playground.step_fleet(50);
        let expected = gateway.names("pods");
        viewer.until(|_, viewer| viewer.names() == expected).await;
    }
    // The history is gone as well: a relist, compared, with a gap mark and without a reset.
    gateway.playground.compact(None);
    gateway.playground.cut_watches(Some("pods"));
    gateway.playground.step_fleet(50);
    let expected = gateway.names("pods");
    viewer.until(|_, viewer| viewer.names() == expected).await;
}

#[tokio::test]
async fn what_is_not_served_is_a_problem_and_the_session_goes_on() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut viewer = gateway.viewer();
    viewer.hello();
    viewer.subscribe("podz");
    let frame = viewer.until(|frame, _| matches!(frame, ServerFrame::Problem(_))).await;
    assert!(matches!(frame, ServerFrame::Problem(problem) if problem.problem.reason == Reason::NotFound));
    viewer.subscribe("pods");
    viewer.until_proven().await;
}

#[tokio::test]
async fn a_cluster_that_goes_down_is_stale_and_live_again_when_it_is_back() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut viewer = gateway.viewer();
    viewer.hello();
    viewer.subscribe("pods");
    viewer.until_proven().await;
    gateway.playground.down();
    let is_stale = |frame: &ServerFrame, _: &Viewer| matches!(frame, ServerFrame::State(frame) if matches!(frame.report.state, ViewState::Stale { .. }));
    let frame = viewer.until(is_stale).await;
    assert!(matches!(frame, ServerFrame::State(frame) if frame.report.problem.is_some()));
    gateway.playground.up().await.expect("the same port");
    viewer.until_proven().await;
    assert_eq!(viewer.names(), gateway.names("pods"));
}

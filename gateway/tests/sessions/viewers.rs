//! Viewers of a running gateway without its http: real sessions, hubs and feeds over the playground,
//! and a socket that is a pair of channels.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::HashMap;

use crate::over_channels::{Client, Gateway};
use playground::Options;
use shared::digest;
use shared::frame::server::ServerFrame;
use shared::row::{Row, RowId};
use shared::state::ViewState;

fn names_in(gateway: &Gateway, resource: &str) -> Vec<String> {
    let objects = gateway.playground.list(resource);
    let name = |object: &serde_json::Value| object.pointer("/metadata/name")?.as_str().map(str::to_owned);
    let mut names: Vec<String> = objects.iter().filter_map(name).collect();
    names.sort();
    names
}

/// A client that applies what comes.
struct Viewer {
    client: Client,
    rows: HashMap<RowId, Row>,
    position: u64,
}

impl Viewer {
    /// Of all pods, proven once.
    async fn of_pods(gateway: &Gateway) -> Self {
        let mut viewer = Self { client: gateway.client().await, rows: HashMap::new(), position: 0 };
        viewer.client.subscribe(1, "pods");
        viewer.until_proven().await;
        viewer
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
            let frame = self.client.next().await;
            self.apply(&frame);
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
    let mut viewer = Viewer::of_pods(&gateway).await;
    assert_eq!(viewer.names(), names_in(&gateway, "pods"));
    assert!(!viewer.rows.is_empty());
    gateway.playground.step_fleet(200);
    let expected = names_in(&gateway, "pods");
    viewer.until(|_, viewer| viewer.names() == expected).await;
}

#[tokio::test]
async fn a_lost_watch_loses_nothing() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut viewer = Viewer::of_pods(&gateway).await;
    for _ in 0..3 {
        gateway.playground.cut_watches(Some("pods"));
        gateway.playground.step_fleet(50);
        let expected = names_in(&gateway, "pods");
        viewer.until(|_, viewer| viewer.names() == expected).await;
    }
    // The history is gone as well: a relist, compared, with a gap mark and without a reset.
    gateway.playground.compact(None);
    gateway.playground.cut_watches(Some("pods"));
    gateway.playground.step_fleet(50);
    let expected = names_in(&gateway, "pods");
    viewer.until(|_, viewer| viewer.names() == expected).await;
}

#[tokio::test]
async fn a_cluster_that_goes_down_is_stale_and_live_again_when_it_is_back() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut viewer = Viewer::of_pods(&gateway).await;
    gateway.playground.down();
    let is_stale = |frame: &ServerFrame, _: &Viewer| matches!(frame, ServerFrame::State(frame) if matches!(frame.report.state, ViewState::Stale { .. }));
    let frame = viewer.until(is_stale).await;
    assert!(matches!(frame, ServerFrame::State(frame) if frame.report.problem.is_some()));
    gateway.playground.up().await.expect("the same port");
    viewer.until_proven().await;
    assert_eq!(viewer.names(), names_in(&gateway, "pods"));
}

//! What is said of a view beside its rows: how it stands, and a sync only where it is current.

use shared::frame::server::ServerFrame;
use shared::state::{StateReport, ViewState, Whom};

use super::listed;
use super::reader::Reader;
use crate::feed::{FeedOutput, Proof};

#[test]
fn a_sync_says_where_one_stands_with_a_digest_that_is_the_readers_own() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    world.hub.apply(FeedOutput::State(StateReport::of(ViewState::Live)));
    world.hub.apply(FeedOutput::Proof(Proof { at_ms: 5, cluster_ahead_ms: 7 }));
    reader.read_all(&mut world);
    assert_eq!(reader.digests, 1);
    world.put("a/1");
    world.hub.tick();
    world.now_ms += 31_000;
    world.hub.owe_sync();
    reader.read_all(&mut world);
    assert_eq!(reader.digests, 2);
}

#[test]
fn a_sync_says_the_version_of_what_was_sent_while_changes_wait_for_their_tick() {
    let mut world = listed(&["a/1"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    world.hub.apply(FeedOutput::State(StateReport::of(ViewState::Live)));
    world.hub.apply(FeedOutput::Proof(Proof { at_ms: 5, cluster_ahead_ms: 0 }));
    reader.read_all(&mut world);
    world.put("a/1");
    world.hub.owe_sync();
    let said = |frames: &[ServerFrame]| {
        let version = |frame: &ServerFrame| match frame {
            ServerFrame::Sync(sync) => Some(sync.resource_version.to_string()),
            _ => None,
        };
        frames.iter().find_map(version)
    };
    assert_eq!(said(&reader.read_all(&mut world)).as_deref(), Some("101"));
    world.hub.tick();
    world.hub.owe_sync();
    assert_eq!(said(&reader.read_all(&mut world)).as_deref(), Some("102"));
}

#[test]
fn a_view_that_is_not_current_is_never_said_to_be() {
    let mut world = listed(&["a/1"]);
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    world.hub.apply(FeedOutput::Proof(Proof { at_ms: 5, cluster_ahead_ms: 0 }));
    world.hub.apply(FeedOutput::State(StateReport::of(ViewState::Stale { since_ms: 9 })));
    let frames = reader.read_all(&mut world);
    assert!(!frames.iter().any(|frame| matches!(frame, ServerFrame::Sync(_))), "{frames:?}");
}

#[test]
fn who_comes_while_the_cluster_forbids_it_gets_no_rows_until_it_does_not() {
    let mut world = listed(&["a/1"]);
    world.hub.apply(FeedOutput::State(StateReport::of(ViewState::Forbidden { to: Whom::Gateway })));
    let mut reader = Reader::all(1);
    reader.open(&mut world);
    let frames = reader.read_all(&mut world);
    assert!(matches!(frames.as_slice(), [ServerFrame::Subscribed(_)]), "{frames:?}");
    world.hub.apply(FeedOutput::State(StateReport::of(ViewState::Live)));
    reader.read_all(&mut world);
    reader.expect_exact(&world);
}

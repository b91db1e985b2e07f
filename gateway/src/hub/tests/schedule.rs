//! What a hub tells its sessions and when, without tasks.

use std::sync::Arc;
use std::time::Duration;

use shared::frame::SYNC_INTERVAL_MS;
use shared::state::{StateReport, ViewState};
use shared::token::Token;

use crate::feed::{FeedOutput, Proof};
use crate::hub::{Hub, HubAction, HubRequest, Open, SendPermit, ToSession, testing};
use crate::limits::{PROOF_INTERVAL_MS, RESUME_WAIT_MS, TICK_MS};

const RESUME_WAIT: Duration = Duration::from_millis(RESUME_WAIT_MS);

fn hub() -> Hub {
    Hub::new("c", 7)
}

/// A token of another hub.
fn foreign_token() -> Token {
    Token {
        cluster: "c".into(),
        // The hash of none.
        columns: "e3b0c44298fc".into(),
        epoch: "another".into(),
        sequence: "9".into(),
        resource_version: "900".into(),
        digest: Some("0000000000000001".into()),
    }
}

fn words((key, message): (u64, ToSession)) -> String {
    match message {
        ToSession::News(_) => format!("{key} news"),
        ToSession::Delivery(..) => format!("{key} delivery"),
        ToSession::Pushed(_, delivery) => format!("{key} pushed {}", delivery.messages.len()),
        ToSession::Forbidden(_) => format!("{key} forbidden"),
        ToSession::Ended(..) => format!("{key} ended"),
    }
}

/// What is told after a moment.
fn told(hub: &mut Hub) -> Vec<String> {
    hub.settle(Duration::ZERO);
    std::iter::from_fn(|| hub.next_message()).map(words).collect()
}

fn pulled(hub: &mut Hub, key: u64) -> String {
    let effects = hub.handle(HubAction::Request(HubRequest::Pull(key)), Duration::ZERO);
    effects.to_session.map(words).unwrap_or_default()
}

#[test]
fn a_session_that_offers_its_permit_is_sent_one_delivery_and_another_is_told_once() {
    let mut hub = hub();
    let (ready, busy) = (SendPermit::default(), SendPermit::default());
    hub.subscribe(testing::open(1, (), ready.clone()));
    hub.subscribe(testing::open(2, (), busy));
    hub.subscribe(testing::open(3, (), ready.clone()));
    ready.offer();
    let first = told(&mut hub);
    assert_eq!(first, ["1 pushed 1", "2 news", "3 news"], "the first and the third share a permit");
    assert!(!ready.take(), "the delivery carries it");
    let live = FeedOutput::State(StateReport::of(ViewState::Live));
    hub.handle(HubAction::Feed(live), Duration::ZERO);
    assert_eq!(told(&mut hub), ["1 news"], "one delivery is on its way at a time");
    let pulls = [1, 2, 3].map(|key| pulled(&mut hub, key));
    assert_eq!(pulls, ["1 delivery", "2 delivery", "3 delivery"]);
    ready.offer();
    assert!(told(&mut hub).is_empty(), "there is nothing new");
    assert!(ready.take());
}

#[test]
fn a_viewer_ahead_of_the_first_list_waits_for_what_comes_after_it_and_no_longer() {
    let mut hub = hub();
    let mut open: Open<()> = testing::open(1, (), SendPermit::default());
    Arc::make_mut(&mut open.request).token = Some(foreign_token());
    hub.handle(HubAction::Open(Box::new(open)), Duration::ZERO);
    let listed = Duration::from_secs(3);
    for output in testing::empty_list() {
        hub.handle(HubAction::Feed(output), listed);
    }
    hub.settle(listed);
    assert!(hub.has_waiting());
    assert!(hub.deadline() <= listed + RESUME_WAIT);
    hub.settle(listed + RESUME_WAIT - Duration::from_millis(1));
    assert!(hub.has_waiting());
    hub.settle(listed + RESUME_WAIT);
    assert!(!hub.has_waiting(), "it begins anew");
}

#[test]
fn a_quiet_view_gets_one_sync_for_each_proof_and_one_in_time_if_a_proof_is_late() {
    let between = Duration::from_millis(PROOF_INTERVAL_MS.unsigned_abs());
    let promised = Duration::from_millis(SYNC_INTERVAL_MS.into());
    let (mut hub, permit) = (hub(), SendPermit::default());
    hub.subscribe(testing::open(1, (), permit.clone()));
    for output in testing::empty_list() {
        hub.handle(HubAction::Feed(output), Duration::ZERO);
    }
    let live = FeedOutput::State(StateReport::of(ViewState::Live));
    hub.handle(HubAction::Feed(live), Duration::ZERO);
    let mut now = Duration::from_millis(TICK_MS);
    let told_at = |hub: &mut Hub, now| {
        permit.offer();
        hub.settle(now);
        std::iter::from_fn(|| hub.next_message()).map(words).collect::<Vec<_>>()
    };
    told_at(&mut hub, now);
    for number in 0..9 {
        let proof = Proof { at_ms: number, cluster_ahead_ms: 0 };
        hub.handle(HubAction::Feed(FeedOutput::Proof(proof)), now);
        assert_eq!(told_at(&mut hub, now), ["1 pushed 1"], "proof {number}");
        now += between;
        assert!(told_at(&mut hub, now).is_empty(), "before proof {}", number + 1);
    }
    now += promised - between;
    assert!(hub.deadline() < now);
    assert_eq!(told_at(&mut hub, now), ["1 pushed 1"]);
}

#[test]
fn a_delivery_that_gets_lost_gives_the_permit_back() {
    let mut hub = hub();
    let permit = SendPermit::default();
    permit.offer();
    hub.subscribe(testing::open(1, (), permit.clone()));
    hub.settle(Duration::ZERO);
    let (_, lost) = hub.next_message().expect("it was pushed");
    assert!(!permit.take());
    hub.give_back(&lost);
    assert!(permit.take());
}

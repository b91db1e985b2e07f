//! What an owner says to its readers, without tasks.

use std::sync::Arc;

use shared::state::{StateReport, ViewState};
use shared::token::Token;

use super::*;
use crate::feed::Change;
use crate::hub::Identity;
use crate::session::testing;

fn owner() -> Owner<()> {
    Owner::new(Hub::new(Identity { cluster: "c".into() }, 7), Duration::ZERO)
}

fn opening(token: Option<Token>) -> Opening {
    Opening { token, ..testing::opening(1) }
}

/// Of another incarnation of the hub.
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

fn list(owner: &mut Owner<()>, now: Elapsed) {
    let changes = [
        Change::Columns(Arc::new([])),
        Change::ListStart,
        Change::ListEnd { resource_version: "5".into(), gap: None },
    ];
    for change in changes {
        owner.take(FeedOutput::Change(change), now);
    }
}

fn said(owner: &mut Owner<()>) -> Vec<String> {
    let word = |(ticket, message)| match message {
        ToSession::News(_) => format!("{ticket} news"),
        ToSession::Delivery(..) => format!("{ticket} delivery"),
        ToSession::Pushed(_, delivery) => format!("{ticket} pushed {}", delivery.messages.len()),
        ToSession::Forbidden(_) => format!("{ticket} forbidden"),
        ToSession::Ended(..) => format!("{ticket} ended"),
    };
    std::iter::from_fn(|| owner.next_message()).map(word).collect()
}

#[test]
fn who_is_ready_is_sent_what_is_new_and_who_is_not_is_told_of_it_once() {
    let mut owner = owner();
    let (ready, busy) = (Turn::default(), Turn::default());
    owner.open(1, opening(None), (), ready.clone());
    owner.open(2, opening(None), (), busy);
    ready.offer();
    owner.settle(Duration::ZERO);
    assert_eq!(said(&mut owner), ["1 pushed 1", "2 news"], "subscribed");
    assert!(!ready.take(), "the delivery carries it");
    owner.take(FeedOutput::State(StateReport::of(ViewState::Live)), Duration::ZERO);
    owner.settle(Duration::ZERO);
    assert_eq!(said(&mut owner), ["1 news"], "one delivery is on its way at a time");
    owner.pull(1);
    owner.pull(2);
    assert_eq!(said(&mut owner), ["1 delivery", "2 delivery"]);
    ready.offer();
    owner.settle(Duration::ZERO);
    assert!(said(&mut owner).is_empty(), "there is nothing new");
    assert!(ready.take());
}

#[test]
fn two_subscriptions_of_one_session_share_its_turn() {
    let mut owner = owner();
    let turn = Turn::default();
    turn.offer();
    owner.open(1, opening(None), (), turn.clone());
    owner.open(2, Opening { subscription: 2, is_second: true, ..opening(None) }, (), turn);
    owner.settle(Duration::ZERO);
    assert_eq!(said(&mut owner), ["1 pushed 1", "2 news"]);
}

#[test]
fn who_stands_ahead_of_the_first_list_waits_for_what_comes_after_it_and_no_longer() {
    let mut owner = owner();
    owner.open(1, opening(Some(foreign_token())), (), Turn::default());
    let listed = Duration::from_secs(3);
    list(&mut owner, listed);
    owner.settle(listed);
    assert!(owner.hub().has_waiting());
    assert!(owner.deadline() <= listed + RESUME_WAIT);
    owner.settle(listed + RESUME_WAIT - Duration::from_millis(1));
    assert!(owner.hub().has_waiting());
    owner.settle(listed + RESUME_WAIT);
    assert!(!owner.hub().has_waiting(), "it begins anew");
}

#[test]
fn a_delivery_that_gets_lost_gives_the_turn_back() {
    let mut owner = owner();
    let turn = Turn::default();
    turn.offer();
    owner.open(1, opening(None), (), turn.clone());
    owner.settle(Duration::ZERO);
    let (_, lost) = owner.next_message().expect("it was pushed");
    assert!(!turn.take());
    owner.give_back(&lost);
    assert!(turn.take());
}

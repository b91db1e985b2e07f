//! The bounds of one session, without a socket and without hubs.

use std::cell::Cell;

use serde_json::json;

use super::*;
use crate::limits::{OUTBOX_MESSAGES_MAX, SUBSCRIBES_PER_S};

/// Takes whatever is asked of it.
#[derive(Default)]
struct Desk {
    tickets: Cell<Ticket>,
}

impl Hubs for Desk {
    type Hub = ();

    fn ticket(&self) -> Ticket {
        self.tickets.set(self.tickets.get() + 1);
        self.tickets.get()
    }

    fn fresh_view(&self) -> u32 {
        1
    }

    fn open(&self, _: FeedKey, _: Ticket, _: Opening) -> Result<(), Problem> {
        Ok(())
    }
}

fn kinds() -> Kinds {
    let pods = json!({ "group": "", "version": "v1", "resource": "pods" });
    let kind = json!({ "resource": pods, "kind": "Pod", "namespaced": true, "watch": true });
    serde_json::from_value(json!({ "cluster": "demo", "kinds": [kind] })).expect("kinds")
}

fn subscribe(id: usize) -> String {
    let resource = json!({ "group": "", "version": "v1", "resource": "pods" });
    json!({ "subscribe": { "id": id, "scope": { "resource": resource } } }).to_string()
}

fn last_words(conversation: &mut Conversation<()>) -> String {
    let mut last = String::new();
    while let Some(message) = conversation.next_message() {
        last = String::from_utf8_lossy(&message.bytes).into_owned();
    }
    last
}

/// R-NET-3
#[test]
fn r_net_3_one_subscription_more_than_1024_is_refused_until_one_is_closed() {
    let (kinds, desk) = (kinds(), Desk::default());
    let mut conversation = Conversation::new(0);
    let mut now = 0;
    for id in 0..SUBSCRIPTIONS_MAX {
        // At the pace that is allowed.
        now += 1_000 / SUBSCRIBES_PER_S;
        conversation.hear(&subscribe(id), &kinds, &desk, now);
        assert_eq!(last_words(&mut conversation), "", "{id}");
    }
    conversation.hear(&subscribe(SUBSCRIPTIONS_MAX), &kinds, &desk, now + 1_000);
    let told = last_words(&mut conversation);
    assert!(told.contains("\"Limit\"") && told.contains("1024"), "{told}");
    let closed = conversation.hear(&json!({ "unsubscribe": { "id": 3 } }).to_string(), &kinds, &desk, now);
    assert!(matches!(closed.asks[..], [((), Ask::Close(_))]), "the others live");
    conversation.hear(&subscribe(SUBSCRIPTIONS_MAX), &kinds, &desk, now + 2_000);
    assert_eq!(last_words(&mut conversation), "");
}

/// What waits for a socket that takes nothing: one delivery, however much there is to say.
#[test]
fn a_hub_is_asked_for_the_next_delivery_when_the_last_has_gone_out() {
    let (kinds, desk) = (kinds(), Desk::default());
    let mut conversation = Conversation::new(0);
    for id in 0..100 {
        conversation.hear(&subscribe(id), &kinds, &desk, 0);
    }
    let mut pulls = 0;
    let mut deliver = |todo: Todo<()>| {
        pulls += todo.asks.iter().filter(|(_, ask)| matches!(ask, Ask::Pull(_))).count();
    };
    for ticket in 1..=100 {
        deliver(conversation.take(ToSession::News(ticket)));
    }
    let pong = ServerFrame::Pong(Pong { n: 1 });
    let message = Arc::new(Encoded::new(&pong).expect("a frame"));
    let delivery = crate::hub::Delivery { messages: vec![message], ..Default::default() };
    deliver(conversation.take(ToSession::Delivery(1, delivery)));
    assert_eq!(pulls, 1);
    assert!(conversation.outbox_len() < OUTBOX_MESSAGES_MAX);
}

fn one_frame() -> crate::hub::Delivery {
    let message = Encoded::new(&ServerFrame::Pong(Pong { n: 1 })).expect("a frame");
    crate::hub::Delivery { messages: vec![Arc::new(message)], ..Default::default() }
}

fn pull(conversation: &mut Conversation<()>) -> Vec<Ask> {
    let mut todo = Todo::default();
    conversation.pull(&mut todo);
    todo.asks.into_iter().map(|((), ask)| ask).collect()
}

#[test]
fn who_is_ready_gives_the_turn_away_and_asks_for_nothing_until_it_is_back() {
    let (kinds, desk) = (kinds(), Desk::default());
    let mut conversation = Conversation::new(0);
    for id in 0..2 {
        conversation.hear(&subscribe(id), &kinds, &desk, 0);
    }
    let hub = conversation.turn();
    assert!(hub.take(), "nothing waits");
    assert!(conversation.take(ToSession::News(2)).asks.is_empty(), "a delivery is on its way");
    assert!(conversation.take(ToSession::Pushed(1, one_frame())).asks.is_empty(), "it isn't out yet");
    assert!(!hub.take());
    last_words(&mut conversation);
    assert_eq!(pull(&mut conversation), [Ask::Pull(2)]);
    assert!(!hub.take(), "one delivery at a time");
    conversation.take(ToSession::Delivery(2, one_frame()));
    last_words(&mut conversation);
    assert!(pull(&mut conversation).is_empty());
    assert!(hub.take());
}

#[test]
fn who_has_no_credit_keeps_the_turn_and_what_was_for_somebody_else_gives_none() {
    let (kinds, desk) = (kinds(), Desk::default());
    let mut conversation = Conversation::with_credit(0, 1);
    conversation.hear(&subscribe(0), &kinds, &desk, 0);
    let hub = conversation.turn();
    assert!(hub.take());
    conversation.take(ToSession::Pushed(1, one_frame()));
    last_words(&mut conversation);
    assert!(pull(&mut conversation).is_empty());
    assert!(!hub.take(), "nothing was acknowledged");
    conversation.hear(&json!({ "ack": { "bytes": 1_000 } }).to_string(), &kinds, &desk, 0);
    assert!(hub.take());
    // The answer to a question of before, for a subscription that is closed.
    conversation.take(ToSession::Delivery(9, one_frame()));
    assert!(!hub.take(), "the hub has it still");
    assert!(conversation.take(ToSession::News(1)).asks.is_empty());
}

#[test]
fn a_message_larger_than_a_socket_takes_ends_its_own_subscription_with_a_problem() {
    let (kinds, desk) = (kinds(), Desk::default());
    let mut conversation = Conversation::new(0);
    for id in [5, 6] {
        conversation.hear(&subscribe(id), &kinds, &desk, 0);
    }
    let delivery = |bytes| {
        let message = Encoded { bytes: vec![b'x'; bytes].into(), is_text: true };
        Delivery { messages: vec![Arc::new(message)], ..Delivery::default() }
    };
    conversation.take(ToSession::Delivery(1, delivery(MESSAGE_BYTES_MAX)));
    assert_eq!(last_words(&mut conversation).len(), MESSAGE_BYTES_MAX, "the largest that there may be");
    let todo = conversation.take(ToSession::Delivery(1, delivery(MESSAGE_BYTES_MAX + 1)));
    assert!(todo.close.is_none() && todo.asks.contains(&((), Ask::Close(1))), "{:?}", todo.asks);
    let told = last_words(&mut conversation);
    assert!(told.contains("\"id\":5") && told.contains("TooLarge") && told.contains("kubectl get"), "{told}");
    conversation.take(ToSession::Delivery(2, delivery(9)));
    assert_eq!(last_words(&mut conversation).len(), 9, "the other lives");
}

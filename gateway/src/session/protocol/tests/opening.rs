//! What happens to a subscription while a hub opens it: the answer comes late, and may be for nothing.

use super::rights::{refused, with};
use super::*;
use crate::access::Grant;

impl ProtocolRig {
    /// Its requests to count and to open are answered by [`ProtocolRig::answer`] alone.
    fn slow(login: Login) -> Self {
        let mut rig = Self::of(login);
        rig.desk.is_slow = true;
        rig
    }

    /// Answers the request that waits for the longest time. What follows from that may wait as well.
    fn answer(&mut self) -> Outcome {
        let action = match self.desk.late.pop_front().expect("something is asked") {
            Effect::Count(answer) => Action::Counted(answer, Ok(())),
            Effect::Open(open) => self.desk.open(&open),
            effect => panic!("{effect:?}"),
        };
        self.apply(action)
    }

    /// The problem with which the open that waits for the longest time fails.
    fn fail(&mut self) -> Outcome {
        let Some(Effect::Open(open)) = self.desk.late.pop_front() else { panic!("nothing is to be opened") };
        let problem = Problem::new(Reason::Limit, "too many feeds");
        self.apply(Action::Opened(open.answer, Err(problem)))
    }

    /// A subscription that was counted, and is opening.
    fn opening(login: Login) -> Self {
        let mut rig = Self::slow(login);
        rig.subscribe(1);
        rig.answer();
        if rig.session.subject().is_some() {
            rig.apply(Action::Granted(1, Grant::Whole));
        }
        assert_eq!(rig.desk.late.len(), 1, "it opens");
        assert_eq!(rig.last_message(), "");
        rig
    }
}

fn unsubscribe() -> serde_json::Value {
    json!({ "unsubscribe": { "id": 1 } })
}

#[test]
fn a_subscription_that_ends_while_it_opens_leaves_its_hub_as_soon_as_that_has_it() {
    let mut rig = ProtocolRig::opening(alice());
    assert_eq!(rig.hear(&unsubscribe()).requests, [], "no hub has it yet");
    assert_eq!(rig.session.subscription_count(), 0);
    assert_eq!(rig.answer().requests, [((), HubRequest::Close(1))]);
    assert_eq!(rig.hub(ToSession::News(1)), [], "it is of no subscription");
    assert_eq!(rig.last_message(), "", "it was known when it ended");
    rig.hear(&unsubscribe());
    assert!(rig.last_message().contains("there is no subscription 1"));
}

#[test]
fn a_try_that_is_counted_after_its_subscription_ended_opens_nothing() {
    let mut rig = ProtocolRig::slow(alice());
    rig.subscribe(1);
    rig.hear(&unsubscribe());
    rig.answer();
    assert!(rig.desk.late.is_empty(), "nothing is to be opened");
    assert_eq!((rig.session.subscription_count(), rig.last_message()), (0, String::new()));
}

#[test]
fn a_retry_while_a_subscription_opens_reaches_the_hub_that_opens_it_once() {
    let mut rig = ProtocolRig::opening(alice());
    for _ in 0..2 {
        assert_eq!(rig.hear(&json!({ "retry": { "id": 1 } })).requests, []);
    }
    assert_eq!(rig.last_message(), "", "it is no mistake");
    assert_eq!(rig.answer().requests, [((), HubRequest::Retry)]);
    assert_eq!(rig.hear(&json!({ "retry": { "id": 1 } })).requests, [((), HubRequest::Retry)]);
}

#[test]
fn a_retry_while_a_subscription_opens_is_kept_when_other_rules_open_it_anew() {
    let mut rig = ProtocolRig::opening(alice());
    rig.hear(&json!({ "retry": { "id": 1 } }));
    rig.apply(Action::Surroundings(Surroundings { rules: "other".into(), ..surroundings() }));
    assert_eq!(rig.answer().requests, [((), HubRequest::Close(1))], "the former one's answer");
    assert_eq!(rig.answer().requests, [((), HubRequest::Retry)]);
}

#[test]
fn a_new_subscription_with_the_id_of_one_that_opens_gets_its_own_answer() {
    let mut rig = ProtocolRig::opening(alice());
    rig.subscribe(1);
    assert!(rig.last_message().contains("open already"));
    rig.hear(&unsubscribe());
    rig.subscribe(1);
    assert_eq!(rig.answer().requests, [((), HubRequest::Close(1))], "the former one's answer");
    rig.answer();
    assert_eq!(rig.session.subscription_count(), 1);
    assert_eq!(rig.answer().requests, [], "the new one is open");
    rig.last_message();
    assert!(rig.session.flow.permit().take());
    rig.hub(ToSession::Pushed(1, one_frame()));
    assert_eq!(rig.last_message(), "", "the former hub's rows are dropped");
    rig.hub(ToSession::Pushed(2, one_frame()));
    assert_ne!(rig.last_message(), "");
    assert_eq!(rig.hear(&unsubscribe()).requests[..1], [((), HubRequest::Close(2))]);
}

#[test]
fn what_opens_when_its_connection_has_ended_leaves_its_hub() {
    let mut rig = ProtocolRig::opening(alice());
    assert_eq!(rig.session.end(), [], "no hub has it yet");
    assert_eq!(rig.answer().requests, [((), HubRequest::Close(1))]);
}

#[test]
fn a_right_that_is_revoked_while_a_subscription_opens_shows_nothing_of_it() {
    let mut rig = ProtocolRig::opening(with(&[]));
    rig.apply(Action::Granted(1, refused()));
    assert!(rig.last_message().contains("you may not list pods"));
    assert_eq!(rig.answer().requests, [((), HubRequest::Close(1))]);
    rig.hub(ToSession::Pushed(1, one_frame()));
    assert_eq!(rig.last_message(), "", "the hub's rows are dropped");
    rig.apply(Action::Granted(1, Grant::Whole));
    assert_eq!(rig.answer().requests, [], "granted again, it opens anew");
    rig.hub(ToSession::Pushed(2, one_frame()));
    assert_ne!(rig.last_message(), "");
}

#[test]
fn other_rules_while_a_subscription_opens_open_it_anew() {
    for login in [alice(), with(&[])] {
        let mut rig = ProtocolRig::opening(login);
        rig.apply(Action::Surroundings(Surroundings { rules: "other".into(), ..surroundings() }));
        assert!(rig.last_message().contains("\"rules\":\"other\""));
        assert_eq!(rig.answer().requests, [((), HubRequest::Close(1))], "opened by the former rules");
        assert_eq!(rig.answer().requests, []);
        assert_eq!(rig.hear(&unsubscribe()).requests[..1], [((), HubRequest::Close(2))]);
    }
}

#[test]
fn a_hub_that_refuses_a_subscription_is_told_to_the_client_that_waits_for_it_alone() {
    let mut rig = ProtocolRig::opening(alice());
    assert_eq!(rig.fail().requests, []);
    let told = rig.last_message();
    assert!(told.contains("\"id\":1") && told.contains("too many feeds"), "{told}");
    assert_eq!(rig.session.subscription_count(), 0);
    let mut rig = ProtocolRig::opening(with(&[]));
    assert_eq!(rig.fail().reviews, [ReviewRequest::Forget(1)]);
    let mut rig = ProtocolRig::opening(alice());
    rig.hear(&unsubscribe());
    rig.fail();
    assert_eq!(rig.last_message(), "", "the client doesn't wait for it");
}

#[test]
fn a_view_that_opens_twice_at_once_is_the_same_view_once() {
    let mut rig = ProtocolRig::slow(alice());
    for id in [1, 2] {
        rig.subscribe(id);
    }
    for _ in 0..2 {
        rig.answer();
    }
    let is_second = rig.desk.late.iter().map(|effect| match effect {
        Effect::Open(open) => open.choose(|_| false).expect("a feed").1,
        effect => panic!("{effect:?}"),
    });
    assert_eq!(is_second.collect::<Vec<_>>(), [false, true]);
}

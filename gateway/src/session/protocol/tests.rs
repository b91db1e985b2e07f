//! The bounds of one session, without a socket and without hubs.

use std::collections::VecDeque;

use serde_json::json;
use shared::frame::server::{Challenge, Cluster, Kinds, LoginMode, Wanted};

use super::*;
use crate::access::{Identity, Rights, SessionId};
use crate::feed::FeedKey;
use crate::limits::{FRAMES_AT_ONCE, SUBSCRIBES_PER_S, SUBSCRIPTIONS_MAX};

mod logs;
mod opening;
mod past;
mod rights;

/// A gateway that does what is asked of it.
#[derive(Default)]
struct Desk {
    last_key: SubscriberKey,
    /// What was opened last.
    last_feed: Option<FeedKey>,
    had_token: bool,
    is_revoked: bool,
    renewed: Option<Login>,
    /// Requests to count or to open wait until the test lets them through.
    is_slow: bool,
    late: VecDeque<Effect>,
}

/// All that follows from an action.
#[derive(Default)]
struct Outcome {
    requests: Vec<((), HubRequest)>,
    reviews: Vec<ReviewRequest>,
    close: Option<Close>,
}

impl Desk {
    fn answer(&mut self, effect: Effect, outcome: &mut Outcome) -> Option<Action<String, ()>> {
        match effect {
            Effect::Count(_) | Effect::Open(_) if self.is_slow => self.late.push_back(effect),
            Effect::Count(answer) => return Some(Action::Counted(answer, Ok(()))),
            Effect::NumberView(answer) => return Some(Action::Numbered(answer, 0)),
            Effect::Open(open) => return Some(self.open(&open)),
            Effect::ReadPast(request) => self.late.push_back(Effect::ReadPast(request)),
            Effect::FindChildren(request) => self.late.push_back(Effect::FindChildren(request)),
            Effect::OpenLog(_) | Effect::CloseLog(_) => self.late.push_back(effect),
            Effect::Challenge => {
                let asked = Challenge { nonce: "n".into(), wanted: Wanted::Proof };
                return Some(Action::Challenged(Some(asked)));
            }
            Effect::Login(_, asked) => {
                let nothing = || Problem::new(Reason::Unauthorized, "nothing was asked");
                return Some(Action::Login(asked.map(|_| page(2 * END_MS)).ok_or_else(nothing)));
            }
            Effect::Review(request) => outcome.reviews.push(request),
            Effect::Record(_) | Effect::RetryClusters | Effect::CountMismatch => {}
        }
        None
    }

    fn open(&mut self, open: &OpenRequest) -> Action<String, ()> {
        let (feed, _) = open.choose(|_| false).expect("a feed");
        self.last_key += 1;
        self.last_feed = Some(feed.clone());
        self.had_token = open.request.token.is_some();
        Action::Opened(open.answer, Ok(Opened { key: self.last_key, hub: (), feed }))
    }
}

fn surroundings() -> Surroundings {
    let cluster = json!({ "name": "demo", "id": "c", "kinds": "k" });
    let identity: Cluster = serde_json::from_value(cluster).expect("a cluster");
    let pods = json!({ "group": "", "version": "v1", "resource": "pods" });
    let kind = json!({ "resource": pods, "kind": "Pod", "namespaced": true, "watch": true });
    let kinds: Kinds =
        serde_json::from_value(json!({ "cluster": "demo", "digest": "k", "kinds": [kind] })).expect("kinds");
    let cluster = KnownCluster { identity, kinds: Arc::new(kinds), reach: Reach::Reached(0) };
    Surroundings { clusters: vec![cluster], records: true, ..Surroundings::default() }
}

fn alice() -> Login {
    Login {
        identity: Identity::new("alice").expect("a name"),
        expires_ms: None,
        session: None,
        rights: Rights::OfGateway,
        mode: LoginMode::Local,
        provider: None,
    }
}

const END_MS: i64 = 12 * 60 * 60 * 1_000;

/// A page whose key proved it, until then.
fn page(expires_ms: i64) -> Login {
    let session = SessionId::parse("AAAAAAAAAAAAAAAAAAAAAA").map(LoginSession::Key);
    Login { expires_ms: Some(expires_ms), session, ..alice() }
}

struct ProtocolRig {
    session: Session<()>,
    desk: Desk,
    now: Now,
}

impl ProtocolRig {
    /// A session whose `welcome` went out.
    fn new() -> Self {
        Self::of(alice())
    }

    fn of(login: Login) -> Self {
        let session = Session::new(login, &[], surroundings(), Now::default());
        let mut rig = Self { session, desk: Desk::default(), now: Now::default() };
        while rig.session.next_message().is_some() {}
        rig.written();
        rig
    }

    fn apply(&mut self, action: Action<String, ()>) -> Outcome {
        let mut outcome = Outcome::default();
        let mut actions = VecDeque::from([action]);
        while let Some(action) = actions.pop_front() {
            let effects = self.session.apply(action, self.now);
            for effect in effects.effects {
                actions.extend(self.desk.answer(effect, &mut outcome));
            }
            outcome.requests.extend(effects.requests);
            outcome.close = outcome.close.or(effects.close);
        }
        outcome
    }

    fn deadline(&mut self) -> Outcome {
        let look = match self.desk.renewed.take() {
            _ if self.desk.is_revoked => LoginLook::Ended,
            Some(login) => LoginLook::Renewed(Box::new(login)),
            None => LoginLook::Same,
        };
        self.apply(Action::Deadline(look))
    }

    fn hear(&mut self, frame: &serde_json::Value) -> Outcome {
        self.apply(Action::Text(frame.to_string()))
    }

    fn subscribe(&mut self, id: usize) -> Outcome {
        let resource = json!({ "group": "", "version": "v1", "resource": "pods" });
        self.hear(&json!({ "subscribe": { "id": id, "scope": { "resource": resource } } }))
    }

    fn requests(&mut self, action: Action<String, ()>) -> Vec<HubRequest> {
        self.apply(action).requests.into_iter().map(|((), request)| request).collect()
    }

    fn hub(&mut self, message: ToSession) -> Vec<HubRequest> {
        self.requests(Action::Hub(message))
    }

    /// The last of the messages that wait, when all have gone out.
    fn last_message(&mut self) -> String {
        let mut last = String::new();
        while let Some(message) = self.session.next_message() {
            last = String::from_utf8_lossy(&message.bytes).into_owned();
        }
        last
    }

    fn written(&mut self) -> Vec<HubRequest> {
        self.requests(Action::Written)
    }
}

fn one_frame() -> Delivery {
    let message = Encoded::new(&ServerFrame::Pong(Pong { n: 1 })).expect("a frame");
    Delivery { messages: vec![Arc::new(message)], ..Default::default() }
}

/// R-NET-3
#[test]
fn r_net_3_one_subscription_more_than_1024_is_refused_until_one_is_closed() {
    let mut rig = ProtocolRig::new();
    for id in 0..SUBSCRIPTIONS_MAX {
        // At the rate that is allowed.
        rig.now.monotonic_ms += 1_000 / SUBSCRIBES_PER_S;
        rig.subscribe(id);
        assert_eq!(rig.last_message(), "", "{id}");
    }
    rig.now.monotonic_ms += 1_000;
    rig.subscribe(SUBSCRIPTIONS_MAX);
    let told = rig.last_message();
    assert!(told.contains("\"Limit\"") && told.contains("1024"), "{told}");
    let closed = rig.hear(&json!({ "unsubscribe": { "id": 3 } }));
    assert!(matches!(closed.requests[..], [((), HubRequest::Close(_))]), "the others live");
    rig.now.monotonic_ms += 1_000;
    rig.subscribe(SUBSCRIPTIONS_MAX);
    assert_eq!(rig.last_message(), "");
}

/// R-NET-4
#[test]
fn r_net_4_the_hubs_know_among_how_many_feeds_a_connection_has_timelines() {
    let mut rig = ProtocolRig::new();
    let resource = json!({ "group": "", "version": "v1", "resource": "pods" });
    for (id, phase) in ["Running", "Running", "Pending"].into_iter().enumerate() {
        let scope = json!({ "resource": resource, "fields": format!("status.phase={phase}") });
        rig.hear(&json!({ "subscribe": { "id": id, "scope": scope, "projection": "timeline" } }));
    }
    rig.subscribe(9);
    assert_eq!(rig.session.flow.permit().log_feeds(), 2);
    rig.hear(&json!({ "unsubscribe": { "id": 2 } }));
    assert_eq!(rig.session.flow.permit().log_feeds(), 1);
}

/// R-NET-2
#[test]
fn r_net_2_frames_that_are_answered_for_ever_end_the_connection() {
    for frame in [
        json!({ "ping": { "n": 1 } }),
        json!({ "unsubscribe": { "id": 9 } }),
        json!({ "retry": { "id": 9 } }),
        json!({ "subscribe": { "id": 1, "scope": {} } }),
    ] {
        let mut rig = ProtocolRig::new();
        let closed = (0..2 * FRAMES_AT_ONCE).find_map(|_| {
            let close = rig.hear(&frame).close;
            rig.last_message();
            close
        });
        assert_eq!(closed.map(|close| close.code), Some(close::POLICY), "{frame}");
    }
    // A client that acknowledges what it gets is never too fast.
    let mut rig = ProtocolRig::new();
    rig.subscribe(1);
    for _ in 0..2 * FRAMES_AT_ONCE {
        rig.hub(ToSession::News(1));
        rig.hub(ToSession::Delivery(1, one_frame()));
        rig.last_message();
        assert!(rig.hear(&json!({ "ack": { "bytes": 1 } })).close.is_none());
    }
}

#[test]
fn a_session_that_waits_for_nothing_offers_its_permit_and_pulls_nothing_until_it_is_back() {
    let mut rig = ProtocolRig::new();
    for id in 0..2 {
        rig.subscribe(id);
    }
    let hub = rig.session.flow.permit().clone();
    assert!(hub.take(), "nothing waits");
    // The answer to a former pull, for a subscription that is closed.
    assert!(rig.hub(ToSession::Delivery(9, one_frame())).is_empty());
    assert!(!hub.take(), "the hub still has it");
    assert!(rig.hub(ToSession::News(2)).is_empty(), "a delivery is on its way");
    assert!(rig.hub(ToSession::Pushed(1, one_frame())).is_empty(), "it isn't out yet");
    assert!(!hub.take());
    rig.last_message();
    assert_eq!(rig.written(), [HubRequest::Pull(2)]);
    assert!(!hub.take(), "one delivery at a time");
    rig.hub(ToSession::Delivery(2, one_frame()));
    rig.last_message();
    assert!(rig.written().is_empty());
    assert!(hub.take());
}

#[test]
fn a_message_larger_than_a_socket_takes_ends_its_own_subscription_with_a_problem() {
    let mut rig = ProtocolRig::new();
    for id in [5, 6] {
        rig.subscribe(id);
    }
    let delivery = |bytes| {
        let message = Encoded { bytes: vec![b'x'; bytes].into(), is_text: true };
        Delivery { messages: vec![Arc::new(message)], ..Delivery::default() }
    };
    rig.hub(ToSession::Delivery(1, delivery(MESSAGE_BYTES_MAX)));
    assert_eq!(rig.last_message().len(), MESSAGE_BYTES_MAX, "the largest that there may be");
    let effects = rig.apply(Action::Hub(ToSession::Delivery(1, delivery(MESSAGE_BYTES_MAX + 1))));
    assert!(effects.close.is_none() && effects.requests.contains(&((), HubRequest::Close(1))));
    let told = rig.last_message();
    assert!(told.contains("\"id\":5") && told.contains("TooLarge") && told.contains("kubectl get"), "{told}");
    rig.hub(ToSession::Delivery(2, delivery(9)));
    assert_eq!(rig.last_message().len(), 9, "the other lives");
}

fn auth() -> serde_json::Value {
    json!({ "auth": { "credential": { "proof": { "session": "s", "signature": "x" } } } })
}

/// R-AUTHN-10
#[test]
fn r_authn_10_a_page_is_asked_for_another_proof_and_goes_on_and_an_answer_counts_once() {
    let mut rig = ProtocolRig::of(page(END_MS));
    rig.subscribe(1);
    rig.last_message();
    rig.now.unix_ms = 60 * 60 * 1_000;
    assert!(rig.deadline().close.is_none());
    assert_eq!(rig.last_message(), r#"{"challenge":{"nonce":"n"}}"#);
    assert!(rig.hear(&auth()).close.is_none());
    assert_eq!(rig.last_message(), format!(r#"{{"auth":{{"user":"alice","expires_ms":{}}}}}"#, 2 * END_MS));
    rig.now.unix_ms = END_MS + 60 * 60 * 1_000;
    rig.now.monotonic_ms = 1_000;
    assert!(rig.deadline().close.is_none(), "it ends later now");
    rig.last_message();
    assert!(rig.hear(&auth()).close.is_none(), "asked again");
    let close = rig.hear(&auth()).close.expect("nothing was asked");
    assert_eq!(close.code, close::UNAUTHORIZED);
}

/// R-AUTHN-10
#[test]
fn r_authn_10_a_credential_is_looked_at_to_its_end_before_another() {
    let mut rig = ProtocolRig::new();
    let is_looked_at = |rig: &mut ProtocolRig| {
        let effects = rig.session.apply(Action::Text(auth().to_string()), rig.now).effects;
        effects.iter().any(|effect| matches!(effect, Effect::Login(..)))
    };
    assert!(is_looked_at(&mut rig));
    assert!(
        !is_looked_at(&mut rig),
        "whoever sends one after another never hears that the first is nobody's"
    );
    assert!(rig.last_message().contains("wait for the answer"));
    assert!(rig.apply(Action::Login(Ok(alice()))).close.is_none());
    assert!(is_looked_at(&mut rig));
}

/// R-AUTHN-9
#[test]
fn r_authn_9_a_login_that_nobody_renews_is_over_to_the_millisecond_and_its_client_was_told() {
    let mut rig = ProtocolRig::of(page(END_MS));
    let mut said = Vec::new();
    let close = loop {
        // As the socket's loop does.
        let deadline_ms = rig.session.deadline(rig.now);
        let passed_ms = deadline_ms.saturating_sub(rig.now.monotonic_ms);
        rig.now.monotonic_ms = deadline_ms;
        rig.now.unix_ms += i64::try_from(passed_ms).expect("short");
        if rig.now.monotonic_ms.is_multiple_of(60_000) {
            rig.apply(Action::Heartbeat);
        }
        rig.apply(Action::Heartbeat);
        let effects = rig.deadline();
        let message = rig.last_message();
        if !message.is_empty() {
            said.push((END_MS - rig.now.unix_ms, message));
        }
        if let Some(close) = effects.close {
            break close;
        }
    };
    assert_eq!((close.code, rig.now.unix_ms), (close::UNAUTHORIZED, END_MS));
    let [(_, asked), (told_ms, told)] = said.as_slice() else { panic!("{said:?}") };
    assert!(asked.contains("challenge") && told.contains("\"auth\""), "{said:?}");
    assert_eq!(*told_ms, 60_000);
}

/// R-AUTHN-11
#[test]
fn r_authn_11_a_revoked_session_ends_within_a_second_and_says_how_to_get_in_again() {
    let mut rig = ProtocolRig::of(page(END_MS));
    rig.desk.is_revoked = true;
    assert!(rig.session.deadline(rig.now) < 1_000);
    let close = rig.deadline().close.expect("it was revoked");
    assert_eq!(close.code, close::UNAUTHORIZED);
    let Some(ServerFrame::Problem(last)) = close.last.as_deref() else { panic!("{close:?}") };
    assert!(last.problem.message.contains("dogwatch url"), "{last:?}");
}

/// A login by a cookie, until then.
fn signed_in(user: &str, expires_ms: i64) -> Login {
    let key = serde_json::from_value(json!({ "i": "1", "s": "a", "b": 0, "n": expires_ms })).expect("a key");
    let identity = Identity::new(user).expect("a name");
    let session = Some(LoginSession::Cookie(Arc::new(key)));
    Login { identity, expires_ms: Some(expires_ms), session, ..alice() }
}

#[test]
fn a_session_that_was_renewed_goes_on_without_a_new_credential_and_its_client_is_told() {
    let mut rig = ProtocolRig::of(signed_in("alice", 90_000));
    while rig.session.next_message().is_some() {}
    rig.desk.renewed = Some(signed_in("alice", END_MS));
    assert!(rig.session.deadline(rig.now) < 1_000);
    assert!(rig.deadline().close.is_none());
    let told = rig.session.next_message().expect("told");
    assert_eq!(
        std::str::from_utf8(&told.bytes).expect("text"),
        format!("{{\"auth\":{{\"user\":\"alice\",\"expires_ms\":{END_MS}}}}}")
    );
    rig.now.unix_ms = 91_000;
    assert!(rig.deadline().close.is_none(), "the former end has passed");
    rig.desk.renewed = Some(signed_in("bob", END_MS));
    assert_eq!(rig.deadline().close.expect("another's").code, close::OTHER_IDENTITY);
}

/// R-AUTHN-11
#[test]
fn r_authn_11_a_session_of_a_cookie_that_was_ended_says_to_sign_in_again() {
    let mut rig = ProtocolRig::of(signed_in("alice", END_MS));
    rig.desk.is_revoked = true;
    let close = rig.deadline().close.expect("it was ended");
    let Some(ServerFrame::Problem(last)) = close.last.as_deref() else { panic!("{close:?}") };
    assert_eq!(close.code, close::UNAUTHORIZED);
    assert!(last.problem.message.contains("sign in again"), "{last:?}");
}

#[test]
fn kinds_that_a_client_has_are_not_sent_again() {
    let said = |cluster: &str, kinds: &str| {
        let has = [Has { cluster: cluster.into(), kinds: kinds.into() }];
        let mut session = Session::<()>::new(alice(), &has, surroundings(), Now::default());
        std::iter::from_fn(|| session.next_message()).count()
    };
    assert_eq!(said("c", "k"), 1, "only welcome");
    assert_eq!((said("c", "other"), said("another cluster", "k")), (2, 2));
}

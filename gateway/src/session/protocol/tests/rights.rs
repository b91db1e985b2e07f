//! A session of a viewer whose rights are reviewed: nothing is opened before its grant.

use crate::access::Grant;
use crate::cluster::{Subject, UpstreamIdentity};

use shared::name::Namespace;
use shared::scope::Namespaces;

use super::*;

fn subject(groups: &[&str]) -> Arc<Subject> {
    let groups = groups.iter().map(|group| (*group).into()).collect();
    Arc::new(Subject { user: "alice".into(), uid: "".into(), groups, extra: [].into() })
}

pub(super) fn with(groups: &[&str]) -> Login {
    Login { rights: Rights::OfViewer(subject(groups)), ..alice() }
}

/// With feeds of the viewer's own.
pub(super) fn own(groups: &[&str]) -> Login {
    let subject = subject(groups);
    let upstream = UpstreamIdentity::by_token(&subject);
    Login { rights: Rights::AsViewer(subject, upstream), ..alice() }
}

pub(super) fn within(name: &str) -> Grant {
    within_these(&[name])
}

fn within_these(names: &[&str]) -> Grant {
    let names = names.iter().map(|name| Namespace::parse(name).expect("a name"));
    Grant::Within(Namespaces::these(names.collect()).expect("some"))
}

pub(super) fn refused() -> Grant {
    Grant::Refused(Problem::new(Reason::Forbidden, "you may not list pods"))
}

impl ProtocolRig {
    /// How many subscriptions were opened at a hub so far, and how many are closed by this grant.
    fn granted(&mut self, grant: Grant) -> (SubscriberKey, usize) {
        let closed = self.requests(Action::Granted(1, grant));
        assert!(closed.iter().all(|request| matches!(request, HubRequest::Close(_))), "{closed:?}");
        (self.desk.last_key, closed.len())
    }
}

#[test]
fn a_subscription_waits_for_its_grant_and_follows_each_change_of_it() {
    let mut rig = ProtocolRig::of(with(&[]));
    let asked = rig.subscribe(1).reviews;
    assert!(matches!(&asked[..], [ReviewRequest::Watch(1, _, of, _)] if *of == subject(&[])), "{asked:?}");
    assert_eq!((rig.desk.last_key, rig.last_message()), (0, String::new()), "nothing is opened");
    rig.subscribe(1);
    assert!(rig.last_message().contains("open already"));

    assert_eq!(rig.granted(refused()), (0, 0));
    let told = rig.last_message();
    assert!(told.contains("\"forbidden\"") && told.contains("you may not list pods"), "{told}");
    assert_eq!(rig.granted(within("shop")), (1, 0));
    assert_eq!(rig.granted(within("shop")), (1, 0), "the same again changes nothing");
    assert_eq!(rig.granted(Grant::Whole), (2, 1), "opened anew");
    assert_eq!(rig.granted(refused()), (2, 1));
    rig.hear(&json!({ "retry": { "id": 1 } }));
    assert!(rig.last_message().contains("\"forbidden\""), "a retry is no mistake");
    assert_eq!(rig.granted(Grant::Whole), (3, 0));

    let ended = rig.hear(&json!({ "unsubscribe": { "id": 1 } }));
    assert_eq!((ended.requests.len(), ended.reviews), (1, vec![ReviewRequest::Forget(1)]));
    assert_eq!(rig.granted(Grant::Whole), (3, 0), "what comes after is of nobody");
    rig.subscribe(1);
    rig.hear(&json!({ "unsubscribe": { "id": 1 } }));
    assert_eq!(rig.last_message(), "", "it was known before it was granted");
}

#[test]
fn a_token_is_of_the_first_grant_alone_whatever_that_one_is() {
    for first in [within("shop"), Grant::Whole, Grant::Listed(Namespaces::All)] {
        let mut rig = ProtocolRig::of(with(&[]));
        let scope = json!({ "resource": { "group": "", "version": "v1", "resource": "pods" } });
        let token =
            json!({ "cluster": "c", "columns": "", "epoch": "e", "sequence": "1", "resource_version": "1" });
        rig.hear(&json!({ "subscribe": { "id": 1, "scope": scope, "token": token } }));
        rig.granted(first);
        assert!(rig.desk.had_token, "the hub decides whether it holds");
        rig.granted(within("vault"));
        assert!(!rig.desk.had_token, "the client moved on since");
    }
}

#[test]
fn a_question_about_a_kind_is_answered_once_and_opens_nothing() {
    let ask = |id: u32, resource: &str| {
        let resource = json!({ "group": "", "version": "v1", "resource": resource });
        json!({ "rights": { "id": id, "resource": resource } })
    };
    let mut rig = ProtocolRig::of(with(&["dev"]));
    let asked = rig.hear(&ask(1, "pods")).reviews;
    assert!(
        matches!(&asked[..], [ReviewRequest::Watch(1, _, of, _)] if *of == subject(&["dev"])),
        "{asked:?}"
    );
    rig.subscribe(1);
    assert!(rig.last_message().contains("open already"));
    let again = rig.apply(Action::Login(Ok(with(&["ops"])))).reviews;
    assert!(
        matches!(&again[..], [ReviewRequest::Watch(1, _, of, _)] if *of == subject(&["ops"])),
        "{again:?}"
    );
    for (grant, expected) in [
        (Grant::Whole, r#""resource":"pods"},"watch":true}"#),
        (within_these(&["shop", "vault"]), r#"},"namespaces":["shop","vault"],"watch":true}"#),
        (Grant::Listed(Namespaces::All), r#""resource":"pods"}}"#),
        (refused(), r#""problem":{"reason":"Forbidden","message":"you may not list pods"}}"#),
    ] {
        rig.hear(&ask(1, "pods"));
        let answered = rig.apply(Action::Granted(1, grant));
        assert_eq!(answered.reviews, [ReviewRequest::Forget(1)]);
        assert!(answered.requests.is_empty() && rig.desk.last_key == 0, "nothing is opened");
        let told = rig.last_message();
        assert!(told.starts_with(r#"{"rights":{"id":1,"#) && told.contains(expected), "{told}");
        assert_eq!(rig.apply(Action::Granted(1, Grant::Whole)).reviews, [], "it is answered");
    }
    assert_eq!(rig.hear(&ask(2, "unicorns")).reviews, []);
    assert!(rig.last_message().starts_with("{\"problem\""), "nothing of this name is served");
    let mut own = ProtocolRig::new();
    assert_eq!(own.hear(&ask(1, "pods")).reviews, []);
    assert!(own.last_message().contains("aren't reviewed"));
}

#[test]
fn one_object_that_is_refused_is_a_problem_and_nothing_stays() {
    let mut rig = ProtocolRig::of(with(&[]));
    let resource = json!({ "group": "", "version": "v1", "resource": "pods" });
    let scope = json!({ "resource": resource, "namespaces": ["shop"], "name": "web" });
    rig.hear(&json!({ "get": { "id": 1, "scope": scope } }));
    rig.granted(refused());
    let told = rig.last_message();
    assert!(told.starts_with("{\"problem\"") && told.contains("\"id\":1"), "{told}");
    assert_eq!(rig.session.subscription_count(), 0);
}

#[test]
fn other_groups_are_reviewed_anew_and_the_same_ones_are_not() {
    let mut rig = ProtocolRig::of(with(&["dev"]));
    rig.subscribe(1);
    assert_eq!(rig.apply(Action::Login(Ok(with(&["dev"])))).reviews, []);
    let again = rig.apply(Action::Login(Ok(with(&["ops"])))).reviews;
    assert!(
        matches!(&again[..], [ReviewRequest::Watch(1, _, of, _)] if *of == subject(&["ops"])),
        "{again:?}"
    );
    assert_eq!(rig.last_message(), "", "nobody asked for a login");
    let other = Login { identity: Identity::new("bob").expect("a name"), ..with(&[]) };
    let closed = rig.apply(Action::Login(Ok(other))).close.expect("another person");
    assert_eq!(closed.code, close::OTHER_IDENTITY);
}

#[test]
fn a_viewers_own_feed_is_asked_as_them_and_of_one_namespace_or_of_all() {
    let mut rig = ProtocolRig::of(own(&["dev"]));
    rig.subscribe(1);
    let feed = |rig: &ProtocolRig| {
        let feed = rig.desk.last_feed.clone().expect("opened");
        assert_eq!(feed.upstream, UpstreamIdentity::by_token(&subject(&["dev"])));
        feed.namespace.map(|namespace| namespace.to_string())
    };
    assert_eq!(rig.granted(within("shop")), (1, 0));
    assert_eq!(feed(&rig).as_deref(), Some("shop"));
    // Several are for the client to ask for one by one; this one goes on to say which they are.
    assert_eq!(rig.granted(within_these(&["shop", "vault"])), (1, 1));
    let told = rig.last_message();
    assert!(told.contains("\"namespaces\":[\"shop\",\"vault\"]"), "{told}");
    assert!(told.contains("\"forbidden\"") && told.contains("in 2 namespaces"), "{told}");
    assert_eq!(rig.granted(Grant::Whole), (2, 0));
    assert_eq!(feed(&rig), None);
}

#[test]
fn what_was_asked_for_as_another_is_left_at_once_and_granted_anew() {
    let mut rig = ProtocolRig::of(own(&["dev"]));
    rig.subscribe(1);
    assert_eq!(rig.granted(Grant::Whole), (1, 0));
    let same = rig.apply(Action::Login(Ok(own(&["dev"]))));
    assert!(same.requests.is_empty() && same.reviews.is_empty(), "a newer token is of the same viewer");
    let other = rig.apply(Action::Login(Ok(own(&["ops"]))));
    assert!(matches!(&other.requests[..], [(_, HubRequest::Close(1))]), "{:?}", other.requests);
    assert_eq!(other.reviews.len(), 1);
    assert_eq!(rig.granted(Grant::Whole), (2, 0), "the same grant opens another feed");
    let feed = rig.desk.last_feed.clone().expect("opened");
    assert_eq!(feed.upstream, UpstreamIdentity::by_token(&subject(&["ops"])));
}

//! A session of a viewer whose rights are reviewed: nothing is opened before its grant.

use crate::access::Grant;
use crate::cluster::Subject;

use shared::name::Namespace;
use shared::scope::Namespaces;

use super::*;

fn subject(groups: &[&str]) -> Arc<Subject> {
    let groups = groups.iter().map(|group| (*group).into()).collect();
    Arc::new(Subject { user: "alice".into(), uid: "".into(), groups, extra: [].into() })
}

fn with(groups: &[&str]) -> Login {
    Login { rights: Rights::OfViewer(subject(groups)), ..alice() }
}

fn within(name: &str) -> Grant {
    let namespace = Namespace::parse(name).expect("a name");
    Grant::Within(Namespaces::these(vec![namespace]).expect("one"))
}

fn refused() -> Grant {
    Grant::Refused(Problem::new(Reason::Forbidden, "you may not list pods"))
}

impl Rig {
    /// How many subscriptions were opened at a hub so far, and how many are closed by this grant.
    fn granted(&mut self, grant: Grant) -> (SubscriberKey, usize) {
        let closed = self.requests(Action::Granted(1, grant));
        assert!(closed.iter().all(|request| matches!(request, HubRequest::Close(_))), "{closed:?}");
        (self.desk.last_key.get(), closed.len())
    }
}

#[test]
fn a_subscription_waits_for_its_grant_and_follows_each_change_of_it() {
    let mut rig = Rig::of(with(&[]));
    let asked = rig.subscribe(1).reviews;
    assert!(matches!(&asked[..], [ReviewRequest::Watch(1, of, _)] if *of == subject(&[])), "{asked:?}");
    assert_eq!((rig.desk.last_key.get(), rig.last_message()), (0, String::new()), "nothing is opened");
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
fn one_object_that_is_refused_is_a_problem_and_nothing_stays() {
    let mut rig = Rig::of(with(&[]));
    let resource = json!({ "group": "", "version": "v1", "resource": "pods" });
    let scope = json!({ "resource": resource, "namespaces": ["shop"], "name": "web" });
    rig.hear(&json!({ "get": { "id": 1, "scope": scope } }));
    rig.granted(refused());
    let told = rig.last_message();
    assert!(told.starts_with("{\"problem\"") && told.contains("\"id\":1"), "{told}");
    assert!(rig.session.reviewed.is_empty());
}

#[test]
fn other_groups_are_reviewed_anew_and_the_same_ones_are_not() {
    let mut rig = Rig::of(with(&["dev"]));
    rig.subscribe(1);
    assert_eq!(rig.apply(Action::Login(Ok(with(&["dev"])))).reviews, []);
    let again = rig.apply(Action::Login(Ok(with(&["ops"])))).reviews;
    assert!(matches!(&again[..], [ReviewRequest::Watch(1, of, _)] if *of == subject(&["ops"])), "{again:?}");
    assert_eq!(rig.last_message(), "", "nobody asked for a login");
    let other = Login { identity: Identity::new("bob").expect("a name"), ..with(&[]) };
    let closed = rig.apply(Action::Login(Ok(other))).close.expect("another person");
    assert_eq!(closed.code, close::OTHER_IDENTITY);
}

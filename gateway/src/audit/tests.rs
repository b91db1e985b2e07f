//! Each record as it is written, and who it names.

use std::sync::Arc;

use shared::frame::client::Projection;
use shared::name::{Namespace, ObjectName};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::selector::{FieldSelector, LabelSelector};

use super::record::{RecordOrigin, line};
use super::{AuditEvent, Decision, Viewer};
use crate::access::{Grant, Identity, Rights};
use crate::cluster::Subject;
use crate::subscription_request::SubscriptionRequest;

const NOW_MS: i64 = 1_795_508_059_123;
const PLACE: RecordOrigin<'_> =
    RecordOrigin { mode: "bearer", cluster: "prod", address: "unix", connection: "00000000000000a1" };

fn alice() -> (Identity, Rights) {
    let groups = ["dev", "system:authenticated"].map(Into::into).into();
    let subject = Subject { user: "alice".into(), uid: "7".into(), groups, extra: [].into() };
    (Identity::new("alice").expect("a name"), Rights::OfViewer(Arc::new(subject)))
}

/// The record of this decision about alice, without what every one of hers begins with.
fn written(decision: &Decision) -> String {
    let (identity, rights) = alice();
    let viewer = Viewer { identity: &identity, rights: &rights };
    let text = line(NOW_MS, &PLACE, Some(viewer), decision, None).expect("JSON");
    let who = ",\"user\":\"alice\",\"uid\":\"7\",\"groups\":[\"dev\",\"system:authenticated\"],\"mode\":\"bearer\",\
               \"address\":\"unix\",\"connection\":\"00000000000000a1\",\"cluster\":\"prod\"";
    assert!(text.contains(who), "{text}");
    let rest = text.strip_prefix("{\"time\":\"2026-11-24T08:14:19.123Z\",").expect("the time comes first");
    rest.replace(who, "")
}

fn names(names: &[&str]) -> Namespaces {
    let names = names.iter().map(|name| Namespace::parse(name).expect("valid")).collect();
    Namespaces::these(names).expect("some")
}

fn pods() -> Arc<SubscriptionRequest> {
    Arc::new(SubscriptionRequest::rows(3, Scope::all(Resource::parse("", "v1", "pods").expect("valid"))))
}

const OF_PODS: &str =
    "\"subscription\":3,\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"}";

fn refused() -> Grant {
    Grant::Refused(Problem::new(Reason::Forbidden, "you may not list pods"))
}

#[test]
fn r_aud_1_each_change_of_a_grant_is_what_it_means_to_the_viewer() {
    let within = || Grant::Within(names(&["a", "b"]));
    for (before, grant, expected) in [
        (None, Grant::Whole, AuditEvent::Subscribe),
        (None, within(), AuditEvent::Subscribe),
        (None, refused(), AuditEvent::Deny),
        (Some(refused()), refused(), AuditEvent::Deny),
        (Some(refused()), within(), AuditEvent::Subscribe),
        (Some(Grant::Whole), within(), AuditEvent::Scope),
        (Some(within()), Grant::Whole, AuditEvent::Scope),
        (Some(within()), refused(), AuditEvent::Revoke),
        (Some(Grant::Whole), refused(), AuditEvent::Revoke),
    ] {
        let decision = Decision::reviewed(before.as_ref(), &grant, &pods());
        assert_eq!(decision.event, expected, "{before:?} {grant:?}");
    }
    let get = Arc::new(SubscriptionRequest { is_get: true, ..(*pods()).clone() });
    assert_eq!(Decision::reviewed(None, &Grant::Whole, &get).event, AuditEvent::Get);
}

#[test]
fn r_aud_1_a_subscription_says_what_was_asked_for_and_what_of_it_is_shown() {
    let decision = Decision::reviewed(None, &Grant::Within(names(&["a", "b"])), &pods());
    assert_eq!(
        written(&decision),
        format!(
            "\"event\":\"subscribe\",\"decision\":\"allow\",\
             \"reason\":\"the API server's review allows it in these namespaces alone\",\
             {OF_PODS},\"granted\":[\"a\",\"b\"],\"projection\":\"rows\"}}"
        )
    );
    let scope = Scope {
        namespaces: names(&["shop"]),
        name: ObjectName::parse("web").ok(),
        labels: LabelSelector::parse("app=web").ok(),
        fields: FieldSelector::parse("spec.nodeName=n").ok(),
        ..pods().scope.clone()
    };
    let request = SubscriptionRequest { scope, projection: Projection::Timeline, ..(*pods()).clone() };
    assert_eq!(
        written(&Decision::reviewed(Some(&Grant::Whole), &refused(), &Arc::new(request))),
        format!(
            "\"event\":\"revoke\",\"decision\":\"deny\",\"reason\":\"you may not list pods\",\
             {OF_PODS},\"namespaces\":[\"shop\"],\"name\":\"web\",\"labels\":\"app=web\",\
             \"fields\":\"spec.nodeName=n\",\"projection\":\"timeline\"}}"
        )
    );
}

#[test]
fn r_aud_1_a_login_names_who_it_is_and_a_refused_one_how_many_before_it_have_no_record() {
    assert_eq!(
        written(&Decision::renewed()),
        "\"event\":\"login\",\"decision\":\"allow\",\"reason\":\"the login was confirmed on the open connection\"}"
    );
    assert_eq!(
        written(&Decision::unconfirmed()),
        "\"event\":\"unconfirmed\",\"decision\":\"allow\",\"reason\":\"the identity provider didn't say whether \
         the login goes on, and for a while it does\"}"
    );
    assert_eq!(
        written(&Decision::logged_out("the session was ended")),
        "\"event\":\"logout\",\"reason\":\"the session was ended\"}"
    );
    let refused =
        Decision::refused(&Problem::new(Reason::Unauthorized, "the cluster knows no \"such\"\ntoken"));
    let place = RecordOrigin { address: "127.0.0.1:51044", ..PLACE };
    assert_eq!(
        line(NOW_MS, &place, None, &refused, Some(12)).expect("JSON"),
        "{\"time\":\"2026-11-24T08:14:19.123Z\",\"event\":\"login-refused\",\"decision\":\"deny\",\
         \"reason\":\"the cluster knows no \\\"such\\\"\\ntoken\",\"mode\":\"bearer\",\
         \"address\":\"127.0.0.1:51044\",\"connection\":\"00000000000000a1\",\"cluster\":\"prod\",\"left_out\":12}"
    );
}

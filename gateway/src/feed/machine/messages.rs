//! The sentences for a refusal, made from its code and from the request, never from the server's text.

use shared::problem::{Problem, Reason};
use shared::state::Whom;

use crate::cluster::{Failure, Refusal, UpstreamIdentity};
use crate::feed::FeedKey;

/// The feed's objects in words: `pods in the namespace shop`.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    what: String,
    resource: String,
    selects: bool,
    asks: Asks,
}

/// The account that asks the API server, which lacks a right if the API server refuses.
#[derive(Clone, Copy, Debug)]
enum Asks {
    /// The viewer, by their kubeconfig or their token.
    Viewer,
    /// The gateway, for viewers that may see what it asks for.
    Gateway,
    /// The gateway in the name of such a viewer.
    GatewayAsViewer,
}

impl Subject {
    pub(super) fn of(key: &FeedKey, is_reviewed: bool) -> Self {
        let what = match (&key.name, &key.namespace) {
            (Some(name), Some(namespace)) => format!("{} {name} in the namespace {namespace}", key.resource),
            (Some(name), None) => format!("{} {name}", key.resource),
            (None, Some(namespace)) => format!("{} in the namespace {namespace}", key.resource),
            (None, None) => format!("{} in the whole cluster", key.resource),
        };
        let asks = match key.upstream {
            UpstreamIdentity::Gateway if is_reviewed => Asks::Gateway,
            // In mode `local` the kubeconfig is the viewer's.
            UpstreamIdentity::Gateway | UpstreamIdentity::Token(_) => Asks::Viewer,
            UpstreamIdentity::Impersonated(_) => Asks::GatewayAsViewer,
        };
        Self { what, resource: key.resource.to_string(), selects: key.fields.is_some(), asks }
    }

    /// The account that lacks the right, as the viewer is told.
    pub(super) fn whom(&self) -> Whom {
        match self.asks {
            Asks::Viewer => Whom::You,
            Asks::Gateway | Asks::GatewayAsViewer => Whom::Gateway,
        }
    }

    pub(super) fn problem(&self, failure: &Failure) -> Problem {
        match failure {
            Failure::Broken(problem) => problem.clone(),
            Failure::Refused(refusal) => {
                let sentence = self.sentence(refusal);
                let message = match &refusal.message {
                    Some(said) => format!("{sentence}: {said}"),
                    None => sentence,
                };
                Problem::new(refusal.reason(), message)
            }
        }
    }

    fn sentence(&self, refusal: &Refusal) -> String {
        let what = &self.what;
        match refusal.code {
            400 | 422 if self.selects => {
                format!("the API server can't select {what} by that field; choose another field selector")
            }
            401 => "the API server doesn't accept the credential any more; log in again".to_owned(),
            403 => match self.asks {
                Asks::Viewer => format!("you may not list {what}; ask for the right to list and watch them"),
                Asks::Gateway => format!(
                    "the gateway may not list {what}; its own account needs the right to list and watch them"
                ),
                Asks::GatewayAsViewer => format!(
                    "the gateway may not list {what} in your name; its own account needs the right to impersonate you"
                ),
            },
            404 => {
                format!(
                    "the cluster doesn't serve {}: its definition is gone or its server is down",
                    self.resource
                )
            }
            406 => format!("the API server can't send {what} as JSON"),
            410 => "the watch fell too far behind and is listed anew".to_owned(),
            429 if refusal.message.is_some() => "the API server asks to wait".to_owned(),
            429 => "the API server is busy and asks to wait".to_owned(),
            503 => "the API server isn't ready".to_owned(),
            504 => "the API server did not answer in time".to_owned(),
            code => {
                let id = refusal.audit_id.as_ref();
                let id = id.map(|id| format!(" (request {id} of its audit log)")).unwrap_or_default();
                format!("the API server answered with HTTP {code} when asked for {what}{id}")
            }
        }
    }

    pub(super) fn no_watch(&self) -> Problem {
        let what = &self.what;
        let message = match self.asks {
            Asks::Viewer => return self.not_for_viewers(),
            Asks::Gateway => {
                format!(
                    "the gateway may list {what} but not watch them; its own account needs the right to watch"
                )
            }
            Asks::GatewayAsViewer => format!(
                "the gateway may list {what} in your name but not watch them; its own account needs the right to impersonate you there"
            ),
        };
        Problem::new(Reason::Forbidden, message)
    }

    pub(super) fn not_for_viewers(&self) -> Problem {
        let message = format!("you may list {} but not watch them; ask for the right to watch", self.what);
        Problem::new(Reason::Forbidden, message)
    }

    pub(super) fn unreadable(&self) -> Problem {
        Problem::new(
            Reason::NotKubernetes,
            format!("the answer to a request for {} can't be read", self.what),
        )
    }
}

pub(super) fn unproven() -> Problem {
    Problem::new(Reason::Unproven, "the API server hasn't confirmed this view")
}

pub(super) fn watch_is_behind() -> Problem {
    Problem::new(Reason::Unproven, "the watch stopped following the cluster and is opened anew")
}

pub(super) fn proof_timed_out() -> Problem {
    Problem::new(Reason::TimedOut, "the API server did not answer in time")
}

pub(super) fn stream_unknown() -> Problem {
    Problem::new(Reason::NotKubernetes, "the API server sent an event of an unknown type")
}

pub(super) fn cut_short() -> Problem {
    Problem::new(Reason::ConnectionClosed, "the API server ended the watch before it began")
}

#[cfg(test)]
mod tests {
    use shared::name::{ClusterName, Namespace};
    use shared::resource::Resource;

    use super::*;
    use crate::cluster::Subject as ReviewedSubject;

    #[test]
    fn a_refusal_says_where_it_holds() {
        let check = |resource, namespace: Option<&str>, place| {
            let cluster = ClusterName::parse("c").expect("a name");
            let resource = Resource::parse("", "v1", resource).expect("a resource");
            let namespace = namespace.map(|name| Namespace::parse(name).expect("a name"));
            let subject = Subject::of(&FeedKey { namespace, ..FeedKey::of(cluster, resource) }, false);
            let said = |refusal| subject.problem(&Failure::Refused(refusal)).message;
            let expected = format!("you may not list {place}; ask for the right to list and watch them");
            assert_eq!(said(Refusal::read(403, None, b"")), expected);
            let failed = Refusal {
                audit_id: Some("0b1c".into()),
                ..Refusal::read(500, None, br#"{"kind":"Status","message":"etcd:\nno leader"}"#)
            };
            let expected = format!(
                "the API server answered with HTTP 500 when asked for {place} (request 0b1c of its audit log): etcd:no leader"
            );
            assert_eq!(said(failed), expected);
            let webhook = br#"{"kind":"Status","message":"conversion webhook for acme.test/v1 failed"}"#;
            let expected = "the API server asks to wait: conversion webhook for acme.test/v1 failed";
            assert_eq!(said(Refusal::read(429, None, webhook)), expected);
            for (code, unsaid) in [(403, webhook.as_slice()), (429, b"<html>of a proxy</html>")] {
                assert_eq!(Refusal::read(code, None, unsaid).message, None);
            }
        };
        check("pods", Some("shop"), "pods in the namespace shop");
        check("pods", None, "pods in the whole cluster");
        // Kubernetes has no other place for them.
        check("nodes", None, "nodes in the whole cluster");
    }

    #[test]
    fn r_authz_15_a_refusal_of_the_gateway_is_told_as_its_own() {
        let viewer =
            ReviewedSubject { user: "alice".into(), uid: "".into(), groups: [].into(), extra: [].into() };
        let impersonated = UpstreamIdentity::impersonated(&viewer).expect("representable");
        let mine = ("you may not list pods", Whom::You);
        for (upstream, is_reviewed, (words, whom)) in [
            (UpstreamIdentity::Gateway, false, mine),
            (UpstreamIdentity::by_token(&viewer), true, mine),
            (UpstreamIdentity::Gateway, true, ("the gateway may not list pods in the whole", Whom::Gateway)),
            (impersonated, true, ("in your name; its own account needs the right", Whom::Gateway)),
        ] {
            let cluster = ClusterName::parse("c").expect("a name");
            let pods = Resource::parse("", "v1", "pods").expect("a resource");
            let subject = Subject::of(&FeedKey { upstream, ..FeedKey::of(cluster, pods) }, is_reviewed);
            let problem = subject.problem(&Failure::Refused(Refusal::read(403, None, b"")));
            assert!(problem.message.contains(words), "{problem}");
            assert_eq!(subject.whom(), whom);
        }
    }
}

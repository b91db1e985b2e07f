//! Requests in the name of a viewer: with a token of their own, over a connection that has no credential of the
//! gateway's, or with the gateway's credential and headers that impersonate them. One without a viewer's name is
//! never sent.

use std::sync::Arc;

use http::{HeaderMap, header};
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::answer::Answer;
use super::credentials::Credentials;
use super::failure::{Failure, Refusal};
use super::request::{self, ApiRequest};
use super::subject::Subject;
use super::tokens::TokenGuard;
use super::upstream::UpstreamIdentity;

impl Credentials {
    /// As [`super::Cluster::send_as`].
    pub(super) async fn send_as(
        &self,
        whom: &UpstreamIdentity,
        request: &ApiRequest,
    ) -> Result<Answer, Failure> {
        match whom {
            UpstreamIdentity::Gateway => request::send(&self.client(), request).await,
            UpstreamIdentity::Impersonated(viewer) => {
                let client = self.client();
                // The API server would take the groups of both together.
                if client.impersonates {
                    return Err(Failure::Broken(impersonates_itself()));
                }
                request::send_with(&client, &client.kube, request, viewer.headers()).await
            }
            UpstreamIdentity::Token(subject) => self.send_with_token(subject, request).await,
        }
    }

    async fn send_with_token(&self, subject: &Arc<Subject>, request: &ApiRequest) -> Result<Answer, Failure> {
        let tokens = self.tokens();
        let Some((number, authorization)) = tokens.best(subject) else {
            return Err(Failure::Refused(Refusal {
                code: UNAUTHORIZED,
                is_status: true,
                ..Refusal::default()
            }));
        };
        let client = self.client();
        let bare = client.without_credentials.client().await.map_err(Failure::Broken)?;
        let headers = HeaderMap::from_iter([(header::AUTHORIZATION, authorization)]);
        let answer = request::send_with(&client, &bare, request, headers).await;
        match &answer {
            Err(Failure::Refused(refusal)) => {
                tokens.answered(subject, number, refusal.code == UNAUTHORIZED);
            }
            Err(Failure::Broken(_)) => {}
            Ok(_) => tokens.answered(subject, number, false),
        }
        answer
    }

    /// As [`super::Cluster::may_impersonate`].
    pub(super) fn may_impersonate(&self) -> Result<(), Problem> {
        if self.client().impersonates { Err(impersonates_itself()) } else { Ok(()) }
    }

    /// As [`super::Cluster::refresh_credentials_of`].
    pub(super) async fn refresh_of(&self, whom: &UpstreamIdentity) -> Result<(), Problem> {
        match whom {
            UpstreamIdentity::Gateway | UpstreamIdentity::Impersonated(_) => self.refresh().await,
            UpstreamIdentity::Token(subject) if self.tokens().has_another(subject) => Ok(()),
            UpstreamIdentity::Token(_) => {
                let message = "the API server doesn't accept your token any more; log in again";
                Err(Problem::new(Reason::Unauthorized, message))
            }
        }
    }

    /// As [`super::Cluster::another_token`].
    pub(super) async fn another_token(&self, whom: &UpstreamIdentity) {
        let UpstreamIdentity::Token(subject) = whom else { return std::future::pending().await };
        let tokens = self.tokens();
        let mut held = tokens.held_another();
        while !tokens.has_another(subject) {
            if held.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// As [`super::Cluster::hold_token`].
    pub(super) fn hold_token(
        &self,
        whom: &UpstreamIdentity,
        token: &str,
        expires_ms: Option<UnixMillis>,
    ) -> Option<TokenGuard> {
        match whom {
            UpstreamIdentity::Token(subject) => self.tokens().hold(subject, token, expires_ms),
            UpstreamIdentity::Gateway | UpstreamIdentity::Impersonated(_) => None,
        }
    }
}

fn impersonates_itself() -> Problem {
    let message = "the kubeconfig impersonates somebody itself (`as`), so the gateway can't impersonate its viewers; \
                   take `as` out of it, or choose other --rights";
    Problem::new(Reason::Configuration, message)
}

const UNAUTHORIZED: u16 = http::StatusCode::UNAUTHORIZED.as_u16();

#[cfg(test)]
mod tests {
    use playground::{Options, Playground};

    use super::*;
    use crate::cluster::{Ceiling, Cluster, Source};
    use crate::metrics::Metrics;

    #[tokio::test]
    async fn r_authz_13_a_gateway_that_is_impersonating_itself_impersonates_no_viewer() {
        let playground = Playground::start(Options::empty()).await.expect("a free port");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kubeconfig");
        let kubeconfig = format!(
            "{{clusters: [{{name: c, cluster: {{server: \"{}\"}}}}], users: [{{name: u, user: {{as: boss, as-groups: [all]}}}}],
              contexts: [{{name: c, context: {{cluster: c, user: u}}}}], current-context: c}}",
            playground.url()
        );
        std::fs::write(&path, kubeconfig).expect("written");
        let source = Source::Kubeconfig { path: Some(path), context: None };
        let cluster = Cluster::connect(source, Ceiling::default(), Metrics::new()).await.expect("it answers");
        assert_eq!(cluster.may_impersonate().expect_err("refused").reason, Reason::Configuration);
        let alice = Subject { user: "alice".into(), uid: "".into(), groups: [].into(), extra: [].into() };
        let whom = UpstreamIdentity::impersonated(&alice).expect("representable");
        let before = playground.requests().len();
        assert!(matches!(cluster.send_as(&whom, &ApiRequest::version()).await, Err(Failure::Broken(_))));
        let by_token = UpstreamIdentity::by_token(&alice);
        let without = cluster.send_as(&by_token, &ApiRequest::version()).await;
        assert!(matches!(without, Err(Failure::Refused(Refusal { code: UNAUTHORIZED, .. }))), "no token");
        assert_eq!(playground.requests().len(), before, "nothing was sent");
        // The viewer's own connection has nothing of it.
        let _held = cluster.hold_token(&by_token, "token", None).expect("a token");
        cluster.send_as(&by_token, &ApiRequest::version()).await.expect("an answer");
        assert_eq!(playground.requests().last().expect("sent").impersonates, "");
    }
}

//! A cluster that answered, as the other modules use it: this file has every request and every fact that they can have
//! of one. Cheap to clone.

use std::sync::Arc;

use shared::frame::server::{Cluster as ClusterIdentity, Kinds};
use shared::name::{ClusterName, Namespace};
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};
use shared::state::UnixMillis;
use tokio::sync::watch;

use super::answer::Answer;
use super::ceiling::Ceiling;
use super::children::{self, ChildKinds, ChildrenQuestion, FoundChildren, MayList};
use super::client::Client;
use super::credentials::Credentials;
use super::failure::Failure;
use super::identify;
use super::own_rights::OwnAccount;
use super::request::{self, ApiRequest};
use super::review::{self, Access, Decision, OwnQuestion};
use super::rule::Rule;
use super::served::Served;
use super::source::Source;
use super::subject::Subject;
use super::tokens::TokenGuard;
use super::upstream::UpstreamIdentity;
use crate::metrics::Metrics;

/// One cluster, as the gateway's own credentials see it.
///
/// It is made by [`Cluster::connect`], once the API server has said who it is and what it serves, and lives until its
/// last clone is dropped. The inventory makes one for each cluster that it shows, and keeps its discovery current
/// ([`Cluster::keep_discovering`]). Feeds send their lists and watches over it, [`crate::access`] asks it for reviews, and
/// sessions read its kinds.
///
/// What it can be asked:
/// - **Requests.** [`Cluster::send_as`] sends in the name of whom a feed's key says: the gateway, a viewer's own token, or
///   an impersonated viewer. [`Cluster::send`] is for the gateway's own questions. Every request of either passes the
///   allow-list (`allow.rs`) below the connection: nothing here could change a cluster.
/// - **Credentials.** After a 401 a feed asks for others. The gateway's own are read anew from where they came
///   ([`Cluster::refresh_credentials_of`]), once for all feeds that ask at the same time. A viewer's token is held for as
///   long as the connection that brought it ([`Cluster::hold_token`]).
/// - **Kinds.** What discovery found, those marked that the ceiling hides ([`Cluster::kinds`]). A feed that meets a 404
///   has it asked again ([`Cluster::discover_soon`]).
/// - **Reviews.** The user of a token, the rights of a viewer, and the rights of the gateway's own account.
///
/// Its state has three owners. `Credentials` holds the connection, where it came from, and the viewers' tokens. `Served`
/// holds the kinds, the ceiling, and which resources can't be had by a WatchList. `ChildKinds` holds which kinds own which. The rest never changes. No lock is
/// held while a request waits, but for the one that makes refreshing happen once.
///
/// It knows no feed, no hub and no viewer's session, and it retries nothing: how often is the feed's decision.
#[derive(Clone)]
pub struct Cluster {
    inner: Arc<Inner>,
}

struct Inner {
    /// Its address, for messages.
    server: String,
    /// Without the kinds, which change.
    identity: ClusterIdentity,
    credentials: Credentials,
    served: Served,
    children: ChildKinds,
}

impl Cluster {
    pub(super) fn of(
        server: String,
        identity: ClusterIdentity,
        credentials: Credentials,
        served: Served,
    ) -> Self {
        let children = ChildKinds::default();
        Self { inner: Arc::new(Inner { server, identity, credentials, served, children }) }
    }

    /// With the digest of the kinds that are known now.
    pub fn identity(&self) -> ClusterIdentity {
        ClusterIdentity { kinds: self.served().known().digest.clone(), ..self.inner.identity.clone() }
    }

    pub(super) fn name(&self) -> &ClusterName {
        &self.inner.identity.name
    }

    /// How it is reached.
    #[must_use]
    pub fn source(&self) -> Source {
        self.inner.credentials.source().clone()
    }

    /// Whether its server answers.
    ///
    /// # Errors
    /// As [`Cluster::connect`], where it doesn't.
    pub async fn look(&self) -> Result<(), Problem> {
        identify::version(&self.client(), &self.inner.server).await.map(drop)
    }

    pub fn metrics(&self) -> Metrics {
        self.client().metrics
    }

    pub(super) fn client(&self) -> Client {
        self.inner.credentials.client()
    }

    pub(super) fn served(&self) -> &Served {
        &self.inner.served
    }

    /// What discovery found, kept current by [`Cluster::keep_discovering`].
    pub fn kinds(&self) -> watch::Receiver<Arc<Kinds>> {
        self.served().kinds()
    }

    /// `None` if discovery doesn't list it.
    pub fn kind_of(&self, resource: &Resource) -> Option<Kind> {
        self.served().kind_of(resource)
    }

    /// Called by a feed whose resource isn't served any more.
    pub fn discover_soon(&self) {
        self.served().doubt();
    }

    /// What of the cluster is shown.
    pub fn ceiling(&self) -> Ceiling {
        self.served().ceiling()
    }

    /// Whether what containers write may be asked for. A ceiling that came later changes nothing of it.
    pub fn shows_logs(&self) -> bool {
        self.client().shown.logs
    }

    /// From now on another part of the cluster is shown. Feeds that run go on with the former one.
    pub fn set_ceiling(&self, ceiling: Ceiling) {
        self.served().set_ceiling(ceiling);
    }

    /// Whether a WatchList is worth a try for this resource.
    pub fn may_watch_list(&self, resource: &Resource) -> bool {
        self.served().may_watch_list(resource)
    }

    pub fn remember_no_watch_list(&self, resource: &Resource) {
        self.served().remember_no_watch_list(resource);
    }

    /// Sends one request and waits for the head of its answer.
    ///
    /// # Errors
    /// A [`Failure`]: the server refused, or it couldn't be reached.
    pub async fn send(&self, request: &ApiRequest) -> Result<Answer, Failure> {
        request::send(&self.client(), request).await
    }

    /// Sends one request as the gateway or as a viewer, and waits for the head of its answer.
    ///
    /// # Errors
    /// A [`Failure`]: the server refused, or it couldn't be reached. Where a viewer left no token it is refused with
    /// 401, and nothing is sent.
    pub async fn send_as(&self, whom: &UpstreamIdentity, request: &ApiRequest) -> Result<Answer, Failure> {
        self.inner.credentials.send_as(whom, request).await
    }

    /// As [`Cluster::send_as`], and once more with other credentials where these are refused.
    ///
    /// # Errors
    /// As [`Cluster::send_as`].
    pub async fn send_again_as(
        &self,
        whom: &UpstreamIdentity,
        request: &ApiRequest,
    ) -> Result<Answer, Failure> {
        let answer = self.send_as(whom, request).await;
        let is_old = matches!(&answer, Err(failure) if failure.reason() == Reason::Unauthorized);
        if is_old && self.refresh_credentials_of(whom).await.is_ok() {
            return self.send_as(whom, request).await;
        }
        answer
    }

    /// Reads the kubeconfig, the token or the exec plugin's answer anew, once for all calls at the same
    /// time.
    ///
    /// # Errors
    /// As [`Cluster::connect`].
    pub async fn refresh_credentials(&self) -> Result<(), Problem> {
        self.inner.credentials.refresh().await
    }

    /// Called after a 401: the gateway reads its own credentials again, or looks for another token of the viewer.
    ///
    /// # Errors
    /// As [`Cluster::connect`]; `Unauthorized` where the viewer brought no other token.
    pub async fn refresh_credentials_of(&self, whom: &UpstreamIdentity) -> Result<(), Problem> {
        self.inner.credentials.refresh_of(whom).await
    }

    /// Returns when there is a token of this viewer's that wasn't refused.
    pub async fn another_token(&self, whom: &UpstreamIdentity) {
        self.inner.credentials.another_token(whom).await;
    }

    /// Keeps the token of one connection for requests in its viewer's name, until the guard is dropped. `None`: nothing
    /// is asked with a token of theirs.
    #[must_use]
    pub fn hold_token(
        &self,
        whom: &UpstreamIdentity,
        token: &str,
        expires_ms: Option<UnixMillis>,
    ) -> Option<TokenGuard> {
        self.inner.credentials.hold_token(whom, token, expires_ms)
    }

    /// # Errors
    /// The kubeconfig itself impersonates a user, so the gateway can't impersonate a viewer.
    pub fn may_impersonate(&self) -> Result<(), Problem> {
        self.inner.credentials.may_impersonate()
    }

    /// Which user a token belongs to. `Ok(None)`: it is no token of the cluster.
    ///
    /// # Errors
    /// `ServiceUnavailable`: the API server couldn't say.
    pub async fn review_token(&self, token: &str) -> Result<Option<Subject>, Problem> {
        review::token(&self.client(), token).await
    }

    /// Whether the subject may.
    pub async fn review_access(&self, subject: &Subject, access: &Access) -> Decision {
        review::access(&self.client(), subject, access).await
    }

    /// What the API server says of what a client asks about its own rights: the `status` of its review. `subject`: as whom
    /// the client asks; `None`: as the gateway itself.
    ///
    /// # Errors
    /// A [`Failure`], as of every request.
    pub async fn review_question(
        &self,
        subject: Option<&Subject>,
        question: &OwnQuestion,
    ) -> Result<serde_json::Value, Failure> {
        review::question(&self.client(), subject, question).await
    }

    /// Whether the subject may hear what the cluster serves.
    pub async fn review_discovery(&self, subject: &Subject) -> Decision {
        review::discovery(&self.client(), subject).await
    }

    /// An object of this resource has an owner of this kind.
    pub fn note_owner(&self, kind: &str, child: &Resource) {
        self.inner.children.note(kind, child);
    }

    /// Which kinds the children of a kind have, of those that `may_list` lets through: the known ones, and those that a
    /// list of metadata finds now or found lately. `named`: kinds that are looked at in any case. It ends in time, with what was found by then.
    pub async fn child_kinds(
        &self,
        question: &ChildrenQuestion,
        named: &[Box<str>],
        may_list: &MayList,
    ) -> FoundChildren {
        let Inner { served, credentials, children, .. } = &*self.inner;
        children::find((served, credentials), children, (question, named), may_list).await
    }

    /// # Errors
    /// The text for the gateway's log and for `/readyz`: which rights the account should lose or be given, or that the
    /// API server didn't answer.
    pub async fn check_own_rights(&self, impersonates: bool, needed: &[Rule]) -> Result<(), String> {
        self.own_account().check(impersonates, needed).await
    }

    /// The gateway's own account, as the API server names it. `None`: it doesn't say.
    pub async fn own_name(&self) -> Option<String> {
        self.own_account().name().await
    }

    /// Whether the gateway's own account may list and watch a kind, in one namespace or in all. `None`: the API server
    /// doesn't say.
    pub async fn may_watch(&self, resource: &Resource, namespace: Option<&Namespace>) -> Option<bool> {
        self.own_account().may_watch(resource, namespace).await
    }

    fn own_account(&self) -> OwnAccount {
        let namespace = self.inner.identity.namespaces.first();
        OwnAccount::of(self.client(), &self.ceiling(), namespace)
    }
}

//! What an auth mode is to the rest of the gateway: how it is configured ([`AuthMode`]), and how it runs
//! ([`Authenticate`]). Each mode implements both below `modes`. Never which modes there are, and never what one does.

use std::net::SocketAddr;
use std::sync::Arc;
use std::{fmt, io};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use http::HeaderMap;
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode};
use shared::problem::{Problem, Reason};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

use super::dependency::Dependency;
use super::identity::{Caller, Login, LoginSession, Peer, RenewedLogin};
use super::modes::local::api::ApiListener;
use super::modes::local::login::Local;
use super::modes::oidc::Oidc;
use crate::address::ProxyCertificate;
use crate::address::origin::Origin;
use crate::address::page_name::PageName;
use crate::cluster::Cluster;

/// What is configured besides the flags of a mode, as far as a mode depends on it.
pub(crate) struct Surroundings<'a> {
    pub(crate) listen: SocketAddr,
    pub(crate) public_url: Option<&'a Origin>,
    /// The gateway serves https itself.
    pub(crate) has_tls: bool,
    pub(crate) has_several_clusters: bool,
}

/// How people prove who they are, as configured.
pub trait AuthMode: fmt::Debug + Send + Sync {
    fn mode(&self) -> LoginMode;

    /// The clients' certificates that the gateway's own TLS verifies.
    fn certificate(&self) -> Option<ProxyCertificate> {
        None
    }

    /// Whether each printed URL has a name of its own below `localhost`, so that the gateway must have its port on every
    /// address that this name leads to.
    fn has_names(&self) -> bool {
        false
    }

    /// Binds and reads what the mode needs, before a cluster is asked: a start that can't work ends at once.
    /// `port`: on which the gateway listens.
    fn prepare(&self, port: u16) -> BoxFuture<'_, Result<Prepared, Problem>>;
}

/// A mode that has bound and read what it needs.
pub struct Prepared {
    /// Its socket, besides the port.
    pub entrance: Option<Box<dyn Entrance>>,
    /// Its listener for clients of the Kubernetes API.
    pub api: Option<ApiListener>,
    pub start: Start,
}

/// Begins the mode, once the cluster has answered.
pub type Start =
    Box<dyn FnOnce(StartContext) -> BoxFuture<'static, Result<Arc<dyn Authenticate>, Problem>> + Send>;

/// What is known when the cluster has answered.
pub struct StartContext {
    /// `None`: several clusters are shown, or none yet.
    pub only: Option<Cluster>,
    /// Scheme, host, port and base path at which people reach the gateway.
    pub url: String,
}

/// A Unix socket on which a mode hears its own peers.
pub trait Entrance: Send + Sync {
    /// In the log, should it end by itself.
    fn name(&self) -> &'static str;

    /// The peer that its connections are from.
    fn peer(&self) -> Peer;

    /// Fails as `accept(2)` does; the caller may call again.
    fn accept(&self) -> BoxFuture<'_, io::Result<UnixStream>>;
}

/// What is printed at the start, for the person who started the gateway.
pub struct Greeting {
    /// Behind the URL.
    pub fragment: String,
    /// In the place of the URL's host.
    pub name: Option<PageName>,
    /// How people get in: one sentence.
    pub sentence: String,
}

/// A mode as it runs: it turns what comes with a connection into a [`Login`], or into one sentence that says what to do.
pub trait Authenticate: Send + Sync {
    fn mode(&self) -> LoginMode;

    /// The login that the headers of a request name, in a mode where they do.
    /// Fails with `Unauthorized`, `BadRequest` or `ServiceUnavailable`.
    fn of_headers<'a>(
        &'a self,
        _peer: Peer,
        _headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Option<Login>, Problem>> {
        ready(Ok(None)).boxed()
    }

    /// The login that the cookies of a request name. Only pages that are accepted are asked for it.
    fn signed_in(&self, _headers: &HeaderMap) -> Option<Login> {
        None
    }

    /// It uses up `asked`. Fails with `Unauthorized`, which says what to do.
    fn login<'a>(
        &'a self,
        credential: Option<&'a Credential>,
        caller: &'a Caller,
        asked: Option<Challenge>,
    ) -> BoxFuture<'a, Result<Login, Problem>>;

    /// Whether the login's session wasn't revoked.
    fn is_open(&self, _session: &LoginSession) -> BoxFuture<'static, bool> {
        ready(true).boxed()
    }

    /// What the login's session has become since, without a new credential.
    fn renewed(&self, _session: &LoginSession) -> Option<RenewedLogin> {
        None
    }

    /// The codes that open a page. Fails where there are none, and says what opens this gateway instead.
    fn codes(&self) -> Result<&Local, Problem>;

    /// Where people sign in with a browser.
    fn oidc(&self) -> Option<&Oidc> {
        None
    }

    /// `demo_token`: the command that prints a token of the demo cluster, if there is one.
    /// Fails if the system has no randomness.
    fn greeting(&self, demo_token: Option<String>) -> Result<Greeting, Problem>;

    /// Whether pages have names of their own, and none of another address is signed in.
    fn has_names(&self) -> bool {
        false
    }

    /// Whether a page of this origin, which has a name of its own, lives or is to be opened.
    fn knows<'a>(&'a self, _own: &'a Origin) -> BoxFuture<'a, bool> {
        ready(false).boxed()
    }

    /// The path of the printed URL.
    fn start_path(&self) -> &'static str {
        ""
    }

    /// Reads its files again, on SIGHUP.
    fn reread(&self) {}

    /// The server that it needs besides the cluster, which [`Self::keep`] asks.
    fn dependency(&self) -> Option<Arc<Dependency>> {
        None
    }

    /// What runs beside the connections, with its name in the log.
    fn keep(self: Arc<Self>, _until: CancellationToken) -> Option<(&'static str, BoxFuture<'static, ()>)> {
        None
    }
}

pub(crate) fn wrong(message: impl Into<String>) -> Problem {
    Problem::new(Reason::Configuration, message)
}

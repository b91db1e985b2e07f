//! Mode `local` from its configuration to what is printed.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use http::HeaderMap;
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode};
use shared::problem::{Problem, Reason};

use super::api::LocalApi;
use super::api::listen::ApiListen;
use super::flags::LocalFlags;
use super::folders::{self, Folders};
use super::listener::LocalListener;
use super::login::{Local, no_api};
use super::user;
use crate::access::auth_mode::{AuthMode, Authenticate, Greeting, Prepared, Surroundings, wrong};
use crate::access::authenticator::Authenticator;
use crate::access::identity::{Caller, Identity, Login, LoginSession, Peer};
use crate::address::origin::Origin;
use crate::limits::LOCAL_CODE_LIFETIME_S;

/// `--auth local`.
#[derive(Debug)]
pub(crate) struct LocalMode {
    /// Each printed URL has a name of its own below `localhost`.
    has_names: bool,
    /// For clients of the Kubernetes API.
    api: ApiListen,
    /// The page has the same port at each start.
    keeps_port: bool,
}

impl LocalMode {
    /// Fails where the gateway would be reached from elsewhere.
    pub(crate) fn resolve(flags: &LocalFlags, around: &Surroundings<'_>) -> Result<Self, Problem> {
        let listen = around.listen;
        if !listen.ip().is_loopback() {
            return Err(wrong(format!(
                "--listen {listen} would show the cluster to the network: with --auth local it must be \
                 loopback, such as 127.0.0.1:8484; from elsewhere, forward the port with ssh -L, or choose another --auth"
            )));
        }
        // Other loopback addresses have no names; and behind a proxy or a certificate another host is meant.
        let is_localhost = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()].contains(&listen.ip());
        let is_own = around.public_url.is_none() && !around.has_tls;
        Ok(Self {
            has_names: is_localhost && is_own && !flags.plain_address,
            api: ApiListen::parse(flags.api_listen.as_deref())?,
            keeps_port: listen.port() != 0,
        })
    }
}

impl AuthMode for LocalMode {
    fn mode(&self) -> LoginMode {
        LoginMode::Local
    }

    fn has_names(&self) -> bool {
        self.has_names
    }

    fn prepare(&self, port: u16) -> BoxFuture<'_, Result<Prepared, Problem>> {
        self.prepared(port).boxed()
    }
}

impl LocalMode {
    async fn prepared(&self, port: u16) -> Result<Prepared, Problem> {
        let folders = Folders::of_environment()?;
        folders::make_private(&folders.state)?;
        let runtime = folders.runtime.first().unwrap_or(&folders.state);
        let listener = LocalListener::bind(runtime, port)?;
        let no_name = || Problem::new(Reason::InternalError, "this user has no name");
        let identity = user::identity().ok_or_else(no_name)?;
        let local = Local::new(&folders.state, port, identity, self.has_names);
        let kept = self.keeps_port.then_some(port);
        let (local, api) = match LocalApi::open(self.api, &folders.state, kept).await {
            Ok(Some((api, listener))) => (local.with_api(Ok(api)), Some(listener)),
            Ok(None) => (local, None),
            // The user asked for no such listener, so the page is served all the same.
            Err(problem) if self.api == ApiListen::Free => {
                tracing::warn!("kubectl can't read through this gateway: {problem}");
                (local.with_api(Err(no_api(&problem.message))), None)
            }
            Err(problem) => return Err(problem),
        };
        let start = |_| ready(Ok(Arc::new(local) as Arc<dyn Authenticate>)).boxed();
        Ok(Prepared { entrance: Some(Box::new(listener)), api, start: Box::new(start) })
    }
}

impl Authenticate for Local {
    fn mode(&self) -> LoginMode {
        LoginMode::Local
    }

    fn of_headers<'a>(
        &'a self,
        peer: Peer,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Option<Login>, Problem>> {
        let login = match peer {
            Peer::ApiClient(_) => self.of_api_client(headers, SystemTime::now()).map(Some),
            Peer::SameUser | Peer::Remote(_) | Peer::Proxy => Ok(None),
        };
        ready(login).boxed()
    }

    fn login<'a>(
        &'a self,
        credential: Option<&'a Credential>,
        caller: &'a Caller,
        asked: Option<Challenge>,
    ) -> BoxFuture<'a, Result<Login, Problem>> {
        self.login(credential, caller, asked).boxed()
    }

    fn is_open(&self, session: &LoginSession) -> BoxFuture<'static, bool> {
        match session {
            LoginSession::Key(id) => self.is_open(id),
            LoginSession::Cookie(_) => ready(true).boxed(),
        }
    }

    fn codes(&self) -> Result<&Local, Problem> {
        Ok(self)
    }

    fn greeting(&self, _demo_token: Option<String>) -> Result<Greeting, Problem> {
        let minutes = LOCAL_CODE_LIFETIME_S / 60;
        let issued = self.issue_code()?;
        Ok(Greeting {
            fragment: format!("#code={}", issued.code.expose()),
            name: issued.name,
            sentence: format!(
                "The link opens one page, within {minutes} minutes; `dogwatch url` prints another."
            ),
        })
    }

    fn has_names(&self) -> bool {
        self.has_names()
    }

    fn knows<'a>(&'a self, own: &'a Origin) -> BoxFuture<'a, bool> {
        self.knows(own).boxed()
    }

    fn start_path(&self) -> &'static str {
        "/open"
    }
}

impl Authenticator {
    /// The listener for clients of the Kubernetes API. Fails where there is none, and says how to have one.
    pub fn api(&self) -> Result<&LocalApi, Problem> {
        self.codes()?.api()
    }

    /// One user on one machine, whose sessions are kept below `state`, for `port` alone.
    pub fn local(state: &Path, port: u16, identity: Identity) -> Self {
        Self::new(Arc::new(Local::new(state, port, identity, false)))
    }

    /// The same, with a listener for clients of the Kubernetes API.
    #[cfg(test)]
    pub(crate) fn local_with_api(state: &Path, port: u16, identity: Identity, api: LocalApi) -> Self {
        Self::new(Arc::new(Local::new(state, port, identity, false).with_api(Ok(api))))
    }

    /// The same, where each printed URL has a name of its own.
    pub fn local_with_names(state: &Path, port: u16, identity: Identity) -> Self {
        Self::new(Arc::new(Local::new(state, port, identity, true)))
    }
}

#[cfg(test)]
mod tests {
    use replica::driver::page_key::PageKey;

    use super::*;
    use crate::access::SessionId;

    fn gateway(state: &Path, port: u16) -> Authenticator {
        Authenticator::local(state, port, Identity::new("alice").expect("a name"))
    }

    fn page() -> Caller {
        Caller::Remote { origin: "http://127.0.0.1:8484".into(), bearer: None }
    }

    async fn comes_in(gateway: &Authenticator, key: &PageKey, session: &SessionId) -> bool {
        let asked = gateway.challenge(&page()).expect("randomness").expect("asked");
        let proof = key.proof(session.as_str(), &asked.nonce, "http://127.0.0.1:8484").expect("randomness");
        let proof = Credential::Proof(proof);
        assert!(gateway.login(Some(&proof), &page(), None).await.is_err(), "nothing was asked");
        let other = gateway.challenge(&page()).expect("randomness");
        assert!(gateway.login(Some(&proof), &page(), other).await.is_err(), "heard elsewhere");
        gateway.login(Some(&proof), &page(), Some(asked)).await.is_ok()
    }

    #[tokio::test]
    async fn r_authn_1_a_code_works_once_and_its_session_after_a_restart_at_its_own_port_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = gateway(folder.path(), 8484);
        let code = first.issue_code().expect("randomness").code;
        let key = PageKey::generate().expect("randomness");
        let exchange =
            async |key: &str| first.exchange(code.expose(), key, "http://127.0.0.1:8484", "Firefox").await;
        assert!(exchange("no key").await.is_err());
        let session = exchange(&key.public()).await.expect("the code wasn't used up");
        assert!(exchange(&key.public()).await.is_err(), "used twice");
        for _ in 0..3 {
            assert!(comes_in(&first, &key, &session).await);
        }
        assert!(comes_in(&gateway(folder.path(), 8484), &key, &session).await, "restarted");
        assert!(!comes_in(&gateway(folder.path(), 8485), &key, &session).await, "another port");
        assert!(!comes_in(&first, &PageKey::generate().expect("randomness"), &session).await, "another page");
    }

    #[test]
    fn r_rel_11_a_session_is_looked_for_off_the_async_threads() {
        let folder = tempfile::tempdir().expect("a folder");
        let gateway = gateway(folder.path(), 8484);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().max_blocking_threads(1).build().expect("a runtime");
        runtime.block_on(async {
            let (code, key) = (gateway.issue_code().expect("randomness").code, PageKey::generate());
            let public = key.expect("randomness").public();
            let opened = gateway.exchange(code.expose(), &public, "http://127.0.0.1:8484", "Firefox");
            let session = LoginSession::Key(opened.await.expect("opened"));
            // The only thread that may block is taken, as by a folder that hangs.
            let (release, hangs) = std::sync::mpsc::channel::<()>();
            let hanging = tokio::task::spawn_blocking(move || hangs.recv().is_ok());
            let mut look = gateway.is_open(&session);
            assert!((&mut look).now_or_never().is_none(), "an async thread looked itself");
            drop(release);
            assert!(look.await);
            assert!(!hanging.await.expect("released"));
            std::fs::remove_dir_all(folder.path().join("sessions")).expect("removed");
            assert!(!gateway.is_open(&session).await);
        });
    }

    #[tokio::test]
    async fn r_authn_16_what_is_begun_with_an_api_token_is_the_users_own_and_outlasts_the_token() {
        let folder = tempfile::tempdir().expect("a folder");
        let opened = LocalApi::open(ApiListen::Free, folder.path(), None).await.expect("opened");
        let (api, listener) = opened.expect("somewhere");
        let identity = Identity::new("alice").expect("a name");
        let gateway = Authenticator::local_with_api(folder.path(), 8484, identity, api);
        let address = listener.tcp.local_addr().expect("bound");
        let token = gateway.api().expect("an API").issue_token(SystemTime::now()).token;
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {token}").parse().expect("a value"));
        let login = gateway.of_headers(Peer::ApiClient(address), &headers).await.expect("known");
        let login = login.expect("a login");
        assert_eq!((login.identity.name(), login.expires_ms, &login.session), ("alice", None, &None));
        let known = Caller::Known(Box::new(login.clone()));
        let asked = gateway.challenge(&known).expect("randomness");
        assert_eq!(gateway.login(None, &known, asked).await, Ok(login));
        for other in [Peer::Remote(address), Peer::SameUser, Peer::Proxy] {
            assert_eq!(gateway.of_headers(other, &headers).await, Ok(None), "{other:?}");
        }
        let empty = HeaderMap::new();
        assert!(gateway.of_headers(Peer::ApiClient(address), &empty).await.is_err());
    }

    #[tokio::test]
    async fn tcp_needs_a_proof_and_the_unix_socket_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let gateway = gateway(folder.path(), 8484);
        let wrong = Credential::Bearer("wrong".into());
        for credential in [None, Some(&wrong)] {
            let problem = gateway.login(credential, &page(), None).await.expect_err("no proof");
            assert_eq!(problem.reason, Reason::Unauthorized);
            assert!(problem.message.contains("dogwatch url"), "{problem}");
        }
        assert_eq!(gateway.challenge(&Caller::SameUser).expect("randomness"), None);
        let login = gateway.login(None, &Caller::SameUser, None).await.expect("known");
        assert_eq!((login.identity.name(), login.expires_ms), ("alice", None));
    }
}

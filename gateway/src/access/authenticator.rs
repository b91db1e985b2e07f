//! Turns a credential and a caller into a [`Login`], or into one sentence that says what to do. Never says
//! which part of a credential was wrong, and never logs one.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use http::HeaderMap;
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode, Wanted};
use shared::problem::{Problem, Reason};

use super::bearer::Tokens;
use super::identity::{Caller, Identity, Login, LoginSession, Peer, Rights};
use super::local::code::Codes;
use super::local::hidden::{Hidden, random_text};
use super::local::sessions::{Session, SessionId, SessionStore};
use super::oidc::Oidc;
use super::proxy::Proxy;
use crate::clock::wall_ms;
use crate::cluster::Cluster;

/// Cheap to clone.
#[derive(Clone)]
pub enum Authenticator {
    Local(Arc<Local>),
    Bearer(Arc<Tokens>),
    Oidc(Arc<Oidc>),
    Proxy(Arc<Proxy>),
}

/// One user on one machine.
pub struct Local {
    sessions: SessionStore,
    port: u16,
    codes: Mutex<Codes>,
    identity: Identity,
}

impl Authenticator {
    /// Sessions are kept below `state` and hold for `port` alone: a page of another gateway of the same user can't use
    /// them.
    pub fn local(state: &Path, port: u16, identity: Identity) -> Self {
        let sessions = SessionStore::of_folder(state);
        Self::Local(Arc::new(Local { sessions, port, codes: Mutex::default(), identity }))
    }

    /// Whoever has a token of the cluster.
    pub fn bearer(cluster: Cluster) -> Self {
        Self::Bearer(Arc::new(Tokens::new(cluster)))
    }

    /// Whoever a reverse proxy names.
    pub fn proxy(proxy: Proxy) -> Self {
        Self::Proxy(Arc::new(proxy))
    }

    /// Whom the headers of an upgrade are of, where they say it at all.
    /// Fails with `Unauthorized`, `BadRequest` or `ServiceUnavailable`, as [`Proxy::login`] does.
    pub async fn of_headers(&self, peer: Peer, headers: &HeaderMap) -> Result<Option<Login>, Problem> {
        match self {
            Self::Local(_) | Self::Bearer(_) | Self::Oidc(_) => Ok(None),
            Self::Proxy(proxy) => proxy.login(peer, headers).await.map(Some),
        }
    }

    /// What a caller's key has to sign; `None` where the connection itself says who it is.
    /// Fails if the system has no randomness.
    pub fn challenge(&self, caller: &Caller) -> Result<Option<Challenge>, Problem> {
        match (self, caller) {
            (_, Caller::SameUser) => Ok(None),
            // A page can't see its own cookie, so every page is told what kind of login counts.
            (Self::Oidc(_), _) => Ok(Some(Challenge { nonce: random_text()?, wanted: Wanted::Login })),
            // A page waits for what it is asked.
            (_, Caller::Known(_)) | (Self::Proxy(_), Caller::Remote { .. }) => {
                Ok(Some(Challenge { nonce: random_text()?, wanted: Wanted::Proxy }))
            }
            (Self::Local(_), Caller::Remote { .. }) => {
                Ok(Some(Challenge { nonce: random_text()?, wanted: Wanted::Proof }))
            }
            (Self::Bearer(_), Caller::Remote { bearer: Some(_), .. }) => Ok(None),
            (Self::Bearer(_), Caller::Remote { bearer: None, .. }) => {
                Ok(Some(Challenge { nonce: random_text()?, wanted: Wanted::Bearer }))
            }
        }
    }

    /// `asked` is used up by it. Fails with `Unauthorized`, which says what to do.
    pub async fn login(
        &self,
        credential: Option<&Credential>,
        caller: &Caller,
        asked: Option<Challenge>,
    ) -> Result<Login, Problem> {
        match self {
            Self::Local(local) => local.login(credential, caller, asked),
            Self::Proxy(_) => match caller {
                // A credential adds nothing to what the connection says.
                Caller::Known(login) => Ok(Login::clone(login)),
                Caller::SameUser | Caller::Remote { .. } => {
                    Err(Problem::new(Reason::Unauthorized, "only its proxy says who comes to this gateway"))
                }
            },
            Self::Bearer(tokens) => match credential {
                Some(Credential::Bearer(token)) => tokens.login(token).await,
                Some(Credential::Proof(_)) | None => {
                    Err(Problem::new(Reason::Unauthorized, "this gateway wants a token of the cluster"))
                }
            },
            Self::Oidc(oidc) => match (credential, caller) {
                (None, Caller::Known(login)) if oidc.is_current(login, wall_ms()) => Ok((**login).clone()),
                _ => Err(Problem::new(Reason::Unauthorized, SIGN_IN)),
            },
        }
    }

    /// Whether viewers have rights of their own, which the API server reviews.
    pub fn reviews_rights(&self) -> bool {
        !matches!(self, Self::Local(_))
    }

    /// Whether the login's session wasn't revoked.
    pub fn is_open(&self, session: &LoginSession) -> bool {
        match (self, session) {
            (Self::Local(local), LoginSession::Key(id)) => local.sessions.is_open(id),
            (Self::Oidc(oidc), LoginSession::Cookie(key)) => oidc.is_open(key),
            _ => true,
        }
    }

    /// What the login's session has become since, without a new credential.
    pub fn renewed(&self, session: &LoginSession) -> Option<Login> {
        match (self, session) {
            (Self::Oidc(oidc), LoginSession::Cookie(key)) => oidc.renewed(key),
            _ => None,
        }
    }

    /// Where people sign in with a browser.
    pub fn oidc(&self) -> Option<&Arc<Oidc>> {
        match self {
            Self::Oidc(oidc) => Some(oidc),
            Self::Local(_) | Self::Bearer(_) | Self::Proxy(_) => None,
        }
    }

    /// Whom the cookies of a request name.
    pub fn signed_in(&self, headers: &HeaderMap) -> Option<Login> {
        self.oidc()?.login(headers, wall_ms())
    }

    /// A code that opens one page.
    /// Fails if the system has no randomness, or where no page is opened by a code.
    pub fn issue_code(&self) -> Result<Hidden, Problem> {
        self.of_codes()?.codes().issue(Instant::now())
    }

    /// A session for the page that knows the code, which is used up by it.
    /// Fails with `Unauthorized` if the code was never issued, is too old, or was used; with `BadRequest` if the key
    /// isn't written as one, which costs no code.
    pub fn exchange(&self, code: &str, key: &str, origin: &str, client: &str) -> Result<SessionId, Problem> {
        self.of_codes()?.exchange(code, key, origin, client)
    }

    fn of_codes(&self) -> Result<&Local, Problem> {
        match self {
            Self::Local(local) => Ok(local),
            Self::Bearer(_) => {
                let message = "no code opens this gateway; it wants a token of the cluster";
                Err(Problem::new(Reason::Unauthorized, message))
            }
            Self::Proxy(_) => {
                let message =
                    "no code opens this gateway; open the address of its proxy, which asks who you are";
                Err(Problem::new(Reason::Unauthorized, message))
            }
            Self::Oidc(_) => Err(Problem::new(Reason::Unauthorized, SIGN_IN)),
        }
    }
}

impl Local {
    fn login(
        &self,
        credential: Option<&Credential>,
        caller: &Caller,
        asked: Option<Challenge>,
    ) -> Result<Login, Problem> {
        let Self { sessions, port, identity, .. } = self;
        let (identity, rights) = (identity.clone(), Rights::OfGateway);
        let mode = LoginMode::Local;
        let login = Login { identity, expires_ms: None, session: None, rights, mode, provider: None };
        match (credential, caller, asked) {
            // The kernel says who the peer is, so a credential adds nothing.
            (_, Caller::SameUser, _) => Ok(login),
            (Some(Credential::Proof(proof)), Caller::Remote { origin, .. }, Some(asked)) => {
                let proved = sessions.prove(proof, &asked.nonce, (origin, *port), SystemTime::now());
                let (id, expires_ms) = proved.ok_or_else(|| unauthorized("this page's login is over"))?;
                let session = Some(LoginSession::Key(id));
                Ok(Login { expires_ms: Some(expires_ms), session, ..login })
            }
            (Some(Credential::Proof(_)), Caller::Remote { .. }, None) => {
                Err(unauthorized("nothing was asked that this could prove"))
            }
            (Some(Credential::Bearer(_)), Caller::Remote { .. }, _) => {
                Err(unauthorized("this gateway takes no token"))
            }
            (None, Caller::Remote { .. }, _) | (_, Caller::Known(_), _) => {
                Err(unauthorized("this gateway shows itself only to its own user"))
            }
        }
    }

    fn exchange(&self, code: &str, key: &str, origin: &str, client: &str) -> Result<SessionId, Problem> {
        let now = SystemTime::now();
        let session = Session::new(key, origin, self.port, client, now)?;
        if !self.codes().redeem(code, Instant::now()) {
            return Err(unauthorized("this link was used already or is too old"));
        }
        self.sessions.open(&session, now)
    }

    fn codes(&self) -> MutexGuard<'_, Codes> {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const SIGN_IN: &str = "no login, or none that goes on, came with this connection; sign in at /login";

fn unauthorized(what: &str) -> Problem {
    Problem::new(Reason::Unauthorized, format!("{what}; run `dogwatch url` for a link that opens it"))
}

#[cfg(test)]
mod tests {
    use replica::driver::page_key::PageKey;

    use super::*;

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
        let code = first.issue_code().expect("randomness");
        let key = PageKey::generate().expect("randomness");
        let exchange = |key: &str| first.exchange(code.expose(), key, "http://127.0.0.1:8484", "Firefox");
        assert!(exchange("no key").is_err());
        let session = exchange(&key.public()).expect("the code wasn't used up");
        assert!(exchange(&key.public()).is_err(), "used twice");
        for _ in 0..3 {
            assert!(comes_in(&first, &key, &session).await);
        }
        assert!(comes_in(&gateway(folder.path(), 8484), &key, &session).await, "restarted");
        assert!(!comes_in(&gateway(folder.path(), 8485), &key, &session).await, "another port");
        assert!(!comes_in(&first, &PageKey::generate().expect("randomness"), &session).await, "another page");
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

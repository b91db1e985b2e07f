//! The viewer's identity in mode `local`: the gateway's own user, over the Unix socket or by a page's key; and the codes
//! that give a page its session.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode};
use shared::problem::{Problem, Reason};

use super::api::LocalApi;
use super::code::{Codes, Issued};
use super::file_work::FileWork;
use super::names::LivingPages;
use super::preferences::PreferencesFile;
use super::sessions::{Session, SessionId, SessionStore};
use crate::access::identity::{Caller, Identity, Login, LoginSession, Rights};
use crate::address::origin::Origin;
use crate::address::page_name::PageName;

/// One user on one machine.
pub struct Local {
    sessions: SessionStore,
    living: LivingPages,
    files: FileWork,
    preferences: PreferencesFile,
    /// Whether each printed URL has a name of its own.
    has_names: bool,
    port: u16,
    codes: Mutex<Codes>,
    identity: Identity,
    /// `Err`: why there is no listener for clients of the Kubernetes API.
    api: Result<LocalApi, Problem>,
}

impl Local {
    /// Sessions are kept below `state` and hold for `port` alone: a page of another gateway of the same user can't use
    /// them.
    pub(super) fn new(state: &Path, port: u16, identity: Identity, has_names: bool) -> Self {
        let sessions = SessionStore::of_folder(state);
        Self {
            living: LivingPages::of(sessions.clone()),
            files: FileWork::default(),
            preferences: PreferencesFile::of_folder(state),
            sessions,
            has_names,
            port,
            codes: Mutex::default(),
            identity,
            api: Err(no_api("it was started with --api-listen none; leave that out to have one")),
        }
    }

    /// With a listener for clients of the Kubernetes API, or with the reason why it can't be had.
    pub(super) fn with_api(self, api: Result<LocalApi, Problem>) -> Self {
        Self { api, ..self }
    }

    /// Fails where there is no listener for clients of the Kubernetes API.
    pub(in crate::access) fn api(&self) -> Result<&LocalApi, Problem> {
        self.api.as_ref().map_err(Clone::clone)
    }

    /// The gateway's own user, by the API token of the request. The login outlasts the token: what was begun with it ends
    /// as a connection of the Unix socket does. Fails with one sentence that is the same whatever is wrong.
    pub(super) fn of_api_client(&self, headers: &HeaderMap, now: SystemTime) -> Result<Login, Problem> {
        let token = single_bearer(headers);
        let is_known = token.zip(self.api.as_ref().ok()).is_some_and(|(token, api)| api.knows(token, now));
        if is_known {
            return Ok(self.own_login());
        }
        let message = "a token of `dogwatch credential` is wanted, as `Authorization: Bearer …`; `dogwatch kubeconfig` \
                       writes a kubeconfig that asks for it";
        Err(Problem::new(Reason::Unauthorized, message))
    }

    fn own_login(&self) -> Login {
        Login {
            identity: self.identity.clone(),
            expires_ms: None,
            session: None,
            rights: Rights::OfGateway,
            mode: LoginMode::Local,
            provider: None,
        }
    }

    pub(super) fn has_names(&self) -> bool {
        self.has_names
    }

    /// Whether a page of this origin lives, or an unused code opens it.
    pub(super) async fn knows(&self, own: &Origin) -> bool {
        let Some(name) = own.page_name().filter(|_| self.has_names) else { return false };
        let is_to_open = self.codes().open_page(&name, Instant::now());
        is_to_open || self.living.has(&own.to_string()).await
    }

    /// What the user's pages keep beyond their sessions.
    pub(in crate::access) async fn preferences(&self) -> Option<String> {
        let file = self.preferences.clone();
        self.files.run(move || file.read()).await.flatten()
    }

    /// Whether they were kept.
    pub(in crate::access) async fn keep_preferences(&self, text: String) -> bool {
        let file = self.preferences.clone();
        match self.files.run(move || file.write(&text)).await {
            Some(Ok(())) => true,
            Some(Err(error)) => {
                tracing::warn!("the preferences can't be kept: {error}");
                false
            }
            None => false,
        }
    }

    /// Whether the session wasn't revoked. A folder that hangs ends none.
    pub(super) fn is_open(&self, session: &SessionId) -> BoxFuture<'static, bool> {
        let (sessions, session) = (self.sessions.clone(), session.clone());
        self.files.run(move || sessions.is_open(&session)).map(|open| open.unwrap_or(true)).boxed()
    }

    /// A code that opens one page. Fails if the system has no randomness.
    pub(in crate::access) fn issue_code(&self) -> Result<Issued, Problem> {
        let name = self.has_names.then(PageName::random).transpose()?;
        self.codes().issue(name, Instant::now())
    }

    pub(super) async fn login(
        &self,
        credential: Option<&Credential>,
        caller: &Caller,
        asked: Option<Challenge>,
    ) -> Result<Login, Problem> {
        let login = self.own_login();
        match (credential, caller, asked) {
            // The kernel says who the peer is, so a credential adds nothing.
            (_, Caller::SameUser, _) => Ok(login),
            (Some(Credential::Proof(proof)), Caller::Remote { origin, .. }, Some(asked)) => {
                let (sessions, port) = (self.sessions.clone(), self.port);
                let (proof, origin) = (proof.clone(), origin.clone());
                let prove = move || sessions.prove(&proof, &asked.nonce, (&origin, port), SystemTime::now());
                let proved = self.files.run(prove).await.ok_or_else(unanswered)?;
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
            // The request named the user by an API token.
            (_, Caller::Known(login), _) => Ok((**login).clone()),
            (None, Caller::Remote { .. }, _) => {
                Err(unauthorized("this gateway shows itself only to its own user"))
            }
        }
    }

    /// As [`crate::access::Authenticator::exchange`].
    pub(in crate::access) async fn exchange(
        &self,
        code: &str,
        key: &str,
        origin: &str,
        client: &str,
    ) -> Result<SessionId, Problem> {
        let now = SystemTime::now();
        let session = Session::new(key, origin, self.port, client, now)?;
        let Some(issued) = self.codes().redeem(code, Instant::now()) else {
            return Err(unauthorized("this link was used already or is too old"));
        };
        let page = Origin::parse(origin);
        let is_its_own = match (&page, &issued.name) {
            // A program asks, and no page.
            (None, _) => true,
            (Some(page), None) => page.page_name().is_none(),
            // Another program may have had every other address of loopback before, and a worker of it may read along
            // there. A listed site's page is none of these.
            (Some(page), Some(name)) => {
                page.page_name().as_ref() == Some(name) || !page.is_loopback() && page.page_name().is_none()
            }
        };
        if !is_its_own {
            return Err(unauthorized("this link was opened under another address than its own"));
        }
        let sessions = self.sessions.clone();
        let opened = self.files.run(move || sessions.open(&session, now)).await;
        let id = opened.ok_or_else(unanswered)??;
        self.living.add(origin);
        Ok(id)
    }

    fn codes(&self) -> MutexGuard<'_, Codes> {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `None`: there is none, several, or another scheme.
fn single_bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(only), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = only.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

pub(super) fn no_api(why: &str) -> Problem {
    let message = format!("there is no listener for clients of the Kubernetes API: {why}");
    Problem::new(Reason::ServiceUnavailable, message)
}

fn unanswered() -> Problem {
    let message = "the folder of the gateway's sessions doesn't answer; try again in a moment";
    Problem::new(Reason::ServiceUnavailable, message)
}

fn unauthorized(what: &str) -> Problem {
    Problem::new(Reason::Unauthorized, format!("{what}; run `dogwatch url` for a link that opens it"))
}

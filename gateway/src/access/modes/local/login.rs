//! The viewer's identity in mode `local`: the gateway's own user, over the Unix socket or by a page's key; and the codes
//! that give a page its session.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode};
use shared::problem::{Problem, Reason};

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
        let (identity, rights) = (self.identity.clone(), Rights::OfGateway);
        let mode = LoginMode::Local;
        let login = Login { identity, expires_ms: None, session: None, rights, mode, provider: None };
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
            (None, Caller::Remote { .. }, _) | (_, Caller::Known(_), _) => {
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

fn unanswered() -> Problem {
    let message = "the folder of the gateway's sessions doesn't answer; try again in a moment";
    Problem::new(Reason::ServiceUnavailable, message)
}

fn unauthorized(what: &str) -> Problem {
    Problem::new(Reason::Unauthorized, format!("{what}; run `dogwatch url` for a link that opens it"))
}

//! The viewer's identity in mode `local`: the gateway's own user, over the Unix socket or by a page's key; and the codes
//! that give a page its session.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode};
use shared::problem::{Problem, Reason};

use super::code::Codes;
use super::hidden::Hidden;
use super::sessions::{Session, SessionId, SessionStore};
use crate::access::identity::{Caller, Identity, Login, LoginSession, Rights};

/// One user on one machine.
pub struct Local {
    sessions: SessionStore,
    port: u16,
    codes: Mutex<Codes>,
    identity: Identity,
}

impl Local {
    /// Sessions are kept below `state` and hold for `port` alone: a page of another gateway of the same user can't use
    /// them.
    pub(super) fn new(state: &Path, port: u16, identity: Identity) -> Self {
        Self { sessions: SessionStore::of_folder(state), port, codes: Mutex::default(), identity }
    }

    pub(super) fn is_open(&self, session: &SessionId) -> bool {
        self.sessions.is_open(session)
    }

    /// A code that opens one page. Fails if the system has no randomness.
    pub(in crate::access) fn issue_code(&self) -> Result<Hidden, Problem> {
        self.codes().issue(Instant::now())
    }

    pub(super) fn login(
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

    /// As [`crate::access::Authenticator::exchange`].
    pub(in crate::access) fn exchange(
        &self,
        code: &str,
        key: &str,
        origin: &str,
        client: &str,
    ) -> Result<SessionId, Problem> {
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

fn unauthorized(what: &str) -> Problem {
    Problem::new(Reason::Unauthorized, format!("{what}; run `dogwatch url` for a link that opens it"))
}

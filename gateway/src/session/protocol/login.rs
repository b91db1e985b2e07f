//! The login of a session: how it is confirmed or replaced, and how it ends.

use shared::frame::client::Credential;
use shared::frame::close;
use shared::frame::server::{Auth, Challenge, Viewer};
use shared::problem::{Problem, Reason};

use super::events::{Close, Effect, Effects, LoginLook, Now};
use crate::access::{Identity, Login, LoginSession, Rights};
use crate::audit::Decision;
use crate::rate_limiter::MonotonicMs;
use crate::session::expiry::{Due, Expiry};

/// The viewer's login: the identity, its end, and the proof that the client was asked for. [`super::Session`] alone
/// calls it.
pub(super) struct CurrentLogin {
    login: Login,
    expiry: Expiry,
    /// The client sent a credential, and waits for the answer.
    is_looked_at: bool,
    /// What the key is to sign next. One answer uses it up.
    asked: Option<Challenge>,
}

/// What a confirmed login changes.
pub(super) struct Confirmed {
    /// What the client is told, where it asked.
    pub(super) auth: Option<Auth>,
    /// The API server is asked as another identity from now on.
    pub(super) is_other_upstream: bool,
    /// The viewer's groups have changed, or what else their rights hang on.
    pub(super) is_other_subject: bool,
}

impl CurrentLogin {
    pub(super) fn of(login: Login, now: Now) -> Self {
        Self { expiry: Expiry::of(&login, now.unix_ms), login, is_looked_at: false, asked: None }
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.login.identity
    }

    pub(super) fn rights(&self) -> &Rights {
        &self.login.rights
    }

    /// What may be revoked.
    pub(super) fn session(&self) -> Option<&LoginSession> {
        self.login.session.as_ref()
    }

    /// As its page shows it.
    pub(super) fn viewer(&self) -> Viewer {
        self.login.viewer()
    }

    pub(super) fn deadline(&self, now: Now) -> MonotonicMs {
        let wait_ms = self.expiry.look_in(now.unix_ms).map(|wait| wait.as_millis());
        wait_ms.map_or(MonotonicMs::MAX, |wait_ms| {
            now.monotonic_ms.saturating_add(u64::try_from(wait_ms).unwrap_or(MonotonicMs::MAX))
        })
    }

    /// A credential in the place of one that is being looked at would be a way never to hear the answer.
    pub(super) fn look_at(&mut self, credential: Credential) -> Result<Effect, Problem> {
        if self.is_looked_at {
            let message = "another credential is being looked at; wait for the answer to it";
            return Err(Problem::bad_request(message));
        }
        self.is_looked_at = true;
        Ok(Effect::Login(credential, self.asked.take()))
    }

    pub(super) fn challenged(&mut self, asked: Option<Challenge>) {
        self.asked = asked;
    }

    /// The answer to a credential: the same person goes on; another one, or no valid login, ends the connection.
    pub(super) fn answered<H>(
        &mut self,
        login: Result<Login, Problem>,
        now: Now,
        effects: &mut Effects<H>,
    ) -> Result<Confirmed, Close> {
        let was_asked = std::mem::take(&mut self.is_looked_at);
        match login {
            Ok(login) => self.go_on((login, was_asked.then(Decision::renewed)), now, effects),
            Err(problem) => {
                effects.record(Decision::refused(&problem));
                Err(Close::because(close::UNAUTHORIZED, problem))
            }
        }
    }

    /// With the decision for which the client is told when the login ends.
    fn go_on<H>(
        &mut self,
        (login, decision): (Login, Option<Decision>),
        now: Now,
        effects: &mut Effects<H>,
    ) -> Result<Confirmed, Close> {
        if login.identity.name() == self.login.identity.name() {
            return Ok(self.confirm((login, decision), now, effects));
        }
        let message = "this connection is another person's; open one of your own";
        let problem = Problem::new(Reason::Forbidden, message);
        effects.record(Decision::refused(&problem));
        Err(Close::because(close::OTHER_IDENTITY, problem))
    }

    /// The session of the login as it is now. A renewed one is confirmed, and the client is told the new end as if it
    /// had asked.
    pub(super) fn look<H>(
        &mut self,
        look: LoginLook,
        now: Now,
        effects: &mut Effects<H>,
    ) -> Result<Option<Confirmed>, Close> {
        match look {
            LoginLook::Same => Ok(None),
            LoginLook::Renewed(login) => {
                self.is_looked_at = false;
                self.go_on((*login, Some(Decision::renewed())), now, effects).map(Some)
            }
            LoginLook::Unconfirmed(login) => {
                self.is_looked_at = false;
                self.go_on((*login, Some(Decision::unconfirmed())), now, effects).map(Some)
            }
            LoginLook::Ended => {
                let (reason, message) = match self.login.session {
                    Some(LoginSession::Key(_)) => (
                        "the session was ended with `dogwatch sessions revoke`",
                        "the session was ended; run `dogwatch url` for a link that opens another",
                    ),
                    Some(LoginSession::Cookie(_)) | None => {
                        ("the session was ended", "the session was ended; sign in again")
                    }
                };
                effects.record(Decision::logged_out(reason));
                let problem = Problem::new(Reason::Unauthorized, message);
                Err(Close::because(close::UNAUTHORIZED, problem))
            }
        }
    }

    /// What is due at the end of the login, or before it. `Some`: the client is told that it ends then.
    pub(super) fn expire<H>(&mut self, now: Now, effects: &mut Effects<H>) -> Result<Option<Auth>, Close> {
        match self.expiry.look(now.unix_ms) {
            Due::Nothing => Ok(None),
            Due::Prove => {
                effects.push(Effect::Challenge);
                Ok(None)
            }
            Due::Tell(expires_ms) => {
                let user = self.login.identity.name().into();
                Ok(Some(Auth { user, expires_ms: Some(expires_ms) }))
            }
            Due::Over => {
                let problem = Problem::new(Reason::Unauthorized, "the login has ended; log in again");
                Err(Close::because(close::UNAUTHORIZED, problem))
            }
        }
    }

    fn confirm<H>(
        &mut self,
        (login, decision): (Login, Option<Decision>),
        now: Now,
        effects: &mut Effects<H>,
    ) -> Confirmed {
        let auth = decision.map(|decision| {
            effects.record(decision);
            self.expiry = Expiry::of(&login, now.unix_ms);
            Auth { user: login.identity.name().into(), expires_ms: login.expires_ms }
        });
        let before = std::mem::replace(&mut self.login, login).rights;
        let rights = &self.login.rights;
        Confirmed {
            auth,
            is_other_upstream: before.upstream() != rights.upstream(),
            is_other_subject: before != *rights,
        }
    }
}

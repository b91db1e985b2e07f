//! The login of a session: how it is confirmed or replaced, and how it ends.

use std::sync::Arc;

use shared::frame::close;
use shared::frame::server::{Auth, ServerFrame};
use shared::problem::{Problem, Reason};

use super::{Close, Effects, Gateway, Now, Session};
use crate::access::{Login, LoginSession};
use crate::audit::Decision;
use crate::cluster::Subject;
use crate::limits::SILENT_S;
use crate::session::expiry::{Due, Expiry};

impl<H: Clone> Session<H> {
    /// The viewer, where the API server reviews them. Another one after a login that was renewed with other groups.
    pub(in crate::session) fn subject(&self) -> Option<&Arc<Subject>> {
        self.rights.subject()
    }

    /// The answer to a credential: the same person goes on; another one, or no valid login, ends the connection.
    pub(super) fn log_in(
        &mut self,
        login: Result<Login, Problem>,
        effects: &mut Effects<H>,
    ) -> Result<(), Close> {
        let was_asked = std::mem::take(&mut self.is_logging_in);
        match login {
            Ok(login) if login.identity.name() == self.identity.name() => {
                if was_asked {
                    effects.audit.push(Decision::renewed());
                    let user = login.identity.name().into();
                    self.say(&ServerFrame::Auth(Auth { user, expires_ms: login.expires_ms }));
                    self.expiry = Expiry::of(&login);
                }
                self.viewer = login.viewer();
                self.session = login.session;
                self.identity = login.identity;
                let before = std::mem::replace(&mut self.rights, login.rights);
                if before.upstream() != self.rights.upstream() {
                    self.leave_feeds(effects);
                }
                if before != self.rights {
                    self.review_again(effects);
                }
                Ok(())
            }
            Ok(_) => {
                let message = "this connection is another person's; open one of your own";
                let problem = Problem::new(Reason::Forbidden, message);
                effects.audit.push(Decision::refused(&problem));
                Err(Close::because(close::OTHER_IDENTITY, problem))
            }
            Err(problem) => {
                effects.audit.push(Decision::refused(&problem));
                Err(Close::because(close::UNAUTHORIZED, problem))
            }
        }
    }

    pub(super) fn on_deadline(
        &mut self,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
        effects: &mut Effects<H>,
    ) -> Result<(), Close> {
        if now.monotonic_ms >= self.heard_at + SILENT_S * 1_000 {
            return Err(Close { code: close::SILENT, last: None });
        }
        if let Some(session) = self.session.as_ref().filter(|session| !gateway.is_open(session)) {
            let (reason, message) = match session {
                LoginSession::Key(_) => (
                    "the session was ended with `dogwatch sessions revoke`",
                    "the session was ended; run `dogwatch url` for a link that opens another",
                ),
                LoginSession::Cookie(_) => ("the session was ended", "the session was ended; sign in again"),
            };
            effects.audit.push(Decision::logged_out(reason));
            return Err(Close::because(close::UNAUTHORIZED, Problem::new(Reason::Unauthorized, message)));
        }
        if let Some(login) = self.session.as_ref().and_then(|session| gateway.renewed(session)) {
            // The client is told the new end as if it had asked.
            self.is_logging_in = true;
            self.log_in(Ok(login), effects)?;
        }
        match self.expiry.look(now.unix_ms) {
            Due::Nothing => Ok(()),
            Due::Prove => {
                self.asked = gateway.challenge();
                if let Some(asked) = self.asked.clone() {
                    self.say(&ServerFrame::Challenge(asked));
                }
                Ok(())
            }
            Due::Tell(expires_ms) => {
                let user = self.identity.name().into();
                self.say(&ServerFrame::Auth(Auth { user, expires_ms: Some(expires_ms) }));
                Ok(())
            }
            Due::Over => {
                let problem = Problem::new(Reason::Unauthorized, "the login has ended; log in again");
                Err(Close::because(close::UNAUTHORIZED, problem))
            }
        }
    }
}

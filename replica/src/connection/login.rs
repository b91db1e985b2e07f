//! How a connection says who it is: with what the client has, when the gateway asks, and again while it is open.

use shared::frame;
use shared::frame::client::{Auth, ClientFrame, Credential, Has, Hello, Proof};
use shared::frame::server::{Challenge, Wanted};
use shared::problem::{Problem, Reason};

use super::{Connection, Link, NORMAL_CLOSURE, Outputs};
use crate::events::Output;
use crate::now::Now;
use crate::sign_in::SignIn;

/// Why a client isn't let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It holds no key.
    NoKey,
    /// Its key, or what else the connection says of it, isn't taken, or not any more.
    Key,
    /// It has no token.
    NoToken,
    /// Its token isn't taken, or not any more.
    Token,
    /// Its browser has no login for this gateway, or not any more: the viewer signs in at `/login`.
    Login,
    /// The proxy before the gateway names no viewer whom the gateway takes.
    Proxy,
}

impl Refusal {
    /// Why a connection was closed as unauthorized.
    pub(super) fn of(sign_in: &SignIn, wanted: Wanted) -> Self {
        match (sign_in, wanted) {
            (SignIn::Bearer(_), _) => Self::Token,
            (_, Wanted::Login) => Self::Login,
            (_, Wanted::Proxy) => Self::Proxy,
            (_, Wanted::Proof | Wanted::Bearer) => Self::Key,
        }
    }
}

pub(super) fn refused() -> Problem {
    let message = "the gateway doesn't take this login; `dogwatch url` prints a new one";
    Problem::new(Reason::Unauthorized, message)
}

impl Connection {
    /// Connects as this where the last login was refused.
    pub(crate) fn set_sign_in(&mut self, sign_in: SignIn, now: Now, outputs: &mut Outputs) {
        self.sign_in = sign_in;
        match (&self.link, &self.sign_in) {
            (Link::Refused { .. }, _) => {
                self.link = Link::Resting;
                self.dial(now, outputs);
            }
            (Link::Open(_), SignIn::Bearer(token)) => {
                let credential = Credential::Bearer(token.clone());
                outputs.push_back(Output::Send(ClientFrame::Auth(Auth { credential })));
            }
            _ => {}
        }
    }

    /// Opens another connection in place of the one that has the former login. `true` where there was one.
    pub(crate) fn renewed(&mut self, now: Now, outputs: &mut Outputs) -> bool {
        let was_open = self.is_open();
        if was_open {
            self.link = Link::Resting;
            self.dial(now, outputs);
        }
        was_open
    }

    pub(super) fn greet(&self, credential: Option<Credential>, has: Vec<Has>, outputs: &mut Outputs) {
        let hello = Hello { version: frame::VERSION.into(), credential, client: self.client.clone(), has };
        outputs.push_back(Output::Send(ClientFrame::Hello(hello)));
    }

    /// `has`: what `hello` says that the client has already.
    pub(crate) fn challenged(&mut self, asked: Challenge, has: Vec<Has>, now: Now, outputs: &mut Outputs) {
        let Challenge { nonce, wanted } = asked;
        self.wanted = wanted;
        if self.sign_in != SignIn::Key || !matches!(self.link, Link::Greeting { .. } | Link::Open(_)) {
            return;
        }
        match wanted {
            Wanted::Proof => {
                self.asked = Some(nonce.clone());
                outputs.push_back(Output::Prove { nonce });
            }
            Wanted::Bearer => self.lack(Refusal::NoToken, now, outputs),
            // On the open connection the upgrade has said it already.
            Wanted::Login | Wanted::Proxy if self.is_open() => {}
            Wanted::Login | Wanted::Proxy => self.greet(None, has, outputs),
        }
    }

    /// The gateway wants a credential that the client hasn't got.
    fn lack(&mut self, why: Refusal, now: Now, outputs: &mut Outputs) {
        outputs.push_back(Output::Close { code: NORMAL_CLOSURE });
        self.lost_ms.get_or_insert(now.now_ms);
        let problem = self.problem.take().unwrap_or_else(refused);
        self.problem = Some(problem.clone());
        self.link = Link::Refused { why, problem };
    }

    /// The driver's answer to [`Output::Prove`]; `None` if it holds no key. An answer of an earlier connection is dropped.
    pub(crate) fn proved(
        &mut self,
        nonce: &str,
        proof: Option<Proof>,
        has: Vec<Has>,
        now: Now,
        outputs: &mut Outputs,
    ) {
        if self.asked.as_deref() != Some(nonce) {
            return;
        }
        self.asked = None;
        let credential = proof.map(Credential::Proof);
        match (&self.link, credential) {
            (Link::Greeting { .. }, Some(credential)) => self.greet(Some(credential), has, outputs),
            (Link::Greeting { .. }, None) => self.lack(Refusal::NoKey, now, outputs),
            (Link::Open(_), Some(credential)) => {
                outputs.push_back(Output::Send(ClientFrame::Auth(Auth { credential })));
            }
            // The gateway says when the login is over.
            _ => {}
        }
    }
}

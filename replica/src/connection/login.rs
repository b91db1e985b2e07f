//! How a connection says who it is: with what the client has, when the gateway asks, and again while it is open.

use shared::frame;
use shared::frame::client::{ClientFrame, Credential, Has, Hello};
use shared::frame::server::{Challenge, Wanted};
use shared::problem::{Problem, Reason};

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

/// The gateway asked for a credential that the client doesn't have.
pub(super) fn lacking(why: Refusal) -> Problem {
    match why {
        Refusal::NoToken => {
            Problem::new(Reason::Unauthorized, "the gateway wants a token: a service account's, or your own")
        }
        _ => refused(),
    }
}

pub(super) fn refused() -> Problem {
    let message = "the gateway doesn't take this login; `dogwatch url` prints a new one";
    Problem::new(Reason::Unauthorized, message)
}

/// What a connection says of its viewer. It asks the driver for nothing and sends nothing: the connection does, while its
/// link is in the state for it.
#[derive(Debug)]
pub(super) struct Login {
    /// The program's name and version.
    client: Box<str>,
    sign_in: SignIn,
    /// The nonce that the driver's key is to sign.
    asked: Option<Box<str>>,
    /// What the gateway asked for last.
    wanted: Wanted,
    /// A proxy's login ended, and the next connection, which the proxy may name anew, isn't welcome yet.
    ended: Option<Problem>,
}

/// What follows from the gateway's challenge.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Prove {
        nonce: Box<str>,
    },
    /// The upgrade, or the proxy before the gateway, has said it already.
    Hello,
    Lack(Refusal),
}

impl Login {
    pub(super) fn new(client: &str, sign_in: SignIn) -> Self {
        Self { client: client.into(), sign_in, asked: None, wanted: Wanted::default(), ended: None }
    }

    /// What is sent at once on a new connection; `None` where the gateway asks first.
    pub(super) fn opened(&mut self, has: Vec<Has>) -> Option<ClientFrame> {
        self.asked = None;
        match &self.sign_in {
            SignIn::Connection => Some(self.hello(None, has)),
            SignIn::Bearer(token) => Some(self.hello(Some(Credential::Bearer(token.clone())), has)),
            SignIn::Key => None,
        }
    }

    pub(super) fn hello(&self, credential: Option<Credential>, has: Vec<Has>) -> ClientFrame {
        ClientFrame::Hello(Hello {
            version: frame::VERSION.into(),
            credential,
            client: self.client.clone(),
            has,
        })
    }

    pub(super) fn challenged(&mut self, asked: Challenge, is_open: bool) -> Option<Answer> {
        let Challenge { nonce, wanted } = asked;
        self.wanted = wanted;
        if self.sign_in != SignIn::Key {
            return None;
        }
        match wanted {
            Wanted::Proof => Some(Answer::Prove { nonce }),
            Wanted::Bearer => Some(Answer::Lack(Refusal::NoToken)),
            // On the open connection the upgrade has said it already.
            Wanted::Login | Wanted::Proxy => (!is_open).then_some(Answer::Hello),
        }
    }

    pub(super) fn proves(&mut self, nonce: Box<str>) {
        self.asked = Some(nonce);
    }

    /// Whether the key was to sign this nonce. It is answered once.
    pub(super) fn is_proved(&mut self, nonce: &str) -> bool {
        self.asked.take_if(|asked| **asked == *nonce).is_some()
    }

    /// Another way in. Returns the credential for a connection that is open, where it has one.
    pub(super) fn set_sign_in(&mut self, sign_in: SignIn) -> Option<Credential> {
        self.sign_in = sign_in;
        match &self.sign_in {
            SignIn::Bearer(token) => Some(Credential::Bearer(token.clone())),
            SignIn::Connection | SignIn::Key => None,
        }
    }

    pub(super) fn welcomed(&mut self) {
        self.ended = None;
    }

    /// The login that a proxy had named ended.
    pub(super) fn ended(&mut self, problem: Problem) {
        self.ended = Some(problem);
    }

    pub(super) fn take_ended(&mut self) -> Option<Problem> {
        self.ended.take()
    }

    pub(super) fn is_by_proxy(&self) -> bool {
        self.wanted == Wanted::Proxy
    }

    /// Why a connection that was closed as unauthorized isn't let in.
    pub(super) fn refusal(&self) -> Refusal {
        match (&self.sign_in, self.wanted) {
            (SignIn::Bearer(_), _) => Refusal::Token,
            (_, Wanted::Login) => Refusal::Login,
            (_, Wanted::Proxy) => Refusal::Proxy,
            (_, Wanted::Proof | Wanted::Bearer) => Refusal::Key,
        }
    }
}

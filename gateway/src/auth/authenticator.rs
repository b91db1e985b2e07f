//! Turns a credential and a peer into an [`Identity`], or into one sentence that says what to do.
//! Never says which part of a credential was wrong, and never logs one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use shared::frame::client::Credential;
use shared::problem::{Problem, Reason};

use super::identity::{Identity, Login, Peer};
use super::local::code::{Code, Codes};
use super::local::key::SigningKey;
use super::local::secret::{Secret, Signer};

/// Cheap to clone. Mode `local` is the only one there is.
#[derive(Clone)]
pub struct Authenticator {
    local: Arc<Local>,
}

struct Local {
    signer: Signer,
    codes: Mutex<Codes>,
    identity: Identity,
}

impl Authenticator {
    /// Secrets hold for the port that the gateway listens on: a page of another gateway of the same
    /// user, or whatever takes the port after it, has no use for them elsewhere.
    #[must_use]
    pub fn local(key: SigningKey, port: u16, identity: Identity) -> Self {
        let local = Local { signer: Signer::new(key, port), codes: Mutex::default(), identity };
        Self { local: Arc::new(local) }
    }

    /// # Errors
    /// `Unauthorized`, with what to do about it.
    pub fn authenticate(&self, credential: Option<&Credential>, peer: &Peer) -> Result<Identity, Problem> {
        self.login(credential, peer).map(|login| login.identity)
    }

    /// With how long it holds.
    ///
    /// # Errors
    /// As [`Authenticator::authenticate`].
    pub fn login(&self, credential: Option<&Credential>, peer: &Peer) -> Result<Login, Problem> {
        let identity = self.local.identity.clone();
        match (credential, peer) {
            // The kernel vouched for it; whatever else it says adds nothing.
            (_, Peer::SameUser) => Ok(Login { identity, expires_ms: None }),
            (Some(Credential::Local(text) | Credential::Bearer(text)), Peer::Remote(_)) => {
                let expires_ms = self.local.signer.expiry(text, SystemTime::now());
                if expires_ms.is_none() {
                    return Err(unauthorized("the secret of this page is not valid here (any more)"));
                }
                Ok(Login { identity, expires_ms })
            }
            (None, Peer::Remote(_)) => Err(unauthorized("this gateway shows itself only to its own user")),
        }
    }

    /// A code that opens one page.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn issue_code(&self) -> Result<Code, Problem> {
        self.codes().issue(Instant::now())
    }

    /// The page's own secret for a code, which is used up by it.
    ///
    /// # Errors
    /// `Unauthorized`: it was never issued, is too old, or was used.
    pub fn exchange(&self, code: &str) -> Result<Secret, Problem> {
        if !self.codes().redeem(code, Instant::now()) {
            return Err(unauthorized("this link was used already or is too old"));
        }
        self.local.signer.issue(SystemTime::now())
    }

    fn codes(&self) -> std::sync::MutexGuard<'_, Codes> {
        self.local.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unauthorized(what: &str) -> Problem {
    Problem::new(Reason::Unauthorized, format!("{what}; run `dogwatch url` for a link that opens it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMOTE: Peer = Peer::Remote(std::net::SocketAddr::V4(std::net::SocketAddrV4::new(
        std::net::Ipv4Addr::LOCALHOST,
        40_000,
    )));

    fn gateway(port: u16) -> Authenticator {
        let identity = Identity::new("alice", &[]).expect("a name");
        Authenticator::local(SigningKey::from_bytes([7; 64]), port, identity)
    }

    fn credential(secret: &Secret) -> Credential {
        Credential::Local(secret.expose().into())
    }

    #[test]
    fn r_authn_1_a_code_works_once_and_its_secret_again_and_again() {
        let gateway = gateway(8484);
        let code = gateway.issue_code().expect("randomness");
        let secret = gateway.exchange(code.expose()).expect("fresh");
        assert!(gateway.exchange(code.expose()).is_err(), "used twice");
        for _ in 0..3 {
            assert!(gateway.authenticate(Some(&credential(&secret)), &REMOTE).is_ok());
        }
    }

    #[test]
    fn a_secret_outlives_its_gateway_and_holds_for_its_port_alone() {
        let secret = gateway(8484).local.signer.issue(SystemTime::now()).expect("randomness");
        assert!(gateway(8484).authenticate(Some(&credential(&secret)), &REMOTE).is_ok(), "restarted");
        assert!(gateway(8485).authenticate(Some(&credential(&secret)), &REMOTE).is_err(), "another port");
    }

    #[test]
    fn over_tcp_nobody_is_known_without_a_secret_and_over_the_socket_everybody_is() {
        let gateway = gateway(8484);
        let wrong = Credential::Bearer("wrong".into());
        for credential in [None, Some(&wrong)] {
            let problem = gateway.authenticate(credential, &REMOTE).expect_err("nobody");
            assert_eq!(problem.reason, Reason::Unauthorized);
            assert!(problem.message.contains("dogwatch url"), "{problem}");
        }
        assert_eq!(gateway.authenticate(None, &Peer::SameUser).expect("known").name(), "alice");
    }
}

//! Turns a credential and a peer into a [`Login`], or into one sentence that says what to do. Never says
//! which part of a credential was wrong, and never logs one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use shared::frame::client::Credential;
use shared::problem::{Problem, Reason};

use super::identity::{Identity, Login, Peer};
use super::local::code::Codes;
use super::local::hidden::Hidden;
use super::local::key::SigningKey;
use super::local::secret::Signer;

/// Cheap to clone. `local` is the only mode there is.
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
    /// Secrets are valid for `port` alone: a page of another gateway of the same user can't use them.
    pub fn local(key: SigningKey, port: u16, identity: Identity) -> Self {
        let local = Local { signer: Signer::new(key, port), codes: Mutex::default(), identity };
        Self { local: Arc::new(local) }
    }

    /// Fails with `Unauthorized`, which says what to do.
    pub fn login(&self, credential: Option<&Credential>, peer: &Peer) -> Result<Login, Problem> {
        let expires_ms =
            match (credential, peer) {
                // The kernel says who the peer is, so a credential adds nothing.
                (_, Peer::SameUser) => None,
                (Some(Credential::Local(text) | Credential::Bearer(text)), Peer::Remote(_)) => {
                    let expires_ms = self.local.signer.expiry(text, SystemTime::now());
                    Some(expires_ms.ok_or_else(|| {
                        unauthorized("the secret of this page is not valid here (any more)")
                    })?)
                }
                (None, Peer::Remote(_)) => {
                    return Err(unauthorized("this gateway shows itself only to its own user"));
                }
            };
        Ok(Login { identity: self.local.identity.clone(), expires_ms })
    }

    /// A code that opens one page.
    /// Fails if the system has no randomness.
    pub fn issue_code(&self) -> Result<Hidden, Problem> {
        self.codes().issue(Instant::now())
    }

    /// The page's own secret for a code, which is used up by it.
    /// Fails with `Unauthorized` if the code was never issued, is too old, or was used.
    pub fn exchange(&self, code: &str) -> Result<Hidden, Problem> {
        if !self.codes().redeem(code, Instant::now()) {
            return Err(unauthorized("this link was used already or is too old"));
        }
        self.local.signer.issue(SystemTime::now())
    }

    fn codes(&self) -> MutexGuard<'_, Codes> {
        self.local.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unauthorized(what: &str) -> Problem {
    Problem::new(Reason::Unauthorized, format!("{what}; run `dogwatch url` for a link that opens it"))
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

    use super::*;

    const REMOTE: Peer = Peer::Remote(SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 40_000)));

    fn gateway(port: u16) -> Authenticator {
        let identity = Identity::new("alice").expect("a name");
        Authenticator::local(SigningKey::from_bytes([7; 64]), port, identity)
    }

    #[test]
    fn r_authn_1_a_code_works_once_and_its_secret_after_a_restart_at_its_own_port_alone() {
        let first = gateway(8484);
        let code = first.issue_code().expect("randomness");
        let secret = Credential::Local(first.exchange(code.expose()).expect("fresh").expose().into());
        assert!(first.exchange(code.expose()).is_err(), "used twice");
        for _ in 0..3 {
            assert!(first.login(Some(&secret), &REMOTE).is_ok());
        }
        assert!(gateway(8484).login(Some(&secret), &REMOTE).is_ok(), "restarted");
        assert!(gateway(8485).login(Some(&secret), &REMOTE).is_err(), "another port");
    }

    #[test]
    fn tcp_needs_a_secret_and_the_unix_socket_none() {
        let gateway = gateway(8484);
        let wrong = Credential::Bearer("wrong".into());
        for credential in [None, Some(&wrong)] {
            let problem = gateway.login(credential, &REMOTE).expect_err("no secret");
            assert_eq!(problem.reason, Reason::Unauthorized);
            assert!(problem.message.contains("dogwatch url"), "{problem}");
        }
        assert_eq!(gateway.login(None, &Peer::SameUser).expect("known").identity.name(), "alice");
    }
}

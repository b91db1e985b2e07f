//! How a program on a person's computer, such as `dogwatch credential` for kubectl, is let in by the browser in which that
//! person is signed in (RFC 8252, with PKCE of RFC 7636 by S256): what the parts hold, and how they fit.
//!
//! A [`ClientRequest`] leads a browser to the gateway. The [`Question`] binds the page that asks its person to their
//! session. With their yes the browser goes to the provider once more, so that the program's session has a refresh token
//! of its own: a provider that rotates them takes the second use of one that browser and program share for a theft. The
//! provider's code goes back to the program inside the [`Code`], unused: the provider takes it once, whichever gateway
//! the program shows it to. For it the program gets a [`Token`] and its session, each sealed.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::problem::Problem;
use shared::state::UnixMillis;
use subtle::ConstantTimeEq;

use super::failure::Failure;
use super::form;
use super::provider::plain;
use super::session::{Session, SessionKey};
use crate::access::modes::local::hidden::random_text;
use crate::limits::CLIENT_PORT_MIN;

/// Where browsers are led.
pub const CLIENT: &str = "/login/client";

/// Where a program waits for its code, and the hash of what it proves itself with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientRequest {
    pub port: u16,
    pub challenge: Box<str>,
}

/// What a browser brings to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brought {
    Code(String),
    /// The provider's word for its refusal.
    Refusal(String),
}

/// A person is asked about it in this session of theirs.
#[derive(Serialize, Deserialize)]
pub(super) struct Question {
    pub(super) request: ClientRequest,
    pub(super) session: Box<str>,
    pub(super) until_ms: UnixMillis,
}

/// The person said yes.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Allowed {
    pub(super) request: ClientRequest,
    /// The browser's.
    pub(super) session: SessionKey,
    pub(super) ends_ms: UnixMillis,
}

/// The provider's code, and what belongs to it.
#[derive(Serialize, Deserialize)]
pub(super) struct Code {
    pub(super) allowed: Allowed,
    pub(super) code: Box<str>,
    pub(super) state: Box<str>,
    pub(super) nonce: Box<str>,
    /// The gateway's, for the provider.
    pub(super) verifier: Box<str>,
    pub(super) until_ms: UnixMillis,
}

/// What a program shows at `/k8s/…`.
#[derive(Serialize, Deserialize)]
pub(super) struct Token {
    #[serde(flatten)]
    key: SessionKey,
    #[serde(rename = "u")]
    username: Box<str>,
    #[serde(rename = "g", default, skip_serializing_if = "BTreeSet::is_empty")]
    groups: BTreeSet<Box<str>>,
    /// The end of the login, and with it of a watch.
    #[serde(rename = "e")]
    ends_ms: UnixMillis,
    /// The end of the token.
    #[serde(rename = "t")]
    pub(super) until_ms: UnixMillis,
}

/// As RFC 7636 bounds a verifier.
const VERIFIER_LENGTHS: std::ops::RangeInclusive<usize> = 43..=128;
const HASH_BYTES: usize = 32;

impl ClientRequest {
    /// Fails if it names no port, or no challenge.
    pub fn of_query(query: &str) -> Result<Self, Failure> {
        let one = |name| form::value(query, name).ok().flatten().ok_or(Failure::BadClient);
        let (port, challenge) = (one("port")?, one("challenge")?);
        let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|port| is_number && *port >= CLIENT_PORT_MIN);
        let is_hash = URL_SAFE_NO_PAD.decode(&challenge).is_ok_and(|hash| hash.len() == HASH_BYTES);
        match port {
            Some(port) if is_hash => Ok(Self { port, challenge: challenge.into() }),
            _ => Err(Failure::BadClient),
        }
    }

    /// The path at the gateway.
    pub fn path(&self) -> String {
        form::with_query(CLIENT, &[("port", &self.port.to_string()), ("challenge", &self.challenge)])
    }

    /// Eight characters that page and terminal show, so that their person sees that one belongs to the other.
    pub fn shown_code(&self) -> String {
        let hash = Sha256::digest(format!("dogwatch shows {}", self.challenge));
        let letters = hash.iter().take(SHOWN_LETTERS);
        let letters = letters.filter_map(|byte| LETTERS.get(usize::from(*byte) % LETTERS.len()));
        let mut code: String = letters.map(|letter| char::from(*letter)).collect();
        code.insert(SHOWN_LETTERS / 2, '-');
        code
    }

    pub(super) fn is_proven_by(&self, verifier: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        VERIFIER_LENGTHS.contains(&verifier.len())
            && verifier.bytes().all(is_plain)
            && challenge_of(verifier).as_bytes().ct_eq(self.challenge.as_bytes()).into()
    }

    /// Where the program waits. It knows its own challenge, and takes no code that comes without it.
    pub(super) fn way_back(&self, code: &str) -> String {
        let url = format!("http://127.0.0.1:{}/", self.port);
        form::with_query(&url, &[("code", code), ("state", &self.challenge)])
    }

    /// There as well, where the provider refused the login: what it calls that.
    pub(super) fn way_back_without(&self, error: &str) -> String {
        let url = format!("http://127.0.0.1:{}/", self.port);
        form::with_query(&url, &[("error", error), ("state", &self.challenge)])
    }

    /// What a browser that came back brings. `None`: another page asked.
    pub fn brought(&self, query: &str) -> Option<Brought> {
        let one = |name| form::value(query, name).ok().flatten();
        let is_own: bool = one("state")?.as_bytes().ct_eq(self.challenge.as_bytes()).into();
        if !is_own {
            return None;
        }
        if let Some(error) = one("error") {
            return Some(Brought::Refusal(plain(&error)));
        }
        one("code").filter(|code| !code.is_empty()).map(Brought::Code)
    }
}

const SHOWN_LETTERS: usize = 8;
/// Without those that look alike.
const LETTERS: &[u8] = b"ABCDEFGHJKMNPQRSTUVWXYZ23456789";

/// What a program proves itself with: 44 characters.
///
/// # Errors
/// The system has no randomness.
pub fn fresh_verifier() -> Result<String, Problem> {
    Ok(format!("{}{}", random_text()?, random_text()?))
}

/// S256.
pub fn challenge_of(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

impl Allowed {
    /// The program's own session: it lasts no longer than the browser's, and begins with it for what ends all sessions
    /// of a person.
    pub(super) fn begun(&self, session: Session) -> Result<Session, Failure> {
        if session.key.subject != self.session.subject {
            return Err(Failure::OtherPerson);
        }
        Ok(Session {
            ends_ms: session.ends_ms.min(self.ends_ms),
            key: SessionKey {
                begun_ms: self.session.begun_ms,
                of_browser: Some(self.session.id.clone()),
                ..session.key
            },
            ..session
        })
    }
}

impl Token {
    pub(super) fn of(session: &Session, until_ms: UnixMillis) -> Self {
        Self {
            key: session.key.clone(),
            username: session.username.clone(),
            groups: session.groups.clone(),
            ends_ms: session.holds_until_ms(),
            until_ms,
        }
    }

    /// The session as the provider confirmed it last before the token was given.
    pub(super) fn session(self) -> Session {
        Session {
            key: self.key,
            username: self.username,
            groups: self.groups,
            ends_ms: self.ends_ms,
            renewal: None,
            unconfirmed: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn r_authn_17_a_program_names_a_port_and_a_challenge_that_are_exactly_that() {
        let good = ClientRequest::of_query(&format!("port=49152&challenge={CHALLENGE}")).expect("good");
        assert_eq!(good.path(), format!("/login/client?port=49152&challenge={CHALLENGE}"));
        assert_eq!(good.way_back("a.b"), format!("http://127.0.0.1:49152/?code=a.b&state={CHALLENGE}"));
        assert_eq!(
            good.brought(&format!("code=a.b&state={CHALLENGE}")),
            Some(Brought::Code("a.b".to_owned()))
        );
        for other in ["code=a.b", "code=a.b&state=", &format!("code=&state={CHALLENGE}"), "code=a.b&state=x"]
        {
            assert_eq!(good.brought(other), None, "{other}");
        }
        for port in ["", "0", "80", "1023", "65536", "+49152", " 49152", "49152@evil.example", "4e4", "-1"] {
            let query = form::form(&[("port", port), ("challenge", CHALLENGE)]);
            assert_eq!(ClientRequest::of_query(&query), Err(Failure::BadClient), "{port:?}");
        }
        for query in [
            "",
            "port=49152",
            &format!("challenge={CHALLENGE}"),
            &format!("port=49152&port=49153&challenge={CHALLENGE}"),
            &format!("port=49152&challenge={CHALLENGE}="),
            "port=49152&challenge=short",
            "port=49152&challenge=%22%3E%3Cscript%3E",
        ] {
            assert_eq!(ClientRequest::of_query(query), Err(Failure::BadClient), "{query:?}");
        }
    }

    #[test]
    fn r_authn_17_the_verifier_of_the_challenge_alone_proves_a_program() {
        let request = ClientRequest { port: 49_152, challenge: CHALLENGE.into() };
        assert_eq!(challenge_of(VERIFIER), CHALLENGE);
        assert!(request.is_proven_by(VERIFIER));
        let long = "a".repeat(129);
        for wrong in ["", CHALLENGE, &VERIFIER[1..], &VERIFIER.to_lowercase(), &format!("{VERIFIER}="), &long]
        {
            assert!(!request.is_proven_by(wrong), "{wrong}");
        }
        let short = "abc";
        let of_short = ClientRequest { port: 49_152, challenge: challenge_of(short).into() };
        assert!(!of_short.is_proven_by(short), "a short one could be guessed");
    }

    #[test]
    fn the_code_that_is_shown_is_of_the_challenge_and_easily_read() {
        let request = |challenge: &str| ClientRequest { port: 49_152, challenge: challenge.into() };
        let code = request(CHALLENGE).shown_code();
        assert_eq!(code.len(), 9);
        assert!(code.bytes().all(|byte| byte == b'-' || LETTERS.contains(&byte)), "{code}");
        assert_ne!(code, request(VERIFIER).shown_code());
    }
}

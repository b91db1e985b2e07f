//! What the gateway gives away sealed, and reads again: cookies, what programs read Kubernetes with, what gateways tell
//! each other, and what a gateway remembers beyond a restart. Encrypted and authenticated (ChaCha20-Poly1305) under keys that only the gateways of one
//! team hold. A key of the file is never used itself: each purpose has one that is derived from it (HKDF), so that a login
//! can't pass for a session.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use shared::problem::{Problem, Reason};

use crate::limits::SESSION_KEYS_MAX;
use crate::plain_file;
use crate::same_user::own_uid;

/// The keys, the newest first: that one seals, each of them opens.
pub struct SealingKeys(Vec<Derived>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Session,
    Login,
    Peers,
    Ended,
    /// What the page of a program asks its person.
    ClientQuestion,
    ClientCode,
    ClientSession,
    ClientToken,
}

/// A key for each purpose, of one secret.
struct Derived {
    session: LessSafeKey,
    login: LessSafeKey,
    peers: LessSafeKey,
    ended: LessSafeKey,
    client_question: LessSafeKey,
    client_code: LessSafeKey,
    client_session: LessSafeKey,
    client_token: LessSafeKey,
}

/// 256 bits, as many as the cipher's key has.
const SECRET_BYTES_MIN: usize = 32;

/// The file of a Secret in a pod is its group's, which is the gateway's own; a user's own file is the user's alone.
fn is_open_to_others(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| {
        let by_group = file.mode() & 0o040 != 0 && file.uid() == own_uid();
        by_group || file.mode() & 0o004 != 0
    })
}

impl SealingKeys {
    /// Reads a file with one key a line, in base64. Fails with one sentence that names the file.
    pub(super) fn read(path: &Path) -> Result<Self, Problem> {
        let wrong = |why: String| {
            let message = format!(
                "--session-key-file {} {why}; it has a key a line, each as `openssl rand -base64 32` prints it, \
                 the newest first",
                path.display()
            );
            Problem::new(Reason::Configuration, message)
        };
        let text =
            plain_file::read_to_string(path).map_err(|error| wrong(format!("can't be read ({error})")))?;
        if is_open_to_others(path) {
            tracing::warn!(
                file = %path.display(),
                "other users can read the session keys, and so make a session of any person: take that right away"
            );
        }
        Self::parse(&text).map_err(|why| wrong(why.to_owned()))
    }

    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let secrets: Option<Vec<Vec<u8>>> = lines.map(|line| STANDARD.decode(line).ok()).collect();
        let secrets = secrets.ok_or("holds a line that isn't base64")?;
        if secrets.iter().any(|secret| secret.len() < SECRET_BYTES_MIN) {
            return Err("holds a key of less than 32 bytes");
        }
        if secrets.is_empty() || secrets.len() > SESSION_KEYS_MAX {
            return Err("holds no key, or too many");
        }
        let keys: Option<Vec<Derived>> = secrets.iter().map(|secret| Derived::of(secret)).collect();
        keys.map(Self).ok_or("holds a key that can't be used")
    }

    /// A key of this process alone.
    pub(super) fn random() -> Result<Self, Problem> {
        let failed = |why: String| Problem::new(Reason::InternalError, format!("no key can be made: {why}"));
        let mut secret = [0; SECRET_BYTES_MIN];
        getrandom::fill(&mut secret).map_err(|error| failed(error.to_string()))?;
        let key = Derived::of(&secret).ok_or_else(|| failed("it can't be used".to_owned()))?;
        Ok(Self(vec![key]))
    }

    /// `context` isn't stored; opening needs the same one. Fails if the system has no randomness.
    pub(super) fn seal(&self, purpose: Purpose, context: &str, plain: &[u8]) -> Result<String, Problem> {
        let failed = || Problem::new(Reason::InternalError, "nothing can be sealed: there is no randomness");
        let key = self.0.first().ok_or_else(failed)?.of_purpose(purpose);
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| failed())?;
        let mut sealed = plain.to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(context.as_bytes()),
            &mut sealed,
        )
        .map_err(|_| failed())?;
        Ok(URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat()))
    }

    /// `None`: no key of these sealed it, for another purpose, or in another context.
    pub(super) fn open(&self, purpose: Purpose, context: &str, sealed: &str) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN)?;
        self.0.iter().find_map(|key| {
            let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
            let mut plain = sealed.to_vec();
            let aad = Aad::from(context.as_bytes());
            let length = key.of_purpose(purpose).open_in_place(nonce, aad, &mut plain).ok()?.len();
            plain.truncate(length);
            Some(plain)
        })
    }
}

impl Derived {
    fn of(secret: &[u8]) -> Option<Self> {
        let root = Salt::new(HKDF_SHA256, b"dogwatch").extract(secret);
        let derived = |purpose: &[u8]| {
            let info = [purpose];
            let key = root.expand(&info, &CHACHA20_POLY1305).ok()?;
            Some(LessSafeKey::new(UnboundKey::from(key)))
        };
        Some(Self {
            session: derived(b"session")?,
            login: derived(b"login")?,
            peers: derived(b"peers")?,
            ended: derived(b"ended")?,
            client_question: derived(b"client question")?,
            client_code: derived(b"client code")?,
            client_session: derived(b"client session")?,
            client_token: derived(b"client token")?,
        })
    }

    fn of_purpose(&self, purpose: Purpose) -> &LessSafeKey {
        match purpose {
            Purpose::Session => &self.session,
            Purpose::Login => &self.login,
            Purpose::Peers => &self.peers,
            Purpose::Ended => &self.ended,
            Purpose::ClientQuestion => &self.client_question,
            Purpose::ClientCode => &self.client_code,
            Purpose::ClientSession => &self.client_session,
            Purpose::ClientToken => &self.client_token,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2w=";
    const NEW: &str = "bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmU=";

    fn keys(lines: &[&str]) -> SealingKeys {
        SealingKeys::parse(&lines.join("\n")).map_err(str::to_owned).expect("keys")
    }

    fn opened(keys: &SealingKeys, sealed: &str) -> Option<Vec<u8>> {
        keys.open(Purpose::Session, "here", sealed)
    }

    #[test]
    fn a_file_that_other_users_can_read_is_warned_of() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("keys");
        std::fs::write(&file, OLD).expect("written");
        for (mode, is_open) in [(0o600, false), (0o400, false), (0o644, true), (0o640, true), (0o604, true)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("set");
            assert_eq!(is_open_to_others(&file), is_open, "{mode:o}");
        }
    }

    #[test]
    fn a_key_that_rotates_still_opens_what_it_sealed_until_it_is_gone() {
        let sealed = keys(&[OLD]).seal(Purpose::Session, "here", b"alice").expect("sealed");
        let both = keys(&["# newest first", NEW, "", OLD]);
        assert_eq!(opened(&both, &sealed).as_deref(), Some(&b"alice"[..]));
        assert_eq!(opened(&keys(&[NEW]), &sealed), None);
        let fresh = both.seal(Purpose::Session, "here", b"alice").expect("sealed");
        assert_eq!(opened(&keys(&[OLD]), &fresh), None, "the first key seals");
    }

    #[test]
    fn what_is_sealed_is_of_one_purpose_and_context_and_every_changed_byte_is_noticed() {
        let keys = keys(&[OLD]);
        let sealed = keys.seal(Purpose::Session, "here", b"alice").expect("sealed");
        assert!(!sealed.contains("alice"));
        for other in [
            Purpose::Login,
            Purpose::Peers,
            Purpose::Ended,
            Purpose::ClientQuestion,
            Purpose::ClientCode,
            Purpose::ClientSession,
            Purpose::ClientToken,
        ] {
            assert_eq!(keys.open(other, "here", &sealed), None, "{other:?}");
            let sealed = keys.seal(other, "here", b"alice").expect("sealed");
            assert_eq!(opened(&keys, &sealed), None, "{other:?}");
        }
        assert_eq!(keys.open(Purpose::Session, "there", &sealed), None);
        for place in 0..sealed.len() {
            let other = if sealed.as_bytes()[place] == b'B' { "C" } else { "B" };
            let mut spoiled = sealed.clone();
            spoiled.replace_range(place..=place, other);
            assert_eq!(opened(&keys, &spoiled), None, "{place}");
        }
        assert_eq!(opened(&keys, ""), None);
    }

    #[test]
    fn a_file_that_holds_no_good_key_is_refused() {
        for text in ["", "# none", "c2hvcnQ=", "not base64!", &format!("{OLD}\nc2hvcnQ=")] {
            assert!(SealingKeys::parse(text).is_err(), "{text}");
        }
    }
}

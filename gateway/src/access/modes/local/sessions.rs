//! The sessions of pages: a file for each in the user's state folder, with the public half of the page's key. The files
//! hold no secret: a process that reads them can't log in. A session lasts as long as its file is there and not too old:
//! the file's time is that of the last proof. So a restarted gateway knows its pages, and to revoke a session is to
//! delete its file.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::frame::client::Proof;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::folders;
use crate::limits::{LOCAL_SESSION_BYTES_MAX, LOCAL_SESSION_LIFETIME_S, LOCAL_SESSIONS_MAX};
use crate::same_user::own_uid;

const FOLDER: &str = "sessions";
const LIFETIME: Duration = Duration::from_secs(LOCAL_SESSION_LIFETIME_S);

/// The hash of a session's key, which is also its file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionId(Box<str>);

/// What a session's file holds. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The public key, an uncompressed point, in URL-safe base64.
    key: Box<str>,
    /// The page's scheme, host and port. Empty: a program asks, and no page.
    pub origin: Box<str>,
    /// The gateway's port. A page of another gateway of the same user can't use the session.
    pub port: u16,
    /// The browser, as it calls itself.
    pub client: Box<str>,
    pub since_ms: UnixMillis,
}

/// A session that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub id: SessionId,
    pub session: Session,
    /// When the page last proved its key.
    pub proved: SystemTime,
}

/// The sessions of a user.
#[derive(Clone, Debug)]
pub struct SessionStore(PathBuf);

impl SessionId {
    /// `None` if it can't be one. What is accepted is a file's name, and no path.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hash = URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == ID_BYTES);
        is_hash.then(|| Self(text.into()))
    }

    fn of(key: &[u8]) -> Self {
        let hash = Sha256::digest(key);
        Self(URL_SAFE_NO_PAD.encode(hash.get(..ID_BYTES).unwrap_or_default()).into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// 128 bits, so that no two keys have the same.
const ID_BYTES: usize = 16;
/// An uncompressed point of P-256: 4, x, y.
const KEY_BYTES: usize = 65;
/// So much is kept of a browser's own name. The user alone sees it.
const CLIENT_CHARACTERS_MAX: usize = 200;

impl Session {
    /// Fails if the key isn't written as one of P-256. Whether it is a point of the curve shows when it signs.
    pub fn new(key: &str, origin: &str, port: u16, client: &str, now: SystemTime) -> Result<Self, Problem> {
        let bytes = URL_SAFE_NO_PAD.decode(key).unwrap_or_default();
        if bytes.len() != KEY_BYTES || bytes.first() != Some(&4) {
            let message =
                "the key must be an uncompressed point of P-256 in URL-safe base64, without padding";
            return Err(Problem::bad_request(message));
        }
        let client: String = client.chars().filter(is_plain).take(CLIENT_CHARACTERS_MAX).collect();
        let since_ms = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        Ok(Self {
            key: key.into(),
            origin: origin.into(),
            port,
            client: client.into(),
            since_ms: i64::try_from(since_ms).unwrap_or(i64::MAX),
        })
    }

    fn key(&self) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(self.key.as_bytes()).unwrap_or_default()
    }

    fn is_signed(&self, proof: &Proof, nonce: &str) -> bool {
        let Ok(signature) = URL_SAFE_NO_PAD.decode(proof.signature.as_bytes()) else { return false };
        let message = Proof::message(nonce, &self.origin);
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.key())
            .verify(message.as_bytes(), &signature)
            .is_ok()
    }
}

impl Listed {
    pub fn ends(&self) -> SystemTime {
        self.proved + LIFETIME
    }
}

impl SessionStore {
    /// In the user's state folder. Nothing is created before the first session.
    pub fn of_folder(state: &Path) -> Self {
        Self(state.join(FOLDER))
    }

    /// Opens a session. One too many ends the one whose last proof is the oldest.
    /// Fails with one sentence that names the folder, if it can't be written.
    pub fn open(&self, session: &Session, now: SystemTime) -> Result<SessionId, Problem> {
        let id = SessionId::of(&session.key());
        folders::make_private(&self.0)?;
        let mut others = self.list(now);
        others.retain(|listed| listed.id != id);
        for listed in others.iter().rev().skip(LOCAL_SESSIONS_MAX - 1) {
            self.revoke(&listed.id);
        }
        self.write(&id, session, now).map_err(|error| {
            let message = format!("no session can be kept in {}: {error}", self.0.display());
            Problem::new(Reason::ServiceUnavailable, message)
        })?;
        Ok(id)
    }

    /// When the session ends that this proof of `nonce` belongs to, which it has renewed. `None` if it's no proof: another
    /// key, nonce, origin or port, or a session that is over.
    pub fn prove(
        &self,
        proof: &Proof,
        nonce: &str,
        (origin, port): (&str, u16),
        now: SystemTime,
    ) -> Option<(SessionId, UnixMillis)> {
        let id = SessionId::parse(&proof.session)?;
        // Never created here: a session that is revoked meanwhile stays so.
        let file = opened(&self.path(&id), OpenOptions::new().read(true).write(true))?;
        let (session, proved) = read(&file)?;
        let is_its_own =
            *session.origin == *origin && session.port == port && id == SessionId::of(&session.key());
        if !is_its_own || is_over(proved, now) || !session.is_signed(proof, nonce) {
            return None;
        }
        file.set_modified(now).ok()?;
        let ends = (now + LIFETIME).duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        Some((id, i64::try_from(ends).unwrap_or(i64::MAX)))
    }

    /// Whether it wasn't revoked.
    pub fn is_open(&self, id: &SessionId) -> bool {
        self.path(id).exists()
    }

    /// `false` if there was none.
    pub fn revoke(&self, id: &SessionId) -> bool {
        fs::remove_file(self.path(id)).is_ok()
    }

    /// The open sessions, by the time of their last proof. Deletes those that are over.
    pub fn list(&self, now: SystemTime) -> Vec<Listed> {
        let mut open = Vec::new();
        for entry in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(SessionId::parse) else { continue };
            let file = opened(&entry.path(), OpenOptions::new().read(true));
            let Some((session, proved)) = file.and_then(|file| read_until(&file, now)) else { continue };
            if is_over(proved, now) {
                self.revoke(&id);
            } else {
                open.push(Listed { id, session, proved });
            }
        }
        open.sort_by_key(|listed| listed.proved);
        open
    }

    fn path(&self, id: &SessionId) -> PathBuf {
        self.0.join(id.as_str())
    }

    fn write(&self, id: &SessionId, session: &Session, now: SystemTime) -> std::io::Result<()> {
        folders::write_whole(&self.path(id), &serde_json::to_vec(session)?, Some(now))
    }
}

/// Opens a plain file, and no link, that this user owns and no other user may write. Opening anything else never
/// blocks.
fn opened(path: &Path, options: &mut OpenOptions) -> Option<File> {
    let file =
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let is_own = metadata.is_file() && metadata.uid() == own_uid() && metadata.mode() & 0o022 == 0;
    is_own.then_some(file)
}

/// As [`read`]. A proof of the future, from a clock that was ahead, counts from now on: otherwise the session would end
/// only when that time has come and gone.
fn read_until(file: &File, now: SystemTime) -> Option<(Session, SystemTime)> {
    let (session, proved) = read(file)?;
    if proved <= now {
        return Some((session, proved));
    }
    file.set_modified(now).ok()?;
    Some((session, now))
}

fn read(file: &File) -> Option<(Session, SystemTime)> {
    let proved = file.metadata().ok()?.modified().ok()?;
    let session: Session = serde_json::from_reader(file.take(LOCAL_SESSION_BYTES_MAX)).ok()?;
    let is_shown = session.origin.chars().chain(session.client.chars()).all(|c| is_plain(&c));
    is_shown.then_some((session, proved))
}

/// A browser's name and an origin are plain ASCII. A terminal would obey what isn't.
fn is_plain(c: &char) -> bool {
    c.is_ascii_graphic() || *c == ' '
}

fn is_over(proved: SystemTime, now: SystemTime) -> bool {
    // Where the clock was set back, the session is no older than its next proof, or than the next look at all of them.
    now.duration_since(proved).is_ok_and(|age| age >= LIFETIME)
}

#[cfg(test)]
mod tests;

//! What the session's cookie holds, sealed, and what a program keeps of its own session. It says all that a gateway needs, so that each one that has the key
//! honours it, and so does the one that comes after it.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::state::UnixMillis;

/// Names are short, because a browser sends them with every request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    #[serde(flatten)]
    pub(super) key: SessionKey,
    #[serde(rename = "u")]
    pub(super) username: Box<str>,
    #[serde(rename = "g", default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) groups: BTreeSet<Box<str>>,
    /// The session's end, whatever the provider says.
    #[serde(rename = "e")]
    pub(super) ends_ms: UnixMillis,
    /// When the provider is to be asked again, and how. `None`: it gave nothing to ask with.
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub(super) renewal: Option<Renewal>,
    /// `None`: when the provider was asked last, it said that the session goes on.
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    pub(super) unconfirmed: Option<Unconfirmed>,
}

/// The provider was asked, and didn't say whether the session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Unconfirmed {
    #[serde(rename = "s")]
    pub(super) since_ms: UnixMillis,
    /// When it first failed for this session by name, and wasn't just away.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(super) failed_ms: Option<UnixMillis>,
}

/// What revocations are compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionKey {
    #[serde(rename = "i")]
    pub(super) id: Box<str>,
    #[serde(rename = "s")]
    pub(super) subject: Box<str>,
    /// The provider's own session, for its logout.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub(super) provider_session: Option<Box<str>>,
    #[serde(rename = "b")]
    pub(super) begun_ms: UnixMillis,
    /// When the provider last said that it goes on; of two of one session the later one counts.
    #[serde(rename = "n")]
    pub(super) renewed_ms: UnixMillis,
    /// The browser's session in which its person let a program in: the program's own session ends with it.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub(super) of_browser: Option<Box<str>>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Renewal {
    #[serde(rename = "t")]
    pub(super) refresh_token: Box<str>,
    #[serde(rename = "d")]
    pub(super) due_ms: UnixMillis,
}

impl fmt::Debug for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renewal").field("due_ms", &self.due_ms).finish_non_exhaustive()
    }
}

impl SessionKey {
    /// How the log names it.
    pub(super) fn log_name(&self) -> String {
        hashed(&self.id)
    }
}

/// Enough to find the lines of one session, and nothing that could be used as its name elsewhere.
pub(super) fn hashed(name: &str) -> String {
    let hash = Sha256::digest(name);
    URL_SAFE_NO_PAD.encode(hash.get(..HASH_BYTES_LOGGED).unwrap_or_default())
}

const HASH_BYTES_LOGGED: usize = 6;

impl Session {
    /// When a connection of it ends, unless it is renewed before.
    pub(super) fn holds_until_ms(&self) -> UnixMillis {
        self.renewal.as_ref().map_or(self.ends_ms, |renewal| renewal.due_ms.min(self.ends_ms))
    }
}

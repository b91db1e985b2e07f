//! Where the next page of a list begins.

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine};
use serde::{Deserialize, Serialize};

/// The content of a continue token. The form is the real server's, so that its tokens can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageToken {
    v: String,
    /// Negative: an inconsistent continuation at whatever is newest.
    pub rv: i64,
    /// The first key of the next page, below the namespace that is listed.
    start: String,
}

const TOKEN_VERSION: &str = "meta.k8s.io/v1";

impl PageToken {
    pub fn after(revision: u64, namespace: &str, key: &str) -> Self {
        let below = key.strip_prefix(&prefix_of(namespace)).unwrap_or(key);
        let rv = i64::try_from(revision).unwrap_or(i64::MAX);
        // The smallest key that is larger.
        Self { v: TOKEN_VERSION.to_owned(), rv, start: format!("/{below}\0") }
    }

    /// The same place in whatever is newest.
    pub fn at_newest(&self) -> Self {
        Self { rv: -1, ..self.clone() }
    }

    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads a token. A token of another resource is a place in this one as well.
    pub fn decode(text: &str) -> Result<Self, String> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|why| {
            let at = match why {
                DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
                DecodeError::InvalidLength(length) => length.saturating_sub(1),
                DecodeError::InvalidPadding => text.len(),
            };
            format!("illegal base64 data at input byte {at}")
        })?;
        let token: Self = serde_json::from_slice(&bytes).map_err(|why| why.to_string())?;
        if token.v != TOKEN_VERSION {
            return Err(format!("server does not recognize this encoded version {}", token.v));
        }
        if token.rv == 0 {
            return Err(format!("incorrect encoded start resourceVersion (version {TOKEN_VERSION})"));
        }
        if token.start.is_empty() {
            return Err(format!("encoded start key empty (version {TOKEN_VERSION})"));
        }
        let path = token.start.strip_prefix('/').unwrap_or(&token.start);
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(token.start);
        }
        Ok(token)
    }

    /// The key to go on from, where this namespace is listed.
    pub fn key(&self, namespace: &str) -> String {
        format!("{}{}", prefix_of(namespace), self.start.strip_prefix('/').unwrap_or(&self.start))
    }
}

/// What the keys of a namespace begin with; nothing for all.
pub fn prefix_of(namespace: &str) -> String {
    if namespace.is_empty() { String::new() } else { format!("{namespace}/") }
}

//! What `dogwatch credential` and `dogwatch kubeconfig` ask a team's gateway over HTTP, and what it answers. `Debug` hides
//! what would let another program in.

use std::fmt;

use serde::{Deserialize, Serialize};
use shared::frame::server::LoginMode;
use shared::state::UnixMillis;

/// Where a program asks.
pub const CLIENT_TOKEN: &str = "/api/client-token";

/// The answer to `GET`, in every mode: how people get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayIn {
    pub auth: LoginMode,
}

/// The body of `POST`.
#[derive(Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum ClientAsk {
    /// For the code of the browser.
    Code { code: String, verifier: String },
    /// For the next token.
    Renewal { renewal: String },
    /// For the end of its session.
    End { renewal: String },
}

/// A token, and what the next one is asked for with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientTokens {
    pub token: String,
    pub expires_ms: UnixMillis,
    pub renewal: String,
}

impl fmt::Debug for ClientTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTokens").field("expires_ms", &self.expires_ms).finish_non_exhaustive()
    }
}

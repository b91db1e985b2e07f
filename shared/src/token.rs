//! The resume token: the position of a subscription at its last cut. All fields are strings, so that
//! any client can send it back unread.

use serde::{Deserialize, Serialize};

use crate::digest;
use crate::resource_version::ResourceVersion;

/// Where a subscription stood at its last cut, and which rows it had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// The uid of `kube-system`, or a hash of server and CA where that may not be read.
    pub cluster: Box<str>,
    /// A hash of the columns.
    pub columns: Box<str>,
    /// Random for each epoch of a hub, and another one in each of its views.
    pub epoch: Box<str>,
    /// The hub's counter, in decimal.
    pub sequence: Box<str>,
    pub resource_version: ResourceVersion,
    /// The digest of the client's rows, if they are exactly those of the cut. A hub of another epoch compares it
    /// with its own. Without a digest, only a hub of the same epoch can continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Box<str>>,
}

impl Token {
    /// `None` if it isn't a number: such a token resumes nothing.
    pub fn sequence(&self) -> Option<u64> {
        self.sequence.parse().ok()
    }

    /// `None` if there is none, or it isn't a digest.
    pub fn digest(&self) -> Option<u64> {
        self.digest.as_deref().and_then(digest::from_text)
    }
}

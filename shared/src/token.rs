//! The resume token: where a subscription stood at its last cut. All strings, for a client that
//! isn't ours must hand it back unread.

use serde::{Deserialize, Serialize};

use crate::digest;
use crate::resource_version::ResourceVersion;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// The uid of `kube-system`, or a hash of server and CA where that may not be read.
    pub cluster: Box<str>,
    /// A hash of the columns.
    pub columns: Box<str>,
    /// Random for each incarnation of a hub.
    pub epoch: Box<str>,
    /// The hub's counter, in decimal.
    pub sequence: Box<str>,
    pub resource_version: ResourceVersion,
    /// Of the client's rows, where they are exactly those of the cut: another incarnation of the hub
    /// knows by it whether it held the same. Without it only the incarnation of `epoch` continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Box<str>>,
}

impl Token {
    /// `None` where it isn't a number: such a token resumes nothing.
    pub fn sequence(&self) -> Option<u64> {
        self.sequence.parse().ok()
    }

    /// `None` where there is none, or none that anybody's rows could have.
    pub fn digest(&self) -> Option<u64> {
        self.digest.as_deref().and_then(digest::from_text)
    }
}

//! The resume token: where a subscription stood at its last cut. All strings, for a client that
//! isn't ours must hand it back unread.

use serde::{Deserialize, Serialize};

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
}

impl Token {
    /// `None` where it isn't a number: such a token resumes nothing.
    #[must_use]
    pub fn sequence(&self) -> Option<u64> {
        self.sequence.parse().ok()
    }
}

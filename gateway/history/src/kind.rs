//! What a history is of.

use shared::resource::Resource;

/// A kind in one cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindKey {
    /// The cluster's id, which stays when its name changes.
    pub cluster: Box<str>,
    pub resource: Resource,
}

//! The bounds of the look at the gateway's own rights.

/// How long the start waits for it: a dozen requests at once, each of which takes milliseconds.
pub const OWN_RIGHTS_TIMEOUT_S: u64 = 5;
/// The rights that the sentence about it names; the others are counted.
pub const OWN_RIGHTS_NAMED_MAX: usize = 8;
/// The interval at which a pod looks at the certificates of its cluster's authority. The kubelet writes them within a
/// minute or two, and old and new ones overlap for days.
pub const AUTHORITY_LOOK_S: u64 = 5;

//! Bounds of a gateway of several clusters.

/// The clusters of one gateway. One more is left out, and the log says so. Each costs two watches of discovery and a look
/// every 5 s, so this is 20 looks a second; `welcome` has 20 KB of them, and a client names the kinds of all in a `hello`
/// of 8 KB.
pub const CLUSTERS_MAX: usize = 100;
/// The time between two looks whether a cluster answers.
pub const CLUSTER_LOOK_MS: u64 = 5_000;
/// The same after one that failed. Two in a row make a cluster's problem known, before its views are stale.
pub const CLUSTER_LOOK_AGAIN_MS: u64 = 1_000;
/// How long one look waits for an answer.
pub const CLUSTER_LOOK_TIMEOUT_S: u64 = 5;
/// The pauses between the tries to reach a cluster that never answered: they double up to the second.
pub const CLUSTER_RETRY_FIRST_MS: u64 = 1_000;
pub const CLUSTER_RETRY_MAX_MS: u64 = 30_000;
/// The shortest pause, where viewers ask for a try.
pub const CLUSTER_RETRY_MIN_MS: u64 = 600;
/// How long the start waits for the first answers, so that a first page finds the clusters that answer at once.
pub const CLUSTERS_START_MS: u64 = 1_500;
/// The pause after a change of a ClusterProfile before all are listed again.
pub const PROFILES_SETTLE_MS: u64 = 500;
/// The pause before they are listed again where they couldn't be.
pub const PROFILES_AGAIN_S: u64 = 30;
/// What the tasks of the clusters say to their owner. While it is full they wait.
pub const CLUSTER_EVENTS_MAX: usize = 2 * CLUSTERS_MAX;

//! Bounds of what containers write.

/// A line isn't longer; what follows is cut, and said to be. The CRI splits lines at 16 KiB, and kubelets put them together.
pub const LOG_LINE_BYTES_MAX: usize = 64 * 1024;
/// The logs that one viewer may read at a time: 50 pods with a sidecar each of which the half is chosen.
pub const LOGS_PER_IDENTITY_MAX: usize = 64;
/// The logs that all viewers may read at a time. Each is a connection at the API server and one at a kubelet.
pub const LOGS_MAX: usize = 200;
/// How long a client of the Kubernetes API waits for the head of a log that it follows. A kubelet sends it with the first
/// line; after this the client is told that there are no lines yet.
pub const LOG_HEAD_S: u64 = 5;

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
/// How long a log is followed after its last reader has gone, who may come back.
pub const LOG_LINGER_S: u64 = 60;
/// The bytes of one log that are kept for readers that come late or stand behind: some minutes of a busy container.
pub const LOG_BYTES_MAX: usize = 1024 * 1024;
/// The bytes of all logs. Where more are read than have room, each keeps less.
pub const LOGS_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The lines of a log that its first reader gets of what is there.
pub const LOG_TAIL_LINES: u64 = 1_000;
/// The entries that a reader gets at once.
pub const LOG_PART_ENTRIES_MAX: usize = 1_000;

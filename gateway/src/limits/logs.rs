//! Bounds of what containers write.

/// A line isn't longer; what follows is cut, and said to be. The CRI splits lines at 16 KiB, and kubelets put them together.
pub const LOG_LINE_BYTES_MAX: usize = 64 * 1024;
/// The logs that one viewer may read at a time: 50 pods with a sidecar each of which the half is chosen.
pub const LOGS_PER_IDENTITY_MAX: usize = 64;
/// The logs that all viewers may read at a time. Each is a connection at the API server and one at a kubelet.
pub const LOGS_MAX: usize = 200;
/// How long a client of the Kubernetes API waits for the head of a log that it follows. A kubelet sends it with the first
/// line; after this the client is told that there are no lines yet. As long the first lines of one log are waited for, to be
/// merged with those of others.
pub const LOG_HEAD_S: u64 = 5;
/// How long a log is followed after its last reader has gone, who may come back.
pub const LOG_LINGER_S: u64 = 60;
/// The bytes of one log that are kept for readers that come late or stand behind: some minutes of a busy container.
pub const LOG_BYTES_MAX: usize = 1024 * 1024;
/// The bytes of all logs. Where more are read than have room, each keeps less.
pub const LOGS_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The lines of a log that its first reader gets of what is there.
pub const LOG_TAIL_LINES: u64 = 1_000;
/// The bytes of lines a second that one viewer is told of all logs together. What more is written is skipped, and said to
/// be: nobody reads it.
pub const LOG_BYTES_PER_S: u64 = 4 * 1024 * 1024;
/// The pause between two parts of followed logs: what is written meanwhile comes together.
pub const LOG_TICK_MS: u64 = 50;
/// How long a log is read after its pod has gone: what the container wrote last may still be on its way.
pub const LOG_LAST_WORDS_MS: u64 = 2_000;
/// How often an answer with older lines is asked for that breaks off, or isn't joined with what follows.
pub const LOG_TRIES_MAX: u32 = 4;
/// How long the pods are waited for whose logs are asked for.
pub const LOG_PODS_S: u64 = 10;
/// A watch of the pods whose logs are told is asked for anew after so long.
pub const LOG_PODS_WATCH_S: u64 = 300;
/// An event of such a watch isn't longer: an object has 3 MiB at most.
pub const LOG_POD_EVENT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// A log that was opened before that long has all that was there already, so a late reader needs no request of its own.
pub const LOG_SETTLED_MS: u64 = 1_000;
/// The entries that a reader gets at once.
pub const LOG_PART_ENTRIES_MAX: usize = 1_000;

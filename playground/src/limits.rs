//! Every bound of the playground, with the reason for its size.
//! It never holds a tunable of a test: those are in `Options`.

use std::time::Duration;

/// Bytes of the changes that are kept, of all resources together, where a test or a bench asks for much: about
/// 100,000 changes of packed objects, and 10,000 of plain ones.
pub const HISTORY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The same in the demo, which makes about 1 MiB a minute.
pub const HISTORY_BYTES_DEMO: usize = 8 * 1024 * 1024;

/// Older changes are forgotten after one to two of these: how often a real API server compacts etcd.
pub const HISTORY_AGE_DEMO: Duration = Duration::from_secs(5 * 60);

/// How far a live watcher may fall behind while its socket accepts nothing.
pub const WATCHER_BACKLOG_CHANGES_MAX: usize = 1_000;

/// How long a slow watcher may block in all before it is closed (the real server's budget).
pub const SLOW_WATCHER_BUDGET: Duration = Duration::from_millis(100);

/// Chunks between a watch and its socket. A chunk is one event or a stretch of the initial set.
pub const STREAM_CHUNKS_MAX: usize = 16;

/// Bytes gathered before a list or an initial set hands over a chunk.
pub const CHUNK_BYTES: usize = 64 * 1024;

/// How long a list in the future waits before it is refused, as the real server does.
pub const FUTURE_LIST_WAIT: Duration = Duration::from_secs(3);

/// Longest body of a write: the real server's limit of 3 MiB for one object.
pub const BODY_BYTES_MAX: usize = 3 * 1024 * 1024;

/// Longest body of a fault or an action: some hundred bytes.
pub const ADMIN_BODY_BYTES_MAX: usize = 16 * 1024;

/// How long an outage may last, because no request can end it earlier.
pub const OUTAGE_MS_MAX: u64 = 60 * 60 * 1_000;

/// How far the clock may step: beyond, dates leave what a certificate or an age can say.
pub const CLOCK_STEP_MS_MAX: u64 = 366 * 24 * 60 * 60 * 1_000;

/// Requests kept in the log that tests read.
pub const REQUEST_LOG_MAX: usize = 10_000;

/// Connections at once; further ones wait in the kernel's backlog.
pub const CONNECTIONS_MAX: usize = 4_096;

/// After a connection that couldn't be accepted: long enough for another one to end.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// From the connection to the end of its handshake.
pub const TLS_HANDSHAKE: Duration = Duration::from_secs(10);

/// Without `timeoutSeconds` a watch ends by itself after this (the real one: 30 to 60 minutes).
pub const WATCH_DEFAULT: Duration = Duration::from_secs(30 * 60);

/// The last bookmark is sent this long before the deadline of a watch.
pub const LAST_BOOKMARK_BEFORE: Duration = Duration::from_secs(2);

/// Fault rules that may stand at once.
pub const FAULT_RULES_MAX: usize = 256;

/// Changes that one request may ask the fleet for: some seconds of work, all under one lock.
pub const STEP_CHANGES_MAX: usize = 10_000;

/// How often a request that a fault stopped looks whether the fault has passed.
pub(crate) const FAULT_POLL: std::time::Duration = std::time::Duration::from_millis(50);

//! Every bound and interval of the wire's client, with the reason for its size.

/// A view without `sync` for this long calls itself stale (the wire's promise).
pub const SYNC_MISSING_MS: i64 = shared::frame::SYNC_MISSING_MS as i64;
/// The gateway calls a view stale this long after the last proof; the page's ring is empty then.
pub const PROOF_MISSING_MS: i64 = shared::frame::PROOF_MISSING_MS as i64;

/// A socket that neither opens nor fails, and a gateway that doesn't answer `hello`.
pub const OPEN_TIMEOUT_MS: i64 = 10_000;
/// The first step of the back-off between tries, and its ceiling, which is short: a reader is waiting.
pub const BACKOFF_FIRST_MS: i64 = 800;
pub const BACKOFF_MAX_MS: i64 = 10_000;
/// How far a first try is spread before a gateway has said how far.
pub const SPREAD_DEFAULT_MS: u32 = 500;
/// A gateway may spread its viewers over at most this: 10 minutes away would be an outage.
pub const SPREAD_MAX_MS: u32 = 120_000;

/// A frame that the socket doesn't take for this long: the gateway doesn't read, so the driver connects
/// anew. As long as it waits for a socket that opens.
pub const SEND_TIMEOUT_MS: u64 = 10_000;
/// The client pings after a silence of this length. Live views get a `sync` every 5 s, so this is rare.
pub const PING_AFTER_MS: i64 = 10_000;
/// Without an answer to the ping for this long, the connection is dead, whatever the socket says.
pub const PONG_TIMEOUT_MS: i64 = 5_000;
/// The gateway sends at most 512 KiB ahead of the acknowledgements: an eighth keeps it from waiting.
pub const ACK_BYTES: u64 = 64 * 1024;
/// The rest is acknowledged at the latest after this.
pub const ACK_AFTER_MS: i64 = 1_000;

/// A hidden tab gives its subscriptions back after this.
pub const HIDDEN_MS: i64 = 60_000;
/// A hidden tab whose reader waits for something, such as the end of a rollout, keeps them so long: more than most rollouts
/// take.
pub const HIDDEN_FOLLOWING_MS: i64 = 3_600_000;
/// A view that has to begin anew (a broken chain, another digest) does so at most this often, so
/// that a gateway with a fault isn't asked for everything without end.
pub const RESYNC_INTERVAL_MS: i64 = 10_000;

/// Namespaces that are asked for one by one where the cluster may not be listed. A gateway takes 256
/// subscriptions at once, and other views need some of them.
pub const PARTS_MAX: usize = 128;

/// Entries of a timeline that are kept: half an hour of five a second, about 5 MB.
pub const TIMELINE_ENTRIES_MAX: usize = 10_000;

/// The answers about kinds of children that wait to be taken: one for each open panel of a page.
pub const CHILDREN_ANSWERS_MAX: usize = 16;

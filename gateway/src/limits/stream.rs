//! The bounds of streams over plain HTTP, which are sessions in all else.

/// The messages that a stream's client may have under way to its session: `hello`, a subscription for each of its
/// parts, and acknowledgements, of which the next one makes good for one that finds no room.
pub const STREAM_REQUESTS_MAX: usize = 2 * STREAM_PARTS_MAX;
/// The messages of a session that its stream hasn't taken: what is behind is the session's own outbox and credit.
pub const STREAM_REPLIES_MAX: usize = 1;
/// Namespaces that one stream asks for one by one, as a page does at most.
pub const STREAM_PARTS_MAX: usize = 128;
/// After this without a message a stream says again what isn't current: a little more than the interval of `sync`.
pub const STREAM_QUIET_S: u64 = 6;
/// How long the answer of a stream may take to go out when its session has ended. A reader that doesn't read is cut.
pub const STREAM_LAST_S: u64 = 10;

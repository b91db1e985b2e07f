//! Bounds of the Kubernetes API that the gateway serves: of its answers, then of the listener in mode `local`.

/// The events of one feed that are kept for clients of the Kubernetes API. An API server's watch cache keeps about as
/// much; a client that falls further behind lists again.
pub const EVENTS_OF_A_FEED_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The events of all feeds.
pub const EVENTS_BYTES_MAX: usize = 128 * 1024 * 1024;
/// How long they are kept without a reader: between the list of an informer and its watch, and while it comes back.
pub const EVENTS_LINGER_S: u64 = 300;
/// How long a watch through the gateway waits for its feed, before it is refused.
pub const WATCH_OPEN_S: u64 = 30;
/// As an API server ends a watch that asks for no end: after at least so long, and at most twice that.
pub const WATCH_LASTS_S: u64 = 1_800;
/// Between two bookmarks of a watch.
pub const BOOKMARK_S: u64 = 60;
/// How long a list waits for a feed's events to be kept, so that a watch can go on from it.
pub const EVENTS_READY_MS: u64 = 250;
/// How long a list waits for a feed's events to reach what the API server is at. A busy kind's come within milliseconds; a
/// quiet kind's don't, and the wait comes on top of the API server's own answer.
pub const EVENTS_REACH_MS: u64 = 100;
/// After that the API server answers the lists of this kind for so long.
pub const EVENTS_BEHIND_MS: u64 = 1_000;
/// How long a list waits for one that asks the same, so that those who come meanwhile share it.
pub const SHARED_LIST_WAIT_MS: u64 = 250;
/// A review that a client of the Kubernetes API sends.
pub const API_BODY_BYTES_MAX: usize = 64 * 1024;
/// The last bookmark of a watch comes so long before its end.
pub const LAST_BOOKMARK_S: u64 = 2;
/// How long a watch waits for a resourceVersion that no list has reached, as an API server does.
pub const WATCH_FUTURE_S: u64 = 3;

/// How long an API token counts. A client that runs on asks the exec plugin for the next one.
pub const API_TOKEN_LIFETIME_S: u64 = 10 * 60;
/// The bytes of an API token: 2 of its form, 14 of its time, 43 of its signature.
pub const API_TOKEN_BYTES_MAX: usize = 96;
/// How long the authority is good for that signs the listener's certificates.
pub const API_AUTHORITY_LIFETIME_S: u64 = 2 * 365 * 24 * 60 * 60;
/// An authority that ends within this time is signed anew, with the same key. A kubeconfig that has the former
/// certificate goes on for as long.
pub const API_AUTHORITY_RENEWAL_S: u64 = 180 * 24 * 60 * 60;
/// How long a certificate of the listener is good for. The gateway makes one at its start and each day.
pub const API_CERTIFICATE_LIFETIME_S: u64 = 7 * 24 * 60 * 60;
/// The age at which a certificate of the listener is replaced.
pub const API_CERTIFICATE_RENEWAL_S: u64 = 24 * 60 * 60;
/// How often the age is looked at, by the wall clock: a machine that slept is noticed within this time.
pub const API_CERTIFICATE_LOOK_S: u64 = 600;
/// A certificate begins this long before it was made, for a clock that is set back a little.
pub const API_CERTIFICATE_BEFORE_S: u64 = 60 * 60;
/// The bytes of an answer to `dogwatch kubeconfig`: a certificate of 1 KiB, and 100 names of clusters of 253 bytes.
pub const API_ANSWER_BYTES_MAX: usize = 64 * 1024;
/// `dogwatch credential` says that a token ends this much earlier than it does, so that no request is on its way then.
pub const API_TOKEN_SPARE_S: i64 = 30;

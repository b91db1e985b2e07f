//! Every bound of the gateway with its arithmetic. Reaching one has a consequence that the client or the
//! log is told.

use shared::frame::CLIENT_FRAME_BYTES_MAX;

/// The bytes that the gateway sends ahead of a browser's acknowledgement, and one frame: a reader on
/// a 50 ms line at 10 MB/s has 500 KB under way.
pub const CREDIT_BYTES: u64 = 512 * 1024;
/// One value of an upstream stream. etcd's own bound on a request is 1.5 MiB; aggregated servers and
/// raised limits get ten times that.
pub const UPSTREAM_VALUE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Outputs of a feed that its hub has not applied: 128 pods of 15 KB are 2 MiB. When it is full the
/// driver waits: the hub applies without I/O, so it is a matter of milliseconds.
pub const FEED_OUTPUTS_MAX: usize = 128;
/// Commands that a feed has not taken: retries, whether anybody watches, and where viewers stand that come
/// back together. A full one drops the first, for one is under way; the second is said again after the
/// hub's next turn; a viewer whose position is dropped may have to begin anew, and is told so.
pub const FEED_COMMANDS_MAX: usize = 64;
/// How long a feed without viewers goes on.
pub const FEED_LINGER_S: u64 = 60;

/// How often the API server is asked for a proof: three answers fit into the 15 s after which a view is
/// stale, or one that takes its whole timeout and the next try.
pub const PROOF_INTERVAL_MS: i64 = 5_000;
/// A proof without an answer is asked for again after this: there is time for one more.
pub const PROOF_TIMEOUT_MS: i64 = 10_000;
/// Without a proof for this long the view is `stale`: what is promised.
pub const STALE_AFTER_MS: i64 = 15_000;
/// The first pause is random up to this, then it doubles: client-go's own.
pub const BACKOFF_FIRST_MS: i64 = 800;
/// The longest pause with viewers: within the 15 s that a recovery may take.
pub const BACKOFF_MAX_MS: i64 = 10_000;
/// The longest pause without viewers: a feed that lingers for a minute tries twice more.
pub const BACKOFF_UNWATCHED_MAX_MS: i64 = 30_000;
/// Health for this long begins the pauses anew: longer than any of them.
pub const BACKOFF_RESET_MS: i64 = 120_000;
/// To stop an API server, restore its etcd and start both takes longer than this; a load balancer that
/// hands a connection to another API server doesn't.
pub const AWAY_MS: i64 = 2_000;
/// An API server that starts knows neither roles nor custom resources for some seconds: what it refuses
/// until then is asked again instead of believed. A right that was revoked meanwhile takes effect after
/// a proof's 5 s, the 10 s that one may take, this, and the 2 s to the next try: 27 of the 45 s promised.
pub const STARTING_MS: i64 = 10_000;
/// The first pause after 401, 403, 404 and answers that can't be read. Each pause is twice as long as the
/// one before.
pub const SLOW_RETRY_FIRST_MS: i64 = 2_000;
/// The longest of these pauses: what a person mends takes longer.
pub const SLOW_RETRY_MS: i64 = 30_000;
/// A WatchList that says nothing for this long without its end mark: its server ignores what it was asked,
/// and the list is asked for. One that understands it writes what it holds in memory without a pause.
pub const WATCH_LIST_QUIET_MS: i64 = 5_000;
/// What still comes in after this never was a list: 100,000 pods of 15 KB are 1.5 GB, at 100 Mbit/s 120 s.
pub const WATCH_LIST_WHOLE_MS: i64 = 120_000;
/// Between two lists of a kind that can't be watched: with 5 s for its answer within the 15 s of staleness.
pub const POLL_INTERVAL_MS: i64 = 10_000;
/// A watch that ends sooner without an event isn't opened again at once: a server that ends each as it
/// begins would be asked as fast as it answers. No server that means it ends one within a second.
pub const SHORT_LIFE_MS: i64 = 1_000;
/// Between two reports of how far the first list is: four a second are as many as anybody reads.
pub const PROGRESS_MS: i64 = 250;
/// Pages that expired before they were read, until the list is taken whole: three tries of up to 5
/// minutes, for that is how long etcd remembers.
pub const LIST_RESTARTS_MAX: u32 = 3;
/// The answers to proofs that are remembered, against which a silent watch is held: `BOOKMARK_AGE_MS` of
/// them at `PROOF_INTERVAL_MS` are 18; a viewer who retries may ask for as many again.
pub const PROOFS_REMEMBERED_MAX: usize = 40;
/// A machine that slept wakes up with a clock that has gone on: a feed looks at it this often.
pub const FEED_LOOK_MS: i64 = 1_000;
/// The longest `Retry-After` that is obeyed: an API server says 1 s, a proxy may say an hour.
pub const RETRY_AFTER_MAX_MS: i64 = 60_000;
/// Where bookmarks come regularly, the last is at most this old: an API server sends one a minute.
pub const BOOKMARK_AGE_MS: i64 = 90_000;
/// Where none come, the watch is opened anew this often: what it costs is one request.
pub const WATCH_REOPEN_MS: i64 = 300_000;

/// One answer that isn't a stream: a page of 500 objects of 100 KB, and as much again. Above it the
/// view is `failed`, with the size in its reason.
pub const UPSTREAM_ANSWER_BYTES_MAX: usize = 128 * 1024 * 1024;
/// The body of a refusal: a `Status` has a few hundred bytes. What lies beyond isn't read.
pub const UPSTREAM_REFUSAL_BYTES_MAX: usize = 64 * 1024;
/// What is kept of a value that is too large, to find its name: rows begin with cells and metadata.
pub const UPSTREAM_HEAD_BYTES_MAX: usize = 64 * 1024;
/// Objects a page of a list: client-go's own default.
pub const LIST_PAGE_OBJECTS: u32 = 500;
/// From a request to the head of its answer. An API server gives up after 60 s by itself; a list
/// of 500 has been seen to take 10 s on a loaded etcd.
pub const UPSTREAM_HEAD_TIMEOUT_S: u64 = 30;
/// Between two pieces of an answer that isn't a stream.
pub const UPSTREAM_BODY_TIMEOUT_S: u64 = 30;
/// A connection's start: Linux sends its first SYN again after 1 s and 3 s.
pub const UPSTREAM_CONNECT_TIMEOUT_S: u64 = 5;
/// TCP keepalive of an idle upstream connection, and between its probes.
pub const UPSTREAM_KEEPALIVE_S: u64 = 5;
/// Probes that stay unanswered: with the silence before the first it is dead after 15 s.
pub const UPSTREAM_KEEPALIVE_PROBES: u32 = 2;
/// Bytes that stay unacknowledged this long end the connection: less than the 15 s of staleness.
pub const UPSTREAM_USER_TIMEOUT_S: u64 = 12;
/// How often discovery is asked if the gateway may not watch CRDs and API services: two requests a round,
/// and a new resource appears before its author looks for the reason. The log says so.
pub const DISCOVERY_POLL_S: u64 = 30;
/// Definitions are usually applied together: asked is when the last of them has settled.
pub const DISCOVERY_SETTLE_MS: u64 = 300;
/// The pause until discovery that lags behind is asked again: 33 times at most.
pub const DISCOVERY_STEP_MS: u64 = 300;
/// After this, discovery is taken as it is, for some definitions are never served. The log names them.
pub const DISCOVERY_LAG_MS_MAX: u64 = 10_000;

/// How long the code of a printed URL opens a page: long enough to find the browser.
pub const LOCAL_CODE_LIFETIME_S: u64 = 10 * 60;
/// Codes open at once: each is a printed URL that wasn't opened. The oldest goes first.
pub const LOCAL_CODES_MAX: usize = 16;
/// How long a page is known without a fresh URL: an open tab outlives a month's holiday, a copied
/// secret doesn't outlive a quarter.
pub const LOCAL_SECRET_LIFETIME_S: u64 = 90 * 24 * 60 * 60;

/// Changes that arrive together go out together: the leading edge at once, the rest every 8 ms, half
/// a frame of a 60 Hz screen.
pub const TICK_MS: u64 = 8;
/// While the first list comes in, rows go out ten times a second.
pub const TICK_SYNCING_MS: u64 = 100;
/// How long a feed that begins for a viewer of a former gateway waits for the others, to list what all
/// of them lack: pages that were cut off come back spread over half a second at least, so two of five
/// are there; the first rows of those that wait are on their screens already.
pub const RESUME_GATHER_MS: i64 = 200;
/// Different places where they stand that are kept: a busy hub had 25 ticks in that time, and some were
/// further behind. A viewer that stands before all of them begins anew, and is told so.
pub const RESUME_POSITIONS_MAX: usize = 64;
/// Lists of a former time that are tried, each from halfway up the rest. Every one is a round trip that
/// delays the first rows.
pub const RESUME_TRIES_MAX: u32 = 4;
/// How long a viewer waits that stands ahead of the first list: the watch brings what lies between
/// within a few round trips. It begins anew then, and is told so.
pub const RESUME_WAIT_MS: u64 = 1_000;
/// Changes of which a hub remembers what they took the place of, so that it knows the rows that another
/// gateway's viewer has: 20 s of 200 changes/s, by when all have come back. One has about 250 bytes with
/// its labels, so this is 1 MB. A viewer that missed more begins anew, and is told so.
pub const RESUME_CHANGES_MAX: usize = 4_096;
/// Gaps that a hub remembers to mark them for viewers that missed them: one for each outage while a page
/// was away. Older gaps are dropped; a viewer that stands before them gets the next one.
pub const GAPS_MAX: usize = 16;
/// Objects that can't be shown, by name; of more the oldest is forgotten. A view says how many there are,
/// and 64 are enough to mend.
pub const LEFT_OUT_MAX: usize = 64;
/// Objects, and bytes of them, that a hub's dictionary is trained on: zstd's own advice is a hundred times
/// the dictionary's size in samples, of many objects. 500 of 16 KiB; what is beyond it isn't learnt from.
pub const DICTIONARY_SAMPLES: usize = 500;
pub const DICTIONARY_SAMPLE_BYTES_MAX: usize = 8 * 1024 * 1024;
pub const DICTIONARY_BYTES: usize = 64 * 1024;
/// Sets of columns of their own that viewers of one resource see at once: each costs every change some
/// microseconds and every object some 100 bytes. Sets without a viewer go first; one more is refused.
pub const CUSTOM_SETS_MAX: usize = 64;
/// One cell of such a column: ten images are 800 bytes. What is longer ends with `…`.
pub const CUSTOM_CELL_BYTES_MAX: usize = 1_024;
/// Values of one object that one set's paths look at: a Pod has 500, and a path meets a few of them. The
/// cells of a set that looks at more end with `…`.
pub const CUSTOM_EFFORT_MAX: usize = 20_000;
/// How long the cells of such columns are kept up without a viewer: a page that comes back finds them.
pub const CUSTOM_LINGER_MS: i64 = 60_000;
/// Objects whose cells are read for a new set before the hub does anything else: 30 µs each, so 2 ms of the
/// 8 that a tick has.
pub const CUSTOM_READ_OBJECTS: usize = 64;
/// Deleted objects that a hub remembers. A tombstone costs about 120 bytes, so this is 2.4 MB at most;
/// a viewer that missed more deletes begins anew.
pub const TOMBSTONES_MAX: usize = 20_000;
/// Entries of a view's log that a reader may be behind: a minute of 150 changes/s.
pub const TIMELINE_ENTRIES_MAX: usize = 10_000;
/// And their bytes: an entry of one change of status has 500. With its credit a reader that stopped
/// then costs less than the 4 MiB that are promised.
pub const TIMELINE_BYTES_MAX: usize = 3 * 1024 * 1024;
/// Changed fields of one entry, the rest is counted: a first status has about forty.
pub const TIMELINE_FIELDS_MAX: usize = 64;
/// A value above it is told by its size: a condition with its message has 300 bytes.
pub const TIMELINE_VALUE_BYTES_MAX: usize = 512;
/// How long a log without a reader goes on: a page that comes back after a break finds its place.
pub const TIMELINE_LINGER_MS: i64 = 60_000;

/// A live view says `sync` this often at least, proven or not: less than what is promised, by a tick
/// and the way.
pub const SYNC_EVERY_MS: u64 = 4_500;
/// Feed outputs applied before readers get their turn: at 5 µs each, half a millisecond.
pub const OUTPUTS_PER_TURN: usize = 128;
/// Commands that a hub has not taken: every one of 100 sessions may open a board of 12 views and pull
/// each. A full one refuses a subscription with `Limit`; a pull waits.
pub const HUB_COMMANDS_MAX: usize = 4_096;
/// Subscriptions of one connection. One more is refused with `Limit`.
pub const SUBSCRIPTIONS_MAX: usize = 1_024;
/// Subscriptions opened at once, and then per second. One more is refused with `Limit`.
pub const SUBSCRIBES_AT_ONCE: u64 = 256;
pub const SUBSCRIBES_PER_S: u64 = 10;
/// To one session from all its hubs: of each subscription one news, one delivery, pulled or pushed, one
/// refusal, one end; and as much again for subscriptions that were closed while their message was on its
/// way.
pub const SESSION_MESSAGES_MAX: usize = 2 * 4 * SUBSCRIPTIONS_MAX;
/// Messages of one session that wait for its socket: a delivery has four, the rest are answers to its
/// own frames. While it is full, nothing more is read from that client.
pub const OUTBOX_MESSAGES_MAX: usize = 64;
/// Messages of a client at once: a board of 256 views opened, closed and opened elsewhere. One more
/// ends the connection with 1008.
pub const FRAMES_AT_ONCE: u64 = 1_024;
/// And then per second, beside one for each that was sent to it: a page says one `ack` a second, one
/// `ping` in a silence, and what its reader clicks.
pub const FRAMES_PER_S: u64 = 100;
/// Connections of one identity: its tabs, its tails, and what reconnected before the old end was
/// noticed. One more is refused with `Limit` and 1013. Configurable.
pub const CONNECTIONS_PER_IDENTITY_MAX: usize = 100;
/// The first message: a token of an identity provider with hundreds of groups has 8 KB.
pub const HELLO_BYTES_MAX: usize = 16 * 1024;
/// Sockets of one address that have not said who they are: a page does so within milliseconds.
pub const PRE_AUTH_PER_ADDRESS_MAX: usize = 10;
/// Upgrades of one address that wait for such a place, so that a hundred tabs that come back at once
/// are greeted one after the other. One more is answered with 429 at once.
pub const PRE_AUTH_WAITING_MAX: usize = 128;
/// How long they wait, until they are answered with 429: less than silent ones keep their place.
pub const PRE_AUTH_WAIT_MS: u64 = 2_000;
/// From the upgrade to a `hello`.
pub const HELLO_TIMEOUT_S: u64 = 5;
/// Without any sign of life; browsers throttle timers of hidden tabs to one a minute.
pub const SILENT_S: u64 = 120;
/// How long before its end a login is said to end: long enough to renew a token.
pub const LOGIN_WARNING_MS: i64 = 60_000;
/// How often the clock is looked at for it: a machine that slept wakes up late.
pub const LOGIN_LOOK_MS: i64 = 30_000;
/// From the gateway's close to the client's.
pub const CLOSE_S: u64 = 2;
/// Reconnects are spread over this at least.
pub const SPREAD_MS_MIN: u32 = 500;

/// From the first byte of a connection, or the end of the last answer, to a request's whole head.
pub const HTTP_HEAD_TIMEOUT_S: u64 = 10;
/// A browser sends about 15.
pub const HTTP_HEADERS_MAX: usize = 64;
/// What is read ahead of a request, its head included: eight times a browser's usual.
pub const HTTP_BUFFER_BYTES_MAX: usize = 32 * 1024;
/// The one body that is taken is a code of 22 characters in JSON.
pub const HTTP_BODY_BYTES_MAX: usize = 4 * 1024;
pub const HTTP_BODY_TIMEOUT_S: u64 = 10;
/// A connection that never becomes a socket: the page's 150 KB on the slowest line, many times over.
pub const HTTP_CONNECTION_S: u64 = 300;
/// The answer that is under way when a connection is asked to end.
pub const HTTP_LAST_ANSWER_S: u64 = 10;
/// Browsers, tails and probes of a team, several tabs each. One more is closed at once, and counted.
/// Configurable.
pub const CONNECTIONS_MAX: usize = 4_096;
/// One of so many connections may be without a request: it hasn't sent one, or waits for its next.
/// If there are more, the oldest of them goes, so that slow clients block no others.
pub const CONNECTIONS_PER_IDLE: usize = 4;
/// What still comes after the last answer is read away for so long: else the kernel would reset the
/// connection, and the answer might be lost on the way.
pub const LINGER_S: u64 = 2;
/// After an accept that failed, most often for want of file descriptors: ten tries a second cost nothing,
/// and a connection in the kernel's queue waits a tenth of a second more. Counted, and logged once for as
/// long as it lasts.
pub const ACCEPT_PAUSE_MS: u64 = 100;
/// What is read of one message: a frame that is too long gets its sentence, and where even twice the
/// length isn't its end, 1009. With 100 connections of one identity 13 MB at most.
pub const WS_MESSAGE_BYTES_MAX: usize = 2 * CLIENT_FRAME_BYTES_MAX;
/// A client's frames are short. So many bytes are cleared before each look at a socket, and looked is
/// after every frame that is written.
pub const WS_READ_BUFFER_BYTES: usize = 4 * 1024;
/// What is gathered before a write: nothing, for a frame is a write of its own.
pub const WS_WRITE_BUFFER_BYTES: usize = 0;
/// Unwritten bytes of one socket: the credit, and the longest single message (`kinds` of 5,000
/// resources is 1.3 MB). Above it the connection ends.
pub const WS_WRITE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// One message: what fits there with its frame's head of 10 bytes. An object that is larger even deflated
/// ends its own subscription with `TooLarge`; etcd's 1.5 MiB fit twice.
pub const MESSAGE_BYTES_MAX: usize = WS_WRITE_BYTES_MAX - 1024;
/// How long sessions may take to say goodbye; with the rest of the end it stays under 25 s.
pub const DRAIN_S: u64 = 15;
/// A gateway on the same machine answers within milliseconds, unless it was stopped: then it is named.
pub const LOCAL_ANSWER_S: u64 = 5;
/// After the sessions: feeds and tasks that are asked to end. What doesn't is aborted, and the log says so.
pub const END_S: u64 = 5;
// R-REL-7: what sends a SIGKILL waits for 30 s, as a kubelet does.
const _: () = assert!(DRAIN_S + CLOSE_S + END_S < 25, "the longest end");
/// For an exec plugin, and then the sentence says to run it by hand: some open a connection to an
/// identity provider; none may ask a person.
pub const CREDENTIALS_TIMEOUT_S: u64 = 60;

/// A tail looks at its states this often: being stale begins by itself, and what it prints has seconds.
pub const TAIL_LOOK_MS: u64 = 1_000;

/// What a team's configuration may hand to every page: in each `welcome`, so together under 256 KiB.
pub const PINNED_MAX: usize = 50;
pub const BOARDS_MAX: usize = 50;
pub const BOARD_LINK_BYTES_MAX: usize = 4_096;

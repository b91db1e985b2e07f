//! Every bound of the gateway with its arithmetic. When a bound is reached, the client or the log is told.

mod api;
mod audit;
mod children;
mod clusters;
mod logs;
mod own_rights;
mod past;
mod proxy;
mod rules;
mod sign_in;
mod stream;
mod traces;

use shared::frame::CLIENT_FRAME_BYTES_MAX;

pub use api::*;
pub use audit::{AUDIT_END_S, AUDIT_QUEUE_BYTES_MAX, AUDIT_REFUSALS_AT_ONCE, AUDIT_REFUSALS_PER_S};
pub use children::*;
pub use clusters::*;
pub use logs::*;
pub use own_rights::*;
pub use past::*;
pub use proxy::*;
pub use rules::*;
pub use sign_in::*;
pub use stream::*;
pub use traces::*;

/// The bytes, besides one frame, that the gateway sends before the client acknowledges them. A line with
/// 50 ms and 10 MB/s has 500 KB in transit.
pub const CREDIT_BYTES: u64 = 512 * 1024;
/// The size of one value of an upstream stream, and of one object of a list. etcd's own bound on a request is 1.5 MiB; aggregated servers
/// and raised limits get ten times that.
pub const UPSTREAM_VALUE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The outputs of a feed that its hub has not applied: 128 pods of 15 KB are 2 MiB. While the queue is full
/// the feed's driver waits. The hub applies outputs without I/O, so that takes milliseconds.
pub const FEED_OUTPUTS_MAX: usize = 128;
/// The commands that a feed has not read: retries, whether the feed has viewers, and the positions of viewers
/// that reconnect. A full queue drops a retry, for another is under way; the hub repeats whether there are
/// viewers after its next step; a viewer whose position is dropped may get a `reset`.
pub const FEED_COMMANDS_MAX: usize = 64;
/// The time that a feed runs on after its last viewer has left.
pub const FEED_LINGER_S: u64 = 60;

/// The interval between two proofs. Three answers fit into the 15 s after which a view is stale, or one that
/// times out and the next.
pub const PROOF_INTERVAL_MS: i64 = 4_800;
/// The timeout of a proof. After it there is time for one more before the view is stale.
pub const PROOF_TIMEOUT_MS: i64 = 10_000;
/// Without a proof for this long the view is `stale`. `docs/PROTOCOL.md` promises it.
pub const STALE_AFTER_MS: i64 = shared::frame::PROOF_MISSING_MS as i64;
/// The first pause between retries is random up to this; each later one is twice as long. client-go does so.
pub const BACKOFF_FIRST_MS: i64 = 800;
/// The longest pause while the feed has viewers: a recovery may take 15 s.
pub const BACKOFF_MAX_MS: i64 = 10_000;
/// The longest pause without viewers: the feed then runs for a minute, and retries twice.
pub const BACKOFF_UNWATCHED_MAX_MS: i64 = 30_000;
/// After this time without a failure the next pause is the first again. It is longer than any pause.
pub const BACKOFF_RESET_MS: i64 = 120_000;
/// An outage that is longer than this may mean that etcd was restored from a backup: to stop an API server,
/// restore its etcd and start both takes longer. A load balancer that switches to another API server is faster.
pub const AWAY_MS: i64 = 2_000;
/// The time in which the refusals of an API server that has just started are not believed, but retried: it
/// knows neither roles nor custom resources for some seconds. A right that was revoked meanwhile takes effect
/// after a proof's 5 s, its timeout of 10 s, this, and 2 s to the next try: 27 of the 45 s that are promised.
pub const STARTING_MS: i64 = 10_000;
/// The first pause after 401, 403, 404 and answers that can't be read. Each pause is twice as long as the
/// one before.
pub const SLOW_RETRY_FIRST_MS: i64 = 2_000;
/// The longest of these pauses: a person needs longer to correct the cause.
pub const SLOW_RETRY_MS: i64 = 30_000;
/// When a WatchList sends nothing for this long before its end mark, the server doesn't support it, and the
/// feed requests a list. A server that supports it writes its objects from memory without a pause.
pub const WATCH_LIST_QUIET_MS: i64 = 5_000;
/// A WatchList without its end mark after this time isn't one: 100,000 pods of 15 KB are 1.5 GB, which take
/// 120 s at 100 Mbit/s.
pub const WATCH_LIST_WHOLE_MS: i64 = 120_000;
/// The interval between two lists of a kind that can't be watched. With 5 s for the answer the view isn't stale.
pub const POLL_INTERVAL_MS: i64 = 10_000;
/// A watch that ends sooner than this and without an event isn't reopened at once: otherwise a server that
/// ends every watch would be asked as fast as it answers. No healthy server ends a watch within a second.
pub const SHORT_LIFE_MS: i64 = 1_000;
/// The interval between two reports of how far the first list is. A reader can't take in more than four a second.
pub const PROGRESS_MS: i64 = 250;
/// How often a list in pages is begun anew because its continue token expired; then it is requested as one
/// page. etcd keeps history for 5 minutes, so three tries take up to 15.
pub const LIST_RESTARTS_MAX: u32 = 3;
/// The number of proofs that are kept to compare a silent watch with: `BOOKMARK_AGE_MS` divided by
/// `PROOF_INTERVAL_MS` is 19, and viewers who retry may cause as many again.
pub const PROOFS_REMEMBERED_MAX: usize = 40;
/// The interval at which a feed reads the clock, to notice that the machine was suspended.
pub const FEED_LOOK_MS: i64 = 1_000;
/// The least time between two tries of one feed that viewers ask for: five that press the button all day would
/// ask the API server 40 times a second.
pub const RETRY_INTERVAL_MS: i64 = 600;
/// The longest `Retry-After` that is obeyed: an API server sends 1 s, a proxy may send an hour.
pub const RETRY_AFTER_MAX_MS: i64 = 60_000;
/// The age at which the last bookmark is too old, if the stream has any: an API server sends one a minute.
pub const BOOKMARK_AGE_MS: i64 = 90_000;
/// The interval at which a watch without bookmarks is opened anew. It costs one request.
pub const WATCH_REOPEN_MS: i64 = 300_000;

/// The size of one answer that isn't a stream: a page of 500 objects of 100 KB, twice. For a larger one the
/// view is `failed`, with the size in the message.
pub const UPSTREAM_ANSWER_BYTES_MAX: usize = 128 * 1024 * 1024;
/// The bytes of the API server's name for a request; a UUID has 36.
pub const AUDIT_ID_BYTES_MAX: usize = 64;
/// The bytes of a refusal's body that are read: a `Status` has a few hundred.
pub const UPSTREAM_REFUSAL_BYTES_MAX: usize = 64 * 1024;
/// The buffer that a stream keeps between two values: one that grew larger for a value is given back after it.
pub const UPSTREAM_BUFFER_BYTES_MAX: usize = 1024 * 1024;
/// The bytes that are kept of a value that is too large, to find its name: rows begin with cells and metadata.
pub const UPSTREAM_HEAD_BYTES_MAX: usize = 64 * 1024;
/// The objects in one page of a list: client-go's default.
pub const LIST_PAGE_OBJECTS: u32 = 500;
/// The time from a request to the head of its answer. An API server gives up after 60 s; a list of 500
/// objects took 10 s on a loaded etcd.
pub const UPSTREAM_HEAD_TIMEOUT_S: u64 = 30;
/// The time between two parts of an answer that isn't a stream.
pub const UPSTREAM_BODY_TIMEOUT_S: u64 = 30;
/// The time in which a connection must be established: Linux repeats its first SYN after 1 s and 3 s.
pub const UPSTREAM_CONNECT_TIMEOUT_S: u64 = 5;
/// The idle time before the first TCP keepalive probe of an upstream connection, and between two probes.
pub const UPSTREAM_KEEPALIVE_S: u64 = 5;
/// The unanswered probes after which a connection is dead. With the time before the first that is 15 s.
pub const UPSTREAM_KEEPALIVE_PROBES: u32 = 2;
/// A connection ends when sent bytes are unacknowledged for this long: less than the 15 s until `stale`.
pub const UPSTREAM_USER_TIMEOUT_S: u64 = 12;
/// The interval of discovery if the gateway may not watch CRDs and API services, which the log says. It costs
/// two requests, and a new resource appears before its author looks for the reason.
pub const DISCOVERY_POLL_S: u64 = 30;
/// The time without a change of a definition before discovery: definitions are usually applied together.
pub const DISCOVERY_SETTLE_MS: u64 = 300;
/// The pause before discovery is repeated because it doesn't show a definition yet: 33 times at most.
pub const DISCOVERY_STEP_MS: u64 = 300;
/// After this time discovery is used as it is: some definitions are never served. The log names them.
pub const DISCOVERY_LAG_MS_MAX: u64 = 10_000;

/// The time in which the code of a printed URL opens a page.
pub const LOCAL_CODE_LIFETIME_S: u64 = 10 * 60;
/// The number of codes that are valid at once, each of a printed URL that wasn't opened. One more replaces the
/// oldest.
pub const LOCAL_CODES_MAX: usize = 16;
/// How long a page's session lasts after its last proof: over a working day with its evening.
pub const LOCAL_SESSION_LIFETIME_S: u64 = 12 * 60 * 60;
/// The sessions of a user: a few browsers at a few gateways. One more ends the one that was proved longest ago.
pub const LOCAL_SESSIONS_MAX: usize = 64;
/// The bytes of a session's file: a key, an origin and a browser's name have 400.
pub const LOCAL_SESSION_BYTES_MAX: u64 = 4 * 1024;

/// The interval at which changes are sent. The first change after a quiet interval is sent at once. 16 ms is a
/// frame of a 60 Hz screen: 8 ms would show nothing earlier, and cost a third more CPU at 50 viewers.
pub const TICK_MS: u64 = 16;
/// The interval at which rows are sent while the first list comes in.
pub const TICK_SYNCING_MS: u64 = 100;
/// How long a new feed waits for more viewers of a former gateway, so that one list answers all of them. Pages
/// reconnect spread over at least half a second, so two of five come in this time. They show their old rows
/// meanwhile.
pub const RESUME_GATHER_MS: i64 = 200;
/// The number of different positions of these viewers that are kept: a busy hub had 12 ticks in that time, and
/// some viewers were further behind. A viewer further before all of them than the margin gets a `reset`.
pub const RESUME_POSITIONS_MAX: usize = 64;
/// How many revisions before the oldest of these positions the first list is. Viewers of one replica end a few ticks
/// apart, and one of them may come after the others were gathered: it had 2 to 6 revisions less than they at 100
/// changes/s, on a machine that was busy. The watch brings these changes again, and an API server keeps at least the
/// last 100 events of each kind for that.
pub const RESUME_MARGIN_REVISIONS: u64 = 64;
/// The number of old resourceVersions at which a list is tried, by bisection. Each costs a round trip before
/// the first rows.
pub const RESUME_TRIES_MAX: u32 = 4;
/// How long a viewer waits whose position is newer than the first list: the watch brings the changes between
/// within a few round trips. After that it gets a `reset`.
pub const RESUME_WAIT_MS: u64 = 1_000;
/// The number of changes whose previous rows a hub keeps, so that it knows the rows of another gateway's
/// viewers: 20 s of 200 changes/s, by when all have reconnected. A row has about 250 bytes with its labels, so
/// this is 1 MB. A viewer that missed more gets a `reset`.
pub const RESUME_CHANGES_MAX: usize = 4_096;
/// The number of gaps that a hub keeps for viewers that missed them: one for each outage while a page was
/// disconnected. Older gaps are dropped; a viewer from before them gets the next one.
pub const GAPS_MAX: usize = 16;
/// The names of objects that can't be shown that a hub keeps. One more replaces the oldest. A view says how many
/// objects there are, and 64 names are enough to find the cause.
pub const LEFT_OUT_MAX: usize = 64;
/// The objects, and their bytes, that a hub's compression dictionary is trained on: zstd recommends samples of
/// a hundred times the dictionary's size. 500 objects of 16 KiB are that.
pub const DICTIONARY_SAMPLES: usize = 500;
pub const DICTIONARY_SAMPLE_BYTES_MAX: usize = 8 * 1024 * 1024;
pub const DICTIONARY_BYTES: usize = 64 * 1024;
/// The number of sets of custom columns of one resource: each costs some microseconds for every change and some
/// 100 bytes for every object. A new set replaces one without viewers; if all have viewers it is refused.
pub const CUSTOM_SETS_MAX: usize = 64;
/// The sets that one person may be shown: a quarter of all, so that no person alone can fill them.
pub const CUSTOM_SETS_PER_IDENTITY_MAX: usize = CUSTOM_SETS_MAX / 4;
/// The bytes of a custom column's cell: ten images have 800. A longer one ends with `…`.
pub const CUSTOM_CELL_BYTES_MAX: usize = 1_024;
/// The number of values of one object that the paths of one set may visit: a Pod has 500, and a path visits a
/// few of them. If the paths visit more, the set's cells end with `…`.
pub const CUSTOM_EFFORT_MAX: usize = 20_000;
/// The number of values of one object that all sets of a resource together may visit: two milliseconds for each
/// change. If they visit more, the costliest set ends, and its viewers are told.
pub const CUSTOM_EFFORT_TOTAL_MAX: usize = 2 * CUSTOM_EFFORT_MAX;
/// The effort of a hub between two looks at what else is to be done: two milliseconds of a tick's 16. It is exceeded
/// by one object at most.
pub const CUSTOM_EFFORT_PER_TURN: usize = CUSTOM_EFFORT_TOTAL_MAX;
/// The bytes of JSON that are read with the effort of one value.
pub const CUSTOM_BYTES_PER_VALUE: usize = 16;
/// The bytes of all custom cells of one resource. A dozen columns of 100,000 pods, with 40 bytes in each, are 80 MB.
/// If they take more, the set that takes most ends, and its viewers are told.
pub const CUSTOM_HUB_BYTES_MAX: usize = 128 * 1024 * 1024;
/// The bytes of the custom cells that one person is shown, of all resources: half of that, so that no person alone can
/// end another's columns. If they take more, the set that takes most ends.
pub const CUSTOM_IDENTITY_BYTES_MAX: usize = CUSTOM_HUB_BYTES_MAX / 2;
/// The bytes of all custom cells of a gateway: of eight people who take all that they may. If they take more, the set
/// ends that takes most of the resource whose cells have grown.
pub const CUSTOM_TOTAL_BYTES_MAX: usize = 8 * CUSTOM_IDENTITY_BYTES_MAX;
/// By so much the bytes of a resource may change before they are counted for people and in all: 32 MiB of 512 feeds.
pub const CUSTOM_UNREPORTED_BYTES_MAX: usize = 64 * 1024;
/// How long the cells of a set without viewers are updated: a page that reconnects finds them.
pub const CUSTOM_LINGER_MS: i64 = 60_000;
/// The number of objects whose cells a hub reads for a new set in one step, if their effort allows it: 30 µs each,
/// so 2 ms of a tick's 16.
pub const CUSTOM_READ_OBJECTS: usize = 64;
/// The number of deleted objects that a hub keeps. A tombstone has about 200 bytes with its name, so this is 4 MB
/// at most. A viewer that missed more deletions gets a `reset`.
pub const TOMBSTONES_MAX: usize = 20_000;
/// The number of entries that a view's timeline keeps: a minute of 150 changes/s.
pub const TIMELINE_ENTRIES_MAX: usize = 10_000;
/// The bytes of these entries: an entry of one change of status has 500. All timelines of one connection have as
/// many together; together with its credit, a client that doesn't read costs less than the 4 MiB that are promised.
pub const TIMELINE_BYTES_MAX: usize = 3 * 1024 * 1024;
/// The changed fields that one entry lists; the others are counted. A first status has about forty.
pub const TIMELINE_FIELDS_MAX: usize = 64;
/// For a value that is larger, only its size is sent: a condition with its message has 300 bytes.
pub const TIMELINE_VALUE_BYTES_MAX: usize = 512;
/// How many bytes of rows the events of one tick may have before they are written, for each byte of frames that may be
/// kept: an object's JSON deflates to a quarter.
pub const EVENT_UNWRITTEN_RATIO: usize = 4;
/// The frames of events that were dropped last, of which a view remembers the time, so that a subscriber which was too
/// slow is told when its gap began. For one that is further behind it begins with the first of these.
pub const EVENT_GAPS_MAX: usize = 256;
/// How long a timeline without viewers goes on: a page that reconnects finds its position.
pub const TIMELINE_LINGER_MS: i64 = 60_000;
/// The timelines without viewers that a hub keeps, which have [`TIMELINE_BYTES_MAX`] together: a panel keeps
/// twelve, so these are of twenty pages that reconnect. One more replaces the oldest.
pub const TIMELINES_LINGERING_MAX: usize = 256;

/// The longest interval between two `sync` frames of a live view. It is less than the 5 s that are promised, by
/// three ticks. Each proof is told by a `sync`, so it is more than `PROOF_INTERVAL_MS`, by as much as a proof may be later
/// than the one before it without a `sync` between them.
pub const SYNC_EVERY_MS: u64 = 4_950;
/// The number of feed outputs that a hub applies before it serves its subscribers: 5 µs each, half a millisecond.
pub const OUTPUTS_PER_TURN: usize = 128;
/// The commands that a hub has not read: each of 100 sessions may open a board of 12 views and pull each. While
/// the queue is full a subscription is refused with `Limit`, and a pull waits.
pub const HUB_COMMANDS_MAX: usize = 4_096;
/// The subscriptions of one connection. One more is refused with `Limit`.
pub const SUBSCRIPTIONS_MAX: usize = 1_024;
/// The subscriptions that may be opened at once, and then per second. One more is refused with `Limit`.
pub const SUBSCRIBES_AT_ONCE: u64 = 256;
pub const SUBSCRIBES_PER_S: u64 = 10;
/// What one person may have open over all connections, for each connection that a person may have: a view of 16
/// kinds in each, or [`SUBSCRIPTIONS_MAX`] if that is more. A view keeps nothing of its single rows, so a subscription
/// costs its request and 4 KB, whatever it shows: 1,600 of them 7 MB, 80 MB with label selectors of 4 KB, and 430 MB
/// where each names the 9,000 namespaces that a frame has room for. One more is refused with `Limit`.
pub const SUBSCRIPTIONS_PER_CONNECTION: usize = 16;
/// A person may open as many at once, and then so many a second that this is full again after 20 s. One who connects
/// again and again gains nothing by it.
pub const SUBSCRIBES_REFILL_S: u64 = 20;
/// The messages from all hubs to one session. Each subscription has at most four: that there is something new,
/// a delivery, a refusal, and its end. Twice that, for messages to subscriptions that were closed meanwhile.
pub const SESSION_MESSAGES_MAX: usize = 2 * 4 * SUBSCRIPTIONS_MAX;
/// The messages of one session that wait for its socket: a delivery has three, the others answer the client's
/// frames. While the queue is full, nothing more is read from that client.
pub const OUTBOX_MESSAGES_MAX: usize = 64;
/// The messages that a client may send at once: a board of 256 views opened, closed and opened elsewhere. One
/// more ends the connection with 1008.
pub const FRAMES_AT_ONCE: u64 = 1_024;
/// The messages that a client may send per second after that, besides one for each message of a view that it
/// was sent. A page sends one `ack` a second, a `ping` after a silence, and one for each click.
pub const FRAMES_PER_S: u64 = 100;
/// The interval at which refused codes are logged, as one line with their number: any process of the machine can send
/// thousands a second.
pub const REFUSALS_LOGGED_EVERY_S: u64 = 10;
/// The connections of one identity: tabs, tails, and those that reconnected before the gateway noticed that the
/// old connection is gone. One more is refused with `Limit` and 1013. Configurable.
pub const CONNECTIONS_PER_IDENTITY_MAX: usize = 100;
/// The feeds that one person's views may have: a cluster serves sixty built-in kinds, and a person looks at some
/// of them, at as many custom ones, and at some selections. 128 of a small cluster's resources are 130 MB; of
/// 10,000 pods each, which are 18 MiB, they would be 2.3 GiB. One more is refused with `Limit`. Configurable.
pub const FEEDS_PER_IDENTITY_MAX: usize = 128;
/// The feeds that run at once. Each asks the API server for a proof every 4.8 s, so this is 107 requests a second.
/// One more is refused with `Limit`. Configurable.
pub const FEEDS_MAX: usize = 512;
/// The feeds that a person may start per second, after as many at once as the person may have.
pub const FEED_STARTS_PER_S: u64 = 10;
/// The pings and pongs before the first message. A page sends none, a library perhaps one.
pub const CONTROLS_BEFORE_HELLO_MAX: usize = 16;
/// The messages that are still read of a client that was told to close: what it had sent before it heard of it.
/// What follows is dropped unread.
pub const MESSAGES_AFTER_CLOSE_MAX: usize = 64;
/// The bytes of the first message: an identity provider's token with hundreds of groups has 8 KB.
pub const HELLO_BYTES_MAX: usize = 16 * 1024;
/// The sockets of one address that have not authenticated: a page does so within milliseconds.
pub const PRE_AUTH_PER_ADDRESS_MAX: usize = 10;
/// The time that such a socket has to itself. After it, one that waits takes its place: a page on a slow line is
/// still in time, and strangers make room for 40 others a second.
pub const PRE_AUTH_SILENT_MS: u64 = 250;
/// The same if many wait. [`PRE_AUTH_WAITING_MAX`] have their turn within 1.3 s.
pub const PRE_AUTH_SILENT_MS_MIN: u64 = 25;
/// The time for the last frame and the close of a socket whose place was taken. Its client isn't waited for.
pub const PRE_AUTH_CLOSE_MS: u64 = 50;
/// The upgrades of one address that wait for the place of such a socket: an eighth of [`CONNECTIONS_MAX`], so that a
/// hundred tabs can reconnect at once, beside strangers. One more is answered with 429.
pub const PRE_AUTH_WAITING_MAX: usize = 512;
/// How long such an upgrade waits before it is answered with 429: less than [`HELLO_TIMEOUT_S`].
pub const PRE_AUTH_WAIT_MS: u64 = 2_000;
/// The longest token that is looked at: a request's head has room for no more.
pub const TOKEN_BYTES_MAX: usize = 12 * 1024;
/// The tokens that are reviewed at once, of all connections: strangers may send any number.
pub const TOKEN_REVIEWS_AT_ONCE_MAX: usize = 8;
/// How long a refused token isn't reviewed again: a client that tries it without a pause causes one review in this time.
pub const TOKEN_REFUSED_KEPT_S: u64 = 10;
/// The refused tokens that are remembered, of 50 bytes: 400 reviews a second for that time, twice what one API server
/// was seen to answer. One more takes the place of the oldest, which costs a review if it comes again.
pub const TOKENS_REFUSED_MAX: usize = 4_096;
/// The interval at which the token of an open connection is reviewed again.
pub const TOKEN_AGAIN_S: u64 = 60;
/// How long a token holds on while the API server can't review it.
pub const TOKEN_KEPT_S: u64 = 2 * TOKEN_AGAIN_S;
/// How long a decision of the API server about a viewer's rights is taken for granted.
pub const REVIEW_CACHE_S: u64 = 10;
/// The interval at which a right is reviewed again while it is used.
pub const REVIEW_AGAIN_S: u64 = 30;
/// How long a right holds on while the API server can't review it, and so the longest time from its end to the end of
/// what was shown by it.
pub const REVIEW_KEPT_S: u64 = 45;
/// The pause before what changed is reviewed once more: another API server may hear of it that much later.
pub const REVIEW_SETTLE_MS: u64 = 1_000;
/// The reviews that are asked for at once, of all viewers.
pub const REVIEWS_AT_ONCE_MAX: usize = 32;
/// The reviews of one person that are asked for at once. A person may have a thousand views, and three more people
/// still get their reviews at once.
pub const REVIEWS_OF_A_PERSON_MAX: usize = 8;
/// The reviews of one view that are asked for at once.
pub const REVIEWS_OF_A_VIEW_MAX: usize = 4;
/// The pace of all viewers' reviews together while nothing changes, where a change is heard of: 480 a minute.
pub const REVIEWS_PER_SECOND_AT_REST: u32 = 8;
/// The pause before the cluster's roles and bindings are listed again, where they couldn't be.
pub const ROLES_LIST_AGAIN_S: u64 = 10;
/// The time from the upgrade to `hello`.
pub const HELLO_TIMEOUT_S: u64 = 5;
/// How long the API server or an identity provider may take to say whether a credential is valid.
pub const LOGIN_ANSWER_S: u64 = 5;
/// A connection ends after this time without a message. Browsers throttle timers of hidden tabs to one a minute.
pub const SILENT_S: u64 = 120;
/// What is left of a page's session when its key is asked for another proof: it was an hour ago.
pub const LOGIN_PROVE_MS: i64 = 11 * 60 * 60 * 1_000;
/// The interval at which the clock is read for it, to notice that the machine was suspended; and the session, to
/// notice within a second that it was revoked.
pub const LOGIN_LOOK_MS: i64 = 900;
/// The time from the gateway's close frame to the client's.
pub const CLOSE_S: u64 = 2;
/// The shortest time over which reconnects are spread.
pub const SPREAD_MS_MIN: u32 = 500;

/// The time for the head of a request, from the start of the connection or the end of the last answer.
pub const HTTP_HEAD_TIMEOUT_S: u64 = 10;
/// The headers of one request: a browser sends about 15.
pub const HTTP_HEADERS_MAX: usize = 64;
/// The bytes that are buffered of a request whose head isn't whole: eight times what a browser sends. A head that
/// is whole after one read may be larger, by at most as much again.
pub const HTTP_BUFFER_BYTES_MAX: usize = 32 * 1024;
/// The bytes of a request's body. Only `/api/login` reads one: a code of 22 characters and a key of 87 in JSON.
pub const HTTP_BODY_BYTES_MAX: usize = 4 * 1024;
pub const HTTP_BODY_TIMEOUT_S: u64 = 10;
/// The lifetime of a connection that doesn't become a WebSocket: much longer than the page's 150 KB take on the
/// slowest line.
pub const HTTP_CONNECTION_S: u64 = 300;
/// The time for the answer that is being sent when its connection must end.
pub const HTTP_LAST_ANSWER_S: u64 = 10;
/// The connections of all clients together: the browsers of a team with several tabs each, tails and probes. One
/// more is closed at once, and counted. Configurable.
pub const CONNECTIONS_MAX: usize = 4_096;
/// Slots that only the user's own socket, the metrics and the probes may take, so that they answer when strangers
/// have taken all [`CONNECTIONS_MAX`].
pub const CONNECTIONS_KEPT: usize = 32;
/// One of this number of connections may be without a request under way. If there are more, the oldest of them
/// is closed, so that slow clients block no others. One that sends its body counts too.
pub const CONNECTIONS_PER_IDLE: usize = 4;
/// How long the gateway discards what a client still sends after the last answer. Otherwise the kernel would
/// reset the connection, and the answer might be lost.
pub const LINGER_S: u64 = 2;
/// The pause after `accept` failed, usually because too many files are open. Ten tries a second cost nothing, and
/// a connection in the kernel's queue waits a tenth of a second longer. Failures are counted; the first of a
/// series is logged.
pub const ACCEPT_PAUSE_MS: u64 = 100;
/// The bytes that are read of one message. A frame over its own limit gets a problem; a message that is twice as
/// long is closed with 1009. The 100 connections of one identity have 13 MB at most.
pub const WS_MESSAGE_BYTES_MAX: usize = 2 * CLIENT_FRAME_BYTES_MAX;
/// The bytes that may come from one message to the next, frames' heads included: a longest message in pieces of 6
/// bytes, or 43,690 empty pieces.
pub const WS_MESSAGE_RAW_BYTES_MAX: usize = 2 * WS_MESSAGE_BYTES_MAX;
/// The read buffer of a WebSocket. It is small, because a client's frames are short, and the library clears it at
/// every read, one after each frame that is written.
pub const WS_READ_BUFFER_BYTES: usize = 4 * 1024;
/// The bytes that are collected before a write: none, because each frame is written by itself.
pub const WS_WRITE_BUFFER_BYTES: usize = 0;
/// The unwritten bytes of one socket: the credit, and the longest single message (`kinds` of 5,000 resources has
/// 1.3 MB). With more the connection ends.
pub const WS_WRITE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The bytes of one message: [`WS_WRITE_BYTES_MAX`] without the frame's head of 10 bytes. A subscription whose
/// object is larger even when deflated ends with `TooLarge`; etcd's 1.5 MiB fit twice.
pub const MESSAGE_BYTES_MAX: usize = WS_WRITE_BYTES_MAX - 1024;
/// How long sessions may take to end after SIGTERM.
pub const DRAIN_S: u64 = 15;
/// The timeout of `dogwatch url`: a gateway on the same machine answers within milliseconds, unless it was
/// stopped.
pub const LOCAL_ANSWER_S: u64 = 5;
/// From so much on it is said that the gateway's clock is ahead of the machine's: NTP corrects less without a step.
pub const CLOCK_AHEAD_SAID_MS: u64 = 60_000;
/// How long a file of the user's or the operator's may take: a healthy disk needs milliseconds, and a network mount
/// that hangs never answers.
pub const FILE_ANSWER_S: u64 = 2;
/// The threads that work on the files of mode `local` at once, each for milliseconds.
pub const LOCAL_FILE_WORK_MAX: usize = 8;
/// The threads that read such files at once: each cluster has a few files, which are read one after the other. Those
/// that a hanging mount keeps count until it answers.
pub const FILE_READERS_MAX: usize = 64;
/// The bytes of such a file: a configuration of 100 clusters with their certificates has 500 KB.
pub const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The preferences of a user's pages: a hundred kinds with their columns have some KiB.
pub const PREFERENCES_BYTES_MAX: usize = 64 * 1024;
/// The lines of the log that wait to be written: of 200 bytes each, 200 KiB.
pub const LOG_LINES_QUEUED_MAX: usize = 1_024;
/// How long the end waits for the last of them.
pub const LOG_END_S: u64 = 1;
/// How long feeds and tasks may take to end after the sessions. Then they are aborted, and the log says so.
pub const END_S: u64 = 5;
// R-REL-7: a kubelet sends SIGKILL after 30 s.
const _: () = assert!(DRAIN_S + CLOSE_S + END_S + AUDIT_END_S < 25, "the longest end");
/// The timeout of an exec plugin: some ask a person to log in, and give them two or three minutes themselves.
pub const EXEC_PLUGIN_TIMEOUT_S: u64 = 180;
/// The time after which the log says which plugin is waited for, and again after as much.
pub const EXEC_PLUGIN_WAITING_S: u64 = 10;
/// A credential is a token of some KiB, or a certificate chain with its key.
pub const EXEC_PLUGIN_OUTPUT_BYTES_MAX: u64 = 1024 * 1024;
/// The time in which certificates and keys must be read: they are small and local, but a home folder may hang.
pub const CREDENTIALS_TIMEOUT_S: u64 = 60;

/// Resources that metrics name; further ones are counted together. A cluster with many operators serves 300.
pub const METRICS_RESOURCES_MAX: usize = 400;

/// The lines of several clusters that `logs` holds until no earlier one can come: as many as a page has room for. Beyond that
/// they are printed out of their order, which stderr says.
pub const LOGS_COMMAND_WAITING_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The interval at which a tail reads the state of its view: a view becomes stale without a message.
pub const TAIL_LOOK_MS: u64 = 1_000;
/// How often `wait` looks at what time alone makes so: a time that has to hold, an age. What happens doesn't wait for it.
pub const WAIT_LOOK_MS: u64 = 250;
/// How long `wait --timeout 0`, which looks once, waits for something to look at: as `tail --once` does.
pub const WAIT_ONCE_S: u64 = 60;

/// The pinned kinds and boards of a team's configuration. Every `welcome` has them, so together they stay under
/// 256 KiB.
pub const PINNED_MAX: usize = 50;
pub const BOARDS_MAX: usize = 50;
pub const BOARD_LINK_BYTES_MAX: usize = 4_096;
/// The rows of health in a configuration: each is looked at for each change of an object of its kind.
pub const HEALTH_ROWS_MAX: usize = 256;

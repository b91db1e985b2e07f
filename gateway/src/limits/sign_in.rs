//! The bounds of tokens that others sign, of logins at an identity provider, and of their sessions.

use shared::login_end::renew_before_ms;

/// The longest JWT that is read: with a thousand groups of 20 characters it has 32 KiB.
pub const JWT_BYTES_MAX: usize = 64 * 1024;
/// The keys of a set that are read: an issuer that rotates publishes three.
pub const JWT_KEYS_MAX: usize = 64;
/// The least time between two fetches of a key set: strangers may send tokens that name any key.
pub const JWT_KEYS_AGAIN_S: u64 = 10;
/// After this time a key set is fetched again beside the verifications.
pub const JWT_KEYS_REFRESH_S: u64 = 30 * 60;
/// After this time it is fetched again before any verification: a key that was withdrawn is believed no longer.
pub const JWT_KEYS_KEPT_S: u64 = 60 * 60;
/// How far the clock of another machine may be off.
pub const CLOCK_LEEWAY_S: i64 = 60;
/// The bytes of an identity provider's answer: its tokens, its keys, or its description of some KiB.
pub const PROVIDER_ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// The timeout of a request to it. A person waits for up to three of them.
pub const PROVIDER_ANSWER_S: u64 = 10;
/// The time in which its connection, or that of the proxy before it, must be established.
pub const PROVIDER_CONNECT_S: u64 = super::UPSTREAM_CONNECT_TIMEOUT_S;
/// How long the provider's description is kept: its keys are fetched by themselves.
pub const PROVIDER_KEPT_S: u64 = 60 * 60;
/// How often a provider, or a server of keys, is asked whether it answers as it should, and how often before it ever did:
/// then the gateway isn't ready, and one that starts with its provider waits for no more than this.
pub const DEPENDENCY_AGAIN_S: u64 = 60;
pub const DEPENDENCY_FIRST_S: u64 = 5;
/// How long a provider that couldn't be found isn't looked for again.
pub const PROVIDER_AGAIN_S: u64 = 2;
/// The sessions about whose renewal the provider is asked at once. Logins have places of their own.
pub const PROVIDER_ASKED_AT_ONCE_MAX: usize = 16;
/// The logins about which the provider is asked at once, and those that wait for it: with a fifth of a second for an
/// answer the last of them waits for a second. One more is answered with 503.
pub const LOGINS_ASKED_MAX: usize = 16;
pub const LOGINS_WAITING_MAX: usize = 64;
/// What one peer has of that, which may be a proxy before all people: half.
pub const LOGINS_ASKED_PER_PEER_MAX: usize = LOGINS_ASKED_MAX / 2;
pub const LOGINS_WAITING_PER_PEER_MAX: usize = LOGINS_WAITING_MAX / 2;
/// What one client has of that: an office behind one address signs in within seconds of its morning.
pub const LOGINS_ASKED_PER_CLIENT_MAX: usize = 4;
pub const LOGINS_WAITING_PER_CLIENT_MAX: usize = 8;
/// After so long a browser that found no place comes again.
pub const LOGIN_AGAIN_S: u64 = 5;
/// The keys of a session key file: one that seals, one that is on its way out, and room for haste.
pub const SESSION_KEYS_MAX: usize = 8;
/// The longest that a session of mode `oidc` may be set to: a week.
pub const SESSION_HOURS_MAX: u32 = 7 * 24;
/// How long a person may take to sign in at the provider, second factor and all.
pub const LOGIN_BEGUN_S: i64 = 15 * 60;
/// The logins that a browser has begun, in as many tabs; each is a cookie of 500 bytes, and of 3,000 at most: beside
/// a session's they fit into a request's head.
pub const LOGINS_BEGUN_MAX: usize = 4;
/// The logins that have come back and that a gateway remembers while a browser may still have their cookies, of 100
/// bytes: 18 in each second of [`LOGIN_BEGUN_S`]. With more the oldest is forgotten, and good for one more question to
/// the provider, which costs a new login as well.
pub const LOGINS_USED_MAX: usize = 16_384;
/// Where a login leads afterwards: a board with its filters has some hundred bytes. From a longer one it leads to the
/// first page.
pub const LOGIN_TO_BYTES_MAX: usize = 2_000;
/// How long a person may look at the page on which a program asks to be let in.
pub const CLIENT_QUESTION_S: i64 = 10 * 60;
/// How long the code counts that a browser carries to the program, which waits for it. A provider's own codes, of which
/// it holds one, last as long at least.
pub const CLIENT_CODE_S: i64 = 60;
/// The first port at which a program without special rights waits for its code.
pub const CLIENT_PORT_MIN: u16 = 1_024;
/// The bytes of a program's token, which comes in one header: as many as a session's cookies have.
pub const CLIENT_TOKEN_BYTES_MAX: usize = COOKIE_PARTS_MAX * COOKIE_PART_BYTES_MAX;
/// How long `dogwatch credential` waits for its person to sign in: as long as the page may be looked at, and a bit.
pub const CLIENT_LOGIN_WAIT_S: u64 = 11 * 60;
/// The bytes of a form of the gateway's own pages.
pub const FORM_BYTES_MAX: usize = 8 * 1024;
/// The bytes of a cookie's value: browsers keep 4,096 with its name and attributes.
pub const COOKIE_PART_BYTES_MAX: usize = 3_800;
/// The cookies of one session. With four a request's head has 15,200 bytes of them, half of [`super::HTTP_BUFFER_BYTES_MAX`];
/// they hold 500 groups of 20 characters.
pub const COOKIE_PARTS_MAX: usize = 4;
/// The least time until the provider is asked again about a session, however short its tokens live. Its page asks
/// for that after two thirds of it, when no outcome of the renewal before is kept any more.
pub const RENEW_AFTER_MS_MIN: i64 = 2 * 60 * 1_000;
const _: () = assert!(RENEW_AFTER_MS_MIN - renew_before_ms(RENEW_AFTER_MS_MIN) > RENEWED_KEPT_MS);
/// The time until the provider is asked again that couldn't be reached.
pub const RENEW_LATER_MS: i64 = 5 * 60 * 1_000;
/// How long the outcome of a renewal is given to a second tab that asks with the cookie from before.
pub const RENEWED_KEPT_MS: i64 = 60 * 1_000;
/// The sessions whose renewal is remembered for their open connections: 500 bytes each. Without it a connection
/// ends at its time, and its page comes back with the new cookie.
pub const RENEWALS_MAX: usize = 16_384;
/// The sessions that were ended and that a gateway knows of, of 200 bytes: 16,384 logouts within a session's length.
/// With more the one that would have ended first is forgotten, and the log says so.
pub const REVOCATIONS_MAX: usize = 16_384;
/// How far the clocks of gateways of one team differ: a session that begins sooner after the logout of its person is
/// ended with the others.
pub const REVOKED_LEEWAY_MS: i64 = 2_000;
/// How often a gateway asks the others which sessions were ended: with a second for the answer and one for its own
/// look, half of the 10 s that are promised.
pub const PEERS_ASK_S: u64 = 3;
/// The other gateways that are asked, and the time for all their answers together.
pub const PEERS_MAX: usize = 32;
pub const PEERS_ANSWER_S: u64 = 2;
/// The age of such a question: the clocks of gateways differ by less.
pub const PEERS_ASKED_MS: i64 = 60_000;
/// The age of a logout that the provider tells of, beside the clocks' difference, and how many are remembered, so
/// that none is told twice.
pub const LOGOUT_TOLD_S: i64 = 120;
pub const LOGOUTS_REMEMBERED_MAX: usize = 4_096;

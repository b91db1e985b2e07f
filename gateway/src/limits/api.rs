//! Bounds of the listener for clients of the Kubernetes API, in mode `local`.

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

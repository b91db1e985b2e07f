//! The bounds of the audit log.

/// The bytes of records that wait for the disk: ten thousand of 400 bytes, which a disk that was busy for a second
/// has caught up with at once. One more is lost, counted, and said.
pub const AUDIT_QUEUE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The refused logins that are recorded at once, and then per second: strangers may send any number. The next record
/// has the number of those that were left out.
pub const AUDIT_REFUSALS_AT_ONCE: u64 = 100;
pub const AUDIT_REFUSALS_PER_S: u64 = 10;
/// How long the end of the gateway waits for the last records.
pub const AUDIT_END_S: u64 = 1;

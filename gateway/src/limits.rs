//! Every bound of the gateway with its arithmetic. A full one has a consequence that somebody is told.

/// The bytes that the gateway sends ahead of a browser's acknowledgement, and one frame: a reader on
/// a 50 ms line at 10 MB/s has 500 KB under way.
pub const CREDIT_BYTES: u64 = 512 * 1024;
/// One value of an upstream stream. etcd's own bound on a request is 1.5 MiB; aggregated servers and
/// raised limits get ten times that.
pub const UPSTREAM_VALUE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Outputs of a feed that its hub has not applied: a page of a list (500 objects) and a burst.
/// When it is full the driver waits: the hub applies without I/O, so it is a matter of milliseconds.
pub const FEED_OUTPUTS_MAX: usize = 1_024;
/// How long a feed without viewers goes on.
pub const FEED_LINGER_S: u64 = 60;

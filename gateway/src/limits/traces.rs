//! Bounds of traces: any client that reaches the gateway may ask for one.

/// The spans that wait for the collector; further ones are dropped and counted. Each has some 300 bytes.
pub const SPANS_WAITING_MAX: usize = 2_048;
/// The same of requests that bring no login that holds. They take no place of the others'.
pub const SPANS_OF_STRANGERS_WAITING_MAX: usize = 256;
/// The spans of one request to the collector.
pub const SPANS_AT_ONCE_MAX: usize = 512;
/// The interval of these requests: with [`SPANS_AT_ONCE_MAX`] no more than 512 spans a second, for all clients
/// together.
pub const SPANS_EVERY_MS: u64 = 1_000;

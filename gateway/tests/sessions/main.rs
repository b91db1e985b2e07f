//! Sessions of a running gateway without its HTTP layer.

mod blocked;
mod ceiling;
mod counted;
mod everybody;
mod over_channels;
mod own_feeds;
mod projections;
mod redaction;
mod rights;
mod selectors;
mod session;

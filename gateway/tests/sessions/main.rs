//! Sessions of a running gateway without its HTTP layer.

mod audit;
mod blocked;
mod ceiling;
mod counted;
mod everybody;
mod over_channels;
mod own_feeds;
mod projections;
mod published;
mod redaction;
mod rights;
mod selectors;
mod session;

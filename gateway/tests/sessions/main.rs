//! Sessions of a running gateway without its HTTP layer.

mod blocked;
mod ceiling;
mod counted;
mod everybody;
mod over_channels;
mod projections;
mod redaction;
mod reload;
mod rights;
mod secrets;
mod selectors;
mod session;

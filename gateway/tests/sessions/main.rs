//! Sessions of a running gateway without its HTTP layer.

mod blocked;
mod everybody;
mod over_channels;
mod projections;
mod session;

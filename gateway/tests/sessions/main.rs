//! Sessions of a running gateway without its http: one on its own, and many viewers of a cluster.

mod blocked;
mod everybody;
mod over_channels;
mod projections;
mod rights;
mod session;
mod viewers;

//! Sessions of a running gateway without its HTTP layer.

mod audit;
mod blocked;
mod canary;
mod ceiling;
mod children;
mod clusters;
mod counted;
mod everybody;
mod logs;
mod over_channels;
mod own_feeds;
mod projections;
mod published;
mod redaction;
mod reload;
mod rights;
mod secrets;
mod selectors;
mod session;
mod several;
mod several_rights;

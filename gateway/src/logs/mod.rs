//! What containers write, read through the API server where the operator shows logs (`--logs`). Nothing of it is ever
//! recorded, logged or counted by its content.
//!
//! Pure: [`line`] (bytes in, lines out), [`machine`] (how the log of one container is kept up, over breaks and restarts),
//! [`pod`] (what a pod says of a container), [`kept`] (what late readers are told), [`told`] (how far a reader has a log),
//! [`mask`] (the bytes of a log without credentials), [`pace`] (how much a viewer is told). The rim: [`streams`] (one request
//! for all readers of a log), [`view`] (the logs of several containers as one). [`places`] counts who reads how many at a
//! time.

pub mod kept;
pub mod line;
pub mod machine;
mod mask;
mod pace;
mod places;
mod pod;
mod streams;
mod told;
mod view;

pub use mask::LineMasks;
pub use places::{LogPlace, LogPlaces};
pub use streams::{LogKey, LogReader, LogStreams, RedactionNow};
pub use view::{LogDesk, LogSaid, ViewAsked};

mod limits {
    pub(super) use crate::limits::LOG_LINE_BYTES_MAX as LINE_BYTES_MAX;
}

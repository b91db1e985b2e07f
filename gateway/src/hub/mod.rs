//! One feed's objects in memory, ordered by last change, and its subscribers. Pure: never an await,
//! a clock, a socket or randomness; time and chance are arguments.
//!
//! A subscriber is a cursor, not a queue: snapshot, live update, catching up and resuming are the
//! same walk of what changed after a number. Read in this order: [`store`] (the objects), [`view`]
//! (a filter and its live frame), [`frames`] (what is written), [`one`] and [`log`] (views that aren't
//! tables), [`Hub`] (all of it together).

mod bodies;
mod columns;
mod custom;
pub mod defect;
mod entries;
mod frames;
mod incarnation;
mod labels;
mod log;
mod one;
mod past;
mod store;
mod subscriber;
mod view;
mod writers;

mod state;

pub use frames::Encoded;
pub use log::LogBounds;
pub use state::{Bounds, Hub, Identity, Opening};
pub use subscriber::{Delivery, SubscriberId};
pub use view::Filter;

#[cfg(test)]
mod tests;

//! One feed's objects in memory, ordered by last change, and its subscribers. A pure core, [`Hub`],
//! without await, clock, socket or randomness; around it the [`task`] with its channels, and the
//! [`registry`] of the hubs that run.
//!
//! A subscriber is a cursor, not a queue: a snapshot, catching up and resuming are the same walk of what
//! changed after a sequence. At the head it gets the frame that its view builds once for all.
//!
//! Read in this order: [`request`] and [`message`] (what a session says and hears), [`store`] (the objects), [`view`] (a selection and its live frame), [`subscriber`] (a
//! position), [`frames`] (what is written), [`object_view`] and [`log`] (views that aren't tables),
//! [`state`] (all of it together), and of that `state/settle.rs` (what happens when).

mod bodies;
mod bounds;
mod columns;
mod custom;
mod directory;
mod entries;
mod epoch;
mod frames;
mod host;
mod labels;
mod log;
mod log_budget;
mod message;
mod object_view;
mod permit;
mod quota;
mod registry;
mod request;
mod row_history;
mod schedule;
mod state;
mod store;
mod subscriber;
mod task;
mod view;
mod writers;

pub use bounds::Bounds;
pub use directory::Directory;
pub use frames::Encoded;
pub use host::Host;
pub use message::{HubAction, HubEffects, HubRequest, ToSession};
pub use permit::{SendPermit, SubscriberKey};
pub use quota::FeedBounds;
pub use registry::{HubHandle, Registry};
pub use request::{Open, SubscriptionRequest};
pub use schedule::Elapsed;
pub use state::{Hub, HubCounts};
pub use subscriber::Delivery;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

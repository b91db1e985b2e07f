//! One feed's objects in memory, ordered by last change, and its subscribers. A pure core, [`Hub`],
//! without await, clock, socket or randomness; around it the [`task`] with its channels, and the
//! [`registry`] of the hubs that run.
//!
//! A subscriber is a cursor, not a queue: a snapshot, catching up and resuming are the same walk of what
//! changed after a sequence. At the head it gets the frame that its view builds once for all.
//!
//! Read [`hub`] first: its page says what a hub is and where a subscriber stands. Each of its parts is an owner with a
//! file of its own: [`objects`] (what there is, in a [`store`]), [`views`] (a selection, and how its frames are written),
//! [`logs`] (views of what happened), [`heard`] (what a recorder is told), [`columns`] (those that viewers ask for), [`subscribers`] and of these each
//! [`subscriber`]. What a session says and hears stands in [`request`] and [`message`].

mod bodies;
mod cell_ledger;
mod columns;
mod currency;
mod entries;
mod heard;
mod held;
mod host;
#[expect(clippy::module_inception, reason = "the hub among its parts; the folder has their name")]
mod hub;
mod listen;
mod logs;
mod message;
mod objects;
mod quota;
mod registry;
mod request;
mod schedule;
mod status;
mod store;
mod subscriber;
mod subscribers;
mod task;
mod views;
mod writers;

pub use entries::{PastEntry, are_events, past_entry};
pub use heard::{Heard, HeardVersion};
pub use host::{Bounds, Host};
pub use hub::Hub;
pub use listen::Listen;
pub use message::{Delivery, HubAction, HubCounts, HubEffects, HubRequest, ToSession};
pub use quota::FeedBounds;
pub use registry::{Archive, Directory, HubHandle, Mirrors, PastFeed, Registry};
pub use request::{Open, SendPermit, SubscriberKey};
pub use schedule::Elapsed;
pub use views::Encoded;
pub use writers::writers_in;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

//! The clusters that this gateway shows: which there are, and in what state each is. Never a hub or a session.
//!
//! Read in this order: [`entry`] (what is to be shown), [`members`] (what became of it, decided without a clock or a
//! connection), [`listed`] (the list as sessions see it), [`member`] (the task of one cluster), [`keep`] (the task that
//! owns them all), [`profiles`] (the ClusterProfiles of the home cluster).

mod entry;
mod keep;
mod listed;
mod member;
mod members;
mod profiles;

pub use entry::{Entry, Wanted, merged};
pub use listed::{Inventory, Listed, Reached};
pub use member::Connecting;

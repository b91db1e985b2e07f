//! Reads one object for its panel, into plain types: from the object's JSON, which is not trusted, and from
//! the log of its changes. Never a subscription, never markup.
//!
//! - what is true now: [`summary`] (facts and containers), [`condition`], [`event`]
//! - where it belongs: [`reference`] (owners, and what it names), [`tree`] (what belongs to it)
//! - as it stands: [`yaml`]
//! - how it came to be: [`history`] (entries), [`versions`] and [`compare`] (any two)

pub mod compare;
pub mod condition;
pub mod event;
pub mod history;
mod read;
pub mod reference;
pub mod summary;
#[cfg(test)]
mod testing;
pub mod tree;
pub mod versions;
pub mod yaml;

pub use read::{Now, created};

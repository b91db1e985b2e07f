//! Reads one object for its panel, into plain types: from the object's JSON, which is not trusted, and from the
//! log of its changes. Never a subscription, never markup.
//!
//! - its state: [`why`] it isn't well, [`failing`] (the run whose log says so), [`summary`] (facts and containers), [`condition`], [`event`]
//! - its [`rollout`]
//! - its relations: [`reference`] (owners and other references), [`tree`] (dependents)
//! - its document: [`yaml`]
//! - its past: [`history`] (entries of the log), [`dated`] (the dates that it carries), [`versions`] and [`compare`] (any two of them)

pub mod compare;
pub mod condition;
pub mod dated;
pub mod event;
pub(crate) mod failing;
pub mod history;
mod read;
pub mod reference;
pub mod rollout;
pub mod summary;
#[cfg(test)]
mod testing;
pub mod tree;
pub mod versions;
pub mod why;
mod words;
pub mod yaml;

pub use read::{Now, created};

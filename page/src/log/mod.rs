//! The log of a view's changes: which entries its filter shows, where its reader is in them, and their lines. Never the
//! table, never the entries themselves, which are the replica's.

mod entries;
mod filter;
mod lines;
mod model;
pub(crate) mod pane;
pub(crate) mod part;
mod slot;
pub mod words;

pub use filter::{LogFilter, Predicate};
pub use model::{LogBody, LogExtent, LogFields, LogLine, LogModel, LogToggle};
pub(crate) use slot::LogSlot;

//! The log of a view's changes: which entries its filter shows, where its reader is in them, and their lines. Never the
//! table, never the entries themselves, which are the replica's.

mod entries;
mod lines;
mod model;
mod pane;
pub mod words;

pub use entries::{LogFilter, Predicate};
pub use model::{LogBody, LogExtent, LogFields, LogLine, LogModel, LogToggle};
pub(crate) use pane::LogPane;

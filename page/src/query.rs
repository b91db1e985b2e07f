//! Which rows of a table are shown, and in which order: filter, sort, and the index that keeps both while
//! rows change. Never a change of a row.

mod compare;
pub mod complete;
pub mod fields;
pub mod filter;
pub mod index;
mod kept;
pub mod labels;
pub(crate) mod offered;
mod readers;
mod seen;
pub mod sort;
mod text_order;
pub mod value;

pub(crate) use compare::regex;
pub use complete::{Note, Suggestion, Suggestions};
pub(crate) use filter::literal_of;
pub use filter::{Filter, Reading, TextMark};
pub use index::Index;
pub use readers::ReaderId;
pub(crate) use readers::Readers;
pub use sort::{Direction, Sort, Source};

#[cfg(test)]
mod tests;

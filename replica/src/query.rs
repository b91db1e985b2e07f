//! What of a table is shown, and in which order: filter, sort, and the index that keeps both while
//! rows change. Never a change of a row.

mod compare;
pub mod filter;
pub mod index;
mod lens;
pub mod sort;
pub mod value;

pub use filter::Filter;
pub use index::Index;
pub use lens::Lens;
pub(crate) use lens::Lenses;
pub use sort::{Direction, Sort};

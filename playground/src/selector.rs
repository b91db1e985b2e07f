//! Which objects a list or watch is about: label selectors and field selectors as the real server
//! reads them, its words for what it can't read included. Pure.

mod field;
mod label;
mod name;

pub use field::FieldSelector;
pub use label::LabelSelector;

//! Which objects a list or watch is about: label selectors and field selectors as the real server
//! reads them, its words for what it can't read included. Pure.

mod field;

pub use field::FieldSelector;
pub use shared::selector::LabelSelector;

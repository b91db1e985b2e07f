//! What containers write, read through the API server where the operator shows logs (`--logs`). Nothing of it is ever
//! recorded, logged or counted by its content.
//!
//! Pure: [`mask`] (bytes in, bytes without credentials out). [`places`] counts who reads how many at a time.

mod mask;
mod places;

pub use mask::LineMasks;
pub use places::{LogPlace, LogPlaces};

mod limits {
    pub(super) use crate::limits::LOG_LINE_BYTES_MAX as LINE_BYTES_MAX;
}

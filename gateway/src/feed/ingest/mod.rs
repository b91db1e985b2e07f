//! From bytes to objects: a stream is split into values, a value is decoded, and an object is redacted
//! before anything of it is kept. Pure, and without a `serde_json::Value` of a whole object.
//!
//! Read in this order: [`split`], [`decode`], [`redact`] with [`role`], [`names`] and [`credentials`], [`object`], [`cells`].

mod cells;
mod credentials;
mod decode;
mod json;
mod metadata;
mod names;
mod object;
mod redact;
mod restarts;
mod role;
mod scan;
mod split;
mod wire;

pub use cells::DatePaths;
pub use decode::Decoder;
pub(super) use names::Names;
pub use split::{Piece, Splitter};
pub(crate) use wire::resource_version_of_list;

#[cfg(test)]
mod tests;

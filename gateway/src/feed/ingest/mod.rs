//! From bytes to objects: a stream is split into values, a value is decoded, and an object is redacted
//! before anything of it is kept. Pure, and without a `serde_json::Value` of a whole object.
//!
//! Read in this order: [`reader`], [`split`], [`object`] with [`instants`], [`printer`], [`redact`] with [`role`], [`names`] and [`credentials`], [`line`] (of a log).

mod again;
mod credentials;
mod instants;
mod line;
mod names;
mod object;
mod printer;
mod reader;
mod redact;
mod role;
mod scan;
mod split;

pub use again::masked_again;
pub use line::masked_line;
pub(super) use names::Names;
pub use object::row_of_uid;
pub(super) use printer::PrinterColumns;
pub use reader::{AnswerReader, Memory};

#[cfg(test)]
mod tests;

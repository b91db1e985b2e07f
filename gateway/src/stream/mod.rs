//! The stream without a page: one view over plain HTTP, as lines of JSON, as Server-Sent Events or as CloudEvents. It
//! is a session like a page's, whose client is in the gateway itself and turns frames into events. It holds no rows.
//!
//! Read in this order: [`query`] (what is asked), [`event`] (what is said), [`logs`] (what is said of logs), [`translate`] (from frames to
//! events), [`resume`] (where the next stream goes on), [`write`](mod@write) (how an event is written);
//! then the rim: [`duplex`] (a socket without a network) and [`reader`] (the client). [`openapi`] describes all of it.

mod duplex;
mod event;
mod logs;
pub mod openapi;
pub mod query;
mod reader;
mod resume;
mod translate;
mod write;

#[cfg(test)]
mod tests;

pub use duplex::{ClientEnd, Duplex, duplex};
pub use query::{Format, StreamRequest};
pub use reader::Reader;

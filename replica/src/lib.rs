//! The client of the wire, in plain Rust: the page and `dogwatch tail` both stand upon it. Time and chance
//! are arguments; never a clock or the DOM. Only [`driver`] knows sockets and tasks.
//!
//! Start at [`client`]: it takes what happened ([`client::Input`]) and says what to do
//! ([`client::Output`]). A [`view`] is one subscription with its rows.
//!
//! - the link: [`connection`]
//! - what arrives: [`table`] (rows, moved by frames alone), [`view`], [`object`] (one whole), [`timeline`]
//!   (what happened)
//! - how fresh it is: [`freshness`]

pub mod client;
pub mod connection;
#[cfg(feature = "driver")]
pub mod driver;
pub mod object;
pub mod observer;
mod place;
mod source;
pub mod subscription;
pub mod table;
pub mod timeline;
pub mod view;

pub mod freshness;

pub mod limits;
pub mod messages;
pub mod now;

#[cfg(any(test, feature = "testing"))]
#[allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::new_without_default,
    reason = "only tests call it"
)]
pub mod testing;

//! The client of the wire, used by the page and `dogwatch tail`. Time and chance are arguments; only `driver`
//! knows clocks, sockets and tasks.
//!
//! Start at [`client`]: it takes what happened ([`client::Input`]) and says what to do
//! ([`client::Output`]). A [`view`] is one subscription with its rows.
//!
//! - the link: [`connection`]
//! - what arrives: [`table`] (rows, changed by frames alone), [`view`], [`object`] (one whole), [`timeline`]
//!   (what happened); each with a chain, which says where it stands
//! - how fresh it is: [`freshness`]

mod chain;
pub mod client;
pub mod connection;
#[cfg(feature = "driver")]
pub mod driver;
mod events;
pub mod object;
pub mod observer;
mod origin;
pub mod sign_in;
pub mod subscription;
pub mod table;
pub mod timeline;
pub mod view;

pub mod freshness;

pub mod limits;
pub mod now;

#[cfg(any(test, feature = "testing"))]
#[allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::new_without_default,
    reason = "only tests call it"
)]
pub mod testing;

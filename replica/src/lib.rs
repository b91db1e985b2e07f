//! The viewer's copy of what the gateway shows, in plain Rust: the page and `dogwatch tail` both
//! stand upon it. Time and chance are arguments; never a socket, a task, a clock or the DOM.
//!
//! Start at [`client`]: it takes what happened ([`client::Input`]) and says what to do
//! ([`client::Output`]). A [`view`] is one subscription with its rows, their order and their marks.
//!
//! - what arrives: [`connection`] (the link), [`table`] (rows, moved by frames alone), [`view`],
//!   [`object`] (one whole), [`timeline`] (what happened)
//! - what is shown: [`query`] (filter, sort, order), [`window`], [`order`], [`widths`], [`cells`], [`ages`],
//!   [`names`], [`status`], [`changes`]
//! - what is said: [`freshness`] (pill), [`notice`], every word of both in [`text`]
//! - where it is: [`location`] (the link in the address bar)

pub mod client;
pub mod connection;
pub mod detail;
pub mod log;
pub mod moment;
pub mod object;
mod place;
mod source;
pub mod subscription;
pub mod table;
pub mod timeline;
pub mod view;

pub mod address;
pub mod ages;
pub mod cells;
pub mod changes;
pub mod choice;
pub mod export;
pub mod kubectl;
pub mod names;
pub mod order;
pub mod query;
pub mod status;
pub mod widths;
pub mod window;

pub mod freshness;
pub mod notice;
mod numbers;
pub mod text;

pub mod limits;
pub mod location;
pub mod navigation;
pub mod palette;
pub mod preferences;

//! The folder of a release: what is in it ([`artifact`]), how it is written ([`write`]) and checked ([`check`]).
//!
//! `SHA256SUMS` names every file with its hash, and one signature over it covers them all.

mod archive;
mod artifact;
mod check;
mod contents;
mod json;
mod notes;
mod provenance;
mod signature;
mod sums;
mod write;

pub use check::check;
pub use signature::Signer;
pub use write::{Parts, write};

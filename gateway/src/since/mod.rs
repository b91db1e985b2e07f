//! A view that begins in the past: the recorded changes since a time first, in their order, then the present, with no gap
//! and no double between them. The stream and `tail` do it alike. Pure: both ask and print by themselves.
//!
//! The record is read until it has no more. Then the live view is opened, and what the record was told meanwhile is read
//! before anything of the live view is told. A version that the record told already is left out of the live view.
//!
//! Read in this order: [`time`] (how a time is written), [`reading`] (questions and answers), [`told`] (what was told already).

mod reading;
mod time;
mod told;

pub use reading::{Line, Reading};
pub use time::PastTime;
pub use told::Told;

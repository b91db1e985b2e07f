//! "Tell me when": what the reader asked to be told of, and what came of it. Questions are asked of views that are open for
//! them. Only a proven state answers one. What is made of them comes with a piece of the program.

mod draft;
mod held;
mod kept;
mod linked;
mod model;
pub(crate) mod part;
mod picks;
pub(crate) mod questions;
mod subjects;
mod views;
mod watcher;
pub mod words;

#[cfg(test)]
mod tests;

pub use draft::{About, Draft, Which};
pub use model::{QuestionLine, TellSheet, TellShown, ToldLine};
pub use picks::Pick;

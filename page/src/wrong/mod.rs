//! What is wrong now: the objects of every kind that aren't fine, as one list of stories. A list holds a view of
//! each kind, with its troubled rows alone. What is made of them comes with a piece of the program. Never a pane.

mod kinds;
mod list;
pub(crate) mod lists;
mod model;
pub(crate) mod part;
mod stories;
mod tally;
mod views;
pub mod words;

#[cfg(test)]
mod tests;

pub(crate) use kinds::CLUSTERS_MAX;
pub(crate) use list::is_refused;
pub use model::{Order, TallyReport, WrongCount, WrongLine, WrongList, WrongStory, WrongTally};
pub(crate) use views::{Made, Place, WrongViews, follow};

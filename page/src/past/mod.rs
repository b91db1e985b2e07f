//! The past: a page as of a time. One time holds for all panes, stands in the address, and leads back to the present.
//! [`at`] is that time, [`said`] what a view of it says, and [`TimeBar`] the state of the bar with the slider. What the bar
//! shows and how a typed time is read comes with a piece of the program.

mod against;
mod at;
pub(crate) mod bar;
mod bar_place;
mod change_list;
mod clock_text;
mod compare;
pub(crate) mod comparisons;
mod density;
mod found_list;
pub(crate) mod here;
mod model;
pub(crate) mod part;
mod recorded_changes;
pub(crate) mod said;
mod sentences;
mod span;
mod steps;
mod stopped;
mod time_bar;
mod word_search;
pub mod words;

pub use against::Against;
pub use at::At;
pub use model::{
    ChangeList, ChangeRow, ComparedCell, ComparedRow, End, FoundList, FoundRow, Group, GroupKind,
    InPlaceOfRows, PastBar, ReplacedRows, Stretch, Tick, ViewComparison,
};
pub use span::Span;
pub(crate) use time_bar::TimeBar;

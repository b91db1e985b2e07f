//! What a reader takes along of a view: its link, the kubectl command that shows the same, the element that shows it in
//! another page, and its rows. Never which rows those are.

mod command;
mod menu;
mod model;
mod rows;
mod snippet;
pub mod words;

pub(crate) use command::ViewColumns;
pub(crate) use menu::{Count, ExportMenu, Exported, menu};
pub use model::ExportModel;
pub use rows::Format;
pub(crate) use rows::tsv;
pub use snippet::html;

//! What a reader takes along of a view: its link, the kubectl command that shows the same, the element that shows it in
//! another page, and its rows. Never which rows those are.

mod command;
pub(crate) mod menu;
mod model;
pub(crate) mod part;
mod rows;
mod snippet;
pub mod words;

pub(crate) use command::ViewColumns;
pub use model::{ExportModel, GATEWAY, ThroughModel};
pub use rows::Format;
pub(crate) use rows::tsv;
pub use snippet::html;

/// The menu, open or closed.
#[derive(Default)]
pub(crate) struct ExportMenu {
    is_open: bool,
}

impl ExportMenu {
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) fn show(&mut self, is_open: bool) {
        self.is_open = is_open;
    }
}

//! Which columns a reader sees: the list in which they choose, what the link and the browser keep of it, and what the
//! table shows of that. Never how wide a column becomes, which the pane fits.

mod chooser;
mod chosen;
mod model;
pub(crate) mod part;
mod settings;
pub mod words;

pub(crate) use chooser::ColumnChooser;
pub use chosen::{ChosenColumn, ChosenColumns};
pub use model::{ColumnEntry, ColumnList};
pub(crate) use settings::list::PART;
pub use settings::{AvailableColumns, ColumnSettings, Placed};

//! What containers write, as the tab Logs shows it: the lines that the page holds, what is looked for in them, and which of
//! them are drawn. It comes with a piece of the program of its own. Never a subscription to rows.

mod buffer;
mod draw;
mod filter;
mod json;
mod layout;
mod level;
mod model;
mod needle;
mod pane;
mod part;
mod reading;
mod settings;
mod sources;
mod text;
pub mod words;

pub use level::Level;
pub use model::{
    ChosenContainer, ChosenPod, LogsChoice, LogsFoot, LogsOffer, LogsRow, LogsShown, LogsTools, LogsView,
    MarkKind, PieceLook, RowBody, RowPiece, RowTime,
};
pub(crate) use part::MAKE_LOGS;
pub use part::{LogsAction, LogsOutcome, LogsPart, MakeLogs};
pub use settings::{From, Times};
pub use sources::Label;
pub use text::Style;

//! What containers write, as the tab Logs shows it: the lines that the page holds, what is looked for in them, and which of
//! them are drawn. It comes with a piece of the program of its own. Never a subscription to rows.

mod around;
mod beginning;
mod between;
mod buffer;
mod draw;
mod events;
mod filter;
mod json;
mod last;
mod layout;
mod level;
mod lines;
mod model;
mod names;
mod needle;
mod pane;
mod part;
mod place;
mod pod;
mod question;
mod questions;
mod settings;
mod shown;
mod sources;
mod text;
mod withheld;
pub mod words;
mod written;

pub use between::PodEvent;
pub use draw::stamp;
pub use events::EventsTold;
pub use last::{LastLine, LastView, LastWanted};
pub use level::Level;
pub use model::{
    ChosenCluster, ChosenContainer, ChosenPod, LogsChoice, LogsFoot, LogsOffer, LogsRow, LogsTools, LogsView,
    MarkKind, PieceLook, RowBody, RowPiece, RowTime,
};
pub(crate) use pane::MAKE_LOGS;
pub use part::{LogsAction, LogsOutcome, LogsPart, LogsWanted, MakeLogs};
pub use settings::{From, Times};
pub use shown::LogsShown;
pub use sources::Label;
pub use text::Style;
pub(crate) use withheld::is_withheld;

//! What the page asks of the list while a pane shows it. It comes with a piece of the program, and is called through these
//! functions alone.

use replica::client::ViewKey;
use replica::now::Now;
use shared::state::UnixMillis;

use super::model::{TallyReport, WrongTally};
use super::views::{Made, Place, WrongViews};
use crate::location::PanelPlace;
use crate::messages::Zone;
use crate::table_view::Client;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Opens the views of a place, and returns those that aren't needed any more.
    pub(crate) follow: fn(&mut WrongViews, &Place, &mut Client, Now) -> Vec<ViewKey>,
    pub(crate) list: fn(&mut WrongViews, &Around<'_>, &Client) -> Made,
    pub(crate) tally: fn(&WrongViews, (UnixMillis, Zone), &Client) -> Option<WrongTally>,
    /// The same for the chip of another page. `Err`: why nothing is looked at.
    pub(crate) report: fn(Result<&WrongViews, &str>, String, (UnixMillis, Zone), &Client) -> TallyReport,
}

/// What is said of the list beside its rows.
pub(crate) struct Around<'a> {
    /// The filter's text.
    pub(crate) filter: &'a str,
    pub(crate) oldest_first: bool,
    /// The address of an object's panel.
    pub(crate) href: &'a dyn Fn(PanelPlace) -> Option<String>,
    pub(crate) now_ms: UnixMillis,
    pub(crate) zone: Zone,
}

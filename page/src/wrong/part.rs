//! What the page asks of the list while a pane shows it. It comes with a piece of the program, and is called through this
//! trait alone.

use replica::client::ViewKey;
use replica::now::Now;
use shared::state::UnixMillis;

use super::model::{Order, TallyReport, WrongTally};
use super::views::{Made, Place};
use crate::location::PanelPlace;
use crate::messages::Zone;
use crate::status::RowHealth;
use crate::table_view::Client;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) make: fn() -> Box<dyn Lists>,
}

/// The views of each place where a pane looks.
pub(crate) trait Lists {
    fn holds(&self, key: ViewKey) -> bool;
    fn rows_came(&mut self, key: ViewKey);
    /// Once a second: the rows that are another by time alone.
    fn grow_old(&self, client: &mut Client, now_ms: UnixMillis);
    /// Opens the views of the places. `stays`: without a place those of the last one stay, so that the tally goes on.
    /// Returns those that aren't needed any more.
    fn follow(&mut self, places: Vec<Place>, stays: bool, client: &mut Client, now: Now) -> Vec<ViewKey>;
    fn list(&mut self, place: &Place, around: &Around<'_>, client: &Client) -> Option<Made>;
    /// How much is wrong in the first place. `None`: its reader hasn't looked yet.
    fn tally(&self, at: (UnixMillis, Zone), client: &Client) -> Option<WrongTally>;
    /// What the chip of another page says of its place. `Err`: why it has none, if that is known.
    fn report(
        &self,
        place: Result<Place, &str>,
        link: String,
        at: (UnixMillis, Zone),
        client: &Client,
    ) -> TallyReport;
    /// Opens or folds a story.
    fn fold(&mut self, place: &Place, key: String);
    /// The filter with this health alone, or without it.
    fn only(&self, filter: &str, health: RowHealth) -> String;
}

/// What is said of the list beside its rows.
pub(crate) struct Around<'a> {
    /// The filter's text.
    pub(crate) filter: &'a str,
    pub(crate) order: Order,
    /// The address of an object's panel.
    pub(crate) href: &'a dyn Fn(PanelPlace) -> Option<String>,
    pub(crate) now_ms: UnixMillis,
    pub(crate) zone: Zone,
}

//! What a pane asks of its log. The log itself comes with a piece of the program, and is called through this trait alone.

use replica::client::ViewKey;
use replica::timeline::TimelineView;
use shared::state::UnixMillis;

use super::filter::LogFilter;
use super::model::LogModel;
use crate::action::LogAction;
use crate::effect::Effect;
use crate::location::PanelPlace;
use crate::messages::Zone;
use crate::table_view::Client;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Makes the log of a recording that has begun.
    pub(crate) make: fn(Recording, Before, &Client) -> Box<dyn LogPart>,
}

/// The subscription of a log, and when its reader first looked at it.
#[derive(Clone, Copy)]
pub(crate) struct Recording {
    pub(crate) key: ViewKey,
    pub(crate) since_ms: UnixMillis,
}

/// How the log stands before it is made.
#[derive(Clone, Default)]
pub(crate) struct Before {
    pub(crate) filter: LogFilter,
    /// The number of the first entry that isn't shown, if the reader paused the log.
    pub(crate) paused_at: Option<u64>,
}

pub(crate) trait LogPart {
    fn filter(&self) -> &LogFilter;
    fn set_filter(&mut self, filter: &LogFilter, client: &Client);
    /// The object of the entry that has the focus.
    fn panel_place(&self, client: &Client) -> Option<PanelPlace>;
    /// The sentence of the notice line.
    fn said(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<String>;
    /// How many events are shown.
    fn len(&self) -> usize;
    fn is_paused(&self) -> bool;
    /// The events since the pause began, beside the pill's word.
    fn waiting(&self, client: &Client) -> Option<String>;
    /// Its timeline has no entry any more.
    fn purged(&mut self);
    fn pause(&mut self, is_paused: bool);
    fn update(&mut self, action: LogAction, timeline: &mut TimelineView, resource: &str) -> Option<Effect>;
    fn render(&mut self, model: &mut LogModel, client: &Client, zone: Zone);
}

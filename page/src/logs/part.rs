//! What the panel asks of the logs. They come with a piece of the program, and are called through this trait alone.

use replica::client::ViewKey;
use replica::now::Now;
use shared::frame::client::SubscriptionId;
use shared::problem::Problem;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::events::EventsTold;
use super::last::LastWanted;
use super::settings::{From, Times};
use super::shown::LogsShown;
use crate::clipboard::Clip;
use crate::effect::file::File;
use crate::messages::Zone;
use crate::table_view::Client;

/// Makes the logs of one object.
#[derive(Clone, Copy)]
pub struct MakeLogs(pub(crate) fn() -> Box<dyn LogsPart>);

/// The object whose logs are wanted.
#[derive(Clone, Debug)]
pub struct LogsWanted {
    pub(crate) scope: Scope,
    /// The view beside the panel: where it is of several clusters, the log can be so too.
    pub(crate) view: Option<ViewKey>,
}

pub trait LogsPart {
    /// Asks for what is to be shown, and takes what came. `None`: the tab isn't open, or there is nothing to ask for.
    /// `settings`: as the address has them. Returns whether there is something else to draw.
    fn follow(
        &mut self,
        wanted: Option<LogsWanted>,
        settings: Option<&str>,
        client: &mut Client,
        now: Now,
    ) -> bool;
    /// The same for the last lines of a container that fails. `None`: none are wanted now.
    fn follow_last(&mut self, wanted: Option<&LastWanted>, client: &mut Client) -> bool;
    /// The pods of the object's own cluster whose logs are read.
    fn pods(&self) -> Vec<&str>;
    fn tell_events(&mut self, told: EventsTold);
    /// A question of the client has no answer, or none any more.
    fn failed(&mut self, id: SubscriptionId, problem: &Problem);
    fn update(&mut self, action: LogsAction) -> LogsOutcome;
    /// When there is something to do without an input.
    fn timer_ms(&self) -> Option<UnixMillis>;
    /// A [`super::LogsView`].
    fn render(&mut self, now_ms: UnixMillis, zone: Zone) -> LogsShown;
    /// A [`super::LastView`], or nothing.
    fn last(&self) -> LogsShown;
}

/// What an action asks of the panel.
pub enum LogsOutcome {
    Nothing,
    /// What the address says of the logs from now on.
    Settings(Option<Box<str>>),
    /// Goes to the tab, with this in the address.
    Open(Option<Box<str>>),
    Copy(Clip),
    Download(File),
}

#[derive(Clone, Debug, PartialEq)]
pub enum LogsAction {
    Find(String),
    NextHit {
        is_forward: bool,
    },
    Filter(String),
    From(From),
    Times(Times),
    Wrap,
    Raw,
    /// Shows the Events of the pods, or hides them.
    Events,
    Previous,
    /// Opens the choice of pods and containers, or closes it.
    Choose(bool),
    /// The log of the same object in another cluster, too, or no longer.
    ToggleCluster(String),
    /// As a link names it.
    TogglePod(String),
    ToggleContainer(String),
    AllPods,
    Unfold(u64),
    /// The address names the line.
    Line(u64),
    /// The same for the line at which the reader is, and again for the next one.
    LinkLine {
        is_forward: bool,
    },
    /// From the last lines to the whole log.
    OpenLast,
    Pause,
    Follow,
    First,
    Copy,
    Download,
    Scrolled {
        top_px: f64,
    },
    /// The sizes of the box, of a row and of a character.
    Resized {
        width_px: f64,
        height_px: f64,
        row_px: f64,
        character_px: f64,
    },
}

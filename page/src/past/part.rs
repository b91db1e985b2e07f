//! What the page asks of the past while it is open. It comes with a piece of the program, and is called through these
//! functions alone.

use replica::client::ViewKey;
use replica::freshness::AsOf;
use replica::now::Now;
use shared::frame::client::SubscriptionId;
use shared::frame::server::PastAnswer;
use shared::problem::Problem;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::against::Against;
use super::at::At;
use super::comparisons::{Around, Comparisons, PaneTimes};
use super::here::Here;
use super::model::{PastBar, ReplacedRows};
use super::time_bar::TimeBar;
use crate::action::PastAction;
use crate::location::PanelPlace;
use crate::messages::Zone;
use crate::notice::Notice;
use crate::pill::ProofHops;
use crate::table_view::Client;

/// A view, and its scope in each of its clusters.
pub(crate) type OfView = (ViewKey, Vec<Scope>);

/// Where the reader goes in time, what is asked of the record for it, and what is said of the time.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Where an action leads. `None`: to the place of the slider, which is dragged.
    pub(crate) update: fn(&mut TimeBar, Option<PastAction>, &Here<'_>) -> Move,
    /// Asks what was recorded of these scopes, unless that is known, and for the changes of the view that shows them.
    pub(crate) ask: fn(&mut TimeBar, (OfView, Option<OfView>), &Here<'_>, &mut Client),
    /// An answer came, to its questions or to others.
    pub(crate) came: fn(&mut TimeBar, &PastAnswer),
    pub(crate) failed: fn(&mut TimeBar, SubscriptionId, Problem),
    pub(crate) model: fn(&TimeBar, Shown<'_>) -> PastBar,
    /// The list of what had a word, or of the changes until the time of the page, in place of the rows.
    pub(crate) found: fn(&mut TimeBar, &Shown<'_>, Links<'_>) -> ReplacedRows,
    /// Beside the rows: since when and why nothing is recorded.
    pub(crate) stopped: fn(&TimeBar, &Shown<'_>) -> Option<Notice>,
    /// Opens the views that panes are compared with, and returns those that aren't needed any more.
    pub(crate) follow_comparisons: fn(&mut Comparisons, &[PaneTimes<'_>], &mut Client, Now) -> Vec<ViewKey>,
    /// What differs between the two times of a pane.
    pub(crate) comparison: fn(&mut Comparisons, &PaneTimes<'_>, &mut Client, Around<'_>) -> ReplacedRows,
    /// The notice line, and what stands in place of rows.
    pub(crate) line: fn(&AsOf, &Place) -> Option<Notice>,
    pub(crate) body: fn(&AsOf, &Place) -> Option<Notice>,
    /// The popover of the pill.
    pub(crate) proof: fn(&AsOf, bool) -> ProofHops,
}

/// The address of an object's panel as of a time.
pub(crate) type Links<'a> = &'a dyn Fn(PanelPlace, At) -> Option<String>;

/// What becomes of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Nothing,
    /// Why nothing does.
    Say(&'static str),
    /// It is as of another time.
    To {
        at: Option<At>,
        /// It is the time of the next change.
        is_step: bool,
        /// It is another page of the browser's history; a step or a drag is none.
        is_entry: bool,
    },
    /// It is compared with another time, or no more.
    Against(Option<Against>),
    /// What is compared is read again.
    CompareAgain,
    /// The search for a word is another one.
    Found,
    /// The slider is taken, so that the reader can go back to what was shown before.
    Begin,
}

/// A time that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Now,
    /// By the viewer's clock.
    At(UnixMillis),
}

/// What sentences about a time name.
pub(crate) struct Place {
    pub(crate) resource: String,
    pub(crate) now_ms: UnixMillis,
    pub(crate) zone: Zone,
}

/// What the bar shows of the active view.
pub(crate) struct Shown<'a> {
    pub(crate) here: Here<'a>,
    pub(crate) resource: &'a str,
    /// Its rows, and those that fail.
    pub(crate) counts: Option<(usize, usize)>,
}

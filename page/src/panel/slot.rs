//! The place of the panel on the board. The panel itself is a piece of the program that is fetched when it is needed:
//! until it is there, nothing is open.

use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::now::Now;
use replica::object::ObjectView;
use shared::frame::client::SubscriptionId;
use shared::frame::server::PastAnswer;
use shared::problem::Problem;
use shared::state::UnixMillis;

use super::action::{PanelAction, PanelKey};
use super::model::PanelModel;
use super::object::Wanted;
use super::outcome::PanelOutcome;
use super::{Panel, width};
use crate::logs::MakeLogs;
use crate::messages::Zone;
use crate::piece::PieceShown;
use crate::tab::overview::rollout::Progress;
use crate::table_view::Client;
use crate::theme::Theme;

/// What the board asks of the panel. Called through a table of functions alone, so that what is behind it can be
/// fetched apart.
pub trait PanelPart {
    fn model(&self) -> &PanelModel;
    fn is_open(&self) -> bool;
    /// Whether the panel uses a view.
    fn holds(&self, key: ViewKey) -> bool;
    /// Opens what the address names, and closes what it no longer names. Returns the views that the panel no
    /// longer uses.
    fn follow(&mut self, client: &mut Client, wanted: Option<Wanted>, now: Now) -> Vec<ViewKey>;
    /// A view dropped all that it held: nothing that was recorded is kept, of any object, and if the panel shows
    /// something of this view, its object is asked for anew. Returns the views that the panel no longer uses.
    fn purged(&mut self, key: ViewKey, client: &mut Client, now: Now) -> Vec<ViewKey>;
    /// Entries or rows arrived.
    fn news(&mut self, key: ViewKey);
    /// Recorded versions of an object came.
    fn history_came(&mut self, answer: &PastAnswer);
    fn history_failed(&mut self, id: SubscriptionId, problem: &Problem);
    /// Whether the piece with the logs is there. Returns whether the panel needs it.
    fn fill_logs(&mut self, make: Option<MakeLogs>, piece: &PieceShown) -> bool;
    fn update(&mut self, client: &Client, action: PanelAction, now_ms: UnixMillis) -> PanelOutcome;
    /// A key asks for a part of the open object.
    fn key(&mut self, client: &Client, key: PanelKey) -> PanelOutcome;
    /// The focus goes into the panel.
    fn take_focus(&mut self);
    /// When an object that waits is to be subscribed to.
    fn timer_ms(&self) -> Option<UnixMillis>;
    fn set_page_width(&mut self, px: f64);
    fn freshness(&self, client: &Client, now_ms: UnixMillis) -> Freshness;
    /// The open object, once it is subscribed to.
    fn object<'a>(&self, client: &'a Client) -> Option<&'a ObjectView>;
    /// The rollout of the open object, while it goes on.
    fn rollout(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<Progress>;
    fn render(&mut self, client: &Client, theme: Theme, now_ms: UnixMillis, zone: Zone);
}

/// Makes the panel, for a page of this width, with the width that the reader prefers.
#[derive(Clone, Copy)]
pub struct MakePanel(fn(f64, Option<f64>) -> Box<dyn PanelPart>);

/// Named in the piece alone.
pub(crate) const MAKE_PANEL: MakePanel =
    MakePanel(|page_width_px, preferred_px| Box::new(Panel::new(page_width_px, preferred_px)));

pub(crate) enum PanelSlot {
    /// The piece isn't there.
    Empty(Box<Empty>),
    Here(Box<dyn PanelPart>),
}

pub(crate) struct Empty {
    model: PanelModel,
    page_width_px: f64,
    preferred_px: Option<f64>,
    /// An object is to be shown.
    is_wanted: bool,
    takes_focus: bool,
}

impl PanelSlot {
    pub(crate) fn new(page_width_px: f64, preferred_px: Option<f64>) -> Self {
        let width_px = preferred_px
            .map_or_else(|| width::unmoved(page_width_px), |px| width::limited(px, page_width_px));
        let model = PanelModel { width_px, ..PanelModel::default() };
        Self::Empty(Box::new(Empty {
            model,
            page_width_px,
            preferred_px,
            is_wanted: false,
            takes_focus: false,
        }))
    }

    /// The piece has come.
    pub(crate) fn fill(&mut self, make: MakePanel) {
        if let Self::Empty(empty) = self {
            let mut panel = make.0(empty.page_width_px, empty.preferred_px);
            if empty.takes_focus {
                panel.take_focus();
            }
            *self = Self::Here(panel);
        }
    }

    /// An object is to be shown, and the piece isn't there.
    pub(crate) fn lacks_piece(&self) -> bool {
        matches!(self, Self::Empty(empty) if empty.is_wanted)
    }

    pub(crate) fn model(&self) -> &PanelModel {
        match self {
            Self::Empty(empty) => &empty.model,
            Self::Here(panel) => panel.model(),
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Empty(empty) => empty.is_wanted,
            Self::Here(panel) => panel.is_open(),
        }
    }

    pub(crate) fn holds(&self, key: ViewKey) -> bool {
        self.here().is_some_and(|panel| panel.holds(key))
    }

    pub(crate) fn follow(&mut self, client: &mut Client, wanted: Option<Wanted>, now: Now) -> Vec<ViewKey> {
        match self {
            Self::Empty(empty) => {
                empty.is_wanted = wanted.is_some();
                Vec::new()
            }
            Self::Here(panel) => panel.follow(client, wanted, now),
        }
    }

    pub(crate) fn purged(&mut self, key: ViewKey, client: &mut Client, now: Now) -> Vec<ViewKey> {
        self.here_mut().map(|panel| panel.purged(key, client, now)).unwrap_or_default()
    }

    pub(crate) fn news(&mut self, key: ViewKey) {
        if let Some(panel) = self.here_mut() {
            panel.news(key);
        }
    }

    pub(crate) fn history_came(&mut self, answer: &PastAnswer) {
        if let Some(panel) = self.here_mut() {
            panel.history_came(answer);
        }
    }

    pub(crate) fn history_failed(&mut self, id: SubscriptionId, problem: &Problem) {
        if let Some(panel) = self.here_mut() {
            panel.history_failed(id, problem);
        }
    }

    pub(crate) fn fill_logs(&mut self, make: Option<MakeLogs>, piece: &PieceShown) -> bool {
        self.here_mut().is_some_and(|panel| panel.fill_logs(make, piece))
    }

    /// What isn't there yet can be closed all the same.
    pub(crate) fn update(
        &mut self,
        client: &Client,
        action: PanelAction,
        now_ms: UnixMillis,
    ) -> PanelOutcome {
        match self {
            Self::Here(panel) => panel.update(client, action, now_ms),
            Self::Empty(empty)
                if empty.is_wanted && matches!(action, PanelAction::Close | PanelAction::Back) =>
            {
                PanelOutcome::Close
            }
            Self::Empty(_) => PanelOutcome::Nothing,
        }
    }

    pub(crate) fn key(&mut self, client: &Client, key: PanelKey) -> PanelOutcome {
        self.here_mut().map_or(PanelOutcome::Nothing, |panel| panel.key(client, key))
    }

    pub(crate) fn take_focus(&mut self) {
        match self {
            Self::Empty(empty) => empty.takes_focus = true,
            Self::Here(panel) => panel.take_focus(),
        }
    }

    pub(crate) fn timer_ms(&self) -> Option<UnixMillis> {
        self.here()?.timer_ms()
    }

    pub(crate) fn set_page_width(&mut self, px: f64) {
        match self {
            Self::Empty(empty) => empty.page_width_px = px,
            Self::Here(panel) => panel.set_page_width(px),
        }
    }

    /// `None`: the piece isn't there.
    pub(crate) fn freshness(&self, client: &Client, now_ms: UnixMillis) -> Option<Freshness> {
        Some(self.here()?.freshness(client, now_ms))
    }

    pub(crate) fn object<'a>(&self, client: &'a Client) -> Option<&'a ObjectView> {
        self.here()?.object(client)
    }

    pub(crate) fn rollout(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<Progress> {
        self.here()?.rollout(client, now_ms, zone)
    }

    pub(crate) fn render(&mut self, client: &Client, theme: Theme, now_ms: UnixMillis, zone: Zone) {
        match self {
            Self::Empty(empty) => empty.model.theme = theme,
            Self::Here(panel) => panel.render(client, theme, now_ms, zone),
        }
    }

    fn here(&self) -> Option<&dyn PanelPart> {
        match self {
            Self::Empty(_) => None,
            Self::Here(panel) => Some(panel.as_ref()),
        }
    }

    fn here_mut(&mut self) -> Option<&mut (dyn PanelPart + 'static)> {
        match self {
            Self::Empty(_) => None,
            Self::Here(panel) => Some(panel.as_mut()),
        }
    }
}
